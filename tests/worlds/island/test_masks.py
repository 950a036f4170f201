"""Masks: whatever they allow is accepted, and whatever is refused was masked."""

import numpy as np
import pytest

from mesocosm.core.errors import UnknownName
from mesocosm.worlds.island.agent.masks import engageable, mask_for, valid_sets
from mesocosm.worlds.island.declare import ORDERS, PARTS

from .war import SIDES, kinds, order, part_of, play, refused, war

NUM_ORDERS = 100_000
ENVS = 64


def draw(rng, role, obs, told):
    """Draw an order part by part, mostly within the masks; say whether all parts are valid."""
    order = int(rng.integers(len(ORDERS)))
    entity = int(rng.integers(len(told["kinds"])))
    group = int(rng.integers(len(told["contacts"]))) if order == 2 else None
    masks = mask_for(role, obs, told, order, entity, group)
    chosen, valid = np.zeros(len(PARTS), np.int32), True
    for k, name in enumerate(PARTS):
        options = np.flatnonzero(masks[name]) if rng.random() < 0.8 else ()
        size = len(masks[name])
        chosen[k] = rng.choice(options) if len(options) else rng.integers(size)
        fixed = {"action_type": order, "entity_id": entity, "target_group_id": group}.get(name)
        chosen[k] = chosen[k] if fixed is None else fixed
        valid &= bool(masks[name][chosen[k]])
    return chosen, valid


def test_masks_are_sound_and_complete_over_a_hundred_thousand_random_orders():
    env = war("skirmish", target="cpu", num_envs=ENVS, autoreset="same_step")
    rng = np.random.default_rng(0)
    step = env.reset(seed=1)
    tried = accepted = 0
    seen = set()
    while tried < NUM_ORDERS:
        given, expected = {}, {}
        for side in SIDES:
            role = env.spec.roles[side]
            obs, info = np.asarray(step.obs[side])[:, 0], step.info[side]
            drawn = [
                draw(rng, role, obs[e], {name: value[e, 0] for name, value in info.items()})
                for e in range(ENVS)
            ]
            given[side] = np.stack([chosen for chosen, _ in drawn])[:, None]
            expected[side] = np.array([valid for _, valid in drawn])
        step = env.step(given)
        going = ~np.asarray(step.episode_over)
        for side in SIDES:
            refused_now = np.asarray(step.info[side]["refused"])[:, 0] > 0
            assert (refused_now[going] == ~expected[side][going]).all()
            tried += int(going.sum())
            accepted += int(expected[side][going].sum())
            seen |= set(given[side][expected[side] & going, 0, 0].tolist())
    assert seen == set(range(len(ORDERS)))
    assert 0.05 * tried < accepted < 0.95 * tried


def test_without_a_group_the_weapons_offered_suit_every_group():
    env = war("standard")
    i = kinds(env)["DDG"][0]
    step = order(env)
    obs, told = part_of(env, step, 0)
    role = env.spec.roles["legacy"]
    masks = mask_for(role, obs, told, "engage", i)
    for group in np.flatnonzero(masks["target_group_id"]):
        single = mask_for(role, obs, told, "engage", i, int(group))
        assert (masks["weapon_selection"] <= single["weapon_selection"]).all()
        assert single["target_group_id"].sum() == 1


def test_the_array_mask_is_what_some_unit_can_do():
    env = war("skirmish", target="cpu", num_envs=4)

    def visit(step):
        for side in SIDES:
            role = env.spec.roles[side]
            for e in range(4):
                obs = np.asarray(step.obs[side])[e, 0]
                told = {name: value[e, 0] for name, value in step.info[side].items()}
                sets = valid_sets(role, obs, told)
                parts = role.action.mask_parts(np.asarray(step.mask[side])[e, 0])
                if not step.acting[side][e, 0]:
                    continue
                assert set(np.flatnonzero(parts["action_type"])) == sets["action_types"]
                known = set(np.flatnonzero(parts["target_group_id"])) - {0}
                assert known == sets["visible_targets"] - {0}
                matrix = engageable(role, obs, told)
                for i, groups in sets["entity_target_matrix"].items():
                    assert groups == set(np.flatnonzero(matrix[i]))

    play(env, ("rush", "random_valid"), 60, seed=4, visit=visit)


def test_random_valid_bots_are_never_refused():
    env = war("standard", {"orders_per_step": 3}, target="cpu", num_envs=8)
    counts = []
    play(
        env, ("random_valid", "random_valid"), 200, seed=9,
        visit=lambda step: counts.append(sum(step.info[side]["refused"].sum() for side in SIDES)),
    )  # fmt: skip
    assert sum(counts) == 0


def test_orders_to_the_dead_the_absent_and_the_unknown_are_refused_and_change_nothing():
    env = war()
    for parts in (
        {"action_type": 1, "entity_id": 11},
        {"action_type": 1, "entity_id": kinds(env)["SAM"][0]},
        {"action_type": 2, "entity_id": 0, "target_group_id": 5},
        {"action_type": 5, "entity_id": 0},
        {"action_type": 9, "entity_id": 0},
        {"action_type": 7, "entity_id": 0, "refuel_target_id": 1},
    ):
        saved = env.save()
        order(env)
        idle = env.truth("manoeuver").copy()
        env.load(saved)
        order(env, **parts)
        assert refused(env) == 1
        assert (env.truth("manoeuver") == idle).all()
        assert "order_refused" in [event["kind"] for event in env.events()]


def test_an_unknown_order_type_is_an_error():
    env = war()
    obs, told = part_of(env, order(env), 0)
    with pytest.raises((UnknownName, ValueError)):
        mask_for(env.spec.roles["legacy"], obs, told, 77, 0)
