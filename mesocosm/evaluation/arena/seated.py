"""Policies in their seats: whatever one of them does wrong is its own forfeit, and no more."""

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from mesocosm.core.errors import MesocosmError
from mesocosm.core.policy import Policy
from mesocosm.core.spec import Role, Spec
from mesocosm.evaluation.arena.lineup import Lineup
from mesocosm.learning.policies.answer import read_answer
from mesocosm.learning.policies.slots import SlotsPolicy
from mesocosm.learning.seeds import derive_seed

MOST_REASON = 300  # characters of what is said of a forfeit
Forfeits = dict[int, str]  # by number of the entrant: when and why, in words


class SeatedPolicy:
    """Plays for an entrant; after a forfeit it does nothing, until the bout is stopped.

    It hands on a seed that no env has.

    Args:
        checked: Whether its answers are checked: those of code that is not ours.
        forfeits: Where it is noted what it did wrong.
    """

    truth: Any = None

    def __init__(self, policy: Policy, entrant: int, forfeits: Forfeits, *, checked: bool) -> None:
        self.inner, self._entrant, self._forfeits = policy, entrant, forfeits
        self._checked, self._calls = checked, 0
        self.privileged = bool(policy.privileged)
        self.independent = bool(getattr(policy, "independent", False))

    def reset(self, spec: Role, num_envs: int, seed: int) -> None:
        """Prepare for new episodes of a role."""
        self._spec, self._lead, self._calls = spec, (num_envs, spec.num_agents), 0
        if self.privileged:
            vars(self.inner)["truth"] = self.truth
        own = derive_seed("policy", seed)
        self._attempt(lambda: self.inner.reset(spec, num_envs, own), "it was prepared")

    def act(
        self, obs: np.ndarray, mask: np.ndarray, info: dict[str, np.ndarray], began: np.ndarray
    ) -> Any:
        """Choose actions for `[env, agent]`."""
        step, self._calls = self._calls, self._calls + 1
        given = self._attempt(lambda: self._act(obs, mask, info, began), f"step {step}")
        return self._spec.action.noop(self._lead) if given is None else given

    def _act(self, *seen: Any) -> Any:
        given = self.inner.act(*seen)
        if not self._checked:
            return given
        answer = read_answer(given, self._spec, self._lead, type(self.inner).__name__)
        return self._spec.action.join(*answer)

    def _attempt(self, call: Callable[[], Any], when: str) -> Any:
        """Do what an entrant is asked for, unless it has forfeited."""
        if self._entrant in self._forfeits:
            return None
        try:
            given = call()
            said = str(getattr(self.inner, "forfeit", ""))  # a program never raises
        except (Exception, SystemExit) as error:
            given, said = None, str(error) if isinstance(error, MesocosmError) else _say(error)
        if said:
            self._forfeits[self._entrant] = f"{when}: {' '.join(said.split())}"[:MOST_REASON]
        return given


def _say(error: BaseException) -> str:
    return f"raised {type(error).__name__}: {error}"


def seat_policies(
    spec: Spec, lineup: Lineup, load: Callable[[int, Role], SeatedPolicy]
) -> Mapping[str, Policy]:
    """Give every role the policies of its agents.

    Args:
        load: Makes the policy of an entrant, by number, for a role.
    """
    made: dict[str, Policy] = {}
    for role in spec.roles.values():
        own = lineup[role.span]
        players = {k: load(k, role) for k in dict.fromkeys(own)}
        if len(players) == 1:
            made[role.name] = players[own[0]]
        else:
            made[role.name] = SlotsPolicy(None, {slot: players[k] for slot, k in enumerate(own)})
    return made
