"""The composition root: what `resolve` made of a source becomes an env."""

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from mesocosm.config.identity import behaviour_hash
from mesocosm.config.schema import Config
from mesocosm.core.errors import RunError, unknown
from mesocosm.core.path import check_path
from mesocosm.core.policy import GENERIC_POLICIES, Policy, check_policy
from mesocosm.core.spec import Spec
from mesocosm.resolve import Source, list_presets, resolve
from mesocosm.sim.batch.arrays import make_batch
from mesocosm.sim.engine import Engine, Execution
from mesocosm.sim.targets.driver import cpu_code_name
from mesocosm.worlds import registry

if TYPE_CHECKING:
    from mesocosm.telemetry.run import Run


def world_names() -> list[str]:
    """List the worlds."""
    return registry.names()


def presets(world: str | None = None) -> list[str]:
    """List presets as `world/preset`, of one world or of all."""
    return list_presets(world)


def load_config(
    source: Source,
    overrides: Mapping[str, Any] | None = None,
    *,
    archetypes: str | Iterable[str] = (),
    variants: str | Iterable[str] = (),
) -> Config[Any]:
    """Load a preset, a file, plain data or a config, with overrides by dotted path.

    What `make` would refuse is refused here.

    Args:
        archetypes: Bundles of layer settings (`"fog"`, `"fog:0.5"`, a path), which go between.
        variants: Mission variants of the world, such as `"talk"` of mettagrid.
    """
    return resolve(source, overrides, archetypes, variants).config


def config_spec(
    source: Source,
    overrides: Mapping[str, Any] | None = None,
    *,
    archetypes: str | Iterable[str] = (),
    variants: str | Iterable[str] = (),
) -> Spec:
    """Declare everything about the world of a config, its layers included."""
    return resolve(source, overrides, archetypes, variants).spec


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
    archetypes: str | Iterable[str] = (),
    variants: str | Iterable[str] = (),
) -> Engine:
    """Make a batch of episodes from a config, ready for `reset`; `Execution` says how it is run.

    Args:
        seed: Overrides the config's own seed.
        archetypes: Bundles of layer settings, which go between the source and the overrides.
        variants: Mission variants of the world, such as `"talk"` of mettagrid.
    """
    resolved = resolve(source, overrides, archetypes, variants)
    return Engine(
        resolved.world,
        resolved.spec,
        resolved.params,
        config=resolved.config,
        config_hash=behaviour_hash(resolved.config),
        execution=Execution(
            num_envs=num_envs,
            target=target,
            seed=resolved.config.identity.seed if seed is None else seed,
            first_env=first_env,
            autoreset=autoreset,
            threads=threads,
        ),
        layering=resolved.layering,
        provenance=resolved.provenance.data(),
    )


def code_name(source: Source) -> str:
    """Name the compiled code that a config runs on the CPU, without compiling it."""
    resolved = resolve(source)
    world, spec, layering = resolved.world, resolved.spec, resolved.layering
    batch = make_batch(world, spec, resolved.params, layering, num_envs=1, autoreset="off")
    return cpu_code_name(world, spec, batch.arguments, layering)


def open_run(path: str | Path) -> "Run":
    """Open a run folder: its tables, its replay, and proof of both."""
    from mesocosm.telemetry.run import Run

    return Run(check_path(path, RunError), make)


def policy(world: str, name: str) -> Policy:
    """Make a scripted policy by name: the world's own, or a generic one."""
    known = {**GENERIC_POLICIES, **registry.find(world).policies}
    if not isinstance(name, str) or name not in known:
        raise unknown(f"policy of {world}", name, known)
    return check_policy(known[name](), f"policy {name!r} of {world}")
