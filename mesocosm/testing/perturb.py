"""Prove by perturbation what agents can see: change one thing, and look who notices."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np

from mesocosm.build import make
from mesocosm.core.errors import LeakError
from mesocosm.core.observation import Read, Whose
from mesocosm.core.spec import Field, Role
from mesocosm.sim.cells import wrap
from mesocosm.sim.engine import Engine
from mesocosm.sim.snapshot import broken_envs, enforce_all
from mesocosm.testing.play import wild_actions

VARIANTS = ("random", "extreme", "nudge", "echo")
MAX_OWNERS = 24  # of one field, per state: the world may have thousands of cells
UNBOUNDED = 1e3
FUTURE = "frame.seed"


@dataclass(frozen=True)
class Leak:
    """Something an agent received that changed with state it may not read."""

    world: str
    preset: str
    role: str
    what: str
    field: str
    whose: str

    @property
    def text(self) -> str:
        return (
            f"{self.preset}: {self.role}: {self.what} changes with {self.field!r} "
            f"of {self.whose}, which it does not declare to read"
        )


@dataclass
class AuditReport:
    """What an audit tried and what it found."""

    preset: str
    num_states: int = 0
    num_checks: int = 0
    leaks: list[Leak] = field(default_factory=list)

    def require_clean(self) -> "AuditReport":
        """Raise if anything leaks."""
        if self.leaks:
            raise LeakError("; ".join(leak.text for leak in self.leaks))
        return self


class Change(NamedTuple):
    """A perturbation of one env: which entries of which array, and how."""

    field: str
    owner: int  # agent, group or thing whose entries change; -1: all
    variant: str


class Item(NamedTuple):
    """A part of what a role's agents receive, with the reads it declares."""

    what: str
    source: str  # obs, mask or info
    numbers: slice
    reads: tuple[Read, ...]


def audit(
    preset: str,
    *,
    overrides: Mapping[str, Any] | None = None,
    states: int = 16,
    seed: int = 0,
    target: str = "cpu",
) -> AuditReport:
    """Perturb every state field in many states and report what leaks.

    Half of the states are reached by play, half have every field drawn at random: what shows
    only in rare states must be declared too.
    """
    report = AuditReport(preset)
    players = make(preset, overrides, num_envs=states, target=target, seed=seed)
    rng = np.random.default_rng(seed)
    rows = len(list(_changes(players, rng))) + 2
    probe = make(preset, overrides, num_envs=rows, target=target, seed=seed)
    step = players.reset(seed=seed)
    for state in range(states):
        for _ in range(int(rng.integers(0, 25))):
            step = players.step(wild_actions(players, rng, step, odd=0.02))
        changes = list(_changes(players, rng))
        _audit_state(players, probe, state, changes, rng, report)
        report.num_states += 1
    unique = dict.fromkeys(report.leaks)
    report.leaks = list(unique)
    return report


def _changes(env: Engine, rng: np.random.Generator) -> Iterator[Change]:
    """List what to perturb: each truth field, owner by owner, and the future's randomness."""
    for name, entry in env.spec.saved.items():
        owners = np.arange(entry.shape[0]) if entry.scope != "global" else np.array([-1])
        if len(owners) > MAX_OWNERS:
            owners = rng.choice(owners, MAX_OWNERS, replace=False)
        for owner in owners.tolist():
            for variant in VARIANTS:
                yield Change(name, owner, variant)
    yield Change(FUTURE, -1, "random")


def _audit_state(
    players: Engine,
    probe: Engine,
    state: int,
    changes: list[Change],
    rng: np.random.Generator,
    report: AuditReport,
) -> None:
    """Put one state into every row of the probe, change one thing per row, and compare."""
    snapshot = _tile(players.save(), state, probe)
    _audit_memory(players, probe, state, snapshot, report)
    if state % 2:
        _scramble(snapshot, probe, rng)
    snapshot["frame.active"][:] = True  # the dead have observed too, in their last step
    snapshot["frame.acting"][:] = True
    poison_derived(probe, rng)
    for row, change in enumerate(changes, start=2):
        _perturb(snapshot, change, row, probe, rng)
    _undo_broken(snapshot, probe)
    probe.load(snapshot)
    seen = _received(probe)
    view = _State(probe)
    _audit_turns(probe, changes, report)
    for role in probe.spec.roles.values():
        for item in _items(role):
            now = _bytes(seen[f"{item.source}.{role.name}"][:, :, item.numbers])
            report.num_checks += now.shape[0] * now.shape[1]
            changed = (now != now[0]).any(-1)
            for row, i in np.argwhere(changed[2:]):
                change, agent = changes[row], role.first + int(i)
                if not _allowed(item, change, agent, view, int(row) + 2):
                    whose = _whose(change, agent, probe)
                    _report(report, probe, role, item, change.field, whose)
            if changed[1].any():
                _report(report, probe, role, item, "a derived field", "nobody: not rebuilt")


