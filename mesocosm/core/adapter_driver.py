"""How `check_adapter` plays an adapter: drivers lay out what it gave as the env's arrays."""

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from typing import Any, ClassVar, Literal, NamedTuple

import numpy as np

from mesocosm.core.action import Action
from mesocosm.core.spec import Role

Told = Mapping[tuple[int, int], Mapping[str, Any]]  # structured info by (env, agent)


class Received(NamedTuple):
    """What an adapter handed out of one role by a reset or a step, `[env, agent, ...]`.

    Entries after `truncated` are None where the other library has no place for them, and the
    driver names them in `lost`. Rows of agents that nothing was given for are ignored.
    """

    given: np.ndarray  # bool: whether the adapter gave anything for this agent
    obs: np.ndarray
    reward: np.ndarray
    terminated: np.ndarray  # bool
    truncated: np.ndarray  # bool
    ended: np.ndarray | None = None  # bool; None: where terminated or truncated
    acting: np.ndarray | None = None  # bool
    mask: np.ndarray | None = None  # bool [env, agent, mask size]
    info: Mapping[str, np.ndarray] | None = None
    reason: np.ndarray | None = None  # object: a name, "" where nothing ended
    outcome: np.ndarray | None = None  # object, likewise
    generation: np.ndarray | None = None
    told: Told | None = None
    has_final: np.ndarray | None = None  # bool: where the next four hold an episode's last
    final_obs: np.ndarray | None = None
    final_mask: np.ndarray | None = None
    final_info: Mapping[str, np.ndarray] | None = None
    final_told: Told | None = None


class AdapterDriver(ABC):
    """Plays one adapter for `check_adapter`, which calls the class as it is made here.

    Attributes:
        autoresets: The modes that the adapter offers, the usual one first.
        batched: Whether it has `num_envs`; if not, it is made with one.
        ends_with: Whose end begins the next episode: the episode's, or that of its only agent.
        tells_lives: Whether, where slots respawn, a slot ends with the episode only, and `ended`
            says where a life ended.
        shows_waiting: Whether those who wait for their turn are shown anything.
        vacates: Whether an agent that ended in mid-episode is shown as absent at once, and what it
            saw last as `final_obs`.
        moves_alone: Whether the adapter plays on by itself while nobody can act.
        takes_odd_values: Whether actions may lie outside of their space, or be NaN.
        lost: Entries of `Received` that the other library has no place for.
    """

    autoresets: ClassVar[tuple[str, ...]] = ("same_step",)
    batched: ClassVar[bool] = True
    ends_with: ClassVar[Literal["episode", "agent"]] = "episode"
    tells_lives: ClassVar[bool] = False
    shows_waiting: ClassVar[bool] = True
    vacates: ClassVar[bool] = False
    moves_alone: ClassVar[bool] = False
    takes_odd_values: ClassVar[bool] = True
    lost: ClassVar[frozenset[str]] = frozenset()

    @abstractmethod
    def __init__(
        self, config: Any, *, num_envs: int, seed: int, target: str, autoreset: str
    ) -> None:
        """Make the adapter of a config; `autoreset=""` is the usual mode."""

    @property
    def seats(self) -> Mapping[str, Sequence[int]] | None:
        """Which agents of which roles the adapter gives; None: all of all roles."""
        return None

    @abstractmethod
    def reset(self, *, seed: int | None, envs: np.ndarray | None) -> Mapping[str, Received]:
        """Start episode 0 of a seed or the next; where `envs` (bool [env]), else everywhere."""

    @abstractmethod
    def step(self, actions: Mapping[str, Action]) -> Mapping[str, Received]:
        """Play one step with the actions of all agents, by role.

        What the adapter itself plays with policies of its own, it must play with these.
        """

    @abstractmethod
    def close(self) -> None:
        """Let go of the adapter."""


def blank(role: Role, num_envs: int) -> Received:
    """Make arrays for a driver to fill agent by agent: nothing is given yet."""
    lead = (num_envs, role.num_agents)
    layout, told = role.observation, role.info.features

    def info() -> dict[str, np.ndarray]:
        return {entry.name: np.zeros((*lead, *entry.shape)) for entry in told}

    def flags() -> np.ndarray:
        return np.zeros(lead, bool)

    def names() -> np.ndarray:
        return np.full(lead, "", object)

    def seen() -> np.ndarray:
        return np.zeros((*lead, *layout.shape), layout.dtype)

    def mask() -> np.ndarray:
        return np.zeros((*lead, role.action.mask_size), bool)

    return Received(
        given=flags(), obs=seen(), reward=np.zeros(lead), terminated=flags(), truncated=flags(),
        ended=flags(), acting=flags(), mask=mask(), info=info(), reason=names(), outcome=names(),
        generation=np.zeros(lead, np.int32), told={}, has_final=flags(), final_obs=seen(),
        final_mask=mask(), final_info=info(), final_told={},
    )  # fmt: skip


def to_samples(role: Role, action: Action) -> Any:
    """Give actions `[..., part]` in the form of a Gymnasium space: see `adapters.spaces`."""
    choice, level = (np.array(part) for part in action)
    choice = choice[..., 0] if choice.shape[-1] == 1 else choice
    if role.action.choices and role.action.levels:
        return {"choice": choice, "level": level}
    return choice if role.action.choices else level
