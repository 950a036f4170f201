"""Checks of bodies: what becomes of an agent that ended is what its role declares."""

from collections.abc import Iterator
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from mesocosm.core.action import Action
from mesocosm.core.errors import SnapshotError
from mesocosm.core.spec import Field, Role
from mesocosm.sim.batch.snapshot import broken_envs
from mesocosm.sim.engine import Engine
from mesocosm.testing.case import Case
from mesocosm.testing.perturb import Change, perturb, tile, undo_broken
from mesocosm.testing.play import PER_EPISODE, by_role, join_roles, outputs, wild_actions

Snapshot = dict[str, Any]

PUSH_EVERY = 5  # steps between two edits that bring agents near their end
QUANTITY = 64  # a whole number of at least this many values counts something: it is no code
VARIANTS = ("random", "extreme")
MOST_TRIED = 24  # times that a removed body of a role is tried
TRIED_AGAIN = 0.2  # of the steps in which a body is still there
STEPS_TRIED = 2
RICH, POOR = 0.25, 0.125  # of the range: two estates that the same agent may leave
CLOSE = 1e-9  # of the range: sums of floats are not exact


class Moment(NamedTuple):
    """One step of a play: the state before it and after it."""

    before: Snapshot
    after: Snapshot

    @property
    def gone(self) -> np.ndarray:  # bool [env, agent]
        """Who had ended before the step, and was not born again in it, while others played on."""
        active = self.before["frame.active"]
        goes_on = active.any(axis=1) & ~self.before["frame.finished"]
        gone: np.ndarray = ~active & ~self.after["frame.active"] & goes_on[:, None]
        return gone

    @property
    def ended(self) -> np.ndarray:  # bool [env, agent]
        """Who ended in the step, while others play on."""
        ended: np.ndarray = self.before["frame.active"] & ~self.after["frame.active"]
        return ended & ~self.after["frame.finished"][:, None]


def bodies_are_as_declared(case: Case) -> str | None:
    """A removed body reaches nobody, a frozen one stays as it is, an estate passes on."""
    trial = _Trial(case)
    for moment in _moments(case):
        for role in trial.spec.roles.values():
            trial.check(role, moment)
    unseen = [name for name, count in trial.tried.items() if count == 0]
    return f"no {' or '.join(unseen)} ended while others played on" if unseen else None


def _moments(case: Case) -> Iterator[Moment]:
    """Play odd games, in which agents are brought near their end now and then."""
    env = case.make(autoreset="off")
    rng = np.random.default_rng((case.seed, 11))
    step = env.reset(seed=case.seed)
    for t in range(4 * case.steps):
        before = env.save()
        if t % PUSH_EVERY == PUSH_EVERY - 1:
            before = _push(env, before, rng)
            try:
                step = env.load(before)
            except SnapshotError:  # an amount went on from the end of its range: begin anew
                step = env.reset()
                before = env.save()
        step = env.step(wild_actions(env, rng, step, odd=0.0))
        yield Moment(before, env.save())
        over = np.array(step.episode_over)
        if over.any():
            step = env.reset(envs=over)


def _push(env: Engine, snapshot: Snapshot, rng: np.random.Generator) -> Snapshot:
    """Bring one agent of each env near its end: quantities go to the ends of their ranges."""
    edited = _copy(snapshot)
    fields = [entry for entry in env.spec.truth if _is_quantity(entry)]
    for e in range(env.num_envs):
        playing = np.flatnonzero(edited["frame.active"][e])
        if len(playing) < 2 or not fields:
            continue
        agent = int(rng.choice(playing))
        all_low = rng.random() < 0.5
        chosen = fields if all_low else [fields[int(rng.integers(len(fields)))]]
        for entry in chosen:
            low, high = entry.bounds
            whole = entry.dtype != "float64"
            if not (all_low and whole):
                end = low if all_low or rng.random() < 0.5 else high
                edited[entry.name][e, agent] = end
    broken = broken_envs(edited, env.world, env.config.core)
    for key in env.spec.saved:
        edited[key][broken] = snapshot[key][broken]
    return edited


def _is_quantity(entry: Field) -> bool:
    """Whether a field holds an amount of each agent, rather than a code or an index."""
    wide = entry.dtype == "float64" or entry.high - entry.low >= QUANTITY
    return entry.scope == "agent" and entry.dtype != "bool" and wide and not entry.references


def _copy(snapshot: Snapshot) -> Snapshot:
    return {key: value if key == "_meta" else value.copy() for key, value in snapshot.items()}


