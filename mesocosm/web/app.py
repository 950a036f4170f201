"""Put the server together: routes, errors, the guard, and the page itself."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from fastapi import APIRouter, FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse
from starlette.exceptions import HTTPException
from starlette.staticfiles import StaticFiles

from mesocosm.core.errors import MesocosmError, MissingExtra, UnknownName, cut_text
from mesocosm.version import __version__
from mesocosm.web.configs import find_problems
from mesocosm.web.guard import Guard
from mesocosm.web.models.config import Problem, Refusal
from mesocosm.web.routes import (
    bundles,
    catalogue,
    comparisons,
    configs,
    films,
    jobs,
    replays,
    runs,
    streams,
)
from mesocosm.web.sessions import FullError
from mesocosm.web.settings import Settings
from mesocosm.web.state import State
from mesocosm.web.workers.process import BusyError

PAGE = Path(__file__).parent / "page"
REFUSALS: dict[int | str, dict[str, Any]] = {
    code: {"model": Refusal, "description": words}
    for code, words in {
        400: "what was asked cannot be done",
        401: "the token is missing or wrong",
        404: "nothing has that name",
        409: "the run has ended, or does not answer",
        422: "the request is malformed",
        429: "the server does as much as it may",
    }.items()
}


def make_app(settings: Settings) -> FastAPI:
    """Make the application."""
    state = State(settings)

    @asynccontextmanager
    async def lifespan(app: FastAPI) -> AsyncIterator[None]:
        state.sessions.begin()
        yield
        await state.sessions.end()

    app = FastAPI(
        title="Mesocosm",
        version=__version__,
        summary="Watch, steer, compare and replay multi-agent environments.",
        openapi_url="/api/openapi.json",
        docs_url=None,
        redoc_url=None,
        lifespan=lifespan,
    )
    app.state.mesocosm = state
    api = APIRouter(prefix="/api", responses=REFUSALS)
    for module in (
        catalogue,
        configs,
        runs,
        replays,
        films,
        bundles,
        jobs,
        comparisons,
        streams,
    ):
        api.include_router(module.router)
    api.add_api_route("/{path:path}", _refuse_path, include_in_schema=False)
    app.include_router(api)
    app.add_exception_handler(MesocosmError, _refuse)
    app.add_exception_handler(RequestValidationError, _refuse_request)
    app.add_exception_handler(HTTPException, _refuse_http)
    app.mount("/", StaticFiles(directory=PAGE, html=True, check_dir=False), name="page")
    app.add_middleware(Guard, settings=settings)
    return app


def status_of(error: Exception) -> int:
    """Choose the HTTP status that says best what is wrong."""
    if isinstance(error, UnknownName):
        return 404
    if isinstance(error, BusyError | MissingExtra):
        return 409
    if isinstance(error, FullError):
        return 429
    return 400


def _refuse_path(path: str) -> None:
    """Refuse what no route answers, before it is looked for among the files of the page."""
    raise UnknownName(f"no route /api/{cut_text(path)}")


async def _refuse(request: Request, error: Exception) -> JSONResponse:
    problems = find_problems(error) if isinstance(error, MesocosmError) else []
    return _answer(status_of(error), " ".join(str(error).split()), problems)


async def _refuse_request(request: Request, error: Exception) -> JSONResponse:
    found = error.errors() if isinstance(error, RequestValidationError) else []
    problems = [
        Problem(path=".".join(str(part) for part in entry["loc"][1:]), message=entry["msg"])
        for entry in found
    ]
    first = problems[0] if problems else Problem(path="", message="malformed")
    return _answer(422, f"{first.path}: {first.message}".removeprefix(": "), problems)


async def _refuse_http(request: Request, error: Exception) -> JSONResponse:
    status = error.status_code if isinstance(error, HTTPException) else 500
    words = str(error.detail) if isinstance(error, HTTPException) else "failed"
    return _answer(status, words, [])


def _answer(status: int, error: str, problems: list[Problem]) -> JSONResponse:
    body = Refusal(error=error, problems=problems).model_dump()
    return JSONResponse(_encodable(body), status)


def _encodable(value: Any) -> Any:
    """Replace what UTF-8 cannot say."""
    if isinstance(value, str):
        return value.encode("utf-8", "replace").decode()
    if isinstance(value, dict):
        return {key: _encodable(entry) for key, entry in value.items()}
    return [_encodable(entry) for entry in value] if isinstance(value, list) else value
