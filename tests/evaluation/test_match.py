"""Matches between programs in processes of their own: endings, forfeits and replays."""

import json
from pathlib import Path

import pytest

from mesocosm.build import config_spec, load_config, make, open_run
from mesocosm.core.errors import ActionError, BundleError, ConfigError, MesocosmError
from mesocosm.core.policy import NoopPolicy
from mesocosm.evaluation.match import Limits, play_match
from mesocosm.evaluation.match_result import MatchResult, Score, joint_outcome
from mesocosm.evaluation.programs.player import make_player
from mesocosm.evaluation.seats import divide, read_seats
from mesocosm.learning.bundles.bundle import write_bundle
from mesocosm.learning.bundles.card import Training, make_card
from mesocosm.learning.networks.network import Network
from mesocosm.learning.settings import LearningSettings, NetworkSettings

ROGUES = f"{Path(__file__).parent / 'rogues.py'}"
SIMPLE = "mesocosm.worlds.island.agent:SimpleAgent"
IDLE = "mesocosm.core.policy:NoopPolicy"
SHORT = {"core.max_steps": 12}
LIMITS = Limits(move_seconds=20.0)


def verified_steps(run):
    """Prove a recording; give how many steps it has."""
    opened = open_run(run)
    assert opened.check_files().problems == ()
    proof = opened.verify("python")
    assert proof.holds
    return proof.num_steps


def versus(rogue, tmp_path, limits=LIMITS):
    programs = {"legacy": f"{ROGUES}:{rogue}", "dynasty": SIMPLE}
    run = tmp_path / "run"
    result = play_match(
        "island/skirmish", programs, SHORT, seed=3, limits=limits, out=run, target="python"
    )
    return result, run


def test_two_programs_play_to_the_end_and_the_replay_verifies(tmp_path):
    run = tmp_path / "run"
    result = play_match(
        "island/skirmish", {"legacy": SIMPLE, "dynasty": IDLE}, SHORT, seed=1, limits=LIMITS,
        out=run, target="python",
    )  # fmt: skip
    assert (result.steps, result.reason, result.forfeits) == (12, "time_limit", {})
    assert verified_steps(run) == 12
    replay = open_run(run).replay
    steps = [entry.actions for entry in replay.operations(dict(config_spec("island").roles))]
    assert any(step["legacy"][0, 0, 0] == 5 for step in steps if step is not None)


@pytest.fixture
def bundle(tmp_path):
    role = config_spec("island/skirmish").roles["legacy"]
    settings = LearningSettings(network=NetworkSettings(hidden=(8,)))
    card = make_card(role, load_config("island/skirmish"), Training(settings))
    write_bundle(tmp_path / "a.mesop", Network(role, settings.network), card)
    return tmp_path / "a.mesop"


def test_a_bundle_plays_a_match_of_its_own_world_in_this_process(bundle):
    result = play_match(
        "island/skirmish", {"legacy": f"{bundle}:greedy", "dynasty": "noop"},
        {"core.max_steps": 2}, target="python",
    )  # fmt: skip
    assert (result.steps, result.forfeits, result.containment) == (2, {}, "")
    with pytest.raises(BundleError, match="it cannot play commons, which is another world"):
        play_match("commons", {"harvester": str(bundle)}, target="python")


def test_a_program_is_made_with_its_role_and_config_if_it_takes_them():
    made = make_player(SIMPLE, "dynasty", load_config("island/skirmish"))
    assert made.faction.name == "DYNASTY"


def test_a_match_may_be_played_with_archetypes(tmp_path):
    run = tmp_path / "run"
    play_match(
        "island/skirmish", {"legacy": IDLE, "dynasty": IDLE}, {"core.max_steps": 2}, limits=LIMITS,
        out=run, target="python", archetypes="fog:0.5",
    )  # fmt: skip
    layers = open_run(run).replay.config["layers"]
    assert layers["information"]["intensity"] == 0.5
    assert verified_steps(run) == 2


def test_who_sleeps_past_the_limit_forfeits_and_the_replay_is_intact(tmp_path):
    result, run = versus("Sleeper", tmp_path, Limits(move_seconds=1.5))
    assert result.winners == ["dynasty"]
    assert result.steps == 2
    assert "step 2:" in result.forfeits["legacy"]
    assert "no answer within 1.5 s" in result.forfeits["legacy"]
    assert verified_steps(run) == 2


def test_who_raises_forfeits_with_the_reason_in_words(tmp_path):
    result, run = versus("Raiser", tmp_path)
    assert "raised ValueError: no idea what to do" in result.forfeits["legacy"]
    assert result.winners == ["dynasty"]
    assert verified_steps(run) == 1


