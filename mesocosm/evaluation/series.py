"""Series of games between the same players: on several seeds, and with the sides exchanged."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import closing, nullcontext
from dataclasses import asdict, dataclass
from pathlib import Path
from string import ascii_uppercase
from typing import Any, NamedTuple

from mesocosm.config.identity import dump
from mesocosm.core.errors import ConfigError
from mesocosm.core.spec import Spec
from mesocosm.evaluation.arena.tables import write_table
from mesocosm.evaluation.game_store import GameStore, StoredGame, play_again
from mesocosm.evaluation.match import (
    Players,
    Program,
    derive_seed,
    draw_seed,
    name_program,
    play_between,
)
from mesocosm.evaluation.match_result import MatchResult
from mesocosm.evaluation.programs.command import is_program, read_command
from mesocosm.evaluation.programs.files import check_same_files, digest_file, digest_files
from mesocosm.evaluation.programs.limits import Limits
from mesocosm.evaluation.seats import divide
from mesocosm.evaluation.series_result import GAME, Game, SeriesResult
from mesocosm.sim.engine import Engine
from mesocosm.telemetry.recorder import record
from mesocosm.telemetry.run_folder import TABLES
from mesocosm.telemetry.tables.parquet import has_pyarrow

MOST_SEEDS = 100_000
MOST_PLAYERS = len(ascii_uppercase)
Advance = Callable[[Game], None]


class Round(NamedTuple):
    """One game of a series that is to be played."""

    seed: int
    players: dict[str, str]  # by seat: the player's letter


def seats_of(spec: Spec, count: int) -> list[str]:
    """Name the seat of each player, or say why so many cannot play."""
    if not 2 <= count <= MOST_PLAYERS:
        raise ConfigError(f"a series needs 2 to {MOST_PLAYERS} players, got {count}")
    return divide(spec, count)


def plan_rounds(
    seats: Sequence[str], *, count: int, swap: bool, seed: int | None = None
) -> list[Round]:
    """List the games: `count` seeds, each with every rotation of the players if they swap."""
    if not 1 <= count <= MOST_SEEDS:
        raise ConfigError(f"series: must be between 1 and {MOST_SEEDS:,} seeds, got {count:,}")
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

    def data(self) -> dict[str, Any]:
        """Give the settings as plain data."""
        return asdict(self) | {"readable": [str(path) for path in self.readable]}

    @classmethod
    def of_data(cls, data: Mapping[str, Any]) -> "SeriesSettings":
        """Make settings of plain data."""
        paths = tuple(Path(path) for path in data["readable"])
        return cls(**{**data, "limits": Limits(**data["limits"]), "readable": paths})


def play_series(  # noqa: PLR0913 (the one front door)
    env: Engine,
    programs: Sequence[Program],
    settings: SeriesSettings,
    *,
    out: Path | None = None,
    resume: bool = False,
    advance: Advance = lambda game: None,
    interrupted: Callable[[], bool] = lambda: False,
) -> SeriesResult:
    """Play a series in an env of one episode that does not reset by itself.

    Players have a role each, or share the agents of the only one.

    Args:
        out: Where all games are recorded once they were played: a new run folder.
        resume: Whether to go on with the series of `out`, which was interrupted or killed.
        advance: Is told after each game how it ended.
        interrupted: Is asked before each game whether to stop.
    """
    store = None if out is None else GameStore(out)
    with nullcontext() if store is None else closing(store):
        plan = _open_plan(env, programs, settings, store, resume=resume)
        by = "rules" if is_judged_by_rules(env.spec) else "returns"
        names = dict(zip(ascii_uppercase, map(name_program, programs), strict=False))
        series = SeriesResult(names, by, settings.seed, plan.program_seed)
        hidden = () if store is None else (store.out, store.path)
        paths: dict[str, Any] = {"readable": settings.readable, "hidden": hidden}
        for k, game in enumerate(plan.rounds):
            kept = None if store is None else store.find(k)
            if kept is None and interrupted():
                series.interrupted = True
                return series
            if kept is None:
                players = Players(env.config, settings.limits, **paths)
                kept = _play(env, players, programs, game, plan.seeds(k))
                if store is not None:
                    store.keep(k, kept)
            series.games.append(Game.of_data(kept.data))
            advance(series.games[-1])
        if store is not None:
            _record(env, series, store)
    return series


class SeriesPlan(NamedTuple):
    """What is fixed before the first game, also where chance fixed it."""

    rounds: list[Round]
    program_seed: int

    def seeds(self, number: int) -> dict[str, int]:
        """Give the programs' own seeds in a game, by seat."""
        seats = enumerate(self.rounds[number].players)
        return {seat: derive_seed(self.program_seed, number, j) for j, seat in seats}


