"""Train in a worker: rows of the curve go to the server as they are made."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from mesocosm.resolve import resolve
from mesocosm.web.encoding import encode
from mesocosm.web.workers.channel import METRICS, RESULT, STATUS
from mesocosm.web.workers.entry import Desk
from mesocosm.web.workers.job import asked_to_stop


@dataclass(frozen=True)
class TrainPlan:
    """A training.

    Args:
        learning: Settings by dotted path, each beginning with `learning.`.
        starts: By role, the bundle that it begins from.
    """

    config: Mapping[str, Any]
    out: str
    command: str
    steps: int
    seed: int
    target: str
    threads: int
    learning: Mapping[str, Any] = field(default_factory=dict)
    starts: Mapping[str, str] = field(default_factory=dict)


def train(desk: Desk, plan: TrainPlan) -> None:
    """Train to the end, or until it is stopped."""
    import torch

    from mesocosm.learning.bundles.bundle import read_bundle
    from mesocosm.learning.open_training import Plan, choose_settings, open_new

    torch.set_num_threads(plan.threads)
    resolved = resolve(plan.config)
    bundles = {role: read_bundle(path) for role, path in plan.starts.items()}
    settings = choose_settings(resolved, plan.learning, bundles)
    wanted = Plan(resolved, (), plan.steps, plan.seed, plan.target, plan.threads)
    run, trainer, notes = open_new(
        Path(plan.out), wanted, settings, command=plan.command, bundles=bundles
    )
    desk.idle()  # an update may take as long as it wants
    head = {"updates": trainer.num_updates, "notes": notes}
    desk.channel.send_data(STATUS, {"status": "running", "update": 0, "agent_steps": 0, **head})
    with run:
        for update in trainer.run():
            before = len(run.curve)
            run.note(update)
            for row in run.curve[before:]:
                desk.channel.send(METRICS, encode(row))
            told = {"status": "running", "update": update.number, "best": run.best, **head}
            desk.channel.send_data(STATUS, told | {"agent_steps": run.agent_steps})
            if asked_to_stop(desk):
                run.checkpoint()
                break
    desk.channel.send_data(RESULT, {"best": run.best, "agent_steps": run.agent_steps})
