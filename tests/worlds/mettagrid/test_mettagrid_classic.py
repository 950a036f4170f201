"""The older profile rule by rule, on small maps, with numbers worked out by hand."""

import numpy as np
import pytest

import mesocosm as meso
from mesocosm.core.errors import ConfigError

NOOP, NORTH, SOUTH, WEST, EAST = range(5)
LEGEND = {".": "empty", "@": "agent.agent", "#": "wall", "A": "asm", "C": "chest", "D": "depot"}
RESOURCES = ["energy", "ore", "heart", "armor"]
ENERGY, ORE, HEART, ARMOR = range(4)


def classic(*rows, agents=None, asm=None, **core):
    """Make a game; `agents` lists what each holds, in order of the map, or whole kinds."""
    kinds = [{"inventory": {"initial": kind}} if "inventory" not in kind else kind
             for kind in agents or []]  # fmt: skip
    count = sum(row.count("@") for row in rows)
    vibes = ["default", "make", "armor", "fight", "give"]
    made = {
        "profile": "classic",
        "conformance": "upstream",
        "num_agents": count,
        "resources": RESOURCES,
        "vibes": vibes,
        "agents": kinds,
        "objects": {
            "wall": {"kind": "wall"},
            "asm": {"kind": "assembler"} | (asm or {}),
            "chest": {"kind": "chest"} | core.pop("chest", {}),
            "depot": {"kind": "chest", "inventory": {"initial": {"ore": 4}}},
        },
        "obs": {"width": 5, "height": 5, "num_tokens": 100},
        "map": {
            "kind": "ascii", "rows": list(rows),
            "legend": {char: LEGEND[char] for char in sorted(set("".join(rows)))},
        },
        "actions": {"vibes": vibes} | core.pop("actions", {}),
        **core,
    }  # fmt: skip
    config = {
        "schema": 1, "identity": {"world": "mettagrid", "version": 1}, "core": made,
        "layers": {}, "agents": {}, "instrumentation": {},
    }  # fmt: skip
    env = meso.make(config, target="python", autoreset="off", seed=0)
    env.reset()
    return env


def play(env, *actions):
    step = env.step(np.array(actions, np.int32).reshape(1, -1, 1))
    return (np.asarray(step.info["success"])[0] != 0).tolist()


def held(env, r):
    return env.truth("amount")[0, :, r].tolist()


def vibe(name):
    return 5 + ["default", "make", "armor", "fight", "give"].index(name)


def recipe(inputs=None, outputs=None, **more):
    return {"inputs": inputs or {}, "outputs": outputs or {}, **more}


@pytest.mark.parametrize(
    ("have", "need", "left"),
    [
        ((5, 1, 9), 9, [1, 0, 5]),  # a third is 3: who has 1 gives it, the others 4 each
        ((9, 9, 9), 5, [7, 7, 8]),  # what does not divide falls on those who come first
        ((1, 0, 0), 1, [0, 0, 0]),
        ((9, 2, 0), 10, [1, 0, 0]),
        ((2, 2, 2), 6, [0, 0, 0]),
        ((2, 9, 0), 5, [0, 6, 0]),  # without the last, half of 5 is 2: just what the first has
    ],
)
def test_those_around_share_what_a_recipe_takes(have, need, left):
    protocols = [recipe({"ore": need}, {"heart": 1})]
    env = classic("@@@", ".A.", agents=[{"ore": x} for x in have], asm={"protocols": protocols})
    env.load(moved(env, 0, 1, 0))  # the first stands west of it: the order is W, then N, NE
    assert play(env, EAST, NOOP, NOOP)[0]
    assert held(env, ORE)[:3] == left
    assert held(env, HEART)[:3] == [1, 0, 0]


def moved(env, agent, row, col):
    snapshot = env.save()
    snapshot["row"][0, agent], snapshot["col"][0, agent] = row, col
    return snapshot


def test_the_order_of_those_around_begins_with_the_actor_and_goes_on_by_rows():
    """From the east the order is E, SW, S, SE, NW, N, NE, W: the remainder falls on E and SW."""
    protocols = [recipe({"ore": 4}, {"heart": 1})]
    kinds = [{"ore": 9}, {"ore": 9}, {"ore": 9}]
    env = classic("@..", ".A@", "@..", agents=kinds, asm={"protocols": protocols})
    assert play(env, NOOP, WEST, NOOP)[1]
    assert held(env, ORE)[:3] == [8, 7, 8]  # 4 over 3: 2 from E, 1 from SW, 1 from NW
    assert play(env, NOOP, WEST, NOOP)[1]
    assert held(env, ORE)[:3] == [7, 5, 7]


