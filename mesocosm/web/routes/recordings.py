"""What the runs folder says of its runs, read again only when a run's own files have changed."""

from pathlib import Path
from typing import Any

from mesocosm.build import open_run
from mesocosm.config.provenance import provenance_of
from mesocosm.core.errors import MesocosmError, MissingExtra, RunError
from mesocosm.telemetry.manifest import MANIFEST
from mesocosm.telemetry.run import Run
from mesocosm.telemetry.run_folder import RUN
from mesocosm.web.folder import RunsFolder

MOST_KNOWN = 4096
Stamp = tuple[int, int, int, int]  # time and size of run.json, and of the list of files
_known: dict[str, tuple[Stamp, dict[str, Any]]] = {}  # by path; runs that go on are not in it


def summarise(folder: RunsFolder, name: str) -> dict[str, Any]:
    """Say what a run folder holds, readable or not."""
    try:
        path = folder.find_run(name)
        stamp = _stamp(path)
        known = _known.get(str(path))
        if known is None or known[0] != stamp:
            known = stamp, _about(open_run(path))
            if known[1]["status"] not in ("running", "cut off"):
                if len(_known) >= MOST_KNOWN:
                    _known.clear()
                _known[str(path)] = known
        return {"name": name, **known[1]}
    except MissingExtra:
        raise
    except (MesocosmError, OSError) as error:
        return {"name": name, "status": "unreadable", "error": str(error)}


def choose_env(run: Run, asked: int | None) -> int:
    """Give the env that was asked for, or the first of a recorded run."""
    first, count = run.replay.first_env, run.replay.num_envs
    env = first if asked is None else asked
    if not first <= env < first + count:
        raise RunError(f"env: must be between {first} and {first + count - 1}, got {env}")
    return env


def _stamp(path: Path) -> Stamp:
    told = [(path / name).stat() for name in (RUN, MANIFEST)]
    return told[0].st_mtime_ns, told[0].st_size, told[1].st_mtime_ns, told[1].st_size


def _about(run: Run) -> dict[str, Any]:
    about = run.about
    made_of = about.get("provenance")
    changed = isinstance(made_of, dict) and provenance_of(made_of).is_changed
    keys = ("world", "preset", "num_envs", "num_agents", "seed")
    return {
        **{key: about[key] for key in keys},
        "status": run.status,
        "kind": str(about.get("kind", "match" if "match" in about else "run")),
        "error": str(about.get("error", "")),
        "changed": changed,
        "steps": run.num_steps,
        "started": str(about.get("started", "")),
    }
