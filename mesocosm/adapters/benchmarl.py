"""Mesocosm as a BenchMARL task: any preset whose roles have one choice each, or levels only.

BenchMARL makes the envs itself: it says how many, on which device and with which seed. Everything
else is given to the task.
"""

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any, Unpack

from mesocosm.core.extra import missing_extra

try:
    from benchmarl.environments.common import TaskClass
    from torchrl.data import Composite
    from torchrl.envs import DTypeCastTransform, EnvBase, FlattenObservation, Transform
except ImportError as error:
    raise missing_extra("the BenchMARL adapter needs BenchMARL", "benchmarl") from error

import torch

from mesocosm.adapters.boundary import OpenOptions
from mesocosm.adapters.torchrl import TorchRLEnv
from mesocosm.build import config_spec, load_config
from mesocosm.core.errors import ConfigError, short
from mesocosm.core.spec import Role, Spec

LEVELS, ONE_CHOICE = "levels only", "one choice"
BENCHMARL_SETS = ("num_envs", "seed")


class BenchMARLTask(TaskClass):  # type: ignore[misc]
    """A preset or config for `benchmarl.experiment.Experiment(task=...)`.

    Args:
        max_steps: The most steps of an evaluation; by default the config's `core.max_steps`.
        options: What `TorchRLEnv` takes, but for `num_envs` and `seed`, which BenchMARL decides.
            With `record=RUN`, BenchMARL's envs are recorded in RUN/env-0 (which evaluates),
            RUN/env-1 (which trains) and so on.
    """

    def __init__(
        self,
        source: Any,
        overrides: Any = None,
        *,
        max_steps: int | None = None,
        **options: Unpack[OpenOptions],
    ) -> None:
        for name in BENCHMARL_SETS:
            if name in options:
                raise ConfigError(f"{name}: BenchMARL's experiment decides it, not the task")
        made = {key: options.get(key, ()) for key in ("archetypes", "variants")}
        config = load_config(source, overrides, **made)  # type: ignore[arg-type]
        self.spec, identity = config_spec(config), config.identity
        super().__init__(
            f"{identity.world}-{identity.preset}-v{identity.version}",
            {"source": source, "overrides": overrides, **options},
        )
        self._num_made = 0
        self._kind = _kind_of_all(self.spec)
        self._max_steps = _check_steps(max_steps, getattr(config.core, "max_steps", None))

    def get_env_fun(
        self, num_envs: int, continuous_actions: bool, seed: int | None, device: Any
    ) -> Callable[[], EnvBase]:
        """Give what makes an env."""
        return partial(self._make, num_envs, seed, device)

    def _make(self, num_envs: int, seed: int | None, device: Any) -> EnvBase:
        options = dict(self.config)
        options.setdefault("target", "cuda" if torch.device(device).type == "cuda" else "cpu")
        if options.get("record") is not None:
            options["record"] = Path(options["record"]) / f"env-{self._num_made}"
        self._num_made += 1
        return TorchRLEnv(num_envs=num_envs, seed=seed, info=False, **options).to(device)

    def get_env_transforms(self, env: EnvBase) -> list[Transform]:
        """Make observations what BenchMARL's models take: one row of floats per agent."""
        made: list[Transform] = []
        for group in self.group_map(env):
            key, spec = (group, "observation"), env.observation_spec[group, "observation"]
            if spec.dtype != torch.float32:
                made.append(DTypeCastTransform(spec.dtype, torch.float32, in_keys=[key]))
            if spec.ndim > 3:  # [env, agent, number]
                made.append(FlattenObservation(2 - spec.ndim, -1, in_keys=[key]))
        return made

    def supports_continuous_actions(self) -> bool:
        """Say whether agents have levels."""
        return self._kind == LEVELS

    def supports_discrete_actions(self) -> bool:
        """Say whether agents have a choice."""
        return self._kind == ONE_CHOICE

    def max_steps(self, env: EnvBase) -> int:
        """Give the most steps of an evaluation."""
        return self._max_steps

    def has_render(self, env: EnvBase) -> bool:
        """Say that BenchMARL cannot film it."""
        return False

    def group_map(self, env: EnvBase) -> dict[str, list[str]]:
        """Name the agents of every role."""
        return dict(env.group_map)

    def observation_spec(self, env: EnvBase) -> Composite:
        """Declare what policies see."""
        return self._select(env, "observation")

    def action_mask_spec(self, env: EnvBase) -> Composite | None:
        """Declare the masks of choices."""
        return None if self._kind == LEVELS else self._select(env, "action_mask")

    def info_spec(self, env: EnvBase) -> Composite | None:
        """Declare no info: BenchMARL would throw it away."""
        return None

    def state_spec(self, env: EnvBase) -> Composite | None:
        """Declare what a central critic sees, where truth fields were named for it (`critic`)."""
        seen = env.full_observation_spec_unbatched
        return Composite({"state": seen["state"].clone()}) if "state" in seen else None

    def action_spec(self, env: EnvBase) -> Composite:
        """Declare what agents do."""
        return env.full_action_spec_unbatched

    @staticmethod
    def env_name() -> str:
        """Name the library of the task."""
        return "mesocosm"

    def _select(self, env: EnvBase, key: str) -> Composite:
        seen = env.full_observation_spec_unbatched
        return Composite(
            {
                group: Composite({key: seen[group, key].clone()}, shape=(len(agents),))
                for group, agents in self.group_map(env).items()
            }
        )


def _kind_of_all(spec: Spec) -> str:
    """Say what kind of action all roles have; refuse what BenchMARL's algorithms cannot do."""
    kinds = {role.name: _kind(role) for role in spec.roles.values()}
    found = set(kinds.values())
    if len(found) > 1 or not found <= {LEVELS, ONE_CHOICE}:
        listed = ", ".join(f"{name!r} has {kind}" for name, kind in kinds.items())
        raise ConfigError(
            f"BenchMARL's algorithms need roles with one choice each, or all with levels only; "
            f"in {spec.world} {listed}: use TorchRLEnv and losses of your own"
        )
    return found.pop()


def _kind(role: Role) -> str:
    choices, levels = len(role.action.choices), len(role.action.levels)
    if not choices:
        return LEVELS
    if choices == 1 and not levels:
        return ONE_CHOICE
    return f"{choices} choices and {levels} levels"


def _check_steps(given: Any, declared: Any) -> int:
    steps = declared if given is None else given
    if steps is None:
        raise ConfigError("max_steps: the config declares none (core.max_steps), so give it")
    if isinstance(steps, bool) or not isinstance(steps, int) or steps < 1:
        raise ConfigError(f"max_steps: must be an integer from 1 on, got {short(steps)}")
    return steps
