"""Read an env after a step: what the levels share, on the host."""

from typing import Any

import numpy as np

from mesocosm.sim import ledger
from mesocosm.sim.engine import Engine
from mesocosm.telemetry.metrics import MOST_OPTIONS, counted_options, term_names

PADDING = 8
READ = ("over", "episode", "t", "reward", "episode_ending", "episode_outcome", "violations")


class StepSums:
    """Sums a step over each env's agents, in one call; every sum is a column."""

    def __init__(self, env: Engine) -> None:
        spec, self._env = env.spec, env
        names = ["reward", "acting", "idle", "violations"]
        names += [f"term.{name}" for name in term_names(spec)]
        names += list(dict.fromkeys(option.column for option in counted_options(spec)))
        self.columns = names
        f, agents = env.driver.f, spec.num_agents
        term_at = np.full((agents, f.terms.shape[2]), -1)
        option_at = np.full((agents, f.choice.shape[2], MOST_OPTIONS), -1)
        noop = np.full((agents, f.choice.shape[2]), np.nan)
        rest = np.full((agents, f.level.shape[2]), np.nan)
        for role in spec.roles.values():
            for k, term in enumerate(role.terms):
                term_at[role.span, k] = names.index(f"term.{term.name}")
            for k, part in enumerate(role.action.choices):
                noop[role.span, k] = part.noop
            for k, bound in enumerate(role.action.levels):
                rest[role.span, k] = np.float64(np.float32(bound.noop))
        for option in counted_options(spec):
            place = (spec.roles[option.role].span, option.part, option.option)
            option_at[place] = names.index(option.column)
        # rows a power of two apart would all want the same few lines of the cache
        out = np.zeros((len(names), env.num_envs + PADDING))
        self._out = out[:, : env.num_envs]
        self._tables = (term_at, option_at, noop, rest, out)
        self._tally = env.bookkeeper("tally")

    def read(self, acting: np.ndarray) -> dict[str, np.ndarray]:
        """Give every sum, per env; the arrays are used again."""
        f, host = self._env.driver.f, self._env.host
        rest = (host(f.reward), host(f.terms), host(f.violations))
        self._tally(host(f.choice), host(f.level), acting, *rest, *self._tables)
        return dict(zip(self.columns, self._out, strict=True))


class Now:
    """The step that was just played, and where every env stood before it.

    In `same_step` an env whose episode ended is already in the next one: what the episode was is
    in what was noted before the step.

    Args:
        turns: Whether to note whose actions count.
        sums: Whether sums over each env's agents will be asked for.
    """

    def __init__(self, env: Engine, *, turns: bool, sums: bool) -> None:
        envs, agents = env.num_envs, env.spec.num_agents
        self.env, self._turns = env, turns
        self.step = -1
        self.env_id = env.copy(env.driver.f.env_id)
        self.returns = np.zeros((envs, agents))  # float64, of the episode so far
        self._episodes, self._times = np.zeros((2, 2, envs), np.int64)
        self.episode_before, self.t_before = self._episodes[0], self._times[0]
        self._flags = np.zeros(envs, np.int64)
        self._finished = np.zeros((envs, ledger.FINISHED_WIDTH), np.int64)
        self._totals, self._counts = np.zeros((envs, agents)), np.zeros(2, np.int64)
        self.acting_before = np.zeros((envs, agents), bool)
        self._note = env.bookkeeper("note")
        self._sums = StepSums(env) if sums else None
        self._summed: dict[str, np.ndarray] | None = None
        books = (self._episodes, self._times, self._flags, self.returns)
        self._books = (*books, self._finished, self._totals, self._counts)
        frame = env.driver.f
        self._frame = tuple(getattr(frame, name) for name in READ)
        self.on_host = isinstance(frame.over, np.ndarray)
        self.events: np.ndarray | None = None  # float64 [event, column], as the journal reads them
        self.entropy: np.ndarray | None = None  # float32 [env, agent]

    def read(self, name: str) -> np.ndarray:
        """Read an array of the frame."""
        return self.env.host(getattr(self.env.driver.f, name))

    def advance(self) -> None:
        """Take in a step: who ended, who began anew, what everybody earned."""
        self.step += 1
        self._summed = None
        frame = self._frame if self.on_host else map(self.env.host, self._frame)
        self._note(*frame, *self._books)

    def sums(self) -> dict[str, np.ndarray]:
        """Give the step's sums over each env's agents; the first to ask has them computed."""
        if self._sums is None:
            raise AssertionError("only where sums were announced")
        if self._summed is None:
            self._summed = self._sums.read(self.acting_before)
        return self._summed

    @property
    def num_ended(self) -> int:
        """How many episodes ended in the step."""
        return int(self._counts[ledger.NUM_ENDED])

    @property
    def finished(self) -> np.ndarray:  # int64 [episode, column]
        """The episodes that ended in the step, in env order."""
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

    def settle(self) -> None:
        """Note whose turn it is, after the levels have read the step."""
        self.entropy = None
        if self._turns:
            self.acting_before[:] = self.read("acting")

    def begin(self, chosen: np.ndarray) -> None:
        """Take in a reset of the chosen envs."""
        self.returns[chosen] = 0.0
        self._flags[chosen] = 0
        self._episodes[1], self._times[1] = self.read("episode"), self.read("t")
        self.settle()


def agents_of(value: Any) -> np.ndarray:
    """Put an array per role side by side, in agent order."""
    parts = value.values() if isinstance(value, dict) else [value]
    return np.concatenate([np.asarray(part) for part in parts], axis=1)
