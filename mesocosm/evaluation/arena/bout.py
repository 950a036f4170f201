"""A bout: one lineup plays all episodes of an evaluation, batch by batch."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from mesocosm.core.errors import RunError
from mesocosm.core.policy import Policy
from mesocosm.evaluation.arena.episodes import Batch
from mesocosm.evaluation.arena.lineup import Lineup
from mesocosm.evaluation.arena.seated import Forfeits
from mesocosm.evaluation.score import COLUMNS, MOST_STEPS, Scores, play_episodes
from mesocosm.sim.engine import Engine
from mesocosm.sim.record.event_log import ACTOR, KIND

OnStep = Callable[[], None]


class Bout(NamedTuple):
    """What became of a bout; of one that somebody forfeited, only who did and why.

    `play_batch` gives one of a batch's episodes alone, and `join_batches` the whole.
    """

    number: int
    preset: int  # among those of the evaluation
    lineup: Lineup
    steps: int  # that batches were stepped, all together
    forfeits: Forfeits  # by entrant
    lives: Mapping[str, np.ndarray]  # by column of `Scores`; `env` is the number of the episode
    endings: np.ndarray  # int64 [episode]: code of `spec.reasons`; 0: it did not end
    violations: np.ndarray  # int64 [agent]: invalid actions
    events: np.ndarray  # int64 [kind, agent + 1]: by who did it; the last column: nobody

    @property
    def num_episodes(self) -> int:
        """Episodes that were played to their end."""
        return int((self.endings > 0).sum())

    def returns(self) -> np.ndarray:  # float64 [episode, agent]
        """Give what each agent earned in an episode, in all its lives; NaN: it did not end."""
        made = np.zeros((len(self.endings), len(self.lineup)))
        np.add.at(made, (self.lives["env"], self.lives["agent"]), self.lives["total_return"])
        made[self.endings == 0] = np.nan
        return made

    def agents_of(self, entrant: int) -> np.ndarray:  # int64 [agent]
        """Give the agents that an entrant plays."""
        return np.flatnonzero(np.array(self.lineup) == entrant)

    def returns_of(self, entrant: int) -> np.ndarray:  # float64 [episode]
        """Give what an agent of an entrant earned in each episode, on average."""
        return self.returns()[:, self.agents_of(entrant)].mean(1)


class _Counter:
    """Counts what happens step by step, and stops a bout that somebody forfeited."""

    def __init__(self, env: Engine, forfeits: Forfeits, on_step: OnStep | None) -> None:
        self._env, self._forfeits, self._on_step = env, forfeits, on_step
        self._agents = env.spec.num_agents
        self.events = np.zeros((len(env.spec.events), self._agents + 1), np.int64)
        self.steps = 0

    def advance(self, over: int) -> None:
        """Take in a step."""
        self.steps += 1
        rows = self._env.event_log.take()
        if len(rows):
            actor = rows[:, ACTOR].astype(np.int64)
            actor[(actor < 0) | (actor >= self._agents)] = self._agents
            np.add.at(self.events, (rows[:, KIND].astype(np.int64), actor), 1)
        if self._on_step is not None:
            self._on_step()
        if self._forfeits:
            raise _ForfeitedError


class _ForfeitedError(Exception):
    """Somebody forfeited: what is played on is of no use."""


def play_batch(  # noqa: PLR0913 (what a bout is made of)
    env: Engine,
    policies: Mapping[str, Policy],
    forfeits: Forfeits,
    batch: Batch,
    *,
    number: int,
    preset: int,
    lineup: Lineup,
    most_steps: int = MOST_STEPS,
    on_step: OnStep | None = None,
) -> Bout:
    """Play a batch of a bout with some policies.

    Args:
        env: With the envs of the batch; must not reset by itself.
        forfeits: Where the policies note what they did wrong.
        on_step: Is called after each step.
    """
    counter = _Counter(env, forfeits, on_step)
    try:
        played = play_episodes(
            env,
            policies,
            seed=batch.env_seed,
            policy_seed=batch.policy_seed,
            most_steps=most_steps,
            advance=counter.advance,
        )
    except _ForfeitedError:
        return _forfeited(env, number, preset, lineup, counter.steps, forfeits)
    lives, violations = _ended(played, batch.first_env), env.violations.sum(0).astype(np.int64)
    return Bout(
        number, preset, lineup, counter.steps, {}, lives, played.endings, violations, counter.events
    )


def _ended(played: Scores, first: int) -> dict[str, np.ndarray]:
    """Give the lives of the episodes that ended in time."""
    kept = played.endings[played.env - first] > 0
    return {name: getattr(played, name)[kept] for name in COLUMNS}


def join_batches(parts: Sequence[Bout]) -> Bout:
    """Put the batches of a bout together, in their order; the first forfeit ends it."""
    for k, part in enumerate(parts):
        if part.forfeits:
            return part._replace(steps=sum(each.steps for each in parts[: k + 1]))
    return parts[0]._replace(
        steps=sum(part.steps for part in parts),
        lives={name: np.concatenate([part.lives[name] for part in parts]) for name in COLUMNS},
        endings=np.concatenate([part.endings for part in parts]),
        violations=np.sum([part.violations for part in parts], axis=0),
        events=np.sum([part.events for part in parts], axis=0),
    )


def _forfeited(
    env: Engine, number: int, preset: int, lineup: Lineup, steps: int, forfeits: Forfeits
) -> Bout:
    agents = env.spec.num_agents
    kinds = {name: np.float64 if name == "total_return" else np.int64 for name in COLUMNS}
    lives = {name: np.zeros(0, kind) for name, kind in kinds.items()}
    events = np.zeros((len(env.spec.events), agents + 1), np.int64)
    nothing = np.zeros(0, np.int64)
    told = dict(sorted(forfeits.items()))
    return Bout(
        number, preset, lineup, steps, told, lives, nothing, np.zeros(agents, np.int64), events
    )


def to_data(bout: Bout) -> dict[str, Any]:
    """Give a bout as plain data."""
    return {
        "number": bout.number,
        "preset": bout.preset,
        "lineup": list(bout.lineup),
        "steps": bout.steps,
        "forfeits": {str(k): why for k, why in bout.forfeits.items()},
        "lives": {name: values.tolist() for name, values in bout.lives.items()},
        "endings": bout.endings.tolist(),
        "violations": bout.violations.tolist(),
        "events": bout.events.tolist(),
    }


def from_data(data: Mapping[str, Any], where: str) -> Bout:
    """Read a bout from plain data."""
    try:
        kinds = {name: np.float64 if name == "total_return" else np.int64 for name in COLUMNS}
        lineup = tuple(int(k) for k in data["lineup"])
        return Bout(
            number=int(data["number"]),
            preset=int(data["preset"]),
            lineup=lineup,
            steps=int(data["steps"]),
            forfeits={int(k): str(why) for k, why in data["forfeits"].items()},
            lives={name: np.array(data["lives"][name], kind) for name, kind in kinds.items()},
            endings=np.array(data["endings"], np.int64),
            violations=np.array(data["violations"], np.int64),
            events=np.array(data["events"], np.int64).reshape(-1, len(lineup) + 1),
        )
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise RunError(f"{where}: damaged: it holds no bout: {error}") from None
