"""The manual of the profile cogs: the preset `mettagrid/manual` follows it to the letter."""

import numpy as np
import pytest
from games import read_tokens

import mesocosm as meso
from mesocosm.adapters import GymEnv
from mesocosm.worlds.mettagrid.client import tokens
from mesocosm.worlds.mettagrid.client.speech import heard_by, with_talk
from mesocosm.worlds.mettagrid.manual import MacroDirective

from .code_blocks import ID_MAP, run_block

PRESET = "mettagrid/manual"
GLOBAL, EMPTY, CENTRE, SIZE = 0xFE, 0xFF, 0x66, 13
RESOURCES = ("energy", "oxygen", "carbon", "heart")
LP = ["lp:east", "lp:west", "lp:north", "lp:south"]
SIDES = ["north", "south", "east", "west"]
# the rows of the manual's table; those that are optional come last
FEATURES = [
    "agent:group", "episode_completion_pct", "last_action", "last_reward", "goal", "vibe", "tag",
    *LP, "agent_id", *(f"inv:{name}" for name in RESOURCES),
    *(f"protocol_input:{name}" for name in RESOURCES),
    *(f"protocol_output:{name}" for name in RESOURCES),
    "last_action_move", "territory:here", *(f"territory:{side}" for side in SIDES),
]  # fmt: skip
GLOBALS = {
    "episode_completion_pct", "last_action", "last_reward", "agent_id", "last_action_move",
    "territory:here", *LP,
}  # fmt: skip
ACTIONS = ["noop", *(f"move_{side}" for side in SIDES)]
VIBES = ["neutral", "happy", "sad", "angry"]
CHANGES = [f"change_vibe_{name}" for name in VIBES]
LEGEND = {"#": "wall", ".": "empty", "@": "agent.agent", "O": "oxygen_extractor"}
LEGEND |= {"C": "chest", "B": "blue_hub", "R": "red_hub"}


def scene(*rows, variants=(), **core):
    """Make the preset on a map drawn as text, with its first agents."""
    agents = meso.load_config(PRESET).model_dump(mode="json")["core"]["agents"]
    count = sum(row.count("@") for row in rows)
    chars = {char: LEGEND[char] for char in sorted(set("".join(rows)))}
    drawn = {"kind": "ascii", "rows": list(rows), "legend": chars}
    made = {"num_agents": count, "agents": agents[:count], "map": drawn} | core
    overrides = {f"core.{key}": value for key, value in made.items()}
    env = meso.make(PRESET, overrides, target="python", autoreset="off", variants=variants)
    env.reset(seed=0)
    return env


def act(env, *names):
    """Step with one command per cog, by name, as the manual's array of ids."""
    known = env.config.core.id_map().action_names()
    return env.step(np.array([[known.index(name) for name in names]], np.int32))


def held(env, agent=0):
    return dict(zip(RESOURCES, env.truth("amount")[0, agent].tolist(), strict=True))


def places(env, step, feature, agent=0):
    """List where an agent sees a feature, and with which value; None is no place."""
    found = [x for x in read_tokens(env, step, agent) if x.feature == feature]
    return [(None if x.row < 0 else (x.row, x.col), x.value) for x in found]


def test_example_of_the_manual_lists_the_features_of_a_game():
    game = {
        "resource_names": ["oxygen"],
        "num_agents": 1,
        "map_builder": {"type": "AsciiMapBuilder", "map_data": ["@."]},
        "protocol_details_obs": False,
    }
    made = run_block(ID_MAP, game=game)
    names = [entry.name for entry in made["features"]]
    assert names == [*FEATURES[:12], "inv:oxygen", "inv:oxygen:p1"]
    assert [entry.id for entry in made["features"]] == list(range(len(names)))


