"""The `check` command: prove that a world keeps the contract."""

from mesocosm.cli.shared.options import WorldName
from mesocosm.cli.shared.output import say


def check(world: WorldName) -> None:
    """Run the conformance suite of the contract on a world."""
    from mesocosm import testing

    report = testing.check_world(world, progress=lambda *words: say(" ".join(map(str, words))))
    for preset, unseen in report.unseen.items():
        total = report.num_seen[preset] + len(unseen)
        print(f"{preset}: saw {report.num_seen[preset]} of {total} declared terms, reasons, events")
        if unseen:
            print(f"  never seen, so not checked: {', '.join(unseen)}")
    print(f"{world}: keeps the contract")
