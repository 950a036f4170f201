"""Layers change what mettagrid's agents hold: whole, within limits, with all that hangs on it."""

import numpy as np
import pytest

import mesocosm as meso
from mesocosm.core.errors import ConfigError, SnapshotError
from mesocosm.testing import audit, check_world
from mesocosm.testing.play import outputs, wild_actions

FORAGE, CLASSIC = "mettagrid/forage", "mettagrid/assembly"
AGENTS, ENERGY, ORE, HEART = 8, 0, 1, 2


def shock(column, size, **more):
    storm = {"column": column, "hazard": 1.0, "size": size, "relative": False} | more
    return {"layers.uncertainty": {"intensity": 1.0, "shocks": {"storm": storm}}}


def hierarchy(**settings):
    return {"layers.hierarchy": {"intensity": 1.0, "groups": "size", "size": 4, **settings}}


def make(layers, preset=FORAGE, num_envs=1, target="python", **more):
    return meso.make(preset, layers, num_envs=num_envs, target=target, seed=3, **more)


def wait(env):
    return env.step(env.spec.roles["cog"].action.noop((env.num_envs, env.spec.num_agents)))


def hold(env, amounts, resource=ENERGY):
    """Let agents begin with other amounts of one resource."""
    env.reset()
    saved = env.save()
    saved["amount"][:, : len(amounts), resource] = amounts
    env.load(saved)


def held(env, resource):
    return env.truth("amount")[0, : env.spec.num_agents, resource]


def tokens(env, step, agent):
    """Give the tokens at an agent's own place and those at no place, by name."""
    seen = env.spec.roles["cog"].observation.decode(np.array(step.obs)[0, agent])["tokens"]
    return seen["here"], seen.get("anywhere", {})


def test_shock_takes_energy_and_the_agent_sees_it_at_once():
    env = make(shock("inventory.energy", -7.0))
    env.reset()
    step = wait(env)
    assert held(env, ENERGY).tolist() == [53] * AGENTS
    assert tokens(env, step, 0)[0]["inv:energy"] == 53


def test_shock_gives_no_more_than_the_limit_and_is_paid_in_the_same_step():
    env = make(shock("inventory.ore", 9.0))
    env.reset()
    step = wait(env)
    assert held(env, ORE).tolist() == [6] * AGENTS  # base of the cargo limit, without hearts
    np.testing.assert_allclose(np.array(step.reward)[0], 0.6, atol=1e-6)
    step = wait(env)
    assert (np.array(step.reward) == 0).all()
    assert held(env, ORE).tolist() == [6] * AGENTS


def test_shock_takes_no_more_than_there_is():
    env = make(shock("inventory.energy", -100.0))
    env.reset()
    step = wait(env)
    assert held(env, ENERGY).tolist() == [0] * AGENTS
    assert "inv:energy" not in tokens(env, step, 0)[0]


def test_resource_that_gave_room_takes_what_it_carried_with_it():
    env = make(shock("inventory.heart", -1.0))
    hold(env, [1] * AGENTS, HEART)
    saved = env.save()
    saved["amount"][:, :AGENTS, ORE] = 12
    saved["amount"][:, :AGENTS, HEART] = 2
    saved["held"][:, :AGENTS] = [0, 1, 2]
    env.load(saved)
    wait(env)
    assert held(env, HEART).tolist() == [1] * AGENTS
    assert held(env, ORE).tolist() == [6] * AGENTS


def test_fractions_wait_until_they_make_a_whole():
    env = make(shock("inventory.energy", 0.25))
    env.reset()
    seen = []
    for _ in range(8):
        wait(env)
        seen.append(int(held(env, ENERGY)[0]))
    assert seen == [60, 61, 61, 61, 61, 62, 62, 62]  # the greater of two equally near
    assert env.save()["layer.fraction"].max() == 0.0


def test_a_new_episode_begins_without_fractions():
    env = make(shock("inventory.energy", 0.25) | {"core.max_steps": 3})
    env.reset()
    wait(env)
    wait(env)
    assert env.save()["layer.fraction"].any()
    wait(env)
    assert (held(env, ENERGY) == 60).all()
    assert not env.save()["layer.fraction"].any()


def test_pool_levels_energy_and_neither_makes_nor_loses_any():
    env = make(hierarchy(pool={"inventory.energy": 0.5}))
    hold(env, [100, 10, 10, 11, 7, 7, 7, 8])
    for _ in range(12):
        wait(env)
    energy = held(env, ENERGY)
    assert energy[:4].tolist() == [33, 33, 33, 33]
    left = env.save()["layer.fraction"][0].sum(axis=1)
    np.testing.assert_allclose((energy + left)[:4].sum(), 131.0)
    np.testing.assert_allclose((energy + left)[4:].sum(), 29.0)


