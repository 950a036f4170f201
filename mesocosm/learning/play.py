"""Play rollouts: on the CPU step by step, on a GPU as one captured graph."""

import time
from collections.abc import Callable, Mapping
from typing import Any

import torch
from torch import Tensor
from torch.utils.dlpack import from_dlpack

from mesocosm.core.action import Action
from mesocosm.learning.ppo import Learner
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

    def __init__(self, env: Engine, learners: Mapping[str, Learner], horizon: int) -> None:
        self._env, self._learners, self._horizon = env, learners, horizon
        self._on_gpu = env.target == "cuda"
        self._rollout = Replayed(self._queue_rollout, env.target)
        self._actions: dict[str, tuple[Tensor, Tensor]] = {}
        if self._on_gpu:
            for name in learners:
                choice, level = map(from_dlpack, env.action_arrays(name))
                self._actions[name] = (choice, level)

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
        for learner in self._learners.values():
            learner.start_rollout()
        for t in range(self._horizon):
            actions = {name: _to_numpy(learner, t) for name, learner in self._learners.items()}
            start = time.perf_counter()
            self._env.step(actions)
            seconds += time.perf_counter() - start
            for learner in self._learners.values():
                learner.observe(t)
        return seconds

    def _queue_rollout(self) -> None:
        """Put a whole rollout on the current stream; nothing waits for anything."""
        for learner in self._learners.values():
            learner.start_rollout()
        for t in range(self._horizon):
            for name, learner in self._learners.items():
                for into, values in zip(self._actions[name], learner.act(t), strict=True):
                    into.copy_(values)
            self._env.enqueue_step(torch.cuda.current_stream().cuda_stream)
            for learner in self._learners.values():
                learner.observe(t)


def _to_numpy(learner: Learner, t: int) -> Any:
    """Give a step's actions as the env takes them, without a copy."""
    choice, levels = learner.act(t)
    parts = learner.role.action
    if not parts.levels:
        return choice.numpy()
    return Action(choice.numpy(), levels.numpy()) if parts.choices else levels.numpy()
