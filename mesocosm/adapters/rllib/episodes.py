"""What a batch of envs played, as RLlib's episodes: whole arrays in, one object per life out.

RLlib's own runner appends step by step, agent by agent; here a fragment is kept as arrays `[slot,
step, ...]` and cut up at the end. A life is an episode of its own, also in a role that respawns.
Where a slot does not act in every step (turns), a decision earns what comes in until the next one.
"""

from typing import Any

import numpy as np
import tree
from ray.rllib.core.columns import Columns
from ray.rllib.env.single_agent_episode import SingleAgentEpisode
from ray.rllib.env.utils.infinite_lookback_buffer import InfiniteLookbackBuffer

from mesocosm.adapters.rllib.spaces import ACTION_MASK, OBSERVATIONS
from mesocosm.core.adapter import agent_names
from mesocosm.core.spec import Role
from mesocosm.core.step import Step

AFTER = ("reward", "ended", "terminated", "truncated")


class Fragment:
    """What the slots of one role saw, did and got; a slot is an agent's place in one env.

    Args:
        label: What the names of its episodes begin with.
    """

    def __init__(self, role: Role, num_envs: int, label: str) -> None:
        self._role, self._label = role, label
        self._slots = num_envs * role.num_agents
        self._agents = agent_names(role)
        self._lived = np.zeros(self._slots, np.int64)  # steps of each slot's life before this
        self._lives = np.zeros(self._slots, np.int64)
        self._noop_mask = noop_mask(role)
        self.clear()

    def clear(self) -> None:
        """Begin with the next fragment."""
        self._shown: list[dict[str, np.ndarray]] = []
        self._acts: list[np.ndarray] = []
        self._done: list[dict[str, Any]] = []  # what the module gave, by column
        self._after: list[tuple[np.ndarray, ...]] = []
        self._last: dict[tuple[int, int], np.ndarray] = {}  # final observations by (slot, step)

    def forget(self) -> None:
        """Take note of a reset of every env."""
        self.clear()
        self._lived[:] = 0
        self._lives += 1

    def see(self, part: Step) -> dict[str, np.ndarray]:
        """Keep what all slots are shown, and give it as `[slot, ...]`."""
        shown = {OBSERVATIONS: self._rows(part.obs)}
        if self._role.action.mask_size:
            shown[ACTION_MASK] = self._rows(part.mask).view(np.int8)
        self._shown.append(shown)
        self._acts.append(self._rows(part.acting))
        return shown

    def act(self, columns: dict[str, Any]) -> None:
        """Keep what the module made of it: actions, and what goes with them."""
        self._done.append(columns)

    def get(self, part: Step) -> None:
        """Keep what a step brought; where a life ended, its last observation."""
        step = len(self._after)
        self._after.append(tuple(self._rows(getattr(part, name)) for name in AFTER))
        ended = np.flatnonzero(part.ended)
        if len(ended):
            final = part.final_obs.reshape(self._slots, *part.final_obs.shape[2:])
            self._last |= {(slot, step): final[slot].copy() for slot in ended.tolist()}

    def _rows(self, array: np.ndarray) -> np.ndarray:
        return np.array(array).reshape(self._slots, *array.shape[2:])

    def episodes(self) -> list[SingleAgentEpisode]:
        """Cut what was kept into episodes, and begin with the next fragment."""
        self._acts.pop()  # of the moment after the last step: nobody has acted on it yet
        seen = tree.map_structure(_by_slot, *self._shown)
        done = tree.map_structure(_by_slot, *self._done)
        acts = _by_slot(*self._acts)
        reward, ended, terminated, truncated = (
            _by_slot(*column) for column in zip(*self._after, strict=True)
        )
        num_steps = acts.shape[1]
        made = []
        for slot in range(self._slots):
            ends = np.flatnonzero(ended[slot]).tolist()
            for first, end in zip([0, *(end + 1 for end in ends)], [*ends, None], strict=True):
                stop = num_steps if end is None else end + 1
                own = np.flatnonzero(acts[slot, first:stop]) + first
                if len(own):
                    whole = len(own) == stop - first  # it acted in every step
                    at = slice(first, stop) if whole else own
                    last = self._final(slot, end, seen)
                    part = {
                        "observations": _with_last(seen, slot, at, last),
                        "rewards": reward[slot, at]
                        if whole
                        else np.add.reduceat(reward[slot, :stop], own),
                        "terminated": end is not None and bool(terminated[slot, end]),
                        "truncated": end is not None and bool(truncated[slot, end]),
                    }
                    made.append(self._episode(slot, part, _at(done, slot, at)))
                self._follow(slot, len(own), end)
        self.clear()
        return made

    def _follow(self, slot: int, steps: int, end: int | None) -> None:
        """Count the steps of a slot's life, and its lives."""
        self._lived[slot] = 0 if end is not None else self._lived[slot] + steps
        self._lives[slot] += end is not None

    def _final(self, slot: int, end: int | None, seen: dict[str, np.ndarray]) -> dict[str, Any]:
        """Give what a slot is shown last: of its life, or until the fragment is cut."""
        if end is None:
            return {name: array[slot, -1] for name, array in seen.items()}
        last = {OBSERVATIONS: self._last[slot, end]}
        return last | ({ACTION_MASK: self._noop_mask} if ACTION_MASK in seen else {})

    def _episode(self, slot: int, part: dict[str, Any], done: dict[str, Any]) -> SingleAgentEpisode:
        """Make the object that RLlib learns from."""
        env, agent = divmod(slot, self._role.num_agents)
        num_steps = len(part["rewards"])
        return SingleAgentEpisode(
            f"{self._label}/{self._role.name}/{slot}/{self._lives[slot]}",
            observations=InfiniteLookbackBuffer(part["observations"]),
            infos=InfiniteLookbackBuffer([{}] * (num_steps + 1)),
            actions=InfiniteLookbackBuffer(done.pop(Columns.ACTIONS)),
            rewards=InfiniteLookbackBuffer(part["rewards"]),
            terminated=part["terminated"],
            truncated=part["truncated"],
            extra_model_outputs={name: InfiniteLookbackBuffer(x) for name, x in done.items()},
            t_started=int(self._lived[slot]),
            len_lookback_buffer=0,
            agent_id=self._agents[agent],
            module_id=self._role.name,
            multi_agent_episode_id=f"{self._label}/{env}",
        )


def noop_mask(role: Role) -> np.ndarray:  # int8 [option of a masked part]
    """Give the mask of those who have ended: nothing but the no-op of each part."""
    parts = [part for part in role.action.choices if part.masked]
    made = [np.arange(len(part.options)) == part.noop for part in parts]
    return np.concatenate([np.zeros(0, bool), *made]).astype(np.int8)


def _by_slot(*steps: Any) -> np.ndarray:
    return np.stack(steps, axis=1)


def _at(columns: dict[str, Any], slot: int, at: Any) -> dict[str, Any]:
    """Pick the steps of one slot out of arrays `[slot, step, ...]`."""
    made: dict[str, Any] = tree.map_structure(lambda array: array[slot, at], columns)
    return made


def _with_last(
    seen: dict[str, np.ndarray], slot: int, at: Any, last: dict[str, Any]
) -> dict[str, np.ndarray]:
    """Pick the steps of one slot, and put what it was shown last behind them."""
    return {
        name: np.concatenate((array[slot, at], last[name][None])) for name, array in seen.items()
    }
