"""The `query` command: ask a run's tables in SQL."""

import json
from typing import Annotated, Any

import typer

from mesocosm.build import open_run
from mesocosm.cli.shared.options import AsJson, RunPath
from mesocosm.cli.shared.output import print_json, print_table


def query(
    folder: RunPath,
    sql: Annotated[str, typer.Argument(metavar="SQL", help="A SELECT over the run's tables.")],
    as_json: AsJson = False,
) -> None:
    """Ask a run's tables (episode, step, agent, event) in SQL."""
    found = open_run(folder).query(sql)
    if as_json:
        print_json(found.to_pylist())
        return
    rows = [[_cell(value) for value in row.values()] for row in found.to_pylist()]
    print_table([str(name) for name in found.column_names], rows)


def _cell(value: Any) -> str:
    if isinstance(value, float):
        return f"{value:.6g}"
    if isinstance(value, list | dict):
        return json.dumps(value)
    return "-" if value is None else str(value)
