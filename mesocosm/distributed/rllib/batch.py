"""What runners played, as arrays to learn from: rows of all episodes of a role, and advantages."""

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
import torch
import tree
from ray.rllib.core.columns import Columns
from ray.rllib.env.single_agent_episode import SingleAgentEpisode
from torch import Tensor


class Rows(NamedTuple):
    """The steps of some episodes, one after the other."""

    columns: dict[str, Any]  # tensors [row, ...]: observations, actions, log-probabilities
    reward: np.ndarray  # float32 [row]
    last: dict[str, Any]  # what each episode was shown last: tensors [episode, ...]
    lengths: np.ndarray  # int [episode]
    terminated: np.ndarray  # bool [episode]


def gather(episodes: Sequence[SingleAgentEpisode]) -> dict[str, Rows]:
    """Sort episodes by role and name, so that it does not matter which worker was first."""
    by_role: dict[str, list[SingleAgentEpisode]] = {}
    for episode in sorted(episodes, key=lambda entry: (entry.id_, entry.t_started)):
        by_role.setdefault(episode.module_id, []).append(episode)
    return {name: _join(by_role[name]) for name in sorted(by_role)}


def _join(episodes: list[SingleAgentEpisode]) -> Rows:
    shown = [episode.observations.data for episode in episodes]
    done = [
        {
            Columns.ACTIONS: episode.actions.data,
            Columns.ACTION_LOGP: episode.extra_model_outputs[Columns.ACTION_LOGP].data,
        }
        for episode in episodes
    ]
    columns = {Columns.OBS: _concatenate([_map(x, slice(None, -1)) for x in shown])}
    return Rows(
        columns=columns | _concatenate(done),
        reward=np.concatenate([episode.rewards.data for episode in episodes]),
        last={Columns.OBS: _concatenate([_map(x, slice(-1, None)) for x in shown])},
        lengths=np.array([len(episode) for episode in episodes]),
        terminated=np.array([episode.is_terminated for episode in episodes]),
    )


def _map(columns: Any, at: slice) -> Any:
    return tree.map_structure(lambda array: array[at], columns)


def _concatenate(parts: list[Any]) -> Any:
    return tree.map_structure(lambda *arrays: torch.from_numpy(np.concatenate(arrays)), *parts)


def advantages(
    rows: Rows, values: np.ndarray, beyond: np.ndarray, gamma: float, gae_lambda: float
) -> np.ndarray:
    """Estimate advantages `[row]` by GAE, all episodes side by side.

    Args:
        values: What the critic expects at each row.
        beyond: What it expects after the last step of each episode; counted unless terminated.
    """
    lengths, longest = rows.lengths, int(rows.lengths.max())
    starts = np.cumsum(lengths) - lengths
    reach = np.arange(longest)[:, None]
    at = np.where(reach < lengths, starts + reach, 0)  # [step, episode]
    inside = reach < lengths
    after = np.where(rows.terminated, 0.0, beyond)
    following = np.zeros(len(lengths))
    made = np.zeros(len(values), np.float32)
    next_value = after.copy()
    for step in range(longest - 1, -1, -1):
        here, alive = at[step], inside[step]
        last = step == lengths - 1
        ahead = np.where(last, after, next_value)
        delta = rows.reward[here] + gamma * ahead - values[here]
        following = np.where(alive, delta + np.where(last, 0.0, gamma * gae_lambda * following), 0)
        next_value = np.where(alive, values[here], next_value)
        made[here[alive]] = following[alive]
    return made


def pick(columns: dict[str, Any], rows: Tensor) -> dict[str, Any]:
    """Take some rows of every column."""
    made: dict[str, Any] = tree.map_structure(lambda tensor: tensor.index_select(0, rows), columns)
    return made
