import pytest

from mesocosm.evaluation.statistics.tables import (
    columns_of,
    episode_ids,
    outcome_table,
    role_samples,
    role_table,
)


def lives(num_episodes=40):
    """Give two lives of a hare and one of a fox per episode; every fourth hare is caught."""
    rows = []
    for k in range(num_episodes):
        for agent in range(3):
            role = "fox" if agent == 2 else "hare"
            caught = role == "hare" and (2 * k + agent) % 4 == 0
            rows.append({
                "env": k % 10, "episode": k // 10, "role": role, "length": 5 + k % 7 + agent,
                "total_return": float(k % 5 + agent), "outcome": "failure" if caught else "success",
            })  # fmt: skip
    return columns_of(rows)


def test_every_role_and_metric_has_a_row():
    found = {(row.role, row.metric): row.found for row in role_table(lives())}
    assert list(found) == [
        (role, metric) for role in ("hare", "fox") for metric in ("return", "success", "length")
    ]
    assert found["hare", "return"].lives == 80
    assert found["hare", "return"].episodes == 40
    assert found["hare", "return"].mean.value == 2.5
    assert found["hare", "success"].mean.value == 0.75
    assert found["hare", "success"].mean.has_interval


def test_success_is_left_out_where_nobody_succeeds():
    data = dict(lives())
    data["outcome"] = ["timeout"] * len(data["role"])
    assert {row.metric for row in role_table(data)} == {"return", "length"}


def test_outcomes_are_counted_by_role_with_shares_that_add_up():
    found = outcome_table(lives())
    assert [(row.role, row.outcome, row.lives) for row in found] == [
        ("hare", "success", 60), ("hare", "failure", 20), ("fox", "success", 40),
    ]  # fmt: skip
    assert found[0].share.value + found[1].share.value == pytest.approx(1.0)
    assert found[2].share.high == 1.0
    assert found[1].total_return.value == 2.0


def test_an_episode_has_one_id_and_lives_of_it_hang_together():
    data = lives()
    assert len(set(episode_ids(data).tolist())) == 40
    assert role_samples(data)["hare", "return"].num_episodes == 40
