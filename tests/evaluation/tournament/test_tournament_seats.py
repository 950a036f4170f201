from types import SimpleNamespace

import numpy as np
from test_tournament_games import bout

from mesocosm.build import config_spec
from mesocosm.evaluation.tournament.standings import seat_rows

COMMONS = config_spec("commons")


def tournament(advantage, seed):
    """Make a tournament of two, in which one seat earns more whoever has it."""
    rng = np.random.default_rng(seed)
    lineups = ((0, 1) * 3, (1, 0) * 3)
    bouts = []
    for lineup in lineups:
        skill = 3.0 * np.array(lineup)  # one entrant is much better
        earned = rng.normal(size=(40, 6)) + skill
        earned[:, 2] += advantage
        bouts.append(bout(COMMONS, lineup, earned, "timeout"))
    arena = SimpleNamespace(spec=lambda: COMMONS)
    return SimpleNamespace(arena=arena, pairings=[SimpleNamespace(bouts=tuple(bouts))])


def test_a_planted_seat_advantage_is_reported():
    found = [seat_rows(tournament(1.0, seed))[2] for seed in range(20)]
    assert {row["seat"] for row in found} == {"harvester[2]"}
    assert [row["verdict"] for row in found] == ["better"] * 20
    covered = sum(row["low"] < 1.0 < row["high"] for row in found)
    assert covered >= 17  # of 20 intervals of 95 %


def test_skill_is_no_seat_advantage():
    alarms = 0
    for seed in range(40):
        verdicts = {row["verdict"] for row in seat_rows(tournament(0.0, seed))}
        alarms += verdicts != {"not distinguishable"}
    assert alarms <= 6  # 2 are expected: any of six seats, in 5 % of the tournaments
