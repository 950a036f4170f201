"""What a worker that plays is told."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from mesocosm.core.errors import UnknownName, short

EVERYTHING = "everything"
AGENT = "agent "  # before the number of the agent whose perspective it is
NUMBER = re.compile("0|[1-9][0-9]{0,9}")


def check_perspective(perspective: str, num_agents: int) -> str:
    """Refuse a perspective that there is not."""
    agent = perspective.removeprefix(AGENT)
    if perspective == EVERYTHING:
        return perspective
    if perspective == agent or not NUMBER.fullmatch(agent) or int(agent) >= num_agents:
        raise UnknownName(
            f"no perspective {short(perspective)}: must be {EVERYTHING!r} or "
            f"'{AGENT}0' to '{AGENT}{num_agents - 1}'"
        )
    return perspective


@dataclass(frozen=True)
class PlayPlan:
    """A live run, or a replay.

    Args:
        config: Of a live run, as plain data.
        policies: By role, or `role[slot]`, what `load_policy` takes; `""` is for all others.
        record: The new run folder; nothing: it is not recorded.
        replay: The run folder that is played again, instead of a config.
        env, step: Of a replay, which env of it, and where to begin.
        prefix: Of a fork, what was done until then, as `History.pack` gives it.
        steps: After how many to end; 0 is never.
        speed: Steps per second; 0 is as fast as can be.
    """

    target: str
    config: Mapping[str, Any] = field(default_factory=dict)
    seed: int = 0
    policies: Mapping[str, str] = field(default_factory=dict)
    record: str = ""
    about: Mapping[str, Any] = field(default_factory=dict)
    replay: str = ""
    env: int = 0
    step: int = 0
    prefix: bytes = b""
    steps: int = 0
    speed: float = 5.0
    paused: bool = False
