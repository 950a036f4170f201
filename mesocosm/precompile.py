"""Compile worlds ahead of their use: every set of rules that presets need, plain and layered."""

import time
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from mesocosm.build import code_name, make, presets, world_names
from mesocosm.resolve import Resolved, resolve
from mesocosm.sim.compile.code_cache import Origin
from mesocosm.sim.engine import Engine
from mesocosm.telemetry.step_reader import StepReader, make_state_digester
from mesocosm.worlds import registry

# any layer will do: all of them are in the one layered step of a set of rules
ANY_LAYER: Mapping[str, Any] = {"layers.temporal": {"intensity": 0.01, "latency": 1}}


class Variant(NamedTuple):
    """What is compiled as one piece: a world's set of rules, with layers or without.

    Args:
        presets: The presets that need it; the first stands for it.
        overrides: What turns the first into what needs it, where no preset does by itself.
        code: The name of its code for the CPU.
    """

    world: str
    layered: bool
    presets: tuple[str, ...]
    overrides: Mapping[str, Any]
    code: str

    def resolve(self) -> Resolved:
        """Resolve a config that needs it."""
        return resolve(self.presets[0], self.overrides)


def list_variants(names: Sequence[str], *, layers: bool = False) -> list[Variant]:
    """List what worlds, presets and config files need; each variant once.

    Args:
        names: A world's name means all of its presets, and sets of rules that none of them needs.
        layers: Whether to add the layered step of every set of rules.
    """
    whole = {name: presets(name) for name in names if name in world_names()}
    listed = [source for name in names for source in whole.get(name, [name])]
    found: dict[str, Variant] = {}
    for source in dict.fromkeys(listed):
        _add(found, source, {})
    for name in whole:
        for example in registry.find(name).examples:
            _add(found, name, example)
    if layers:
        for variant in [one for one in found.values() if not one.layered]:
            _add(found, variant.presets[0], {**variant.overrides, **ANY_LAYER})
    return sorted(found.values(), key=lambda variant: (variant.world, variant.layered))


def _add(found: dict[str, Variant], source: str, overrides: Mapping[str, Any]) -> None:
    """Add what a config needs; what another needs too is shared."""
    resolved = resolve(source, overrides)
    code = code_name(resolved)
    layered = resolved.layering is not None
    new = Variant(resolved.world.name, layered, (), overrides, code)
    known = found.setdefault(code, new)
    if known.overrides == overrides:
        found[code] = known._replace(presets=(*known.presets, source))


def compile_variant(variant: Variant, target: str) -> Origin:
    """Get a variant's code ready, with all that runs beside its step; say where it came from."""
    begin = time.monotonic()
    env = make(variant.resolve(), num_envs=1, target=target)
    _use_everything(env)
    return getattr(env.driver, "origin", None) or Origin("ready", time.monotonic() - begin)


def _use_everything(env: Engine) -> None:
    """Do once what recording and playing do: what they call is compiled at its first call."""
    env.reset()
    reader = StepReader(env)
    reader.prepare_sums()
    roles = env.spec.roles
    idle = {name: role.action.noop((1, role.num_agents)) for name, role in roles.items()}
    env.step(idle if len(idle) > 1 else next(iter(idle.values())))
    reader.advance()
    reader.sums()
    env.events()
    digester = make_state_digester(env)
    digester.digest()
    digester.sums()
