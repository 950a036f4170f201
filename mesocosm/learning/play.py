"""Play rollouts: on the CPU step by step, on a GPU as one captured graph."""

import time
from collections.abc import Callable, Mapping

import torch
from torch.utils.dlpack import from_dlpack

from mesocosm.learning.collector import Collector
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
    """Plays rollouts of all roles of an env."""

    def __init__(self, env: Engine, collectors: Mapping[str, Collector], horizon: int) -> None:
        self._env, self._horizon = env, horizon
        self._collectors = list(collectors.values())
        self._direct = DirectPlay(env)
        self._actions = [
            tuple(from_dlpack(array).flatten(0, 1) for array in self._direct.actions(name))
            for name in collectors
        ]
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
        inside = self._play_steps()
        return inside, time.perf_counter() - begun - inside

    def _play_steps(self) -> float:
        seconds = 0.0
        for collector in self._collectors:
            collector.start_rollout()
        for t in range(self._horizon):
            self._act(t)
            start = time.perf_counter()
            self._direct.step()
            seconds += time.perf_counter() - start
            for collector in self._collectors:
                collector.observe(t)
        return seconds

    def _queue_rollout(self) -> None:
        """Put a whole rollout on the current stream; nothing waits for anything."""
        for collector in self._collectors:
            collector.start_rollout()
        for t in range(self._horizon):
            self._act(t)
            self._direct.enqueue(torch.cuda.current_stream().cuda_stream)
            for collector in self._collectors:
                collector.observe(t)

    def _act(self, t: int) -> None:
        """Choose a step's actions and put them where the env takes them from."""
        for collector, arrays in zip(self._collectors, self._actions, strict=True):
            for into, values in zip(arrays, collector.act(t), strict=True):
                into.copy_(values)
