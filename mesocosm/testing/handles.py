"""Check that what layers turn does turn something, and that derived fields name their sources."""

from collections.abc import Iterator
from typing import Any

import numpy as np

from mesocosm.core.errors import ConfigError
from mesocosm.core.spec import Spec
from mesocosm.sim.batch.snapshot import PREFIX
from mesocosm.sim.engine import Engine
from mesocosm.testing.case import Case
from mesocosm.testing.coverage import scripted
from mesocosm.testing.effects import compare
from mesocosm.testing.perturb import draw_values
from mesocosm.testing.play import wild_actions
from mesocosm.testing.trials import trials

TRIED = 64  # states from which each handle is turned
Edit = tuple[str, str, Any]  # what it is, the key in a snapshot, and the value to try


def handles_act(case: Case) -> str | None:
    """Turning a declared conflict's order, a tunable, an effect or a link changes what happens.

    What changed nothing in any state that was tried is reported as not seen.
    """
    env, twin = case.make(autoreset="off"), case.make(autoreset="off")
    waiting = list(_edits(env))
    for policy in (None, *env.world.policies.values()):
        if waiting:
            waiting = _turn(case, env, twin, waiting, policy)
    missing = [what for what, _, _ in waiting] + _idle_links(case, env.inner)
    return ", ".join(dict.fromkeys(missing)) or None


def _turn(case: Case, env: Engine, twin: Engine, waiting: list[Edit], policy: Any) -> list[Edit]:
    """Play on, and at every step try each handle in a twin; give those that changed nothing."""
    rng = np.random.default_rng(case.seed)
    step = env.reset(seed=case.seed)
    choose = None if policy is None else scripted(env, policy, case.seed)
    for _ in range(TRIED):
        if not waiting:
            break
        saved = env.save()
        actions = wild_actions(env, rng, step, odd=0.0) if choose is None else choose(step)
        step = env.step(actions)
        after = _state(env)
        waiting = [edit for edit in waiting if _same(twin, saved, edit, actions, after)]
        over = np.asarray(step.episode_over).copy()
        if over.any():
            step = env.reset(envs=over)
            choose = choose and scripted(env, policy, case.seed)
    return waiting


def _same(
    twin: Engine, saved: dict[str, Any], edit: Edit, actions: Any, after: dict[str, bytes]
) -> bool:
    """Whether a step with a handle turned ends in the same state."""
    _, key, value = edit
    snapshot = dict(saved)
    snapshot[key] = value(saved[key].copy())
    twin.load(snapshot)
    twin.step(actions)
    return _state(twin) == after


def _state(env: Engine) -> dict[str, bytes]:
    """Copy the world's own state and what the step paid."""
    found = {entry.name: env.truth(entry.name).tobytes() for entry in env.inner.truth}
    return found | {"terms": env.copy(env.driver.f.terms).tobytes()}


def _edits(env: Engine) -> Iterator[Edit]:
    """List how each handle of a world is turned."""
    spec = env.inner
    for conflict in spec.conflicts:
        if conflict.ordered and spec.num_agents > 1:
            yield f"conflict {conflict.name!r}", PREFIX + "order", lambda now: now[:, ::-1].copy()
    for k, tunable in enumerate(spec.tunables):
        for value in (tunable.low, tunable.high):
            if value != tunable.value:
                yield f"tunable {tunable.name!r}", PREFIX + "tunable", _put(k, value)
    for k, effect in enumerate(spec.effects):
        yield f"effect {effect.name!r}", PREFIX + "effect", _put(k, 0.0)


def _put(k: int, value: float) -> Any:
    def put(now: np.ndarray) -> np.ndarray:
        now[..., k] = value
        return now

    return put


def _idle_links(case: Case, spec: Spec) -> list[str]:
    """Bar every link between agents; name the links if that changes nothing."""
    if not spec.links or case.overrides or spec.num_agents < 2:
        return []
    for trial in trials("power.matrix", spec):
        try:
            if compare(case.preset, trial, "power", case.target)[0]:
                return []
        except ConfigError:
            return []
    return [f"link {link.name!r}" for link in spec.links]


def derived_fields_name_their_sources(case: Case) -> None:
    """A derived field that follows from a malleable one names it, so that it is rebuilt."""
    env = case.make(target="python", num_envs=2)
    rng = np.random.default_rng(case.seed)
    env.reset(seed=case.seed)
    derived = [entry for entry in env.inner.fields if entry.derived]
    for _ in range(4):
        saved = env.save()
        for field in (entry for entry in env.inner.truth if entry.malleable):
            before = {entry.name: env.state(entry.name).tobytes() for entry in derived}
            edited = saved | {field.name: draw_values(field, saved[field.name], "random", rng)}
            env.load(edited)
            for entry in derived:
                same = env.state(entry.name).tobytes() == before[entry.name]
                what = f"{entry.name!r} follows from {field.name!r}, which layers may change"
                named = same or field.name in entry.sources
                case.require(named, "sources", f"{what}: name it among the sources")
            env.load(saved)
        env.step(wild_actions(env, rng))


CHECKS = (handles_act, derived_fields_name_their_sources)
