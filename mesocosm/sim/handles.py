"""What the engine offers to layers: columns of the state, whom agents see, the world's own views.

A layer's arrays are its own affair; these are what the step itself reads and writes for it.
"""

from typing import Annotated, NamedTuple

import numpy as np

from mesocosm.core.world import Rule

# entries of a column; its field is -1 - k for the k-th quantity
COLUMN_FIELD, COLUMN_FIRST, COLUMN_STRIDE, COLUMN_COUNT = 0, 1, 2, 3
LOWEST, HIGHEST = 0, 1  # entries of a column's bounds


class Handles(NamedTuple):
    """The numbers of a world's state that layers act on, and whom agents see."""

    compares: bool  # whether columns are compared with what they were
    keeps_views: bool  # whether the world's own views of some role are kept apart
    rebuilds: bool  # whether derived fields follow what layers change
    column: Annotated[np.ndarray, "int64 [column, 4]"]  # field, first, stride, count
    bounds: Annotated[np.ndarray, "float64 [column, 2]"]
    before: Annotated[np.ndarray, "float64 [env, column, agent or 0]"]  # before the transition
    value: Annotated[np.ndarray, "float64 [env, column, agent or 0]"]  # after it
    seen: Annotated[np.ndarray, "bool [env, agent, agent] or empty"]  # whom an agent sees now
    # what layers changed a quantity by and whole numbers do not show yet
    fraction: Annotated[np.ndarray, "float64 [env, agent or 0, column or 0]"]


class View(NamedTuple):
    """The world's own view of each agent of a role, beside what layers make of it."""

    is_changed: bool  # whether layers change what the role receives
    rows: Annotated[np.ndarray, "[env, member, number] or empty"]
    absent: Annotated[np.ndarray, "[number]"]
    hidden: Annotated[np.ndarray, "int32 [..]"]  # numbers that the config's scopes take away


class Hooks(NamedTuple):
    """What layers do at each stage of a step, in the order of the step.

    `layers` are the layers' arrays of a batch, `role` those of one role. Their types are the
    layers' own, except that `layers.handles` is a `Handles` and `role.world_view` a `View`.
    """

    begin_episode: Rule  # (f, layers, e), before the world's reset
    begin_step: Rule  # (f, layers, e)
    store_history: Rule  # (f, r, role, e), what was shown before this step
    change_actions: Rule  # (f, layers, r, role, e), after they were decoded
    before_transition: Rule  # (f, layers, e)
    change_columns: Rule  # (f, layers, e), after the transition
    change_parameters: Rule  # (f, layers, e)
    change_rewards: Rule  # (f, layers, e), before terms are summed
    end_step: Rule  # (f, layers, e), after endings are settled
    share_views: Rule  # (f, layers, r, role, e), when all views of an env are written
    change_observation: Rule  # (f, layers, role, e, i, a, out)
    change_info: Rule  # (f, layers, role, e, i, a, out)
    change_mask: Rule  # (r, role, i, out)
