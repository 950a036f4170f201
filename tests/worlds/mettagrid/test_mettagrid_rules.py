"""The rules of mettagrid, one by one, as plain Python on small maps drawn as text."""

import numpy as np
import pytest

import mesocosm as meso
from mesocosm.core.errors import ActionError, ConfigError
from mesocosm.worlds.mettagrid import IdMap
from mesocosm.worlds.mettagrid.client import tokens
from mesocosm.worlds.mettagrid.client.speech import MacroDirective, heard_by, talk_bytes, with_talk

LEGEND = {".": "empty", "@": "agent.agent", "#": "wall", "E": "ext", "C": "chest", "A": "asm"}
NOOP, NORTH, SOUTH, WEST, EAST = range(5)
TAKE = {"kind": "resource_transfer", "who": "target", "to": "actor", "resources": {"ore": 2}}
PUT = {"kind": "resource_transfer", "who": "actor", "to": "target", "resources": {"ore": 1}}
OBJECTS = {
    "wall": {"kind": "wall"},
    "ext": {"inventory": {"initial": {"ore": 5}}, "on_use": [{"mutations": [TAKE]}]},
    "chest": {"on_use": [{"mutations": [PUT]}]},
}


def grid(*rows, **core):
    agents = sum(row.count("@") for row in rows)
    used = {char: LEGEND[char] for char in sorted(set("".join(rows)))}
    made = {
        "num_agents": agents,
        "objects": OBJECTS,
        "obs": {"width": 5, "height": 5, "num_tokens": 100},
        "map": {"kind": "ascii", "rows": list(rows), "legend": used},
        "order": "seeded_shuffle_upstream",
        **core,
    }
    config = {
        "schema": 1, "identity": {"world": "mettagrid", "version": 1}, "core": made,
        "layers": {}, "agents": {}, "instrumentation": {},
    }  # fmt: skip
    return meso.make(config, target="python", autoreset="off")


def play(env, *actions):
    return env.step(np.array(actions, np.int32).reshape(1, -1, 1))


def places(env):
    return [tuple(map(int, x)) for x in zip(env.truth("row")[0], env.truth("col")[0], strict=True)]


def success(step):
    return (np.asarray(step.info["success"])[0] != 0).tolist()


def told(env, step, agent=0):
    return tokens.decode(np.asarray(step.obs)[0, agent], IdMap(env.config.core))


def test_walls_and_the_edge_stop_a_cog():
    env = grid("@#")
    env.reset(seed=0)
    for move in (NORTH, SOUTH, WEST, EAST):
        step = play(env, move)
        assert success(step) == [False]
    assert places(env) == [(0, 0)]


def test_a_cell_that_was_just_left_can_be_entered():
    env = grid("@@..")
    env.reset(seed=0)
    outcomes = set()
    for _ in range(6):
        env.reset()
        outcomes.add(tuple(success(play(env, EAST, EAST))))
    assert outcomes == {(True, True), (False, True)}


@pytest.mark.parametrize(
    ("seed", "expected"),
    [
        (7, ["FFFT", "TTTT", "FFTT", "FTTT", "TTTF", "TTFF"]),
        (8, ["FFTT", "TTFT", "TTTT", "FTTT", "TFTF", "TTFF"]),
    ],
)
def test_the_programs_shuffle_decides_who_goes_first(seed, expected):
    env = grid("##########", "#@@@@....#", "##########")
    env.reset(seed=seed)
    found = ["".join("FT"[x] for x in success(play(env, *[EAST] * 4))) for _ in range(6)]
    assert found == expected


def test_an_extractor_gives_until_it_is_empty_and_nothing_is_lost():
    env = grid("@E", "C.")
    env.reset(seed=0)
    got = []
    for _ in range(4):
        play(env, EAST)
        got.append(int(env.truth("amount")[0, 0, 1]))
        assert env.truth("amount")[0, :, 1].sum() == 5
    assert got == [2, 4, 5, 5]
    play(env, SOUTH)
    assert env.truth("amount")[0, :, 1].tolist() == [4, 1, 0]  # the cog, the chest, the rest


def test_what_is_removed_when_empty_leaves_its_cell_free():
    take = [{"mutations": [TAKE | {"remove_when_empty": True}]}]
    objects = OBJECTS | {"ext": {"inventory": {"initial": {"ore": 2}}, "on_use": take}}
    env = grid("@E", objects=objects)
    env.reset(seed=0)
    step = play(env, EAST)
    assert success(step) == [True]
    assert places(env)[1] == (-1, -1)
    play(env, EAST)
    assert places(env)[0] == (0, 1)


def test_a_shared_limit_holds_and_modifiers_raise_it():
    limit = {"base": 1, "resources": ["ore"], "modifiers": {"heart": 3}}
    for hearts, most in ((0, 1), (1, 3)):
        kind = {"inventory": {"initial": {"heart": hearts}, "limits": {"cargo": limit}}}
        env = grid("@E", agent=kind)
        env.reset(seed=0)
        for _ in range(3):
            play(env, EAST)
        assert int(env.truth("amount")[0, 0, 1]) == most


