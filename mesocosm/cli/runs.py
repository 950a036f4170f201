"""The `runs` commands: what was recorded, set side by side or written in other formats."""

import os
from contextlib import suppress
from pathlib import Path
from typing import Annotated, Any

import typer

from mesocosm.build import open_run
from mesocosm.cli.shared.options import AsJson, RunPath
from mesocosm.cli.shared.output import Section, print_json, print_table, say, size_text
from mesocosm.cli.shared.players import policy_text
from mesocosm.cli.shared.verdicts import (
    REACHED_HEAD,
    VERDICT_HEAD,
    reached_rows,
    to_plain,
    verdict_rows,
)
from mesocosm.config.provenance import provenance_of
from mesocosm.core.errors import ConfigError, MesocosmError, MissingExtra, RunError
from mesocosm.core.spec import Spec
from mesocosm.evaluation.run_comparison import RunComparison, Side, compare_runs
from mesocosm.evaluation.statistics.verdict import ALPHA, CORRECTION, MARGIN, NOT_DISTINGUISHABLE
from mesocosm.telemetry.run import Run
from mesocosm.telemetry.run_folder import RUN
from mesocosm.telemetry.tables.columns import table_columns
from mesocosm.telemetry.tables.table import TABLES

FORMATS = ("csv", "json", "parquet", "minari")
LISTED = ("tables", "endings", "lives", "problems", "notes", "policies")  # written row by row
HEAD = ("run", "preset", "status", "steps", "envs", "seed", "config", "size")


def list_runs(
    folder: Annotated[Path, typer.Argument(help="Where to look for run folders.")] = Path("."),
    as_json: AsJson = False,
) -> None:
    """List the run folders under a folder; an asterisk marks a preset that was changed."""
    if not os.path.isdir(folder):  # asks without complaining of the name
        raise RunError(f"{folder}: no such directory")
    found = sorted(path.parent for path in folder.rglob(RUN))
    rows = [_summary(path) for path in found]
    if as_json:
        print_json(rows)
    elif rows:
        marked = [
            row | {"preset": f"{row['preset']}*"} if row.get("changed") else row for row in rows
        ]
        print_table(HEAD, [[str(row.get(key, "-")) for key in HEAD] for row in marked])
    else:
        print(f"{folder}: no runs; mesocosm run PRESET --out RUN makes one")


def _summary(path: Path) -> dict[str, Any]:
    """Say what a folder holds, readable or not."""
    size = size_text(sum(x.stat().st_size for x in path.rglob("*") if x.is_file()))
    try:
        run = open_run(path)
        about, steps = run.about, run.num_steps
    except MesocosmError as error:
        return {"run": str(path), "status": "unreadable", "size": size, "error": str(error)}
    return {
        "run": str(path),
        "preset": about["preset"],
        "changed": _is_changed(about),
        "status": run.status,
        "steps": steps,
        "envs": about["num_envs"],
        "seed": about.get("seed"),
        "config": str(about.get("config_hash"))[:12],
        "size": size,
    }


def _is_changed(about: dict[str, Any]) -> bool:
    """Say whether archetypes or overrides were put on the preset of a run."""
    made_of = about.get("provenance")
    return isinstance(made_of, dict) and provenance_of(made_of).is_changed


def show(folder: RunPath, as_json: AsJson = False) -> None:
    """Say what a run is, what it holds, how its episodes ended, and whether its files are whole."""
    run = open_run(folder)
    check = run.check_files()
    notes = list(check.notes)
    data = dict(run.about) | _found(run, notes) | {"files": check.num_files}
    data |= {"problems": list(check.problems), "notes": notes}
    if as_json:
        print_json(data)
    else:
        _print_run(data)
    for problem in check.problems:
        say(f"mesocosm: warning: {folder}: {problem}")


def _found(run: Run, notes: list[str]) -> dict[str, Any]:
    """Say what is in a run's files, as far as they can be read.

    Args:
        notes: Where it is added what is missing here to read the tables.
    """
    found: dict[str, Any] = {"status": run.status, "writer": run.folder.owner}
    for key, read in (("steps", lambda: run.num_steps), ("replay", lambda: _replay(run))):
        with suppress(RunError):
            found[key] = read()
    found["tables"], found["endings"], found["lives"] = {}, [], []
    try:
        found["tables"] = _tables(run)
        found["endings"] = _endings(run) if found["tables"].get("episode") else []
        found["lives"] = _lives(run)
    except MissingExtra as error:
        notes.append(f"tables are not shown in full: {error}")
    except RunError:  # the check of the files names it
        pass
    return found


