"""Ratings: whether they recover a planted order of eight players.

Simulated: eight strengths, equally far apart, in an order drawn anew each time; every pair plays
as many games, won with the odds that strengths give. Played: eight harvesters of commons that fish
less the weaker they are, in a round robin, whose order must be the planted one.
"""

import argparse
import itertools
import tempfile
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.evaluation.written import number, table, write
from mesocosm.evaluation.arena.arena import Arena, Conditions
from mesocosm.evaluation.arena.entrant import parse_entrants
from mesocosm.evaluation.arena.episodes import Episodes
from mesocosm.evaluation.tournament.games import Game
from mesocosm.evaluation.tournament.ratings import rate_entrants
from mesocosm.evaluation.tournament.standings import standing_rows
from mesocosm.evaluation.tournament.tournament import Tournament
from mesocosm.resolve import resolve

PLAYERS, TRIALS = 8, 100
CASES = ((0.4, 25), (0.4, 50), (0.4, 100))  # log odds between neighbours, games of a pair
PLANTED = """
from mesocosm.worlds.commons.policies import Steady

class Weak{k}(Steady):
    def act(self, obs, mask, info, began):
        made = super().act(obs, mask, info, began)
        made.level[..., 0] *= {effort}
        return made
"""


def simulate(strength: np.ndarray, games: int, rng: np.random.Generator) -> list[list[Game]]:
    pairs = []
    for i, j in itertools.combinations(range(len(strength)), 2):
        chance = 1.0 / (1.0 + np.exp(strength[j] - strength[i]))
        won = (rng.random(games) < chance).astype(float).tolist()
        pairs.append([Game(k, i, j, ((w,), (1.0 - w,))) for k, w in enumerate(won)])
    return pairs


def simulated(gap: float, games: int) -> dict[str, Any]:
    """Count how often the whole order is found, and how well ratings agree with strengths."""
    exact, swaps, distance = 0, [], []
    for trial in range(TRIALS):
        rng = np.random.default_rng(trial)
        strength = rng.permutation(PLAYERS) * gap
        ratings = rate_entrants(PLAYERS, simulate(strength, games, rng))
        mu = np.array([ratings[k].mu for k in range(PLAYERS)])
        wrong = [(strength[i] - strength[j]) * (mu[i] - mu[j]) < 0
                 for i, j in itertools.combinations(range(PLAYERS), 2)]  # fmt: skip
        exact += not any(wrong)
        swaps.append(sum(wrong))
        distance.append(np.corrcoef(strength, mu)[0, 1])
    return {
        "log odds between neighbours": gap,
        "games of a pair": games,
        "trials": TRIALS,
        "whole order found": exact,
        "pairs of 28 in the wrong order, mean": float(np.mean(swaps)),
        "correlation with the strengths, least": float(np.min(distance)),
    }


def played(episodes: int) -> list[dict[str, Any]]:
    """Play eight planted policies against each other."""
    resolved = resolve("commons", {"core.initial_stock": 1.0})
    with tempfile.TemporaryDirectory() as home:
        file = Path(home) / "planted.py"
        efforts = np.linspace(1.0, 0.3, PLAYERS)
        file.write_text("".join(PLANTED.format(k=k, effort=e) for k, e in enumerate(efforts)))
        order = np.random.default_rng(5).permutation(PLAYERS)
        texts = [f"weak{k}={file}:Weak{k}" for k in order]
        arena = Arena(Conditions((resolved,), Episodes(episodes)),
                      parse_entrants(texts, resolved.spec))  # fmt: skip
        cup = Tournament(arena, "round-robin")
        cup.play()
        return standing_rows(cup)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--episodes", type=int, default=30)
    parser.add_argument("--out", type=Path, default=None, help="Folder of the results.")
    asked = parser.parse_args()
    found = [simulated(*case) for case in CASES]
    first = table(list(found[0]), [[f"{v:g}" if isinstance(v, float) else str(v)
                                    for v in entry.values()] for entry in found])  # fmt: skip
    rows = played(asked.episodes)
    second = table(("place", "entrant", "rating", "uncertainty", "won"), [
        [str(r["place"]), r["entrant"], number(r["rating"], 1), number(r["uncertainty"], 1),
         number(r["won"])]
        for r in rows
    ])  # fmt: skip
    parts = [__doc__ or "", "## Simulated", first, "## Played", second]
    write("ratings", "Ratings of a planted order", parts, {"simulated": found, "played": rows},
          asked.out)  # fmt: skip
    print("\n\n".join(parts[1:]))
    if [row["entrant"] for row in rows] != [f"weak{k}" for k in range(PLAYERS)]:
        raise SystemExit("the order that was played is not the planted one")


if __name__ == "__main__":
    main()
