"""The feature ids that rules write into tokens."""

from typing import NamedTuple

from mesocosm.worlds.mettagrid.config import Core
from mesocosm.worlds.mettagrid.game.idmap import IdMap


class Ids(NamedTuple):
    """The feature ids, or -1 for what the game does not have."""

    group: int
    frozen: int
    completion: int
    last_action: int
    last_reward: int
    goal: int
    vibe: int
    compass: int
    tag: int
    cooldown: int
    clipped: int
    uses: int
    east: int
    west: int
    north: int
    south: int
    agent_id: int
    inventory: int
    protocol_input: int
    protocol_output: int
    moved: int
    here: int
    border: int


FEATURE_NAMES = (
    "agent:group", "agent:frozen", "episode_completion_pct", "last_action", "last_reward", "goal",
    "vibe", "agent:compass", "tag", "cooldown_remaining", "clipped", "remaining_uses", "lp:east",
    "lp:west", "lp:north", "lp:south", "agent_id", "inv:{}", "protocol_input:{}",
    "protocol_output:{}", "last_action_move", "territory:here", "territory:north",
)  # fmt: skip


def feature_ids(ids: IdMap, core: Core) -> Ids:
    """Look the feature ids up."""
    first = core.resources[0] if core.resources else ""
    names = [name.format(first) for name in FEATURE_NAMES]
    return Ids(*(ids.feature_id(name) if ids.has(name) else -1 for name in names))
