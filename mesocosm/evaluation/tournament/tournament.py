"""Play a tournament: pairs meet in every seat, in a fixed order that an interruption keeps."""

from collections.abc import Iterator
from itertools import islice
from typing import Literal, NamedTuple

from mesocosm.core.errors import ConfigError
from mesocosm.evaluation.arena.arena import Arena
from mesocosm.evaluation.arena.bout import Bout
from mesocosm.evaluation.arena.entrant import find_fault
from mesocosm.evaluation.arena.lineup import Lineup, pair_lineups
from mesocosm.evaluation.tournament.games import Game, find_games
from mesocosm.evaluation.tournament.schedule import (
    Pair,
    num_swiss_rounds,
    pair_round,
    round_robin,
)

Format = Literal["round-robin", "swiss"]
FORMATS: tuple[Format, ...] = ("round-robin", "swiss")


class Pairing(NamedTuple):
    """How two entrants met, or one itself."""

    number: int
    round: int
    first: int
    second: int
    bouts: tuple[Bout, ...]
    games: tuple[Game, ...]
    note: str = ""  # why they did not meet in every seat

    @property
    def points(self) -> tuple[float, float]:
        """What either won, as shares of their games; two who forfeited won nothing."""
        won = [game.points for game in self.games]
        if not won:
            return 0.0, 0.0
        return sum(p[0] for p in won) / len(won), sum(p[1] for p in won) / len(won)


class Tournament:
    """Plays the pairings of a format; `pairings` has them in the order in which they were played.

    Args:
        rounds: Of a Swiss tournament; None: as many as it takes to find a winner, and one more.
    """

    def __init__(self, arena: Arena, form: Format, *, rounds: int | None = None) -> None:
        self.arena, self.form = arena, form
        self.num_entrants = len(arena.entrants)
        if self.num_entrants < 2:
            raise ConfigError(f"tournament: needs at least two entrants, got {self.num_entrants}")
        most = self.num_entrants - 1
        if rounds is not None and not 1 <= rounds <= most:
            raise ConfigError(f"--rounds: must be between 1 and {most}, got {rounds}")
        self.num_rounds = rounds or num_swiss_rounds(self.num_entrants)
        self.pairings: list[Pairing] = []
        self.byes: list[int] = []
        self._faults = self._find_faults()

    def _find_faults(self) -> dict[tuple[int, str], str]:
        """Say who cannot play which role, and why."""
        spec, found = self.arena.spec(), {}
        for k, entrant in enumerate(self.arena.entrants):
            for role in spec.roles.values():
                fault = find_fault(entrant, role, spec.world)
                if fault:
                    found[k, role.name] = fault
        return found

    @property
    def num_bouts(self) -> int:
        """How many bouts there will be, if everybody can play everything."""
        if self.form == "swiss":
            return self.num_rounds * (self.num_entrants // 2) * 2
        pairs = round_robin(self.num_entrants, with_self=True)
        return sum(1 if i == j else 2 for i, j in pairs)

    def play(self) -> list[Pairing]:
        """Play to the end."""
        for turn, pairs in self._rounds():
            planned = [self._plan(pair) for pair in pairs]
            wanted = [(lineup, 0) for lineups, _ in planned for lineup in lineups]
            played = iter(self.arena.play_all(wanted))
            for pair, (lineups, note) in zip(pairs, planned, strict=True):
                bouts = tuple(islice(played, len(lineups)))
                self.pairings.append(self._compare(turn, pair, bouts, note))
        return self.pairings

    def _rounds(self) -> Iterator[tuple[int, list[Pair]]]:
        """Give the pairs that meet in each round; those of the next depend on how it went."""
        if self.form == "round-robin":
            yield 0, round_robin(self.num_entrants, with_self=True)
            return
        for turn in range(self.num_rounds):
            met = [(pairing.first, pairing.second) for pairing in self.pairings]
            pairs, out = pair_round(self.num_entrants, self.points(), met, self.byes)
            yield turn, pairs
            if out is not None:
                self.byes.append(out)

    def points(self) -> dict[int, float]:
        """Give what everybody has won so far; who sat out a round has won it."""
        made = dict.fromkeys(range(self.num_entrants), 0.0)
        for pairing in self.pairings:
            if pairing.first != pairing.second:
                for k, points in zip((pairing.first, pairing.second), pairing.points, strict=True):
                    made[k] += points
        for k in self.byes:
            made[k] += 1.0
        return made

    def _plan(self, pair: Pair) -> tuple[list[Lineup], str]:
        """Give the lineups in which two meet, and why they cannot in others."""
        found = [(lineup, self._fault(lineup)) for lineup in pair_lineups(self.arena.spec(), *pair)]
        note = "; ".join(dict.fromkeys(fault for _, fault in found if fault))
        return [lineup for lineup, fault in found if not fault], note

    def _compare(self, turn: int, pair: Pair, bouts: tuple[Bout, ...], note: str) -> Pairing:
        count = self.arena.conditions.episodes.count
        games = find_games(self.arena.spec(), bouts, *pair, count)
        return Pairing(len(self.pairings), turn, *pair, bouts, tuple(games), note)

    def _fault(self, lineup: Lineup) -> str:
        """Say why a lineup cannot be played."""
        for role in self.arena.spec().roles.values():
            for k in dict.fromkeys(lineup[role.span]):
                if (k, role.name) in self._faults:
                    return self._faults[k, role.name]
        return ""
