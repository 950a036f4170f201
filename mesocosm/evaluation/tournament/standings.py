"""What a tournament came to: standings with ratings, cross-play, pairings, seats."""

from collections.abc import Sequence

import numpy as np

from mesocosm.evaluation.arena.lineup import seat_names, seats_by_agent
from mesocosm.evaluation.arena.summary import interval
from mesocosm.evaluation.arena.tables import Kinds, Row
from mesocosm.evaluation.statistics.describe import estimate_mean
from mesocosm.evaluation.statistics.seats import FEWEST, compare_seats
from mesocosm.evaluation.tournament.games import choose_measure
from mesocosm.evaluation.tournament.ratings import rate_entrants
from mesocosm.evaluation.tournament.tournament import Pairing, Tournament

STANDING: Kinds = {
    "place": ("int64", "by rating"),
    "entrant": ("text", "who"),
    "rating": ("float64", "OpenSkill; a newcomer has 25"),
    "uncertainty": ("float64", "standard error of the rating"),
    "games": ("int64", "against others"),
    "won": ("float64", "share of the games, ties as halves"),
    "points": ("float64", "sum of the shares won against each other entrant, and byes"),
    "mean_return": ("float64", "of an agent in an episode, in bouts with others"),
    "forfeits": ("int64", "bouts that it forfeited"),
    "reason": ("text", "of its first forfeit"),
}
CROSSPLAY: Kinds = {
    "entrant": ("text", "whose return it is"),
    "beside": ("text", "who plays the other seats"),
    "episodes": ("int64", "that both played to the end, each in every seat"),
    "mean_return": ("float64", "of an agent in an episode; over both orders of seats"),
    "low": ("float64", "of its 95 % interval over episodes"),
    "high": ("float64", "of its 95 % interval over episodes"),
    "won": ("float64", "share of their games, ties as halves"),
    "games": ("int64", "that were compared"),
    "forfeits": ("text", "who forfeited, and why"),
}
PAIRING: Kinds = {
    "pairing": ("int64", "in the order in which they were played"),
    "round": ("int64", "of a Swiss tournament"),
    "first": ("text", "who had the first seat first"),
    "second": ("text", "whom it met"),
    "games": ("int64", "that were compared"),
    "first_won": ("float64", "share of the games, ties as halves"),
    "bouts": ("int64", "that were played: with the seats as they are, and swapped"),
    "note": ("text", "why they did not meet in every seat"),
}
SEAT: Kinds = {
    "seat": ("text", "a role, or an agent of the one role"),
    "episodes": ("int64", "played to their end in both orders of seats"),
    "mean_return": ("float64", "of who had it"),
    "advantage": ("float64", "over the mean of the other seats in the same episodes"),
    "low": ("float64", "of its 95 % interval over episodes"),
    "high": ("float64", "of its 95 % interval over episodes"),
    "verdict": ("text", "better, worse or not distinguishable, corrected for the number of seats"),
    "won": ("float64", "share of the episodes, where the world names the role that won"),
}
Tables = dict[str, tuple[Kinds, list[Row]]]


def make_tables(tournament: Tournament) -> Tables:
    """Give all tables of a tournament."""
    return {
        "standing": (STANDING, standing_rows(tournament)),
        "crossplay": (CROSSPLAY, crossplay_rows(tournament)),
        "pairing": (PAIRING, pairing_rows(tournament)),
        "seat": (SEAT, seat_rows(tournament)),
    }


def standing_rows(tournament: Tournament) -> list[Row]:
    """List entrants, the best rated first."""
    met = [pairing for pairing in tournament.pairings if pairing.first != pairing.second]
    ratings = rate_entrants(tournament.num_entrants, [pairing.games for pairing in met])
    points, names = tournament.points(), tournament.arena.names
    made: list[Row] = []
    for k, rating in ratings.items():
        won = [game.points[game.second == k] for p in met for game in p.games
               if k in (game.first, game.second)]  # fmt: skip
        told = [b.forfeits[k] for p in tournament.pairings for b in p.bouts if k in b.forfeits]
        made.append(
            {
                "entrant": names[k],
                "rating": rating.mu,
                "uncertainty": rating.sigma,
                "games": len(won),
                "won": sum(won) / len(won) if won else None,
                "points": points[k],
                "mean_return": _mean_return(met, k),
                "forfeits": len(told),
                "reason": told[0] if told else "",
            }
        )
    made.sort(key=lambda row: (-row["rating"], -row["points"], row["entrant"]))
    return [{"place": place} | row for place, row in enumerate(made, 1)]


