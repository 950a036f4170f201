"""Advantages against a slow reference in plain Python, and what a rollout keeps."""

import numpy as np
import pytest
import torch

from mesocosm.core.action import ActionSpec, Choice
from mesocosm.core.observation import Feature, Layout
from mesocosm.core.spec import Role
from mesocosm.learning.experience import Experience, advantages
from mesocosm.worlds import registry
from tests.adapters import mayfly
from tests.learning.small import StepWatcher, small_trainer

STEPS, ENVS, AGENTS = 24, 7, 3
ROLE = Role(
    "player", AGENTS, Layout((Feature("here", "that I am here"),)),
    ActionSpec((Choice("move", ("rest", "go")),)),
)  # fmt: skip


def slow_advantage(reward, value, boundary, bootstrap, gamma, decay):
    """The definition: a discounted sum of surprises until the next boundary."""
    made = []
    for start in range(len(reward)):
        total, weight = 0.0, 1.0
        for t in range(start, len(reward)):
            after = bootstrap[t] if boundary[t] else value[t + 1]
            total += weight * (reward[t] + gamma * after - value[t])
            if boundary[t]:
                break
            weight *= gamma * decay
        made.append(total)
    return made


@pytest.mark.parametrize(("gamma", "decay"), [(0.99, 0.95), (0.9995, 1.0), (0.5, 0.0)])
def test_advantages_equal_the_slow_reference_with_random_boundaries(gamma, decay):
    generator = torch.Generator().manual_seed(4)
    experience = Experience(ROLE, STEPS, ENVS)
    for name in ("reward", "bootstrap"):
        getattr(experience, name).normal_(generator=generator)
    experience.boundary.copy_(torch.rand(STEPS, ENVS, AGENTS, generator=generator) < 0.15)
    terminated = torch.rand(STEPS, ENVS, AGENTS, generator=generator) < 0.5
    experience.bootstrap[terminated | ~experience.boundary] = 0.0
    values = torch.randn(STEPS + 1, ENVS * AGENTS, generator=generator)
    made = advantages(experience, values, gamma, decay)
    arrays = [experience.flat(name).tolist() for name in ("reward", "boundary", "bootstrap")]
    reward, boundary, bootstrap = (np.array(array) for array in arrays)
    for row in range(ENVS * AGENTS):
        columns = (reward[:, row], values[:, row].tolist(), boundary[:, row], bootstrap[:, row])
        wanted = slow_advantage(*columns, gamma, decay)
        np.testing.assert_allclose(made[:, row], wanted, rtol=1e-4, atol=1e-5)


def test_full_trace_without_values_is_the_return():
    experience = Experience(ROLE, 4, 1)
    experience.reward.copy_(torch.tensor([1.0, 2.0, 4.0, 8.0]).view(4, 1, 1).expand(4, 1, AGENTS))
    experience.boundary[1] = True
    made = advantages(experience, torch.zeros(5, AGENTS), 1.0, 1.0)
    assert made[:, 0].tolist() == [3.0, 2.0, 12.0, 8.0]


def record(source, role, updates, **changes):
    """Train; give every step as the env gave it, and a role's experience of each rollout."""
    trainer = small_trainer(source, updates=updates, **changes)
    learner = trainer.learners[role]
    steps, rollouts = [], []

    def keep(made):
        fields = ("ended", "terminated", "truncated", "generation", "acting", "final_obs", "obs")
        parts = {key: getattr(made, key) for key in fields}
        several = len(trainer.learners) > 1
        steps.append({k: np.array(v[role] if several else v) for k, v in parts.items()})
        steps[-1]["episode_over"] = np.array(made.episode_over)[:, None]

    StepWatcher(trainer.env, keep)
    for _ in range(updates):
        before = {k: v.clone() for k, v in learner.network.state_dict().items()}
        trainer.advance()
        names = ("boundary", "bootstrap", "began", "valid", "acts", "obs")
        kept = {key: getattr(learner.experience, key).clone() for key in names}
        rollouts.append((before, kept))
    return learner, steps, rollouts


