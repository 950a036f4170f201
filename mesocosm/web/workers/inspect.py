"""Read a policy bundle in a worker: the server itself needs no network for that."""

from dataclasses import dataclass
from pathlib import Path

from mesocosm.learning.policies.load import open_bundle
from mesocosm.web.workers.channel import RESULT
from mesocosm.web.workers.entry import Desk


@dataclass(frozen=True)
class InspectPlan:
    """Which bundle is read, and what it is called."""

    path: str
    name: str


def inspect(desk: Desk, plan: InspectPlan) -> None:
    """Say what a bundle is; whatever is wrong with it is one error."""
    bundle = open_bundle(Path(plan.path)).bundle
    card = bundle.card
    data = {
        "name": plan.name,
        "sha256": bundle.sha256,
        "bytes": bundle.num_bytes,
        "weights": bundle.num_weights,
        "world": card.world,
        "world_version": card.world_version,
        "preset": card.preset,
        "role": card.role,
        "agent_steps": card.agent_steps,
        "seed": card.seed,
        "metrics": dict(card.metrics),
        "command": card.command,
    }
    desk.channel.send_data(RESULT, data)
