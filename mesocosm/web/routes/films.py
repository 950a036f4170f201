"""Routes for films of recorded runs: make, follow, stop, download."""

from asyncio import to_thread
from contextlib import suppress
from pathlib import Path
from typing import Any

from fastapi import APIRouter, Response
from fastapi.responses import FileResponse

from mesocosm.build import open_run
from mesocosm.core.errors import MissingExtra, RunError, UnknownName, short
from mesocosm.telemetry.pictures.drawing import require_pillow
from mesocosm.telemetry.pictures.files import find_ffmpeg
from mesocosm.telemetry.run import Run
from mesocosm.web.models.session import FilmRequest, SessionInfo
from mesocosm.web.routes.recordings import choose_env
from mesocosm.web.session import Session, Work
from mesocosm.web.state import Server, State
from mesocosm.web.workers.film import FilmPlan
from mesocosm.web.workers.plan import AGENT, EVERYTHING
from mesocosm.worlds.registry import find

router = APIRouter(tags=["films"])
FILM = "film"
MOST_FRAMES = 300
MOST_FILMS = 1000  # in the runs folder
MEDIA = {"gif": "image/gif", "webp": "image/webp", "mp4": "video/mp4"}
FILE: dict[int | str, dict[str, Any]] = {
    200: {
        "content": {
            kind: {"schema": {"type": "string", "format": "binary"}} for kind in MEDIA.values()
        }
    }
}


@router.post("/replays/{replay}/films", status_code=201)
async def create_film(server: Server, replay: str, asked: FilmRequest) -> SessionInfo:
    """Begin to make a film of one env, of everything or of what one agent received."""
    path = server.folder.find_run(replay)
    plan = await to_thread(_plan_film, server, path, asked)
    place = await to_thread(server.folder.open_films)
    there = [film.stem for film in place.iterdir()]
    if len(there) >= MOST_FILMS:
        raise RunError(f"{place.name}: there are {len(there)} films; move some of them away")
    name = server.sessions.new_name(f"film-{path.name}", there)
    made = FilmPlan(**plan, out=str(place / f"{name}.{asked.format}"))
    about = {"recording": {"name": replay, "env": made.env}}
    work = Work(FILM, FILM, made, server.settings.limits.memory, about)
    return _info(server.sessions.start(name, work))


@router.get("/films")
async def list_films(server: Server) -> list[SessionInfo]:
    """List the films of this server, the oldest first."""
    return [_info(session) for session in server.sessions if session.kind == FILM]


@router.get("/films/{film}")
async def get_film(server: Server, film: str) -> SessionInfo:
    """Say how far a film is, and how large it became."""
    return _info(server.sessions.find(film, FILM))


@router.post("/films/{film}/stop")
async def stop_film(server: Server, film: str) -> SessionInfo:
    """End the work on a film."""
    session = server.sessions.find(film, FILM)
    await session.stop()
    return _info(session)


@router.get("/films/{film}/file", response_class=Response, responses=FILE)
async def get_file(server: Server, film: str) -> FileResponse:
    """Give the film itself."""
    plan: FilmPlan = server.sessions.find(film, FILM).plan
    path = Path(plan.out)
    if path.resolve() != path or not path.is_file():
        raise UnknownName(f"no file of the film {short(film)}: it is not made, or was moved away")
    return FileResponse(path, media_type=MEDIA[plan.format], filename=path.name)


def film_formats() -> list[str]:
    """List the formats that can be written here."""
    made: list[str] = []
    with suppress(MissingExtra):
        require_pillow()
        made += ["gif", "webp"]
        find_ffmpeg()
        made.append("mp4")
    return made


def _plan_film(server: State, path: Path, asked: FilmRequest) -> dict[str, Any]:
    """Check what was asked; whatever is wrong with it is said before a worker begins."""
    require_pillow()
    if asked.format == "mp4":
        find_ffmpeg()
    run = open_run(path)
    env = choose_env(run, asked.env)
    _check_perspective(run, asked.perspective)
    last = run.replay.num_steps if asked.last is None else asked.last
    run.replay.index_of(asked.first)
    run.replay.index_of(last)
    if asked.first > last:
        raise RunError(f"first: must be at most {last}, the last step, got {asked.first}")
    frames = -(-(last - asked.first) // asked.every) + 1
    if frames > MOST_FRAMES:
        least = -(-(last - asked.first) // (MOST_FRAMES - 1))
        raise RunError(
            f"every: a film has at most {MOST_FRAMES} frames, got {frames}; show fewer steps, or "
            f"one of every {least}"
        )
    return asked.model_dump() | {
        "run": str(path), "target": server.settings.target, "env": env, "last": last,
    }  # fmt: skip


def _check_perspective(run: Run, perspective: str) -> None:
    count = run.about["num_agents"]
    agents = [f"{AGENT}{k}" for k in range(count)]
    if perspective not in (EVERYTHING, *agents):
        raise RunError(
            f"perspective: must be {EVERYTHING!r} or '{AGENT}0' to '{AGENT}{count - 1}', "
            f"got {short(perspective)}"
        )
    if perspective == EVERYTHING and find(run.about["world"]).scene is None:
        raise RunError(f"perspective: {run.about['world']} has no scene; choose an agent's")


def _info(session: Session) -> SessionInfo:
    return SessionInfo(**session.summary())
