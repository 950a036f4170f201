"""Columns of the tables of a game, by name."""

# kinds of actions
NOOP, MOVE, CHANGE_VIBE, HANDLED_MOVE, NOTHING = range(5)
# actions: the kind, the step or the vibe, by how much the cell's index changes
ACTION_KIND, ACTION_ROW, ACTION_COL, ACTION_OFFSET = range(4)
ACTION_VIBE = 1
# costs of actions
COST_REQUIRED, COST_PAID = range(2)
# rewards: the value, and the term it is
PAID_VALUE, PAID_TERM = range(2)
# what is told: the value, and its feature
TOLD_VALUE, TOLD_FEATURE = range(2)
# capacities: what can be held, to what that can grow, the one resource it is for or -1, whether
# what is held changes it
LIMIT_BASE, LIMIT_MOST, LIMIT_ALONE, LIMIT_GROWS, NUM_LIMIT_COLUMNS = range(5)
# claims to land, and the tags that are teams
CLAIM_KIND, CLAIM_TERRITORY, CLAIM_STRENGTH, CLAIM_DECAY, NUM_CLAIM_COLUMNS = range(5)
TEAM_TERRITORY, TEAM_TAG, NUM_TEAM_COLUMNS = range(3)
# areas of kinds: the first, the end, how far the fixed ones reach (squared, or -1), if some move
KIND_AREAS, KIND_AREAS_END, KIND_REACH, KIND_MOVES, KIND_SIDE, NUM_KIND_AREA_COLUMNS = range(6)
# areas of things: whose it is, and where in `data` it stands
OWN_AREA_THING, OWN_AREA_ROW, NUM_OWN_AREA_COLUMNS = range(3)
