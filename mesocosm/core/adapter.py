"""The contract between an env and its adapters: what an adapter may ask, and nothing else.

An adapter gives Mesocosm's episodes the shape of another library's environments. It opens its env
with `mesocosm.adapters.open_env`, names the version of this contract that it was written for, and
keeps what it was given in a private attribute:

    class MyEnv:
        def __init__(self, source, overrides=None, *, num_envs=1, **options):
            self._env = open_env(source, overrides, contract=1, num_envs=num_envs, **options)

        def step(self, actions):  # {role: int32 [env, agent, part]}
            parts = self._env.step(actions)
            one = parts["resident"]  # a Step of this role: obs, reward, mask, ... [env, agent, ..]
            return one.obs.copy(), one.reward.copy(), one.terminated.copy(), one.truncated.copy()

What it gets is what agents may get: the spec, and after each reset and step one `Step` per role,
whose arrays are read-only and written again by the next step, so copy what you hand on. Work on
whole arrays: nothing here needs a loop over agents. There is no truth, no snapshot and no engine.
`mesocosm.testing.check_adapter` proves an adapter against the env behind it.

Where two conventions meet, the env's is this:
- `autoreset="same_step"`: in the step of an end `obs`, `mask`, `info` and `acting` are those of
  the next episode, `final_obs` is the last of the old one where `ended`; `reward`, `terminated`,
  `truncated`, `reason` and `outcome` belong to the old one.
- `"next_step"`: the last moment is `obs`; the next call ignores that env's actions and resets it.
- `"off"`: an episode stays over until `reset(envs=...)`.
- `terminated` and `truncated` stay True while an agent is absent; `ended` is True in the step of
  the end only. An absent agent earns zero, sees the declared absent observation, and may only do
  nothing. Where a role respawns, `generation` rises when its slot is born again.
"""

from collections.abc import Mapping
from typing import Any, Protocol

import numpy as np

from mesocosm.core.errors import ConfigError, short
from mesocosm.core.policy import Policy
from mesocosm.core.scene import Scene
from mesocosm.core.spec import Role, Spec
from mesocosm.core.step import Step

CONTRACT_VERSION = 1  # of `AdapterEnv`; raised when an adapter written for it could break
Parts = Mapping[str, Step]  # what a reset or a step brought, by role


class AdapterEnv(Protocol):
    """What an adapter may ask of a batch of episodes."""

    @property
    def spec(self) -> Spec:
        """Everything that is declared: roles with their observations, actions and rewards."""

    @property
    def config(self) -> Any:
        """The config of the episodes; `open_env(config)` opens the same."""

    @property
    def title(self) -> str:
        """The name, `WORLD-PRESET-vVERSION`."""

    @property
    def num_envs(self) -> int:
        """How many episodes are played side by side."""

    @property
    def target(self) -> str:
        """What the rules run on: python, cpu or cuda."""

    @property
    def autoreset(self) -> str:
        """When a finished episode begins anew: same_step, next_step or off."""

    @property
    def seed(self) -> int:
        """The seed that the first reset begins with unless it is given another."""

    @property
    def parts(self) -> Parts:
        """What the last reset or step brought, by role; empty before the first reset."""

    @property
    def tells(self) -> bool:
        """Whether the world makes structured info of what an agent received."""

    @property
    def has_scene(self) -> bool:
        """Whether `scene` can draw an env."""

    @property
    def has_text(self) -> bool:
        """Whether `text` can write one."""

    def reset(self, *, seed: int | None = None, envs: np.ndarray | None = None) -> Parts:
        """Start episode 0 of a seed, or the next; in all envs or where `envs` (bool [env])."""

    def step(self, actions: Any) -> Parts:
        """Play one step: `{role: array [env, agent, part]}`, or the array alone of a lone role.

        A role with choices and levels takes `Action(choice, level)`. Values are copied and never
        refused: they are handled as the world declares.
        """

    def began(self) -> Mapping[str, np.ndarray]:  # bool [env, agent]
        """Say where an episode or a life begins; ask after every reset and step, or never."""

    def tell(self, role: str, *, env: int, agent: int) -> dict[str, Any]:
        """Make structured info of what one agent of a role received; {} unless the world `tells`.

        Args:
            agent: Its place in the role, from 0 on.
        """

    def critic_bounds(self) -> tuple[np.ndarray, np.ndarray]:  # float32 [number]
        """Give the least and the greatest numbers of `critic_state`."""

    def critic_state(self) -> np.ndarray:  # float32 [env, number]
        """Copy what a central critic may know: what all agents see, and declared truth fields.

        The truth fields are those that the env was opened with (`critic=`); by default none.
        """

    def scene(self, env: int = 0) -> Scene:
        """Draw one env for a person to look at; refuse if its world has no scene."""

    def text(self, env: int = 0) -> str:
        """Write one env for a person to look at; refuse if its world has no text."""

    def admit(self, policy: Policy) -> Policy:
        """Let a policy play beside whoever learns; a privileged one gets what it declares."""

    def close(self) -> None:
        """End the recording, if there is one; after that nothing can be played."""


def check_contract(version: Any) -> None:
    """Refuse an adapter that was written for another version of this contract."""
    if isinstance(version, bool) or not isinstance(version, int) or version < 1:
        raise ConfigError(f"contract: must be a version from 1 on, got {short(version)}")
    if version != CONTRACT_VERSION:
        older = "a newer Mesocosm" if version > CONTRACT_VERSION else "a newer adapter"
        raise ConfigError(
            f"contract: the adapter is written for version {version} of the adapter contract, this "
            f"Mesocosm has version {CONTRACT_VERSION}: install {older}"
        )


def agent_names(role: Role) -> list[str]:
    """Name the agents of a role: `role_index`."""
    return [f"{role.name}_{index}" for index in range(role.num_agents)]