def test_late_gain_arrives_in_full():
    late = {"inventory.energy": {"steps": 3}}
    env = make(
        {"layers.temporal": {"intensity": 1.0, "effects": late}}, CLASSIC
    )  # energy grows by one every ten steps
    env.reset()
    seen = []
    for _ in range(14):
        wait(env)
        seen.append(int(held(env, ENERGY)[0]))
    assert seen == [20] * 12 + [21] * 2


def test_spillover_gives_others_a_part_of_a_gain():
    spill = {"inventory.energy": {"share": 0.5, "to": "all"}}
    env = make({"layers.interaction": {"intensity": 1.0, "externalities": spill}}, CLASSIC)
    env.reset()
    for _ in range(10):
        wait(env)
    assert held(env, ENERGY).tolist() == [22] * 6  # one grown, half a one received, rounded up


def test_need_lets_the_poorest_go_first():
    env = make({
        "layers.interaction": {"intensity": 1.0, "contention": "need", "need": "inventory.energy"}
    })  # fmt: skip
    hold(env, [9, 8, 7, 6, 5, 4, 3, 2])
    wait(env)
    assert env.driver.f.order[0].tolist() == [7, 6, 5, 4, 3, 2, 1, 0]


def test_a_glob_names_all_of_an_inventory():
    env = make(shock("inventory.*", 1.0))
    env.reset()
    wait(env)
    assert held(env, ENERGY).tolist() == [61] * AGENTS
    assert held(env, ORE).tolist() == [1] * AGENTS
    assert held(env, HEART).tolist() == [1] * AGENTS
    with pytest.raises(ConfigError, match=r"Did you mean 'inventory\.ore'"):
        make(shock("inventory.oar", 1.0))


def test_group_sees_what_members_hold_as_tokens():
    env = make(hierarchy(share={"inv:energy": "mean", "inv:ore": "sum", "inv:heart": "max"}))
    hold(env, [300, 10, 0, 2, 1, 1, 1, 1])
    step = wait(env)
    for agent, mean in ((0, 78), (3, 78), (4, 1)):
        told = tokens(env, step, agent)[1]
        assert told["group.inv:energy_mean"] == mean
        assert (told["group.inv:ore_sum"], told["group.inv:heart_max"]) == (0, 0)


def test_shared_token_tells_255_where_there_is_more():
    env = make(hierarchy(share={"inv:energy": "sum"}))
    hold(env, [300] * AGENTS)
    assert tokens(env, wait(env), 0)[1]["group.inv:energy_sum"] == 255


def test_share_at_half_intensity_is_half_of_the_way():
    env = make(hierarchy(share={"inv:energy": "mean"}, intensity=0.5))
    hold(env, [40, 20, 20, 20, 0, 0, 0, 0])
    assert tokens(env, wait(env), 0)[1]["group.inv:energy_mean"] == 33  # of 40 and 25: 32.5


@pytest.mark.parametrize("glob", ["inv:oar", "vibe", "tag", "agent_id", "inv:ore:p1"])
def test_a_token_that_cannot_be_shared_is_refused(glob):
    with pytest.raises(ConfigError, match=r"hierarchy\.share: .* Available: inv:energy, inv:heart"):
        make(hierarchy(share={glob: "mean"}))


def test_tokens_that_layers_add_are_seen_in_classic_games():
    env = make(hierarchy(share={"inv:energy": "mean", "inv:ore": "sum"}, size=3), CLASSIC)
    env.reset()
    told = tokens(env, wait(env), 0)[1]
    assert told == {"group.inv:energy_mean": 20, "group.inv:ore_sum": 0}


def test_store_takes_a_part_of_gains_and_pays_it_to_all_members():
    store = {"inventory.energy": {"deposit": 0.5, "payout": 0.0}}
    env = make(hierarchy(store=store, size=3), CLASSIC)
    env.reset()
    for _ in range(20):
        step = wait(env)
    assert env.truth("layer.store")[0].tolist() == [[3.0], [3.0]]
    assert held(env, ENERGY).tolist() == [21] * 6
    assert tokens(env, step, 0)[1]["store.inventory.energy"] == 3
    store["inventory.energy"]["payout"] = 1.0
    env = make(hierarchy(store=store, size=3), CLASSIC)
    env.reset()
    for _ in range(20):
        wait(env)
    assert not env.truth("layer.store").any()
    assert held(env, ENERGY).tolist() == [22] * 6


