"""What an env hands out after each reset and step."""

from typing import Any, NamedTuple

import numpy as np


class Step(NamedTuple):
    """One moment of every episode in the batch.

    The arrays are buffers that the next step writes again: copy what you keep. The env never reads
    them back. On the host they are read-only; on a GPU they can be written, which changes nothing.
    A reset of some envs writes the rows of these only.
    With several roles, every per-agent entry is a dict from role name to array.
    """

    obs: Any  # [env, agent, *observation shape]
    reward: Any  # float32 [env, agent]
    terminated: Any  # bool [env, agent]; stays True until a reset or a birth
    truncated: Any  # bool [env, agent]
    ended: Any  # bool [env, agent]; in the step of an end only: final_obs and reason are new
    episode_over: np.ndarray  # bool [env]
    mask: Any  # bool [env, agent, mask size]
    final_obs: Any  # as obs; valid where `ended`
    reason: Any  # int16 [env, agent]; 0, or 1 + index into spec.reasons
    outcome: Any  # int8 [env, agent]; index into OUTCOMES
    acting: Any  # bool [env, agent]; whose action the next step will take
    generation: Any  # int32 [env, agent]; rises at each birth in a slot
    info: Any  # {name: array [env, agent, *shape]}
    episode_reason: np.ndarray  # int16 [env]; `spec.winner(code)` names the role that won
    episode_outcome: np.ndarray  # int8 [env]
