"""A policy that plays a bundle's network."""

import os
from dataclasses import replace
from typing import Any

import numpy as np
import torch
from torch import Tensor
from torch.utils.dlpack import from_dlpack

from mesocosm.core.errors import BundleError, PolicyError
from mesocosm.core.spec import Role
from mesocosm.learning.bundles.bundle import Bundle, read_bundle
from mesocosm.learning.networks.network import Network
from mesocosm.learning.policies.fit_action import ActionFit, open_action
from mesocosm.learning.policies.fit_observation import ObservationFit, fit_observation

MOST_SEEDS = 2**63


class BundlePolicy:
    """Plays what a bundle learnt, by the names of what it sees and does.

    `notes` says after `reset` what the role has that the policy does not know, and the reverse.

    Args:
        source: The file, or one that was read.
        greedy: Whether it takes the most probable action, instead of drawing one by the seed.
    """

    privileged = False
    independent = True  # what it does for an agent depends on no other agent's row

    def __init__(
        self, source: str | os.PathLike[str] | Bundle, *, greedy: bool = False, device: str = "cpu"
    ) -> None:
        self.bundle = source if isinstance(source, Bundle) else read_bundle(source)
        # what Q-learning learnt are values of options, not probabilities
        self.greedy = greedy or self.bundle.card.learning.get("algorithm") == "q"
        self.notes: list[str] = []
        self.world_notes: list[str] = []  # what was noticed when it was loaded
        self._device = torch.device(device)
        self._last: tuple[Tensor, Tensor, Tensor, Tensor] | None = None
        self._lead = (0, 0)

    def check_role(self, spec: Role) -> list[str]:
        """Say what does not match; refuse a role with which the policy has nothing in common."""
        seen, done = self._fit(spec)
        return [*self.world_notes, *seen.notes, *done.notes]

    def _fit(self, spec: Role) -> tuple[ObservationFit, ActionFit]:
        known = self.bundle.role
        try:
            seen = fit_observation(known.observation, spec.observation)
            return seen, ActionFit(known.action, spec.action)
        except BundleError as error:
            card = self.bundle.card
            what = f"a policy for {card.role!r} of {card.preset} cannot play {spec.name!r}"
            raise BundleError(f"{self.bundle.path}: {what}: {error}") from None

    def reset(self, spec: Role, num_envs: int, seed: int) -> None:
        """Prepare for new episodes of a role."""
        self._seen, self._done = self._fit(spec)
        self.notes = [*self.world_notes, *self._seen.notes, *self._done.notes]
        role = self.bundle.role
        if not self._done.same:
            role = replace(role, action=open_action(role.action))
        self._network: Network = self.bundle.make_network(role).to(self._device)
        self._spec, self._lead = spec, (num_envs, spec.num_agents)
        self._rows = num_envs * spec.num_agents
        self._state = self._network.begin(self._rows, self._device).actor
        self._generator = torch.Generator(self._device).manual_seed(seed % MOST_SEEDS)
        self._last = None

    @torch.no_grad()
    def act(
        self, obs: np.ndarray, mask: np.ndarray, info: dict[str, np.ndarray], began: np.ndarray
    ) -> Any:
        """Choose actions for `[env, agent]`."""
        spec, network = self._spec, self._network
        seen = self._flat(obs, spec.observation.shape, "obs")
        own_mask = self._flat(mask, (spec.action.mask_size,), "mask")
        known_mask = self._tensor(self._done.translate_mask(own_mask))
        numbers, self._state = network.act(
            self._tensor(self._seen.translate(seen)).unsqueeze(0),
            self._state,
            self._tensor(self._flat(began, (), "began")).unsqueeze(0),
        )
        numbers = numbers[0]
        if not torch.isfinite(numbers).all():
            raise PolicyError(f"{self.bundle.path}: its network computes NaN or infinity")
        if self.greedy:
            choice, levels = network.head.best(numbers, known_mask)
        else:
            choice, levels, _ = network.head.sample(numbers, known_mask, self._draw(numbers))
        self._last = numbers, known_mask, choice, levels
        picked, set_to = self._done.translate_action(
            choice.cpu().numpy(), network.head.scale_levels(levels).cpu().numpy(), own_mask
        )
        return spec.action.join(
            picked.reshape(*self._lead, -1).astype(np.int32, copy=False),
            set_to.reshape(*self._lead, -1),
        )

    @torch.no_grad()
    def entropy(self) -> np.ndarray:
        """Give the entropy of the last actions, in nats: `[env, agent]`."""
        if self._last is None:
            return np.full(self._lead, np.nan)
        _, entropy = self._network.head.evaluate(*self._last)
        return entropy.cpu().numpy().reshape(self._lead)

    @torch.no_grad()
    def probabilities(self) -> list[list[dict[str, dict[str, float]]]]:
        """Give how probable each option was in the last `act`: by env, agent, choice and option.

        Where choices depend on each other, it is what it was after the choices before it.
        """
        if self._last is None:
            return [[{} for _ in range(self._lead[1])] for _ in range(self._lead[0])]
        numbers, mask, choice, _ = self._last
        parts = self._network.head.logits(numbers, mask, choice)
        shares = [torch.softmax(logits, -1).reshape(*self._lead, -1).tolist() for logits in parts]
        known = self.bundle.role.action.choices
        return [
            [
                {
                    part.name: dict(zip(part.options, share[e][a], strict=True))
                    for part, share in zip(known, shares, strict=True)
                }
                for a in range(self._lead[1])
            ]
            for e in range(self._lead[0])
        ]

    def _draw(self, numbers: Tensor) -> Tensor:
        """Draw the noise that makes a sample."""
        head = self._network.head
        noise = numbers.new_empty((numbers.shape[0], head.noise_size))
        head.draw_noise(noise, self._generator)
        return noise

    def _flat(self, array: Any, shape: tuple[int, ...], name: str) -> np.ndarray:
        """Put `[env, agent, ...]` in rows."""
        found = np.asarray(array)
        if found.shape != (*self._lead, *shape):
            raise PolicyError(
                f"{self.bundle.path}: {name} must be of shape {(*self._lead, *shape)}, got "
                f"{found.shape}"
            )
        return found.reshape(self._rows, *shape)

    def _tensor(self, array: np.ndarray) -> Tensor:
        # by DLPack: an env's arrays are read-only, of which `from_numpy` would warn
        return from_dlpack(np.ascontiguousarray(array)).to(self._device)
