"""Resolve a source (a preset, a file, plain data or a config) into all that it stands for, once."""

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, NamedTuple

from pydantic import ValidationError

from mesocosm.config.agents import apply_agents, check_blurs, fill_counts
from mesocosm.config.identity import dump
from mesocosm.config.provenance import Provenance
from mesocosm.config.schema import Config
from mesocosm.config.source import SUFFIXES, apply_overrides, read_file, to_plain_data
from mesocosm.config.validate import ARCHETYPES, check_sections, validate
from mesocosm.core.check import check_indexes, check_spec
from mesocosm.core.complete import complete
from mesocosm.core.errors import ConfigError, UnknownName, hint, short, unknown
from mesocosm.core.spec import Spec
from mesocosm.core.world import World
from mesocosm.layers import layer
from mesocosm.layers.archetypes import Archetype, combine, load_archetypes, put_over
from mesocosm.sim.layering import Layering
from mesocosm.telemetry.tables.columns import check_metrics
from mesocosm.worlds import registry

PRESET = re.compile(r"^([A-Za-z0-9_]+)(?:/([A-Za-z0-9_-]+))?")


@dataclass(frozen=True)
class Resolved:
    """A config that was checked in full, and what it means.

    Args:
        world: The world, with the rules that the config's core is played by.
        spec: What agents know, with the config's agents, layers and `max_events` in it.
        params: The read-only parameters that rules get.
        layering: What the engine needs for the layers; None at their baseline.
        provenance: What the config was made of.
    """

    config: Config[Any]
    world: World
    spec: Spec
    params: Any
    layering: Layering | None
    provenance: Provenance


Source = str | Path | Mapping[str, Any] | Config[Any] | Resolved


class _Given(NamedTuple):
    """The data behind a source."""

    data: Mapping[str, Any]
    where: str  # its name in errors
    included: tuple[Archetype, ...] = ()  # which the data named
    world: World | None = None  # if finding the data meant loading it


def resolve(
    source: Source,
    overrides: Mapping[str, Any] | None = None,
    archetypes: str | Iterable[str] = (),
    variants: str | Iterable[str] = (),
) -> Resolved:
    """Load, check and declare what a source stands for, with archetypes and then overrides on it.

    Mission variants are overrides that the world has names for; they go below the given ones.
    Archetypes that a source names itself go below its own layer settings. The world is found once
    and asked for its spec once. Whatever cannot be played is refused here.
    """
    chosen = load_archetypes(archetypes)
    before = None
    if isinstance(source, Resolved):
        if overrides is None and not chosen and not variants:
            return source
        before, source = source.provenance, source.config
    given = _read(source)
    if variants:
        overrides = {**_variant_overrides(given, variants), **(overrides or {})}
    data = apply_overrides(given.data, {} if overrides is None else overrides, given.where)
    if ARCHETYPES in data:
        raise ConfigError(f"override {ARCHETYPES!r}: give them as archetypes=... or --archetype")
    changes = to_plain_data(overrides or {}, "overrides")
    names, included = ([one.name for one in some] for some in (chosen, given.included))
    new = Provenance(given.where, tuple(names), changes, tuple(included))
    provenance = new if before is None else before.extend(new)
    world = _find_world(data, given)
    where = provenance.base
    declared = _declare_core(data, world, where)
    if declared is not None and (chosen or given.included):
        below = combine(given.included, declared, given.where)
        above = combine(chosen, declared, where)
        bundled = _between(below, given.data, above)
        data = apply_overrides(bundled, provenance.overrides, given.where)
    return _declare(data, world, declared, provenance)


def list_presets(world: str | None = None) -> list[str]:
    """List presets as `world/preset`, of one world or of all."""
    chosen = registry.names() if world is None else [world]
    return [f"{name}/{preset}" for name in chosen for preset in registry.presets(name)]


def _read(source: Any) -> _Given:
    if isinstance(source, Config):
        return _Given(dump(source), "config")
    if isinstance(source, Mapping):
        return _take_archetypes(_Given(source, "config"), Path())
    if isinstance(source, Path) or (isinstance(source, str) and source.endswith(SUFFIXES)):
        given = _Given(read_file(Path(source)), str(source))
        return _take_archetypes(given, Path(source).parent)
    if isinstance(source, str):
        return _read_preset(source)
    raise ConfigError(
        f"a config must be a preset, a path, a mapping or a Config, got {short(source)}"
    )


