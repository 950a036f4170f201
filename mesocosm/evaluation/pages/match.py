"""Write the page about a series of matches."""

import shlex
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from mesocosm.core.errors import RunError
from mesocosm.evaluation.pages.shared import changes_section, files_section
from mesocosm.evaluation.pages.source import Source, source_words
from mesocosm.evaluation.report.document import (
    Cell,
    below,
    grid,
    heading,
    section,
    write_commands,
    write_document,
    write_films,
    write_rows,
)
from mesocosm.evaluation.report.facts import hashes_of, write_pairs
from mesocosm.evaluation.report.forest import Entry, colour_of, draw_boxes, draw_forest
from mesocosm.evaluation.report.svg import percent
from mesocosm.evaluation.statistics.describe import estimate_mean, estimate_share
from mesocosm.evaluation.statistics.estimate import Estimate

HEAD = ("player", "games", "wins", "draws", "losses", "forfeits", "mean return", "slowest move")
GAME_HEAD = ("game", "seed", "seats", "won by", "ended by", "steps", "returns", "forfeits")


class Side(NamedTuple):
    """A player, and how it fared."""

    name: str
    letter: str
    won: list[bool]
    returns: list[float]  # of games that nobody forfeited
    forfeits: int
    draws: int
    slowest: float


class Series(NamedTuple):
    """The games of a run, and who played them."""

    games: Sequence[Mapping[str, Any]]
    programs: Mapping[str, str]  # by letter

    def label(self, letter: str) -> str:
        """Name a player so that two of one program differ."""
        return f"{letter} ({self.programs.get(letter, '')})"


def read_series(about: Mapping[str, Any], where: str) -> Series:
    """Read what a match noted; a single one has seats instead of players."""
    try:
        match = about["match"]
        games = [dict(game) for game in match["games"]]
        programs = {str(k): str(v) for k, v in (match.get("programs") or {}).items()}
        for game in games:
            if not programs or "players" not in game:
                programs = {str(seat): str(name) for seat, name in game["programs"].items()}
                game["players"] = {seat: seat for seat in game["programs"]}
                game["winners"] = _winners(game)
            _ = [int(game["steps"]), *(float(x) for x in game["mean_return"].values())]
            _ = game["seed"], game["reason"], game["winners"], dict(game["forfeits"])
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise RunError(f"{where}: damaged: its games cannot be read: {error}") from None
    if not games:
        raise RunError(f"{where}: no game was played")
    return Series(games, programs)


def _winners(game: Mapping[str, Any]) -> list[str]:
    if game["forfeits"]:
        return [seat for seat in game["outcome"] if seat not in game["forfeits"]]
    return [seat for seat in game["outcome"] if seat.partition("[")[0] == game["winner"]]


def match_command(about: Mapping[str, Any], series: Series, folder: Path) -> str:
    """Write the command that plays a series again; without its seed, other games come of it."""
    config, *sets = source_words(about, folder / "config.yaml")
    seeds = len({game["seed"] for game in series.games})
    words = ["mesocosm", "match", config, *series.programs.values(), "--series", str(seeds)]
    words += ["--swap"] if len(series.games) > seeds else []
    match = about["match"]
    for key, option in (("seed", "--seed"), ("program_seed", "--program-seed")):
        if match.get(key) is not None:
            words += [option, str(match[key])]
    return shlex.join([*words, *sets])


def write_match(source: Source, series: Series) -> str:
    """Write the page."""
    about, games = source.about, series.games
    title = f"{about['preset']}: {len(games):,} games"
    seeds = len({game["seed"] for game in games})
    judged = "the rules" if about["match"].get("judged_by", "rules") == "rules" else "mean return"
    words = f"{len(games):,} games on {seeds:,} seeds, decided by {judged}; who forfeits has lost."
    sections = [heading(title, words), _standings(series), _seats(series), _lengths(series)]
    sections += [_games(series), write_films("Games", source.films, source.film_note)]
    sections += [write_commands(source.commands), changes_section(source.changes)]
    sections.append(section("Hashes and versions", write_pairs(hashes_of(about, {}))))
    return write_document(title, [*sections, files_section(source.files)])