def _audit_memory(
    players: Engine, probe: Engine, state: int, snapshot: dict[str, Any], report: AuditReport
) -> None:
    """What agents saw must follow from truth alone: a loaded state shows the same."""
    played = {name: np.array(value[state]) for name, value in _received(players).items()}
    acted = snapshot["frame.active"][0]
    probe.load({key: value.copy() if key != "_meta" else value for key, value in snapshot.items()})
    seen = _received(probe)
    for role in probe.spec.roles.values():
        for item in _items(role):
            then = _bytes(played[f"{item.source}.{role.name}"][None, :, item.numbers])[0]
            now = _bytes(seen[f"{item.source}.{role.name}"][:1, :, item.numbers])[0]
            if item.source != "mask" and ((then != now).any(-1) & acted[role.span]).any():
                _report(report, probe, role, item, "a derived field", "the past (stale)")


def _bytes(rows: np.ndarray) -> np.ndarray:  # uint8 [env, agent, byte]
    """See numbers as bytes: 0.0 and -0.0 are equal numbers, but not the same observation."""
    return np.ascontiguousarray(rows).view(np.uint8).reshape(*rows.shape[:2], -1)


def _scramble(snapshot: dict[str, Any], env: Engine, rng: np.random.Generator) -> None:
    """Draw every truth field anew, the same in all rows."""
    for name, entry in env.spec.saved.items():
        snapshot[name][:] = draw_values(entry, snapshot[name][:1], "random", rng)
    enforce_all(snapshot, env.world, env.config.core)


def _undo_broken(snapshot: dict[str, Any], env: Engine) -> None:
    """Take back the changes after which the world's invariants would not hold."""
    broken = broken_envs(snapshot, env.world, env.config.core)
    for key in env.spec.saved:
        snapshot[key][broken] = snapshot[key][0]


def _audit_turns(env: Engine, changes: list[Change], report: AuditReport) -> None:
    """Whose turn it is, everybody knows: a turn rule may depend on public fields only."""
    rule = env.world.rules.turn
    if rule is None or env.spec.turns != "state":
        return
    s, p = wrap(env.host_state()), wrap(env.host_params)
    frame = env.host_frame()
    frame.acting[:] = False
    f = wrap(frame)
    for row in range(env.num_envs):
        rule(s, f, p, row)
    for row in np.flatnonzero((frame.acting != frame.acting[0]).any(axis=1)).tolist():
        change = changes[row - 2]
        public = change.field != FUTURE and (
            env.spec.state_field(change.field).visibility == "public"
        )
        if row >= 2 and not public:
            whose = "the world" if change.owner < 0 else "some agent or group"
            leak = Leak(
                env.spec.world, report.preset, "all", "whose turn it is", change.field, whose
            )
            report.leaks.append(leak)


def _report(
    report: AuditReport, env: Engine, role: Role, item: Item, name: str, whose: str
) -> None:
    report.leaks.append(Leak(env.spec.world, report.preset, role.name, item.what, name, whose))


def _whose(change: Change, agent: int, env: Engine) -> str:
    if change.owner < 0:
        return "the world"
    scope = env.spec.state_field(change.field).scope
    if scope in env.world.rules.axes:
        return f"a {scope}"
    return "the same agent" if scope == "agent" and change.owner == agent else f"another {scope}"


def _items(role: Role) -> Iterator[Item]:
    """List what a role's agents receive. A mask may show no more than what they see may."""
    union: tuple[Read, ...] = ()
    for source, layout in (("obs", role.observation), ("info", role.info)):
        for feature in layout.features:
            hidden = feature.visibility == "hidden"
            union += () if hidden else feature.reads
            kind = "observation feature" if source == "obs" else "info"
            what = f"{kind} {feature.name!r}"
            yield Item(what, source, layout.span(feature.name), () if hidden else feature.reads)
    for part in role.action.choices:
        if part.masked:
            at = role.action.mask_offset(part.name)
            yield Item(f"mask of {part.name!r}", "mask", slice(at, at + len(part.options)), union)


def _received(env: Engine) -> dict[str, np.ndarray]:
    """Copy what every agent holds now, flat per agent."""
    found = {}
    for name, r in env.buffers.items():
        for source in ("obs", "mask", "info"):
            found[f"{source}.{name}"] = env.copy(getattr(r, source))
    return found


def _tile(snapshot: dict[str, Any], state: int, probe: Engine) -> dict[str, Any]:
    rows = probe.num_envs
    meta = snapshot["_meta"] | {"num_envs": rows}
    made = {
        key: np.repeat(value[state : state + 1], rows, axis=0)
        for key, value in snapshot.items()
        if key != "_meta"
    }
    return made | {"_meta": meta}


def poison_derived(env: Engine, rng: np.random.Generator) -> None:
    """Fill the derived fields with nonsense, in all rows but the first."""
    for entry in env.spec.fields:
        if entry.derived:
            array = env.state(entry.name)
            array[1:] = draw_values(entry, array[1:], "random", rng)
            env.set_state(entry.name, array)


