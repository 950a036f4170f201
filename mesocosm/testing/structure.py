"""Checks of what is handed out: structure, ranges, derived fields and reward terms."""

from functools import partial

import numpy as np

from mesocosm.core.errors import SnapshotError
from mesocosm.core.spec import OUTCOMES, Role
from mesocosm.core.step import Step
from mesocosm.sim.engine import Engine
from mesocosm.testing.case import Case
from mesocosm.testing.coverage import explore, terms_of


def shapes_and_ranges(case: Case) -> None:
    """What is handed out has the declared structure and stays in the declared ranges."""
    env = case.make()
    for found in case.play(env):
        for role in env.spec.roles.values():
            _check_role(case, env, role, found)
        for key, count in (("episode_reason", len(env.spec.reasons)), ("episode_outcome", 4)):
            case.require((found[key] <= count).all(), "endings", f"{key} holds an unknown code")


def _check_role(case: Case, env: Engine, role: Role, found: dict[str, np.ndarray]) -> None:
    """Check what the agents of one role received in one step."""
    _check_observation(case, env, role, found[f"obs.{role.name}"])
    for name in (entry.name for entry in role.info.features):
        entry, got = role.info.feature(name), found[f"info.{role.name}.{name}"]
        inside = (got >= entry.low) & (got <= entry.high) if got.size else np.ones(1, bool)
        case.require(inside.all(), "range", f"info {name!r} of {role.name} leaves its range")
    for part in role.action.mask_parts(found[f"mask.{role.name}"]).values():
        case.require(part.any(-1).all(), "mask", f"{role.name} has a part with nothing to choose")
    least, most = role.reward_bounds
    reward = found[f"reward.{role.name}"]
    inside = (reward >= np.float32(least)) & (reward <= np.float32(most))
    what = f"{role.name} got {reward.min():g}..{reward.max():g}, declared is {least:g}..{most:g}"
    case.require(inside.all(), "reward bounds", what)
    known = (found[f"outcome.{role.name}"] < len(OUTCOMES)).all()
    case.require(known, "endings", "unknown outcome")


def _check_observation(case: Case, env: Engine, role: Role, obs: np.ndarray) -> None:
    """Check shape, dtype and ranges of a role's observations."""
    lead, layout = (env.num_envs, role.num_agents), role.observation
    case.require(
        obs.shape == (*lead, *layout.shape) and obs.dtype == layout.dtype,
        "structure",
        f"observation of {role.name} is {obs.dtype} {obs.shape}",
    )
    flat = obs.reshape(*lead, -1).astype(np.float64)
    low, high = (
        bound.astype(layout.dtype).astype(np.float64) for bound in (layout.low, layout.high)
    )
    for number in np.flatnonzero(~((flat >= low) & (flat <= high)).all(axis=(0, 1))):
        name, got = layout.names()[number], flat[..., number]
        what = f"{role.name}.{name} goes from {got.min():g} to {got.max():g}"
        raise case.fail("range", f"{what}, declared is {low[number]:g} to {high[number]:g}")


def state_stays_in_range(case: Case) -> None:
    """Every truth field stays in its range and keeps the invariants, as snapshots require."""

    def visit(env: Engine, step: Step, found: dict[str, np.ndarray]) -> None:
        try:
            env.load(env.save())
        except SnapshotError as error:
            raise case.fail("state range", str(error)) from None

    case.play(case.make(), visit)


def rebuild_changes_nothing(case: Case) -> None:
    """Derived fields are what `rebuild` makes of the truth, after any step."""
    derived = [entry.name for entry in case.make().spec.fields if entry.derived]

    def visit(env: Engine, step: Step, found: dict[str, np.ndarray]) -> None:
        before = {name: env.state(name) for name in derived}
        env.load(env.save())
        for name in derived:
            same = before[name].tobytes() == env.state(name).tobytes()
            what = f"rebuild changes {name!r} after a step: transition must keep it current"
            case.require(same, "rebuild", f"{what}, or call rebuild(s, p, e) last")

    case.play(case.make(), visit)


def declared_is_seen(case: Case) -> None:
    """Reward terms sum to the reward, stay in their bounds, and are paid when declared.

    Played until every declared term, reason and event was seen, or the steps are spent; what was
    never seen is in the report, and a world of which nothing was seen fails.
    """
    env = case.make(num_envs=8)
    env.reset(seed=case.seed)
    check = partial(check_step, case)
    coverage = explore(env, seed=case.seed, max_steps=case.max_explored, check=check)
    case.covered.append(coverage)
    some = len(coverage.unseen()) < len(coverage.declared()) or not coverage.declared()
    what = f"none of its terms, reasons and events was seen in {coverage.num_steps} steps"
    case.require(some, "coverage", what)


def check_step(case: Case, env: Engine, found: dict[str, np.ndarray]) -> None:
    """Check what one step handed out, and the terms behind its rewards."""
    for role in env.spec.roles.values():
        _check_role(case, env, role, found)
        _check_terms(case, env, role, found)


def _check_terms(case: Case, env: Engine, role: Role, found: dict[str, np.ndarray]) -> None:
    """Check the reward terms of a role's agents in one step."""
    values, reward = terms_of(env, role), found[f"reward.{role.name}"]
    total = np.zeros(reward.shape)
    for k, term in enumerate(role.terms):
        value = values[..., k]
        total += value
        odd = ~((value >= term.low) & (value <= term.high))
        if odd.any():
            got = f"term {term.name!r} of {role.name} is {value[odd][0]:g}"
            raise case.fail("reward bounds", f"{got}, declared is {term.low}..{term.high}")
        if term.timing == "terminal":
            early = (value != 0.0) & ~found[f"ended.{role.name}"]
            case.require(not early.any(), "timing", f"{term.name!r} is paid before the end")
    same = total.astype(np.float32) == reward
    if not same.all():
        e, i = (int(axis[0]) for axis in np.nonzero(~same))
        terms = env.explain(env=e, agent=role.first + i)
        raise case.fail("reward", f"{terms} is not {reward[e, i]}")