class _Trial:
    """Tries the bodies of ended agents: copies of a state that differ in one thing."""

    def __init__(self, case: Case) -> None:
        self.case = case
        self.one = case.make(autoreset="off", num_envs=1)
        self.spec = self.one.spec
        self.fields = [entry for entry in self.spec.truth if entry.scope == "agent"]
        self.rng = np.random.default_rng((case.seed, 12))
        self.tried = dict.fromkeys(self.spec.roles, 0)
        self.bodies: set[tuple[int, int, int, int]] = set()

    @cached_property
    def pair(self) -> Engine:
        """Two envs, for two estates."""
        return self.case.make(autoreset="off", num_envs=2)

    @cached_property
    def many(self) -> Engine:
        """An env for the state as it is, and one for each change of a body."""
        rows = len(self.fields) * len(VARIANTS) + 1
        return self.case.make(autoreset="off", num_envs=rows)

    def check(self, role: Role, moment: Moment) -> None:
        """Check the bodies of a role after one step, and count what was tried."""
        mine = np.zeros(self.spec.num_agents, bool)
        mine[role.span] = True
        gone, ended = moment.gone & mine, moment.ended & mine
        if role.body == "removed":
            for e, agent in np.argwhere(gone).tolist():
                if self.is_chosen(role, moment, e, agent):
                    self.check_removed(role, tile(moment.before, e, self.many), agent)
            return
        self.check_frozen(role, moment, gone)
        if role.body == "frozen":
            self.tried[role.name] += int(gone.sum())
            return
        for e, agent in np.argwhere(ended).tolist():
            for name in role.estate:
                snapshot = tile(moment.before, e, self.pair)
                self.tried[role.name] += self.check_estate(role, name, snapshot, agent)

    def is_chosen(self, role: Role, moment: Moment, e: int, agent: int) -> bool:
        """Whether to try a body now: as soon as it is one, and sometimes later."""
        before = moment.before
        episode, life = before["frame.episode"][e], before["frame.generation"][e, agent]
        body = (e, int(episode), agent, int(life))
        later = self.rng.random() < TRIED_AGAIN
        if self.tried[role.name] >= MOST_TRIED or (body in self.bodies and not later):
            return False
        self.bodies.add(body)
        self.tried[role.name] += 1
        return True

    def check_frozen(self, role: Role, moment: Moment, gone: np.ndarray) -> None:
        """Require that what ended agents were stays as it is."""
        for entry in self.fields:
            same = moment.before[entry.name][gone] == moment.after[entry.name][gone]
            what = f"{entry.name!r} of an ended {role.name} changes, and its body is {role.body}"
            self.case.require(same.all(), "body", what)

    def check_removed(self, role: Role, snapshot: Snapshot, agent: int) -> None:
        """Change what an ended agent was, and require that others go on as if it had not been."""
        changes = [Change("", agent, "")]
        for entry in self.fields:
            for variant in VARIANTS:
                changes.append(Change(entry.name, agent, variant))
                if entry.name not in role.vacancy:
                    perturb(snapshot, changes[-1], len(changes) - 1, self.many, self.rng)
        undo_broken(snapshot, self.many)
        self.many.load(snapshot)
        found = _received(self.many)
        for _ in range(STEPS_TRIED + 1):
            for key, array in self.entries_of_others(found, agent):
                flat = np.ascontiguousarray(array).view(np.uint8).reshape(len(array), -1)
                for row in np.flatnonzero((flat != flat[0]).any(axis=1)).tolist():
                    name = changes[row].field
                    what = f"{key} of others changes with {name!r} of an ended {role.name}"
                    raise self.case.fail("body", f"{what}, and its body is removed")
            found = outputs(self.many, self.many.step(self.same_actions()))

    def entries_of_others(
        self, found: dict[str, np.ndarray], agent: int
    ) -> Iterator[tuple[str, np.ndarray]]:
        """Give what was handed out and the state, without the entries of one agent."""
        for key, array in found.items():
            first = 0 if key in PER_EPISODE else self.spec.roles[key.split(".")[1]].first
            inside = key not in PER_EPISODE and 0 <= agent - first < array.shape[1]
            yield key, np.delete(array, agent - first, axis=1) if inside else array
        for entry in self.spec.truth:
            array = self.many.truth(entry.name)
            own = entry.scope == "agent"
            yield f"state {entry.name!r}", np.delete(array, agent, axis=1) if own else array

    def same_actions(self) -> Any:
        """Draw actions for one env, and play them in all."""
        drawn = by_role(self.one, wild_actions(self.one, self.rng, odd=0.0))
        rows = self.many.num_envs
        return join_roles(self.one, {name: _repeat(part, rows) for name, part in drawn.items()})

    def check_estate(self, role: Role, name: str, snapshot: Snapshot, agent: int) -> bool:
        """Let an agent end with more and with less; require that others have the difference.

        Nobody acts, so that nothing else depends on it. Say whether it ended with both.
        """
        entry, inner = self.spec.column(name)
        whole, column = entry.high - entry.low, snapshot[entry.name][inner]
        np.minimum(column, entry.low + RICH * whole, out=column)
        for row, share in enumerate((RICH, POOR)):
            column[row, agent] = entry.low + share * whole
        if broken_envs(snapshot, self.pair.world, self.pair.config.core).any():
            return False
        self.pair.load(snapshot)
        self.pair.step(_idle(self.pair))
        active = self.pair.save()["frame.active"]
        if active[:, agent].any() or not active[:, role.span].any(axis=1).all():
            return False
        held = self.pair.truth(entry.name)[inner]
        what = f"an ended {role.name} still holds {name!r}, and it is its estate"
        self.case.require((held[:, agent] == entry.low).all(), "body", what)
        others = np.delete(held, agent, axis=1).reshape(2, -1).sum(axis=1)
        passed, wanted = others[0] - others[1], (RICH - POOR) * whole * column[0, agent].size
        what = f"of {wanted:g} more {name!r} that an ended {role.name} had, others got {passed:g}"
        self.case.require(abs(passed - wanted) <= CLOSE * whole, "body", what)
        return True


def _idle(env: Engine) -> Any:
    """Build the actions with which nobody does anything."""
    roles = env.spec.roles.items()
    made = {name: role.action.noop((env.num_envs, role.num_agents)) for name, role in roles}
    return join_roles(env, made)


def _repeat(actions: Any, rows: int) -> Any:
    """Repeat the actions of one env."""
    if isinstance(actions, Action):
        return Action(*(np.repeat(part, rows, axis=0) for part in actions))
    return np.repeat(actions, rows, axis=0)


def _received(env: Engine) -> dict[str, np.ndarray]:
    """Copy what every agent holds now."""
    return {
        f"{name}.{role}": env.copy(getattr(buffers, name))
        for role, buffers in env.buffers.items()
        for name in ("obs", "mask", "info")
    }