def _perturb(
    snapshot: dict[str, Any], change: Change, row: int, env: Engine, rng: np.random.Generator
) -> None:
    array = snapshot[change.field]
    if change.field == FUTURE:
        array[row] = int(rng.integers(1, 2**62))
        return
    entry = env.spec.state_field(change.field)
    part = array[row : row + 1] if change.owner < 0 else array[row, change.owner : change.owner + 1]
    if change.variant == "echo":
        part[...] = _echo(snapshot, entry, part, row, env, rng)
    else:
        part[...] = draw_values(entry, part, change.variant, rng)


def _echo(
    snapshot: dict[str, Any],
    entry: Field,
    part: np.ndarray,
    row: int,
    env: Engine,
    rng: np.random.Generator,
) -> np.ndarray:
    """Bring whole numbers close to those of another field: a countdown shows only near zero."""
    others = [field.name for field in env.spec.truth if field.dtype.startswith("int")]
    if part.dtype.kind != "i" or not others:
        return draw_values(entry, part, "random", rng)
    values = snapshot[others[int(rng.integers(len(others)))]][row].reshape(-1)
    near = values[rng.integers(0, values.size, part.shape)].astype(np.int64)
    return np.clip(near + rng.integers(-3, 4, part.shape), *entry.bounds)


def draw_values(
    entry: Field, now: np.ndarray, variant: str, rng: np.random.Generator
) -> np.ndarray:
    """Draw other valid values for a field."""
    if now.dtype == np.bool_:
        return ~now
    least, most = entry.bounds
    low, high = np.maximum(least, -UNBOUNDED), np.minimum(most, UNBOUNDED)
    if variant == "extreme":
        return np.where(now > (low + high) / 2, low, high).astype(now.dtype)
    if now.dtype.kind == "i":
        low, high = low.astype(np.int64), high.astype(np.int64)
        if variant == "random":
            return rng.integers(low, high, now.shape, endpoint=True).astype(now.dtype)
        moved = now + rng.integers(-1, 2, now.shape)
        return np.clip(moved, low, high).astype(now.dtype)
    if variant == "random":
        return rng.uniform(low, high, now.shape)
    return np.clip(now + (high - low) * rng.uniform(-1e-3, 1e-3, now.shape), low, high)


class _State:
    """The probe's state as plain Python, for the world's own rules of who sees what."""

    def __init__(self, env: Engine) -> None:
        self._rules, self.env = env.world.rules, env
        self._s, self._p = wrap(env.host_state()), wrap(env.host_params)

    def sees(self, row: int, a: int, j: int) -> bool:
        rule = self._rules.sees
        return a == j or (rule is not None and bool(rule(self._s, self._p, row, a, j)))

    def sees_thing(self, axis: str, row: int, a: int, k: int) -> bool:
        return bool(self._rules.axes[axis].sees(self._s, self._p, row, a, k))

    def owns_thing(self, axis: str, row: int, a: int, k: int) -> bool:
        rule = self._rules.axes[axis].owns
        return rule is not None and bool(rule(self._s, self._p, row, a, k))

    def are_mates(self, a: int, j: int) -> bool:
        groups = self.env.layering.groups if self.env.layering is not None else ()
        return bool(groups) and groups[a] == groups[j]

    def group_of(self, row: int, a: int) -> int:
        rule = self._rules.group_of
        return -1 - a if rule is None else int(rule(self._s, self._p, row, a))


def _allowed(item: Item, change: Change, agent: int, view: _State, row: int) -> bool:
    """Whether what an agent received may depend on what was changed."""
    whose = {read.whose for read in item.reads if read.field == change.field}
    if not whose or change.owner < 0 or "all" in whose:
        return bool(whose)
    owner, scope = change.owner, view.env.spec.state_field(change.field).scope
    if scope == "group":
        return any(view.group_of(k, agent) == owner for k in (0, row)) and "group" in whose
    if scope != "agent":
        return any(_reaches(whose, scope, view, k, (agent, owner)) for k in (0, row))
    same = any(view.group_of(k, agent) == view.group_of(k, owner) for k in (0, row))
    return (
        owner == agent
        or ("visible" in whose and any(view.sees(k, agent, owner) for k in (0, row)))
        or ("mates" in whose and view.are_mates(agent, owner))
        or ("group" in whose and same)
    )


def _reaches(whose: set[Whose], axis: str, view: _State, row: int, pair: tuple[int, int]) -> bool:
    """Whether an agent may know of a thing: it owns it, its group does, or it sees it."""
    agent, thing = pair
    if "visible" in whose and view.sees_thing(axis, row, agent, thing):
        return True
    if view.owns_thing(axis, row, agent, thing):
        return True
    mates = (j for j in range(view.env.spec.num_agents) if j != agent)
    return "group" in whose and any(
        view.owns_thing(axis, row, j, thing)
        for j in mates
        if view.group_of(row, j) == view.group_of(row, agent)
    )