def test_the_last_reward_is_told_as_the_manual_says_or_as_the_program_does():
    for conformance, value in (("spec", 50), ("upstream", 0)):
        kind = {"rewards": {"ore": {"weights": {"ore": 0.25}}}}
        env = grid("@E", agent=kind, conformance=conformance)
        env.reset(seed=0)
        step = play(env, EAST)
        assert float(step.reward[0, 0]) == 0.5
        assert env.explain(env=0, agent=0) == {"ore": 0.5, "passed_on": 0.0}
        found = {entry.feature: entry.value for entry in told(env, step) if entry.row < 0}
        assert found["last_reward"] == value


def test_an_invalid_id_is_a_failed_noop():
    env = grid("@.")
    env.reset(seed=0)
    step = play(env, 99)
    assert success(step) == [False]
    assert env.violations[0, 0] == 1
    assert success(play(env, NOOP)) == [True]


def test_masks_say_what_would_succeed():
    env = grid("@E", "#@")
    step = env.reset(seed=0)
    assert np.asarray(step.mask)[0].tolist() == [
        [True, False, False, False, True],
        [True, True, False, False, False],
    ]


def test_masks_know_what_cannot_be_paid():
    env = grid("@.", actions={"move_cost": {"energy": 1}})
    step = env.reset(seed=0)
    assert not step.mask[0, 0, EAST]
    assert success(play(env, EAST)) == [False]
    rich = grid("@.", actions={"move_cost": {"energy": 1}},
                agent={"inventory": {"initial": {"energy": 1}}})  # fmt: skip
    rich.reset(seed=0)
    assert success(play(rich, EAST)) == [True]
    assert int(rich.truth("amount")[0, 0, 0]) == 0


def test_tokens_that_do_not_fit_are_dropped_and_counted():
    small = {"width": 5, "height": 5, "num_tokens": 4}
    env, whole = grid("@E", "#@", obs=small), grid("@E", "#@")
    step, full = env.reset(seed=0), whole.reset(seed=0)
    assert (np.asarray(step.obs)[0] == np.asarray(full.obs)[0, :, :4]).all()
    count = np.asarray(full.info["tokens_written"])[0]
    assert np.asarray(step.info["tokens_dropped"])[0].tolist() == (count - 4).tolist()
    assert np.asarray(full.info["tokens_dropped"]).sum() == 0


def test_an_overflow_can_end_the_episode_instead():
    env = grid("@E", obs={"width": 5, "height": 5, "num_tokens": 4}, overflow="error")
    env.reset(seed=0)
    step = play(env, NOOP)
    assert env.spec.reason_name(int(step.episode_reason[0])) == "token_overflow"


def test_a_blocker_hides_what_is_behind_it():
    objects = OBJECTS | {"wall": {"kind": "wall", "blocks_vision": True}}
    shown = [grid("@#E", objects=kinds).reset(seed=0) for kinds in (objects, OBJECTS)]
    there = [(np.asarray(step.obs)[0, 0, :, 0] == 0x24).any() for step in shown]
    assert there == [False, True]


def test_a_disabled_feature_is_not_told_and_ids_stay():
    env = grid("@.", obs={"width": 3, "height": 3, "last_action": False})
    step = env.reset(seed=0)
    names = [entry.feature for entry in told(env, step)]
    assert "last_action" not in names
    assert IdMap(env.config.core).feature_id("last_reward") == 3


def test_a_frozen_agent_loses_its_turns_and_changes_places():
    fight = {"vibes": ["default"], "freeze": 2}
    env = grid("@@", profile="classic", vibes=["default"], actions={"attack": fight}, objects={})
    env.reset(seed=0)
    step = play(env, EAST, NOOP)
    assert int(env.truth("frozen")[0, 1]) in (1, 2)
    assert success(step)[0]
    play(env, EAST, NOOP)
    assert sorted(places(env)) == [(0, 0), (0, 1)]


def test_an_assembler_needs_its_inputs_and_cools_down():
    asm = {"kind": "assembler", "max_uses": 2, "protocols": [
        {"inputs": {"energy": 2}, "outputs": {"ore": 1}, "cooldown": 2}]}  # fmt: skip
    env = grid("@A", profile="classic", objects={"wall": {"kind": "wall"}, "asm": asm},
               agent={"inventory": {"initial": {"energy": 9}}})  # fmt: skip
    env.reset(seed=0)
    found = [success(play(env, EAST))[0] for _ in range(6)]
    assert found == [True, False, True, False, False, False]
    assert env.truth("amount")[0, 0].tolist() == [5, 2, 0]


TALK = {"enabled": True, "cooldown_steps": 3}


