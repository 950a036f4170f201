"""Load what was just saved, and say what that changed: nothing may."""

import numpy as np

from mesocosm.sim.engine import Engine
from mesocosm.testing.play import outputs, wild_actions


def changed_by_load(env: Engine, twin: Engine, seed: int, steps: int = 3) -> list[str]:
    """Continue an env as it is, and a twin from its snapshot; name all in which they differ.

    The env itself is then saved and loaded too.
    """
    twin.load(env.save())
    odd = _differing(everything(env), everything(twin))
    for k in range(steps):
        actions = wild_actions(env, np.random.default_rng((seed, k)))
        one, other = outputs(env, env.step(actions)), outputs(twin, twin.step(actions))
        apart = _differing(one | everything(env), other | everything(twin))
        odd += [f"{name} {k + 1} steps later" for name in apart]
    before = everything(env)
    env.load(env.save())
    return odd + [f"{name} of the same env" for name in _differing(before, everything(env))]


def everything(env: Engine) -> dict[str, np.ndarray]:
    """Copy the whole state, its digests, and what every agent holds now."""
    found = {key: value for key, value in env.save().items() if key != "_meta"}
    found |= {f"state.{entry.name}": env.state(entry.name) for entry in env.spec.fields}
    found |= {f"digest.{key}": np.array(value) for key, value in env.digest().items()}
    for role, buffers in env.buffers.items():
        for name in ("obs", "mask", "info"):
            found[f"{name} of {role}"] = env.copy(getattr(buffers, name))
    return found


def _differing(one: dict[str, np.ndarray], other: dict[str, np.ndarray]) -> list[str]:
    return [key for key in one if one[key].tobytes() != other[key].tobytes()]