def test_a_recipe_with_many_vibes_pays_those_who_show_them():
    protocols = [recipe({}, {"heart": 5}, vibes=["make", "give"])]
    env = classic("@A@", "@..", agents=[{}, {}, {}], asm={"protocols": protocols})
    play(env, vibe("make"), vibe("give"), NOOP)
    env.load(moved(env, 2, 1, 1))
    assert play(env, NOOP, NOOP, NORTH)[2]
    # from the south the order is S, SE, NW, N, NE, W, E: the one in the west comes first
    assert held(env, HEART)[:3] == [3, 2, 0]


def test_a_recipe_that_names_the_first_vibe_is_open_to_all():
    protocols = [recipe({}, {"heart": 1}, vibes=["default"])]
    env = classic("@A", agents=[{}], asm={"protocols": protocols})
    assert play(env, EAST) == [True]


def test_more_people_allow_the_recipe_that_needs_them():
    protocols = [recipe({}, {"ore": 1}), recipe({}, {"heart": 1}, min_agents=2)]
    env = classic("@A.", "..@", agents=[{}, {}], asm={"protocols": protocols})
    play(env, EAST, NOOP)
    assert (held(env, ORE)[0], held(env, HEART)[0]) == (0, 1)
    alone = classic("@A", agents=[{}], asm={"protocols": protocols})
    play(alone, EAST)
    assert (held(alone, ORE)[0], held(alone, HEART)[0]) == (1, 0)


@pytest.mark.parametrize(("reach", "works"), [(1, False), (2, True)])
def test_chests_in_reach_give_inputs(reach, works):
    asm = {"protocols": [recipe({"ore": 3}, {"heart": 1})], "chest_search_distance": reach}
    env = classic("@A..", "...D", agents=[{"ore": 1}], asm=asm)
    assert play(env, EAST) == [works]
    # half of 3 is 1: the agent has no more, and the chest gives the rest
    assert held(env, ORE)[:3:2] == ([0, 2] if works else [1, 4])


def test_partial_use_rounds_inputs_up_and_outputs_down():
    protocols = [recipe({"energy": 3}, {"ore": 4}, cooldown=10)]
    asm = {"protocols": protocols, "allow_partial_usage": True}
    env = classic("@A", agents=[{"energy": 20}], asm=asm)
    assert play(env, EAST) == [True]
    assert (held(env, ENERGY)[0], held(env, ORE)[0]) == (17, 4)
    assert play(env, EAST) == [False]  # a tenth of 4 is nothing
    assert play(env, NOOP) == [True]
    assert play(env, EAST) == [True]  # three tenths: 1 of 3, rounded up; 1 of 4, rounded down
    assert (held(env, ENERGY)[0], held(env, ORE)[0]) == (16, 5)


def test_what_is_made_in_part_is_put_down_in_another_order():
    """The program copies a scaled recipe into a new map, which turns the order round."""
    protocols = [recipe({}, {"ore": 2, "heart": 2}, cooldown=2)]
    asm = {"protocols": protocols, "allow_partial_usage": True}
    env = classic("@A@", agents=[{}, {}], asm=asm)
    assert play(env, EAST, NOOP)[0]
    assert play(env, NOOP, WEST)[1]
    assert env.truth("held")[0, :2, :2].tolist() == [[ORE, HEART], [HEART, ORE]]


def test_what_makes_nothing_can_be_worked_while_it_cools():
    asm = {"protocols": [recipe({"energy": 2}, {}, cooldown=4)], "allow_partial_usage": True}
    env = classic("@A", agents=[{"energy": 9}], asm=asm)
    assert [play(env, EAST)[0] for _ in range(3)] == [True, True, True]
    assert held(env, ENERGY)[0] == 9 - 2 - 1 - 1


def test_a_full_actor_gets_nothing_and_pays_nothing():
    kind = {
        "inventory": {"initial": {"ore": 5}, "limits": {"o": {"base": 5, "resources": ["ore"]}}}
    }
    env = classic("@A", agents=[kind], asm={"protocols": [recipe({"ore": 1}, {"ore": 2})]})
    assert play(env, EAST) == [False]
    assert held(env, ORE)[0] == 5


def test_what_does_not_fit_a_chest_is_lost():
    chest = {
        "vibe_transfers": {"default": {"ore": 3, "heart": -2}},
        "inventory": {"limits": {"o": {"base": 2, "resources": ["ore"]}}},
    }
    env = classic("@C", agents=[{"ore": 5}], chest=chest)
    assert play(env, EAST) == [True]
    assert held(env, ORE)[:2] == [2, 2]
    assert play(env, EAST) == [False]  # nothing arrives, and yet it is gone
    assert held(env, ORE)[:2] == [0, 2]


