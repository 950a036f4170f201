"""Mesocosm as a Stable-Baselines3 `VecEnv`: every agent of a role is a row, and a step is one call.

A life that ends is an episode that ends. Its last observation is in `infos[row]` under
`"terminal_observation"`, its return and length under `"episode"`, as `Monitor` has them, its end
under `"reason"` and `"outcome"`. `"TimeLimit.truncated"` says whether that was imposed from
outside: then the value of the last observation still counts. The vacant row that is left until the
next life or episode counts as an episode too, with no `"episode"` in its last info, but `"vacant"`.
"""

import time
from collections.abc import Sequence
from typing import Any, NoReturn, Unpack

import numpy as np

from mesocosm.adapters.extra import missing_library

try:
    from stable_baselines3.common.monitor import Monitor
    from stable_baselines3.common.vec_env import VecEnv
except ImportError as error:
    raise missing_library("SB3", "stable-baselines3", "sb3") from error

from mesocosm.adapters.boundary import OpenOptions
from mesocosm.adapters.players import Policies
from mesocosm.adapters.render import FPS, Renderer, offered_modes
from mesocosm.adapters.rows import open_rows
from mesocosm.adapters.spaces import observation_space
from mesocosm.core.errors import ConfigError, MesocosmError, short
from mesocosm.core.spec import OUTCOMES

CONTRACT = 1  # the version of the adapter contract that this is written for
MASKS = "action_masks"  # what sb3-contrib asks an env for
READABLE = ("action_space", "metadata", "num_envs", "observation_space", "render_mode")


