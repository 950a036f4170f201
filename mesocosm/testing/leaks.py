"""The audit: prove by perturbation what agents can see, and report what leaks."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from mesocosm.build import make
from mesocosm.core.errors import LeakError
from mesocosm.core.spec import Role
from mesocosm.resolve import resolve
from mesocosm.sim.engine import Engine
from mesocosm.sim.targets.cells import wrap
from mesocosm.testing.layered import draw_information
from mesocosm.testing.perturb import (
    FUTURE,
    Change,
    list_changes,
    perturb,
    poison_derived,
    scramble,
    tile,
    undo_broken,
)
from mesocosm.testing.play import wild_actions
from mesocosm.testing.reads import Item, Visibility, is_allowed, list_items

# rows of the probe: the state as it is, the same with derived fields spoilt, then one per change
POISONED, FIRST_CHANGE = 1, 2
MOST_BYTES = 2**27  # of all rows of the probe
LEAST_ROWS = 16
COPIES = 4  # of a state, while rows of it are changed and compared
CHANNELS = ("obs", "info", "mask")


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
    checks: dict[str, int] = field(default_factory=lambda: dict.fromkeys(CHANNELS, 0))
    leaks: list[Leak] = field(default_factory=list)
    layers: tuple[str, ...] = ()

    @property
    def num_checks(self) -> int:
        """How often something that an agent received was compared."""
        return sum(self.checks.values())

    def require_clean(self) -> "AuditReport":
        """Raise if anything leaks."""
        if self.leaks:
            raise LeakError("; ".join(leak.text for leak in self.leaks))
        return self


def audit(  # noqa: PLR0913 (a config, and how it is audited)
    preset: str,
    *,
    overrides: Mapping[str, Any] | None = None,
    archetypes: str | Iterable[str] = (),
    states: int = 16,
    seed: int = 0,
    target: str = "cpu",
    layers: int = 0,
) -> AuditReport:
    """Perturb every state field in many states and report what leaks: by sight, info and mask.

    Half of the states are reached by play, half have every field drawn at random: what shows
    only in rare states must be declared too.

    Args:
        layers: With which of the settings that are drawn of the information layer, and of what
            castes never see; 0: with none, but those of the preset itself.
    """
    report = AuditReport(preset)
    if layers:
        drawn = draw_information(preset, np.random.default_rng(layers), overrides)
        overrides = dict(overrides or {}) | drawn
        report.layers = tuple(drawn)
    source = resolve(preset, overrides, archetypes)
    players = make(source, num_envs=states, target=target, seed=seed)
    rng = np.random.default_rng(seed)
    reloaded = make(source, num_envs=1, target=target, seed=seed)
    room = max(MOST_BYTES // _count_bytes(reloaded), LEAST_ROWS)
    rows = min(len(list(list_changes(players, rng))), room)
    probe = make(source, num_envs=rows + FIRST_CHANGE, target=target, seed=seed)
    step = players.reset(seed=seed)
    for state in range(states):
        for _ in range(int(rng.integers(0, 25))):
            step = players.step(wild_actions(players, rng, step, odd=0.02))
        changes = list(list_changes(players, rng))
        _audit_memory(players, reloaded, state, report)
        for first in range(0, len(changes), rows):
            _audit_state(reloaded, probe, state, changes[first : first + rows], rng, report)
        report.num_states += 1
    unique = dict.fromkeys(report.leaks)
    report.leaks = list(unique)
    return report


def _count_bytes(env: Engine) -> int:
    """Count the bytes of one env, and of the copies that comparing it takes."""
    arrays = [*env.driver.s, *env.driver.f, *(part for r in env.buffers.values() for part in r)]
    return COPIES * sum(getattr(array, "nbytes", 0) for array in arrays)


def _audit_state(
    reloaded: Engine,
    probe: Engine,
    state: int,
    changes: list[Change],
    rng: np.random.Generator,
    report: AuditReport,
) -> None:
    """Put one state into every row of the probe, change one thing per row, and compare."""
    snapshot = tile(reloaded.save(), 0, probe)
    if state % 2:
        scramble(snapshot, probe, rng)
    snapshot["frame.active"][:] = True  # the dead have observed too, in their last step
    snapshot["frame.acting"][:] = True
    poison_derived(probe, reloaded, rng)
    for row, change in enumerate(changes, start=FIRST_CHANGE):
        perturb(snapshot, change, row, probe, rng)
    undo_broken(snapshot, probe)
    probe.load(snapshot)
    seen = _received(probe)
    view = Visibility(probe)
    _audit_turns(probe, changes, report)
    for role in probe.spec.roles.values():
        for item in list_items(role, probe.spec):
            now = _part(seen, role, item)
            report.checks[item.source] += now.shape[0] * now.shape[1]
            changed = (now != now[0]).any(-1)
            for row, i in np.argwhere(changed[FIRST_CHANGE:]):
                change, agent = changes[row], role.first + item.members[i]
                if not is_allowed(item, change, agent, view, int(row) + FIRST_CHANGE):
                    whose = _whose(change, agent, probe)
                    _report(report, probe, role, item, change.field, whose)
            if changed[POISONED].any():
                _report(report, probe, role, item, "a derived field", "nobody: not rebuilt")
        _audit_tokens(seen, probe, role, report)


def _audit_memory(players: Engine, reloaded: Engine, state: int, report: AuditReport) -> None:
    """Check that a loaded state shows the same: observations follow from truth alone."""
    played = {name: value[state : state + 1] for name, value in _received(players).items()}
    snapshot = tile(players.save(), state, reloaded)
    reloaded.load(snapshot)
    seen, acted = _received(reloaded), snapshot["frame.active"][0]
    for role in reloaded.spec.roles.values():
        for item in list_items(role, reloaded.spec):
            then, now = (_part(rows, role, item)[0] for rows in (played, seen))
            acts = acted[role.span][item.members]
            if item.source != "mask" and ((then != now).any(-1) & acts).any():
                _report(report, reloaded, role, item, "a derived field", "the past (stale)")


def _part(
    seen: Mapping[str, np.ndarray], role: Role, item: Item
) -> np.ndarray:  # uint8 [env, member, byte]
    """Pick what an item is about, as bytes: 0.0 and -0.0 are equal, but look different."""
    rows = seen[f"{item.source}.{role.name}"][:, item.members][:, :, item.numbers]
    return np.ascontiguousarray(rows).view(np.uint8).reshape(*rows.shape[:2], -1)


def _audit_tokens(
    seen: Mapping[str, np.ndarray], env: Engine, role: Role, report: AuditReport
) -> None:
    """Check that nobody is shown a kind of token that is hidden from it."""
    tokens = role.observation.tokens
    if tokens is None or not any(entry.obs for entry in role.withheld):
        return
    rows = seen[f"obs.{role.name}"].reshape(env.num_envs, role.num_agents, -1, 3)
    size = env.inner.roles[role.name].observation.size // 3
    for i, entry in enumerate(role.withheld):
        shown = rows[:, i, :size]
        found = set(shown[shown[..., 0] != tokens.empty][:, 1].tolist()) & entry.obs
        for kind in tokens.kinds:
            if kind.id in found:
                item = Item(f"token {kind.name!r}, which is hidden,", "obs", [], (), [i])
                _report(report, env, role, item, "what it is about", "anyone")


def _audit_turns(env: Engine, changes: list[Change], report: AuditReport) -> None:
    """Check that turns depend on public fields alone, for everybody knows whose turn it is."""
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
        change = changes[row - FIRST_CHANGE]
        public = change.field != FUTURE and (
            env.spec.state_field(change.field).visibility == "public"
        )
        if row >= FIRST_CHANGE and not public:
            whose = "the world" if change.owner < 0 else "some agent or group"
            leak = Leak(
                env.spec.world, report.preset, "all", "whose turn it is", change.field, whose
            )
            report.leaks.append(leak)


def _report(
    report: AuditReport, env: Engine, role: Role, item: Item, name: str, whose: str
) -> None:
    """Add a leak to a report."""
    report.leaks.append(Leak(env.spec.world, report.preset, role.name, item.what, name, whose))


def _whose(change: Change, agent: int, env: Engine) -> str:
    """Return whose entries a change touched, as seen by an agent."""
    if change.owner < 0:
        return "the world"
    scope = env.spec.state_field(change.field).scope
    if scope in env.world.rules.axes:
        return f"a {scope}"
    return "the same agent" if scope == "agent" and change.owner == agent else f"another {scope}"


def _received(env: Engine) -> dict[str, np.ndarray]:
    """Copy what every agent holds now, flat per agent."""
    found = {}
    for name, r in env.buffers.items():
        for source in CHANNELS:
            found[f"{source}.{name}"] = env.copy(getattr(r, source))
    return found
