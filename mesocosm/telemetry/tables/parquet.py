"""Tables as Parquet files, one per table and range of steps, each there whole or not at all."""

import os
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any, BinaryIO, NamedTuple

import numpy as np

from mesocosm.core.errors import MissingExtra, RunError
from mesocosm.core.extra import missing_extra
from mesocosm.telemetry.files import remove_partial_files, sync_folder, writing
from mesocosm.telemetry.manifest import Entry, describe_file, find_fault
from mesocosm.telemetry.tables.table import Batch, Table, Words

KEYS = ("step", "env", "episode", "t", "agent")
FLOATS = ("float", "double")


def has_pyarrow() -> bool:
    """Whether tables can be written and read here."""
    try:
        require_pyarrow()
    except MissingExtra:
        return False
    return True


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
    """Writes `FOLDER/TABLE/part-NNNNNN.parquet`, compressed by lz4.

    Stronger codecs, and dictionaries of numbers, took longer than the steps that they record.

    Args:
        listed: Parts of a resumed run, by name; those that are still what was written are kept.
    """

    def __init__(self, folder: Path, listed: Mapping[str, Entry] | None = None) -> None:
        require_pyarrow()
        self._folder, self._listed = folder, dict(listed or {})
        self.finished: dict[str, Entry] = {}  # by name from the run folder
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
        name = path.relative_to(self._folder.parent).as_posix()
        stored = self._listed.pop(name, None)
        if stored is not None and not find_fault(path, stored):
            part.hidden.unlink()  # a listed file is never replaced while it is good
            self.finished[name] = stored
            return
        self.finished[name] = describe_file(part.hidden)
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


def dataset(root: Path, parts: Mapping[str, Entry]) -> Any:
    """Open the listed parts of a table to read, in order; each must be what was written.

    Args:
        root: The run folder; parts are named from there.
    """
    import pyarrow as pa
    import pyarrow.dataset as ds
    import pyarrow.parquet as pq

    paths, first = [root / name for name in parts], None
    for path, wanted in zip(paths, parts.values(), strict=True):
        fault = find_fault(path, wanted)
        if fault:
            raise RunError(f"{path}: damaged: {fault}")
        try:
            found = pq.read_schema(path)
        except (pa.ArrowException, OSError) as error:
            text = " ".join(str(error).split())[:200]
            raise RunError(f"{path}: damaged: no readable Parquet file: {text}") from None
        if first is not None and not found.equals(first):
            raise RunError(f"{path}: damaged: its columns differ from those of {paths[0].name}")
        first = found
    return None if first is None else ds.dataset(paths, schema=first, format="parquet")
