"""Check that what was handed out is the caller's: writing into it changes nothing that follows."""

from collections.abc import Iterator
from typing import Any

import numpy as np

from mesocosm.core.step import Step
from mesocosm.sim.engine import Engine
from mesocosm.sim.frame import AUTORESETS
from mesocosm.testing.case import Case
from mesocosm.testing.play import differing, outputs, wild_actions

MOST_STEPS = 24


def handed_out_arrays(step: Step) -> Iterator[tuple[str, np.ndarray]]:
    """List the arrays of a step, of all roles, each with the name of its entry."""
    for name, value in step._asdict().items():
        yield from ((name, array) for array in _leaves(value))


def _leaves(value: Any) -> Iterator[np.ndarray]:
    if isinstance(value, dict):
        for part in value.values():
            yield from _leaves(part)
    else:
        yield value


def scribble(step: Step) -> None:
    """Fill the arrays of a step with nonsense, as one can on a GPU, where none is read-only."""
    for _, array in handed_out_arrays(step):
        writable = array.view()
        writable.flags.writeable = True
        if array.dtype == np.bool_:
            writable[...] = ~array
        else:
            whole = array.dtype.kind in "iu"
            writable[...] = np.iinfo(array.dtype).max if whole else np.nan


def handed_out_is_not_read_back(case: Case) -> None:
    """Whoever overwrites the arrays of every step plays the same episodes, in every mode."""
    target = "cpu" if case.target == "cuda" else case.target  # tests write on the host only
    count = min(case.steps, MOST_STEPS)
    for mode in AUTORESETS:
        clean, spoilt = (case.make(autoreset=mode, target=target) for _ in range(2))
        rng = np.random.default_rng(case.seed)
        _compare(case, clean, spoilt, "after the reset", clean.reset(), spoilt.reset())
        for t in range(count):
            actions = wild_actions(clean, rng)
            steps = clean.step(actions), spoilt.step(actions)
            _compare(case, clean, spoilt, f"at step {t} ({mode})", *steps)
            waiting = clean.copy(clean.driver.f.finished)
            if mode == "off" and waiting.any():
                again = clean.reset(envs=waiting), spoilt.reset(envs=waiting)
                _compare(case, clean, spoilt, f"after a reset at step {t}", *again, envs=waiting)
            if t == count // 2:
                loaded = clean.load(clean.save()), spoilt.load(spoilt.save())
                _compare(case, clean, spoilt, f"when loaded at step {t} ({mode})", *loaded)


def _compare(
    case: Case,
    clean: Engine,
    spoilt: Engine,
    when: str,
    *steps: Step,
    envs: np.ndarray | None = None,
) -> None:
    """Compare two steps, in some envs if not in all, and two states; then spoil the second step."""
    chosen = slice(None) if envs is None else envs
    pair = zip((clean, spoilt), steps, strict=True)
    one, other = (
        {key: array[chosen] for key, array in outputs(env, step).items()} for env, step in pair
    )
    what = "arrays of a step were overwritten"
    odd = differing(one, other)
    case.require(not odd, "read back", f"{what}: {odd[:3]} differ {when}")
    saved = (_truth(env) for env in (clean, spoilt))
    odd = differing(*saved)
    case.require(not odd, "read back", f"{what}: state {odd[:3]} differs {when}")
    scribble(steps[1])


def _truth(env: Engine) -> dict[str, np.ndarray]:
    return {key: env.copy(env.array(key)) for key in env.truth_names}


CHECKS = (handed_out_is_not_read_back,)
