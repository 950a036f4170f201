"""Transfer: policies that were trained on one level of townlet, played on others.

All play the same episodes of a level; actions are sampled. Intervals are over episodes. Levels
differ in what can be earned, so a column compares, not a row.
"""

import argparse
from collections.abc import Sequence
from pathlib import Path

from benchmarks.evaluation.written import PICTURES, number, table, with_interval, write
from mesocosm.evaluation.arena.arena import Arena, Conditions
from mesocosm.evaluation.arena.entrant import parse_entrants
from mesocosm.evaluation.arena.episodes import Episodes
from mesocosm.evaluation.arena.groups import plan_groups, play_groups
from mesocosm.evaluation.arena.summary import result_rows
from mesocosm.evaluation.tournament.pictures import Matrix, draw_matrix
from mesocosm.resolve import resolve
from mesocosm.worlds.registry import trained_files

WORLD = "townlet"
LEVELS = tuple(f"{WORLD}/L{k}" for k in range(6))
BESIDE = ("random", "greedy")


def evaluate(entrants: Sequence[str], episodes: int) -> tuple[Arena, list[dict[str, object]]]:
    presets = tuple(resolve(level) for level in LEVELS)
    spec = presets[0].spec
    arena = Arena(Conditions(presets, Episodes(episodes)), parse_entrants(entrants, spec))
    groups = {k: plan_groups(resolved.spec, arena.names, {}) for k, resolved in enumerate(presets)}
    return arena, result_rows(arena, play_groups(arena, groups))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("entrants", nargs="*", help="Those that come with the world if not said.")
    parser.add_argument("--episodes", type=int, default=200)
    parser.add_argument("--out", type=Path, default=None, help="Folder of the results.")
    asked = parser.parse_args()
    arena, rows = evaluate([*(asked.entrants or trained_files(WORLD)), *BESIDE], asked.episodes)
    cells = {(row["entrant"], row["preset"]): row for row in rows}
    names = [name.removeprefix("trained/") for name in arena.names]
    parts = [__doc__ or "", f"Episodes of each cell: {asked.episodes}.", "## Mean return"]
    parts.append(table(("trained as", *LEVELS), [
        [name, *(_returns(cells[own, level]) for level in LEVELS)]
        for name, own in zip(names, arena.names, strict=True)
    ]))  # fmt: skip
    parts += ["## Share of lives that ended in success", table(("trained as", *LEVELS), [
        [name, *(number(cells[own, level]["success"], 2) for level in LEVELS)]  # type: ignore[arg-type]
        for name, own in zip(names, arena.names, strict=True)
    ])]  # fmt: skip
    write("transfer", "Transfer between levels of townlet", parts, rows, asked.out)
    values = [[cells[own, level]["mean_return"] for level in LEVELS] for own in arena.names]
    title = "Mean return of an episode, by level; darker is better within a level"
    levels = [level.partition("/")[2] for level in LEVELS]
    picture = draw_matrix(Matrix(title, names, levels, values, by_column=True))  # type: ignore[arg-type]
    ((asked.out or PICTURES) / "transfer.svg").write_text(picture)
    print(parts[3])


def _returns(row: dict[str, object]) -> str:
    return with_interval(*(row[key] for key in ("mean_return", "low", "high")))  # type: ignore[arg-type]


if __name__ == "__main__":
    main()
