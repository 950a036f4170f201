"""Try one config: draw it, then play it or see that it is refused for a reason."""

import time
from typing import Any

import mesocosm as meso
from mesocosm.config.identity import dump
from mesocosm.core.errors import MesocosmError
from tests.fuzz.checks import Failure, check_config
from tests.fuzz.field_coverage import off_default
from tests.fuzz.generate import Drawn, draw, preset_data

SLOW = 60.0  # seconds in which a config must be read, or refused


def try_config(seed: int, index: int, *, draw_only: bool = False) -> dict[str, Any]:
    """Give what happened, as plain data."""
    started = time.perf_counter()
    drawn = draw(seed, index)
    spent = time.perf_counter() - started
    failures = [_failure(drawn, "crash", what, changes) for what, changes in drawn.faults]
    if spent > SLOW:
        failures.append(_failure(drawn, "slow", f"{spent:.0f} s to draw and load"))
    row: dict[str, Any] = {
        "index": index,
        "preset": drawn.preset,
        "accepted": not drawn.refused,
        "refused": drawn.refused,
        "drafts": dict(drawn.drafts),
        "failures": failures,
        "off_default": [],
    }
    if drawn.refused:
        failures += _check_refusal(drawn)
    else:
        data = dump(meso.load_config(drawn.preset, drawn.overrides))
        world = drawn.preset.partition("/")[0]
        row["off_default"] = off_default(world, preset_data(drawn.preset), data)
        if not draw_only:
            failures += _check_accepted(drawn)
    row["seconds"] = round(time.perf_counter() - started, 2)
    return row


def _check_refusal(drawn: Drawn) -> list[dict[str, Any]]:
    """Check that `make` refuses what `load_config` does, in the same words."""
    try:
        meso.make(drawn.preset, drawn.overrides, target="python")
    except MesocosmError as error:
        if str(error) == drawn.refused:
            return []
        return [_failure(drawn, "make and load_config differ", f"{error} / {drawn.refused}")]
    except Exception as error:
        return [_failure(drawn, "crash", f"make: {type(error).__name__}: {error}")]
    return [_failure(drawn, "make and load_config differ", "make takes what load_config refuses")]


def _check_accepted(drawn: Drawn) -> list[dict[str, Any]]:
    try:
        check_config(drawn.preset, drawn.overrides, drawn.index)
    except Failure as failure:
        return [_failure(drawn, failure.kind, str(failure))]
    return []


def _failure(drawn: Drawn, kind: str, what: str, changes: Any = None) -> dict[str, Any]:
    """Say what broke, with what makes it happen again."""
    given = drawn.overrides if changes is None else changes
    return {"kind": kind, "what": what, "preset": drawn.preset, "overrides": given}
