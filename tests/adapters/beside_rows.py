"""Say what rows must show, from an env that resets nothing by itself: another way to know it."""

from collections import Counter

import numpy as np
from driving import halves, join, per_role

import mesocosm


class Expected:
    """The rows of one role, worked out one by one from a raw env with `autoreset="off"`.

    `seen` counts what the rows went through, so that a test can say what it covered.
    """

    def __init__(self, arguments, num_envs, seed, role=None):
        self.env = mesocosm.make(**arguments, num_envs=num_envs, autoreset="off")
        self.role = self.env.spec.roles[role or next(iter(self.env.spec.roles))]
        self.seen = Counter()
        self.obs = self._take(self.env.reset(seed=seed))

    def step(self, drawn):
        """Play choices and levels by role, `[env, agent, part]`; give what every row gets."""
        with np.errstate(over="ignore"):
            given = {name: tuple(map(np.array, both)) for name, both in drawn.items()}
            narrow = {k: (c.astype(np.int32), v.astype(np.float32)) for k, (c, v) in given.items()}
        step = self.env.step(join(self.env, narrow))
        before, last = self.gone, {}
        over = np.array(step.episode_over)
        for name in ("reward", "ended", "truncated", "reason", "outcome"):
            last[name] = np.array(self._part(step, name))
        obs = self._take(step)
        after = self.gone
        if over.any():
            self.obs = self._take(self.env.reset(envs=over))
        rows = []
        for e, a in np.ndindex(before.shape):
            rows.append(self._row(e, a, before, after, over, last, obs))
        return rows

    def _row(self, e, a, before, after, over, last, obs):
        row = {"reward": last["reward"][e, a], "obs": self.obs[e, a] if over[e] else obs[e, a]}
        row |= {"vacant": bool(before[e, a]), "truncated": False, "final": None}
        row["done"] = bool(last["ended"][e, a])
        if row["done"]:
            row |= {"truncated": bool(last["truncated"][e, a]), "final": obs[e, a]}
            row |= {"reason": last["reason"][e, a], "outcome": last["outcome"][e, a]}
            if not over[e]:
                row["obs"] = self.absent
            self.seen["truncated" if row["truncated"] else "terminated"] += 1
            self.seen["left early"] += not over[e]
        elif before[e, a]:
            row["done"] = bool(over[e] or not after[e, a])
            self.seen["vacant"] += 1
            self.seen["reset while vacant"] += bool(over[e])
            self.seen["born"] += bool(not over[e] and not after[e, a])
        self.seen["steps"] += 1
        return row

    @property
    def absent(self):
        layout = self.role.observation
        return layout.absent.astype(layout.dtype).reshape(layout.shape)

    def masks(self):
        return self._masks

    def _part(self, step, name):
        return per_role(getattr(step, name), self.env, self.role.name)

    def _take(self, step):
        self.gone = np.array(self._part(step, "terminated") | self._part(step, "truncated"))
        self._masks = np.array(self._part(step, "mask"))
        self.acting = np.array(self._part(step, "acting"))
        return np.array(self._part(step, "obs"))


class Scripted:
    """A policy that plays what it is handed."""

    privileged = False

    def reset(self, spec, num_envs, seed):
        self.role = spec

    def act(self, obs, mask, info, began):
        return self.role.action.join(*self.next)


def bin_levels(role, drawn, bins):
    """Give what bins of levels mean, and the row actions `[row, part]` that choose them."""
    choice, bin_of = drawn
    low, high = np.array([(part.low, part.high) for part in role.action.levels]).T
    level = low + np.clip(bin_of, 0, bins - 1) / (bins - 1) * (high - low)
    flat = np.concatenate([choice, bin_of], axis=-1)
    return (choice, level.astype(np.float32)), flat.reshape(-1, flat.shape[-1])


__all__ = ["Expected", "Scripted", "bin_levels", "halves"]
