"""Several policies in one role: each plays its own agents."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from mesocosm.core.policy import Policy, check_policy
from mesocosm.core.spec import Role
from mesocosm.learning.policies.answer import read_answer

SEEDS = 1_000_003  # between the seeds of two policies of one role


class SlotsPolicy:
    """Asks each policy, and takes from its answer the rows of the agents that it plays.

    A policy that treats agents one by one (`independent`) is asked about its own only; any other
    is asked about the whole role, as if it played it.

    Args:
        rest: Who plays the agents that are not named; None where all are.
        named: By agent of the role, counted from 0; one policy object may have several.
    """

    truth: Any = None

    def __init__(self, rest: Policy | None, named: Mapping[int, Policy]) -> None:
        self._rest, self._named = rest, dict(named)
        every = [] if rest is None else [rest]
        every += [policy for policy in self._named.values() if policy not in every]
        self.players = [check_policy(policy) for policy in dict.fromkeys(every)]
        self.privileged = any(policy.privileged for policy in self.players)

    @property
    def notes(self) -> list[str]:
        """What the policies said after `reset`."""
        found = [note for policy in self.players for note in getattr(policy, "notes", [])]
        return list(dict.fromkeys(found))

    def reset(self, spec: Role, num_envs: int, seed: int) -> None:
        """Prepare for new episodes of a role."""
        self._spec, self._num_envs = spec, num_envs
        self._slots: list[np.ndarray] = []
        for k, player in enumerate(self.players):
            mine = [a for a in range(spec.num_agents) if self._who(a) is player]
            self._slots.append(np.array(mine, np.int64))
            if player.privileged:
                vars(player)["truth"] = self.truth
            own = replace(spec, num_agents=len(mine)) if _is_independent(player) else spec
            player.reset(own, num_envs, seed + k * SEEDS)

    def _who(self, agent: int) -> Policy | None:
        return self._named.get(agent, self._rest)

    def act(
        self, obs: np.ndarray, mask: np.ndarray, info: dict[str, np.ndarray], began: np.ndarray
    ) -> Any:
        """Choose actions for `[env, agent]`."""
        action, lead = self._spec.action, (self._num_envs, self._spec.num_agents)
        choice = np.zeros((*lead, len(action.choices)), np.int32)
        level = np.zeros((*lead, len(action.levels)), np.float32)
        for player, slots in zip(self.players, self._slots, strict=True):
            if not len(slots):
                continue
            alone = _is_independent(player)
            rows: Any = slots if alone else slice(None)
            told = _take(info, rows)
            given = player.act(obs[:, rows], mask[:, rows], told, began[:, rows])
            asked = (self._num_envs, len(slots) if alone else self._spec.num_agents)
            own = read_answer(given, self._spec, asked, type(player).__name__)
            picked: Any = slice(None) if alone else slots
            choice[:, slots], level[:, slots] = own[0][:, picked], own[1][:, picked]
        return action.join(choice, level)

    def entropy(self) -> np.ndarray:
        """Give the entropy of the last actions where a policy knows it, else NaN."""
        made = np.full((self._num_envs, self._spec.num_agents), np.nan)
        for player, slots in zip(self.players, self._slots, strict=True):
            if len(slots) and hasattr(player, "entropy"):
                given = np.asarray(player.entropy())
                made[:, slots] = given if _is_independent(player) else given[:, slots]
        return made

    def probabilities(self) -> list[list[dict[str, dict[str, float]]]]:
        """Give how probable each option was, by env and agent; nothing where nobody knows."""
        made: list[list[dict[str, dict[str, float]]]] = [
            [{} for _ in range(self._spec.num_agents)] for _ in range(self._num_envs)
        ]
        for player, slots in zip(self.players, self._slots, strict=True):
            if not len(slots) or not hasattr(player, "probabilities"):
                continue
            alone = _is_independent(player)
            for e, row in enumerate(player.probabilities()):
                for k, slot in enumerate(slots.tolist()):
                    made[e][slot] = row[k if alone else slot]
        return made


def _is_independent(policy: Policy) -> bool:
    return bool(getattr(policy, "independent", False))


def _take(info: Any, rows: Any) -> Any:
    """Pick the rows of what a role is told, which is an array or one for each name."""
    if isinstance(info, Mapping):
        return {name: value[:, rows] for name, value in info.items()}
    return info[:, rows]
