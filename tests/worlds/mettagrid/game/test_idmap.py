"""Ids of features, tags, vibes and actions, by name, as the manuals have them."""

import numpy as np
import pytest
from games import ALL_HINTS, id_map

from mesocosm.core.errors import ConfigError, UnknownName
from mesocosm.worlds.mettagrid import IdMap, Remap
from mesocosm.worlds.mettagrid.config import Core
from mesocosm.worlds.mettagrid.game.idmap import digits


@pytest.mark.parametrize(
    ("name", "number", "scale"),
    [
        ("agent:group", 0, 10), ("agent:frozen", 1, 1), ("episode_completion_pct", 2, 255),
        ("last_action", 3, 10), ("last_reward", 4, 100), ("goal", 5, 100), ("vibe", 6, 255),
        ("agent:compass", 7, 1), ("tag", 8, 10), ("cooldown_remaining", 9, 255),
        ("clipped", 10, 1), ("remaining_uses", 11, 255), ("inv:energy", 12, 256),
        ("inv:energy:p1", 13, 256), ("protocol_input:energy", 18, 100),
        ("protocol_output:heart", 23, 100),
    ],
)  # fmt: skip
def test_classic_feature_has_the_id_and_scale_of_its_manual(name, number, scale):
    assert id_map(profile="classic", obs={"goal": True}).feature(name) == (number, name, scale)


def test_classic_table_has_goal_only_where_goals_are_told_or_upstream():
    table = id_map(profile="classic")
    assert not table.has("goal")
    assert table.feature_id("vibe") == 5
    assert id_map(profile="classic", conformance="upstream").feature_id("goal") == 5


@pytest.mark.parametrize(
    ("name", "number", "scale"),
    [
        ("agent:group", 0, 10), ("episode_completion_pct", 1, 255), ("last_action", 2, 10),
        ("last_reward", 3, 100), ("goal", 4, 100), ("vibe", 5, 255), ("tag", 6, 10),
        ("lp:east", 7, 255), ("lp:west", 8, 255), ("lp:north", 9, 255), ("lp:south", 10, 255),
        ("agent_id", 11, 255), ("inv:energy", 12, 256), ("inv:energy:p1", 13, 256),
        ("protocol_input:energy", 18, 100), ("protocol_output:energy", 21, 100),
        ("last_action_move", 24, 1), ("territory:here", 25, 3), ("territory:north", 26, 9),
        ("territory:south", 27, 9), ("territory:east", 28, 9), ("territory:west", 29, 9),
    ],
)  # fmt: skip
def test_cogs_feature_has_the_id_and_scale_of_its_manual(name, number, scale):
    assert id_map(obs=ALL_HINTS).feature(name) == (number, name, scale)


@pytest.mark.parametrize(("base", "count"), [(256, 2), (100, 3), (10, 5), (2, 16)])
def test_number_of_digits_holds_65535_in_the_base(base, count):
    assert digits(base) == count


def test_more_features_than_a_byte_holds_are_refused():
    many = [f"res{k}" for k in range(70)]
    with pytest.raises(ConfigError, match="do not fit a byte"):
        IdMap(Core(resources=tuple(many))).features()


def test_unknown_feature_name_raises_with_the_nearest_name():
    with pytest.raises(UnknownName, match="inv:energy"):
        id_map().feature_id("inv:enery")


def test_tags_vibes_and_actions_are_listed_by_name():
    table = id_map(vibes=["default", "happy"], actions={"vibes": ["happy"]})
    assert table.tag_names() == ["type:agent", "type:wall"]
    assert table.vibe_names() == ["default", "happy"]
    assert table.action_names()[-2:] == ["move_east", "change_vibe_happy"]
    assert id_map(profile="classic").tag_names() == ["agent", "wall"]


def test_remap_translates_another_games_tokens_by_name():
    theirs, ours = id_map(resources=["gold", "energy"]), id_map(resources=["energy"])
    view = np.full((4, 3), 255, np.uint8)
    view[0] = [0x55, theirs.feature_id("inv:gold"), 3]
    view[1] = [0x55, theirs.feature_id("inv:energy"), 9]
    kept = view.copy()
    dropped = Remap(theirs, ours)(view)
    assert dropped[0].tolist() == [0x55, ours.feature_id("inv:energy"), 9]
    assert (dropped[1:] == 255).all()
    zeroed = Remap(theirs, ours, "zero")(view)
    assert (zeroed[0] == 255).all()
    assert zeroed[1].tolist() == [0x55, ours.feature_id("inv:energy"), 9]
    assert (view == kept).all()
    with pytest.raises(ConfigError, match="inv:gold"):
        Remap(theirs, ours, "error")
    assert (Remap(theirs, theirs)(view) == view).all()