@pytest.mark.parametrize("role", ["mayfly", "stone", "clerk"])
@pytest.mark.parametrize("turns", ["simultaneous", "state"])
def test_rollouts_mark_births_ends_and_turns_as_the_env_tells_them(monkeypatch, role, turns):
    known = {**registry._folders(), "mayfly": "tests.adapters.mayfly"}
    monkeypatch.setattr(registry, "_folders", lambda: known)
    source = mayfly.config(turns=turns, stone_end=4)
    _, steps, rollouts = record(source, role, 4, num_envs=3)
    generation = np.zeros_like(steps[0]["generation"])
    began = np.ones(generation.shape, bool)
    births = idle = 0
    for number, (_, kept) in enumerate(rollouts):
        for t in range(8):
            now = steps[number * 8 + t]
            if number or t:
                np.testing.assert_array_equal(kept["began"][t], began)
            np.testing.assert_array_equal(kept["boundary"][t], now["ended"] | now["episode_over"])
            born = (now["generation"] > generation) & ~now["episode_over"]
            began = born | now["episode_over"]
            generation = now["generation"]
            gone = (now["terminated"] | now["truncated"]) & ~began
            np.testing.assert_array_equal(kept["valid"][t + 1], ~gone)
            np.testing.assert_array_equal(kept["acts"][t + 1], ~gone & now["acting"])
            births, idle = births + int(born.sum()), idle + int((~now["acting"] & ~gone).sum())
    assert (births > 0) == (role == "mayfly")
    assert (idle > 0) == (turns == "state" and role != "mayfly")


def test_only_truncations_are_bootstrapped_with_what_the_critic_expects_of_the_last_observation():
    learner, steps, rollouts = record("commons", "harvester", 14, horizon=16)
    cuts = deaths = 0
    for number, (weights, kept) in enumerate(rollouts):
        learner.network.load_state_dict(weights)
        for t in range(16):
            now = steps[number * 16 + t]
            cut = now["ended"] & now["truncated"] & ~now["terminated"]
            cuts, deaths = cuts + cut.sum(), deaths + (now["ended"] & now["terminated"]).sum()
            assert (kept["bootstrap"][t].numpy()[~cut] == 0.0).all()
            if cut.any():
                last = torch.from_numpy(now["final_obs"][cut]).unsqueeze(0)
                began = torch.zeros(1, int(cut.sum()), dtype=bool)
                with torch.no_grad():
                    value, _ = learner.network.value(last, torch.zeros(int(cut.sum()), 0), began)
                wanted = learner.network.unscale(value[0])
                torch.testing.assert_close(kept["bootstrap"][t][torch.from_numpy(cut)], wanted)
    assert cuts > 0
    assert deaths > 0


def test_recurrent_state_is_carried_between_rollouts_and_equals_training_through_time():
    trainer = small_trainer("townlet/L0", updates=4, network__memory="gru", network__hidden=[8])
    learner = trainer.learners["resident"]
    for _ in range(3):
        carried = learner.state.actor.clone()
        trainer.advance()
        assert torch.equal(learner.first_state.actor, carried)
    assert (carried != 0.0).any()
    learner.draw_noise(torch.Generator().manual_seed(0))
    trainer._player.play()
    experience = learner.experience
    obs, began = (experience.flat(name)[:-1] for name in ("obs", "began"))
    with torch.no_grad():
        numbers, last = learner.network.act(obs, learner.first_state.actor, began)
        mask, choice = experience.flat("mask"), experience.flat("choice")
        log_prob, _ = learner.network.head.evaluate(
            numbers, mask, choice, experience.flat("levels")
        )
    torch.testing.assert_close(log_prob, experience.flat("log_prob"))
    torch.testing.assert_close(last, learner.state.actor)
