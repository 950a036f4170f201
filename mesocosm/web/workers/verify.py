"""Prove a recorded run in a worker: compare its files, and play it again."""

import time
from dataclasses import dataclass
from pathlib import Path

from mesocosm.build import open_run
from mesocosm.core.errors import RunError
from mesocosm.telemetry.replay.resimulate import Advance, Proof
from mesocosm.web.workers.channel import RESULT, STATUS
from mesocosm.web.workers.entry import Desk, Stopped
from mesocosm.web.workers.job import asked_to_stop

TELL_SECONDS = 0.25


@dataclass(frozen=True)
class VerifyPlan:
    """Which run is proven."""

    run: str
    target: str


def verify(desk: Desk, plan: VerifyPlan) -> None:
    """Compare every file and every digest; what cannot even be read is a problem too."""
    run = open_run(Path(plan.run))
    check = run.check_files()
    problems = list(check.problems)
    desk.idle()
    proof = Proof(0, 0)
    try:
        proof = run.verify(plan.target, _follow(desk, run.replay.num_steps))
    except RunError as error:
        problems.append(" ".join(str(error).split()))
    desk.channel.send_data(
        RESULT,
        {
            "holds": proof.holds and not problems,
            "num_steps": proof.num_steps,
            "num_equal": proof.num_equal,
            "operation": proof.operation,
            "fields": list(proof.fields),
            "num_files": check.num_files,
            "problems": problems,
            "notes": list(check.notes),
        },
    )


def _follow(desk: Desk, total: int) -> Advance:
    """Give a function that says now and then how far the proof is, and ends it when asked."""
    told = [0.0]

    def advance(step: int) -> None:
        if time.monotonic() - told[0] < TELL_SECONDS:
            return
        told[0] = time.monotonic()
        desk.channel.send_data(STATUS, {"status": "running", "step": step, "num_steps": total})
        if asked_to_stop(desk):
            raise Stopped

    return advance
