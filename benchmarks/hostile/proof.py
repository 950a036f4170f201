"""Play every hostile program against one that does nothing, and say what became of each."""

import os
import sys
import time
from pathlib import Path
from typing import NamedTuple

from benchmarks.hostile import codes, wrong_answers, wrong_deeds
from mesocosm.build import open_run
from mesocosm.evaluation.match import play_match
from mesocosm.evaluation.programs.containment import MARK
from mesocosm.evaluation.programs.keeper.processes import descendants
from mesocosm.evaluation.programs.limits import Limits

HERE = Path(__file__).parent
PRESET, SETTINGS = "island/skirmish", {"core.max_steps": 8}
LIMITS = Limits(
    start_seconds=20.0, move_seconds=2.0, memory_bytes=384 << 20, processes=40, open_files=128,
    file_bytes=16 << 20, said_bytes=8 << 20,
)  # fmt: skip
SHORT_START = Limits(**vars(LIMITS) | {"start_seconds": 2.0})
# what is not contained where there are no namespaces (docs/matches.md)
NEEDS_NAMESPACES = (
    "fills_the_disk", "looks_for_recordings", "calls_home", "makes_a_million_files",
    "maps_zeros_as_shared_memory",
)  # fmt: skip
LATE_AT_START = ("sleeps_at_the_start", "SleepsWhenReset")
ROLE = "legacy"


class Trial(NamedTuple):
    """One hostile program, and what its match should say."""

    name: str
    program: str
    expected: str  # texts, with | between; empty: it plays to the end


class Verdict(NamedTuple):
    """What became of one."""

    name: str
    reason: str
    expected: str
    as_expected: bool
    steps: int
    seconds: float
    left: int  # processes
    verified: bool
    raised: str


def trials() -> list[Trial]:
    """List all hostile programs."""
    made = []
    for module in (wrong_answers, wrong_deeds):
        python = f"{sys.executable} -S {module.__file__}"
        made += [Trial(n, f"{python} {n}", reason) for n, (_, reason) in module.hostile.items()]
    made += [Trial(n, f"{HERE / 'codes.py'}:{n}", reason) for n, reason in codes.REASONS.items()]
    return made


def count_left(before: set[int]) -> int:
    """Count the processes of this process's programs, and their keepers, that are still there.

    Args:
        before: This process's children of before the match, which are others'.
    """
    left = set(descendants(os.getpid())) - before
    mark = f"{MARK}={os.getpid()}-".encode()
    for entry in Path("/proc").glob("[0-9]*"):
        try:
            marked = mark in (entry / "environ").read_bytes()
        except OSError:
            continue
        left |= {int(entry.name)} if marked else set()
    return len(left)


def attempt(trial: Trial, out: Path, opponent: str = "noop") -> Verdict:
    """Play one hostile program."""
    limits = SHORT_START if trial.name in LATE_AT_START else LIMITS
    start, raised = time.monotonic(), ""
    before = set(descendants(os.getpid()))
    try:
        result = play_match(
            PRESET, {ROLE: trial.program, "dynasty": opponent}, SETTINGS, limits=limits, out=out,
            target="python",
        )  # fmt: skip
    except Exception as error:
        raised = f"{type(error).__name__}: {error}"
        seconds = time.monotonic() - start
        return Verdict(
            trial.name, "", trial.expected, False, 0, seconds, count_left(before), False, raised
        )
    seconds = time.monotonic() - start
    run = open_run(out)
    whole = not run.check_files().problems and run.verify("python").holds
    verified = whole and run.num_steps == result.steps
    reason = result.forfeits.get(ROLE, "")
    told = reason.replace(f"{trial.program} ", "").replace(f"{HERE}/", "")
    told = told or f"played: {result.reason}"
    expected = trial.expected.split("|")
    fits = any(part in reason if part else not reason for part in expected)
    return Verdict(
        trial.name,
        told,
        trial.expected,
        fits,
        result.steps,
        seconds,
        count_left(before),
        verified,
        "",
    )
