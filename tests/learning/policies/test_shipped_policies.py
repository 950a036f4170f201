"""The policies that come with the worlds: they load, say who made them, and can play."""

from pathlib import Path

import pytest

import mesocosm
from mesocosm.evaluation.score import play_episodes
from mesocosm.learning.bundles.bundle import read_bundle

WORLDS = Path(mesocosm.__file__).parent / "worlds"
PRESETS = {
    "townlet/L3": "townlet/L3",
    "townlet/L5": "townlet/L5",
    "commons/harvester": "commons",
    "mettagrid/forage": "mettagrid/forage",
}
EPISODES = 60


def test_every_shipped_policy_is_known_here():
    found = {f"{p.parents[1].name}/{p.stem}" for p in WORLDS.glob("*/trained/*.mesop")}
    assert found == set(PRESETS)


@pytest.mark.parametrize("name", PRESETS)
def test_card_says_how_to_make_it_again(name):
    world, stem = name.split("/")
    bundle = read_bundle(WORLDS / world / "trained" / f"{stem}.mesop")
    assert bundle.card.command.startswith(f"mesocosm train {PRESETS[name]}")
    assert bundle.path.stat().st_size < 300_000


@pytest.mark.parametrize("name", PRESETS)
def test_it_does_better_than_chance(name):
    world, stem = name.split("/")
    means = []
    for chosen in (f"trained/{stem}", "random"):
        env = mesocosm.make(PRESETS[name], num_envs=EPISODES, autoreset="off")
        (role,) = env.spec.roles
        scores = play_episodes(env, {role: mesocosm.policy(world, chosen)}, seed=77)
        assert scores.num_finished == EPISODES
        means.append(scores.total_return.mean())
    assert means[0] > means[1] + 0.1 * abs(means[1])