def _print_run(data: dict[str, Any]) -> None:
    if isinstance(data.get("provenance"), dict):
        data["provenance"] = provenance_of(data["provenance"]).text
    rows = [(key, _text(value)) for key, value in data.items() if key not in LISTED]
    rows += [(f"{role} policy", text) for role, text in _policies(data).items()]
    rows += [(f"table {name}", f"{count:,} rows") for name, count in data["tables"].items()]
    rows += [
        (f"episodes: {e['reason']}", f"{e['episodes']:,}, mean return {e['mean_return']:.4g}, "
         f"mean length {e['mean_length']:.1f}")
        for e in data["endings"]
    ]  # fmt: skip
    rows += [
        (f"lives of a {e['role']}: {e['reason']} ({e['outcome']})",
         f"{e['lives']:,} in finished episodes, mean return {e['mean_return']:.4g}, "
         f"mean length {e['mean_length']:.1f}")
        for e in data["lives"]
    ]  # fmt: skip
    rows += [("note", note) for note in data["notes"]]
    rows += [("PROBLEM", problem) for problem in data["problems"]]
    print_table(("", ""), rows)


def _text(value: Any) -> str:
    if isinstance(value, dict):
        return ", ".join(f"{key} {_text(entry)}" for key, entry in value.items())
    return "-" if value is None else str(value)


def _replay(run: Run) -> dict[str, Any] | None:
    if not run.folder.replay.is_file():
        return None
    replay = run.replay
    size = run.folder.replay.stat().st_size
    agent_steps = replay.num_steps * replay.num_envs * run.about["num_agents"]
    return {
        "steps": replay.num_steps,
        "whole": replay.complete,
        "bytes": size,
        "bytes_per_agent_step": round(size / max(agent_steps, 1), 3),
    }


def _tables(run: Run) -> dict[str, int]:
    return {name: run.table(name).count_rows() for name in run.tables}


ENDINGS = """
SELECT reason, outcome, winner, count(*) AS episodes,
       sum(total_return) / sum(lives) AS mean_return, avg(length) AS mean_length
FROM episode GROUP BY reason, outcome, winner ORDER BY episodes DESC, reason, outcome
"""
LIVES = """
SELECT role, reason, outcome, count(*) AS lives, avg(total_return) AS mean_return,
       avg(length) AS mean_length
FROM episode_agents WHERE (env, episode) IN (SELECT (env, episode) FROM episode)
GROUP BY role, reason, outcome ORDER BY role, lives DESC, reason, outcome
"""


def _endings(run: Run) -> list[dict[str, Any]]:
    """Sum up how episodes ended; the mean return is per agent, over all lives in them."""
    needed = {"reason", "outcome", "winner", "total_return", "lives", "length"}
    return _ask(run, ENDINGS, "episode", needed)


def _lives(run: Run) -> list[dict[str, Any]]:
    """Sum up how the lives of each role ended, in finished episodes."""
    return _ask(run, LIVES, "episode_agents", {"reason", "outcome", "total_return", "length"})


def _ask(run: Run, sql: str, table: str, needed: set[str]) -> list[dict[str, Any]]:
    """Ask a table, if it was recorded with the columns that are needed."""
    if table not in run.tables or not needed <= set(run.table(table).schema.names):
        return []
    return list(run.query(sql).to_pylist())


def compare(
    folders: Annotated[
        list[str],
        typer.Argument(
            metavar="[NAME=]RUN...",
            help="Run folders; the first is the baseline. Runs of one NAME are one side: what was "
            "trained alike with other seeds.",
        ),
    ],
    margin: Annotated[
        float, typer.Option(help="The difference worth finding, as part of the baseline's mean.")
    ] = MARGIN,
    as_json: AsJson = False,
) -> None:
    """Set runs side by side, and say for every role which one is better, if that can be told."""
    sides = _sides(folders)
    if len(sides) < 2:
        raise ConfigError(f"runs compare: needs at least two runs, got {len(sides)}")
    runs = [run for side in sides for run in side.runs]
    columns = [_side(run) for run in runs]
    found = compare_runs(sides, margin)
    if as_json:
        print_json(_comparison_data(runs, columns, found))
        return
    rows = []
    for key in dict.fromkeys(key for column in columns for key in column):
        values = [_text(column.get(key)) for column in columns]
        rows.append((key, *values, "" if len(set(values)) == 1 else "differs"))
    print_table(("", *(str(run.folder.path) for run in runs), ""), rows)
    print()
    print_table(REACHED_HEAD, reached_rows(found.reached))
    for side in sides[1:]:
        mine = [entry for entry in found.compared if entry.side == side.name]
        print(f"\n{side.name} against {found.baseline}")
        print_table(VERDICT_HEAD, verdict_rows(mine))
    print(f"\n{_rule_text(found)}")
    for note in found.notes:
        print(note)


