"""Play a preset until all that it declares was seen, and check rewards and ranges on the way."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from mesocosm.core.beginnings import Beginnings
from mesocosm.core.errors import ContractError, SnapshotError
from mesocosm.core.policy import GENERIC_POLICIES, Policy
from mesocosm.core.spec import Role, Spec
from mesocosm.core.step import Step
from mesocosm.sim.engine import Engine
from mesocosm.sim.record.event_log import ACTOR, KIND, TARGET
from mesocosm.testing.edits import draw_edit
from mesocosm.testing.play import by_role, join_roles, outputs, wild_actions

Chooser = Callable[[Step], Any]
Check = Callable[[Engine, dict[str, np.ndarray]], None]
ROUND_STEPS = 128
EDIT_EVERY = 8  # steps between two edits of the state


@dataclass
class Coverage:
    """Which declared terms, reasons and events were really seen, and in how many steps."""

    spec: Spec
    terms: set[tuple[str, str]] = field(default_factory=set)
    reasons: set[str] = field(default_factory=set)
    events: set[str] = field(default_factory=set)
    num_steps: int = 0

    def declared(self) -> list[str]:
        """List everything that could be seen, as people would name it."""
        return [*self._terms(), *self._reasons(), *self._events()]

    def unseen(self) -> list[str]:
        """List what was declared and never seen."""
        seen = {f"term {name!r} of {role}" for role, name in self.terms}
        seen |= {f"reason {name!r}" for name in self.reasons}
        seen |= {f"event {name!r}" for name in self.events}
        return [name for name in self.declared() if name not in seen]

    def add(self, env: Engine, found: dict[str, np.ndarray]) -> None:
        """Take note of one step."""
        self.num_steps += 1
        for role in self.spec.roles.values():
            values = terms_of(env, role)
            paid = (values != 0.0).any(axis=(0, 1))
            names = zip(role.terms, paid.tolist(), strict=True)
            self.terms |= {(role.name, term.name) for term, was_paid in names if was_paid}
            ended = found[f"ended.{role.name}"]
            self._add_reasons(found[f"reason.{role.name}"][ended])
        self._add_reasons(found["episode_reason"])
        rows = env.event_log.take()
        self._check_events(rows)
        kinds = np.unique(rows[:, KIND]).astype(int)
        self.events |= {self.spec.events[kind].name for kind in kinds.tolist()}

    def _check_events(self, rows: np.ndarray) -> None:
        """Refuse events of kinds, and of agents, that there are not."""
        for kind in np.unique(rows[:, KIND]).astype(int).tolist():
            if not 0 <= kind < len(self.spec.events):
                what = f"rules emit an event of kind {kind}, declared are {len(self.spec.events)}"
                raise ContractError(f"{self.spec.world}: events: {what}")
            event, count = self.spec.events[kind], self.spec.num_agents
            for party, column in ((event.actor, ACTOR), (event.target, TARGET)):
                who = rows[rows[:, KIND] == kind, column]
                if party == "agent" and ((who < -1) | (who >= count)).any():
                    what = f"{event.name!r} names agent {who.max():g} of {count}"
                    raise ContractError(f"{self.spec.world}: events: {what}")

    def _add_reasons(self, codes: np.ndarray) -> None:
        self.reasons |= {self.spec.reason_name(code) for code in np.unique(codes).tolist()} - {""}

    def _terms(self) -> Iterator[str]:
        for role in self.spec.roles.values():
            for term in role.terms:
                if (term.low, term.high) != (0.0, 0.0):
                    yield f"term {term.name!r} of {role.name}"

    def _reasons(self) -> Iterator[str]:
        for reason in self.spec.reasons:
            yield f"reason {reason.name!r}"

    def _events(self) -> Iterator[str]:
        for event in self.spec.events:
            yield f"event {event.name!r}"


def terms_of(env: Engine, role: Role) -> np.ndarray:  # float64 [env, agent, term]
    """Copy the reward terms of the last step."""
    terms: np.ndarray = env.copy(env.driver.f.terms)[:, role.span, : len(role.terms)]
    return terms


def explore(env: Engine, *, seed: int, max_steps: int, check: Check) -> Coverage:
    """Play in every way once, and then again until everything was seen or the steps are spent.

    Agents play at random, within the mask and beside it, by every scripted policy, and from
    edited states; `check` is called after every step.
    """
    coverage = Coverage(env.spec)
    rng = np.random.default_rng(seed)
    turn = 0
    while coverage.num_steps < max_steps and (coverage.unseen() or not turn):
        for name, choose in _ways(env, rng, seed + turn):
            _play_round(env, choose, rng, coverage, check, edits=name == "edited")
            if turn and not coverage.unseen():
                break
        turn += 1
    return coverage


def _play_round(
    env: Engine,
    choose: Chooser,
    rng: np.random.Generator,
    coverage: Coverage,
    check: Check,
    *,
    edits: bool,
) -> None:
    step = env.reset()
    for t in range(ROUND_STEPS):
        if edits and t % EDIT_EVERY == 0:
            step = _edit(env, step, rng)
        step = env.step(choose(step))
        found = outputs(env, step)
        check(env, found)
        coverage.add(env, found)


def _edit(env: Engine, step: Step, rng: np.random.Generator) -> Step:
    """Load an edited state; go on with the old one where the edit is refused."""
    try:
        return env.load(draw_edit(env, env.save(), rng)[0])
    except SnapshotError:
        return step


def _ways(env: Engine, rng: np.random.Generator, seed: int) -> Iterator[tuple[str, Chooser]]:
    """Give the ways to play: at random, by each scripted policy, and from edited states."""
    yield "random", lambda step: wild_actions(env, rng, step, odd=0.02)
    for name, factory in (*env.world.policies.items(), ("noop", GENERIC_POLICIES["noop"])):
        yield name, scripted(env, factory, seed)
    yield "edited", lambda step: wild_actions(env, rng, step, odd=0.02)


def scripted(env: Engine, factory: Callable[[], Policy], seed: int) -> Chooser:
    """Let one scripted policy play all roles."""
    policies = {name: factory() for name in env.spec.roles}
    for name, policy in policies.items():
        if policy.privileged:
            vars(policy)["truth"] = env.truth
        policy.reset(env.spec.roles[name], env.num_envs, seed)

    beginnings = Beginnings(env)

    def choose(step: Step) -> Any:
        shown = (step.obs, step.mask, step.info, beginnings.follow(step))
        obs, mask, info, began = (by_role(env, part) for part in shown)
        made = {
            name: policy.act(np.asarray(obs[name]), np.asarray(mask[name]), info[name], began[name])
            for name, policy in policies.items()
        }
        return join_roles(env, made)

    return choose
