"""What every setting of every layer does to a world: what it changes, or why it is refused."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from mesocosm import build
from mesocosm.core.errors import ConfigError
from mesocosm.core.policy import Policy
from mesocosm.sim.engine import Engine
from mesocosm.testing.coverage import scripted
from mesocosm.testing.play import outputs, wild_actions
from mesocosm.testing.trials import Trial, setting_names, trials

SHORT, LONG = 48, 600  # steps; only what shows nothing at first is played for long
NUM_ENVS = 4
MAX_TRIALS = 24  # of one setting on one preset
CHANNELS = ("obs", "info", "mask", "reward")
ORDER = ("observation", "info", "mask", "reward", "state")


@dataclass(frozen=True)
class Effect:
    """What a setting does on a world.

    Args:
        changes: What differs with it: `observation`, `info`, `mask`, `reward`, `state`.
        refusal: Why it is refused, where it always is.
        fault: What is wrong, where it is accepted and does nothing that the spec declares.
        preset: Where it was seen.
    """

    setting: str
    changes: tuple[str, ...] = ()
    refusal: str = ""
    fault: str = ""
    preset: str = ""


def setting_effects(world: str, *, target: str = "cpu") -> Iterator[Effect]:
    """Find out, for every setting of every layer, what it does to a world."""
    bare = [name for name in build.presets(world) if not _layers(name)]
    for setting in setting_names():
        yield _effect(setting, bare, target)


def _layers(preset: str) -> bool:
    return bool(build.load_config(preset).layers.are_active)


def _effect(setting: str, presets: list[str], target: str) -> Effect:
    for steps in (SHORT, LONG):
        found = _try(setting, presets, target, steps)
        if not found.fault:
            break
    return found


def _try(setting: str, presets: list[str], target: str, steps: int) -> Effect:
    refusals: list[str] = []
    fault, tried = "is accepted and changes nothing", 0
    for preset in presets:
        spec = build.config_spec(build.load_config(preset))
        for _, trial in zip(range(MAX_TRIALS), trials(setting, spec), strict=False):
            tried += 1
            try:
                layer = setting.partition(".")[0]
                changes, is_declared = compare(preset, trial, layer, target, steps)
            except ConfigError as error:
                refusals.append(str(error).partition(": ")[2])
                continue
            if changes and not is_declared:
                fault = f"changes {', '.join(changes)}, and no note of the spec says so"
            elif changes:
                return Effect(setting, changes, preset=preset)
    if len(refusals) == tried and refusals:
        return Effect(setting, refusal=refusals[0], preset=presets[0])
    if tried == 0:
        return Effect(setting, refusal="the world declares nothing that it could name")
    return Effect(setting, fault=fault)


def compare(
    preset: str, trial: Trial, layer: str, target: str, steps: int = SHORT
) -> tuple[tuple[str, ...], bool]:
    """Play the same actions without and with a setting; say what differs, and if it is declared."""
    without, with_it = (_make(preset, settings, target) for settings in trial)
    is_declared = any(note.layer == layer for note in with_it.spec.notes)
    for policy in (None, *with_it.world.policies.values()):
        one, other = _played(without, policy, steps), _played(with_it, policy, steps)
        changed = tuple(name for name in ORDER if one[name] != other[name])
        if changed:
            return changed, is_declared
    return (), is_declared


def _make(preset: str, settings: Mapping[str, Any], target: str) -> Engine:
    overrides = {f"layers.{name}": value for name, value in settings.items()}
    return build.make(preset, overrides, num_envs=NUM_ENVS, target=target, seed=3)


def _played(env: Engine, policy: Callable[[], Policy] | None, steps: int) -> dict[str, bytes]:
    """Play at random or by a policy; join all that was handed out, and the state's digests."""
    step = env.reset(seed=3)
    rng = np.random.default_rng(5)
    choose = None if policy is None else scripted(env, policy, 3)
    parts: dict[str, list[bytes]] = {name: [] for name in (*CHANNELS, "state")}
    fields = [entry.name for entry in env.spec.truth]
    for _ in range(steps):
        step = env.step(wild_actions(env, rng, odd=0.0) if choose is None else choose(step))
        found = outputs(env, step)
        for name in CHANNELS:
            rows = [found[key].tobytes() for key in found if key.startswith(f"{name}.")]
            parts[name].append(b"".join(rows))
        digest = env.digest()
        parts["state"].append(repr([digest[name] for name in fields]).encode())
    joined = {name: b"".join(value) for name, value in parts.items()}
    joined["observation"] = joined.pop("obs")
    return joined
