"""The one view of an env that recording reads: the step just played, and where it came from."""

from collections.abc import Iterable
from typing import Any

import numpy as np

from mesocosm.sim.engine import Engine
from mesocosm.sim.frame import DROPPED
from mesocosm.sim.record import event_log, ledger
from mesocosm.sim.record.digester import Digester
from mesocosm.telemetry.lives import EndedLives, Lives
from mesocosm.telemetry.step_sums import StepSums

REWARD = "frame.reward"  # the rewards among digested arrays
# what the ledger reads of the frame, in its order
LEDGER_READS = (
    "over",
    "episode",
    "t",
    "reward",
    "episode_ending",
    "episode_outcome",
    "violations",
)
EVENT_COLUMNS = {
    "env": event_log.ENV,
    "episode": event_log.EPISODE,
    "t": event_log.TIME,
    "kind": event_log.KIND,
    "actor": event_log.ACTOR,
    "target": event_log.TARGET,
    "value": event_log.VALUE,
}
FINISHED_COLUMNS = {
    "env": ledger.ENV,
    "episode": ledger.EPISODE,
    "length": ledger.LENGTH,
    "reason": ledger.REASON,
    "outcome": ledger.OUTCOME,
    "violations": ledger.VIOLATIONS,
}


def make_state_digester(env: Engine) -> Digester:
    """Make what digests an env's truth and rewards where they lie."""
    arrays = {name: env.array(name) for name in env.truth_names}
    return env.make_digester(arrays | {REWARD: env.driver.f.reward})


