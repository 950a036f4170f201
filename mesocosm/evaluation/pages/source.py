"""What a page tells: a run folder's tables, its files, how its config differs, how it was made."""

import json
import shlex
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

from mesocosm.config.identity import config_hash, dump
from mesocosm.core.errors import MesocosmError, RunError
from mesocosm.evaluation.report.document import Film
from mesocosm.evaluation.report.facts import flatten
from mesocosm.resolve import resolve
from mesocosm.telemetry.run import Run

Row = dict[str, Any]
MOST_PROBLEMS = 3  # that an error names
MOST_SAID = 200  # characters of what is wrong


class Change(NamedTuple):
    """A setting that is not as the preset has it."""

    path: str
    preset: str  # value
    run: str  # value, or values where the run has several configs


class Changes(NamedTuple):
    """How the configs of a run differ from their preset; `why` says if that is not known."""

    preset: str
    found: Sequence[Change] = ()
    why: str = ""


class Source(NamedTuple):
    """Everything that a page about a run is made of.

    Args:
        about: What run.json says.
        tables: The rows of its tables.
        files: sha256 of every file, by name.
        commands: What to type to make it again, by purpose.
        film_note: Why there are no films, or what they show.
    """

    about: Mapping[str, Any]
    tables: Mapping[str, list[Row]]
    changes: Changes
    files: Mapping[str, str]
    commands: Mapping[str, str]
    films: Sequence[Film] = ()
    film_note: str = ""

    @property
    def plan(self) -> Mapping[str, Any]:
        """What was planned."""
        found = self.about.get("plan")
        return found if isinstance(found, Mapping) else {}


def check_whole(run: Run) -> None:
    """Refuse a run that has not finished, or that is not as it was written."""
    if run.status != "finished":
        kind = run.about.get("kind")
        goes = f"; `mesocosm {_command(kind)} --resume {run.folder.path}` goes on" if kind else ""
        raise RunError(f"{run.folder.path}: has not finished: it is {run.status}{goes}")
    problems = run.check_files().problems
    if problems:
        more = (
            "" if len(problems) <= MOST_PROBLEMS else f" and {len(problems) - MOST_PROBLEMS} more"
        )
        raise RunError(f"{run.folder.path}: damaged: {'; '.join(problems[:MOST_PROBLEMS])}{more}")


def _command(kind: Any) -> str:
    return "train" if kind == "training" else str(kind)


@contextmanager
def reading(path: Path) -> Iterator[None]:
    """Turn what is not as it must be in a run's plan or tables into our own error."""
    try:
        yield
    except (KeyError, TypeError, ValueError, AttributeError, IndexError) as error:
        said = f"{type(error).__name__}: {' '.join(str(error).split())}"[:MOST_SAID]
        raise RunError(f"{path}: damaged: its plan or tables cannot be read: {said}") from error


def read_table(run: Run, name: str, columns: Sequence[str] | None = None) -> list[Row]:
    """Read a table of a run; one that it must have."""
    found = run.table(name).to_table(columns=None if columns is None else list(columns))
    rows: list[Row] = found.to_pylist()
    return rows


def list_files(run: Run) -> dict[str, str]:
    """Give the sha256 of every file that the run lists."""
    return {name: entry.sha256 for name, entry in sorted(run.files.files.items())}


def find_changes(configs: Sequence[Mapping[str, Any]]) -> Changes:
    """Compare the configs of a run with the preset that the first of them names."""
    identity = configs[0].get("identity") or {}
    name = f"{identity.get('world')}/{identity.get('preset')}"
    try:
        preset = dict(flatten(dump(resolve(name).config)))
    except MesocosmError as error:
        return Changes(name, (), f"the preset is not known here: {error}")
    flat = [dict(flatten(config)) for config in configs]
    paths = dict.fromkeys([*preset, *(path for entry in flat for path in entry)])
    found = []
    for path in paths:
        was = preset.get(path, "-")
        values = list(dict.fromkeys(entry.get(path, "-") for entry in flat))
        if values != [was] and path != "identity.preset":
            found.append(Change(path, was, ", ".join(values)))
    return Changes(name, found)


def source_words(about: Mapping[str, Any], config: Path) -> list[str]:
    """Say which config is played, as words of a command: the preset and what was set, or a file."""
    given = about.get("provenance") or {}
    source, overrides = str(given.get("source")), given.get("overrides") or {}
    archetypes = [str(name) for name in given.get("archetypes") or []]
    try:
        same = config_hash(resolve(source, overrides, archetypes).config) == about["config_hash"]
    except (MesocosmError, TypeError, ValueError):
        same = False
    if not same:
        return [str(config)]
    words = [source]
    for name in archetypes:
        words += ["--archetype", name]
    for path, value in overrides.items():
        words += ["--set", f"{path}={value if isinstance(value, str) else json.dumps(value)}"]
    return words


def plan_words(about: Mapping[str, Any]) -> list[str]:
    """Say how an evaluation was played, as words of a command."""
    plan = about.get("plan") or {}
    words = ["--episodes", str(plan.get("episodes")), "--seed", str(plan.get("seed"))]
    if plan.get("num_envs"):
        words += ["--num-envs", str(plan["num_envs"])]
    if plan.get("limit") not in (None, 1.0):
        words += ["--limit", str(plan["limit"])]
    if plan.get("record"):
        words += ["--record"]
    if about.get("target") not in (None, "cpu"):
        words += ["--target", str(about["target"])]
    return words


def evaluation_command(about: Mapping[str, Any], folder: Path) -> str:
    """Write the command that plays an evaluation again."""
    more = (about.get("plan") or {}).get("more") or {}
    config, *sets = source_words(about, folder / "config.yaml")
    kind = str(about.get("kind"))
    words = ["mesocosm", kind, config, *map(str, more.get("entrants") or [])]
    repeated = {"params": "--param", "policies": "--policy", "seats": "--seat"}
    for key, option in repeated.items():
        for value in more.get(key) or []:
            words += [option, str(value)]
    for name in (about.get("plan") or {}).get("presets", [])[1:] if kind == "evaluate" else []:
        words += ["--on", str(name)]
    words += ["--rotate"] if more.get("rotate") else []
    words += _kind_words(kind, more)
    return shlex.join([*words, *plan_words(about), *sets])


def _kind_words(kind: str, more: Mapping[str, Any]) -> list[str]:
    words = []
    if kind == "tournament":
        words += ["--format", str(more.get("format"))]
        if more.get("rounds"):
            words += ["--rounds", str(more["rounds"])]
        if more.get("format") == "best-response":
            words += ["--steps", str(more.get("steps"))]
    if kind == "sweep":
        words += ["--metric", str(more.get("metric"))]
        if more.get("train"):
            words += ["--train", "--steps", str(more.get("steps")), "--seeds"]
            words += [str(more.get("seeds")), "--threads", str(more.get("threads"))]
        for path, value in (more.get("learning") or {}).items():
            words += ["--set", f"{path}={json.dumps(value)}"]
    return words
