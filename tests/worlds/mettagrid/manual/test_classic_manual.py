"""The manual of the classic profile: its code runs, and its tables are those of the world."""

import numpy as np
import pytest
from games import EAST, NOOP, classic_game, play, read_tokens

import mesocosm as meso
from mesocosm.core.errors import ConfigError
from mesocosm.worlds.mettagrid.manual import GameConfig, MettaGridConfig, ObsConfig

from mesocosm.worlds.mettagrid.manual import ObservationFeatureSpec, vibes  # isort: skip

from .code_blocks import FEATURE_SPEC, ID_MAP, run_block

CENTRE = 0x55
WALLED = {"type": "mettagrid.map_builder.ascii.AsciiMapBuilder.Config", "map_data": ["#@.#"]}
# feature and normalization, in the order of the manual's table, which says no ids
TABLE = [
    ("agent:group", 10.0), ("agent:frozen", 1.0), ("episode_completion_pct", 255.0),
    ("last_action", 10.0), ("last_reward", 100.0), ("vibe", 255.0), ("agent:compass", 1.0),
    ("tag", 10.0), ("cooldown_remaining", 255.0), ("clipped", 1.0), ("remaining_uses", 255.0),
]  # fmt: skip


def their_game(base=256, **more):
    """Return a game in MettaGrid's own keys, of the version that the manual is about."""
    vibe = {"enabled": True, "vibes": [{"name": entry.name} for entry in vibes.VIBES[:3]]}
    return {
        "resource_names": ["food", "water"],
        "num_agents": 1,
        "obs": {"width": 11, "height": 11, "num_tokens": 200, "token_value_base": base},
        "global_obs": {},
        "actions": {"change_vibe": vibe},
        "objects": {"wall": {"name": "wall", "pydantic_type": "wall"}},
        "map_builder": WALLED,
    } | more


def powers(count):
    """Return the manual's inventory features, with so many digits."""
    tails = ["", *(f":p{k}" for k in range(1, count))]
    return [f"inv:{name}{tail}" for name in ("food", "water") for tail in tails]


@pytest.mark.parametrize(("base", "digits"), [(256, 2), (100, 3)])
@pytest.mark.parametrize("details", [True, False])
def test_example_lists_exactly_the_features_of_the_manual(base, digits, details):
    game = their_game(base, protocol_details_obs=details)
    features = run_block(ID_MAP, game=game)["features"]
    sides = [
        f"protocol_{side}:{name}" for side in ("input", "output") for name in ("food", "water")
    ]
    made = TABLE + [(name, float(base)) for name in powers(digits)]
    made += [(name, 100.0) for name in sides] if details else []
    assert features == [(k, name, scale) for k, (name, scale) in enumerate(made)]


def test_example_lists_goal_only_where_a_game_has_goals():
    plain = run_block(ID_MAP, game=their_game())["id_map"]
    assert not plain.has("goal")
    goals = run_block(ID_MAP, game=their_game(global_obs={"goal_obs": True}))["features"]
    assert [x.name for x in goals][:12] == [
        *[n for n, _ in TABLE[:5]],
        "goal",
        *[n for n, _ in TABLE[5:11]],
    ]
    upstream = run_block(ID_MAP, game=their_game(), conformance="upstream")["id_map"]
    assert upstream.feature_id("goal") == 5  # MettaGrid keeps the id


def test_feature_spec_has_the_attributes_of_the_manual():
    theirs = run_block(FEATURE_SPEC)["ObservationFeatureSpec"].__annotations__
    assert ObservationFeatureSpec.__annotations__ == theirs
    (first, *_) = run_block(ID_MAP, game=their_game())["features"]
    assert {name: type(getattr(first, name)) for name in theirs} == theirs


def test_configured_game_plays_and_its_id_map_names_what_is_seen():
    names = run_block(ID_MAP, game=their_game(), label="mine")
    env = meso.make(names["config"].config, target="python")
    tokens = np.asarray(env.reset(seed=0).obs)[0]
    assert tokens.shape == (1, 200, 3)
    seen = {names["features"][feature].name for place, feature, _ in tokens[0] if place != 0xFF}
    assert seen == {
        "episode_completion_pct", "last_action", "last_reward", "agent:group", "agent:frozen",
        "tag",
    }  # fmt: skip
    assert names["id_map"].tag_names() == ["agent", "wall"]


def test_config_takes_a_game_in_our_keys_and_refuses_anything_else():
    made = MettaGridConfig(GameConfig(profile="classic", num_agents=3))
    assert meso.make(made.config, target="python").spec.num_agents == 3
    assert MettaGridConfig().game.id_map().has("agent_id")
    with pytest.raises(ConfigError, match="game: must be a mapping or a GameConfig, got 7"):
        MettaGridConfig(7)


def test_defaults_are_those_of_the_manual():
    assert ObsConfig().token_value_base == 256
    assert (ObsConfig().width, ObsConfig().height) == (11, 11)


