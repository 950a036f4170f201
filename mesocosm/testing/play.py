"""Play an env for a test: odd actions in, everything that was handed out kept as copies."""

from typing import Any

import numpy as np

from mesocosm.core.action import Action
from mesocosm.core.spec import Role
from mesocosm.core.step import Step
from mesocosm.sim.engine import Engine

ODD_LEVELS = (np.nan, np.inf, -np.inf, 7.5, -3.0)
HANDED_OUT = (
    "obs", "reward", "ended", "terminated", "truncated", "mask", "reason", "outcome", "acting",
    "generation",
)  # fmt: skip
PER_EPISODE = ("episode_over", "episode_reason", "episode_outcome")


def by_role(env: Engine, value: Any) -> dict[str, Any]:
    """Return a per-role dict, also where one role's array stands alone."""
    roles = env.spec.roles
    return value if len(roles) > 1 else {next(iter(roles)): value}


def join_roles(env: Engine, values: dict[str, Any]) -> Any:
    """Return what `env.step` takes: one role's value alone, several as a dict."""
    return values if len(env.spec.roles) > 1 else next(iter(values.values()))


def wild_actions(
    env: Engine, rng: np.random.Generator, step: Step | None = None, odd: float = 0.05
) -> Any:
    """Draw actions, within the mask if a step is given, a share of them out of range or NaN."""
    masks = by_role(env, step.mask) if step is not None else {}
    made = {
        name: _wild_role(role, rng, env.num_envs, masks.get(name), odd)
        for name, role in env.spec.roles.items()
    }
    return join_roles(env, made)


def _wild_role(role: Role, rng: np.random.Generator, num_envs: int, mask: Any, odd: float) -> Any:
    lead = (num_envs, role.num_agents)
    drawn = role.action.sample(rng, lead, None if mask is None else np.asarray(mask))
    parts = drawn if isinstance(drawn, Action) else Action(drawn, drawn)
    if role.action.choices:
        hit = rng.random(parts.choice.shape) < odd
        parts.choice[hit] = rng.integers(-(2**31), 2**31 - 1, int(hit.sum()))
    if role.action.levels:
        hit = rng.random(parts.level.shape) < odd
        parts.level[hit] = rng.choice(ODD_LEVELS, int(hit.sum()))
    return drawn


def outputs(env: Engine, step: Step) -> dict[str, np.ndarray]:
    """Copy everything that a step handed out, under flat names."""
    found = {name: np.array(getattr(step, name)) for name in PER_EPISODE}
    for name in HANDED_OUT:
        for role, array in by_role(env, getattr(step, name)).items():
            found[f"{name}.{role}"] = np.array(array)
    for role, infos in by_role(env, step.info).items():
        found |= {f"info.{role}.{key}": np.array(array) for key, array in infos.items()}
    for role, array in by_role(env, step.final_obs).items():
        final = np.array(array)
        final[~found[f"ended.{role}"]] = 0  # other rows are not valid
        found[f"final_obs.{role}"] = final
    return found


def differing(first: dict[str, np.ndarray], second: dict[str, np.ndarray]) -> list[str]:
    """Name the entries whose bytes differ."""
    return [key for key in first if first[key].tobytes() != second[key].tobytes()]


def active(env: Engine) -> np.ndarray:  # bool [env, agent]
    """Return which agents are in play."""
    saved: np.ndarray = env.save()["frame.active"]
    return saved
