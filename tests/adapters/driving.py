"""Drive an adapter beside the raw env: wild actions, and policies that remember."""

import numpy as np

from mesocosm.core.policy import RandomPolicy
from mesocosm.core.spec import OUTCOMES

DEADLY = {"core.upkeep": 3.0, "core.max_steps": 12}
# in twelve steps of the probe, an agent that waits for its rebirth is asked what it sees: nothing
SHORT = {"commons": DEADLY, "probe": {"core.max_steps": 20}}


class Recorder(RandomPolicy):
    """Plays at random and keeps what it played last."""

    def act(self, obs, mask, info, began):
        self.played = super().act(obs, mask, info, began)
        return self.played


def ends_soon(arguments):
    """Whether episodes surely end within a dozen steps."""
    return arguments.get("overrides") != {}


def halves(role, actions):
    """Split actions as the engine takes them into choices and levels, as copies."""
    if role.action.choices and role.action.levels:
        return tuple(part.copy() for part in actions)
    empty = np.zeros((*actions.shape[:-1], 0), np.float32)
    return (actions.copy(), empty) if role.action.choices else (empty, actions.copy())


def wild(rng, role, lead=()):
    """Draw choices and levels: valid, masked, out of range, NaN, infinite."""
    choice, level = halves(role, role.action.sample(rng, lead))
    here = rng.random(lead)[..., None] < 0.3
    odd = rng.normal(0.5, 1.0, level.shape)
    dice = rng.random(level.shape)
    odd[dice < 0.1], odd[dice > 0.9], odd[(dice > 0.4) & (dice < 0.5)] = np.nan, np.inf, 1e300
    return np.where(here, rng.integers(-2, 9, choice.shape), choice), np.where(here, odd, level)


def to_sample(role, halves_, k=...):
    """Give drawn choices and levels as a sample of the role's action space."""
    choice, level = (part[k] for part in halves_)
    choice = choice[..., 0] if choice.shape[-1] == 1 else choice
    if role.action.choices and role.action.levels:
        return {"choice": choice, "level": level}
    return choice if role.action.choices else level


def put(row, drawn):
    """Write drawn choices and levels into rows of the engine's actions."""
    with np.errstate(over="ignore"):
        for target, values in zip(row, drawn, strict=True):
            target[...] = values


def per_role(entry, env, name):
    """Pick a role's part of an entry of a Step."""
    return entry[name] if len(env.spec.roles) > 1 else entry


def join(env, actions):
    """Give choices and levels by role as the engine takes them."""
    made = {name: env.spec.roles[name].action.join(*both) for name, both in actions.items()}
    return made if len(made) > 1 else next(iter(made.values()))


def flat_mask(role, info, k=...):
    """Lay a mask as Gymnasium samples it out as the engine writes it."""
    if not role.action.choices:
        return np.zeros(0, bool)
    mask = info["action_mask"]["choice"] if role.action.levels else info["action_mask"]
    parts = mask if len(role.action.choices) > 1 else (mask,)
    kept = [m[k] for m, part in zip(parts, role.action.choices, strict=True) if part.masked]
    return np.concatenate([np.zeros(0, bool), *kept])


def names(env, reason, outcome):
    """Name the codes of an end."""
    return env.spec.reason_name(int(reason)), OUTCOMES[int(outcome)]
