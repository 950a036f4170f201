"""The `audit` command: prove what agents receive by perturbing the state."""

from typing import Annotated

import typer

from mesocosm.cli.shared.exit_status import FAILED
from mesocosm.cli.shared.options import Archetypes, Seed, Sets, Source, at_least
from mesocosm.config.source import parse_assignments


def audit(
    source: Source,
    states: Annotated[int, typer.Option(help="How many states to perturb.")] = 8,
    seed: Seed = 0,
    assignments: Sets = None,
    archetypes: Archetypes = None,
) -> None:
    """Prove that agents receive only what they are declared to see."""
    at_least(1, states=states)
    at_least(0, seed=seed)
    overrides = parse_assignments(assignments or [])
    from mesocosm import testing

    report = testing.audit(
        source, states=states, seed=seed, overrides=overrides, archetypes=archetypes or ()
    )
    for leak in report.leaks:
        print(f"leak: {leak.text}")
    count = len(report.leaks)
    verdict = f"{count} leak{'s' * (count > 1)}" if count else "no leaks"
    print(f"{report.preset}: {report.num_checks} checks, {verdict}")
    if report.leaks:
        raise typer.Exit(FAILED)
