"""What the games of a series come to: standings, reasons of forfeits, rows of a table."""

from collections import Counter
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Any

from mesocosm.evaluation.arena.tables import Kinds
from mesocosm.evaluation.match_result import MatchResult

GAME: Kinds = {
    "game": ("int64", "number of the game"),
    "seat": ("text", "agents that were played"),
    "player": ("text", "letter of who played them"),
    "program": ("text", "what names the player"),
    "seed": ("int64", "of the env"),
    "steps": ("int64", "steps played"),
    "reason": ("text", "why the game ended"),
    "outcome": ("text", "how it ended for the seat"),
    "won": ("int64", "1 if the player won"),
    "mean_return": ("float64", "of a life"),
    "slowest": ("float64", "seconds of the slowest move of a program"),
    "forfeit": ("text", "when and why it forfeited; empty if it did not"),
}


@dataclass(frozen=True)
class Game:
    """One game of a series that was played."""

    players: dict[str, str]  # by seat: the player's letter
    winners: tuple[str, ...]  # letters; several where all but one forfeited, none in a draw
    result: MatchResult

    def data(self) -> dict[str, Any]:
        """Give the game as plain data."""
        return asdict(self.result) | {"players": self.players, "winners": list(self.winners)}

    @classmethod
    def of_data(cls, data: Mapping[str, Any]) -> "Game":
        """Make a game of plain data."""
        rest = {key: value for key, value in data.items() if key not in {"players", "winners"}}
        return cls(data["players"], tuple(data["winners"]), MatchResult(**rest))


@dataclass
class Standing:
    """What became of one player."""

    player: str
    program: str
    games: int = 0
    wins: int = 0
    draws: int = 0
    losses: int = 0
    forfeits: int = 0
    slowest: float = 0.0
    wins_by_seat: dict[str, int] = field(default_factory=dict)
    returns: list[float] = field(default_factory=list)  # of games that nobody forfeited

    @property
    def mean_return(self) -> float | None:
        """What an agent of it earned in a life, over games that nobody forfeited."""
        return sum(self.returns) / len(self.returns) if self.returns else None


@dataclass
class SeriesResult:
    """The games of a series, and what they come to."""

    programs: dict[str, str]  # by letter
    judged_by: str  # what decides a game that nobody forfeits: rules or returns
    seed: int | None
    program_seed: int
    games: list[Game] = field(default_factory=list)
    interrupted: bool = False

    def standings(self) -> list[Standing]:
        """Count for every player."""
        made = {letter: Standing(letter, text) for letter, text in self.programs.items()}
        for game in self.games:
            for seat, letter in game.players.items():
                _count(made[letter], seat, game)
        return list(made.values())

    def reasons(self) -> list[tuple[str, str, int]]:
        """Give (player, reason, how often) of all forfeits, the most frequent first."""
        found = Counter(
            (game.players[seat], text.partition(": ")[2])
            for game in self.games
            for seat, text in game.result.forfeits.items()
        )
        return [(*key, count) for key, count in found.most_common()]

    def rows(self) -> list[dict[str, Any]]:
        """Give a row for every seat in every game."""
        return [
            {
                "game": number,
                "seat": seat,
                "player": letter,
                "program": game.result.programs[seat],
                "seed": game.result.seed,
                "steps": game.result.steps,
                "reason": game.result.reason,
                "outcome": game.result.outcome[seat],
                "won": int(letter in game.winners),
                "mean_return": game.result.mean_return[seat],
                "slowest": game.result.slowest.get(seat),
                "forfeit": game.result.forfeits.get(seat, ""),
            }
            for number, game in enumerate(self.games)
            for seat, letter in game.players.items()
        ]

    def data(self) -> dict[str, Any]:
        """Give all of it as plain data."""
        table = [asdict(s) | {"mean_return": s.mean_return} for s in self.standings()]
        head: dict[str, Any] = {"programs": self.programs, "judged_by": self.judged_by}
        head |= {"seed": self.seed, "program_seed": self.program_seed, "standings": table}
        return head | {
            "forfeits": [
                {"player": player, "reason": reason, "games": count}
                for player, reason, count in self.reasons()
            ],
            "games": [game.data() for game in self.games],
            "interrupted": self.interrupted,
        }

    @classmethod
    def of_data(cls, data: Mapping[str, Any]) -> "SeriesResult":
        """Make a result of plain data."""
        head = (data["programs"], data["judged_by"], data["seed"], data["program_seed"])
        return cls(*head, list(map(Game.of_data, data["games"])), data["interrupted"])


def _count(standing: Standing, seat: str, game: Game) -> None:
    standing.games += 1
    won = standing.player in game.winners
    standing.wins += won
    standing.wins_by_seat[seat] = standing.wins_by_seat.get(seat, 0) + won
    standing.losses += not won and bool(game.winners or game.result.forfeits)
    standing.draws += not game.winners and not game.result.forfeits
    standing.forfeits += seat in game.result.forfeits
    standing.slowest = max(standing.slowest, game.result.slowest.get(seat, 0.0))
    if not game.result.forfeits:
        standing.returns.append(game.result.mean_return[seat])