FIGHT = {
    "vibes": ["fight"], "cost": {"energy": 2}, "freeze": 3, "loot": ["heart", "ore"],
    "actor_delta": {"energy": 1}, "target_delta": {"energy": -1},
}  # fmt: skip


def test_an_attack_freezes_and_loots_within_limits_and_costs():
    kind = {
        "vibe": 3,
        "inventory": {
            "initial": {"energy": 9},
            "limits": {"bag": {"base": 3, "resources": ["heart", "ore"]}},
        },
    }
    env = classic("@@", agents=[kind, {"energy": 5, "heart": 2, "ore": 4}],
                  actions={"attack": FIGHT})  # fmt: skip
    assert play(env, EAST, 99) == [True, False]
    amount = env.truth("amount")[0]
    assert amount[0, :3].tolist() == [9 + 1 - 2, 1, 2]  # all hearts, then as much ore as fits
    assert amount[1, :3].tolist() == [5 - 1, 3, 0]
    assert env.truth("frozen")[0, 1] == 3
    assert play(env, EAST, NOOP) == [True, False]  # no second attack: they change places
    assert env.truth("col")[0, :2].tolist() == [1, 0]


def test_who_cannot_pay_does_not_attack():
    env = classic("@@", agents=[{"vibe": 3, "inventory": {"initial": {"energy": 1}}}, {"ore": 1}],
                  actions={"attack": FIGHT})  # fmt: skip
    assert play(env, EAST, NOOP)[0] is False
    assert env.truth("frozen")[0].tolist() == [0, 0]


@pytest.mark.parametrize(
    ("target", "target_vibe", "left", "frozen"),
    [
        ({"energy": 7}, 0, 0, 3),  # 2 to resist, and 6 of weapons: 8 are needed
        ({"energy": 9}, 0, 1, 0),
        ({"energy": 9, "armor": 1}, 0, 4, 0),  # armor counts 3
        ({"energy": 9}, 2, 4, 0),  # so does one more unit for its vibe
        ({"energy": 9, "armor": 1}, 2, 7, 0),
        ({"energy": 9, "armor": 9}, 2, 7, 0),  # no more than the weapons
    ],
)
def test_weapons_armor_and_its_vibe_decide_what_resisting_costs(target, target_vibe, left, frozen):
    fight = FIGHT | {
        "cost": {}, "loot": [], "actor_delta": {}, "target_delta": {"energy": -99},
        "defense": {"energy": 2}, "weapons": {"ore": 2}, "armor": {"armor": 3},
        "vibe_bonus": {"armor": 1},
    }  # fmt: skip
    kinds = [
        {"vibe": 3, "inventory": {"initial": {"ore": 3}}},
        {"vibe": target_vibe, "inventory": {"initial": target}},
    ]
    env = classic("@@", agents=kinds, actions={"attack": fight})
    play(env, EAST, 99)
    assert (held(env, ENERGY)[1], env.truth("frozen")[0, 1]) == (left, frozen)


def test_a_gift_is_all_or_nothing_and_may_ask_for_something():
    gift = {"vibe": "give", "actor": {"ore": -2}, "target": {"ore": 2, "heart": 1}}
    for needed, works in (({}, True), ({"armor": 1}, False)):
        kinds = [{"vibe": 4, "inventory": {"initial": {"ore": 3}}}, {"energy": 1}]
        env = classic("@@", agents=kinds, actions={"transfers": [gift | {"required": needed}]})
        assert play(env, EAST, NOOP)[0] is works
        assert held(env, ORE)[:2] == ([1, 2] if works else [3, 0])
        assert play(env, EAST, NOOP)[0] is False  # 1 is not enough for 2
        assert held(env, ORE)[0] == (1 if works else 3)


def test_a_vibe_that_attacks_does_not_give():
    actions = {
        "attack": FIGHT | {"cost": {"heart": 1}},
        "transfers": [{"vibe": "fight", "actor": {"ore": -1}, "target": {"ore": 1}}],
    }
    env = classic("@@", agents=[{"vibe": 3, "inventory": {"initial": {"ore": 3}}}, {"energy": 1}],
                  actions=actions)  # fmt: skip
    assert play(env, EAST, NOOP)[0] is False
    assert held(env, ORE)[:2] == [3, 0]


def test_staying_can_cost_too():
    actions = {"noop_cost": {"energy": 1}}
    env = classic("@.", agents=[{"energy": 1}], actions=actions)
    assert [play(env, NOOP)[0] for _ in range(2)] == [True, False]


