"""The manuals' tables: features, digits, window centres; ids by name; reading tokens."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import mesocosm as meso
from mesocosm.core.errors import ConfigError, MesocosmError, UnknownName
from mesocosm.worlds.mettagrid import IdMap, Remap
from mesocosm.worlds.mettagrid.client import tokens
from mesocosm.worlds.mettagrid.config import Core
from mesocosm.worlds.mettagrid.game.idmap import digits

LEGEND = {".": "empty", "@": "agent.agent", "#": "wall"}
MAP = {"kind": "ascii", "rows": ["....", ".@#.", "...."], "legend": LEGEND}
ALL_HINTS = {"last_action_move": True, "local_position": True, "territory": True}


def game(**core):
    return {
        "schema": 1,
        "identity": {"world": "mettagrid", "version": 1},
        "core": {"num_agents": 1, "map": MAP, **core},
        "layers": {}, "agents": {}, "instrumentation": {},
    }  # fmt: skip


def ids(**core):
    return IdMap(meso.load_config(game(**core)).core)


def first_view(**core):
    env = meso.make(game(**core), target="python")
    return env, np.asarray(env.reset(seed=0).obs)[0, 0]


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
def test_the_classic_manual_names_this_feature(name, number, scale):
    assert ids(profile="classic").feature(name) == (number, name, scale)


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
def test_the_cogs_manual_names_this_feature(name, number, scale):
    assert ids(obs=ALL_HINTS).feature(name) == (number, name, scale)


@pytest.mark.parametrize(
    ("base", "amount", "expected"),
    [
        (256, 42, {"inv:energy": 42}),
        (256, 1234, {"inv:energy": 210, "inv:energy:p1": 4}),
        (256, 65535, {"inv:energy": 255, "inv:energy:p1": 255}),
        (256, 256, {"inv:energy": 0, "inv:energy:p1": 1}),
        (100, 42, {"inv:energy": 42}),
        (100, 1234, {"inv:energy": 34, "inv:energy:p1": 12}),
        (100, 54321, {"inv:energy": 21, "inv:energy:p1": 43, "inv:energy:p2": 5}),
    ],
)
@pytest.mark.parametrize("profile", ["cogs", "classic"])
def test_an_amount_is_told_in_these_digits(profile, base, amount, expected):
    env, view = first_view(
        profile=profile,
        obs={"width": 5, "height": 5, "token_value_base": base},
        agent={"inventory": {"initial": {"energy": amount}}},
    )
    table = IdMap(env.config.core)
    found = tokens.decode(view, table)
    told = {entry.feature: entry.value for entry in found if entry.feature.startswith("inv:")}
    assert told == expected
    here = next(x for x in tokens.entities(found, table) if "agent:group" in x.attributes)
    assert here.inventory == {"energy": amount}


@pytest.mark.parametrize(("base", "count"), [(256, 2), (100, 3), (10, 5), (2, 16)])
def test_a_base_needs_so_many_digits(base, count):
    assert digits(base) == count


@pytest.mark.parametrize(
    ("profile", "size", "centre"), [("classic", 11, 0x55), ("cogs", 13, 0x66), ("cogs", 15, 0x77)]
)
def test_the_centre_of_the_window_is_here(profile, size, centre):
    env, view = first_view(profile=profile, obs={"width": size, "height": size})
    group = IdMap(env.config.core).feature_id("agent:group")
    assert view[view[:, 1] == group][:, 0].tolist() == [centre]


@pytest.mark.parametrize(("profile", "place"), [("cogs", 0xFE), ("classic", 0x55)])
def test_global_tokens_come_first_at_their_place(profile, place):
    env, view = first_view(profile=profile, obs={"width": 11, "height": 11})
    table = IdMap(env.config.core)
    names = ("episode_completion_pct", "last_action", "last_reward")
    assert view[:3].tolist() == [[place, table.feature_id(name), 0] for name in names]


@pytest.mark.parametrize(
    ("size", "count"), [(3, 5), (5, 21), (7, 37), (11, 89), (13, 121), (15, 157)]
)
def test_a_round_window_has_so_many_cells(size, count):
    from mesocosm.worlds.mettagrid.compile.geometry import visible_cells

    assert len(visible_cells(size, size, round_=True)) == count


def test_cells_come_by_distance_then_row_then_column():
    from mesocosm.worlds.mettagrid.compile.geometry import visible_cells

    found = [(r + 1, c + 1) for r, c in visible_cells(3, 3, round_=False)]
    assert found == [(1, 1), (0, 1), (1, 0), (1, 2), (2, 1), (0, 0), (0, 2), (2, 0), (2, 2)]


@pytest.mark.parametrize(("t", "value"), list(enumerate([0, 36, 73, 109, 146, 182, 219, 255])))
def test_the_episode_is_told_in_256_parts(t, value):
    from mesocosm.worlds.mettagrid.observe.hints import completion

    assert completion(t, 7) == value


def test_an_even_window_is_refused():
    with pytest.raises(ConfigError, match="must be odd"):
        meso.load_config(game(obs={"width": 10, "height": 11}))


def test_more_features_than_a_byte_holds_are_refused():
    many = [f"res{k}" for k in range(70)]
    with pytest.raises(ConfigError, match="do not fit a byte"):
        IdMap(Core(resources=tuple(many))).features()


def test_unknown_names_are_errors_with_a_hint():
    with pytest.raises(UnknownName, match="inv:energy"):
        ids().feature_id("inv:enery")


def test_names_of_tags_vibes_and_actions():
    table = ids(vibes=["default", "happy"], actions={"vibes": ["happy"]})
    assert table.tag_names() == ["type:agent", "type:wall"]
    assert table.vibe_names() == ["default", "happy"]
    assert table.action_names()[-2:] == ["move_east", "change_vibe_happy"]
    assert ids(profile="classic").tag_names() == ["agent", "wall"]


@given(st.integers(0, 2**32 - 1))
def test_tokens_decode_and_encode_back(seed):
    table = ids(obs=ALL_HINTS)
    rng = np.random.default_rng(seed)
    size = len(table.features())
    made = np.full((30, 3), 255, np.uint8)
    used = int(rng.integers(0, 31))
    made[:used, 0] = rng.choice([0xFE, *range(0xEE)], used)
    made[:used, 1] = rng.integers(0, size, used)
    made[:used, 2] = rng.integers(0, 256, used)
    made[:used][made[:used, 0] & 15 == 15] = [0x11, 0, 0]
    views = tokens.decode(made, table)
    assert (tokens.encode(views, table, 30) == made).all()


def test_an_unknown_feature_id_is_an_error():
    with pytest.raises(MesocosmError, match="no feature 200"):
        tokens.decode([[0x11, 200, 0]], ids())


def test_a_policy_reads_another_games_tokens_by_name():
    theirs, ours = ids(resources=["gold", "energy"]), ids(resources=["energy"])
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


def test_one_games_features_never_change_anothers():
    one, before = first_view(obs={"width": 5, "height": 5})
    first_view(obs={"width": 5, "height": 5, "last_action_move": True})
    assert (np.asarray(one.reset(seed=0).obs)[0, 0] == before).all()
