"""Games: who did better in an episode, as two entrants met in it."""

import math
from collections.abc import Sequence
from typing import Literal, NamedTuple

import numpy as np

from mesocosm.core.spec import OUTCOMES, Spec
from mesocosm.evaluation.arena.bout import Bout

SUCCESS, FAILURE = OUTCOMES.index("success"), OUTCOMES.index("failure")
Measure = Literal["winner", "return", "turns"]
MEASURES = {
    "winner": "the role that won the episode, and where none did how it ended for the agents",
    "return": "what their agents earned in the same episode, on average",
    "turns": "what each earned in the same seat of the same episode, one after the other",
}


class Game(NamedTuple):
    """One comparison of two entrants; who has the higher score did better."""

    episode: int
    first: int
    second: int
    scores: tuple[tuple[float, ...], tuple[float, ...]]

    @property
    def points(self) -> tuple[float, float]:
        """One for who did better; half each if neither did."""
        mine, other = self.scores
        return (1.0, 0.0) if mine > other else (0.0, 1.0) if mine < other else (0.5, 0.5)


def choose_measure(spec: Spec) -> Measure:
    """Say by what entrants are compared in a world."""
    if len(spec.roles) > 1 and any(reason.winner for reason in spec.reasons):
        return "winner"
    return "return" if len(spec.roles) == 1 and spec.num_agents > 1 else "turns"


def find_games(
    spec: Spec, bouts: Sequence[Bout], first: int, second: int, num_episodes: int
) -> list[Game]:
    """Compare two entrants in all bouts in which they met; a forfeit loses every game of a bout.

    Args:
        num_episodes: That a bout has if nobody forfeits.
    """
    if first == second:
        return []
    measure = choose_measure(spec)
    if measure == "turns":
        return _compare_turns(spec, bouts, first, second, num_episodes)
    made = []
    for bout in bouts:
        made += _forfeited((bout, bout), first, second, num_episodes)
        if not bout.forfeits:
            compare = _compare_winners if measure == "winner" else _compare_returns
            made += compare(spec, bout, first, second)
    return made


def _forfeited(bouts: tuple[Bout, Bout], first: int, second: int, num_episodes: int) -> list[Game]:
    """Give the games that exactly one of two lost by a forfeit in its bout; both: nobody won."""
    lost = [k in bout.forfeits for k, bout in zip((first, second), bouts, strict=True)]
    if lost[0] == lost[1]:
        return []
    scores = (float(lost[1]),), (float(lost[0]),)
    return [Game(episode, first, second, scores) for episode in range(num_episodes)]


def _compare_winners(spec: Spec, bout: Bout, first: int, second: int) -> list[Game]:
    worth = _outcomes(bout)
    sides = [(set(bout.agents_of(k).tolist()), bout.agents_of(k)) for k in (first, second)]
    made = []
    for episode, code in enumerate(bout.endings.tolist()):
        if code == 0:
            continue
        winner = spec.winner(code)
        scores = []
        for agents, index in sides:
            won = winner in spec.roles and spec.roles[winner].first in agents
            scores.append((float(won), 0.0 if winner else float(worth[episode, index].mean())))
        made.append(Game(episode, first, second, (scores[0], scores[1])))
    return made


def _outcomes(bout: Bout) -> np.ndarray:  # float64 [episode, agent]
    """Give successes less failures of every agent."""
    made = np.zeros((len(bout.endings), len(bout.lineup)))
    outcome = bout.lives["outcome"]
    points = (outcome == SUCCESS).astype(float) - (outcome == FAILURE)
    np.add.at(made, (bout.lives["env"], bout.lives["agent"]), points)
    return made


def _compare_returns(spec: Spec, bout: Bout, first: int, second: int) -> list[Game]:
    pairs = zip(bout.returns_of(first).tolist(), bout.returns_of(second).tolist(), strict=True)
    return [
        Game(episode, first, second, ((mine,), (other,)))
        for episode, (mine, other) in enumerate(pairs)
        if not (math.isnan(mine) or math.isnan(other))
    ]


def _compare_turns(
    spec: Spec, bouts: Sequence[Bout], first: int, second: int, num_episodes: int
) -> list[Game]:
    """Compare what two earned in the same seat, in the bouts in which each had it."""
    made: list[Game] = []
    for role in spec.roles.values():
        mine, other = (_bout_of(bouts, role.first, k) for k in (first, second))
        if mine is None or other is None:
            continue
        made += _forfeited((mine, other), first, second, num_episodes)
        if mine.forfeits or other.forfeits:
            continue  # perhaps somebody else's: it proves nothing about these two
        earned = [bout.returns()[:, role.span].mean(1).tolist() for bout in (mine, other)]
        made += [
            Game(episode, first, second, ((one,), (two,)))
            for episode, (one, two) in enumerate(zip(*earned, strict=True))
            if not (math.isnan(one) or math.isnan(two))
        ]
    return made


def _bout_of(bouts: Sequence[Bout], agent: int, entrant: int) -> Bout | None:
    """Find the bout in which an entrant plays an agent."""
    return next((bout for bout in bouts if bout.lineup[agent] == entrant), None)
