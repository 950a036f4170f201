"""The commands that prove things about worlds: audit what agents see, check the contract."""

from typing import Annotated

import typer

from mesocosm.cli.option import Seed, Sets, Source, WorldName, at_least
from mesocosm.cli.output import say
from mesocosm.config.source import parse_assignments


def audit(
    source: Source,
    states: Annotated[int, typer.Option(help="How many states to perturb.")] = 8,
    seed: Seed = 0,
    assignments: Sets = None,
) -> None:
    """Prove that agents receive only what they are declared to see."""
    at_least(1, states=states)
    at_least(0, seed=seed)
    overrides = parse_assignments(assignments or [])
    from mesocosm import testing

    report = testing.audit(source, states=states, seed=seed, overrides=overrides)
    for leak in report.leaks:
        print(f"leak: {leak.text}")
    count = len(report.leaks)
    verdict = f"{count} leak{'s' * (count > 1)}" if count else "no leaks"
    print(f"{report.preset}: {report.num_checks} checks, {verdict}")
    if report.leaks:
        raise typer.Exit(1)


def check(world: WorldName) -> None:
    """Run the conformance suite of the contract on a world."""
    from mesocosm import testing

    testing.check_world(world, progress=lambda *words: say(" ".join(map(str, words))))
    print(f"{world}: keeps the contract")
