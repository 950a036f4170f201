"""check_world: prove that a world keeps the contract."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from mesocosm import build
from mesocosm.core.errors import ContractError, MesocosmError
from mesocosm.testing import checks, handles, plain_python, purity, scribble
from mesocosm.testing.case import Case
from mesocosm.testing.leaks import audit

Progress = Callable[[str, str], None]


@dataclass
class CheckReport:
    """What was checked and what was seen, per preset.

    Args:
        passed: The names of the rules that hold.
        unseen: The rules about something that did not happen, with what it was: they have not
            been broken, but nothing shows that they hold.
        num_declared, num_seen: How many terms, reasons and events are declared, and how many of
            them were seen and so checked.
        num_unused: How often each part of an action was changed where it is declared unused, and
            nothing else changed.
    """

    world: str
    passed: dict[str, list[str]] = field(default_factory=dict)
    unseen: dict[str, dict[str, str]] = field(default_factory=dict)
    num_declared: dict[str, int] = field(default_factory=dict)
    num_seen: dict[str, int] = field(default_factory=dict)
    num_unused: dict[str, dict[str, int]] = field(default_factory=dict)


def leaks_nothing(case: Case) -> None:
    """The audit finds nothing that reaches an agent undeclared."""
    overrides, target = case.overrides, case.target
    audit(case.preset, overrides=overrides, seed=case.seed, target=target).require_clean()


Check = Callable[[Case], str | None]
ALL_CHECKS: tuple[Check, ...] = (
    *plain_python.CHECKS,
    *checks.CHECKS,
    *purity.CHECKS,
    *handles.CHECKS,
    *scribble.CHECKS,
    leaks_nothing,
)


def check_world(
    name: str,
    *,
    presets: Sequence[str] | None = None,
    overrides: Mapping[str, Any] | None = None,
    steps: int = 48,
    progress: Progress | None = None,
) -> CheckReport:
    """Check every preset of a world against every rule; raise `ContractError` at the first breach.

    A check gives nothing when it passed, or says what it needed and did not see.

    Args:
        presets: Only these, as `world/preset`.
        overrides: Config values by dotted path, for every preset.
        progress: Called with (preset, rule) before each check.
    """
    report = CheckReport(name)
    for preset in build.presets(name) if presets is None else presets:
        case = Case(preset, overrides or {}, steps=steps)
        for check in ALL_CHECKS:
            if progress is not None:
                progress(preset, check.__name__)
            try:
                missing = check(case)
            except ContractError:
                raise
            except MesocosmError as error:
                raise case.fail(check.__name__, str(error)) from error
            if missing is None:
                report.passed.setdefault(preset, []).append(check.__name__)
            else:
                report.unseen.setdefault(preset, {})[check.__name__] = missing
        if case.num_unused:
            report.num_unused[preset] = case.num_unused
        for coverage in case.covered:
            report.num_declared[preset] = len(coverage.declared())
            report.num_seen[preset] = report.num_declared[preset] - len(coverage.unseen())
            if coverage.unseen():
                missing = ", ".join(coverage.unseen())
                report.unseen.setdefault(preset, {})["declared_is_seen"] = missing
    return report
