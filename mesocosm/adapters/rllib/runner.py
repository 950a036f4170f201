"""An RLlib runner that steps all its envs in one call, and calls each module once a step.

`PPOConfig().env_runners(env_runner_cls=RllibRunner, num_envs_per_env_runner=256)` uses it in place
of RLlib's own, which steps envs one by one and keeps data agent by agent. What it gives learners is
the same, but for what the per-env path loses: a life is an episode of its own, and ends as it
ended. It runs no connectors of users between env and module, and calls no episode callbacks.
"""

import time
from math import ceil
from typing import Any

import numpy as np
import ray
import torch
import tree
from ray.rllib.core.columns import Columns
from ray.rllib.env.env_context import EnvContext
from ray.rllib.env.multi_agent_env_runner import MultiAgentEnvRunner
from ray.rllib.env.single_agent_episode import SingleAgentEpisode
from ray.rllib.env.utils.infinite_lookback_buffer import get_base_struct_from_space
from ray.rllib.env.vector.vector_multi_agent_env import VectorMultiAgentEnv
from ray.rllib.utils.spaces.space_utils import clip_action, unsquash_action

from mesocosm.adapters.boundary import open_env
from mesocosm.adapters.rllib.episodes import Fragment
from mesocosm.adapters.rllib.lives import LifeLog
from mesocosm.adapters.rllib.spaces import read_context, shown_space
from mesocosm.adapters.spaces import CHOICE, LEVEL, action_space
from mesocosm.core.adapter import AdapterEnv, agent_names
from mesocosm.core.errors import ConfigError
from mesocosm.core.spec import Role
from mesocosm.learning.seeds import derive_seed


class BatchedEnv(VectorMultiAgentEnv):  # type: ignore[misc]
    """A batch of envs with the spaces that RLlib asks for; `batch` is what is stepped."""

    def __init__(self, batch: AdapterEnv) -> None:
        from gymnasium import spaces

        self.batch, self.num_envs = batch, batch.num_envs
        self.envs: list[Any] = []
        roles = batch.spec.roles.values()
        names = [(name, role) for role in roles for name in agent_names(role)]
        self.single_observation_spaces = {name: shown_space(role) for name, role in names}
        self.single_action_spaces = {name: action_space(role) for name, role in names}
        self.single_observation_space = spaces.Dict(self.single_observation_spaces)
        self.single_action_space = spaces.Dict(self.single_action_spaces)

    def close_extras(self, **_: Any) -> None:
        """End the recording, if there is one."""
        self.batch.close()


