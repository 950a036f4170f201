"""The statistics that a game counts by itself, and the numbers that rules use for them."""

# of each agent
AGENT_STATS = (
    "action.noop.success", "action.noop.failed", "action.move.success", "action.move.failed",
    "action.change_vibe.success", "action.change_vibe.failed", "action.failed",
    "action.invalid_index", "status.max_steps_without_motion", "cell.unique_visited",
    "cell.max_distance_from_spawn", "cell.visited", "death", "status.frozen.ticks",
    "damage.items_lost", "damage.triggered", "actions.swap",
)  # fmt: skip
(
    NOOP_DONE, NOOP_FAILED, MOVE_DONE, MOVE_FAILED, VIBE_DONE, VIBE_FAILED, ACTION_FAILED,
    INVALID_INDEX, MAX_STILL, UNIQUE_CELLS, MAX_FROM_SPAWN, CELLS_VISITED, DEATH, FROZEN_TURNS,
    ITEMS_LOST, DAMAGE_TRIGGERED, SWAPPED,
) = range(17)  # fmt: skip
# of the whole game
GAME_STATS = ("tokens_written", "tokens_dropped", "tokens_free_space")
TOKENS_WRITTEN, TOKENS_DROPPED, TOKENS_FREE = range(3)
# what ends an episode: the column of a statistic, how large it must be, whether it is always there
END_STAT, END_LEAST, END_ALWAYS, NUM_END_COLUMNS = range(4)
# of each resource that an agent holds
FLOWS = ("amount", "gained", "lost", "deposited")
FLOW_AMOUNT, FLOW_GAINED, FLOW_LOST, FLOW_DEPOSITED, FLOW_DEATH, NUM_FLOWS = range(6)
# what is counted while observations are made: told as it was before one's own
GLIMPSES = ("cell.visited", *GAME_STATS)
GLIMPSE_VISITED, GLIMPSE_TOKENS = 0, 1  # where each begins
# what is remembered of an agent to count it
TRACK_IDLE, TRACK_ROW, TRACK_COL, TRACK_DISTANCE, TRACK_CELLS, NUM_TRACKED = range(6)
