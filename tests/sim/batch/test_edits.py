"""Edited snapshots: what would index outside is refused by name, all else can be played."""

import numpy as np
import pytest

from mesocosm.build import make
from mesocosm.core.errors import SnapshotError
from mesocosm.testing.edits import draw_edit
from mesocosm.testing.play import wild_actions


def played(preset, steps=3, overrides=None, **settings):
    env = make(preset, overrides, **{"num_envs": 2, "target": "python", "seed": 3} | settings)
    rng = np.random.default_rng(0)
    env.reset()
    for _ in range(steps):
        env.step(wild_actions(env, rng))
    return env


def refused(env, key, at, value):
    """Change one number of a snapshot; give the error, and check that nothing was loaded."""
    snapshot, before = env.save(), env.digest()
    snapshot[key][at] = value
    with pytest.raises(SnapshotError) as caught:
        env.load(snapshot)
    assert env.digest() == before
    return str(caught.value)


def test_a_missile_at_a_unit_that_does_not_exist_is_refused():
    env = played("island/skirmish", steps=1)
    units, weapons = env.config.core.max_entities, len(env.config.core.weapons)
    most = f"between 0 and {units - 1} (number of a unit), got {units}"
    assert refused(env, "shot_id", (0, 1, 0, 2), units).endswith(most)
    most = f"between 0 and {weapons - 1} (number of a weapon), got {weapons}"
    assert refused(env, "shot_id", (0, 1, 0, 0), weapons).endswith(most)


def test_a_living_unit_without_a_type_is_refused():
    env = played("island/skirmish", steps=1)
    what = "a unit whose id was given has a type: 0 would do, got -1"
    assert refused(env, "kind", (1, 0, 2), -1) == f"snapshot.kind[1, 0, 2]: {what}"
    last = (0, 0, env.config.core.max_entities - 1)
    what = "a unit without a type is not alive: 0 would do, got 1"
    assert refused(env, "hp", last, 1) == f"snapshot.hp[{', '.join(map(str, last))}]: {what}"


def test_a_tag_that_no_game_has_is_refused():
    env = played("mettagrid/forage", steps=1)
    tags = len(env.spec.extras["tags"])
    message = refused(env, "tag", (0, 1, 0), 1 << tags)
    assert message.startswith("snapshot.tag[0, 1, 0]: must be between 0 and ")
    assert message.endswith(f"(bits of {tags} tags), got {1 << tags}")


def test_an_agent_off_the_map_is_refused():
    env = played("mettagrid/forage", steps=1)
    what = "an agent is on the map: 0 would do, got -1"
    assert refused(env, "row", (0, 0), -1) == f"snapshot.row[0, 0]: {what}"


def test_random_numbers_that_would_never_change_are_refused():
    env = played("mettagrid/arena24", steps=1)
    message = refused(env, "twister", (1, slice(0, 624)), 0)
    assert message.startswith("snapshot.twister[1, 1]: random numbers begin with other words")


def test_an_action_on_its_way_that_no_role_has_is_refused():
    latency = {"layers.temporal": {"intensity": 1.0, "latency": 2}}
    env = played("commons/wardens", overrides=latency)
    message = refused(env, "layer.queue_choice", (0, 0, 0, 0), 10**6)
    assert message.startswith("snapshot.layer.queue_choice[0, 0, 0, 0]: must be between 0 and ")


def test_an_option_of_another_role_on_its_way_is_played_as_the_no_op():
    latency = {"layers.temporal": {"intensity": 1.0, "latency": 2}}
    env = played("commons/wardens", overrides=latency)
    snapshot = env.save()
    _, most = env.spec.saved["layer.queue_choice"].bounds
    snapshot["layer.queue_choice"][:] = most
    snapshot["layer.queue_level"][:] = 1.0
    env.load(snapshot)
    for _ in range(3):
        env.step(wild_actions(env, np.random.default_rng(1)))
    assert (env.copy(env.driver.f.level) <= 1.0).all()


@pytest.mark.parametrize(
    ("preset", "count"),
    [
        ("commons/wardens", 60),
        ("commons/turns", 60),
        ("townlet/L8", 40),
        ("townlet/gossip", 40),
        ("mettagrid/forage", 12),
        ("mettagrid/clipped", 8),
        ("island/skirmish", 6),
    ],
)
def test_edits_within_range_are_refused_by_name_or_can_be_played(preset, count):
    env = played(preset)
    base, accepted = env.save(), 0
    for seed in range(count):
        rng = np.random.default_rng(seed)
        edited, chosen = draw_edit(env, base, rng)
        assert chosen
        try:
            env.load(edited)
        except SnapshotError as error:
            named = str(error).partition(":")[0].partition("[")[0]
            assert named.removeprefix("snapshot.") in edited
            continue
        accepted += 1
        for _ in range(2):
            env.step(wild_actions(env, rng, odd=0.1))
    assert accepted > count // 3
