"""Real episodes for the proofs: scripted policies, one of them with a planted handicap."""

from typing import Any, NamedTuple

import numpy as np

import mesocosm
from mesocosm.core.action import Action
from mesocosm.core.policy import Policy
from mesocosm.evaluation.score import Scores, play_episodes
from mesocosm.evaluation.statistics.sample import Sample

BATCH = 1_000  # episodes that are played together
CALIBRATION = 4  # batches that a handicap is measured on


class Handicapped:
    """Plays as another policy does, but an agent rests in some of its steps."""

    truth: Any = None  # is set for a privileged one

    def __init__(self, policy: Policy, rest: float) -> None:
        self._policy, self._rest = policy, rest
        self.privileged = policy.privileged

    def reset(self, spec: Any, num_envs: int, seed: int) -> None:
        if self.privileged:
            vars(self._policy)["truth"] = self.truth
        self._policy.reset(spec, num_envs, seed)
        self._idle: Any = spec.action.noop((num_envs, spec.num_agents))
        self._rng = np.random.default_rng((seed, 99))

    def act(self, obs: Any, mask: Any, info: Any, began: Any) -> Any:
        chosen: Any = self._policy.act(obs, mask, info, began)
        if not self._rest:
            return chosen
        rests = self._rng.random(obs.shape[:2]) < self._rest
        if isinstance(chosen, Action):
            return Action(*(_mix(rests, *pair) for pair in zip(self._idle, chosen, strict=True)))
        return _mix(rests, np.asarray(self._idle), np.asarray(chosen))


def _mix(rests: np.ndarray, idle: np.ndarray, chosen: np.ndarray) -> np.ndarray:
    wide = rests.reshape(rests.shape + (1,) * (chosen.ndim - rests.ndim))
    return np.where(wide, idle, chosen).astype(chosen.dtype)


class Game(NamedTuple):
    """An env with one role, and the policy that plays it."""

    env: Any
    world: str
    role: str
    policy: str

    def play(self, seed: int, rest: float = 0.0) -> Scores:
        """Play a batch of episodes."""
        player = Handicapped(mesocosm.policy(self.world, self.policy), rest)
        return play_episodes(self.env, {self.role: player}, seed=seed)


def make_game(preset: str, policy: str, settings: dict[str, Any] | None = None) -> Game:
    """Make a preset with one role."""
    env = mesocosm.make(preset, settings or {}, num_envs=BATCH, autoreset="off")
    (role,) = env.spec.roles
    return Game(env, env.spec.world, role, policy)


def returns(game: Game, first_seed: int, count: int, rest: float = 0.0) -> Sample:
    """Play so many episodes, batch by batch, of seeds from `first_seed` on."""
    values, ids = [], []
    for k in range(-(-count // BATCH)):
        scores = game.play(first_seed + k, rest)
        values.append(scores.total_return)
        ids.append(scores.env + k * BATCH)
    made = Sample(np.concatenate(values), np.concatenate(ids))
    return made.of_episodes(np.arange(count))


def mean_return(game: Game, rest: float) -> float:
    """Give the mean return over the episodes that a handicap is measured on."""
    return returns(game, 5_000_000, CALIBRATION * BATCH, rest).mean


def find_rest(game: Game, handicap: float, steps: int = 10) -> tuple[float, float]:
    """Find how often to rest so that the mean return falls by `handicap`; give both."""
    whole = mean_return(game, 0.0)
    low, high = 0.0, 0.5
    for _ in range(steps):
        middle = (low + high) / 2
        if 1.0 - mean_return(game, middle) / whole < handicap:
            low = middle
        else:
            high = middle
    return high, 1.0 - mean_return(game, high) / whole
