"""Ratings of the networks of a league, from who did better than whom: OpenSkill."""

from collections.abc import Hashable, Sequence
from typing import Any, Generic, NamedTuple, TypeVar

from mesocosm.core.extra import missing_extra

LEARNING = -1  # the number of a role's network that still learns
DRIFT = 0.25  # how much stronger or weaker an update may make it, on the scale of ratings


class Player(NamedTuple):
    """A network of a league: a role's past self by the update it is from, or who learns."""

    role: str
    number: int = LEARNING


class Rating(NamedTuple):
    """How strong a network is thought to be, and how it has done."""

    mu: float
    sigma: float  # standard error of mu
    games: float = 0.0
    score: float = 0.0  # rivals that it did better than, ties as halves, over all games

    @property
    def score_rate(self) -> float | None:
        return self.score / self.games if self.games else None


Who = TypeVar("Who", bound=Hashable)  # what names a player


class Ratings(Generic[Who]):
    """Keeps the ratings of all players of a league or a tournament.

    A past self never changes, so nothing is added to its uncertainty between games, as OpenSkill
    would; who learns gets `DRIFT` once per update instead.
    """

    def __init__(self) -> None:
        try:
            from openskill.models import BradleyTerryFull
        except ImportError as error:
            raise missing_extra("ratings need OpenSkill", "learn") from error
        self._model: Any = BradleyTerryFull(tau=0.0)
        self.values: dict[Who, Rating] = {}

    def add(self, player: Who, like: Who | None = None) -> None:
        """Let a player in, unknown or rated like another."""
        new = self._model.rating() if like is None else self.values[like]
        self.values[player] = Rating(new.mu, new.sigma)

    def remove(self, player: Who) -> None:
        del self.values[player]

    def drift(self, player: Who) -> None:
        """Grow less certain of a player that has learnt."""
        known = self.values[player]
        self.values[player] = known._replace(sigma=(known.sigma**2 + DRIFT**2) ** 0.5)

    def rate(self, players: Sequence[Who], scores: Sequence[Any]) -> None:
        """Take a game in: who scored more did better, and equal scores are a tie."""
        teams = [[self._rating(player)] for player in players]
        ranks = [float(sum(other > mine for other in scores)) for mine in scores]
        rated = self._model.rate(teams, ranks=ranks)
        for player, (new,), mine in zip(players, rated, scores, strict=True):
            old = self.values[player]
            better = sum(mine > other for other in scores)
            ties = sum(mine == other for other in scores) - 1
            share = (better + 0.5 * ties) / (len(scores) - 1)
            self.values[player] = Rating(new.mu, new.sigma, old.games + 1, old.score + share)

    def win_probability(self, player: Who, rivals: Sequence[Who]) -> float:
        """Predict how probable it is that a player does better than its rivals on average."""
        chances = [
            self._model.predict_win([[self._rating(player)], [self._rating(rival)]])[0]
            for rival in rivals
        ]
        return float(sum(chances) / len(chances))

    def _rating(self, player: Who) -> Any:
        known = self.values[player]
        return self._model.rating(mu=known.mu, sigma=known.sigma)
