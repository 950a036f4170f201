"""Routes for recorded runs: list, open, prove, and read their tables."""

from asyncio import to_thread
from typing import Annotated, Any

from fastapi import APIRouter, Query

from mesocosm.build import open_run
from mesocosm.config.provenance import provenance_of
from mesocosm.config.source import parse_yaml
from mesocosm.core.errors import MesocosmError, MissingExtra, RunError
from mesocosm.resolve import resolve
from mesocosm.telemetry.run import Run
from mesocosm.telemetry.run_folder import POLICIES
from mesocosm.web.configs import run_about
from mesocosm.web.encoding import finite
from mesocosm.web.folder import SEPARATOR
from mesocosm.web.models.session import (
    RecordingDetail,
    RecordingInfo,
    ReplayRequest,
    Rows,
    SessionInfo,
)
from mesocosm.web.routes.runs import start_play
from mesocosm.web.session import Work
from mesocosm.web.state import Server, State
from mesocosm.web.workers.plan import PlayPlan
from mesocosm.web.workers.verify import VerifyPlan, verify

router = APIRouter(tags=["replays"])
MOST_ROWS = 10_000
VERIFICATION = "verification"


@router.get("/replays")
def list_replays(server: Server) -> list[RecordingInfo]:
    """List the runs of the runs folder, the newest first."""
    return [RecordingInfo(**_summary(server, name)) for name in server.folder.runs()]


@router.get("/replays/{replay}")
def get_replay(server: Server, replay: str) -> RecordingDetail:
    """Say what a recorded run is, and what it holds."""
    path = server.folder.find_run(replay)
    run = open_run(path)
    lead = f"{replay}{SEPARATOR}{POLICIES}{SEPARATOR}"
    has_replay = run.folder.replay.is_file()
    return RecordingDetail(
        **_summary(server, replay),
        about=finite(run.about),
        config=_config(run),
        first_env=run.replay.first_env if has_replay else 0,
        replay=has_replay,
        tables=run.tables,
        bundles=[name for name in server.folder.bundles() if name.startswith(lead)],
    )


@router.post("/replays/{replay}/open", status_code=201)
async def open_replay(server: Server, replay: str, asked: ReplayRequest) -> SessionInfo:
    """Play a recorded run again: it is steered and watched as a live run is."""
    path = server.folder.find_run(replay)
    plan, about = await to_thread(_plan_replay, server, replay, asked)
    name = server.sessions.new_name(f"replay-{path.name}")
    return SessionInfo(**start_play(server, name, "replay", plan, about).summary())


@router.post("/replays/{replay}/verify", status_code=201)
async def verify_replay(server: Server, replay: str) -> SessionInfo:
    """Prove a recorded run: compare its files, and play it again bit for bit."""
    path = server.folder.find_run(replay)
    run = await to_thread(open_run, path)
    name = server.sessions.new_name(f"verify-{path.name}")
    plan = VerifyPlan(str(path), server.settings.target)
    about = {"preset": run.about["preset"], "world": run.about["world"]}
    work = Work(VERIFICATION, verify, plan, server.settings.limits.job_memory, about)
    return SessionInfo(**server.sessions.start(name, work).summary())


@router.get("/verifications/{verification}")
async def get_verification(server: Server, verification: str) -> SessionInfo:
    """Say how far a proof is, or what it found."""
    return SessionInfo(**server.sessions.find(verification, VERIFICATION).summary())


@router.post("/verifications/{verification}/stop")
async def stop_verification(server: Server, verification: str) -> SessionInfo:
    """End a proof."""
    session = server.sessions.find(verification, VERIFICATION)
    await session.stop()
    return SessionInfo(**session.summary())


@router.get("/replays/{replay}/tables/{table}")
def get_table(
    server: Server,
    replay: str,
    table: str,
    after: Annotated[int, Query(ge=0, le=2**62, description="rows to leave out")] = 0,
    most: Annotated[int, Query(ge=1, le=MOST_ROWS)] = 1000,
) -> Rows:
    """Give rows of a table of a recorded run: metrics, curves, results of evaluations."""
    run = open_run(server.folder.find_run(replay))
    found = run.table(table).to_table()
    rows = found.slice(after, most).to_pylist() if after < found.num_rows else []
    return Rows(next=min(after, found.num_rows) + len(rows), rows=[finite(row) for row in rows])


def _config(run: Run) -> dict[str, Any] | None:
    """Read the config of a run; a link may lead anywhere, and is not followed."""
    path = run.folder.config
    if path.is_symlink() or not path.is_file():
        return None
    found = parse_yaml(path.read_text("utf-8"))
    return finite(found) if isinstance(found, dict) else None


def _plan_replay(
    server: State, replay: str, asked: ReplayRequest
) -> tuple[PlayPlan, dict[str, Any]]:
    run = open_run(server.folder.find_run(replay))
    resolved = resolve(run.replay.config)
    first, count = run.replay.first_env, run.replay.num_envs
    env = first if asked.env is None else asked.env
    if not first <= env < first + count:
        raise RunError(f"env: must be between {first} and {first + count - 1}, got {env}")
    run.replay.index_of(asked.step)
    plan = PlayPlan(
        target=server.settings.target,
        config=run.replay.config,
        replay=str(run.folder.path),
        env=env,
        step=asked.step,
        speed=asked.speed,
        paused=asked.paused,
    )
    return plan, run_about(resolved)


def _summary(server: State, name: str) -> dict[str, Any]:
    """Say what a run folder holds, readable or not."""
    try:
        run = open_run(server.folder.find_run(name))
        return {"name": name, **_about(run)}
    except MissingExtra:
        raise
    except (MesocosmError, OSError) as error:
        return {"name": name, "status": "unreadable", "error": str(error)}


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