def test_store_of_a_vector_world_conserves_what_is_paid_in():
    store = {"wealth": {"deposit": 0.4, "payout": 0.1}}
    env = meso.make("commons", hierarchy(store=store, size=3), num_envs=2, target="python")
    plain = meso.make("commons", num_envs=2, target="python")
    saved, mine = env.reset() and env.save(), plain.reset() and plain.save()
    acts = wild_actions(env, np.random.default_rng(0), odd=0.0)
    plain.load({key: saved[key] if key != "_meta" else mine[key] for key in mine})
    env.step(acts)
    plain.step(acts)
    total = env.truth("wealth").sum(axis=1) + env.truth("layer.store").sum(axis=(1, 2))
    np.testing.assert_allclose(total, plain.truth("wealth").sum(axis=1))
    assert env.truth("layer.store").any()


def test_groups_are_refused_stores_of_what_no_member_has():
    store = hierarchy(store={"welth": {"deposit": 0.5}})
    with pytest.raises(ConfigError, match="Did you mean 'wealth'"):
        meso.make("commons", store, target="python")


STRONG = {
    "layers.temporal": {
        "intensity": 1.0,
        "effects": {"inventory.*": {"steps": 3, "share": 0.6}, "score": {"steps": 2}},
    },
    "layers.hierarchy": {
        "intensity": 0.9, "groups": "size", "size": 3,
        "share": {"inv:*": "mean", "last_reward": "max"},
        "pool": {"inventory.*": 0.3, "score": 0.1},
        "store": {"inventory.energy": {"deposit": 0.5, "payout": 0.2}},
    },
    "layers.interaction": {
        "intensity": 1.0, "contention": "need", "need": "inventory.energy",
        "externalities": {"inventory.*": {"share": -0.4, "to": "group"}},
    },
    "layers.uncertainty": {
        "intensity": 1.0,
        "shocks": {
            "gift": {"column": "inventory.*", "hazard": 0.3, "size": 3.3, "relative": False},
            "loss": {"column": "inventory.*", "hazard": 0.3, "size": -0.4, "who": "one"},
        },
    },
}  # fmt: skip
GAMES = {"plain": (FORAGE, {}), "classic": (CLASSIC, {}), "scripted": ("mettagrid/network", {})}


def rows_of(target, preset, more, num_envs=3, **place):
    env = make(STRONG | more, preset, num_envs, target, **place)
    step, rows = env.reset(), []
    for t in range(30):
        acts = wild_actions(env, np.random.default_rng((t, 7)), odd=0.0)
        rows.append(outputs(env, step))
        step = env.step(acts)
    return rows


@pytest.mark.parametrize(
    "name", ["plain", "classic", pytest.param("scripted", marks=pytest.mark.slow)]
)
def test_changed_inventories_keep_the_contract(name):
    preset, more = GAMES[name]
    report = check_world("mettagrid", presets=[preset], overrides=STRONG | more, steps=24)
    assert "leaks_nothing" in report.passed[preset]


@pytest.mark.parametrize("name", ["plain", "classic"])
def test_changed_inventories_are_the_same_in_python_and_compiled(name):
    preset, more = GAMES[name]
    for slow, fast in zip(
        rows_of("python", preset, more), rows_of("cpu", preset, more), strict=True
    ):
        for key, value in slow.items():
            assert np.asarray(value).tobytes() == np.asarray(fast[key]).tobytes(), key


@pytest.mark.parametrize("name", ["plain", "classic"])
def test_limits_hold_and_rebuilding_changes_nothing(name):
    preset, more = GAMES[name]
    env = make(STRONG | more, preset, 4)
    quantity = env.inner.quantities[0]
    step, rng = env.reset(), np.random.default_rng(1)
    derived = [entry.name for entry in env.inner.fields if entry.derived]
    changed = 0
    for _ in range(40):
        step = env.step(wild_actions(env, rng, step))
        amount = env.truth("amount")[:, : env.spec.num_agents]
        assert (amount >= 0).all()
        assert (amount <= np.array(quantity.high)).all()
        before = {entry: env.state(entry).copy() for entry in derived}
        env.load(env.save())
        for entry in derived:
            assert (before[entry] == env.state(entry)).all(), entry
        changed += int(env.save()["layer.fraction"].any())
    assert changed > 20


def test_snapshot_with_two_things_on_one_cell_is_refused():
    env = make({})
    env.reset()
    saved = env.save()
    for name in ("row", "col"):
        saved[name][:, 3] = saved[name][:, 5]
    with pytest.raises(SnapshotError, match="no two things are on one cell"):
        env.load(saved)


def test_audit_finds_no_leak_of_shared_tokens_and_stores():
    report = audit("mettagrid/guild", states=3).require_clean()
    assert report.num_checks > 1000
