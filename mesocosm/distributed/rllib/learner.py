"""RLlib's PPO learner with our loss: values on their own scale, and minibatches of every role.

What RLlib's own learner does to episodes (append a step to each, batch item by item) costs ten
times what learning from them does; here they become arrays at once.
"""

import time
from collections.abc import Iterator
from typing import Any

import numpy as np
import torch
from ray.rllib.algorithms.ppo.torch.ppo_torch_learner import PPOTorchLearner
from ray.rllib.core.columns import Columns
from ray.rllib.policy.sample_batch import MultiAgentBatch, SampleBatch
from torch import Tensor

from mesocosm.adapters.rllib.module import RllibModule
from mesocosm.distributed.rllib.batch import Rows, advantages, gather, pick
from mesocosm.learning.ppo import LEAST_STD, MAX_LOG_RATIO, VALUE_MEMORY, between
from mesocosm.learning.seeds import derive_seed, seeded
from mesocosm.learning.settings import LearningSettings, parse

ADVANTAGES, VALUE_TARGETS = "advantages", "value_targets"
MEASURED = ("policy_loss", "value_loss", "entropy", "kl", "clipped", "grad_norm")
SETTINGS, SEED = "settings", "seed"  # entries of the config's learner_config_dict
REPORT = "report"  # entry of a role's learner results
PIECE_ROWS = 8192  # that stay in the cache while they go through a network


