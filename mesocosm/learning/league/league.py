"""A league: past selves of every role's network, who of them plays, and how they compare."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import torch
from torch import Tensor

from mesocosm.core.errors import ConfigError
from mesocosm.core.spec import Spec
from mesocosm.learning.league.members import draw_member, find_surplus
from mesocosm.learning.league.past_self import NOBODY, PastSelf, PastSelves
from mesocosm.learning.league.ratings import LEARNING, Player, Rating, Ratings
from mesocosm.learning.league.results import NOW, PAST, EpisodeScores, Finished, worth_of_sides
from mesocosm.learning.league.seating import arrange_seats
from mesocosm.learning.ppo import Learner
from mesocosm.learning.seeds import derive_seed
from mesocosm.learning.settings import PREFIX, LearningSettings

MAX_RATED = 64  # episodes of a seat that a rollout's ratings are made from
Weights = dict[str, Tensor]


class League:
    """Lets past selves play, rates them against those who learn, and keeps the most telling.

    Where the world says which role won, all networks are rated together, by the roles that they
    won for. Where it does not, each role has ratings of its own, by return: a past self that
    shares an env with those who learn is compared with them there; one that plays for its whole
    role is compared with how those who learn did in an env without past selves.
    """

    def __init__(
        self, spec: Spec, learners: Mapping[str, Learner], settings: LearningSettings, seed: int
    ) -> None:
        if settings.algorithm != "ppo":
            raise ConfigError(
                f"{PREFIX}league.share: must be 0 for algorithm {settings.algorithm!r}, "
                f"got {settings.league.share}; ppo can play against past selves"
            )
        self.settings, self._spec, self._seed = settings.league, spec, seed
        self._learners, self._roles = learners, list(learners)
        num_envs = next(iter(learners.values())).experience.reward.shape[1]
        seats = arrange_seats(spec, self.settings, num_envs)
        self._first_free = seats[-1].envs.stop  # env from which on nobody else plays
        self._past = {
            name: PastSelves(x, [seat for seat in seats if seat.role == name])
            for name, x in learners.items()
        }
        for name, learner in learners.items():
            learner.past = self._past[name]
        self.members: dict[Player, Weights] = {}
        self.ratings = Ratings[Player]()
        for name in self._roles:
            self.ratings.add(Player(name))
        device = next(iter(self._past.values())).over.device
        self._scores = EpisodeScores(num_envs, len(learners), device)
        self._names_winners = any(reason.winner for reason in spec.reasons)

    @property
    def selves(self) -> list[PastSelf]:
        """Every seat, role by role."""
        return [one for past in self._past.values() for one in past.selves]

    def prepare(self, number: int) -> None:
        """Before an update: let new members in, and others play where it is time."""
        if number % self.settings.every == 0 or not self.members:
            for role in self._roles:
                self._admit(Player(role, number))
        for one in self.selves:
            gone = one.player not in self.members
            if gone or one.games >= self.settings.stay * len(one.seat.envs):
                self._seat_another(one, number)

    def _admit(self, player: Player) -> None:
        """Keep a role's network as it is now, and let one go if there are too many."""
        weights = self._learners[player.role].network.state_dict()
        self.members[player] = {name: value.detach().clone() for name, value in weights.items()}
        self.ratings.add(player, like=Player(player.role))
        numbers = [member.number for member in self.members_of(player.role)]
        surplus = find_surplus(numbers, self.settings.size)
        if surplus is not None:
            leaving = Player(player.role, surplus)
            del self.members[leaving]
            self.ratings.remove(leaving)

    def members_of(self, role: str) -> list[Player]:
        """A role's past selves, the oldest first."""
        return sorted(member for member in self.members if member.role == role)

    def _seat_another(self, one: PastSelf, number: int) -> None:
        """Draw who plays in a seat; what is being played there now counts for nobody."""
        seat = one.seat
        seed = derive_seed(self._seed, "league", number, seat.role, seat.number)
        members, rivals = self.members_of(seat.role), self._rivals(seat.role)
        player = draw_member(members, rivals, self.ratings, self.settings.draw, seed)
        if player != one.player:
            fresh = one.player.number == NOBODY
            one.exchange(player, self.members[player])
            self._scores.whole[seat.envs.start : seat.envs.stop] = fresh
        one.games = 0

    def _rivals(self, role: str) -> list[Player]:
        """Whom a role's past selves are rated against."""
        if not self._names_winners or len(self._roles) == 1:
            return [Player(role)]
        return [Player(other) for other in self._roles if other != role]

    def rate(self) -> None:
        """After a rollout: rate everyone by the episodes that ended in it."""
        for role in self._roles:
            self.ratings.drift(Player(role))
        past = self._past[self._roles[0]]
        worth = [
            worth_of_sides(x.experience, self._past[role].taken)
            for role, x in self._learners.items()
        ]
        finished = self._scores.count(torch.stack(worth, 2), past.over, past.reason)
        free = np.flatnonzero(finished.counts & (finished.env >= self._first_free))
        for one in self.selves:
            envs = one.seat.envs
            inside = (finished.env >= envs.start) & (finished.env < envs.stop)
            mine = np.flatnonzero(finished.counts & inside)
            one.games += len(mine)
            self._rate_seat(one.player, finished, mine, free)
        if self._names_winners and len(self._roles) > 1:
            now = [Player(role) for role in self._roles]
            for episode in _spread(free):
                self.ratings.rate(now, self._role_scores(finished, episode))

    def _rate_seat(
        self, player: Player, finished: Finished, mine: np.ndarray, free: np.ndarray
    ) -> None:
        """Rate a past self by the episodes of its seat."""
        role, now = self._roles.index(player.role), Player(player.role)
        if len(self._roles) == 1:
            for episode in _spread(mine):
                scores = [finished.score(episode, role, side) for side in (PAST, NOW)]
                self.ratings.rate([player, now], scores)
        elif self._names_winners:
            players = [player if name == player.role else Player(name) for name in self._roles]
            for episode in _spread(mine):
                self.ratings.rate(players, self._role_scores(finished, episode))
        else:
            for episode, other in zip(_spread(mine), _spread(free), strict=False):
                scores = [finished.score(episode, role, PAST), finished.score(other, role, NOW)]
                self.ratings.rate([player, now], scores)

    def _role_scores(self, finished: Finished, episode: int) -> list[tuple[bool, float]]:
        """Score roles by who won, and where nobody did by how it ended for their agents."""
        winner = self._spec.winner(int(finished.reason[episode]))
        outcome = finished.sums[episode, :, :, 0].sum(1).tolist()
        return [
            (name == winner, 0.0 if winner else outcome[k]) for k, name in enumerate(self._roles)
        ]

    def table(self) -> list[dict[str, Any]]:
        """List ratings, role by role: who learns, and its past selves from the oldest on."""
        made = []
        for role in self._roles:
            for player in (Player(role), *self.members_of(role)):
                rating = self.ratings.values[player]
                made.append(
                    {
                        "role": role,
                        "update": None if player.number == LEARNING else player.number,
                        "rating": rating.mu,
                        "uncertainty": rating.sigma,
                        "games": int(rating.games),
                        "score_rate": rating.score_rate,
                    }
                )
        return made

    def tensors(self) -> dict[str, Tensor]:
        """Name all that a checkpoint has to hold, as it is."""
        made = {"sums": self._scores.sums, "whole": torch.from_numpy(self._scores.whole)}
        for role in self._roles:
            players = [Player(role), *self.members_of(role)]
            numbers = [player.number for player in players]
            ratings = [self.ratings.values[player] for player in players]
            made[f"{role}/numbers"] = torch.tensor(numbers, dtype=torch.int64)
            made[f"{role}/ratings"] = torch.tensor(ratings, dtype=torch.float64)
            for player in players[1:]:
                weights = self.members[player]
                made |= {f"{role}/member/{player.number}/{k}": v for k, v in weights.items()}
        for one in self.selves:
            lead = f"{one.seat.role}/seat/{one.seat.number}"
            made[f"{lead}/playing"] = torch.tensor([one.player.number, one.games])
            made[f"{lead}/state"] = one.state
        return made

    def restore(self, found: Mapping[str, Tensor]) -> None:
        """Take up what `tensors` gave."""
        self._scores.sums.copy_(found["sums"])
        self._scores.whole[:] = found["whole"].cpu().numpy()
        self.members.clear()
        self.ratings.values.clear()
        for role in self._roles:
            ratings = found[f"{role}/ratings"].tolist()
            for number, values in zip(found[f"{role}/numbers"].tolist(), ratings, strict=True):
                self.ratings.values[Player(role, number)] = Rating(*values)
                if number != LEARNING:
                    lead = f"{role}/member/{number}/"
                    self.members[Player(role, number)] = _under(found, lead)
        for one in self.selves:
            lead = f"{one.seat.role}/seat/{one.seat.number}"
            number, games = found[f"{lead}/playing"].tolist()
            player = Player(one.seat.role, number)
            if player in self.members:
                one.exchange(player, self.members[player])
            one.games = games
            one.state.copy_(found[f"{lead}/state"])


def _under(found: Mapping[str, Tensor], lead: str) -> Weights:
    return {name.removeprefix(lead): x for name, x in found.items() if name.startswith(lead)}


def _spread(episodes: np.ndarray) -> Sequence[int]:
    """Pick at most `MAX_RATED` episodes, evenly."""
    count = min(len(episodes), MAX_RATED)
    at = np.arange(count) * len(episodes) // max(count, 1)
    return [int(episode) for episode in episodes[at]]
