"""What every life of a raw env saw, did and got, found step by step, slot by slot.

This is the plain way to what `RllibRunner` makes of whole arrays.
"""

from dataclasses import dataclass, field

import numpy as np

import mesocosm
from mesocosm.testing.play import by_role


@dataclass
class Life:
    """A life, or as much of it as one fragment holds."""

    obs: list = field(default_factory=list)
    mask: list = field(default_factory=list)
    choice: list = field(default_factory=list)
    level: list = field(default_factory=list)
    reward: list = field(default_factory=list)
    terminated: bool = False
    truncated: bool = False


def noop_only(role):
    """Lay out by hand the mask of one who has ended."""
    made = []
    for part in role.action.choices:
        if part.masked:
            made += [k == part.noop for k in range(len(part.options))]
    return np.array(made, bool)


class RawLives:
    """Plays a raw env that never resets by itself, and writes down the lives of all slots."""

    def __init__(self, config, num_envs, seed, first_env=0):
        self.env = mesocosm.make(
            config,
            num_envs=num_envs,
            seed=seed,
            first_env=first_env,
            target="python",
            autoreset="off",
        )
        self.roles = self.env.spec.roles
        self.step = self.env.reset(seed=seed)
        self.seen = dict.fromkeys(("deaths", "truncations", "births", "waits", "boundaries"), 0)
        self.open = {}

    def slots(self):
        for name, role in self.roles.items():
            for env in range(self.env.num_envs):
                for agent in range(role.num_agents):
                    yield name, env, agent

    def play(self, actions):
        """Play a fragment of `{role: (choice, level)}` by step; give its lives by slot."""
        self.done = {slot: [] for slot in self.slots()}
        self.open = {}
        for by_name in actions:
            self._before(by_name)
            joined = {n: self.roles[n].action.join(*both) for n, both in by_name.items()}
            self.step = self.env.step(joined if len(joined) > 1 else next(iter(joined.values())))
            self._after()
        for slot, life in self.open.items():
            self._see(slot, life)
            self.done[slot].append(life)
        return self.done

    def _part(self, entry, name):
        return by_role(self.env, getattr(self.step, entry))[name]

    def _see(self, slot, life):
        name, *at = slot
        life.obs.append(np.array(self._part("obs", name)[tuple(at)]))
        life.mask.append(np.array(self._part("mask", name)[tuple(at)]))

    def _before(self, actions):
        for slot in self.slots():
            name, *at = slot
            at = tuple(at)
            if not self._part("acting", name)[at]:
                self.seen["waits"] += 1
                continue
            life = self.open.setdefault(slot, Life())
            self._see(slot, life)
            life.choice.append(actions[name][0][at])
            life.level.append(actions[name][1][at])
            life.reward.append(np.float32(0.0))

    def _after(self):
        over = np.array(self.step.episode_over)
        for slot in self.slots():
            name, *at = slot
            at = tuple(at)
            self.seen["births"] += bool(self._part("generation", name)[at]) and not over[at[0]]
            life = self.open.get(slot)
            if life is None:
                continue
            life.reward[-1] = np.float32(life.reward[-1] + self._part("reward", name)[at])
            if self._part("ended", name)[at]:
                life.obs.append(np.array(self._part("obs", name)[at]))
                life.mask.append(noop_only(self.roles[name]))
                life.terminated = bool(self._part("terminated", name)[at])
                life.truncated = bool(self._part("truncated", name)[at])
                self.seen["deaths"] += not over[at[0]]
                self.seen["truncations"] += life.truncated
                self.done[slot].append(self.open.pop(slot))
        if over.any():
            self.seen["boundaries"] += int(over.sum())
            self.step = self.env.reset(envs=over)
