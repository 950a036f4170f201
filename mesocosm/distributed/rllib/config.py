"""Translate learning settings for RLlib, and refuse by name what it cannot honour."""

import tempfile
from collections.abc import Iterable
from typing import Any, NamedTuple

from ray.rllib.algorithms.ppo import PPO, PPOConfig

from mesocosm.adapters.rllib import RllibEnv, RllibRunner, module_specs, role_of
from mesocosm.config.identity import dump
from mesocosm.core.errors import ConfigError, short
from mesocosm.distributed.rllib.learner import SEED, SETTINGS, RllibLearner
from mesocosm.learning.settings import PREFIX, LearningSettings
from mesocosm.resolve import Resolved

MOST_WORKERS = 4096
RESTART_SECONDS = 0.0  # that a worker which died is left alone
PROBE_SECONDS = 120.0  # until a worker that is started again must answer
UNKNOWN_TO_RLLIB = {
    "algorithm": "it trains by PPO",
    "truth": "its runners are given what agents see, and no truth",
    "exploration": "it belongs to q-learning",
    "league": "it seats no past selves",
    "network.memory": "its runners carry no memory from step to step",
    "network.memory_size": "its runners carry no memory from step to step",
}


class Workers(NamedTuple):
    """How envs are shared out among Ray's processes."""

    number: int
    num_envs: int  # of each

    @property
    def all_envs(self) -> int:
        return self.number * self.num_envs


class FolderlessPPO(PPO):  # type: ignore[misc]
    """RLlib's PPO, which would leave an empty folder in the home directory with every run."""

    def _setup_logdir(self) -> None:
        self._logdir = tempfile.gettempdir()


def check_settings(settings: LearningSettings, changed: Iterable[str]) -> None:
    """Refuse settings that were asked for but cannot be honoured, and what would need them."""
    for path in changed:
        name = path.removeprefix(PREFIX)
        for known, why in UNKNOWN_TO_RLLIB.items():
            if name == known or name.startswith(f"{known}."):
                raise ConfigError(f"{PREFIX}{name}: the engine 'rllib' cannot honour it: {why}")
    plain = LearningSettings()
    for name in ("algorithm", "truth", "league"):
        if getattr(settings, name) != getattr(plain, name):
            got, why = short(getattr(settings, name)), UNKNOWN_TO_RLLIB[name]
            raise ConfigError(f"{PREFIX}{name}: the engine 'rllib' cannot honour {got}: {why}")
    if settings.network.memory != "none":
        got, why = settings.network.memory, UNKNOWN_TO_RLLIB["network.memory"]
        raise ConfigError(f"{PREFIX}network.memory: the engine 'rllib' cannot honour {got}: {why}")


def share_out(settings: LearningSettings, workers: int) -> Workers:
    """Give every worker the same number of envs; refuse numbers that cannot be shared so."""
    if not 1 <= workers <= MOST_WORKERS:
        raise ConfigError(f"--workers: must be between 1 and {MOST_WORKERS:,}, got {workers:,}")
    if settings.num_envs < workers:
        raise ConfigError(
            f"{PREFIX}num_envs: must be at least one for each of the {workers} workers, got "
            f"{settings.num_envs}"
        )
    return Workers(workers, settings.num_envs // workers)


def make_config(
    resolved: Resolved,
    settings: LearningSettings,
    workers: Workers,
    *,
    seed: int,
    env_seed: int,
    target: str,
) -> Any:
    """Build RLlib's config for a training."""
    spec = resolved.spec
    env_config: dict[str, Any] = {
        "source": dump(resolved.config),
        "target": target,
        "seed": env_seed,
    }
    return (
        PPOConfig(algo_class=FolderlessPPO)
        .environment(RllibEnv, env_config=env_config, disable_env_checking=True)
        .env_runners(
            env_runner_cls=RllibRunner,
            num_env_runners=workers.number,
            num_envs_per_env_runner=workers.num_envs,
            rollout_fragment_length=settings.horizon,
            sample_timeout_s=None,
        )
        .multi_agent(policies=set(spec.roles), policy_mapping_fn=role_of)
        .rl_module(rl_module_spec=module_specs(spec, settings.network))
        .learners(num_learners=0)
        .training(
            learner_class=RllibLearner,
            learner_config_dict={SETTINGS: settings.model_dump(mode="json"), SEED: seed},
            train_batch_size_per_learner=workers.all_envs * settings.horizon,
            num_epochs=settings.epochs,
            minibatch_size=None,
            lr=settings.learning_rate,
            use_kl_loss=False,
        )
        .fault_tolerance(
            restart_failed_env_runners=True,
            delay_between_env_runner_restarts_s=RESTART_SECONDS,
            env_runner_health_probe_timeout_s=PROBE_SECONDS,
        )
        .reporting(min_time_s_per_iteration=0, min_sample_timesteps_per_iteration=0)
        .debugging(seed=seed % (1 << 31), log_level="ERROR")
    )