def test_feature_table_of_the_preset_is_that_of_the_manual():
    features = meso.load_config(PRESET).core.id_map().features()
    assert [entry.name for entry in features] == FEATURES
    assert [entry.id for entry in features] == list(range(len(FEATURES)))
    scales = dict.fromkeys(FEATURES, 100.0)
    scales |= {"agent:group": 10.0, "last_action": 10.0, "tag": 10.0, "last_action_move": 1.0}
    scales |= dict.fromkeys(("episode_completion_pct", "vibe", "agent_id", *LP), 255.0)
    scales |= {name: 256.0 for name in FEATURES if name.startswith("inv:")}
    scales |= {f"territory:{side}": 9.0 for side in SIDES} | {"territory:here": 3.0}
    assert {entry.name: entry.normalization for entry in features} == scales


@pytest.mark.parametrize(
    ("switch", "prefix"),
    [
        ("protocol_details", "protocol_"),
        ("territory", "territory:"),
        ("last_action_move", "last_action_move"),
    ],
)
def test_optional_features_leave_the_table_when_switched_off(switch, prefix):
    core = meso.load_config(PRESET, {f"core.obs.{switch}": False}).core
    names = [entry.name for entry in core.id_map().features()]
    assert names == [name for name in FEATURES if not name.startswith(prefix)]


def test_switches_of_the_manual_are_found_under_their_names():
    game = {
        "resource_names": ["oxygen"],
        "num_agents": 1,
        "map_builder": {"type": "AsciiMapBuilder", "map_data": ["@."]},
        "protocol_details_obs": True,
        "obs": {"territory": True, "global_obs": {"last_action_move": True}},
        "actions": {"change_vibe": {"vibes": [{"name": "neutral"}, {"name": "happy"}]}},
    }
    made = run_block(ID_MAP, game=game)
    core, names = made["config"].game, [entry.name for entry in made["features"]]
    assert (core.obs.width, core.obs.height, core.obs.num_tokens) == (SIZE, SIZE, 500)
    assert names[14:] == ["protocol_input:oxygen", "protocol_output:oxygen", *FEATURES[-6:]]
    assert made["id_map"].action_names()[-2:] == ["change_vibe_neutral", "change_vibe_happy"]


def test_observations_are_bytes_by_cog_token_and_component():
    env = meso.make(PRESET, target="python")
    obs = np.asarray(env.reset(seed=0).obs)[0]
    assert obs.shape == (6, 500, 3)
    assert obs.dtype == np.uint8
    used = obs[:, :, 0] != EMPTY
    assert used.any(axis=1).all()
    assert (obs[~used] == EMPTY).all()
    assert (np.diff(used.astype(int), axis=1) <= 0).all()  # padding comes last
    spatial = obs[:, :, 0][used & (obs[:, :, 0] != GLOBAL)]
    assert (spatial >> 4).max() < SIZE
    assert (spatial & 15).max() < SIZE


def test_window_is_the_whole_square_around_the_cog():
    rows = [
        "#" + "." * 11 + "#",
        *["." * 13] * 5,
        "......@......",
        *["." * 13] * 5,
        "#" + "." * 11 + "#",
    ]
    env = scene(*rows)
    wall = env.config.core.id_map().tag_names().index("wall")
    step = act(env, "noop")
    assert {at for at, value in places(env, step, "tag") if value == wall} == {
        (0, 0), (0, 12), (12, 0), (12, 12),
    }  # fmt: skip
    own = np.asarray(step.obs)[0, 0]
    assert own[own[:, 1] == FEATURES.index("inv:energy")][:, 0].tolist() == [CENTRE]


def test_global_tokens_are_those_of_the_manual_and_have_no_place():
    env = scene("@...", "....")
    seen = set()
    for name in ("move_east", "move_south", "move_west", "move_north"):
        step = act(env, name)
        for token in read_tokens(env, step):
            assert (token.row < 0) == (token.feature in GLOBALS), token
            seen.add(token.feature)
    assert seen >= GLOBALS - {"lp:west", "lp:north"}


