"""Make a failing config smaller: python -m tests.fuzz.reduce --seed 0 --index 12."""

import argparse
import json
import re
import warnings
from collections.abc import Callable, Iterator
from typing import Any

import mesocosm as meso
from mesocosm.core.errors import MesocosmError
from tests.fuzz.checks import Failure, check_config
from tests.fuzz.generate import draw


def smaller(value: Any) -> Iterator[Any]:
    """Give values with one part left out, at any depth."""
    if isinstance(value, dict):
        for key in value:
            yield {k: v for k, v in value.items() if k != key}
        for key, held in value.items():
            for less in smaller(held):
                yield {**value, key: less}
    elif isinstance(value, list) and len(value) < 30:
        for k in range(len(value)):
            yield value[:k] + value[k + 1 :]
        for k, held in enumerate(value):
            for less in smaller(held):
                yield [*value[:k], less, *value[k + 1 :]]


def reduce(changes: dict[str, Any], fails: Callable[[dict[str, Any]], bool]) -> dict[str, Any]:
    """Leave out whatever is not needed for the failure."""
    found = True
    while found:
        found = False
        for less in smaller(changes):
            if fails(less):
                changes, found = less, True
                break
    return changes


def failure_of(preset: str, changes: dict[str, Any], seed: int) -> str:
    """Give the kind of failure, or nothing if the config is fine or refused."""
    try:
        meso.load_config(preset, changes)
    except MesocosmError:
        return ""
    except Exception as error:
        return f"load: {type(error).__name__}"
    try:
        check_config(preset, changes, seed)
    except Failure as failure:
        return re.sub(r"[-\d.e+]+", "#", str(failure))[:60]
    return ""


def main() -> None:
    """Print the smallest config found that fails as the drawn one does."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--index", type=int, required=True)
    options = parser.parse_args()
    warnings.simplefilter("error")
    drawn = draw(options.seed, options.index)
    tried = [changes for _, changes in drawn.faults] or [drawn.overrides]
    kind = failure_of(drawn.preset, tried[0], options.index)
    print(f"{drawn.preset}: {kind or 'no failure'}")

    def fails(changes: dict[str, Any]) -> bool:
        return failure_of(drawn.preset, changes, options.index) == kind

    if kind:
        print(json.dumps(reduce(tried[0], fails)))


if __name__ == "__main__":
    main()
