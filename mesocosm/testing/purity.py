"""Checks that look inside: equal bits on every target, and rules that read change nothing."""

from collections.abc import Iterator
from typing import Any

import numpy as np

from mesocosm.core.errors import TargetError
from mesocosm.sim.batch.snapshot import enforce_all
from mesocosm.sim.engine import Engine
from mesocosm.sim.frame import FRAME_TRUTH
from mesocosm.sim.targets.cells import wrap
from mesocosm.sim.targets.launch import check_target
from mesocosm.testing.case import Case
from mesocosm.testing.perturb import draw_values
from mesocosm.testing.play import wild_actions
from mesocosm.testing.scribble import handed_out_arrays

AGENTS_TRIED = 8
# what rules that only read may not touch of the frame: all but what they report with
FRAME_STATE = (
    *(name for name in FRAME_TRUTH if name not in ("ending", "episode_ending")),
    "word",
    "birth",
    "choice",
    "level",
    "control",
    "tunable_base",
    "reward",
    "ended",
    "terminated",
    "truncated",
    "reason",
    "outcome",
    "over",
)


def targets() -> list[str]:
    """List the targets that this machine can run."""
    found = []
    for target in ("python", "cpu", "cuda"):
        try:
            check_target(target)
        except TargetError:
            continue
        found.append(target)
    return found


def targets_agree(case: Case) -> None:
    """Every target gives the same bits: what is handed out, and the state."""
    plain, expected = case.python_play
    for target in targets():
        if target != "python":
            env = case.make(target=target, num_envs=2)
            case.require_equal("targets", expected, case.play(env), f"python and {target}")
            case.require_same_state("targets", plain, env, f"python and {target}")


def reading_rules_are_pure(case: Case) -> None:
    """Reward, ending, observation, mask and info change no state, and neither do the tools."""
    env = case.make(target="python", num_envs=2)
    rng = np.random.default_rng(2)
    env.reset()
    for _ in range(min(case.steps, 6)):
        env.step(wild_actions(env, rng))
        saved = env.save()
        _call_reading_rules(case, env, rng)
        env.load(saved)
        before = env.digest()
        env.explain(env=0, agent=0)
        for entry in env.spec.truth:
            env.truth(entry.name)[...] = 0
        env.save()["frame.t"][...] = 0
        case.require(env.digest() == before, "purity", "explain, truth or save change the state")


def _call_reading_rules(case: Case, env: Engine, rng: np.random.Generator) -> None:
    """Call each judging rule, each on a freshly scrambled state, and compare before and after."""
    watched = [*env.driver.s, *(getattr(env.driver.f, name) for name in FRAME_STATE)]
    for name, rule, arguments in _reading_rules(env):
        truth = {
            entry.name: draw_values(entry, env.state(entry.name), "random", rng)
            for entry in env.spec.truth
        }
        enforce_all(truth, env.world, env.config.core)
        for field, values in truth.items():
            env.set_state(field, values)
        before = [array.tobytes() for array in watched]
        rule(*arguments)
        after = [array.tobytes() for array in watched]
        case.require(before == after, "purity", f"{name} changes the state")


def _reading_rules(env: Engine) -> Iterator[tuple[str, Any, tuple[Any, ...]]]:
    """List the calls that may change no state, for one env and a few agents of each role."""
    s, f, p = (wrap(part) for part in (env.driver.s, env.driver.f, env.host_params))
    yield "ending", env.world.rules.ending, (s, f, p, 0)
    for role in env.spec.roles.values():
        rules, r = env.world.rules.roles[role.name], wrap(env.buffers[role.name])
        for i in range(min(role.num_agents, AGENTS_TRIED)):
            a = role.first + i
            yield f"terms of {role.name}", rules.terms, (s, f, p, 0, a)
            yield f"observe of {role.name}", rules.observe, (s, p, 0, a, r.obs[0, i])
            if rules.mask is not None:
                yield f"mask of {role.name}", rules.mask, (s, p, 0, a, r.valid[0, i])
            if rules.inform is not None:
                yield f"inform of {role.name}", rules.inform, (s, p, 0, a, r.info[0, i])


def nothing_aliases_state(case: Case) -> None:
    """No array handed out shares memory with the state."""
    env = case.make(target="python", num_envs=2)
    step = env.reset()
    handed = [env.truth(entry.name) for entry in env.spec.truth]
    handed += [array for key, array in env.save().items() if key != "_meta"]
    handed += [array for _, array in handed_out_arrays(step)]
    fields = [*zip(env.world.state._fields, env.driver.s, strict=True)]
    fields += [(name, getattr(env.driver.f, name)) for name in FRAME_TRUTH]
    for name, array in fields:
        shared = any(np.shares_memory(array, other) for other in handed)
        case.require(not shared, "purity", f"an array that was handed out aliases {name!r}")
    for _, array in handed_out_arrays(step):
        case.require(not array.flags.writeable, "purity", "an array of a step can be written")


def reset_forgets(case: Case) -> None:
    """A reset writes every truth field: what was there before does not matter."""
    clean, dirty = case.make(), case.make()
    clean.reset(seed=case.seed)
    dirty.reset(seed=case.seed + 1)
    rng = np.random.default_rng(0)
    for entry in dirty.spec.fields:
        noise = rng.integers(0, 2, (dirty.num_envs, *entry.shape)).astype(entry.dtype)
        dirty.set_state(entry.name, noise)
    dirty.reset(seed=case.seed)
    case.require_same_state("reset", clean, dirty, "after planting nonsense before a reset")


CHECKS = (targets_agree, reading_rules_are_pure, nothing_aliases_state, reset_forgets)