def test_agent_id_is_unique_and_told_once_among_the_globals():
    env = scene("@.@", "@..")
    step = act(env, "noop", "noop", "noop")
    assert [places(env, step, "agent_id", a) for a in range(3)] == [[(None, a)] for a in range(3)]


def test_every_cog_in_view_shows_its_group_its_goals_and_what_it_holds():
    env = scene("@.@")
    step = act(env, "noop", "noop")
    ids = env.config.core.id_map()
    assert places(env, step, "agent:group") == [((6, 6), 0), ((6, 8), 1)]
    goals = [ids.feature_id("inv:oxygen"), ids.feature_id("inv:heart")]
    assert places(env, step, "goal") == [((6, 6 + 2 * k), goal) for k in (0, 1) for goal in goals]
    assert places(env, step, "inv:energy") == [((6, 6), 100), ((6, 8), 100)]


def test_tags_are_several_tokens_named_by_the_id_map():
    env = scene("@OB", "###")
    names = env.config.core.id_map().tag_names()
    by_cell = {}
    for at, value in places(env, act(env, "noop"), "tag"):
        by_cell.setdefault(at, set()).add(names[value])
    assert by_cell[6, 6] == {"type:agent", "blue", "team:blue"}
    assert by_cell[6, 7] == {"type:oxygen_extractor", "oxygen_extractor"}
    assert by_cell[6, 8] == {"type:blue_hub", "hub", "blue", "team:blue"}
    assert by_cell[7, 6] == {"type:wall", "wall"}


def test_progress_last_action_last_reward_and_local_position_are_told():
    env = scene("O@..", max_steps=4)
    assert places(env, act(env, "move_west"), "last_reward") == [(None, 20)]  # two oxygen
    step = act(env, "move_east")
    assert places(env, step, "episode_completion_pct") == [(None, 128)]
    assert places(env, step, "last_action") == [(None, ACTIONS.index("move_east"))]
    assert places(env, step, "last_reward") == [(None, 0)]
    assert places(env, step, "last_action_move") == [(None, 1)]
    assert places(env, step, "lp:east") == [(None, 1)]
    assert places(env, act(env, "noop"), "last_action_move") == [(None, 0)]
    assert places(env, act(env, "noop"), "episode_completion_pct") == [(None, 255)]


def test_hub_and_extractors_show_their_current_protocol():
    env = scene("@OB.C")
    step = act(env, "noop")
    assert places(env, step, "protocol_input:energy") == [((6, 7), 2)]
    assert places(env, step, "protocol_output:oxygen") == [((6, 7), 2)]
    assert places(env, step, "protocol_input:oxygen") == [((6, 8), 2)]
    assert places(env, step, "protocol_output:heart") == [((6, 8), 1)]
    assert ((6, 10), 20) in places(env, step, "inv:carbon")  # the chest


def test_vibes_change_how_the_world_responds():
    env = scene("B@")
    assert places(env, act(env, "noop"), "protocol_input:carbon") == []
    step = act(env, "change_vibe_happy")
    assert places(env, step, "vibe") == [((6, 6), VIBES.index("happy"))]
    assert places(env, step, "protocol_input:carbon") == [((6, 5), 2)]


def test_land_is_told_here_and_at_its_borders():
    env = scene("@" + "." * 5 + "B")
    step = act(env, "noop")
    assert places(env, step, "territory:here") == [(None, 0)]  # a distance of six is beyond it
    assert ((6, 6), 1) in places(env, step, "territory:east")
    assert places(env, act(env, "move_east"), "territory:here") == [(None, 1)]


def test_amounts_beyond_a_byte_are_told_as_the_most_that_one_feature_holds():
    chest = {"kind": "chest", "inventory": {"initial": {"carbon": 300, "heart": 255}}}
    env = scene("@C", objects={"chest": chest}, territories={})
    step = act(env, "noop")
    assert places(env, step, "inv:carbon") == [((6, 7), 255)]
    assert places(env, step, "inv:heart") == [((6, 7), 255)]


