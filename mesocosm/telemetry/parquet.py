"""Tables as Parquet files, one per table and range of steps, each there whole or not at all."""

import os
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np

from mesocosm.core.errors import MissingExtra, RunError
from mesocosm.telemetry.files import sweep, sync_folder, writing
from mesocosm.telemetry.table import Batch, Table, Words

LEVEL = 1
FLOATS = ("float", "double")


def require_pyarrow() -> None:
    """Say what to install if tables cannot be written or read."""
    try:
        import pyarrow.parquet  # noqa: F401 (asked for, not used)
    except ImportError as error:
        raise MissingExtra("Parquet tables need pyarrow: pip install 'mesocosm[runs]'") from error


def schema(table: Table) -> Any:
    """Give a table's Arrow schema; every column says what its values are computed from."""
    import pyarrow as pa

    kinds: dict[str, Any] = {"bool": pa.bool_(), "text": pa.dictionary(pa.int32(), pa.string())}
    fields = []
    for column in table.columns:
        kind = kinds.get(column.kind)
        if column.kind == "list":
            kind = pa.list_(pa.float64() if table.name == "episode" else pa.int32())
        about = {"source": column.source, "meaning": column.meaning}
        made = kind if kind is not None else getattr(pa, column.kind)()
        fields.append(pa.field(column.name, made, nullable=column.optional, metadata=about))
    return pa.schema(fields, metadata={"mesocosm.table": table.name})


class ParquetSink:
    """Writes `FOLDER/TABLE/part-NNNNNN.parquet`, zstd level 1."""

    def __init__(self, folder: Path) -> None:
        require_pyarrow()
        self._folder = folder
        self._schemas: dict[str, Any] = {}
        self._open: dict[str, tuple[Any, Any, Path, Path]] = {}

    def open(self, tables: Mapping[str, Table]) -> None:
        for name, table in tables.items():
            self._schemas[name] = schema(table)
            with writing(self._folder / name):
                (self._folder / name).mkdir(parents=True, exist_ok=True)
            sweep(self._folder / name)

    def write(self, batch: Batch) -> None:
        path = self._folder / batch.table / f"part-{batch.part:06d}.parquet"
        with writing(path):
            if batch.table not in self._open:
                self._open[batch.table] = self._begin(batch.table, path)
            writer, file, hidden, _ = self._open[batch.table]
            if batch.num_rows or batch.last:
                writer.write_table(self._rows(batch))
            if batch.last:
                del self._open[batch.table]
                writer.close()
                file.flush()
                os.fsync(file.fileno())
                file.close()
                os.replace(hidden, path)
                sync_folder(path.parent)

    def _begin(self, table: str, path: Path) -> tuple[Any, Any, Path, Path]:
        import pyarrow.parquet as pq

        hidden = path.with_name(f".{path.name}.tmp")
        names = self._schemas[table].names
        kinds = self._schemas[table].types
        text = [n for n, kind in zip(names, kinds, strict=True) if "dictionary" in str(kind)]
        keys = [n for n in names if n in ("step", "env", "episode", "t", "agent")]
        floats = [n for n, kind in zip(names, kinds, strict=True) if str(kind) in FLOATS]
        file = hidden.open("wb")
        writer = pq.ParquetWriter(
            file,
            self._schemas[table],
            compression="zstd",
            compression_level=LEVEL,
            use_dictionary=[*keys, *text],
            column_encoding=dict.fromkeys(floats, "BYTE_STREAM_SPLIT"),
            write_statistics=keys,
            write_page_checksum=True,
        )
        return writer, file, hidden, path

    def _rows(self, batch: Batch) -> Any:
        import pyarrow as pa

        made = self._schemas[batch.table]
        columns = [_array(batch.columns[name], made.field(name)) for name in made.names]
        return pa.table(columns, schema=made)

    def close(self) -> None:
        """Remove what was never completed."""
        for _, file, hidden, _ in self._open.values():
            with suppress(OSError):
                file.close()
            with suppress(OSError):
                hidden.unlink()
        self._open = {}


def _array(values: Any, field: Any) -> Any:
    import pyarrow as pa

    if isinstance(values, Words):
        words = pa.array(values.words or ("",), pa.string())
        return pa.DictionaryArray.from_arrays(pa.array(values.codes), words)
    if values.ndim == 2:
        offsets = np.arange(0, values.size + 1, max(values.shape[1], 1), dtype=np.int32)
        return pa.ListArray.from_arrays(offsets, pa.array(values.reshape(-1)), type=field.type)
    return pa.array(values, mask=np.isnan(values) if field.nullable else None)


def dataset(folder: Path) -> Any:
    """Open a table's parts to read, in order; each part is checked to be what it says."""
    import pyarrow as pa
    import pyarrow.dataset as ds
    import pyarrow.parquet as pq

    parts = sorted(path for path in folder.glob("part-*.parquet") if path.is_file())
    first = None
    for path in parts:
        try:
            found = pq.read_schema(path)
        except (pa.ArrowException, OSError) as error:
            said = " ".join(str(error).split())[:200]
            raise RunError(f"{path}: damaged: no readable Parquet file: {said}") from None
        if first is not None and not found.equals(first):
            raise RunError(f"{path}: damaged: its columns differ from those of {parts[0].name}")
        first = found
    options = ds.ParquetFragmentScanOptions(page_checksum_verification=True)
    checked = ds.ParquetFileFormat(default_fragment_scan_options=options)
    return None if first is None else ds.dataset(parts, schema=first, format=checked)