def _read_preset(source: str) -> _Given:
    match = PRESET.fullmatch(source)
    if match is None:
        raise ConfigError(
            f"{short(source)} is no preset (world or world/preset) and no config file "
            f"({', '.join(SUFFIXES)}).{hint(source, list_presets())}"
        )
    world = registry.find(match[1])
    preset = match[2] or world.default_preset
    files = registry.preset_files(world.name)
    if preset not in files:
        known = [f"{world.name}/{name}" for name in files]
        raise unknown("preset", f"{world.name}/{preset}", known)
    data = read_file(files[preset])
    _check_preset(data, world.name, preset)
    given = _Given(data, f"{world.name}/{preset}", world=world)
    return _take_archetypes(given, files[preset].parent)


def _take_archetypes(given: _Given, folder: Path) -> _Given:
    """Load the archetypes that data names, and leave their names out of it."""
    if ARCHETYPES not in given.data:
        return given
    try:
        included = load_archetypes(given.data[ARCHETYPES], folder)
    except (ConfigError, UnknownName) as error:
        raise type(error)(f"{given.where}: {error}") from None
    data = {key: value for key, value in given.data.items() if key != ARCHETYPES}
    return given._replace(data=data, included=included)


def _check_preset(data: Mapping[str, Any], name: str, preset: str) -> None:
    """Require a preset file to say its own name, or what it makes is called by another."""
    identity = data.get("identity")
    said = identity.get("preset", preset) if isinstance(identity, Mapping) else preset
    if said != preset:
        where = f"{name}/{preset}: identity.preset"
        raise ConfigError(f"{where}: must be the file's name {preset!r}, got {short(said)}")


def _find_world(data: dict[str, Any], given: _Given) -> World:
    """Find the world that data names; a preset's own world was found already."""
    name = check_sections(data, given.where)
    if given.world is not None and given.world.name == name:
        return given.world
    if name not in registry.names():
        problem = unknown("world", name, registry.names())
        raise UnknownName(f"{given.where}: identity.world: {problem}")
    return registry.find(name)


def _variant_overrides(given: _Given, variants: str | Iterable[str]) -> dict[str, Any]:
    """Give what mission variants set, one after the other."""
    world = _find_world(dict(given.data), given)
    made: dict[str, Any] = {}
    for name in (variants,) if isinstance(variants, str) else variants:
        if not isinstance(name, str) or name not in world.mission_variants:
            problem = unknown(f"mission variant of {world.name}", name, world.mission_variants)
            raise UnknownName(f"{given.where}: {problem}")
        made |= world.mission_variants[name](given.data["core"])
    return made


def _between(
    below: Mapping[str, Any], data: Mapping[str, Any], above: Mapping[str, Any]
) -> dict[str, Any]:
    """Put the layers of a config over what some archetypes say, and under what others do."""
    own = data.get("layers")
    made = put_over(below, own) if isinstance(own, Mapping) else below
    return {**data, "layers": put_over(made, above)}


def _declare(
    data: dict[str, Any], world: World, declared: Spec | None, provenance: Provenance
) -> Resolved:
    """Check data against its world, and declare everything about the two."""
    where = provenance.base
    config = validate(data if declared is None else fill_counts(data, declared), world, where)
    if declared is None:
        raise AssertionError("a config is valid only if its core is")
    # filling in counts changes the agents section alone, so the first spec still holds
    spec = replace(complete(declared), max_events=config.instrumentation.max_events)
    inner = apply_agents(spec, config.agents, where)
    check_blurs(inner, config.layers.information, where)
    with _asking_world(where):
        fitted = world.fitted(config.core)
        params = world.params(config.core, inner)
    has_sight = fitted.rules.sees is not None
    outer, layering = layer(inner, config.layers, where, has_sight=has_sight)
    check_metrics(outer, config.instrumentation, where)
    check_spec(inner, fitted)
    check_indexes(outer, outer.layer_fields)
    return Resolved(config, fitted, outer, params, layering, provenance)


def _declare_core(data: dict[str, Any], world: World, where: str) -> Spec | None:
    """Ask the world for its spec; None if core is invalid, which `validate` will explain."""
    try:
        core = world.core.model_validate_json(json.dumps(data["core"]))
    except ValidationError:
        return None
    with _asking_world(where):
        return world.spec(core)


@contextmanager
def _asking_world(where: str) -> Iterator[None]:
    """Say where it is that a world refuses its own core."""
    try:
        yield
    except ConfigError as error:
        raise ConfigError(f"{where}: {error}") from None
    except OverflowError as error:
        raise ConfigError(f"{where}: core: a number is too large: {error}") from None
