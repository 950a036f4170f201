"""Play rollouts: on the CPU step by step, on a GPU as one captured graph."""

import time
from collections.abc import Callable, Mapping
from itertools import pairwise
from typing import NamedTuple

import torch
from torch import Tensor
from torch.utils.dlpack import from_dlpack

from mesocosm.learning.collector import Collector
from mesocosm.learning.crew import Crew
from mesocosm.learning.ppo import Learner
from mesocosm.sim.direct import DirectPlay
from mesocosm.sim.engine import Engine

EAGER_CALLS = 2  # that warm a GPU's libraries up before a call is captured


class Replayed:
    """A function of tensors that are written in place; a GPU captures it and replays it."""

    def __init__(self, function: Callable[[], None], device: str) -> None:
        self._function, self._calls = function, 0
        self._graph: torch.cuda.CUDAGraph | None = None
        self._captures = device == "cuda"

    def __call__(self) -> None:
        if self._captures and self._calls == EAGER_CALLS:
            self._graph = torch.cuda.CUDAGraph()
            torch.cuda.synchronize()
            with torch.cuda.graph(self._graph, capture_error_mode="thread_local"):
                self._function()
        self._calls += 1
        if self._graph is None:
            self._function()
        else:
            self._graph.replay()


class Player:
    """Plays rollouts of all roles of an env; threads share its envs, each a whole rollout."""

    def __init__(
        self,
        env: Engine,
        learners: Mapping[str, Learner],
        collector: type[Collector],
        *,
        horizon: int,
        crew: Crew,
    ) -> None:
        self._env, self._learners, self._collector = env, learners, collector
        self._horizon, self._crew = horizon, crew
        self._direct = DirectPlay(env)
        self._actions = {
            name: (from_dlpack(choice), from_dlpack(level))
            for name in learners
            for choice, level in (self._direct.actions(name),)
        }
        self._shards: dict[int, list[Shard]] = {}
        self._on_gpu = env.target == "cuda"
        self._rollout = Replayed(self._queue_rollout, env.target)

    def play(self) -> tuple[float, float]:
        """Play a rollout; give the seconds in the env, and those around it.

        On a GPU they are not told apart: all of it counts as around.
        """
        begun = time.perf_counter()
        if self._on_gpu:
            self._rollout()
            torch.cuda.synchronize()
            return 0.0, time.perf_counter() - begun
        shards = self._share_out()
        inside = sum(self._crew.map(self._play_shard, shards)) / len(shards)
        return inside, time.perf_counter() - begun - inside

    def _share_out(self) -> "list[Shard]":
        """Give every thread some of the envs; all to one where others act too, or someone watches.

        Those others know the batch as a whole.
        """
        whole = self._env.watcher is not None or self._env.target != "cpu"
        whole = whole or any(learner.past is not None for learner in self._learners.values())
        count = 1 if whole else min(self._crew.size, self._env.num_envs)
        if count not in self._shards:
            edges = [round(self._env.num_envs * k / count) for k in range(count + 1)]
            self._shards[count] = [self._shard(slice(*pair)) for pair in pairwise(edges)]
        return self._shards[count]

    def _shard(self, envs: slice) -> "Shard":
        return Shard(
            envs,
            [self._collector(learner, envs) for learner in self._learners.values()],
            [_by_row(envs, *arrays) for arrays in self._actions.values()],
        )

    def _play_shard(self, shard: "Shard") -> float:
        seconds = 0.0
        for collector in shard.collectors:
            collector.start_rollout()
        for t in range(self._horizon):
            shard.act(t)
            start = time.perf_counter()
            self._direct.step(shard.envs.start, shard.envs.stop)
            seconds += time.perf_counter() - start
            for collector in shard.collectors:
                collector.observe(t)
        return seconds

    def _queue_rollout(self) -> None:
        """Put a whole rollout on the current stream; nothing waits for anything."""
        (shard,) = self._share_out()
        for collector in shard.collectors:
            collector.start_rollout()
        for t in range(self._horizon):
            shard.act(t)
            self._direct.enqueue(torch.cuda.current_stream().cuda_stream)
            for collector in shard.collectors:
                collector.observe(t)


class Shard(NamedTuple):
    """Some envs, who plays there, and where their actions go: an entry of each for every role."""

    envs: slice
    collectors: list[Collector]
    actions: list[tuple[Tensor, Tensor]]

    def act(self, t: int) -> None:
        """Choose a step's actions and put them where the env takes them from."""
        for collector, arrays in zip(self.collectors, self.actions, strict=True):
            for into, values in zip(arrays, collector.act(t), strict=True):
                into.copy_(values)


def _by_row(envs: slice, choice: Tensor, level: Tensor) -> tuple[Tensor, Tensor]:
    """Give the actions of some envs as `[row, part]`."""
    return choice[envs].flatten(0, 1), level[envs].flatten(0, 1)