def first_tokens(**core):
    """Observe a classic game whose only agent stands left of an assembler."""
    env = classic_game(*core.pop("rows", ("@A",)), **{"conformance": "spec"} | core)
    return env, np.asarray(env.reset(seed=0).obs)[0, 0]


@pytest.mark.parametrize(
    ("base", "amount", "digits"),
    [
        (256, 42, [42]), (256, 1234, [210, 4]), (256, 65535, [255, 255]),
        (100, 42, [42]), (100, 1234, [34, 12]), (100, 54321, [21, 43, 5]),
    ],
)  # fmt: skip
def test_amount_is_encoded_as_in_the_tables_of_the_manual(base, amount, digits):
    window = {"width": 11, "height": 11, "num_tokens": 60, "token_value_base": base}
    env, tokens = first_tokens(agents=[{"ore": amount}], obs=window)
    first = env.config.core.id_map().feature_id("inv:ore")
    found = [(place, feature - first, value) for place, feature, value in tokens.tolist()]
    assert [x for x in found if 0 <= x[1] < len(digits) and x[0] == CENTRE] == [
        (CENTRE, k, digit) for k, digit in enumerate(digits)
    ]
    assert sum(digit * base**k for k, digit in enumerate(digits)) == amount
    assert (first + len(digits)) not in tokens[:, 1]


def test_agent_is_at_the_centre_and_padding_is_255():
    window = {"width": 11, "height": 11, "num_tokens": 60}
    _, tokens = first_tokens(obs=window, agents=[{"energy": 3}])
    used = tokens[tokens[:, 0] != 0xFF]
    assert used[0].tolist() == [CENTRE, 2, 0]  # the episode's progress, at one's own place
    assert (tokens[len(used) :] == 0xFF).all()
    assert {int(place) for place in used[:, 0]} == {CENTRE, CENTRE + 1}


ONCE = {
    "protocols": [{"inputs": {"energy": 1}, "outputs": {"ore": 2}, "cooldown": 300}],
    "max_uses": 300,
}
HERE, BESIDE = (2, 2), (2, 3)


@pytest.mark.parametrize(
    ("feature", "place", "value", "core", "action"),
    [
        ("agent:group", HERE, 3, {"agents": [{"team": 3, "inventory": {}}]}, NOOP),
        ("agent:frozen", HERE, 0, {}, NOOP),
        ("episode_completion_pct", HERE, 64, {"max_steps": 4}, NOOP),
        ("last_action", HERE, EAST, {"asm": ONCE}, EAST),
        ("last_reward", HERE, 50, {"asm": ONCE}, EAST),
        ("vibe", HERE, 1, {}, "change_vibe_make"),
        ("vibe", BESIDE, 2, {"asm": {"vibe": 2}}, NOOP),
        ("agent:compass", BESIDE, 1, {}, NOOP),
        ("tag", BESIDE, "asm", {}, NOOP),
        ("cooldown_remaining", BESIDE, 255, {"asm": ONCE}, EAST),
        ("remaining_uses", BESIDE, 255, {"asm": ONCE}, EAST),
        ("clipped", BESIDE, 1, {"asm": {"start_clipped": True}}, NOOP),
        ("inv:ore", HERE, 2, {"asm": ONCE}, EAST),
        ("protocol_input:energy", BESIDE, 1, {"asm": ONCE}, NOOP),
        ("protocol_output:ore", BESIDE, 2, {"asm": ONCE}, NOOP),
    ],
)
def test_feature_of_the_manual_is_observed(feature, place, value, core, action):
    paid = {"inventory": {"initial": {"energy": 9}}, "rewards": {"ore": {"weights": {"ore": 0.25}}}}
    window = {"width": 5, "height": 5, "num_tokens": 60, "compass": True}
    clipper = {"unclipping": [{"inputs": {"heart": 1}}]}
    made = {"agents": [paid], "obs": window, "clipper": clipper} | core
    env, _ = first_tokens(**made)
    step = play(env, action)
    if feature == "tag":
        value = env.config.core.id_map().tag_names().index(value)
    assert (place, feature, value) in [((x.row, x.col), *x[2:]) for x in read_tokens(env, step)]


def test_remaining_uses_are_told_only_where_they_are_limited():
    env, _ = first_tokens()
    assert "remaining_uses" not in {x.feature for x in read_tokens(env, play(env, NOOP))}


def test_chest_shows_what_it_holds():
    env, _ = first_tokens(rows=("@D",))
    assert (2, 3, "inv:ore", 4) in read_tokens(env, play(env, NOOP))


def test_vibe_of_a_token_is_found_in_the_table_of_vibes():
    config = MettaGridConfig(their_game())
    env = meso.make(config.config, target="python")
    env.reset(seed=0)
    for vibe in vibes.VIBES[1:3]:
        step = play(env, f"change_vibe_{vibe.name}")
        (seen,) = [x.value for x in read_tokens(env, step) if x.feature == "vibe"]
        assert vibes.VIBES[seen] == vibe == (seen, config.game.id_map().vibe_names()[seen])
