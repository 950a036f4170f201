"""Write a run's tables in other formats."""

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from mesocosm.core.errors import ConfigError
from mesocosm.telemetry.files import writing
from mesocosm.telemetry.tables.sinks import plain_value


def export_tables(
    tables: Iterable[tuple[str, Any]], out: Path, form: str
) -> Iterator[tuple[Path, int]]:
    """Write each named dataset as one file; give its path and number of rows."""
    with writing(out):
        try:
            out.mkdir(parents=True)
        except FileExistsError:
            raise ConfigError(f"--out: {out}: exists already; choose another folder") from None
    for name, table in tables:
        path = out / f"{name}.{form}"
        with writing(path):
            yield path, _WRITERS[form](table, path)


def _write_parquet(table: Any, path: Path) -> int:
    import pyarrow.parquet as pq

    rows = 0
    with pq.ParquetWriter(path, table.schema, compression="zstd") as writer:
        for batch in table.to_batches():
            writer.write_batch(batch)
            rows += batch.num_rows
    return rows


def _write_csv(table: Any, path: Path) -> int:
    import csv

    rows = 0
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file)
        writer.writerow(table.schema.names)
        for batch in table.to_batches():
            writer.writerows(row.values() for row in batch.to_pylist())
            rows += batch.num_rows
    return rows


def _write_json(table: Any, path: Path) -> int:
    import json

    rows = 0
    with path.open("w", encoding="utf-8") as file:
        for batch in table.to_batches():
            for row in batch.to_pylist():
                clean = {name: plain_value(value) for name, value in row.items()}
                file.write(json.dumps(clean, ensure_ascii=False, allow_nan=False) + "\n")
            rows += batch.num_rows
    return rows


_WRITERS = {"parquet": _write_parquet, "csv": _write_csv, "json": _write_json}
