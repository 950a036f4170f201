"""The `check` command: prove that a world keeps the contract."""

from mesocosm.cli.shared.options import WorldName
from mesocosm.cli.shared.output import say


def check(world: WorldName) -> None:
    """Run the conformance suite of the contract on a world."""
    from mesocosm import testing

    testing.check_world(world, progress=lambda *words: say(" ".join(map(str, words))))
    print(f"{world}: keeps the contract")
