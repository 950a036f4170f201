"""The tables of a game that rules read, by name."""

from typing import Annotated, Any, NamedTuple

import numpy as np


class InventoryTables(NamedTuple):
    """What rules need to know about inventories."""

    limit_of: Annotated[np.ndarray, "int16 [kind, resource]"]
    # base, most, the one resource it is for or -1, whether what is held changes it
    limit: Annotated[np.ndarray, "int32 [limit, 4]"]
    fixed_most: Annotated[np.ndarray, "int32 [kind, resource]"]  # a limit that is simple, or -1
    bonus: Annotated[np.ndarray, "int32 [limit, resource]"]
    modifies: Annotated[np.ndarray, "bool [kind, resource]"]  # whether some limit goes by it
    # who shares it, who is dropped first; -1
    members: Annotated[np.ndarray, "int16 [limit, resource]"]
    groups: Annotated[np.ndarray, "int16 [kind, resource]"]  # limits as they were written, then -1
    # statistics of what agents hold, gain and lose
    flow: Annotated[np.ndarray, "int16 [resource, 5]"]
    # where it is counted that one has a resource
    diverse: Annotated[np.ndarray, "int16 [kind, resource]"]
    counts: bool  # whether a game names any of these
    wraps: bool  # groups are counted in 16 bits, as MettaGrid does it
    adds_up: bool  # modifiers add to the base (classic)
    hashes: bool  # told in the order of MettaGrid's hash map


class Schedule(NamedTuple):
    """Where in `data` it stands what happens, and how much of it."""

    times_at: int
    num_times: int
    events_at: int
    num_events: int
    moves_at: int
    num_moves: int
    materialized_at: int
    num_materialized: int
    areas_at: int
    num_areas: int
    removals_at: int  # by kind and tag, where what happens when it is lost begins, or -1; or -1
    lands_at: int
    num_lands: int
    sums: int  # a list for what areas add up to
    tick: int  # where the bytecode of every step begins, or -1


class Code(NamedTuple):
    """What bytecode refers to."""

    kind_handlers_at: int
    num_tags: int
    # columns of tags in `since`, handlers of kinds, the rest
    data: Annotated[np.ndarray, "int64 [..]"]
    born: Annotated[np.ndarray, "int64 [kind, ..]"]
    # the first area, the end, how far the fixed ones reach (squared), whether some move
    areas: Annotated[np.ndarray, "int32 [kind, 5]"]
    # by thing the number of its first area; then of each area of a thing: whose it is, where it is
    first_area: Annotated[np.ndarray, "int32 [thing]"]
    own_areas: Annotated[np.ndarray, "int32 [.., 2]"]
    schedule: Any  # Schedule


class Tables(NamedTuple):
    """The tables of a game."""

    window: Annotated[np.ndarray, "int32 [seen cell, 10]"]
    rays: Annotated[np.ndarray, "int32 [..]"]
    rank_at: Annotated[np.ndarray, "int32 [..]"]  # by row and column of the window, or -1
    ray_of: Annotated[np.ndarray, "int32 [window cell, 2]"]
    spots: Annotated[np.ndarray, "int64 [seen cell, 2]"]
    ranks: Annotated[np.ndarray, "int64 [.., row bits]"]
    shadows: Annotated[np.ndarray, "int64 [seen cell, rank word]"]
    reaches: Annotated[np.ndarray, "int64 [.., rank word]"]
    kind_of: Annotated[np.ndarray, "int32 [slot]"]
    kind: Annotated[np.ndarray, "int32 [kind, 12]"]
    initial: Annotated[np.ndarray, "int32 [kind, resource]"]
    first_held: Annotated[np.ndarray, "int16 [kind, resource]"]
    first_buckets: Annotated[np.ndarray, "int16 [kind]"]
    first_tags: Annotated[np.ndarray, "int64 [kind, tag word]"]
    tag_list: Annotated[np.ndarray, "int16 [kind, ..]"]
    bytecode: Annotated[np.ndarray, "int32 [instruction, 6]"]
    places: Annotated[np.ndarray, "int16 [layout, thing, 2]"]
    ground: Annotated[np.ndarray, "int16 [layout, cell]"]
    # kind, row and column or vibe, offset of the cell
    action: Annotated[np.ndarray, "int32 [action, 4]"]
    # of noop, moves and vibes: required, paid
    cost: Annotated[np.ndarray, "int32 [3, 2, resource]"]
    # values in their order, and the terms they are
    paid: Annotated[np.ndarray, "int16 [kind, .., 2]"]
    told: Annotated[np.ndarray, "int32 [.., 2]"]
    claim: Annotated[np.ndarray, "int32 [claim, 4]"]
    team: Annotated[np.ndarray, "int32 [team, 2]"]
    nothing: Annotated[np.ndarray, "uint8 [0]"]  # a view with no room, for counting
