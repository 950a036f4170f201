"""The composition root: names and files to configs, configs to envs."""

import json
import re
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pydantic import ValidationError

from mesocosm.config.agents import apply_agents, fill_counts
from mesocosm.config.identity import behaviour_hash, dump
from mesocosm.config.schema import Config
from mesocosm.config.source import SUFFIXES, apply_overrides, read_file
from mesocosm.config.validate import check_frame, validate
from mesocosm.core.errors import ConfigError, UnknownName, short, unknown
from mesocosm.core.policy import GENERIC_POLICIES, Policy
from mesocosm.core.spec import Spec, complete
from mesocosm.core.world import World
from mesocosm.layers import layer
from mesocosm.sim.batch.arrays import make_batch
from mesocosm.sim.engine import Engine, Execution
from mesocosm.sim.layering import Layering
from mesocosm.sim.targets.driver import cpu_code_name
from mesocosm.telemetry.metrics import check_metrics
from mesocosm.worlds import registry

if TYPE_CHECKING:
    from mesocosm.telemetry.run import Run

Source = str | Path | Mapping[str, Any] | Config[Any]

PRESET = re.compile(r"^([A-Za-z0-9_]+)(?:/([A-Za-z0-9_-]+))?")


def worlds() -> list[str]:
    """List the worlds."""
    return registry.names()


def presets(world: str | None = None) -> list[str]:
    """List presets as `world/preset`, of one world or of all."""
    chosen = worlds() if world is None else [world]
    return [f"{name}/{preset}" for name in chosen for preset in registry.presets(name)]


def _read(source: Source) -> tuple[Mapping[str, Any], str]:
    """Give the data behind a source, and its name for errors."""
    if isinstance(source, Config):
        return dump(source), "config"
    if isinstance(source, Mapping):
        return source, "config"
    if isinstance(source, Path) or (isinstance(source, str) and source.endswith(SUFFIXES)):
        return read_file(Path(source)), str(source)
    if isinstance(source, str):
        return _read_preset(source)
    raise ConfigError(
        f"a config must be a preset, a path, a mapping or a Config, got {short(source)}"
    )


def _read_preset(source: str) -> tuple[dict[str, Any], str]:
    match = PRESET.fullmatch(source)
    if match is None:
        raise ConfigError(
            f"{short(source)} is no preset (world or world/preset) and no config file "
            f"({', '.join(SUFFIXES)}). Available: {', '.join(presets())}"
        )
    name = match[1]
    preset = match[2] or registry.find(name).default_preset
    if preset not in registry.presets(name):
        raise unknown("preset", f"{name}/{preset}", presets(name))
    data = read_file(registry.folder(name) / "presets" / f"{preset}.yaml")
    _check_preset(data, name, preset)
    return data, f"{name}/{preset}"


def _check_preset(data: Mapping[str, Any], name: str, preset: str) -> None:
    """A preset file says its own name, or what it made would be called by another."""
    identity = data.get("identity")
    said = identity.get("preset", preset) if isinstance(identity, Mapping) else preset
    if said != preset:
        where = f"{name}/{preset}: identity.preset"
        raise ConfigError(f"{where}: must be the file's name {preset!r}, got {short(said)}")


def load_config(source: Source, overrides: Mapping[str, Any] | None = None) -> Config[Any]:
    """Load a preset, a file, plain data or a config, with overrides by dotted path."""
    given, where = _read(source)
    data = apply_overrides(given, {} if overrides is None else overrides, where)
    name = check_frame(data, where)
    if name not in registry.names():
        raise UnknownName(f"{where}: identity.world: {unknown('world', name, registry.names())}")
    world = registry.find(name)
    config = validate(_fill(data, world), world, where)
    agreed = apply_agents(complete(world.spec(config.core)), config.agents, where)
    spec, _ = layer(agreed, config.layers, where)
    check_metrics(spec, config.instrumentation, where)
    return config


def _fill(data: dict[str, Any], world: World) -> dict[str, Any]:
    """Add the role counts that core implies, if core is valid; `validate` says if not."""
    try:
        core = world.core.model_validate_json(json.dumps(data["core"]))
    except ValidationError:
        return data
    return fill_counts(data, world.spec(core))


def config_spec(config: Config[Any]) -> Spec:
    """Declare everything about the world of a config, its layers included."""
    return _layered(config)[0]


def _layered(config: Config[Any]) -> tuple[Spec, Layering | None]:
    world = registry.find(config.identity.world)
    spec = complete(world.spec(config.core))
    spec = replace(spec, max_events=config.instrumentation.max_events)
    return layer(apply_agents(spec, config.agents, "config"), config.layers, "config")


def make(  # noqa: PLR0913 (the one front door)
    source: Source,
    overrides: Mapping[str, Any] | None = None,
    *,
    num_envs: int = 1,
    target: str = "cpu",
    seed: int | None = None,
    first_env: int = 0,
    autoreset: str = "same_step",
    threads: int = 1,
) -> Engine:
    """Make a batch of episodes from a config, ready for `reset`; `Execution` says how it is run.

    Args:
        seed: Overrides the config's own seed.
    """
    config = load_config(source, overrides)
    world = registry.find(config.identity.world).fitted(config.core)
    spec, layering = _layered(config)
    return Engine(
        world,
        spec,
        world.params(config.core, spec if layering is None else layering.inner),
        config=config,
        config_hash=behaviour_hash(config),
        execution=Execution(
            num_envs=num_envs,
            target=target,
            seed=config.identity.seed if seed is None else seed,
            first_env=first_env,
            autoreset=autoreset,
            threads=threads,
        ),
        layering=layering,
    )


def code_name(config: Config[Any]) -> str:
    """Name the compiled code that a config runs on the CPU, without compiling it."""
    world = registry.find(config.identity.world).fitted(config.core)
    spec, layering = _layered(config)
    params = world.params(config.core, spec if layering is None else layering.inner)
    batch = make_batch(world, spec, params, layering, num_envs=1, autoreset="off")
    return cpu_code_name(world, spec, batch.arguments, layering)


def open_run(path: str | Path) -> "Run":
    """Open a run folder: its tables, its replay, and proof of both."""
    from mesocosm.telemetry.run import Run

    return Run(Path(path), make)


def policy(world: str, name: str) -> Policy:
    """Make a scripted policy by name: the world's own, or a generic one."""
    known = {**GENERIC_POLICIES, **registry.find(world).policies}
    if not isinstance(name, str) or name not in known:
        raise unknown(f"policy of {world}", name, known)
    return known[name]()
