"""Measure verdicts: equal sides, planted handicaps and planted seats, simulated and played.

`python -m benchmarks.evaluation.verdicts` compares policies with themselves on other seeds (2,000
times), plays a handicapped policy with as many episodes as a first comparison said it needs (100
times), and looks for a seat that catches more than the others.
"""

import argparse
import json
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.evaluation.distributions import PROMISED, Distribution
from benchmarks.evaluation.played import BATCH, Game, find_rest, make_game, returns
from mesocosm.cli.shared.output import Section, markdown
from mesocosm.evaluation.statistics.sample import Sample, sample
from mesocosm.evaluation.statistics.seats import compare_seats
from mesocosm.evaluation.statistics.verdict import NOT_DISTINGUISHABLE, WORSE, compare

RESULTS = Path(__file__).parent.parent / "results" / "evaluation"
SEED, HANDICAP, PILOT = 17, 0.05, 50
SELF_TRIALS, HANDICAP_TRIALS, SEAT_TRIALS = 2_000, 100, 100
REQUIRED_EQUAL, REQUIRED_FOUND = 0.935, 0.8
GAMES = (("commons", "steady"), ("commons/shocks", "steady"), ("commons/estate", "steady"))
MORE_GAMES = (("townlet/L3", "random"),)  # resting does not harm it: no handicap
LUCKY_SEAT = 2
SEATS = {
    "layers.power.intensity": 1.0,
    "layers.power.castes": {"lucky": {"effects": {"harvest": 1.1}}, "plain": {}},
    "layers.power.assign": {
        "harvester": ["lucky" if k == LUCKY_SEAT else "plain" for k in range(6)]
    },
}
Row = dict[str, Any]
BY_NAME = {entry.name: entry for entry in PROMISED}
SIMULATED = ("normal", "exponential", "lognormal 1.0", "50% low", "15% low", "p = 0.02", "p = 0.5")
HANDICAPPED = ("normal", "exponential", "lognormal 0.5", "lognormal 1.0", "p = 0.5", "p = 0.9")


def equal_simulated(trials: int) -> Iterator[Row]:
    """Compare sides that are alike."""
    for name in SIMULATED:
        for count in (6, 10, 30, 100):
            for paired in (False, True):
                rng = np.random.default_rng((SEED, count))
                values = BY_NAME[name].draw(rng, (trials, 2, count))
                found = Counter(
                    compare(sample(one), sample(two), paired=paired).verdict for one, two in values
                )
                yield {
                    "what": f"simulated: {name}", "n": count, "paired": paired, "trials": trials,
                    "equal": found[NOT_DISTINGUISHABLE] / trials,
                }  # fmt: skip


def equal_played(games: dict[str, Game], trials: int, count: int = 40) -> Iterator[Row]:
    """Compare a policy with itself on other seeds."""
    for name, game in games.items():
        sides = [cut(returns(game, first, trials * count), count) for first in (10_000, 20_000)]
        found = Counter(compare(*pair).verdict for pair in zip(*sides, strict=True))
        yield {
            "what": f"played: {name}", "n": count, "paired": False, "trials": trials,
            "equal": found[NOT_DISTINGUISHABLE] / trials,
        }  # fmt: skip


def cut(found: Sample, count: int) -> Iterator[Sample]:
    """Cut a long sample into parts of `count` episodes each."""
    order = np.argsort(found.episode, kind="stable")
    values, ids = found.values[order], found.episode[order]
    for first in range(0, found.num_episodes, count):
        span = slice(*np.searchsorted(ids, (first, first + count)))
        yield Sample(values[span], ids[span])


def handicap_simulated(trials: int) -> Iterator[Row]:
    """Plan with a few episodes, then look for the handicap with as many as were said."""
    for name in HANDICAPPED:
        for paired in (False, True):
            rng = np.random.default_rng((SEED, paired))
            needed, found = [], Counter[str]()
            for _ in range(trials):
                pilot = compare(*_simulate(BY_NAME[name], rng, PILOT, paired), paired=paired)
                needed.append(pilot.needed or PILOT)
                sides = _simulate(BY_NAME[name], rng, needed[-1], paired)
                found[compare(*sides, paired=paired).verdict] += 1
            yield _handicap_row(f"simulated: {name}", paired, needed, found, HANDICAP)


def _simulate(
    entry: Distribution, rng: np.random.Generator, count: int, paired: bool
) -> tuple[Sample, Sample]:
    """Draw a handicapped side and a whole one; in pairs they share half of their luck."""
    ours, theirs = entry.draw(rng, (2, count))
    if entry.kind == "0/1":  # 5 points of a hundred
        shared = rng.random(count) < 0.5
        ours = np.where(shared & paired, theirs, ours)
        return sample(ours * (rng.random(count) > HANDICAP / entry.mean)), sample(theirs)
    if paired:
        ours = np.where(rng.random(count) < 0.5, theirs, ours)
    return sample(ours * (1.0 - HANDICAP)), sample(theirs)


def _handicap_row(
    what: str, paired: bool, needed: list[int], found: Counter[str], handicap: float
) -> Row:
    return {
        "what": what, "paired": paired, "trials": len(needed), "pilot": PILOT,
        "handicap": handicap, "needed": [int(np.min(needed)), int(np.median(needed)),
        int(np.max(needed))], "found": found[WORSE] / len(needed),
        "verdicts": dict(found),
    }  # fmt: skip