def _mean_return(pairings: Sequence[Pairing], entrant: int) -> float | None:
    """Average what an entrant earned in all its bouts with others."""
    mine = [p for p in pairings if entrant in (p.first, p.second)]
    values = [bout.returns_of(entrant) for p in mine for bout in p.bouts if not bout.forfeits]
    known = np.concatenate(values) if values else np.zeros(0)
    known = known[~np.isnan(known)]
    return float(known.mean()) if len(known) else None


def crossplay_rows(tournament: Tournament) -> list[Row]:
    """List what everybody earned beside everybody."""
    made = []
    for pairing in tournament.pairings:
        made.append(_crossplay(tournament, pairing, pairing.first, pairing.second))
        if pairing.first != pairing.second:
            made.append(_crossplay(tournament, pairing, pairing.second, pairing.first))
    order = {name: k for k, name in enumerate(tournament.arena.names)}
    return sorted(made, key=lambda row: (order[row["entrant"]], order[row["beside"]]))


def _crossplay(tournament: Tournament, pairing: Pairing, mine: int, other: int) -> Row:
    names = tournament.arena.names
    played = [bout for bout in pairing.bouts if not bout.forfeits]
    whole = bool(played) and len(played) == len(pairing.bouts)
    values = np.zeros(0)
    if whole:
        values = np.mean([bout.returns_of(mine) for bout in played], axis=0)
        values = values[~np.isnan(values)]
    won = [game.points[game.second == mine] for game in pairing.games]
    told = (f"{names[k]}: {why}" for bout in pairing.bouts for k, why in bout.forfeits.items())
    return {
        "entrant": names[mine],
        "beside": names[other],
        "episodes": len(values),
        **interval("mean_return", estimate_mean(values, kind="number")),
        "won": sum(won) / len(won) if won else None,
        "games": len(won),
        "forfeits": "; ".join(dict.fromkeys(told)),
    }


def pairing_rows(tournament: Tournament) -> list[Row]:
    """List the pairings in the order in which they were played."""
    names = tournament.arena.names
    return [
        {
            "pairing": pairing.number,
            "round": pairing.round,
            "first": names[pairing.first],
            "second": names[pairing.second],
            "games": len(pairing.games),
            "first_won": pairing.points[0] if pairing.games else None,
            "bouts": len(pairing.bouts),
            "note": pairing.note,
        }
        for pairing in tournament.pairings
    ]


def seat_rows(tournament: Tournament) -> list[Row]:
    """Say what each seat was worth, over pairs that met in both orders of seats."""
    spec = tournament.arena.spec()
    whole = [p for p in tournament.pairings
             if len(p.bouts) == 2 and not any(bout.forfeits for bout in p.bouts)]  # fmt: skip
    bouts = [bout for pairing in whole for bout in pairing.bouts]
    names, seats = seat_names(spec), np.array(seats_by_agent(spec))
    if not bouts or len(names) < 2:
        return []
    returns = np.mean([bout.returns() for bout in bouts], axis=0)  # [episode, agent]
    by_seat = np.stack([returns[:, seats == k].mean(1) for k in range(len(names))], 1)
    by_seat = by_seat[~np.isnan(by_seat).any(1)]
    if len(by_seat) < FEWEST:
        return []
    rounds, seat = np.indices(by_seat.shape)
    test = compare_seats(by_seat.ravel(), rounds.ravel(), seat.ravel())
    codes = np.concatenate([bout.endings[bout.endings > 0] for bout in bouts]).tolist()
    winners = [spec.winner(code) for code in codes]
    decided = choose_measure(spec) == "winner"
    return [
        {
            "seat": names[entry.seat],
            "episodes": test.episodes,
            "mean_return": entry.mean,
            **interval("advantage", entry.advantage),
            "verdict": entry.verdict,
            "won": winners.count(names[entry.seat]) / len(winners) if decided and winners else None,
        }
        for entry in test.seats
    ]