def _sides(folders: list[str]) -> list[Side]:
    """Open the runs, those of one name together."""
    groups: dict[str, list[Run]] = {}
    for text in folders:
        name, equals, path = text.partition("=")
        if not equals or "/" in name or Path(text).exists():
            name, path = text, text
            if path in groups:
                name = f"{text} ({len(groups) + 1})"  # a run beside itself
        groups.setdefault(name, []).append(open_run(Path(path)))
    return [Side(name, runs) for name, runs in groups.items()]


def _rule_text(found: RunComparison) -> str:
    return (
        f"Intervals are of 95 %; p is corrected for {len(found.compared)} comparisons "
        f"({CORRECTION}), and above {ALPHA:.2g} the sides are {NOT_DISTINGUISHABLE}."
    )


def _comparison_data(
    runs: list[Run], columns: list[dict[str, Any]], found: RunComparison
) -> dict[str, Any]:
    return {
        "runs": [
            {"run": str(run.folder.path)} | column
            for run, column in zip(runs, columns, strict=True)
        ],
        "baseline": found.baseline,
        "correction": CORRECTION,
        "reached": [
            dict(zip(("side", "role", "metric"), key, strict=True)) | to_plain(entry)
            for key, entry in found.reached.items()
        ],
        "comparisons": [to_plain(entry) for entry in found.compared],
        "notes": found.notes,
    }


def _side(run: Run) -> dict[str, Any]:
    about = run.about
    keys = ("preset", "world_version", "config_hash", "behaviour_hash", "seed", "num_envs",
            "target", "status", "steps", "provenance")  # fmt: skip
    side = {key: about.get(key) for key in keys}
    side |= {f"{role} policy": name for role, name in _policies(about).items()}
    for entry in _endings(run):
        name = f"{entry['reason']} ({entry['outcome']})"
        side[f"{name} episodes"] = entry["episodes"]
        side[f"{name} mean return"] = f"{entry['mean_return']:.6g}"
        side[f"{name} mean length"] = f"{entry['mean_length']:.6g}"
    lives = _lives(run)
    for role in dict.fromkeys(entry["role"] for entry in lives):
        mine = [entry for entry in lives if entry["role"] == role]
        number = sum(entry["lives"] for entry in mine)
        for name in ("return", "length"):
            total = sum(entry[f"mean_{name}"] * entry["lives"] for entry in mine)
            side[f"{role} mean {name}"] = f"{total / number:.6g}"
    return side


def _policies(about: dict[str, Any]) -> dict[str, str]:
    """Name the policies that a run was played by, and the hashes of files, if it says so."""
    played = about.get("policies")
    if isinstance(played, dict) and played:
        entries = ((who, e if isinstance(e, dict) else {"name": e}) for who, e in played.items())
        return {who: policy_text(entry) for who, entry in entries}
    plan = about.get("plan")
    named = plan.get("policies") if isinstance(plan, dict) else None
    return named if isinstance(named, dict) else {}


def export(
    folder: RunPath,
    out: Annotated[Path, typer.Option(help="The folder to write to; it must not exist yet.")],
    form: Annotated[str, typer.Option("--format", help=f"One of {', '.join(FORMATS)}.")] = "csv",
) -> None:
    """Write a run's tables as CSV, JSON lines or single Parquet files, or a Minari dataset."""
    if form not in FORMATS:
        raise ConfigError(f"--format: must be one of {', '.join(FORMATS)}, got {form!r}")
    run = open_run(folder)
    if form == "minari":
        from mesocosm.telemetry.minari import export_minari

        print(f"{out}: {export_minari(run, out)}")
        return
    from mesocosm.telemetry.tables.export import export_tables

    if not run.tables:
        run.table("episode")  # says why there are none
    tables = [(name, run.table(name)) for name in run.tables]  # before a folder is made
    for path, rows in export_tables(tables, out, form):
        print(f"{path}: {rows:,} rows")


def level_sections(spec: Spec) -> list[Section]:
    """List the columns of every table, those that only differ in a name once."""
    head = ("column", "type", "computed from", "meaning")
    made = []
    for table in TABLES:
        rows: dict[str, tuple[str, ...]] = {}
        for column in table_columns(spec, table, full=True):
            first, dot, own = column.name.partition(".")
            name = f"`{first}.*`" if dot else f"`{first}`"
            meaning = column.meaning.replace(f" {own}", " *") if dot else column.meaning
            meaning = "what the role is told" if first == "info" else meaning
            mark = " (full only)" if column.full else ""
            rows.setdefault(name, (name, column.kind, column.source, meaning + mark))
        made.append(Section(table, head, list(rows.values())))
    return made
