"""Routes for what there is: worlds, presets, schemas, layers, archetypes, policies."""

from typing import Any

from fastapi import APIRouter, Query

from mesocosm.build import world_names
from mesocosm.config.validate import json_schema
from mesocosm.core.errors import ConfigError
from mesocosm.core.layer import LAYERS
from mesocosm.core.palette import THEMES
from mesocosm.core.policy import GENERIC_POLICIES
from mesocosm.core.view import view_numbers
from mesocosm.layers.archetypes import archetype_names, load_archetypes
from mesocosm.version import __version__
from mesocosm.web.configs import resolve_request, sentence
from mesocosm.web.encoding import finite
from mesocosm.web.models.catalogue import (
    ArchetypeInfo,
    Film,
    LayerInfo,
    PolicyInfo,
    PresetInfo,
    ServerInfo,
    Thumbnail,
    WorldInfo,
)
from mesocosm.web.models.config import ConfigRequest
from mesocosm.web.policies import suggest_policy
from mesocosm.web.state import Server
from mesocosm.worlds import registry

router = APIRouter(tags=["catalogue"])


@router.get("/server")
def get_server(server: Server) -> ServerInfo:
    """Say what this server is."""
    sessions = server.sessions
    return ServerInfo(
        version=__version__,
        instance=server.instance,
        runs_folder=str(server.folder.root),
        target=server.settings.target,
        clients=sessions.num_clients,
        sessions=sum(not session.ended for session in sessions),
        upload_bytes=server.settings.limits.upload,
    )


@router.get("/worlds")
def list_worlds() -> list[WorldInfo]:
    """List the worlds, each with its presets."""
    return [_world(name) for name in world_names()]


@router.get("/worlds/{world}")
def get_world(world: str) -> WorldInfo:
    """Describe one world."""
    return _world(world)


@router.get("/worlds/{world}/schema")
def get_schema(world: str) -> dict[str, Any]:
    """Give the JSON Schema of a world's configs."""
    return dict(finite(json_schema(registry.find(world))))


@router.get("/presets")
def list_presets(world: str | None = None) -> list[PresetInfo]:
    """List presets with a sentence each, of one world or of all."""
    chosen = world_names() if world is None else [registry.find(world).name]
    return [preset for name in chosen for preset in _presets(name)]


@router.get("/presets/{world}/{preset}/thumbnail")
async def get_thumbnail(server: Server, world: str, preset: str) -> Thumbnail:
    """Draw a moment of a preset, some steps after its beginning, with all that its scene names."""
    return Thumbnail(**await server.thumbnails.picture(world, preset))


@router.get("/presets/{world}/{preset}/film")
async def get_film(server: Server, world: str, preset: str) -> Film:
    """Draw some steps of a preset, from its thumbnail on."""
    return Film(**await server.thumbnails.film(world, preset))


@router.get("/layers")
def list_layers() -> list[LayerInfo]:
    """List the seven layers."""
    return [
        LayerInfo(name=layer.name, touches=list(layer.touches), controls=layer.controls)
        for layer in LAYERS
    ]


@router.get("/archetypes")
def list_archetypes(preset: str | None = Query(None, max_length=200)) -> list[ArchetypeInfo]:
    """List archetypes; with a preset, whether each can be put on it."""
    made = []
    for name in archetype_names():
        (one,) = load_archetypes(name)
        entry = ArchetypeInfo(
            name=name, summary=one.summary, needs=list(one.needs), layers=one.layers
        )
        made.append(entry.model_copy(update={"refused": _refused(preset, name)}))
    return made


@router.get("/policies")
def list_policies(server: Server, world: str) -> list[PolicyInfo]:
    """List the policies that may play a world."""
    return server.policies.list(world)


@router.get("/palette")
def get_palette() -> dict[str, dict[str, str]]:
    """Give the colours that scenes name, in light and in dark."""
    return {theme: dict(colours) for theme, colours in THEMES.items()}


def _refused(preset: str | None, name: str) -> str | None:
    if preset is None:
        return None
    resolve_request(ConfigRequest(preset=preset))
    try:
        resolve_request(ConfigRequest(preset=preset, archetypes=[name]))
    except ConfigError as error:
        return str(error)
    return None


def _world(name: str) -> WorldInfo:
    world = registry.find(name)
    return WorldInfo(
        name=world.name,
        version=world.version,
        summary=world.summary,
        presets=_presets(name),
        policies=[*sorted({**GENERIC_POLICIES, **world.policies}), *registry.trained_files(name)],
        variants=sorted(world.mission_variants),
        drawn=world.scene is not None,
        viewed=world.view is not view_numbers,
    )


def _presets(name: str) -> list[PresetInfo]:
    world = registry.find(name)
    return [
        PresetInfo(
            name=f"{name}/{preset}",
            world=name,
            sentence=sentence(name, preset),
            default=preset == world.default_preset,
            policy=suggest_policy(name, preset),
        )
        for preset in registry.presets(name)
    ]
