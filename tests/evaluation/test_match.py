"""Matches between programs in processes of their own: endings, forfeits and replays."""

from pathlib import Path

import numpy as np
import pytest

from mesocosm.build import config_spec, load_config, make
from mesocosm.core.errors import ActionError, BundleError, MesocosmError
from mesocosm.evaluation.match import Limits, MatchResult, Score, joint_outcome, play_match
from mesocosm.evaluation.match_replay import read_replay, verify_replay
from mesocosm.evaluation.message import decode, encode
from mesocosm.evaluation.player import make_player
from mesocosm.learning.bundles.bundle import write_bundle
from mesocosm.learning.bundles.card import Training, make_card
from mesocosm.learning.networks.network import Network
from mesocosm.learning.settings import LearningSettings, NetworkSettings

ROGUES = f"{Path(__file__).parent / 'rogues.py'}"
SIMPLE = "mesocosm.worlds.island.agent:SimpleAgent"
IDLE = "mesocosm.core.policy:NoopPolicy"
SHORT = {"core.max_steps": 12}
LIMITS = Limits(move_seconds=20.0)


def versus(rogue, tmp_path, limits=LIMITS):
    programs = {"legacy": f"{ROGUES}:{rogue}", "dynasty": SIMPLE}
    replay = tmp_path / "match.jsonl"
    result = play_match(
        "island/skirmish", programs, SHORT, seed=3, limits=limits, replay=replay, target="python"
    )
    return result, replay


def test_two_programs_play_to_the_end_and_the_replay_verifies(tmp_path):
    replay = tmp_path / "match.jsonl"
    result = play_match(
        "island/skirmish", {"legacy": SIMPLE, "dynasty": IDLE}, SHORT, seed=1, limits=LIMITS,
        replay=replay, target="python",
    )  # fmt: skip
    assert (result.steps, result.reason, result.forfeits) == (12, "time_limit", {})
    assert verify_replay(replay, target="python") == 12
    assert any(step["legacy"][0, 0, 0] == 5 for step in read_replay(replay)[1])


@pytest.fixture
def bundle(tmp_path):
    role = config_spec("island/skirmish").roles["legacy"]
    settings = LearningSettings(network=NetworkSettings(hidden=(8,)))
    card = make_card(role, load_config("island/skirmish"), Training(settings))
    write_bundle(tmp_path / "a.mesop", Network(role, settings.network), card)
    return tmp_path / "a.mesop"


def test_a_bundle_is_a_program_of_its_own_world(bundle):
    assert not make_player(f"{bundle}:greedy", "dynasty", load_config("island/skirmish")).privileged
    with pytest.raises(BundleError, match="it cannot play commons, which is another world"):
        make_player(str(bundle), "harvester", load_config("commons"))


@pytest.mark.slow
def test_a_bundle_plays_a_match(bundle):
    result = play_match(
        "island/skirmish", {"legacy": str(bundle), "dynasty": IDLE}, {"core.max_steps": 2},
        limits=LIMITS, target="python",
    )  # fmt: skip
    assert (result.steps, result.forfeits) == (2, {})


def test_a_match_may_be_played_with_archetypes(tmp_path):
    replay = tmp_path / "match.jsonl"
    play_match(
        "island/skirmish", {"legacy": IDLE, "dynasty": IDLE}, {"core.max_steps": 2}, limits=LIMITS,
        replay=replay, target="python", archetypes="fog:0.5",
    )  # fmt: skip
    layers = read_replay(replay)[0]["config"]["layers"]
    assert layers["information"]["intensity"] == 0.5
    assert verify_replay(replay, target="python") == 2


def test_who_sleeps_past_the_limit_forfeits_and_the_replay_is_intact(tmp_path):
    result, replay = versus("Sleeper", tmp_path, Limits(move_seconds=1.5))
    assert result.winners == ["dynasty"]
    assert result.steps == 2
    assert "step 2:" in result.forfeits["legacy"]
    assert "no answer within 1.5 s" in result.forfeits["legacy"]
    assert verify_replay(replay, target="python") == 2


def test_who_raises_forfeits_with_the_reason_in_words(tmp_path):
    result, replay = versus("Raiser", tmp_path)
    assert "raised ValueError: no idea what to do" in result.forfeits["legacy"]
    assert result.winners == ["dynasty"]
    assert verify_replay(replay, target="python") == 1


