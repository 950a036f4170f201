"""Routes for live runs and replays that are being played: begin, steer, look, fork."""

from asyncio import to_thread
from typing import Annotated, Any

from fastapi import APIRouter, Query, Response

from mesocosm.config.identity import dump
from mesocosm.core.errors import RunError
from mesocosm.resolve import resolve
from mesocosm.web.configs import describe_roles, resolve_request, run_about
from mesocosm.web.encoding import finite
from mesocosm.web.models.config import RoleInfo
from mesocosm.web.models.session import (
    ActRequest,
    AgentsRequest,
    ForkRequest,
    Rows,
    RunRequest,
    SeekRequest,
    SessionDetail,
    SessionInfo,
    SpeedRequest,
    StepsRequest,
)
from mesocosm.web.routes.rows import take_rows
from mesocosm.web.session import Session, Work
from mesocosm.web.state import Server, State
from mesocosm.web.workers.plan import EVERYTHING, PlayPlan
from mesocosm.web.workers.players import check_who

router = APIRouter(tags=["runs"])
PLAYED = ("run", "replay")
After = Annotated[int, Query(ge=0, le=2**62, description="the number that the last answer gave")]
JSON = "application/json"


@router.get("/runs")
async def list_runs(server: Server) -> list[SessionInfo]:
    """List live runs and replays of this server, the oldest first."""
    return [_info(session) for session in server.sessions if session.kind in PLAYED]


@router.post("/runs", status_code=201)
async def create_run(server: Server, asked: RunRequest) -> SessionInfo:
    """Begin a live run."""
    resolved = await to_thread(resolve_request, asked)
    config, world = dump(resolved.config), resolved.spec.world
    texts = server.policies.texts_of(asked.policies, world)
    check_who(texts, resolved.spec)
    about = run_about(resolved) | {"policies": asked.policies, "recorded": asked.record}
    name = server.sessions.new_name(about["preset"].replace("/", "-"))
    plan = PlayPlan(
        target=asked.target or server.settings.target,
        config=config,
        seed=resolved.config.identity.seed if asked.seed is None else asked.seed,
        policies=texts,
        record=str(server.folder.path_of(name)) if asked.record else "",
        about={"made_by": "mesocosm serve"},
        steps=asked.steps,
        speed=asked.speed,
        paused=asked.paused,
    )
    return _info(start_play(server, name, "run", plan, about))


@router.get("/runs/{run}")
def get_run(server: Server, run: str) -> SessionDetail:
    """Describe a run: how far it is, and what its agents see, do and earn."""
    session = server.sessions.find(run, *PLAYED)
    config = dict(session.plan.config)
    roles = [RoleInfo(**finite(role)) for role in describe_roles(resolve(config).spec)]
    return SessionDetail(**session.summary(), config=config, roles=roles)


@router.post("/runs/{run}/pause")
async def pause(server: Server, run: str) -> SessionInfo:
    """Stop the clock."""
    return await _command(server, run, "pause")


@router.post("/runs/{run}/resume")
async def resume(server: Server, run: str) -> SessionInfo:
    """Let the clock go on."""
    return await _command(server, run, "resume")


@router.post("/runs/{run}/step")
async def step(server: Server, run: str, asked: StepsRequest) -> SessionInfo:
    """Play some steps, and pause."""
    return await _command(server, run, "step", count=asked.count)


@router.post("/runs/{run}/speed")
async def set_speed(server: Server, run: str, asked: SpeedRequest) -> SessionInfo:
    """Say how fast it goes."""
    return await _command(server, run, "speed", speed=asked.speed)


@router.post("/runs/{run}/seek")
async def seek(server: Server, run: str, asked: SeekRequest) -> SessionInfo:
    """Go to a step of a replay."""
    return await _command(server, run, "seek", step=asked.step)


@router.post("/runs/{run}/stop")
async def stop(server: Server, run: str) -> SessionInfo:
    """End a run; what was recorded stays."""
    session = server.sessions.find(run, *PLAYED)
    await session.stop()
    return _info(session)


