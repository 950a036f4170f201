"""Open a run folder: read what it is, its tables and its replay; prove it; go to any moment."""

import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from mesocosm.config.identity import behaviour_hash
from mesocosm.config.source import parse_yaml
from mesocosm.core.errors import RunError, unknown
from mesocosm.core.extra import missing_extra
from mesocosm.sim.engine import Engine
from mesocosm.telemetry.file_check import FileCheck, check_files
from mesocosm.telemetry.manifest import MANIFEST, Manifest, read_manifest
from mesocosm.telemetry.replay import resimulate
from mesocosm.telemetry.replay.reader import Replay, is_empty
from mesocosm.telemetry.replay.resimulate import Moment, Proof
from mesocosm.telemetry.run_folder import TABLES_MISSING, RunFolder
from mesocosm.telemetry.tables import parquet
from mesocosm.telemetry.tables.table import LEARNING, TABLES

Make = Callable[..., Engine]


class Run:
    """A recorded run, to read; nothing here writes to its folder.

    Args:
        make: Makes an env of a config, as `mesocosm.make` does.
    """

    def __init__(self, path: Path, make: Make) -> None:
        self.folder, self._make = RunFolder(path), make
        self.about = self.folder.read()
        self._replay: Replay | None = None

    @property
    def status(self) -> str:
        """finished, interrupted, failed, running, or `cut off` if its writer was killed."""
        said = str(self.about["status"])
        return "cut off" if said == "running" and self.folder.owner is None else said

    @property
    def files(self) -> Manifest:
        """The list of the run's files."""
        return read_manifest(self._inside(self.folder.path / MANIFEST).parent)

    @property
    def num_steps(self) -> int:
        """How many steps were recorded: as many as the replay and every table hold."""
        files = self.files
        if files.has_tables or files.closed or is_empty(self.folder.replay):
            return files.steps
        return self.replay.num_steps

    def check_files(self) -> FileCheck:
        """Compare every file of the run with what was written."""
        return check_files(self.folder, self.about)

    @property
    def replay(self) -> Replay:
        """The replay, as far as the tables reach; a run that was closed must have a whole one."""
        if self._replay is None:
            path, files = self._inside(self.folder.replay), self.files
            if not files.closed and is_empty(path):
                raise RunError(f"{self.folder.path}: nothing was recorded before it was killed")
            if not path.is_file():
                raise RunError(f"{self.folder.path}: has no {path.name}: it was not recorded")
            end = files.steps if files.has_tables else None
            found = Replay(path, end=end, num_envs=self.about["num_envs"])
            if files.closed and not found.complete:
                number = len(found.places) + 1
                raise RunError(
                    f"{path}: truncated: chunk {number} is missing or cut short, though the run "
                    f"was closed after {files.steps} steps"
                )
            self._replay = found
        return self._replay

    def make(self, target: str = "cpu", **execution: Any) -> Engine:
        """Make an env of the run's config, as the run had it unless said otherwise."""
        replay = self.replay
        settings = {
            "num_envs": replay.num_envs,
            "first_env": replay.first_env,
            "autoreset": replay.autoreset,
        }
        env = self._make(replay.config, target=target, **(settings | execution))
        if behaviour_hash(env.config) != replay.behaviour:
            raise RunError(
                f"{replay.path}: recorded with other rules or settings: its behaviour is "
                f"{replay.behaviour}, this version's {behaviour_hash(env.config)}"
            )
        return env

    def verify(self, target: str = "cpu", advance: Callable[[int], None] | None = None) -> Proof:
        """Re-simulate the whole run and compare every digest."""
        return resimulate.verify(self.replay, self.make(target), advance)

    def visit(self, *, env: int, step: int, target: str = "cpu") -> "Visit":
        """Go to a step of one env; the episode is played again from its start."""
        resimulate.check_env(self.replay, env)
        self.replay.index_of(step)
        made = self.make(target, num_envs=1, first_env=env, autoreset="off")
        return Visit(made, resimulate.moments(self.replay, made, env, step))

    @property
    def tables(self) -> list[str]:
        """The names of the tables that the run has: those of telemetry first."""
        found = self.files.tables
        return [name for name in TABLES if name in found] + [x for x in found if x not in TABLES]

    def table(self, name: str) -> Any:
        """Open a table as a pyarrow dataset."""
        parquet.require_pyarrow()
        if name == LEARNING and name not in self.tables:
            raise RunError(f"{self.folder.path}: no table {name!r}: it is no training")
        if name in TABLES and name not in self.tables:
            raise RunError(f"{self.folder.path}: {self._why_missing(name)}")
        if name not in self.tables:
            raise unknown(f"table of {self.folder.path}", name, self.tables)
        parts = self.files.parts(name)
        for part in parts:
            self._inside(self.folder.path / part)
        return parquet.dataset(self.folder.path, parts)

    def _why_missing(self, table: str) -> str:
        """Say which setting would have recorded a table that is not there."""
        lead = f"no table {table!r}: "
        if self.about.get(TABLES_MISSING):
            return f"{lead}{self.about[TABLES_MISSING]}"
        recorded = (
            parse_yaml(self.folder.config.read_text("utf-8"))
            if self.folder.config.is_file()
            else {}
        )
        settings = (recorded or {}).get("instrumentation", {})
        if settings.get("artefacts", {}).get("tables") is False:
            return (
                f"{lead}it was not recorded; instrumentation.artefacts.tables=true records tables"
            )
        if settings.get(table, {}).get("enabled"):
            return f"{lead}the run was cut off before its first part was whole"
        return f"{lead}it was not recorded; instrumentation.{table}.enabled=true records it"

    def query(self, sql: str) -> Any:
        """Ask the run's tables in SQL; give a pyarrow table."""
        return query(self, sql)

    def _inside(self, path: Path) -> Path:
        """Refuse what leads out of the folder."""
        root = self.folder.path.resolve()
        if not path.resolve().is_relative_to(root):
            raise RunError(f"{path}: leads out of the run folder")
        return path


class Visit:
    """One env of a run, being played again."""

    def __init__(self, env: Engine, moments: Iterator[Moment]) -> None:
        self.env, self._moments = env, moments

    def __iter__(self) -> Iterator[Moment]:
        return self._moments

    def truth(self) -> dict[str, Any]:
        """Copy the env's truth, by field, without the env axis."""
        spec = self.env.spec
        return {name: self.env.truth(name)[0] for name in (*spec.saved, *spec.exposed)}


NO_TABLE = re.compile(r"Table with name \"?(\w+)\"? does not exist", re.IGNORECASE)


def query(run: Run, sql: str) -> Any:
    """Run SQL on a run's tables alone: no file, no network, no setting can be reached."""
    try:
        import duckdb
    except ImportError as error:
        raise missing_extra("queries need DuckDB", "runs") from error
    parquet.require_pyarrow()
    with duckdb.connect(":memory:") as connection:
        connection.execute("SET python_enable_replacements = false")
        for name in run.tables:
            connection.register(name, run.table(name))
        connection.execute("SET enable_external_access = false")
        connection.execute("SET lock_configuration = true")
        try:
            found = connection.sql(sql) if len(connection.extract_statements(sql)) == 1 else None
            if found is None:
                raise RunError("query: must be one SELECT; the tables are there to be read")
            return found.to_arrow_table()
        except duckdb.Error as error:
            said = " ".join(str(error).split())
            absent = NO_TABLE.search(said)
            if absent and absent[1].lower() in TABLES:
                run.table(absent[1].lower())  # says what would have recorded it
            raise RunError(f"query: {said[:400]}") from None
