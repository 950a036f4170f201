"""Collect experience: one role plays, and keeps what came of it."""

from typing import NamedTuple

import torch
from torch import Tensor

from mesocosm.learning.experience import CARRIED, Experience
from mesocosm.learning.ppo import CRITIC_READS, Learner

BY_ROW = ("mask", "choice", "levels", "log_prob", "bootstrap")
BY_ENV = ("reward", "ended", "outcome", "boundary")


class Entries(NamedTuple):
    """Where one step's part of an experience lies; found once, for looking it up takes as long."""

    # [1, row, ...], as networks read them
    obs: Tensor
    began: Tensor
    truth: Tensor
    # [row, ...]
    mask: Tensor
    choice: Tensor
    levels: Tensor
    log_prob: Tensor
    bootstrap: Tensor
    value: Tensor
    noise: Tensor
    # [env, agent, ...]
    reward: Tensor
    ended: Tensor
    outcome: Tensor
    boundary: Tensor
    # [env, agent, ...], of the step after it
    next_obs: Tensor
    next_truth: Tensor
    next_began: Tensor
    next_valid: Tensor
    next_acts: Tensor


def find_entries(experience: Experience, values: Tensor, noise: Tensor) -> list[Entries]:
    """List the entries of every step.

    Args:
        values, noise: `[step, row, ...]`.
    """
    flat = experience.flat
    read = {name: flat(name).unsqueeze(1).unbind(0) for name in CRITIC_READS}
    by_row = {name: flat(name).unbind(0) for name in BY_ROW}
    by_row |= {"value": values.unbind(0), "noise": noise.unbind(0)}
    by_env = {name: getattr(experience, name).unbind(0) for name in BY_ENV}
    by_env |= {f"next_{name}": getattr(experience, name)[1:].unbind(0) for name in CARRIED}
    arrays = read | by_row | by_env
    return [
        Entries(**{name: arrays[name][t] for name in Entries._fields})
        for t in range(experience.horizon)
    ]


class Collector:
    """Plays a learner's role and writes into its experience."""

    def __init__(self, learner: Learner) -> None:
        self.learner, self.tensors, self.state = learner, learner.tensors, learner.state
        self.entries = find_entries(learner.experience, learner.values[:-1], learner.noise)
        self.mask = learner.tensors.mask.flatten(0, 1)

    def start_rollout(self) -> None:
        """Carry over what the last step gave."""
        for name in CARRIED:
            array = getattr(self.learner.experience, name)
            array[0] = array[-1]
        for first, now in zip(self.learner.first_state, self.state, strict=True):
            first.copy_(now)

    @torch.no_grad()
    def act(self, t: int) -> tuple[Tensor, Tensor]:
        """Choose this step's actions `[row, part]`: choices, and levels as the env takes them."""
        entries, network = self.entries[t], self.learner.network
        entries.mask.copy_(self.mask)
        numbers, actor = network.act(entries.obs, self.state.actor, entries.began)
        made = network.head.sample(numbers[0], entries.mask, entries.noise)
        targets = (entries.choice, entries.levels, entries.log_prob)
        for into, values in zip(targets, made, strict=True):
            into.copy_(values)
        if self.learner.past is not None:
            self.learner.past.act(t, entries.noise)
        if network.has_memory:
            self.state.actor.copy_(actor)
            self._remember(entries)
        return entries.choice, network.head.scale_levels(entries.levels)

    def _remember(self, entries: Entries) -> None:
        """Let the critic see this step too: what it expects depends on what it has seen."""
        values, critic = self.learner.network.value(
            entries.obs, self.state.critic, entries.began, entries.truth
        )
        entries.value.copy_(values[0])
        self.state.critic.copy_(critic)

    @torch.no_grad()
    def observe(self, t: int) -> None:
        """Take note of what this step's actions led to."""
        into, now = self.entries[t], self.tensors
        into.reward.copy_(now.reward)
        into.ended.copy_(now.ended)
        into.outcome.copy_(now.outcome)
        torch.logical_or(now.ended, now.episode_over, out=into.boundary)
        born = now.generation > self.learner.generation
        self.learner.generation.copy_(now.generation)
        torch.logical_or(born, now.episode_over, out=into.next_began)
        stays = (now.terminated | now.truncated).logical_not_()
        torch.logical_or(stays, into.next_began, out=into.next_valid)
        torch.logical_and(now.acting, into.next_valid, out=into.next_acts)
        into.next_obs.copy_(now.obs)
        if self.learner.truth is not None:
            into.next_truth.copy_(self.learner.truth.read())
        self._bootstrap(into, now.ended & now.truncated & ~now.terminated)
        if self.learner.past is not None:
            self.learner.past.observe(t)

    def _bootstrap(self, entries: Entries, cut: Tensor) -> None:
        """Ask the critic what would have followed where an end was imposed from outside.

        By then the truth is that of the next episode: the one before the last step has to do.

        Args:
            cut: bool [env, agent].
        """
        into, mask, expect = entries.bootstrap, entries.mask, self.learner.expect
        into.zero_()
        if into.is_cuda:  # to ask whether there are any would make the device wait
            last, truth = self.tensors.final_obs.flatten(0, 1), entries.truth[0]
            expected = expect(last, self.state.critic, truth=truth, mask=mask)
            into.copy_(torch.where(cut.flatten(), expected, 0.0))
        elif bool(cut.any()):
            last, truth = self.tensors.final_obs.flatten(0, 1), entries.truth[0]
            rows = cut.flatten().nonzero()[:, 0]
            into[rows] = expect(
                last[rows], self.state.critic[rows], truth=truth[rows], mask=mask[rows]
            )
