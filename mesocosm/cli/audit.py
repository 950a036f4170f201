"""The `audit` command: prove what agents receive by perturbing the state."""

from typing import Annotated, Any

import typer

from mesocosm.cli.shared.exit_status import FAILED
from mesocosm.cli.shared.options import Archetypes, Seed, Sets, Source, at_least
from mesocosm.config.source import parse_assignments

WORDS = {"obs": "observation", "info": "info", "mask": "mask"}


def audit(
    source: Source,
    states: Annotated[int, typer.Option(help="How many states to perturb.")] = 8,
    seed: Seed = 0,
    assignments: Sets = None,
    layers: Annotated[int, typer.Option(help="Drawn settings of layers to audit besides.")] = 1,
    archetypes: Archetypes = None,
) -> None:
    """Prove that observation, info and mask depend only on what they are declared to read."""
    at_least(1, states=states)
    at_least(0, seed=seed, layers=layers)
    overrides = parse_assignments(assignments or [])
    from mesocosm import testing

    options: dict[str, Any] = {"states": states, "seed": seed, "overrides": overrides}
    options["archetypes"] = archetypes or ()
    reports = [testing.audit(source, **options, layers=k) for k in range(layers + 1)]
    for report in reports:
        for leak in report.leaks:
            print(f"leak: {leak.text}")
        count = len(report.leaks)
        verdict = f"{count} leak{'s' * (count > 1)}" if count else "no leaks"
        each = ", ".join(f"{WORDS[name]} {number}" for name, number in report.checks.items())
        more = f" with {', '.join(report.layers)}" if report.layers else ""
        print(f"{report.preset}{more}: {report.num_checks} checks ({each}), {verdict}")
    if any(report.leaks for report in reports):
        raise typer.Exit(FAILED)
