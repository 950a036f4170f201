"""What a level is to a recorder, and the levels that a config enables."""

from collections.abc import Mapping
from typing import Protocol

import numpy as np

from mesocosm.telemetry.levels.agent import AgentLevel
from mesocosm.telemetry.levels.episode import EpisodeLevel
from mesocosm.telemetry.levels.episode_agents import EpisodeAgentsLevel
from mesocosm.telemetry.levels.event import EventLevel
from mesocosm.telemetry.levels.step import StepLevel
from mesocosm.telemetry.step_reader import StepReader
from mesocosm.telemetry.tables.table import LEVEL_OF, Columns, Table


class Level(Protocol):
    """Collects one table's rows."""

    table: Table

    def begin(self, chosen: np.ndarray) -> None:
        """Forget what belonged to the episodes of envs that were reset (bool [env])."""

    def collect(self) -> None:
        """Take what is recorded of the step that was just played."""

    @property
    def full(self) -> bool:
        """Whether the rows should be written before more are collected."""

    def take(self) -> Columns:
        """Hand over the rows."""


def make_levels(reader: StepReader, tables: Mapping[str, Table]) -> list[Level]:
    """Make what collects the rows of each table."""
    made: list[Level] = []
    for name, table in tables.items():
        settings = getattr(reader.config.instrumentation, LEVEL_OF[name])
        full = settings.verbosity == "full"
        if name == "episode":
            made.append(EpisodeLevel(reader, table, settings.every))
        elif name == "episode_agents":
            made.append(EpisodeAgentsLevel(reader, table, settings.every))
        elif name == "event":
            made.append(EventLevel(reader, table, settings.every))
        elif name == "step":
            made.append(StepLevel(reader, table, settings.every, full))
        else:
            made.append(AgentLevel(reader, table, settings.every, full))
    return made