class RllibLearner(PPOTorchLearner):  # type: ignore[misc]
    """Learns as our own engine does, from what RLlib's runners played."""

    def build(self) -> None:
        super().build()
        given = self.config.learner_config_dict
        self._settings: LearningSettings = parse(given[SETTINGS])
        self._run_seed, self._number, self._bonus = int(given[SEED]), 0, self._settings.entropy
        self._sums: dict[str, np.ndarray] = {}
        self.num_updates = 0  # in this process
        for name in self.module.keys():  # noqa: SIM118 (RLlib's own mapping)
            self._draw_weights(name)

    def _module_of(self, name: str) -> RllibModule:
        made: RllibModule = self.module[name].unwrapped()
        return made

    def _draw_weights(self, name: str) -> None:
        """Begin with the weights that our own engine would begin with."""
        from mesocosm.learning.networks.network import Network

        module = self._module_of(name)
        with torch.random.fork_rng():
            torch.manual_seed(derive_seed(self._run_seed, "network", name))
            fresh = Network(module.role, self._settings.network)
        module.network.load_state_dict(fresh.state_dict())

    def configure_optimizers_for_module(self, module_id: str, config: Any = None) -> None:
        parameters = self.get_parameters(self._module[module_id])
        self.register_optimizer(
            module_id=module_id,
            optimizer=torch.optim.Adam(parameters, eps=1e-5),
            params=parameters,
            lr_or_lr_schedule=config.lr,
        )

    def schedule(self, progress: float, number: int) -> None:
        """Set what changes over a training, of which a share is done, in so many updates."""
        settings, self._number = self._settings, number
        rate = between(settings.learning_rate, settings.final_learning_rate, progress)
        self._bonus = between(settings.entropy, settings.final_entropy, progress)
        for optimizer in self._named_optimizers.values():
            self._set_optimizer_lr(optimizer, rate)

    def _create_iterator_if_necessary(
        self, *, training_data: Any, **options: Any
    ) -> Iterator[MultiAgentBatch]:
        """Go through what was played, in parts that hold their share of every role."""
        self._begun = time.perf_counter()
        roles = gather(training_data.episodes)
        made = {name: self._prepare(name, rows) for name, rows in roles.items()}
        counts = {name: len(rows.reward) for name, rows in roles.items()}
        generators = {
            name: seeded("cpu", self._run_seed, "update", self._number, name) for name in roles
        }
        self._sums = {name: np.zeros(len(MEASURED) + 1) for name in roles}
        parts = min(self._settings.minibatches, *counts.values())
        for _epoch in range(self._settings.epochs):
            before = {name: sums.copy() for name, sums in self._sums.items()}
            orders = {
                name: torch.randperm(count, generator=generators[name]).tensor_split(parts)
                for name, count in counts.items()
            }
            for k in range(parts):
                picked = {x: SampleBatch(pick(made[x], orders[x][k])) for x in roles}
                yield MultiAgentBatch(picked, sum(map(len, picked.values())))
            if self._went_far(before):
                break

    def _went_far(self, before: dict[str, np.ndarray]) -> bool:
        """Whether an epoch moved some role's policy further than it should."""
        at = MEASURED.index("kl")
        moved = [(x[at] - before[n][at], x[-1] - before[n][-1]) for n, x in self._sums.items()]
        return any(kl > self._settings.stop_kl * max(steps, 1.0) for kl, steps in moved)

    @torch.no_grad()
    def _prepare(self, name: str, rows: Rows) -> dict[str, Any]:
        """Add advantages and the critic's targets to the columns of a role."""
        module, settings = self._module_of(name), self._settings
        values = _in_pieces(module, rows.columns)
        beyond = _in_pieces(module, rows.last)
        gain = advantages(rows, values, beyond, settings.gamma, settings.gae_lambda)
        returns = torch.from_numpy(gain + values)
        _rescale(module, returns)
        network = module.network
        target = (returns - network.value_mean) / network.value_std
        extra = {ADVANTAGES: torch.from_numpy(gain), VALUE_TARGETS: target.float()}
        return rows.columns | extra

    def compute_loss_for_module(
        self, *, module_id: str, config: Any, batch: Any, fwd_out: dict[str, Any]
    ) -> Tensor:
        """Give the loss of a minibatch of one role."""
        module, settings = self._module_of(module_id), self._settings
        drawn = module.get_train_action_dist_cls().from_logits(fwd_out[Columns.ACTION_DIST_INPUTS])
        log_prob = drawn.logp(batch[Columns.ACTIONS])
        entropy = drawn.entropy().mean()
        far = (log_prob - batch[Columns.ACTION_LOGP]).clamp(-MAX_LOG_RATIO, MAX_LOG_RATIO)
        ratio, gain = far.exp(), batch[ADVANTAGES]
        gain = (gain - gain.mean()) / (gain.std(correction=0) + 1e-8)
        kept = ratio.clamp(1.0 - settings.clip, 1.0 + settings.clip)
        policy_loss = -torch.min(ratio * gain, kept * gain).mean()
        values = module.scaled_values(batch, fwd_out.get(Columns.EMBEDDINGS))
        value_loss = 0.5 * (values - batch[VALUE_TARGETS]).square().mean()
        with torch.no_grad():
            kl = (ratio - 1.0 - far).mean()
            clipped = (ratio != kept).float().mean()
            measured = torch.stack((policy_loss, value_loss, entropy, kl, clipped))
        self._sums[module_id][:5] += measured.numpy()
        self._sums[module_id][-1] += 1
        return policy_loss + settings.value_weight * value_loss - self._bonus * entropy

    def postprocess_gradients_for_module(
        self, *, module_id: str, config: Any = None, module_gradients_dict: dict[Any, Tensor]
    ) -> dict[Any, Tensor]:
        """Shorten gradients that are too long, and note how long they were."""
        grads = [grad for grad in module_gradients_dict.values() if grad is not None]
        norm = torch.stack([grad.norm() for grad in grads]).norm()
        self._sums[module_id][5] += float(norm)
        scale = (self._settings.max_grad_norm / (norm + 1e-6)).clamp(max=1.0)
        for grad in grads:
            grad.mul_(scale)
        return module_gradients_dict

    def after_gradient_based_update(self, *, timesteps: dict[str, Any]) -> None:
        """Report means over minibatches."""
        self.num_updates += 1
        for name, sums in self._sums.items():
            for key, value in zip(MEASURED, sums[:-1] / max(sums[-1], 1.0), strict=True):
                self.metrics.log_value((name, REPORT, key), float(value), window=1)
            self.metrics.log_value((name, REPORT, "updates"), int(sums[-1]), window=1)
            seconds = time.perf_counter() - self._begun
            self.metrics.log_value((name, REPORT, "seconds"), seconds, window=1)


def _in_pieces(module: RllibModule, columns: dict[str, Any]) -> np.ndarray:
    """Ask the critic about all rows, a few at a time."""
    shown = columns[Columns.OBS]
    count = len(next(iter(shown.values())))
    pieces = [
        module.compute_values(
            {Columns.OBS: {name: x[at : at + PIECE_ROWS] for name, x in shown.items()}}
        )
        for at in range(0, count, PIECE_ROWS)
    ]
    made: np.ndarray = torch.cat(pieces).numpy()
    return made


def _rescale(module: RllibModule, returns: Tensor) -> None:
    """Follow the mean and the spread of returns, as our own engine does."""
    found = returns.double()
    now = torch.stack((torch.ones((), dtype=torch.float64), found.mean(), found.square().mean()))
    module.moments.mul_(VALUE_MEMORY).add_(now, alpha=1.0 - VALUE_MEMORY)
    share, mean, square = module.moments
    mean, square = mean / share, square / share
    std = (square - mean * mean).clamp_min(LEAST_STD**2).sqrt()
    module.network.rescale(mean.float(), std.float())
