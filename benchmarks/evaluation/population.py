"""Populations on commons: what steady harvesters earn as greedy ones become more common.

Every mixture of six harvesters is played on the same 200 episodes, with places rotated, so a
mixture has six lineups. Intervals are over episodes.
"""

import argparse
from pathlib import Path

from benchmarks.evaluation.written import PICTURES, number, table, with_interval, write
from mesocosm.evaluation.arena.arena import Arena, Conditions
from mesocosm.evaluation.arena.entrant import parse_entrants
from mesocosm.evaluation.arena.episodes import Episodes
from mesocosm.evaluation.tournament.pictures import draw_population
from mesocosm.evaluation.tournament.population import play_population
from mesocosm.resolve import resolve

PRESET, FOCAL, OTHER = "commons", "steady", "greedy"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--episodes", type=int, default=200)
    parser.add_argument("--out", type=Path, default=None, help="Folder of the results.")
    asked = parser.parse_args()
    resolved = resolve(PRESET)
    conditions = Conditions((resolved,), Episodes(asked.episodes))
    rows = play_population(Arena(conditions, parse_entrants([FOCAL, OTHER], resolved.spec)))
    head = (f"{OTHER} agents", f"share among those whom a {FOCAL} one meets", f"{FOCAL} return",
            f"{OTHER} return", "all together", "inequality", "gini", "steps")  # fmt: skip
    lines = [
        [
            str(row["others"]),
            number(row["share"], 1),
            *(
                with_interval(row[f"{who}_return"], row[f"{who}_low"], row[f"{who}_high"])
                for who in ("focal", "other", "collective")
            ),
            number(row["inequality"]),
            number(row["gini"]),
            number(row["length"], 0),
        ]
        for row in rows
    ]
    write("population", "Populations on commons", [__doc__ or "", table(head, lines)], rows,
          asked.out)  # fmt: skip
    title = "What a harvester earns in an episode of commons, with 95 % intervals"
    ((asked.out or PICTURES) / "population.svg").write_text(draw_population(rows, title))
    print(table(head, lines))


if __name__ == "__main__":
    main()
