"""A live run: one env, played by policies and by people, and recorded."""

from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np

from mesocosm.build import make
from mesocosm.core.beginnings import Beginnings
from mesocosm.core.errors import ActionError, short
from mesocosm.core.policy import Policy
from mesocosm.core.spec import Role
from mesocosm.core.step import Step
from mesocosm.evaluation.acting import begin_episodes, choose_actions
from mesocosm.learning.policies.answer import read_answer
from mesocosm.resolve import resolve
from mesocosm.telemetry.recorder import Recorder, record
from mesocosm.web.workers.history import History, Parts, join_actions, unpack
from mesocosm.web.workers.plan import PlayPlan
from mesocosm.web.workers.players import make_players

Person = tuple[np.ndarray, np.ndarray] | None  # what somebody wants to do next


class LiveGame:
    """Plays step by step; an episode that is over is shown, and then the next one begins."""

    num_steps = None  # a live run may go on for ever

    def __init__(self, plan: PlayPlan) -> None:
        resolved = resolve(plan.config)
        self.world = resolved.world
        self.env = make(resolved, target=plan.target, seed=plan.seed, autoreset="off")
        self.spec = self.env.spec
        players = make_players(plan.policies, self.spec)
        self.policies: Mapping[str, Policy] = players.policies
        self.persons: dict[int, Person] = {}  # by agent that somebody has taken over
        self.step, self.t = 0, 0
        self.actions: Parts | None = None
        self._chances: dict[str, Any] = {}  # by role, of the last step
        self._history, self._beginnings = History(), Beginnings(self.env)
        self._recorder: Recorder | None = None
        if plan.record:
            about = {**plan.about, "policies": players.about}
            self._recorder = record(self.env, plan.record, about=about)
        if plan.prefix:
            self._play_prefix(plan)
        else:
            self._note_reset(begin_episodes(self.env, self.policies, plan.seed))

    def _note_reset(self, view: Step) -> None:
        self.view, self.t, self.actions = view, 0, None
        self.began = self._beginnings.follow(view)
        seed = int(self.env.host(self.env.driver.f.seed)[0])
        self._history.begin(self.step, seed, self.episode)

    def _play_prefix(self, plan: PlayPlan) -> None:
        """Do again what led to the step that is forked from; policies see it all."""
        prefix = unpack(plan.prefix)
        for index, (name, policy) in enumerate(self.policies.items()):
            if policy.privileged:
                vars(policy)["truth"] = self.env.truth
            policy.reset(self.spec.roles[name], 1, plan.seed + index)
        self.env.aim(seed=prefix.seed, episode=prefix.episode - 1)
        self._note_reset(self.env.reset())
        for row in prefix.rows:
            choose_actions(self.policies, self.view, self.began)
            self._play(row)

    @property
    def episode(self) -> int:
        return int(self.env.episode[0])

    @property
    def waiting(self) -> list[int]:
        """The agents that somebody has taken over and not yet said what they do."""
        if self.is_over:
            return []
        return [a for a, wish in self.persons.items() if wish is None and self._may_act(a)]

    @property
    def is_over(self) -> bool:
        return bool(self.view.episode_over[0])

    def _may_act(self, agent: int) -> bool:
        role, slot = self.seat(agent)
        step = self.view
        ended = self.of(step.terminated, role)[0, slot] or self.of(step.truncated, role)[0, slot]
        return bool(self.of(step.acting, role)[0, slot]) and not ended

    def seat(self, agent: int) -> tuple[Role, int]:
        """Give the role of an agent, and its place in it."""
        role = self.spec.role_of(agent)
        return role, agent - role.first

    def of(self, value: Any, role: Role) -> Any:
        """Give the part of a step's entry that belongs to a role."""
        return value if len(self.spec.roles) == 1 else value[role.name]

    def advance(self) -> bool:
        """Play a step, or begin the next episode."""
        if self.is_over:
            self._note_reset(self.env.reset())
            return True
        chosen = choose_actions(self.policies, self.view, self.began)
        row: Parts = {}
        for name, role in self.spec.roles.items():
            given = chosen if len(self.spec.roles) == 1 else chosen[name]
            choice, level = read_answer(given, role, (1, role.num_agents), name)
            row[name] = (np.array(choice[0]), np.array(level[0]))
        for agent, wish in self.persons.items():
            role, slot = self.seat(agent)
            own = wish or _noop(role)
            row[role.name][0][slot], row[role.name][1][slot] = own
            self.persons[agent] = None
        self._play(row)
        return True

    def _play(self, row: Parts) -> None:
        self.view = self.env.step(join_actions(self.spec, row))
        self.began = self._beginnings.follow(self.view)
        self._history.add(row)
        self.step, self.t, self.actions = self.step + 1, self.t + 1, row
        self._chances = {}

    def probabilities(self, agent: int) -> Any:
        """Give how probable the policy of an agent found each option of its last action."""
        role, slot = self.seat(agent)
        find: Any = getattr(self.policies[role.name], "probabilities", None)
        if find is None or agent in self.persons or self.actions is None:
            return None
        if role.name not in self._chances:  # once for all agents that are shown
            self._chances[role.name] = find()[0]
        return self._chances[role.name][slot] or None

    def take(self, agents: Iterable[int]) -> None:
        """Let somebody play agents."""
        for agent in agents:
            self.seat(agent)  # says which there are
            self.persons.setdefault(agent, None)

    def release(self, agents: Iterable[int]) -> None:
        """Give agents back to their policies."""
        for agent in agents:
            self.persons.pop(agent, None)

    def act(self, agent: int, choice: list[int], level: list[float]) -> None:
        """Say what an agent does in the next step; what its mask does not allow is refused."""
        role, slot = self.seat(agent)
        if agent not in self.persons:
            raise ActionError(f"agent {agent}: take it over first")
        mask = np.asarray(self.of(self.view.mask, role))[0, slot]
        self.persons[agent] = check_action(role, choice, level, mask)

    def seek(self, step: int) -> None:
        """Refuse: a live run goes forward."""
        raise ActionError(f"a live run cannot go to step {step}; fork it from there")

    def pack(self, step: int) -> bytes:
        """Give what led to a step, for a fork."""
        return self._history.pack(step)

    def close(self, status: str, error: str = "") -> None:
        """End the recording."""
        if self._recorder is not None:
            self._recorder.close(status, error)


