import numpy as np
import pytest

import mesocosm
from mesocosm.learning.best_response import BestResponse, free_rows, train_response
from mesocosm.learning.bundles.bundle import read_bundle
from mesocosm.learning.settings import LearningSettings, override
from mesocosm.resolve import resolve

TINY = {"num_envs": 6, "horizon": 4, "minibatches": 1, "network.hidden": [8]}
SETTINGS = override(LearningSettings(), TINY)


def trainer(preset, role, names, **more):
    env = mesocosm.make(preset, num_envs=6, target="python")
    frozen = {own: mesocosm.policy(env.spec.world, name) for own, name in names.items()}
    return BestResponse(env, SETTINGS, role, frozen, steps=200, seed=3, **more)


def test_who_learns_plays_another_agent_in_every_env():
    env = mesocosm.make("commons", num_envs=8, target="python")
    rows = free_rows(env, "harvester")
    assert rows.sum(1).tolist() == [1] * 8
    assert rows.argmax(1).tolist() == [0, 1, 2, 3, 4, 5, 0, 1]


def test_who_learns_plays_all_of_a_role_beside_another():
    env = mesocosm.make("commons/wardens", num_envs=8, target="python")
    assert free_rows(env, "warden").shape == (8, 2)
    assert free_rows(env, "warden").all()


def test_others_play_the_frozen_policy_and_are_not_learnt_from():
    made = trainer("commons", "harvester", {"harvester": "greedy"})
    made.advance()
    experience = made.learners["harvester"].experience
    taken = ~free_rows(made.env, "harvester")
    head = made.learners["harvester"].network.head
    effort = head.scale_levels(experience.levels)[..., 0].numpy()
    assert (effort[:, taken] == 1.0).all()
    assert not (effort[:, ~taken] == 1.0).all()
    assert not experience.valid[:, taken].any()
    assert not experience.acts[:, taken].any()
    assert experience.valid[0][~taken].all()


def test_roles_beside_who_learns_do_not_learn():
    made = trainer("commons/wardens", "warden", {"harvester": "steady", "warden": "steady"})
    before = {
        name: [p.detach().clone() for p in learner.network.parameters()]
        for name, learner in made.learners.items()
    }
    update = made.advance()
    assert update.reports["harvester"].grad_norm == 0.0
    changed = {
        name: any(
            not np.array_equal(old, new.detach())
            for old, new in zip(before[name], learner.network.parameters(), strict=True)
        )
        for name, learner in made.learners.items()
    }
    assert changed == {"harvester": False, "warden": True}


@pytest.mark.parametrize("name", ["oracle", "random"])
def test_a_response_is_written_as_a_bundle(tmp_path, name):
    shares = []
    played = train_response(
        resolve("commons"), "harvester", {"harvester": mesocosm.policy("commons", name)},
        tmp_path / "r.mesop", steps=40, seed=1, target="python", on_update=shares.append,
        changes=TINY,
    )  # fmt: skip
    card = read_bundle(tmp_path / "r.mesop").card
    assert played == card.agent_steps == 48
    assert shares == [0.5, 1.0]


def test_training_again_gives_the_same_network(tmp_path):
    for name in ("a.mesop", "b.mesop"):
        frozen = {"harvester": mesocosm.policy("commons", "random")}
        train_response(
            resolve("commons"), "harvester", frozen, tmp_path / name, steps=40, seed=1,
            target="python", changes=TINY,
        )  # fmt: skip
    one, two = (read_bundle(tmp_path / name) for name in ("a.mesop", "b.mesop"))
    assert one.sha256 == two.sha256
