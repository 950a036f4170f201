"""The `check` command: prove that a world keeps the contract."""

import os
from typing import Annotated

import typer

from mesocosm.cli.shared.output import say

Source = Annotated[
    str, typer.Argument(metavar="WORLD[/PRESET]", help="A world, or one of its presets.")
]


def check(source: Source) -> None:
    """Run the conformance suite of the contract on a world, with bounds checks in its rules."""
    os.environ.setdefault("NUMBA_BOUNDSCHECK", "1")  # else a wrong index would end the process
    from mesocosm import testing

    world, _, preset = source.partition("/")
    if preset:
        report = testing.check_world(world, presets=[source], progress=_say)
    else:
        report = testing.check_world(world, progress=_say)
    for preset, seen in report.num_seen.items():
        print(
            f"{preset}: saw {seen} of the {report.num_declared[preset]} terms, reasons and events"
        )
    for preset, parts in report.num_unused.items():
        what = f"changed parts of actions where they are unused, {sum(parts.values()):,} times"
        print(f"{preset}: {what}: nothing else changed")
    for preset, missing in report.unseen.items():
        for rule, what in missing.items():
            print(f"{preset}: {rule}: never seen, so not checked: {what}")
    print(f"{source}: keeps the contract")


def _say(*words: str) -> None:
    say(" ".join(words))
