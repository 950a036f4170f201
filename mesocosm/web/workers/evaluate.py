"""Evaluate policies in a worker, or let them play a tournament."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from mesocosm.evaluation.arena.arena import Arena, Conditions, open_new
from mesocosm.evaluation.arena.entrant import describe_entrant, parse_entrants
from mesocosm.evaluation.arena.episodes import Episodes
from mesocosm.evaluation.arena.groups import count_bouts, plan_groups, play_groups
from mesocosm.evaluation.arena.summary import RESULT as RESULT_TABLE
from mesocosm.evaluation.arena.summary import VERDICT, result_rows, verdict_rows
from mesocosm.evaluation.tournament.results import write_results
from mesocosm.evaluation.tournament.standings import Tables, make_tables
from mesocosm.evaluation.tournament.tournament import Tournament
from mesocosm.resolve import resolve
from mesocosm.web.workers.channel import RESULT, STATUS
from mesocosm.web.workers.entry import Desk, Stopped
from mesocosm.web.workers.job import asked_to_stop

ROUND_ROBIN: Literal["round-robin"] = "round-robin"


@dataclass(frozen=True)
class EvaluatePlan:
    """An evaluation.

    Args:
        entrants: As `[NAME=]POLICY`; paths were checked.
        tournament: Whether everybody meets everybody.
    """

    config: Mapping[str, Any]
    entrants: Sequence[str]
    episodes: int
    seed: int
    target: str
    out: str
    tournament: bool = False

    def data(self, entrants: list[dict[str, Any]], preset: str) -> dict[str, Any]:
        """Give what its run folder remembers, so that a command can go on with it."""
        more: dict[str, Any] = {"entrants": list(self.entrants)}
        if self.tournament:
            more |= {"format": ROUND_ROBIN, "rounds": None, "steps": 1}
        else:
            more |= {"rotate": False, "policies": [], "seats": []}
        return {
            "presets": [preset],
            "episodes": self.episodes,
            "seed": self.seed,
            "num_envs": 0,
            "limit": 1.0,
            "record": False,
            "entrants": entrants,
            "more": more,
        }


def evaluate(desk: Desk, plan: EvaluatePlan) -> None:
    """Play all bouts, or as many as there are until it is stopped."""
    resolved = resolve(plan.config)
    conditions = Conditions((resolved,), Episodes(plan.episodes, plan.seed), plan.target)
    entrants = parse_entrants(plan.entrants, resolved.spec)
    told = [describe_entrant(entrant, resolved.spec) for entrant in entrants]
    kind = "tournament" if plan.tournament else "evaluate"
    about = {"kind": kind, "plan": plan.data(told, conditions.preset_name(0))}
    total = [0]

    def check() -> None:
        if asked_to_stop(desk):
            raise Stopped

    def show(what: str, done: int) -> None:
        data = {"status": "running", "doing": what, "done": done, "total": total[0]}
        desk.channel.send_data(STATUS, data)

    folder = open_new(Path(plan.out), conditions, about)
    arena = Arena(conditions, entrants, open_folder=folder, on_step=check, on_bout=show)
    desk.idle()  # a bout may take as long as it wants
    try:
        tables = _play(arena, total, tournament=plan.tournament)
        if arena.folder is not None:
            _write(arena, tables, tournament=plan.tournament)
        arena.close()
    except Stopped:
        arena.close("interrupted")
        raise
    except BaseException as error:
        arena.close("failed", f"{type(error).__name__}: {' '.join(str(error).split())}")
        raise
    rows = {name: found for name, (_, found) in tables.items()}
    desk.channel.send_data(RESULT, {"entrants": arena.names, **rows})


def _play(arena: Arena, total: list[int], *, tournament: bool) -> Tables:
    if tournament:
        played = Tournament(arena, ROUND_ROBIN)
        total[0] = played.num_bouts
        played.play()
        return make_tables(played)
    groups = {0: plan_groups(arena.spec(), arena.names, {})}
    total[0] = count_bouts(groups)
    samples = play_groups(arena, groups)
    results, verdicts = result_rows(arena, samples), verdict_rows(arena, samples)
    return {"result": (RESULT_TABLE, results), "verdict": (VERDICT, verdicts)}


def _write(arena: Arena, tables: Tables, *, tournament: bool) -> None:
    if arena.folder is None:
        return
    if tournament:
        write_results(arena.folder, arena.conditions.preset_name(0), tables)
    else:
        arena.folder.write_tables(tables)