@pytest.mark.parametrize(
    ("rogue", "reason"),
    [
        ("Quitter", "exited with status 3"),
        ("Babbler", "must be of kind 'iu' and shape (1, 1, 16)"),
        ("Peeker", "is privileged"),
        ("Forgetful", "act must take (obs, mask, info, began), it takes (obs, mask, info)"),
        ("Nobody", "has no attribute 'Nobody'"),
    ],
)
def test_every_other_breach_is_a_forfeit_too(rogue, reason, tmp_path):
    result, replay = versus(rogue, tmp_path)
    assert reason in result.forfeits["legacy"]
    assert result.winners == ["dynasty"]
    assert verify_replay(replay, target="python") == 0


def test_programs_are_told_where_the_war_begins(tmp_path):
    result, _ = versus("Startled", tmp_path)
    assert (result.steps, result.forfeits) == (12, {})


def test_the_winner_is_whom_the_ending_names_and_returns_are_per_agent():
    env = make("island/skirmish", target="python", autoreset="off")
    score = Score(env, env.reset(seed=0))
    hit_points = env.state("hp")
    hit_points[0, 1] = 0  # Dynasty has nothing left
    env.set_state("hp", hit_points)
    noop = {name: role.action.noop((1, 1)) for name, role in env.spec.roles.items()}
    result = MatchResult(mean_return={})
    score.add(env.step(noop), result)
    assert (result.reason, result.winner, result.winners) == ("legacy_win", "legacy", ["legacy"])
    assert result.outcome == {"legacy": "success", "dynasty": "failure"}
    assert result.mean_return == {"legacy": 100.0, "dynasty": -100.0}


def test_a_mean_return_is_over_the_lives_of_a_role():
    lives = {"core.respawn": True, "core.hazard": 3, "core.max_steps": 20}
    env = make("probe", lives, target="python", autoreset="off")
    step = env.reset(seed=0)
    score, result, total, ended = Score(env, step), MatchResult(), 0.0, 0
    noop = env.spec.roles["walker"].action.noop((1, 4))
    while not step.episode_over[0]:
        step = env.step(noop)
        score.add(step, result)
        total += float(step.reward.sum())
        ended += int(step.ended.sum())
    assert ended > 8
    assert result.mean_return["walker"] == pytest.approx(total / ended)
    assert (result.winner, result.winners) == ("", [])


@pytest.mark.parametrize(
    ("outcomes", "joint"),
    [
        (["success", "success"], "success"),
        (["success", "failure"], "neutral"),
        (["success", "none"], "none"),
        (["timeout"], "timeout"),
    ],
)
def test_a_roles_outcome_is_what_its_agents_share(outcomes, joint):
    assert joint_outcome(outcomes) == joint


def test_a_changed_replay_does_not_verify(tmp_path):
    _, replay = versus("Raiser", tmp_path)
    head, step, tail = replay.read_bytes().splitlines()
    message = decode(step)
    message["actions"]["dynasty"]["only"][0, 0, :2] = 3, 0
    message["actions"]["dynasty"]["only"][0, 0, 10] = 1
    replay.write_bytes(head + b"\n" + encode(message) + tail + b"\n")
    with pytest.raises(MesocosmError, match="the state differs"):
        verify_replay(replay, target="python")
    replay.write_bytes(head + b"\n" + tail + b"\n")
    with pytest.raises(MesocosmError, match="cut short"):
        verify_replay(replay, target="python")


def test_programs_must_be_given_for_every_role():
    with pytest.raises(ActionError, match="programs must be given for"):
        play_match("island/skirmish", {"legacy": IDLE}, target="python")


def test_arrays_survive_the_wire_and_nothing_else_is_taken():
    message = {"a": np.arange(6, dtype=np.int32).reshape(2, 3), "b": True, "c": np.float64(1.5)}
    again = decode(encode(message))
    assert again["a"].dtype == np.int32
    assert np.array_equal(again["a"], message["a"])
    assert (again["b"], again["c"]) == (True, 1.5)
    with pytest.raises(ValueError, match="dtype"):
        decode(b'{"x": {"__array__": "", "dtype": "object", "shape": [0]}}')
    with pytest.raises(ValueError, match="must be an object"):
        decode(b"[1]")
