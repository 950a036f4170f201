"""The `check` command: prove that a world keeps the contract."""

import os

from mesocosm.cli.shared.options import WorldName
from mesocosm.cli.shared.output import say


def check(world: WorldName) -> None:
    """Run the conformance suite of the contract on a world, with bounds checks in its rules."""
    os.environ.setdefault("NUMBA_BOUNDSCHECK", "1")  # else a wrong index would end the process
    from mesocosm import testing

    report = testing.check_world(world, progress=lambda *words: say(" ".join(map(str, words))))
    for preset, seen in report.num_seen.items():
        print(
            f"{preset}: saw {seen} of the {report.num_declared[preset]} terms, reasons and events"
        )
    for preset, missing in report.unseen.items():
        for rule, what in missing.items():
            print(f"{preset}: {rule}: never seen, so not checked: {what}")
    print(f"{world}: keeps the contract")
