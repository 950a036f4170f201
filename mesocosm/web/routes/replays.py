"""Routes for recorded runs: list, open, prove, and read their tables."""

from asyncio import to_thread
from typing import Annotated, Any

from fastapi import APIRouter, Query

from mesocosm.build import open_run
from mesocosm.config.source import parse_yaml
from mesocosm.resolve import resolve
from mesocosm.telemetry.run import Run
from mesocosm.web.configs import run_about
from mesocosm.web.encoding import finite
from mesocosm.web.models.session import (
    RecordingDetail,
    RecordingInfo,
    ReplayRequest,
    SessionInfo,
    TableRows,
)
from mesocosm.web.routes.films import film_formats
from mesocosm.web.routes.recordings import choose_env, summarise
from mesocosm.web.routes.runs import start_play
from mesocosm.web.session import Work
from mesocosm.web.state import Server, State
from mesocosm.web.workers.plan import PlayPlan
from mesocosm.web.workers.verify import VerifyPlan

router = APIRouter(tags=["replays"])
MOST_ROWS = 10_000
VERIFICATION = "verification"


@router.get("/replays")
def list_replays(server: Server) -> list[RecordingInfo]:
    """List the runs of the runs folder, the newest first."""
    return [RecordingInfo(**summarise(server.folder, name)) for name in server.folder.runs()]


@router.get("/replays/{replay}")
def get_replay(server: Server, replay: str) -> RecordingDetail:
    """Say what a recorded run is, and what it holds."""
    path = server.folder.find_run(replay)
    run = open_run(path)
    has_replay = run.folder.replay.is_file()
    return RecordingDetail(
        **summarise(server.folder, replay),
        about=finite(run.about),
        config=_config(run),
        first_env=run.replay.first_env if has_replay else 0,
        replay=has_replay,
        tables=run.tables,
        bundles=server.folder.bundles_of(replay),
        film_formats=film_formats() if has_replay else [],
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
    about["recording"] = {"name": replay}
    work = Work(VERIFICATION, "verify", plan, server.settings.limits.job_memory, about)
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
) -> TableRows:
    """Give rows of a table of a recorded run: metrics, curves, results of evaluations."""
    found = open_run(server.folder.find_run(replay)).table(table)
    total = found.count_rows()
    rows = [finite(row) for row in _read_rows(found, after, most)] if after < total else []
    return TableRows(next=min(after, total) + len(rows), rows=rows, total=total)


def _read_rows(table: Any, after: int, most: int) -> list[dict[str, Any]]:
    """Read some rows of a table, and no more of it than those before them."""
    rows: list[dict[str, Any]] = []
    passed = 0
    for batch in table.to_batches():
        first = max(after - passed, 0)
        rows += batch.slice(first, most - len(rows)).to_pylist() if first < batch.num_rows else []
        passed += batch.num_rows
        if len(rows) >= most:
            break
    return rows


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
    env = choose_env(run, asked.env)
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
    return plan, run_about(resolved) | {"recording": {"name": replay, "env": env}}
