"""A recorded run, played again: to any step of one env, and on from there."""

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from mesocosm.build import open_run
from mesocosm.core.beginnings import Beginnings
from mesocosm.core.errors import ActionError
from mesocosm.core.spec import Role
from mesocosm.telemetry.replay import resimulate
from mesocosm.telemetry.replay.resimulate import Moment
from mesocosm.web.workers.history import Parts, Prefix, pack_prefix, split_actions
from mesocosm.web.workers.plan import PlayPlan
from mesocosm.worlds.registry import find


class Playback:
    """Shows what was recorded; nobody can act in it, but it can be forked."""

    waiting: tuple[int, ...] = ()

    def __init__(self, plan: PlayPlan) -> None:
        run = open_run(Path(plan.replay))
        self._replay, self._env_id = run.replay, plan.env
        resimulate.check_env(self._replay, plan.env)
        self.env = run.make(plan.target, num_envs=1, first_env=plan.env, autoreset="off")
        self.spec, self.world = self.env.spec, find(self.env.config.identity.world)
        self.persons: dict[int, None] = {}
        self.num_steps = self._replay.num_steps
        self.seek(plan.step)

    def seek(self, step: int) -> None:
        """Go to a step, by playing its episode again from the start."""
        self._replay.index_of(step)
        self._beginnings = Beginnings(self.env)
        self.actions: Parts | None = None
        self._moments: Iterator[Moment] = resimulate.moments(
            self._replay, self.env, self._env_id, step
        )
        self._show(next(self._moments))

    def _show(self, moment: Moment) -> None:
        self._moment, self.view = moment, moment.view
        self.began = self._beginnings.follow(moment.view)
        self.step, self.t = moment.step, moment.step - moment.start.step

    @property
    def episode(self) -> int:
        return int(self._moment.start.episode)

    def advance(self) -> bool:
        """Go to the next step; False at the end of the recording."""
        before = self._moment
        if before.actions is not None:
            self.actions = split_actions(self.spec, before.actions)
            self._show(next(self._moments))
            return True
        if before.step >= self.num_steps:
            return False
        self.seek(before.step)
        return self._moment.start != before.start

    def of(self, value: Any, role: Role) -> Any:
        """Give the part of a step's entry that belongs to a role."""
        return value if len(self.spec.roles) == 1 else value[role.name]

    def seat(self, agent: int) -> tuple[Role, int]:
        """Give the role of an agent, and its place in it."""
        role = self.spec.role_of(agent)
        return role, agent - role.first

    def probabilities(self, agent: int) -> None:
        """Nobody chooses here: it was chosen when it was recorded."""

    def take(self, agents: Iterable[int]) -> None:
        """Refuse: what was recorded stays as it is."""
        raise ActionError("a replay cannot be played; fork it, and take over an agent there")

    def release(self, agents: Iterable[int]) -> None:
        """Nobody has an agent here."""

    def act(self, agent: int, choice: list[int], level: list[float]) -> None:
        """Refuse, as `take` does."""
        self.take([agent])

    def pack(self, step: int) -> bytes:
        """Give what led to a step, for a fork."""
        self._replay.index_of(step)
        index = resimulate.check_env(self._replay, self._env_id)
        start = self._replay.start_of(index, step)
        rows: list[Parts] = []
        for actions in self._replay.episode_actions(dict(self.spec.roles), index, start):
            if start.step + len(rows) >= step:
                break
            rows.append(split_actions(self.spec, actions))
        return pack_prefix(Prefix(int(start.seed), int(start.episode), rows))

    def close(self, status: str, error: str = "") -> None:
        """Nothing was written."""