def _noop(role: Role) -> tuple[np.ndarray, np.ndarray]:
    choice = np.array([part.noop for part in role.action.choices], np.int32)
    return choice, np.array([part.noop for part in role.action.levels], np.float32)


def check_action(
    role: Role, choice: list[int], level: list[float], mask: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Give an action that somebody wants, if it has all parts and the mask allows it."""
    action = role.action
    wanted = (len(action.choices), len(action.levels))
    if (len(choice), len(level)) != wanted:
        raise ActionError(
            f"{role.name}: must have {wanted[0]} choices and {wanted[1]} levels, "
            f"got {len(choice)} and {len(level)}"
        )
    masks = action.mask_parts(mask)
    for part, option in zip(action.choices, choice, strict=True):
        known = 0 <= option < len(part.options) and option not in part.forbidden
        if not known or (part.name in masks and not masks[part.name][option]):
            allowed = masks.get(part.name, np.ones(len(part.options), bool))
            names = [
                o for k, o in enumerate(part.options) if allowed[k] and k not in part.forbidden
            ]
            what = part.options[option] if 0 <= option < len(part.options) else short(option)
            raise ActionError(
                f"{part.name}: {what} is not allowed now. Allowed: {', '.join(names)}"
            )
    for bound, value in zip(action.levels, level, strict=True):
        if not bound.low <= value <= bound.high:
            raise ActionError(
                f"{bound.name}: must be between {bound.low:g} and {bound.high:g}, got {value}"
            )
    return np.array(choice, np.int32), np.array(level, np.float32)
