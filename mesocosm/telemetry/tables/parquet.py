"""Tables as Parquet files, one per table and range of steps, each there whole or not at all."""

import os
import zlib
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any, BinaryIO, NamedTuple

import numpy as np

from mesocosm.core.errors import RunError
from mesocosm.core.extra import missing_extra
from mesocosm.telemetry.files import remove_partial_files, sync_folder, writing
from mesocosm.telemetry.tables.table import Batch, Table, Words

CHECKSUMS = "checksums.txt"
KEYS = ("step", "env", "episode", "t", "agent")
FLOATS = ("float", "double")


def require_pyarrow() -> None:
    """Say what to install if tables cannot be written or read."""
    try:
        import pyarrow.parquet  # noqa: F401 (asked for, not used)
    except ImportError as error:
        raise missing_extra("Parquet tables need pyarrow", "runs") from error


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


class _Part(NamedTuple):
    """A file that is being written, under a name that nobody reads."""

    writer: Any
    file: BinaryIO
    hidden: Path


class ParquetSink:
    """Writes `FOLDER/TABLE/part-NNNNNN.parquet`, compressed by lz4, and the checksum of each.

    Stronger codecs, and dictionaries of numbers, took longer than the steps that they record.
    """

    def __init__(self, folder: Path) -> None:
        require_pyarrow()
        self._folder = folder
        self._schemas: dict[str, Any] = {}
        self._open: dict[str, _Part] = {}

    def open(self, tables: Mapping[str, Table]) -> None:
        for name, table in tables.items():
            self._schemas[name] = schema(table)
            with writing(self._folder / name):
                (self._folder / name).mkdir(parents=True, exist_ok=True)
            remove_partial_files(self._folder / name)

    def write(self, batch: Batch) -> None:
        path = self._folder / batch.table / f"part-{batch.part:06d}.parquet"
        with writing(path):
            if batch.table not in self._open:
                self._open[batch.table] = self._begin(batch.table, path)
            part = self._open[batch.table]
            if batch.num_rows or batch.last:
                part.writer.write_table(self._rows(batch))
            if batch.last:
                self._finish(part, path)
                del self._open[batch.table]

    def _begin(self, table: str, path: Path) -> _Part:
        import pyarrow as pa
        import pyarrow.parquet as pq

        hidden = path.with_name(f".{path.name}.tmp")
        names, kinds = self._schemas[table].names, map(str, self._schemas[table].types)
        by_name = dict(zip(names, kinds, strict=True))
        keys = [name for name in names if name in KEYS]
        text = [name for name, kind in by_name.items() if "dictionary" in kind]
        floats = [name for name, kind in by_name.items() if kind in FLOATS]
        file = hidden.open("wb")
        writer = pq.ParquetWriter(
            file,
            self._schemas[table],
            compression="lz4",
            use_dictionary=text or False,
            column_encoding=dict.fromkeys(floats, "BYTE_STREAM_SPLIT"),
            write_statistics=keys,
            memory_pool=pa.system_memory_pool(),  # the default one returns every page at once
        )
        return _Part(writer, file, hidden)

    def _finish(self, part: _Part, path: Path) -> None:
        part.writer.close()
        part.file.flush()
        os.fsync(part.file.fileno())
        part.file.close()
        append_checksum(self._folder, path, part.hidden)
        os.replace(part.hidden, path)
        sync_folder(path.parent)

    def _rows(self, batch: Batch) -> Any:
        import pyarrow as pa

        made = self._schemas[batch.table]
        columns = [_array(batch.columns[name], made.field(name)) for name in made.names]
        return pa.table(columns, schema=made)

    def close(self) -> None:
        """Remove what was never completed."""
        for part in self._open.values():
            with suppress(Exception):
                part.writer.close()
            with suppress(OSError):
                part.file.close()
            with suppress(OSError):
                part.hidden.unlink()
        self._open = {}


def append_checksum(folder: Path, path: Path, content: Path) -> None:
    """Note the size and checksum of a part, before it gets its name."""
    line = f"{path.parent.name}/{path.name} {content.stat().st_size} {_checksum(content):08x}\n"
    with (folder / CHECKSUMS).open("ab") as file:
        file.write(line.encode())
        file.flush()
        os.fsync(file.fileno())


def _checksum(path: Path) -> int:
    found = 0
    with path.open("rb") as file:
        while piece := file.read(1 << 20):
            found = zlib.crc32(piece, found)
    return found


def _read_checksums(folder: Path) -> dict[str, tuple[str, str]]:
    """Read the noted sizes and checksums; of a part written twice the last counts."""
    try:
        text = (folder / CHECKSUMS).read_text("utf-8", "replace")
    except OSError:
        return {}
    rows = [line.split() for line in text.splitlines()]
    return {row[0]: (row[1], row[2]) for row in rows if len(row) == 3}


def _array(values: Any, field: Any) -> Any:
    import pyarrow as pa

    if isinstance(values, Words):
        words = pa.array(values.words or ("",), pa.string())
        return pa.DictionaryArray.from_arrays(pa.array(values.codes), words)
    if values.ndim == 2:
        offsets = np.arange(0, values.size + 1, max(values.shape[1], 1), dtype=np.int32)
        return pa.ListArray.from_arrays(offsets, pa.array(values.reshape(-1)), type=field.type)
    if values.dtype == np.bool_:
        packed = pa.py_buffer(np.packbits(values, bitorder="little"))
        return pa.Array.from_buffers(pa.bool_(), len(values), [None, packed])
    if not field.nullable:
        return pa.array(values)
    absent = np.isnan(values)
    if absent.all():
        return pa.nulls(len(values), field.type)
    return pa.array(values, mask=absent if absent.any() else None)


def dataset(folder: Path) -> Any:
    """Open a table's parts to read, in order; each must be what was written."""
    import pyarrow as pa
    import pyarrow.dataset as ds
    import pyarrow.parquet as pq

    parts = sorted(path for path in folder.glob("part-*.parquet") if path.is_file())
    noted, first = _read_checksums(folder.parent), None
    for path in parts:
        said = noted.get(f"{folder.name}/{path.name}")
        if said != (str(path.stat().st_size), f"{_checksum(path):08x}"):
            raise RunError(f"{path}: damaged: its content does not fit its checksum")
        try:
            found = pq.read_schema(path)
        except (pa.ArrowException, OSError) as error:
            text = " ".join(str(error).split())[:200]
            raise RunError(f"{path}: damaged: no readable Parquet file: {text}") from None
        if first is not None and not found.equals(first):
            raise RunError(f"{path}: damaged: its columns differ from those of {parts[0].name}")
        first = found
    return None if first is None else ds.dataset(parts, schema=first, format="parquet")
