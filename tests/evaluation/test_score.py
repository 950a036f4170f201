import pytest

import mesocosm
from mesocosm.core.errors import ConfigError
from mesocosm.core.policy import RandomPolicy
from mesocosm.evaluation.score import COLUMNS, play_episodes
from mesocosm.telemetry.recorder import record

SHORT = {"core.max_steps": 30}


def make(preset, num_envs=4, **more):
    settings = {"num_envs": num_envs, "target": "python", "autoreset": "off"} | more
    return mesocosm.make(preset, SHORT, **settings)


def everyone_random(env):
    return {role: RandomPolicy() for role in env.spec.roles}


@pytest.mark.parametrize("preset", ["commons", "commons/wardens", "townlet/L3", "townlet/L7"])
def test_lives_are_those_that_telemetry_records(preset, tmp_path):
    env = make(preset, first_env=7)
    with record(env, tmp_path / "run"):
        scores = play_episodes(env, everyone_random(env), seed=5)
    assert scores.num_finished == scores.num_episodes == 4
    table = mesocosm.open_run(tmp_path / "run").table("episode_agents").to_table().to_pylist()
    wanted = sorted(tuple(row[name] for name in ("role", *COLUMNS)) for row in table)
    found = sorted(tuple(row[name] for name in ("role", *COLUMNS)) for row in scores.rows())
    assert found == wanted
    assert len(found) >= 4


def test_same_seed_gives_the_same_lives_and_another_seed_others():
    def lives(seed):
        env = make("townlet/L3")
        return play_episodes(env, everyone_random(env), seed=seed).rows()

    assert lives(5) == lives(5) != lives(6)


def test_episodes_that_do_not_end_in_time_are_counted_as_unfinished():
    env = make("commons")
    over = []
    scores = play_episodes(env, everyone_random(env), seed=5, most_steps=3, advance=over.append)
    assert (scores.num_episodes, scores.num_finished) == (4, 0)
    assert scores.rows() == []
    assert over == [0, 0, 0]


def test_lives_of_a_role_are_told_apart():
    env = make("commons/wardens")
    scores = play_episodes(env, everyone_random(env), seed=5)
    parts = [scores.of_role(role) for role in env.spec.roles]
    assert [len(part.env) for part in parts] == [4 * r.num_agents for r in env.spec.roles.values()]
    for role, part in zip(env.spec.roles, parts, strict=True):
        assert {row["role"] for row in part.rows()} == {role}


def test_env_that_resets_itself_is_refused():
    env = make("commons", autoreset="same_step")
    with pytest.raises(ConfigError, match="autoreset='off'"):
        play_episodes(env, everyone_random(env), seed=5)