def test_those_who_see_a_speaker_hear_it_until_it_may_speak_again():
    env = grid("@.@....@", talk=TALK, obs={"width": 5, "height": 5, "num_tokens": 60})
    env.reset(seed=0)
    step = env.step(with_talk(np.zeros((1, 3)), {(0, 0): {"talk": "ore here"}}))
    assert heard_by(step.info, 0, 1) == {0: ("ore here", 3)}
    assert heard_by(step.info, 0, 2) == {}
    table = IdMap(env.config.core)
    seen = tokens.entities(tokens.decode(step.obs[0, 1], table), table, heard_by(step.info, 0, 1))
    (speaker,) = (entity for entity in seen if entity.label == "talking")
    assert speaker.attributes["talk_text"] == "ore here"
    assert speaker.attributes["talk_remaining_steps"] == 3
    step = env.step(with_talk(np.zeros((1, 3)), {(0, 0): MacroDirective(talk="again")}))
    assert heard_by(step.info, 0, 1) == {0: ("ore here", 2)}
    env.step(with_talk(np.zeros((1, 3)), {}))
    step = env.step(with_talk(np.zeros((1, 3)), {}))
    assert heard_by(step.info, 0, 1) == {}
    assert "talk" in {event["kind"] for event in env.events()}


def test_talk_has_no_vibe_actions_and_keeps_vibes():
    env = grid("@.", talk=TALK, vibes=["default", "happy"], actions={"vibes": ["happy"]})
    assert "change_vibe_happy" not in env.spec.roles["cog"].action.choices[0].options
    assert IdMap(env.config.core).vibe_names() == ["default", "happy"]


def test_speech_that_is_too_long_is_refused():
    with pytest.raises(ActionError, match="at most 140 bytes"):
        talk_bytes("x" * 141)
    assert not talk_bytes(None).any()


def test_split_actions_move_and_change_vibe_in_one_step():
    env = grid("@.", vibes=["default", "happy"],
               actions={"vibes": ["default", "happy"], "layout": "split"})  # fmt: skip
    env.reset(seed=0)
    env.step(np.array([[[EAST, 6]]], np.int32))
    assert places(env)[0] == (0, 1)
    assert int(env.truth("vibe")[0, 0]) == 1


@pytest.mark.parametrize(
    ("given", "place", "shown", "succeeds"),
    [
        ((EAST, 99), (0, 1), EAST, False),  # what was done stays, but counts as failed
        ((EAST, -1), (0, 1), EAST, False),
        ((99, 6), (0, 0), 6, True),
        ((-1, 6), (0, 0), 6, True),
        ((EAST, 6), (0, 1), 6, True),
        ((NOOP, SOUTH), (0, 0), NOOP, True),  # no vibe: not looked at
        ((6, NOOP), (0, 0), NOOP, False),
        ((99, 99), (0, 0), NOOP, False),
    ],
)
def test_an_invalid_id_in_one_part_leaves_the_other_alone(given, place, shown, succeeds):
    """All eight are as the program does it."""
    env = grid("@.", vibes=["default", "happy"], conformance="upstream",
               actions={"vibes": ["default", "happy"], "layout": "split"})  # fmt: skip
    env.reset(seed=0)
    step = env.step(np.array([[given]], np.int32))
    assert (places(env)[0], success(step)) == (place, [succeeds])
    assert int(env.truth("last_action")[0, 0]) == shown
    assert int(env.truth("vibe")[0, 0]) == (1 if shown == 6 else 0)


@pytest.mark.parametrize("kind", ["random", "rooms", "maze"])
def test_maps_hold_what_is_asked_for(kind):
    env = meso.make("mettagrid/forage", {"core.map.kind": kind}, target="python", num_envs=3)
    env.reset(seed=1)
    rows, cols = env.truth("row").tolist(), env.truth("col").tolist()
    found = {tuple(zip(rows[e], cols[e], strict=True)) for e in range(3)}
    assert len(found) > 1
    for spots in found:
        assert len(set(spots)) == len(spots) == 20


def test_bad_games_are_refused_with_a_path():
    for core, match in (
        (
            {"agent": {"inventory": {"initial": {"gold": 1}}}},
            "agent.inventory.initial: no resource",
        ),
        ({"actions": {"vibes": ["angry"]}}, "actions.vibes: no vibe named 'angry'"),
        ({"objects": {}}, "no object named 'wall'"),
        ({"num_agents": 3}, "map.rows: 3 agents"),
    ):
        with pytest.raises(ConfigError, match=match):
            grid("@#", **core)


def test_what_has_two_teams_claims_land_for_the_first_of_them():
    hub = {"tags": ["team:b", "team:a"], "controls": [{"territory": "land", "strength": 2}]}
    env = grid(
        ".C.",
        ".@.",
        objects={"wall": {"kind": "wall"}, "chest": hub},
        agent={"tags": ["team:a"]},
        territories={"land": "team:"},
        obs={"width": 3, "height": 3, "num_tokens": 60, "territory": True},
    )
    view = tokens.decode(np.asarray(env.reset(seed=0).obs)[0, 0], env.config.core.id_map())
    assert [entry.value for entry in view if entry.feature == "territory:here"] == [1]