def _open_plan(
    env: Engine,
    programs: Sequence[Program],
    settings: SeriesSettings,
    store: GameStore | None,
    *,
    resume: bool,
) -> SeriesPlan:
    """Make the plan of a series, or read the one that was made."""
    if resume and store is not None:
        data = store.read_plan()
        store.take()
        check_same_programs(data, programs, settings, store)
        rounds = [Round(int(seed), dict(players)) for seed, players in data["rounds"]]
        return SeriesPlan(rounds, int(data["program_seed"]))
    own = draw_seed() if settings.program_seed is None else settings.program_seed
    seats = seats_of(env.spec, len(programs))
    rounds = plan_rounds(seats, count=settings.count, swap=settings.swap, seed=settings.seed)
    if store is not None:
        head: dict[str, Any] = {"config": dump(env.config), "target": env.target}
        head |= {"programs": [name_program(p) for p in programs]}
        head |= {"files": [files_of(program, settings) for program in programs]}
        store.begin(head | {"rounds": rounds, "program_seed": own, "settings": settings.data()})
    return SeriesPlan(rounds, own)


def files_of(program: Program, settings: SeriesSettings) -> dict[str, str]:
    """Give the sha256 of every file that a player's text names, by its path."""
    if not isinstance(program, str):
        return {}
    if is_program(program):
        return digest_files(read_command(program, settings.readable))
    path = program.removesuffix(":greedy").removesuffix(":sampled")
    return {path: digest_file(path)} if Path(path).is_file() else {}


def check_same_programs(
    plan: Mapping[str, Any],
    programs: Sequence[Program],
    settings: SeriesSettings,
    store: GameStore,
) -> None:
    """Refuse to go on with a series with other files than those that began it."""
    for program, before in zip(programs, plan.get("files", ()), strict=False):
        now = files_of(program, settings)
        check_same_files(before, now, who=name_program(program), where=store.path)


def _record(env: Engine, series: SeriesResult, store: GameStore) -> None:
    """Write the run folder: all games once more, from what was done in them."""
    games = (store.find(k) for k in range(len(series.games)))
    for game in series.games:
        game.result.run = str(store.out)
    with record(env, store.out) as recorder:
        play_again(env, (game for game in games if game is not None))
        if has_pyarrow():
            recorder.include(write_table(store.out / TABLES, "game", GAME, series.rows()))
        recorder.note(match=series.data())
    store.remove()


def _play(
    env: Engine, players: Players, programs: Iterable[Program], game: Round, seeds: dict[str, int]
) -> StoredGame:
    """Play one game with fresh players."""
    by_letter = dict(zip(ascii_uppercase, programs, strict=False))
    given = {seat: by_letter[letter] for seat, letter in game.players.items()}
    result = MatchResult(seed=game.seed, program_seeds=seeds)
    result.programs = {seat: name_program(program) for seat, program in given.items()}
    actions = play_between(env, players, given, result)
    won = judge(result, env.spec)
    made = Game(game.players, tuple(game.players[seat] for seat in won), result)
    return StoredGame(made.data(), actions, env.digest())
