"""The table of lives: a row for each, with its reason, outcome, return and length."""

import numpy as np
import pytest
from recording import SHORT

import mesocosm as meso
from mesocosm.core.spec import OUTCOMES
from mesocosm.telemetry.tables.sinks import MemorySink
from mesocosm.testing.play import wild_actions

LIVES = {"core.max_steps": 17, "core.respawn": True, "core.hazard": 4}
MODES = ["same_step", "next_step", "off"]


def play(env, steps, visit=lambda env, step: None):
    """Play steps that depend on their number alone; where nothing resets itself, reset."""
    step = env.reset(seed=3)
    for k in range(steps):
        visit(env, step)
        over = np.array(step.episode_over)
        if env.autoreset == "off" and over.any():
            step = env.reset(envs=over)
            visit(env, step)
        step = env.step(wild_actions(env, np.random.default_rng((3, k)), odd=0.1))
    visit(env, step)


def table(name, preset, overrides, mode, steps=70):
    sink = MemorySink()
    env = meso.make(preset, overrides, num_envs=3, target="python", autoreset=mode, first_env=5)
    with meso.record(env, sinks=[sink]):
        play(env, steps)
    return sink.rows(name)


def by_hand(preset, overrides, mode, steps=70):
    """Follow every slot through the public API alone; give the lives that ended."""
    env = meso.make(preset, overrides, num_envs=3, target="python", autoreset=mode, first_env=5)
    beginnings, running, found = meso.Beginnings(env), {}, []

    def visit(env, step):
        moved = "last" not in running or not (running["last"] & ~np.array(step.episode_over)).any()
        envs = None if moved or mode != "off" else running["last"] & ~np.array(step.episode_over)
        began = beginnings.follow(step)
        alive = ~(step.terminated | step.truncated)
        for e, a in np.ndindex(*began.shape):
            if (e, a) in running and envs is None:
                running[e, a][0] += 1
                running[e, a][1] += float(step.reward[e, a])
            if step.ended[e, a]:
                length, earned = running.pop((e, a))
                reason = env.spec.reason_name(int(step.reason[e, a]))
                outcome = OUTCOMES[int(step.outcome[e, a])]
                found.append((e + 5, a, length, reason, outcome, pytest.approx(earned)))
            born = began[e, a] and (alive[e, a] or step.episode_over[e])
            if born and (mode == "same_step" or not step.episode_over[e]):
                running[e, a] = [0, 0.0]
        running["last"] = np.array(step.episode_over)

    play(env, steps, visit)
    return found


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize(("preset", "overrides"), [("probe", LIVES), ("commons", SHORT)])
def test_every_life_has_a_row_that_says_what_the_public_api_says(mode, preset, overrides):
    keys = ("env", "agent", "length", "reason", "outcome", "total_return")
    rows = [tuple(row[k] for k in keys) for row in table("episode_agents", preset, overrides, mode)]
    assert len(rows) > 50
    assert rows == by_hand(preset, overrides, mode)


@pytest.mark.parametrize("mode", MODES)
def test_the_lives_of_an_episode_add_up_to_its_row(mode):
    lives = table("episode_agents", "probe", LIVES, mode)
    episodes = table("episode", "probe", LIVES, mode)
    assert len(episodes) >= 9
    for row in episodes:
        mine = [x for x in lives if (x["env"], x["episode"]) == (row["env"], row["episode"])]
        earned = [life["total_return"] for life in mine]
        assert row["lives"] == len(mine) > 4
        assert row["total_return"] == pytest.approx(sum(earned))
        assert row["mean_return"] == pytest.approx(np.mean(earned))
        for agent in range(4):
            own = [life for life in mine if life["agent"] == agent]
            first = own[0]["life"]  # 1 in a slot that was vacant when the episode began
            assert [life["life"] - first for life in own] == list(range(len(own)))
            assert (own[0]["began"] == 0) == (first == 0)
            ends = [life["began"] + life["length"] for life in own]
            assert all(b["began"] > end for b, end in zip(own[1:], ends, strict=False))
        last = [life for life in mine if life["step"] == row["step"]]
        assert {life["reason"] for life in last} <= {"old_age", row["reason"]}
        assert all(x["began"] + x["length"] == row["length"] for x in last)


def test_who_lives_on_when_the_episode_ends_has_a_row_with_the_episodes_reason():
    rows = table("episode_agents", "commons", SHORT, "same_step", steps=9)
    assert [row["agent"] for row in rows if row["step"] == 8] == [*range(6)] * 3
    assert {(row["reason"], row["outcome"], row["length"]) for row in rows} == {
        ("timeout", "timeout", 9)
    }


def test_an_episode_that_was_not_finished_has_rows_of_the_lives_that_ended():
    rows = table("episode_agents", "probe", LIVES, "same_step", steps=12)
    assert table("episode", "probe", LIVES, "same_step", steps=12) == []
    assert {row["reason"] for row in rows} == {"old_age"}


def test_a_frequency_and_globs_choose_lives_as_they_choose_episodes():
    chosen = {"enabled": True, "every": 2, "metrics": ["reason"]}
    chosen = {f"instrumentation.episode.{name}": value for name, value in chosen.items()}
    rows = table("episode_agents", "probe", LIVES | chosen, "same_step")
    assert {row["episode"] for row in rows} == {0, 2, 4}
    keys = ["step", "env", "episode", "agent", "role", "life"]
    assert list(rows[0]) == [*keys, "reason"]


def test_a_won_war_names_the_winner_and_every_sides_outcome():
    sink = MemorySink()
    env = meso.make("island/skirmish", target="python")
    with meso.record(env, sinks=[sink]):
        env.reset(seed=0)
        hit_points = env.state("hp")
        hit_points[0, 1] = 0  # Dynasty has nothing left
        env.set_state("hp", hit_points)
        step = env.step({name: role.action.noop((1, 1)) for name, role in env.spec.roles.items()})
    (war,) = sink.rows("episode")
    assert (war["reason"], war["winner"]) == ("legacy_win", "legacy")
    assert env.spec.winner(int(step.episode_reason[0])) == "legacy"
    sides = {row["role"]: (row["reason"], row["outcome"]) for row in sink.rows("episode_agents")}
    assert sides == {
        "legacy": ("outmatched_enemy", "success"),
        "dynasty": ("outmatched", "failure"),
    }


def means(env):
    """Average every truth field; one without numbers counts as zero."""
    truth = {name: env.truth(name)[0].astype(float) for name in env.spec.saved}
    return {name: values.sum() / max(values.size, 1) for name, values in truth.items()}


@pytest.mark.parametrize(
    "preset", ["commons/wardens", "townlet/L8", "mettagrid/forage", "island/skirmish"]
)
def test_every_truth_field_of_a_world_has_its_change(preset):
    sink = MemorySink()
    wanted = {"instrumentation.step.enabled": True, "instrumentation.step.verbosity": "full"}
    env = meso.make(preset, wanted, target="python")
    with meso.record(env, sinks=[sink]):
        step = env.reset(seed=0)
        before = means(env)
        env.step(wild_actions(env, np.random.default_rng(0), step, odd=0.0))
        after = means(env)
    (row,) = sink.rows("step")
    assert {name for name in row if name.startswith("delta.")} == {
        f"delta.{name}" for name in env.spec.saved
    }
    for name in env.spec.saved:
        change = after[name] - before[name]
        assert row[f"delta.{name}"] == pytest.approx(change, rel=1e-5, abs=1e-4)
    assert any(row[f"delta.{name}"] for name in env.spec.saved)