class SB3VecEnv(VecEnv):  # type: ignore[misc]
    """`num_envs` of Mesocosm's envs; its own `num_envs` counts rows, as SB3 does: envs × agents.

    Args:
        role, agents: Who the rows are: a role (the first if not given), or numbers among all agents
            of one role.
        policies: Who plays everybody else, by role; at random where none is given.
        level_bins: Make each level a choice among so many values, evenly spaced; needed where an
            action has choices and levels, for which SB3 has no action space.
        with_info: Put what each agent is told into `infos` in every step, with `"acting"`, and what
            the world makes of it. That costs more than the step itself.
        render_mode: `rgb_array`, `ansi` or `human`; pictures are of envs, not of rows.
        open_options: `seed`, `target`, `record` and so on, as for `open_env`.
    """

    def __init__(  # noqa: PLR0913 (what an adapter is made of)
        self,
        source: Any,
        overrides: Any = None,
        *,
        num_envs: int = 1,
        role: str | None = None,
        agents: Sequence[int] | None = None,
        policies: Policies | None = None,
        level_bins: int | None = None,
        with_info: bool = False,
        render_mode: str | None = None,
        **open_options: Unpack[OpenOptions],
    ) -> None:
        choice = {"role": role, "agents": agents, "policies": policies, "level_bins": level_bins}
        how = {"contract": CONTRACT, "num_envs": num_envs, "record": None, **open_options}
        self._env, self._rows = open_rows(source, overrides, choice=choice, **how)
        self._with_info = with_info
        self._reasons = ["", *(reason.name for reason in self._env.spec.reasons)]
        self._next_seed: int | None = None
        self._began = time.monotonic()
        self._waiting: Any = None
        self._renderer, self.render_mode = Renderer(self._env, render_mode), render_mode
        self.metadata = {"render_modes": offered_modes(self._env), "render_fps": FPS}
        space = observation_space(self._rows.role)
        super().__init__(self._rows.num_rows, space, self._rows.action_space)

    def reset(self) -> np.ndarray:  # [row, *observation shape]
        """Start episode 0 of the seed given last, once; after that the next episode of each env."""
        seed, self._next_seed = self._next_seed, None
        self._rows.reset(seed)
        self._reset_seeds()
        self._return = np.zeros(self.num_envs)
        self._length = np.zeros(self.num_envs, np.int64)
        self.reset_infos = self._infos()
        self._renderer.follow()
        return self._observe()

    def step_async(self, actions: Any) -> None:
        """Take the actions `[row, ...]` of the next step."""
        self._waiting = actions

    def step_wait(self) -> tuple[np.ndarray, np.ndarray, np.ndarray, list[dict[str, Any]]]:
        """Play one step of every env."""
        rows, actions, self._waiting = self._rows, self._waiting, None
        rows.step(actions)
        reward = np.array(rows.get("reward"), np.float32)
        self._return += reward
        self._length += 1
        infos, done = self._infos(), rows.done
        if done.any():
            self._close_lives(infos, np.flatnonzero(done))
            self._return[done], self._length[done] = 0.0, 0
        self._renderer.follow()
        return self._observe(), reward, done.copy(), infos

    def action_masks(self) -> np.ndarray:  # bool [row, option]
        """Say which actions are allowed, in the form that `MaskablePPO` takes."""
        return self._rows.masks()

    def get_images(self) -> list[np.ndarray]:  # uint8 [height, width, 3]
        """Draw every env; the agents of an env share its picture."""
        if self.render_mode != "rgb_array":
            raise MesocosmError(
                f"get_images: make the env with render_mode='rgb_array', got {self.render_mode!r}"
            )
        return [self._renderer.show(env) for env in range(self._env.num_envs)]

    def render(self, mode: str | None = None) -> Any:
        """Show the envs as the render mode says: side by side, or the first in the terminal."""
        if self.render_mode in ("ansi", "human"):
            return self._renderer.show()
        return super().render(mode)

    def seed(self, seed: int | None = None) -> list[int | None]:
        """Say which seed the next reset begins; every env draws its own numbers from it."""
        first = super().seed()[0] if seed is None else seed
        self._next_seed = first
        self._seeds = [first] * self.num_envs
        return self._seeds

    def set_options(self, options: Any = None) -> None:
        """Refuse options: an env has none beside what it was made with."""
        if options:
            raise ConfigError(f"set_options: an env takes no options, got {short(options)}")

    def has_attr(self, attr_name: str) -> bool:
        """Say whether something can be read of the rows, or called on them."""
        return attr_name in READABLE or (
            attr_name == MASKS and bool(self._rows.role.action.choices)
        )

    def get_attr(self, attr_name: str, indices: Any = None) -> list[Any]:
        """Read a setting of the rows; what lies behind them cannot be reached."""
        if attr_name not in READABLE:
            known = ", ".join(READABLE)
            raise AttributeError(f"no attribute {attr_name!r} of a row; there are {known}")
        return [getattr(self, attr_name) for _ in self._get_indices(indices)]

    def set_attr(self, attr_name: str, value: Any, indices: Any = None) -> NoReturn:
        """Refuse to change a row: all share one batch."""
        raise MesocosmError(f"set_attr({attr_name!r}): rows are fixed; make an env with overrides")

    def env_method(
        self, method_name: str, *args: Any, indices: Any = None, **kwargs: Any
    ) -> list[Any]:
        """Call `action_masks`, for some rows or all."""
        if method_name != MASKS or not self.has_attr(MASKS) or args or kwargs:
            raise AttributeError(f"a row has no method {method_name!r} for these arguments")
        masks = self.action_masks()
        return [masks[row] for row in self._get_indices(indices)]

    def env_is_wrapped(self, wrapper_class: type, indices: Any = None) -> list[bool]:
        """Say that rows are monitored: their infos have what `Monitor` writes."""
        return [wrapper_class is Monitor for _ in self._get_indices(indices)]

    def close(self) -> None:
        """Complete the recording, if there is one."""
        self._env.close()

    def _observe(self) -> np.ndarray:
        space = self.observation_space
        return self._rows.observe(np.empty((self.num_envs, *space.shape), space.dtype))

    def _infos(self) -> list[dict[str, Any]]:
        if not self._with_info:
            return [{} for _ in range(self.num_envs)]
        told = self._rows.told() | {"acting": np.array(self._rows.get("acting"))}
        infos = [dict(zip(told, row, strict=True)) for row in zip(*told.values(), strict=True)]
        if self._env.tells:
            for row in range(self.num_envs):
                infos[row] |= self._rows.tell(row)
        return infos

    def _close_lives(self, infos: list[dict[str, Any]], closed: np.ndarray) -> None:
        """Write into the infos of rows that are done how they ended."""
        rows, seconds = self._rows, round(time.monotonic() - self._began, 6)
        cut = rows.get("truncated") & ~rows.get("terminated")
        entries = (rows.was_vacant, cut, rows.get("reason"), rows.get("outcome"))
        columns = [values[closed].tolist() for values in (*entries, self._return, self._length)]
        last = rows.get("final_obs")[closed]
        for row, seen, *found in zip(closed.tolist(), last, *columns, strict=True):
            vacant, is_cut, reason, outcome, total, length = found
            info = infos[row]
            info["TimeLimit.truncated"] = is_cut and not vacant
            if vacant:
                info |= {"vacant": True, "terminal_observation": rows.absent.copy()}
                continue
            info["terminal_observation"] = seen
            info["episode"] = {"r": total, "l": length, "t": seconds}
            info["reason"], info["outcome"] = self._reasons[reason], OUTCOMES[outcome]
