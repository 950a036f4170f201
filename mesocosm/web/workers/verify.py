"""Prove a recorded run in a worker: compare its files, and play it again."""

import time
from pathlib import Path
from typing import NamedTuple

from mesocosm.build import open_run
from mesocosm.web.workers.channel import RESULT, STATUS
from mesocosm.web.workers.entry import Desk, Stopped
from mesocosm.web.workers.job import asked_to_stop

TELL_SECONDS = 0.25


class VerifyPlan(NamedTuple):
    """Which run is proven."""

    run: str
    target: str


def verify(desk: Desk, plan: VerifyPlan) -> None:
    """Compare every file and every digest."""
    run = open_run(Path(plan.run))
    check = run.check_files()
    total, told = run.replay.num_steps, [0.0]
    desk.idle()

    def advance(step: int) -> None:
        if time.monotonic() - told[0] < TELL_SECONDS:
            return
        told[0] = time.monotonic()
        desk.channel.send_data(STATUS, {"status": "running", "step": step, "num_steps": total})
        if asked_to_stop(desk):
            raise Stopped

    proof = run.verify(plan.target, advance)
    desk.channel.send_data(
        RESULT,
        {
            "holds": proof.holds and not check.problems,
            "num_steps": proof.num_steps,
            "num_equal": proof.num_equal,
            "operation": proof.operation,
            "fields": list(proof.fields),
            "num_files": check.num_files,
            "problems": list(check.problems),
            "notes": list(check.notes),
        },
    )