def test_commands_are_one_id_per_cog_in_the_order_of_the_manual():
    env = scene("@.@")
    assert env.config.core.id_map().action_names() == ACTIONS + CHANGES
    assert env.spec.roles["cog"].action.choices[0].options == tuple(ACTIONS + CHANGES)
    one = GymEnv(PRESET, policies={"cog": "random"}, target="python")
    assert one.action_space.n == len(ACTIONS + CHANGES)
    assert one.action_space.dtype == np.int64


def test_diagonal_moves_can_be_enabled():
    slanted = ["northeast", "northwest", "southeast", "southwest"]
    env = scene("@.", "..", **{"actions.directions": [*SIDES, *slanted]})
    names = env.config.core.id_map().action_names()
    assert names == [*ACTIONS, *(f"move_{side}" for side in slanted), *CHANGES]
    act(env, "move_southeast")
    assert (env.truth("row")[0, 0], env.truth("col")[0, 0]) == (1, 1)


def test_move_costs_energy_and_noop_does_not():
    agents = meso.load_config(PRESET).model_dump(mode="json")["core"]["agents"]
    env = scene("@..", agents=[agents[0] | {"on_tick": None}])
    act(env, "move_east")
    assert held(env)["energy"] == 99
    act(env, "noop")
    assert held(env)["energy"] == 99
    act(env, "change_vibe_happy")
    assert held(env)["energy"] == 99


def test_moving_into_an_object_uses_it():
    env = scene("@O")
    assert act(env, "move_east").info["success"][0, 0]
    assert held(env)["oxygen"] == 2
    assert (env.truth("row")[0, 0], env.truth("col")[0, 0]) == (0, 0)


@pytest.mark.parametrize("command", [-1, 9, 10_000])
def test_command_out_of_range_is_ignored(command):
    env = scene("@..")
    before = (env.truth("row")[0, 0], env.truth("col")[0, 0])
    step = env.step(np.array([[command]], np.int32))
    assert (env.truth("row")[0, 0], env.truth("col")[0, 0]) == before
    assert places(env, step, "last_action") == [(None, ACTIONS.index("noop"))]
    assert places(env, step, "last_action_move") == [(None, 0)]


def test_command_that_cannot_be_paid_is_ignored():
    agents = meso.load_config(PRESET).model_dump(mode="json")["core"]["agents"]
    poor = agents[0] | {"on_tick": None, "inventory": {"initial": {"energy": 0}}}
    env = scene("@..", agents=[poor])
    step = act(env, "move_east")
    assert places(env, step, "last_action") == [(None, ACTIONS.index("noop"))]
    assert env.truth("col")[0, 0] == 0


def test_talk_variant_speaks_keeps_vibes_and_has_no_actions_for_them():
    env = scene("@.@", variants=["talk"])
    ids = env.config.core.id_map()
    assert ids.action_names() == ACTIONS
    assert ids.vibe_names() == VIBES
    directive = MacroDirective(talk="ore \N{ROCKET}")
    step = env.step(with_talk(np.zeros((1, 2)), {(0, 0): directive}))
    heard = heard_by(step.info, 0, 1)
    entities = tokens.entities(tokens.decode(np.asarray(step.obs)[0, 1], ids), ids, heard)
    (speaker,) = [entity for entity in entities if entity.label == "talking"]
    assert (speaker.row, speaker.col) == (6, 4)
    assert speaker.attributes["talk_text"] == "ore \N{ROCKET}"
    assert speaker.attributes["talk_remaining_steps"] == 50


def test_vibes_variant_has_actions_for_all_vibes_and_no_speech():
    env = scene("@.@", variants="vibes")
    assert env.config.core.id_map().action_names() == ACTIONS + CHANGES
    assert not env.config.core.talk.enabled
    talked = meso.make("mettagrid/talk", target="python", variants=["vibes"])
    assert talked.config.core.id_map().action_names()[-1] == "change_vibe_default"
