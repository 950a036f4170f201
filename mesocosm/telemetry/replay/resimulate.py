"""Play a replay again: prove it, or go to any moment of one env."""

from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import numpy as np

from mesocosm.core.errors import RunError, UnknownName
from mesocosm.core.step import Step
from mesocosm.sim.engine import Engine
from mesocosm.telemetry.replay.format import Operation, Start
from mesocosm.telemetry.replay.reader import Replay
from mesocosm.telemetry.step_reader import make_state_digester

Advance = Callable[[int], None]


class Proof(NamedTuple):
    """What verification found: all equal, or where the first difference is."""

    num_steps: int  # of the replay
    num_equal: int  # steps proven
    operation: str = ""  # "", "step" or "reset": what led to the first difference
    fields: tuple[str, ...] = ()  # that differ there

    @property
    def holds(self) -> bool:
        return not self.fields


def prepare(replay: Replay, env: Engine) -> None:
    """Set a new env to where the replay begins."""
    env.aim(seed=replay.seed, episode=replay.episode)


def perform(env: Engine, operation: Operation) -> Step:
    """Do again what was done."""
    if operation.envs is None:
        return env.step(operation.actions)
    return env.reset(seed=operation.seed, envs=operation.envs)


def verify(replay: Replay, env: Engine, advance: Advance | None = None) -> Proof:
    """Re-simulate in an env made of the replay's config, and compare every digest."""
    digester = make_state_digester(env)
    if list(digester.names) != replay.fields:
        raise RunError(
            f"{replay.path}: its digests are of other fields than this version's {env.spec.world} "
            f"has: {', '.join(sorted(set(replay.fields) ^ set(digester.names)))}"
        )
    prepare(replay, env)
    for operation in replay.operations(dict(env.spec.roles)):
        perform(env, operation)
        found = digester.digest() if operation.has_digest else operation.digest
        if not np.array_equal(found, operation.digest):
            wrong = np.flatnonzero(found != operation.digest)
            names = tuple(digester.names[k] for k in wrong.tolist())
            what = "step" if operation.envs is None else "reset"
            return Proof(replay.num_steps, operation.step, what, names)
        if advance is not None and operation.envs is None:
            advance(operation.step + 1)
    return Proof(replay.num_steps, replay.num_steps)


class Moment(NamedTuple):
    """One env between two steps of a run."""

    step: int  # of the run: how many steps were played before it
    start: Start  # of its episode
    view: Step  # what its agents received; the arrays are the env's own
    actions: Any  # what they do next; None at the end of the run


def check_env(replay: Replay, env_id: int) -> int:
    """Find the index in the batch of an env of the run."""
    index = env_id - replay.first_env
    if not 0 <= index < replay.num_envs:
        last = replay.first_env + replay.num_envs - 1
        raise UnknownName(
            f"{replay.path}: no env {env_id}: must be between {replay.first_env} and {last}"
        )
    return index


def moments(replay: Replay, env: Engine, env_id: int, first: int) -> Iterator[Moment]:
    """Give the moments of one env from step `first` on, to the end of that episode.

    Args:
        env: A batch of one, made of the replay's config with `first_env=env_id` and
            `autoreset="off"`; it is played from the episode's start.
    """
    index = check_env(replay, env_id)
    start = replay.start_of(index, first)
    env.aim(seed=start.seed, episode=start.episode - 1)
    view, at = env.reset(), start.step
    env.events()
    for actions in replay.episode_actions(dict(env.spec.roles), index, start):
        if at >= first:
            yield Moment(at, start, view, actions)
        view, at = env.step(actions), at + 1
    if at >= first:
        yield Moment(at, start, view, None)