def _side(series: Series, letter: str) -> Side:
    side = Side(series.label(letter), letter, [], [], 0, 0, 0.0)
    forfeits = draws = 0
    slowest = 0.0
    for game in series.games:
        for seat, player in game["players"].items():
            if player != letter:
                continue
            side.won.append(letter in game["winners"])
            forfeits += seat in game["forfeits"]
            draws += not game["winners"] and not game["forfeits"]
            slowest = max(slowest, float((game.get("slowest") or {}).get(seat, 0.0)))
            if not game["forfeits"]:
                side.returns.append(float(game["mean_return"][seat]))
    return side._replace(forfeits=forfeits, draws=draws, slowest=slowest)


def _entry(name: str, found: Estimate, k: int) -> Entry:
    return Entry(name, found.value, found.low, found.high, colour_of(k))


def _standings(series: Series) -> str:
    sides = [_side(series, letter) for letter in series.programs]
    wins = [
        _entry(side.name, estimate_share(sum(side.won), len(side.won)), k)
        for k, side in enumerate(sides)
    ]
    returns = [
        _entry(side.name, estimate_mean(side.returns, kind="number"), k)
        for k, side in enumerate(sides)
    ]
    lines: list[list[Cell]] = [
        [s.name, len(s.won), sum(s.won), s.draws, len(s.won) - sum(s.won) - s.draws, s.forfeits,
         sum(s.returns) / len(s.returns) if s.returns else None,
         f"{1000 * s.slowest:.1f} ms" if s.slowest else "-"]
        for s in sides
    ]  # fmt: skip
    drawn = [draw_forest("Share of games won", wins, form=percent),
             draw_forest("Mean return of a life", returns)]  # fmt: skip
    if any(side.returns for side in sides):
        samples = {side.name: side.returns for side in sides}
        drawn.append(draw_boxes("Return of a life, by game", samples, "return"))
    note = (
        "Intervals are 95 %, over games: of the share won exact, of the return where a method "
        "covers. Boxes are the middle half of all games, with the median."
    )
    return section("Standings", grid(drawn, "two") + below(write_rows(HEAD, lines)), note)


def _seats(series: Series) -> str:
    seats = list(dict.fromkeys(seat for game in series.games for seat in game["players"]))
    entries = []
    for k, seat in enumerate(seats):
        won = [game["players"].get(seat) in game["winners"] for game in series.games]
        entries.append(_entry(seat, estimate_share(sum(won), len(won)), k))
    lines: list[list[Cell]] = []
    for seat in seats:
        line: list[Cell] = [seat]
        for letter in series.programs:
            own = [game for game in series.games if game["players"].get(seat) == letter]
            wins = sum(letter in game["winners"] for game in own)
            line.append(f"{wins} of {len(own)}" if own else "-")
        lines.append(line)
    head = ["wins as", *(series.label(letter) for letter in series.programs)]
    drawn = grid([draw_forest("Share of games that a seat won", entries, form=percent)], "two")
    return section("Seats", drawn + below(write_rows(head, lines)))


def _lengths(series: Series) -> str:
    lengths: dict[str, list[float]] = {}
    for game in series.games:
        lengths.setdefault(str(game["reason"]) or "forfeited", []).append(float(game["steps"]))
    counts = ", ".join(f"{name} {len(found):,}" for name, found in lengths.items())
    drawn = draw_boxes("Length of a game, by how it ended", lengths, "steps")
    return section("How games ended", grid([drawn], "two"), f"{counts}.")


def _games(series: Series) -> str:
    lines: list[list[Cell]] = []
    for k, game in enumerate(series.games):
        seats = ", ".join(f"{seat}: {letter}" for seat, letter in game["players"].items())
        returns = ", ".join(f"{game['players'][seat]} {value:.2f}"
                            for seat, value in game["mean_return"].items())  # fmt: skip
        why = "; ".join(f"{seat}: {text}" for seat, text in game["forfeits"].items())
        won = ", ".join(map(str, game["winners"])) or "nobody"
        lines.append([str(k), str(game["seed"]), seats, won, str(game["reason"]), game["steps"],
                      returns, why])  # fmt: skip
    return section("Games", write_rows(GAME_HEAD, lines))
