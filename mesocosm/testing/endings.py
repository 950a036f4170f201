"""Checks of endings: episodes end, ended agents stay ended, and vacant slots are born again.

What becomes of an ended agent's body is checked in `bodies`.
"""

import numpy as np

from mesocosm.core.spec import Role
from mesocosm.core.step import Step
from mesocosm.sim.engine import Engine
from mesocosm.testing.case import Case
from mesocosm.testing.play import active, wild_actions


def episodes_end(case: Case) -> None:
    """Episodes come to an end by a declared reason, and the next one begins."""
    env = case.make()
    ended, reasons = np.zeros(env.num_envs, int), set()
    step = env.reset(seed=case.seed)
    rng = np.random.default_rng(case.seed)
    for _ in range(case.horizon):
        step = env.step(wild_actions(env, rng, step, odd=0.0))
        over = np.asarray(step.episode_over)
        ended += over
        reasons |= set(np.asarray(step.episode_reason)[over].tolist())
        if ended.min() >= 2:
            break
    what = f"no env ended two episodes in {case.horizon} steps; give Case a longer horizon"
    case.require(ended.max() >= 2, "endings", what)
    case.require(0 not in reasons, "endings", "an episode ended without a reason")
    for coverage in case.covered:
        coverage.reasons |= {env.spec.reason_name(code) for code in reasons}


def slots_are_born_again(case: Case) -> str | None:
    """A vacant slot of a role that respawns is absent, and generation rises at birth alone."""
    env = case.make(autoreset="off")
    before: dict[str, np.ndarray] = {}
    births = {role.name: 0 for role in env.spec.roles.values() if role.respawn}

    def visit(env: Engine, step: Step, found: dict[str, np.ndarray]) -> None:
        for role in env.spec.roles.values():
            if before and role.respawn:
                then = before[f"terminated.{role.name}"] | before[f"truncated.{role.name}"]
                now = found[f"terminated.{role.name}"] | found[f"truncated.{role.name}"]
                rise = found[f"generation.{role.name}"] - before[f"generation.{role.name}"]
                case.require((rise == (then & ~now)).all(), "respawn", "generation is not births")
                _check_gone(case, role, found, then & now)
                births[role.name] += int(rise.sum())
        before.update(found)

    case.play(env, visit, steps=4 * case.steps)
    unborn = [name for name, count in births.items() if count == 0]
    return f"no slot of {' or '.join(unborn)} was born again" if unborn else None


def endings_are_sticky(case: Case) -> str | None:
    """An ended agent stays ended: no reward, absent observation, only the no-op."""
    env = case.make(autoreset="off")
    before: dict[str, np.ndarray] = {}
    ended = {role.name: 0 for role in env.spec.roles.values() if not role.respawn}

    def visit(env: Engine, step: Step, found: dict[str, np.ndarray]) -> None:
        for role in env.spec.roles.values():
            if before and not role.respawn:
                gone = before[f"terminated.{role.name}"] | before[f"truncated.{role.name}"]
                _check_gone(case, role, found, gone)
                ended[role.name] += int(gone.sum())
        before.update(found)
        if not any(role.respawn for role in env.spec.all_roles):  # else someone may yet be born
            idle = ~active(env).any(axis=1)
            over = found["episode_over"][idle].all()
            case.require(over, "endings", "nobody is left, yet it goes on")

    case.play(env, visit, steps=4 * case.steps)
    lasting = [name for name, count in ended.items() if count == 0]
    return f"no {' or '.join(lasting)} ended" if lasting else None


def _check_gone(case: Case, role: Role, found: dict[str, np.ndarray], gone: np.ndarray) -> None:
    """Check that agents that are gone get nothing, see nothing and may do nothing."""
    ended = found[f"terminated.{role.name}"] | found[f"truncated.{role.name}"]
    case.require(ended[gone].all(), "sticky", f"an ended {role.name} came back: declare respawn")
    case.require((found[f"reward.{role.name}"][gone] == 0).all(), "sticky", "the dead are paid")
    absent = role.observation.absent.astype(role.observation.dtype)
    rows = found[f"obs.{role.name}"].reshape(*gone.shape, -1)[gone]
    case.require((rows == absent).all(), "sticky", f"an ended {role.name} still observes")
    case.require(not found[f"acting.{role.name}"][gone].any(), "sticky", "the dead act")
    parts = role.action.mask_parts(found[f"mask.{role.name}"])
    for part in role.action.choices:
        if part.name in parts:
            rows = parts[part.name][gone]
            only = rows[:, part.noop].all() and rows.sum() == len(rows)
            case.require(only, "sticky", f"an ended {role.name} may still choose {part.name!r}")