class StepReader:
    """Reads an env after each step, on the host, and never writes to it.

    It knows the step that was just played, and where every env stood before it: in `same_step` an
    env whose episode ended is already in the next one. Arrays may be the env's own: copy what you
    keep.
    """

    def __init__(self, env: Engine) -> None:
        self._env, self.spec, self.config = env, env.spec, env.config
        self.provenance = env.provenance
        self.num_envs, self.autoreset, self.target = env.num_envs, env.autoreset, env.target
        self.env_id = self.copy("env_id")
        self.first_env = int(self.env_id[0])
        self.step = -1
        self.events: np.ndarray = np.zeros((0, event_log.WIDTH))  # float64 [event, column]
        self.entropy: np.ndarray | None = None  # float32 [env, agent]
        self._follows_turns = False
        self._respawns = any(role.respawn for role in env.spec.all_roles)
        self.lives: Lives | None = None
        self.ended_lives: EndedLives
        self._sums: StepSums | None = None
        self._summed: dict[str, np.ndarray] | None = None
        self._dropped_before = self._count_dropped()
        self._open_ledger()

    def _open_ledger(self) -> None:
        lead = (self.num_envs, self.spec.num_agents)
        self.returns = np.zeros(lead)  # float64, of the episode so far
        self.acting_before = np.zeros(lead, bool)
        self._episodes, self._times = np.zeros((2, 2, self.num_envs), np.int64)
        self.episode_before = self._episodes[ledger.BEFORE]
        self.t_before = self._times[ledger.BEFORE]
        self._flags = np.zeros(self.num_envs, np.int64)
        self._finished = np.zeros((self.num_envs, ledger.FINISHED_WIDTH), np.int64)
        self._totals, self._counts = np.zeros(lead), np.zeros(2, np.int64)
        books = (self._episodes, self._times, self._flags, self.returns)
        self._books = (*books, self._finished, self._totals, self._counts)
        self._note_endings = self._env.bookkeeper("note_endings")
        frame = self._env.driver.f
        self._frame = tuple(getattr(frame, name) for name in LEDGER_READS)
        self._on_host = isinstance(frame.over, np.ndarray)

    def read(self, name: str) -> np.ndarray:
        """Read an array of the frame."""
        return self._env.host(getattr(self._env.driver.f, name))

    def copy(self, name: str) -> np.ndarray:
        """Copy an array of the frame."""
        return self._env.copy(getattr(self._env.driver.f, name))

    def choices(self, role: str) -> np.ndarray:  # int32 [env, agent, part]
        """Read the options that a role's agents played."""
        return self._env.host(self._env.buffers[role].choice)

    def levels(self, role: str) -> np.ndarray:  # float32 [env, agent, part]
        """Read the levels that a role's agents played."""
        return self._env.host(self._env.buffers[role].level)

    def info(self, role: str) -> np.ndarray:
        """Read what a role's agents are told, `[env, agent, number]`."""
        return self._env.host(self._env.buffers[role].info)

    @property
    def num_dropped_events(self) -> int:
        """How many events of the recorded steps found the log full."""
        return self._count_dropped() - self._dropped_before

    def _count_dropped(self) -> int:
        return int(self.read("num_events")[:, DROPPED].sum())

    def make_digester(self, names: Iterable[str]) -> Digester:
        """Make what digests and sums some truth fields where they live."""
        return self._env.make_digester({name: self._env.array(name) for name in names})

    def make_state_digester(self) -> Digester:
        """Make what digests all truth and the rewards where they live."""
        return make_state_digester(self._env)

    def prepare_sums(self) -> None:
        """Say that sums over each env's agents will be asked for."""
        if self._sums is None:
            self._sums = StepSums(self._env)

    def follow_turns(self) -> None:
        """Say that `acting_before` will be asked for: whose actions counted."""
        self._follows_turns = True

    def follow_lives(self) -> None:
        """Say that `lives` and `ended_lives` will be asked for."""
        if self.lives is None:
            self.lives = Lives(self.num_envs, self.spec.num_agents)

    def begin(self, chosen: np.ndarray) -> None:
        """Take in a reset of the chosen envs (bool [env])."""
        if self.lives is not None:
            self.lives.begin(chosen)
        self._env.event_log.drain()
        self.returns[chosen] = 0.0
        self._flags[chosen] = 0
        self._episodes[ledger.AFTER] = self.read("episode")
        self._times[ledger.AFTER] = self.read("t")
        self.settle()

    def advance(self) -> None:
        """Take in a step: who ended, who began anew, what everybody earned, what happened."""
        self.step += 1
        self._summed = None
        frame = self._frame if self._on_host else map(self._env.host, self._frame)
        self._note_endings(*frame, *self._books)
        self.events = self._env.event_log.drain()
        if self.lives is not None:
            self._advance_lives(self.lives)

    def _advance_lives(self, lives: Lives) -> None:
        self.ended_lives = lives.end(self.read("ended"), self.t_before, self.returns)
        lives.renew(self._flags & ledger.RENEWED != 0)
        if self._respawns:
            lives.bear(self.read("generation"), self.t_before, self.returns)

    def settle(self) -> None:
        """Note whose turn it is, after all have read the step."""
        self.entropy = None
        if self._follows_turns:
            self.acting_before[:] = self.read("acting")

    def sums(self) -> dict[str, np.ndarray]:
        """Give the step's sums over each env's agents; the first to ask has them computed."""
        if self._sums is None:
            raise AssertionError("only after prepare_sums()")
        if self._summed is None:
            self._summed = self._sums.read(self.acting_before)
        return self._summed

    def count_lives(self) -> np.ndarray:  # int64 [env]
        """Give how many lives have ended in each env's episode, also if the next has begun."""
        if self.lives is None:
            raise AssertionError("only after follow_lives()")
        return self.lives.count

    @property
    def num_ended(self) -> int:
        """How many episodes ended in the step."""
        return int(self._counts[ledger.NUM_ENDED])

    @property
    def finished(self) -> np.ndarray:  # int64 [episode, column]
        """The episodes that ended in the step, in env order; see `FINISHED_COLUMNS`."""
        return self._finished[: self._counts[ledger.NUM_ENDED]]

    @property
    def totals(self) -> np.ndarray:  # float64 [episode, agent]
        """What the agents earned in each of these."""
        return self._totals[: self._counts[ledger.NUM_ENDED]]

    @property
    def ended(self) -> np.ndarray | None:  # bool [env]
        """Where an episode ended; None is nowhere."""
        return self._flags & ledger.ENDED != 0 if self._counts[ledger.NUM_ENDED] else None

    @property
    def renewed(self) -> np.ndarray | None:  # bool [env]
        """Where an episode began; None is nowhere."""
        return self._flags & ledger.RENEWED != 0 if self._counts[ledger.NUM_RENEWED] else None


def join_roles(value: Any) -> np.ndarray:
    """Put an array per role side by side, in agent order."""
    parts = value.values() if isinstance(value, dict) else [value]
    return np.concatenate([np.asarray(part) for part in parts], axis=1)