def handicap_played(games: dict[str, Game], trials: int) -> Iterator[Row]:
    """Plant a handicap into a scripted policy, plan, and look for it in fresh episodes."""
    for name, game in games.items():
        rest, handicap = find_rest(game, HANDICAP)
        print(f"{name}: resting in {rest:.2%} of the steps costs {handicap:.2%}", flush=True)
        for paired in (False, True):
            seeds = [100_000, 100_000 if paired else 200_000]
            ours, theirs = Deck(game, seeds[0], rest), Deck(game, seeds[1], 0.0)
            needed, found = [], Counter[str]()
            for _ in range(trials):
                pilot = compare(ours.take(PILOT), theirs.take(PILOT), paired=paired)
                needed.append(pilot.needed or PILOT)
                sides = ours.take(needed[-1]), theirs.take(needed[-1])
                found[compare(*sides, paired=paired).verdict] += 1
            yield _handicap_row(f"played: {name}", paired, needed, found, handicap)


class Deck:
    """Episodes that are played as they are asked for, each once."""

    def __init__(self, game: Game, seed: int, rest: float) -> None:
        self._game, self._seed, self._rest = game, seed, rest
        self._left, self._next = Sample(np.zeros(0), np.zeros(0, np.int64)), 0

    def take(self, count: int) -> Sample:
        """Give the next `count` episodes."""
        while len(self._left.values) == 0 or self._left.num_episodes < count:
            scores = self._game.play(self._seed, self._rest)
            self._seed += 1
            ids = scores.env + self._next
            self._next += BATCH
            parts = zip(self._left, (scores.total_return, ids), strict=True)
            self._left = Sample(*(np.concatenate(pair) for pair in parts))
        chosen = np.unique(self._left.episode)[:count]
        taken = self._left.of_episodes(chosen)
        kept = ~np.isin(self._left.episode, chosen)
        self._left = Sample(self._left.values[kept], self._left.episode[kept])
        return taken


def seats_played(trials: int, count: int = 100) -> Iterator[Row]:
    """Look for a seat whose catch is a tenth larger, and for none where all are alike."""
    for what, settings in (("seat 2 catches 10 % more", SEATS), ("all seats alike", {})):
        game = make_game("commons", "steady", settings)
        found: Counter[str] = Counter()
        for k in range(-(-trials * count // BATCH)):
            scores = game.play(300_000 + k)
            for first in range(0, BATCH, count):
                mine = (scores.env >= first) & (scores.env < first + count)
                columns = (scores.total_return, scores.env, scores.agent)
                seats = compare_seats(*(column[mine] for column in columns))
                found[", ".join(f"{s.seat} {s.verdict}" for s in seats.unequal) or "none"] += 1
        better = sum(n for said, n in found.items() if f"{LUCKY_SEAT} better" in said)
        yield {
            "what": what, "n": count, "trials": sum(found.values()), "lucky": better,
            "none": found["none"], "verdicts": dict(found),
        }  # fmt: skip


def write_tables(data: dict[str, Any]) -> str:
    """Write what was measured as Markdown."""
    equal = [
        (row["what"], "paired" if row["paired"] else "unpaired", str(row["n"]),
         f"{row['trials']:,}", f"{row['equal']:.1%}")
        for row in data["equal"]
    ]  # fmt: skip
    handicap = [
        (row["what"], "paired" if row["paired"] else "unpaired", f"{row['handicap']:.1%}",
         "{:,} / {:,} / {:,}".format(*row["needed"]), str(row["trials"]), f"{row['found']:.0%}")
        for row in data["handicap"]
    ]  # fmt: skip
    seats = [
        (row["what"], str(row["n"]), str(row["trials"]), str(row["lucky"]), str(row["none"]))
        for row in data["seats"]
    ]
    least = min(row["equal"] for row in data["equal"]), min(r["found"] for r in data["handicap"])
    said = (
        f"Equal sides: at least {least[0]:.1%} not distinguishable (required "
        f"{REQUIRED_EQUAL:.1%}). Handicaps: at least {least[1]:.0%} found (required "
        f"{REQUIRED_FOUND:.0%})."
    )
    sections = [
        Section("A policy against itself", ("what", "", "episodes", "comparisons",
                "not distinguishable"), equal, "Paired: by the number of the episode."),
        Section("A planted handicap of 5 %", ("what", "", "handicap", "episodes needed (least / "
                "median / most)", "trials", "found"), handicap,
                f"{PILOT} episodes of each side say how many are needed; as many fresh ones are "
                "compared. Of shares, 5 points."),
        Section("A planted seat", ("what", "episodes", "trials", "seat 2 better", "none unequal"),
                seats, "commons, six agents that play `steady`; the power layer plants it."),
    ]  # fmt: skip
    command = f"`python -m benchmarks.evaluation.verdicts`, seed {SEED}."
    return f"# Verdicts\n\n{command} {said}\n\n{markdown(sections, 2)}\n"


def main() -> None:
    """Measure, and write tables and raw numbers."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--part", type=float, default=1.0, help="of the trials, for a quick look")
    parser.add_argument("--out", type=Path, default=RESULTS)
    chosen = parser.parse_args()
    equal, planted, seats = (
        max(2, round(chosen.part * trials))
        for trials in (SELF_TRIALS, HANDICAP_TRIALS, SEAT_TRIALS)
    )
    games = {f"{preset}, {policy}": make_game(preset, policy) for preset, policy in GAMES}
    more = {f"{preset}, {policy}": make_game(preset, policy) for preset, policy in MORE_GAMES}
    data = {
        "seats": list(seats_played(seats)),
        "handicap": [*handicap_simulated(planted), *handicap_played(games, planted)],
        "equal": [*equal_simulated(equal), *equal_played(games | more, equal)],
    }
    chosen.out.mkdir(parents=True, exist_ok=True)
    (chosen.out / "verdicts.json").write_text(json.dumps(data, indent=1) + "\n")
    (chosen.out / "verdicts.md").write_text(write_tables(data))
    print(write_tables(data))


if __name__ == "__main__":
    main()
