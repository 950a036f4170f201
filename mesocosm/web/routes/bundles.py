"""Routes for policy bundles: list, describe, upload."""

import os
import tempfile
from asyncio import to_thread
from contextlib import suppress
from pathlib import Path
from typing import Annotated, Any

from fastapi import APIRouter, Query, Request

from mesocosm.core.errors import BundleError, RunError
from mesocosm.learning.bundles.archive import unpack
from mesocosm.web.folder import BUNDLE, UPLOADS, is_part
from mesocosm.web.models.catalogue import BundleInfo
from mesocosm.web.state import Server, State
from mesocosm.web.workers.inspect import InspectPlan

router = APIRouter(tags=["bundles"])
MOST_UPLOADS = 1000
UPLOAD_BODY: dict[str, Any] = {
    "requestBody": {
        "required": True,
        "content": {"application/octet-stream": {"schema": {"type": "string", "format": "binary"}}},
    }
}
_known: dict[tuple[str, int, int], dict[str, Any]] = {}  # by path, time and size


@router.get("/bundles")
def list_bundles(server: Server) -> list[str]:
    """List the bundles of the runs folder, by name."""
    return server.folder.bundles()


@router.get("/bundles/{bundle}")
async def get_bundle(server: Server, bundle: str) -> BundleInfo:
    """Say what a bundle plays, how it was trained, and what it achieved."""
    return await _describe(server, bundle)


@router.post("/bundles", status_code=201, openapi_extra=UPLOAD_BODY)
async def upload_bundle(
    server: Server,
    request: Request,
    name: Annotated[str, Query(min_length=1, max_length=80, description="without .mesop")],
) -> BundleInfo:
    """Take in a bundle: its bytes are the body. It is data; nothing in it is ever run."""
    place = server.folder.root / UPLOADS
    target = place / f"{name}{BUNDLE}"
    if not is_part(f"{name}{BUNDLE}"):
        raise RunError("name: letters, digits and _ . , = + @ - are allowed")
    place.mkdir(exist_ok=True)
    if place.resolve() != place:
        raise RunError(f"{UPLOADS}: is a link; uploads go into the runs folder only")
    if target.exists() or len(list(place.iterdir())) >= MOST_UPLOADS:
        raise RunError(f"{name}: is there already, or there are too many; choose another name")
    handle, partial = tempfile.mkstemp(dir=place, prefix=".", suffix=".part")
    try:
        with os.fdopen(handle, "wb") as file:
            async for chunk in request.stream():
                file.write(chunk)
        await to_thread(_check, Path(partial), f"{UPLOADS}~{target.name}")
        found = await _inspect(server, Path(partial), f"{UPLOADS}~{target.name}")
        os.link(partial, target)  # never over another
    except FileExistsError:
        raise RunError(f"{name}: is there already; choose another name") from None
    except OSError as error:
        raise RunError(f"{name}: cannot be kept: {error.strerror}") from None
    finally:
        with suppress(OSError):
            os.unlink(partial)
    return BundleInfo(**found)


def _check(path: Path, name: str) -> None:
    """Refuse what is no bundle before anything reads what is in it."""
    unpack(path.read_bytes(), name)


async def _describe(server: State, name: str) -> BundleInfo:
    path = server.folder.find_bundle(name)
    told = path.stat()
    key = (str(path), told.st_mtime_ns, told.st_size)
    if key not in _known:
        if len(_known) > MOST_UPLOADS:
            _known.clear()
        _known[key] = await _inspect(server, path, name)
    return BundleInfo(**_known[key])


async def _inspect(server: State, path: Path, name: str) -> dict[str, Any]:
    try:
        found: dict[str, Any] = await server.once.do("inspect", InspectPlan(str(path), name))
    except BundleError as error:
        raise BundleError(str(error).replace(str(path), name)) from None
    return found