class RllibRunner(MultiAgentEnvRunner):  # type: ignore[misc]
    """Plays `num_envs_per_env_runner` envs of a worker side by side."""

    def make_env(self) -> None:
        """Open the worker's share of the seed's envs."""
        config, index = self.config, self.worker_index or 0
        if config._env_to_module_connector or config._module_to_env_connector:
            raise ConfigError("RllibRunner runs no connectors between env and module: use RLlib's "
                              "own runner (leave env_runner_cls out) with these")  # fmt: skip
        context = EnvContext(config.env_config, worker_index=index)
        source, overrides, options = read_context(context)
        num_envs = config.num_envs_per_env_runner
        options["first_env"] = context.get("first_env", 0) + max(index - 1, 0) * num_envs
        if config.seed is not None:
            options["seed"] = config.seed
        batch = open_env(
            source, overrides, contract=1, num_envs=num_envs, autoreset="same_step", **options
        )
        self._first_seed: int | None = batch.seed
        if _is_restarted():  # what it played before it was killed should not be played again
            self._first_seed = derive_seed(batch.seed, "restart", index, time.time_ns()) >> 24
        self.env, self.num_envs = BatchedEnv(batch), num_envs
        roles = batch.spec.roles
        self._fragments = {
            name: Fragment(role, num_envs, f"{index}") for name, role in roles.items()
        }
        self._bounds = {x: get_base_struct_from_space(action_space(roles[x])) for x in roles}
        self._log = LifeLog(batch.spec, num_envs)
        self._needs_initial_reset = True

    def sample(
        self,
        *,
        num_timesteps: int | None = None,
        num_episodes: int | None = None,
        explore: bool | None = None,
        random_actions: bool = False,
        force_reset: bool = False,
    ) -> list[SingleAgentEpisode]:
        """Play so many env steps, or until so many episodes have ended; give what was played."""
        config, batch = self.config, self.env.batch
        explore = config.explore if explore is None else explore
        if self._needs_initial_reset or force_reset or num_episodes is not None:
            self._reset()
        if num_timesteps is None and num_episodes is None:
            num_timesteps = config.get_rollout_fragment_length(self.worker_index) * self.num_envs
        self._log.begin()
        played = finished = 0
        num_steps = ceil((num_timesteps or 0) / self.num_envs)
        while played < num_steps if num_episodes is None else finished < num_episodes:
            parts = batch.step(
                {name: self._choose(name, explore, random_actions) for name in self._fragments}
            )
            for name, fragment in self._fragments.items():
                fragment.get(parts[name])
            finished += self._log.follow(parts)
            played += 1
        if not played:
            return []
        made: list[SingleAgentEpisode] = []
        for name, fragment in self._fragments.items():
            fragment.see(batch.parts[name])
            made += fragment.episodes()
        self._log.report(self, played)
        return made

    def _reset(self) -> None:
        self.env.batch.reset(seed=self._first_seed)
        self._first_seed, self._needs_initial_reset = None, False
        self._log.forget()
        for fragment in self._fragments.values():
            fragment.forget()

    def _choose(self, name: str, explore: bool, random_actions: bool) -> Any:
        """Let a role's module act for all its slots; give the actions as the env takes them."""
        begun = time.perf_counter()
        fragment, role = self._fragments[name], self.env.batch.spec.roles[name]
        shown = fragment.see(self.env.batch.parts[name])
        columns = (
            {Columns.ACTIONS: self._draw(role)}
            if random_actions or self.module is None
            else _ask(self.module[name], shown, explore)
        )
        fragment.act(columns)
        action = columns[Columns.ACTIONS]
        if self.config.normalize_actions:
            action = unsquash_action(action, self._bounds[name])
        elif self.config.clip_actions:
            action = clip_action(action, self._bounds[name])
        self._log.inference += time.perf_counter() - begun
        return _to_env(role, action, (self.num_envs, role.num_agents))

    def _draw(self, role: Role) -> Any:
        """Draw actions as RLlib does: from the space, whatever the masks say."""
        rng = np.random.default_rng(np.random.randint(2**31))
        drawn = role.action.sample(rng, (self.num_envs * role.num_agents,))
        both = (drawn,) * 2 if not (role.action.choices and role.action.levels) else drawn
        choice = both[0][..., 0] if len(role.action.choices) == 1 else both[0]
        if not role.action.levels:
            return choice
        return {CHOICE: choice, LEVEL: both[1]} if role.action.choices else both[1]

    def get_metrics(self) -> Any:
        """Give what was logged since the last call."""
        return self.metrics.reduce()


def _is_restarted() -> bool:
    """Whether this process took the place of a worker that died."""
    if not ray.is_initialized() or ray.get_runtime_context().get_actor_id() is None:
        return False
    return bool(ray.get_runtime_context().was_current_actor_reconstructed)


def _ask(module: Any, shown: dict[str, np.ndarray], explore: bool) -> dict[str, Any]:
    """Give what a module makes of rows, as arrays by column, its actions among them."""
    batch = {Columns.OBS: tree.map_structure(torch.from_numpy, shown)}
    out = (module.forward_exploration if explore else module.forward_inference)(batch)
    made = {name: out[name] for name in (Columns.ACTIONS, Columns.ACTION_LOGP) if name in out}
    if Columns.ACTION_DIST_INPUTS in out:
        made[Columns.ACTION_DIST_INPUTS] = out[Columns.ACTION_DIST_INPUTS]
        kind = (
            module.get_exploration_action_dist_cls()
            if explore
            else module.get_inference_action_dist_cls()
        )
        drawn = kind.from_logits(out[Columns.ACTION_DIST_INPUTS])
        drawn = drawn if explore else drawn.to_deterministic()
        if Columns.ACTIONS not in made:
            made[Columns.ACTIONS] = drawn.sample()
            made[Columns.ACTION_LOGP] = drawn.logp(made[Columns.ACTIONS])
    arrays: dict[str, Any] = tree.map_structure(lambda x: x.detach().cpu().numpy(), made)
    return arrays


def _to_env(role: Role, action: Any, lead: tuple[int, int]) -> Any:
    """Put rows of actions in the form of the space into `[env, agent, part]`."""
    choice, level = (action[CHOICE], action[LEVEL]) if isinstance(action, dict) else (action,) * 2
    return role.action.join(
        np.asarray(choice).reshape(*lead, -1).astype(np.int32) if role.action.choices else choice,
        np.asarray(level).reshape(*lead, -1).astype(np.float32) if role.action.levels else level,
    )
