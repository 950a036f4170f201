"""Collect experience: one role plays in some of the envs and keeps what came of it."""

import torch
from torch import Tensor

from mesocosm.learning.experience import CARRIED
from mesocosm.learning.networks.network import State
from mesocosm.learning.ppo import CRITIC_READS, Learner


class Collector:
    """Plays a learner's role in some envs and writes into their part of its experience.

    Several of them, of different envs, may play at once. All that they write are parts of the
    learner's own tensors.
    """

    def __init__(self, learner: Learner, envs: slice) -> None:
        self.learner, self.envs = learner, envs
        count = learner.role.num_agents
        rows = slice(envs.start * count, envs.stop * count)
        self.experience, self.tensors = learner.experience.part(envs), learner.tensors.part(envs)
        self.state = State(*(part[rows] for part in learner.state))
        self.first_state = State(*(part[rows] for part in learner.first_state))
        self.generation = learner.generation[envs]
        self.noise, self.values = learner.noise[:, rows], learner.values[:, rows]
        self.rows = rows

    def start_rollout(self) -> None:
        """Carry over what the last step gave."""
        for name in CARRIED:
            array = getattr(self.experience, name)
            array[0] = array[-1]
        for first, now in zip(self.first_state, self.state, strict=True):
            first.copy_(now)

    @torch.no_grad()
    def act(self, t: int) -> tuple[Tensor, Tensor]:
        """Choose this step's actions: choices, and levels as the env takes them."""
        experience, network = self.experience, self.learner.network
        experience.mask[t] = self.tensors.mask
        obs, began = (experience.flat(name)[t : t + 1] for name in ("obs", "began"))
        numbers, actor = network.act(obs, self.state.actor, began)
        mask = experience.flat("mask")[t]
        choice, levels, log_prob = network.head.sample(numbers[0], mask, self.noise[t])
        experience.flat("choice")[t] = choice
        experience.flat("levels")[t] = levels
        experience.flat("log_prob")[t] = log_prob
        if self.learner.past is not None:
            self.learner.past.act(t, self.noise[t])
        if network.has_memory:
            self.state.actor.copy_(actor)
            self._remember(t)
        return experience.choice[t], network.head.scale_levels(experience.levels[t])

    def _remember(self, t: int) -> None:
        """Let the critic see this step too: what it expects depends on what it has seen."""
        obs, began, truth = (self.experience.flat(name)[t : t + 1] for name in CRITIC_READS)
        values, critic = self.learner.network.value(obs, self.state.critic, began, truth)
        self.values[t] = values[0]
        self.state.critic.copy_(critic)

    @torch.no_grad()
    def observe(self, t: int) -> None:
        """Take note of what this step's actions led to."""
        experience, now = self.experience, self.tensors
        gone = now.terminated | now.truncated
        experience.reward[t] = now.reward
        experience.ended[t] = now.ended
        experience.outcome[t] = now.outcome
        experience.boundary[t] = now.ended | now.episode_over
        born = now.generation > self.generation
        self.generation.copy_(now.generation)
        torch.logical_or(born, now.episode_over, out=experience.began[t + 1])
        torch.logical_or(~gone, experience.began[t + 1], out=experience.valid[t + 1])
        torch.logical_and(now.acting, experience.valid[t + 1], out=experience.acts[t + 1])
        experience.obs[t + 1] = now.obs
        if self.learner.truth is not None:
            experience.truth[t + 1] = self.learner.truth.read(self.envs)
        self._bootstrap(t, now.ended & now.truncated & ~now.terminated)
        if self.learner.past is not None:
            self.learner.past.observe(t)

    def _bootstrap(self, t: int, cut: Tensor) -> None:
        """Ask the critic what would have followed where an end was imposed from outside.

        By then the truth is that of the next episode: the one before the last step has to do.

        Args:
            cut: bool [env, agent].
        """
        last, into = self.tensors.final_obs.flatten(0, 1), self.experience.flat("bootstrap")[t]
        truth, mask = (self.experience.flat(name)[t] for name in ("truth", "mask"))
        expect = self.learner.expect
        into.zero_()
        if into.is_cuda:  # to ask whether there are any would make the device wait
            expected = expect(last, self.state.critic, truth=truth, mask=mask)
            into.copy_(torch.where(cut.flatten(), expected, 0.0))
        elif bool(cut.any()):
            rows = cut.flatten().nonzero()[:, 0]
            into[rows] = expect(
                last[rows], self.state.critic[rows], truth=truth[rows], mask=mask[rows]
            )