def test_growth_follows_the_vibe_and_an_empty_entry_is_one():
    regen = {"default": {"energy": 2, "ore": -1}, "make": {}}
    kind = {"inventory": {"initial": {"ore": 9}, "regen": regen}}
    env = classic("@.", agents=[kind], regen_interval=2)
    for _ in range(4):
        play(env, NOOP)
    assert env.truth("amount")[0, 0, :2].tolist() == [4, 7]
    play(env, vibe("make"))
    play(env, NOOP)
    assert env.truth("amount")[0, 0, :2].tolist() == [4, 7]
    play(env, vibe("give"))
    play(env, NOOP)
    assert env.truth("amount")[0, 0, :2].tolist() == [6, 6]


def test_harm_takes_its_thresholds_and_one_of_what_is_exposed():
    kind = {
        "inventory": {"initial": {"energy": 7, "ore": 2, "heart": 1, "armor": 1}},
        "damage": {"threshold": {"energy": 3}, "resources": {"ore": 0, "heart": 1}},
    }
    env = classic("@.", agents=[kind])
    found = []
    for _ in range(4):
        play(env, NOOP)
        found.append(env.truth("amount")[0, 0].tolist())
    # the heart is safe, so there is nothing to draw; below the threshold nothing happens
    assert found == [[4, 1, 1, 1], [1, 0, 1, 1], [1, 0, 1, 1], [1, 0, 1, 1]]


def test_harm_draws_as_the_programs_standard_library_does():
    """One agent alone shuffles nothing, so that all draws are of harm: two words each."""
    kind = {
        "inventory": {"initial": {"armor": 900, "energy": 10, "ore": 3, "heart": 1}},
        "damage": {"threshold": {"armor": 1}, "resources": {"energy": 0, "ore": 0, "heart": 0}},
    }
    env = classic("@.", agents=[kind])
    env.reset(seed=7)
    words = np.random.RandomState(7).randint(0, 2**32, 60, np.uint64).astype(np.float64)
    drawn = (words[0::2] + words[1::2] * 2.0**32) / 2.0**64
    amount = {"energy": 10, "ore": 3, "heart": 1}
    for k in range(8):
        play(env, NOOP)
        left = [name for name in ("heart", "ore", "energy") if amount[name] > 0]  # the map's order
        sums = np.cumsum([amount[name] / sum(amount.values()) for name in left])
        amount[left[int(np.searchsorted(sums, drawn[k]))]] -= 1
        assert env.truth("amount")[0, 0, :3].tolist() == list(amount.values())


def test_losing_what_gives_room_drops_what_no_longer_fits():
    limits = {
        "first": {"base": 1, "resources": ["ore"], "modifiers": {"heart": 2}},
        "second": {"base": 0, "resources": ["heart"], "modifiers": {"armor": 1}},
    }
    kind = {"inventory": {"initial": {"armor": 2, "heart": 2, "ore": 5}, "limits": limits}}
    chest = {"vibe_transfers": {"default": {"armor": 1}}}
    env = classic("@C", agents=[kind], chest=chest)
    play(env, EAST)  # one armor less: room for one heart, and so for three ores
    assert env.truth("amount")[0, 0].tolist() == [0, 3, 1, 1]


def test_who_holds_more_than_a_limit_loses_that_at_any_change():
    limits = {"o": {"base": 3, "resources": ["ore"]}}
    env = classic("@C", agents=[{"inventory": {"initial": {"ore": 9}, "limits": limits}}],
                  chest={"vibe_transfers": {"default": {"ore": 1}}})  # fmt: skip
    play(env, EAST)
    assert held(env, ORE)[:2] == [3, 1]


@pytest.mark.parametrize(
    ("core", "match"),
    [
        ({"clipper": {"unclipping": []}}, "clipper.unclipping: at least one"),
        ({"clipper": {"unclipping": [recipe({"gold": 1})]}}, "clipper.unclipping.0.inputs: no res"),
        ({"agent": {"damage": {"threshold": {"ore": 1}, "resources": {"ore": 0}}}}, "'ore' cannot"),
        ({"agent": {"damage": {"threshold": {"gold": 1}}}}, "agent.damage.threshold: no resource"),
        ({"actions": {"attack": {"loot": ["gold"]}}}, "actions.attack.loot: no resource"),
        ({"actions": {"transfers": [{"vibe": "x"}]}}, "actions.transfers.0.vibe: no vibe"),
        ({"chest": {"vibe_transfers": {"default": {"gold": 1}}}}, "vibe_transfers.default: no res"),
        ({"agent": {"inventory": {"regen": {"x": {}}}}}, "agent.inventory.regen: no vibe"),
    ],
)
def test_a_name_that_is_not_known_is_refused_with_its_path(core, match):
    with pytest.raises(ConfigError, match=match):
        classic("@.", **core)