@router.post("/runs/{run}/fork", status_code=201)
async def fork(server: Server, run: str, asked: ForkRequest) -> SessionInfo:
    """Begin a new run that is the same until a step; a replay's goes on with other players."""
    session = server.sessions.find(run, *PLAYED)
    before: PlayPlan = session.plan
    resolved = await to_thread(resolve, dict(before.config))
    chosen = session.about.get("policies", {}) if asked.policies is None else asked.policies
    texts = server.policies.texts_of(chosen, resolved.spec.world)
    check_who(texts, resolved.spec)
    packed = await session.ask("pack", step=asked.step)
    at = session.progress.get("step") if asked.step is None else asked.step
    about = run_about(resolved) | {"policies": chosen, "recorded": asked.record}
    about["forked_from"] = {"id": run, "step": at}
    name = server.sessions.new_name(f"fork-{run}")
    plan = PlayPlan(
        target=before.target,
        config=before.config,
        seed=before.seed,
        policies=texts,
        record=str(server.folder.path_of(name)) if asked.record else "",
        about={"made_by": "mesocosm serve", "forked_from": about["forked_from"]},
        prefix=packed.payload,
        speed=asked.speed,
        paused=asked.paused,
    )
    return _info(start_play(server, name, "run", plan, about))


@router.post("/runs/{run}/take")
async def take(server: Server, run: str, asked: AgentsRequest) -> SessionInfo:
    """Take over agents: the run waits for what they are to do."""
    return await _command(server, run, "take", agents=asked.agents)


@router.post("/runs/{run}/release")
async def release(server: Server, run: str, asked: AgentsRequest) -> SessionInfo:
    """Give agents back to their policies."""
    session = server.sessions.find(run, *PLAYED)
    await session.release(asked.agents)
    return _info(session)


@router.post("/runs/{run}/act")
async def act(server: Server, run: str, asked: ActRequest) -> SessionInfo:
    """Say what an agent that was taken over does next."""
    return await _command(server, run, "act", **asked.model_dump())


@router.get("/runs/{run}/frame", response_class=Response, responses={200: {"content": {JSON: {}}}})
async def get_frame(
    server: Server, run: str, perspective: Annotated[str, Query(max_length=40)] = EVERYTHING
) -> Response:
    """Give the moment a run is at, as everybody or as one agent sees it."""
    session = server.sessions.find(run, *PLAYED)
    kept = session.last_frame(perspective) if session.ended else None
    found = kept or (await session.ask("frame", perspective=perspective)).payload
    return Response(found, media_type=JSON)


@router.get(
    "/runs/{run}/drawings", response_class=Response, responses={200: {"content": {JSON: {}}}}
)
async def get_drawings(server: Server, run: str) -> Response:
    """Give the drawings and colours that the run's scenes name, which are the same for all."""
    found = await server.sessions.find(run, *PLAYED).drawings()
    return Response(found, media_type=JSON)


@router.get("/runs/{run}/metrics")
async def get_metrics(server: Server, run: str, after: After = 0) -> Rows:
    """Give the rows of metrics from a number on, as far as they are kept."""
    return take_rows(server.sessions.find(run, *PLAYED).metrics, after)


@router.get("/runs/{run}/events")
async def get_events(server: Server, run: str, after: After = 0) -> Rows:
    """Give the events from a number on, as far as they are kept."""
    return take_rows(server.sessions.find(run, *PLAYED).events, after)


def start_play(
    server: State, name: str, kind: str, plan: PlayPlan, about: dict[str, Any]
) -> Session:
    """Start a worker that plays."""
    if plan.record and server.folder.path_of(name).exists():
        raise RunError(f"{name}: is there already")
    work = Work(kind, "play", plan, server.settings.limits.memory, about)
    return server.sessions.start(name, work)


async def _command(server: State, run: str, command: str, **arguments: Any) -> SessionInfo:
    session = server.sessions.find(run, *PLAYED)
    await session.ask(command, **arguments)
    return _info(session)


def _info(session: Session) -> SessionInfo:
    return SessionInfo(**session.summary())
