"""Drive an adapter beside the raw env: wild actions, and policies that remember."""

import numpy as np

from mesocosm.core.action import Action
from mesocosm.core.policy import RandomPolicy

DEADLY = {"core.upkeep": 3.0, "core.max_steps": 12}


class Recorder(RandomPolicy):
    """Plays at random and keeps what it played last."""

    def act(self, obs, mask, info):
        self.played = super().act(obs, mask, info)
        return self.played


def wild(rng, role, lead=()):
    """Draw actions of a role with both kinds: valid, masked, out of range, NaN, infinite."""
    choice = rng.integers(-2, 9, (*lead, len(role.action.choices)))
    level = rng.normal(0.5, 1.0, (*lead, len(role.action.levels)))
    odd = rng.random(level.shape)
    level[odd < 0.1], level[odd > 0.9], level[(odd > 0.4) & (odd < 0.5)] = np.nan, np.inf, 1e300
    tame = role.action.sample(rng, lead)
    wild_here = rng.random(lead) < 0.3
    choice = np.where(wild_here[..., None], choice, tame.choice)
    level = np.where(wild_here[..., None], level, tame.level)
    return {"choice": choice[..., 0] if choice.shape[-1] == 1 else choice, "level": level}


def to_raw(role, action, lead):
    """Shape a sampled action as the engine takes it."""
    with np.errstate(over="ignore"):
        level = np.asarray(action["level"]).astype(np.float32)
    choice = np.asarray(action["choice"]).astype(np.int32)
    return Action(choice.reshape(*lead, -1), level.reshape(*lead, -1))


def per_role(entry, env, name):
    """Pick a role's part of an entry of a Step."""
    return entry[name] if len(env.spec.roles) > 1 else entry


def join(env, actions):
    """Give actions by role as the engine takes them."""
    return actions if len(actions) > 1 else next(iter(actions.values()))
