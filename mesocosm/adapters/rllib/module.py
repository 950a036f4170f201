"""Our networks as RLlib modules: they read the mask, and become bundles when they have learnt."""

from collections.abc import Mapping
from typing import Any

import torch
from ray.rllib.core.columns import Columns
from ray.rllib.core.rl_module.apis import ValueFunctionAPI
from ray.rllib.core.rl_module.multi_rl_module import MultiRLModuleSpec
from ray.rllib.core.rl_module.rl_module import RLModuleSpec
from ray.rllib.core.rl_module.torch import TorchRLModule
from torch import Tensor

from mesocosm.adapters.rllib.distribution import HeadDistribution, distribution_of
from mesocosm.adapters.rllib.spaces import ACTION_MASK, OBSERVATIONS, shown_space
from mesocosm.adapters.spaces import action_space
from mesocosm.core.errors import ConfigError
from mesocosm.core.spec import Role, Spec
from mesocosm.learning.bundles.spec_card import (
    ActionCard,
    ObservationCard,
    describe_action,
    describe_observation,
    rebuild_role,
)
from mesocosm.learning.networks.network import Network
from mesocosm.learning.presets import settings_for
from mesocosm.learning.settings import NetworkSettings


def module_specs(spec: Spec, network: NetworkSettings | None = None) -> MultiRLModuleSpec:
    """Describe one module for each role, under the role's name.

    Args:
        network: What suits the spec, if not said.
    """
    chosen = network or settings_for(spec).network
    return MultiRLModuleSpec(
        rl_module_specs={name: module_spec(role, chosen) for name, role in spec.roles.items()}
    )


def module_spec(role: Role, network: NetworkSettings) -> RLModuleSpec:
    """Describe the module of one role; its `model_config` is plain text."""
    if network.memory != "none":
        raise ConfigError(
            f"learning.network.memory: must be 'none' for RLlib, got {network.memory!r}: runners "
            f"carry no state from step to step"
        )
    return RLModuleSpec(
        RllibModule,
        observation_space=shown_space(role),
        action_space=action_space(role),
        model_config={
            "role": {
                "name": role.name,
                "num_agents": role.num_agents,
                "observation": describe_observation(role.observation).model_dump_json(),
                "action": describe_action(role.action).model_dump_json(),
            },
            "network": network.model_dump_json(),
        },
    )


class RllibModule(TorchRLModule, ValueFunctionAPI):  # type: ignore[misc]
    """The actor and the critic of one role; `network` is what a bundle holds."""

    network: Network
    role: Role
    moments: Tensor

    def setup(self) -> None:
        """Make the network that `model_config` describes."""
        data: Mapping[str, Any] = self.model_config["role"]
        self.role = rebuild_role(
            data["name"],
            data["num_agents"],
            ObservationCard.model_validate_json(data["observation"]),
            ActionCard.model_validate_json(data["action"]),
        )
        settings = NetworkSettings.model_validate_json(self.model_config["network"])
        self.network = Network(self.role, settings)
        self._distribution = distribution_of(self.network.head)
        self._dtype = getattr(torch, self.role.observation.dtype)
        # of returns: weight, mean and mean square, which a learner may follow
        self.register_buffer("moments", torch.zeros(3, dtype=torch.float64))

    def get_exploration_action_dist_cls(self) -> type[HeadDistribution]:
        return self._distribution

    get_inference_action_dist_cls = get_exploration_action_dist_cls
    get_train_action_dist_cls = get_exploration_action_dist_cls

    def _forward(self, batch: Mapping[str, Any], **_: Any) -> dict[str, Any]:
        """Give the numbers that the action head reads, and after them the mask."""
        return {Columns.ACTION_DIST_INPUTS: self._act(batch)[0]}

    def _forward_train(self, batch: Mapping[str, Any], **_: Any) -> dict[str, Any]:
        """Give the same, and what a critic that shares the encoder can go on with."""
        inputs, seen = self._act(batch)
        made = {Columns.ACTION_DIST_INPUTS: inputs}
        return made | ({Columns.EMBEDDINGS: seen} if self.network.settings.shared else {})

    def _act(self, batch: Mapping[str, Any]) -> tuple[Tensor, Tensor]:
        obs, state, began = self._read(batch)
        seen = self.network.encoder(obs)
        numbers, _ = self.network.actor(seen, state, began)
        return torch.cat((numbers[0], self._mask(batch)), -1), seen

    def compute_values(self, batch: Mapping[str, Any], embeddings: Any = None) -> Tensor:
        """Give the returns that the critic expects, `[row]`."""
        return self.network.unscale(self.scaled_values(batch, embeddings))

    def scaled_values(self, batch: Mapping[str, Any], embeddings: Any = None) -> Tensor:
        """Give the same on the scale on which the critic learns."""
        network = self.network
        obs, state, began = self._read(batch)
        if embeddings is None:
            embeddings = network.critic_encoder(obs)
        values, _ = network.critic(embeddings, state, began)
        return values[0, :, 0]

    def _read(self, batch: Mapping[str, Any]) -> tuple[Tensor, Tensor, Tensor]:
        """Give observations as one step of `[step, row, ...]`, and a memory that holds nothing."""
        obs = batch[Columns.OBS][OBSERVATIONS].to(self._dtype).unsqueeze(0)
        began = torch.zeros(obs.shape[:2], dtype=torch.bool, device=obs.device)
        return obs, self.network.begin(obs.shape[1], obs.device).actor, began

    def _mask(self, batch: Mapping[str, Any]) -> Tensor:
        """Give the mask as numbers that follow the logits; none where the role has none."""
        shown = batch[Columns.OBS]
        if ACTION_MASK in shown:
            return shown[ACTION_MASK].float()
        return torch.zeros((len(shown[OBSERVATIONS]), 0), device=shown[OBSERVATIONS].device)
