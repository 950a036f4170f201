import numpy as np
import pytest
import torch

import mesocosm
from mesocosm.core.errors import ConfigError, MesocosmError
from mesocosm.learning.trainer import Trainer
from tests.learning.small import StepWatcher, same_weights, small_settings, small_trainer, weights


def test_same_seed_gives_same_weights():
    first, second = small_trainer(), small_trainer()
    assert [str(u.lives) for u in first.run()] == [str(u.lives) for u in second.run()]
    assert same_weights(weights(first), weights(second))


def test_another_seed_gives_other_weights():
    first, second = small_trainer(seed=1), small_trainer(seed=2)
    list(first.run()), list(second.run())
    assert not same_weights(weights(first), weights(second))


def test_every_role_learns_with_its_own_network():
    trainer = small_trainer("commons/wardens", updates=2)
    before = weights(trainer)
    list(trainer.run())
    after = weights(trainer)
    for role in ("harvester", "warden"):
        moved = [n for n in after if n.startswith(role) and not torch.equal(before[n], after[n])]
        assert any("actor" in name for name in moved)
        assert any("critic" in name for name in moved)


def test_training_plays_as_many_agent_steps_as_asked():
    trainer = small_trainer(updates=4)
    last = list(trainer.run())[-1]
    assert last.agent_steps == trainer.steps == 4 * 8 * 8 * trainer.env.spec.num_agents


def test_lives_are_counted_as_the_env_ends_them():
    trainer = small_trainer("townlet/L0", updates=30)
    role, lead = "resident", (8, 1)
    earned, lived, ended = np.zeros(lead), np.zeros(lead, int), []

    def count(made):
        nonlocal earned, lived
        earned, lived = earned + made.reward, lived + 1
        over = np.array(made.ended)
        ended.extend(zip(earned[over].tolist(), lived[over].tolist(), strict=True))
        earned[over], lived[over] = 0.0, 0

    StepWatcher(trainer.env, count)
    counted = [update.lives[role] for update in trainer.run()]
    total = sum(lives.num for lives in counted)
    assert total == len(ended) > 5
    told = sum(lives.mean_return * lives.num for lives in counted if lives.num)
    assert told == pytest.approx(sum(reward for reward, _ in ended))
    steps = sum(lives.mean_length * lives.num for lives in counted if lives.num)
    assert steps == pytest.approx(sum(length for _, length in ended))


def test_loss_that_is_no_number_ends_training():
    trainer = small_trainer(updates=3)
    trainer.advance()
    learner = trainer.learners["harvester"]
    with torch.no_grad():
        next(learner.network.critic.parameters()).fill_(torch.nan)
    with pytest.raises(MesocosmError, match=r"harvester.*finite"):
        trainer.advance()


def test_env_that_does_not_reset_in_the_same_step_is_refused():
    env = mesocosm.make("commons", num_envs=8, target="python", autoreset="off")
    with pytest.raises(ConfigError, match="same_step"):
        Trainer(env, small_settings(), steps=100, seed=0)
