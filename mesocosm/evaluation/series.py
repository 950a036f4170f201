"""Series of games between the same players: on several seeds, and with the sides exchanged."""

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from string import ascii_uppercase
from typing import Any, NamedTuple

from mesocosm.core.errors import ConfigError
from mesocosm.core.spec import Spec
from mesocosm.evaluation.match import (
    Players,
    Program,
    derive_seed,
    draw_seed,
    name_program,
    play_between,
    recording,
)
from mesocosm.evaluation.match_result import MatchResult
from mesocosm.evaluation.programs.limits import Limits
from mesocosm.evaluation.seats import divide
from mesocosm.sim.engine import Engine

MOST_PLAYERS = len(ascii_uppercase)
Advance = Callable[["Game"], None]


class Round(NamedTuple):
    """One game of a series that is to be played."""

    seed: int
    players: dict[str, str]  # by seat: the player's letter


@dataclass(frozen=True)
class Game:
    """One game of a series that was played."""

    players: dict[str, str]  # by seat: the player's letter
    winners: tuple[str, ...]  # letters; several where all but one forfeited, none in a draw
    result: MatchResult

    def data(self) -> dict[str, Any]:
        """Give the game as plain data."""
        return asdict(self.result) | {"players": self.players, "winners": list(self.winners)}


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


def seats_of(spec: Spec, count: int) -> list[str]:
    """Name the seat of each player, or say why so many cannot play."""
    if not 2 <= count <= MOST_PLAYERS:
        raise ConfigError(f"a series needs 2 to {MOST_PLAYERS} players, got {count}")
    return divide(spec, count)


def plan_rounds(
    seats: Sequence[str], *, count: int, swap: bool, seed: int | None = None
) -> list[Round]:
    """List the games: `count` seeds, each with every rotation of the players if they swap."""
    letters = ascii_uppercase[: len(seats)]
    shifts = range(len(seats) if swap else 1)
    rounds = []
    for k in range(count):
        word = draw_seed() if seed is None else derive_seed(seed, k)
        for shift in shifts:
            turned = letters[-shift:] + letters[:-shift] if shift else letters
            rounds.append(Round(word, dict(zip(seats, turned, strict=True))))
    return rounds


def judge(result: MatchResult, spec: Spec) -> list[str]:
    """Name the seats that won: by forfeit, by the rules, or where these name nobody by return."""
    if result.forfeits or is_judged_by_rules(spec):
        return result.winners
    best = max(result.mean_return.values())
    found = [seat for seat, value in result.mean_return.items() if value == best]
    return found if len(found) == 1 else []


def is_judged_by_rules(spec: Spec) -> bool:
    """Whether some ending names a winner."""
    return any(reason.winner for reason in spec.reasons)


@dataclass(frozen=True)
class SeriesSettings:
    """How a series is played.

    Args:
        count: Of seeds.
        swap: Whether each seed is played with every rotation of the players over the seats.
        seed: What the games' seeds are made of; None: chance, which no program can guess.
        program_seed: What the programs' own seeds are made of; None: chance.
        readable: What programs may read beside the folders that they are in.
    """

    count: int = 1
    swap: bool = False
    seed: int | None = None
    program_seed: int | None = None
    limits: Limits = Limits()  # noqa: RUF009 (frozen)
    readable: tuple[Path, ...] = ()


def play_series(
    env: Engine,
    programs: Sequence[Program],
    settings: SeriesSettings,
    *,
    out: Path | None = None,
    advance: Advance = lambda game: None,
    interrupted: Callable[[], bool] = lambda: False,
) -> SeriesResult:
    """Play a series in an env of one episode that does not reset by itself.

    Players have a role each, or share the agents of the only one.

    Args:
        out: Where all games are recorded: a new run folder.
        advance: Is told after each game how it ended.
        interrupted: Is asked before each game whether to stop.
    """
    seats = seats_of(env.spec, len(programs))
    own = draw_seed() if settings.program_seed is None else settings.program_seed
    by = "rules" if is_judged_by_rules(env.spec) else "returns"
    names = dict(zip(ascii_uppercase, map(name_program, programs), strict=False))
    series = SeriesResult(names, by, settings.seed, own)
    hidden = () if out is None else (Path(out),)
    rounds = plan_rounds(seats, count=settings.count, swap=settings.swap, seed=settings.seed)
    with recording(env, out) as recorder:
        for k, game in enumerate(rounds):
            if interrupted():
                series.interrupted = True
                break
            players = Players(
                env.config, settings.limits, readable=settings.readable, hidden=hidden
            )
            seeds = {seat: derive_seed(own, k, j) for j, seat in enumerate(seats)}
            series.games.append(_play(env, players, programs, game, seeds))
            advance(series.games[-1])
        if recorder is not None:
            recorder.note(match=series.data())
            recorder.close("interrupted" if series.interrupted else "finished")
    return series


def _play(
    env: Engine, players: Players, programs: Iterable[Program], game: Round, seeds: dict[str, int]
) -> Game:
    """Play one game with fresh players."""
    by_letter = dict(zip(ascii_uppercase, programs, strict=False))
    given = {seat: by_letter[letter] for seat, letter in game.players.items()}
    result = MatchResult(seed=game.seed, program_seeds=seeds)
    result.programs = {seat: name_program(program) for seat, program in given.items()}
    play_between(env, players, given, result)
    won = judge(result, env.spec)
    return Game(game.players, tuple(game.players[seat] for seat in won), result)
