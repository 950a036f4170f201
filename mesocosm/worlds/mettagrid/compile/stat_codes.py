"""The statistics that a game counts by itself, and the numbers that rules use for them."""

# of each agent
MINE = (
    "action.noop.success", "action.noop.failed", "action.move.success", "action.move.failed",
    "action.change_vibe.success", "action.change_vibe.failed", "action.failed",
    "action.invalid_index", "status.max_steps_without_motion", "cell.unique_visited",
    "cell.max_distance_from_spawn", "cell.visited", "death", "status.frozen.ticks",
    "damage.items_lost", "damage.triggered", "actions.swap",
)  # fmt: skip
(
    NOOP_DONE, NOOP_FAILED, MOVE_DONE, MOVE_FAILED, VIBE_DONE, VIBE_FAILED, FAILED, INVALID,
    STILL, UNIQUE, FARTHEST, VISITED, DEATH, FROZEN, ITEMS_LOST, HURT, SWAPPED,
) = range(17)  # fmt: skip
# of the whole game
GAME = ("tokens_written", "tokens_dropped", "tokens_free_space")
WRITTEN, DROPPED, FREE = range(3)
# of each resource that an agent holds
FLOWS = ("amount", "gained", "lost", "deposited")
AMOUNT, GAINED, LOST, DEPOSITED, DIED = range(5)
# what is counted while observations are made: told as it was before one's own
GLIMPSES = ("cell.visited", *GAME)
# what is remembered of an agent to count it
IDLE, LAST_ROW, LAST_COL, FAR, CELLS = range(5)