@pytest.mark.parametrize(
    ("rogue", "reason"),
    [
        ("Quitter", "exited with status 3"),
        ("Babbler", "must be of shape (1, 1, 16)"),
        ("Peeker", "is privileged"),
        ("Forgetful", "act must take (obs, mask, info, began), it takes (obs, mask, info)"),
        ("Nobody", "has no attribute 'Nobody'"),
    ],
)
def test_every_other_breach_is_a_forfeit_too(rogue, reason, tmp_path):
    result, run = versus(rogue, tmp_path)
    assert reason in result.forfeits["legacy"]
    assert result.winners == ["dynasty"]
    assert verified_steps(run) == 0


def test_programs_are_told_where_the_war_begins(tmp_path):
    result, _ = versus("Startled", tmp_path)
    assert (result.steps, result.forfeits) == (12, {})


def test_the_winner_is_whom_the_ending_names_and_returns_are_per_agent():
    env = make("island/skirmish", target="python", autoreset="off")
    score = Score(env, env.reset(seed=0), read_seats(env.spec.roles, env.spec))
    hit_points = env.state("hp")
    hit_points[0, 1] = 0  # Dynasty has nothing left
    env.set_state("hp", hit_points)
    noop = {name: role.action.noop((1, 1)) for name, role in env.spec.roles.items()}
    result = MatchResult()
    score.add(env.step(noop), result)
    assert (result.reason, result.winner, result.winners) == ("legacy_win", "legacy", ["legacy"])
    assert result.outcome == {"legacy": "success", "dynasty": "failure"}
    assert result.mean_return == {"legacy": 100.0, "dynasty": -100.0}


def test_a_mean_return_is_over_the_lives_of_a_role():
    lives = {"core.respawn": True, "core.hazard": 3, "core.max_steps": 20}
    env = make("probe", lives, target="python", autoreset="off")
    step = env.reset(seed=0)
    score = Score(env, step, read_seats(env.spec.roles, env.spec))
    result, total, ended = MatchResult(), 0.0, 0
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


def test_the_recording_says_who_played_and_how_it_ended(tmp_path):
    result, run = versus("Raiser", tmp_path)
    about = json.loads((run / "run.json").read_text())
    (game,) = about["match"]["games"]
    assert (about["status"], about["steps"], game["steps"]) == ("finished", 1, 1)
    assert game["forfeits"] == result.forfeits
    assert game["seed"] == about["seed"] == 3
    assert game["programs"] == {"legacy": f"{ROGUES}:Raiser", "dynasty": SIMPLE}


def test_a_changed_recording_does_not_verify(tmp_path):
    _, run = versus("Raiser", tmp_path)
    file = run / "replay.meso"
    data = bytearray(file.read_bytes())
    data[-20] ^= 1
    file.write_bytes(data)
    problems = open_run(run).check_files().problems
    assert "replay.meso: its content is not what was written" in problems


def test_programs_must_be_given_for_every_role():
    with pytest.raises(ActionError, match="programs must be given for"):
        play_match("island/skirmish", {"legacy": IDLE}, target="python")


def test_players_may_share_a_role_and_each_is_judged_by_its_own_agents():
    seats = {"harvester[0,2,4]": "greedy", "harvester[1,3,5]": NoopPolicy()}
    result = play_match("commons", seats, {"core.max_steps": 12}, seed=1, target="python")
    assert result.steps == 12
    assert set(result.outcome) == set(result.lives) == set(seats)
    assert result.lives["harvester[0,2,4]"] == {"timeout": 3}
    assert result.mean_return["harvester[0,2,4]"] > result.mean_return["harvester[1,3,5]"]
    assert (result.forfeits, result.slowest, result.containment) == ({}, {}, "")


def test_a_seats_outcome_is_over_all_of_its_agents():
    lives = {"core.hazard": 3, "core.max_steps": 20}
    result = play_match(
        "probe", {"walker[0,1,2]": "noop", "walker[3]": "noop"}, lives, seed=0, target="python"
    )
    assert sum(result.lives["walker[0,1,2]"].values()) == 3
    assert sum(result.lives["walker[3]"].values()) == 1


@pytest.mark.parametrize(
    ("names", "said"),
    [
        (["harvester[0,1]"], "each once"),
        (["harvester", "harvester[0]"], "each once"),
        (["harvester[6]"], "has agents 0 to 5"),
        (["harvester[x]"], "a seat is ROLE or ROLE"),
        (["harvesters"], "Did you mean 'harvester'"),
    ],
)
def test_seats_must_be_all_agents_once(names, said):
    with pytest.raises(MesocosmError, match=said):
        read_seats(names, config_spec("commons"))


def test_players_divide_roles_or_the_agents_of_one():
    assert divide(config_spec("island"), 2) == ["legacy", "dynasty"]
    assert divide(config_spec("commons"), 2) == ["harvester[0,2,4]", "harvester[1,3,5]"]
    with pytest.raises(ConfigError, match="3 players need 3 roles, or 3 agents of one; got 1 leg"):
        divide(config_spec("island"), 3)
