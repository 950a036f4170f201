"""Play the RLlib adapter for `check_adapter`."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from mesocosm.adapters.drivers.layout import one_action, put_ending, put_step
from mesocosm.adapters.rllib.env import ALL, RllibEnv
from mesocosm.adapters.rllib.spaces import ACTION_MASK, OBSERVATIONS
from mesocosm.build import config_spec
from mesocosm.core.action import Action
from mesocosm.core.adapter import agent_names
from mesocosm.core.adapter_driver import AdapterDriver, Received, blank, to_samples
from mesocosm.core.spec import Role


class RllibDriver(AdapterDriver):
    """Plays `RllibEnv`: whoever is shown something and has not ended acts."""

    autoresets = ("off",)
    batched = False
    tells_lives = True
    shows_waiting = False

    def __init__(
        self, config: Any, *, num_envs: int, seed: int, target: str, autoreset: str
    ) -> None:
        self._env = RllibEnv(config, seed=seed, target=target)
        self._roles = config_spec(config).roles
        self._slots = {
            name: (role, i)
            for role in self._roles.values()
            for i, name in enumerate(agent_names(role))
        }
        self._shown: list[str] = []

    def reset(self, *, seed: int | None, envs: np.ndarray | None) -> dict[str, Received]:
        observations, infos = self._env.reset(seed=seed)
        steps = {name: (shown, 0.0, False, False) for name, shown in observations.items()}
        return self._lay_out(steps, infos)

    def step(self, actions: Mapping[str, Action]) -> dict[str, Received]:
        given = {}
        for name in self._shown:
            role, i = self._slots[name]
            given[name] = to_samples(role, one_action(actions[role.name], (0, i)))
        observations, rewards, terminateds, truncateds, infos = self._env.step(given)
        steps = {}
        for name, shown in observations.items():
            # an agent that is cut off with the episode has no flag of its own
            cut = truncateds[name] or (truncateds[ALL] and not terminateds[name])
            steps[name] = (shown, rewards[name], terminateds[name], cut)
        return self._lay_out(steps, infos)

    def _lay_out(self, steps: Mapping[str, Any], infos: Mapping[str, Any]) -> dict[str, Received]:
        made = {name: blank(role, 1) for name, role in self._roles.items()}
        for agent, (shown, *step) in steps.items():
            role, i = self._slots[agent]
            _put(made[role.name], role, (0, i), (shown, *step), infos[agent])
        self._shown = [x for x, (_, _, terminated, cut) in steps.items() if not terminated | cut]
        return {name: part._replace(has_final=None) for name, part in made.items()}

    def close(self) -> None:
        self._env.close()


def _put(made: Received, role: Role, at: tuple[int, int], step: Any, info: Any) -> None:
    """Lay out one agent."""
    if made.ended is None or made.acting is None or made.mask is None or made.generation is None:
        raise AssertionError("made by blank()")
    shown, reward, terminated, truncated = step
    put_step(made, at, (shown[OBSERVATIONS], reward, terminated, truncated))
    if role.action.mask_size:
        made.mask[at] = shown[ACTION_MASK].astype(bool)
    for name, values in made.info.items():  # type: ignore[union-attr]
        values[at] = info[name]
    made.told[at] = info  # type: ignore[index]
    life, done = bool(info.get("life_ended", False)), terminated or truncated
    made.ended[at] = life if role.respawn else done
    made.acting[at] = not (life or done)
    made.generation[at] = info.get("generation", 0)
    if life or done:
        put_ending(made, at, info)
