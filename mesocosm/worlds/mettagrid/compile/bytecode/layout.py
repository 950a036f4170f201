"""How the interpreter's memory is laid out: registers, call frames, lists, and rows of `data`."""

# registers; things are their slots, -1 nobody; a removed thing is its slot plus one, 0 nobody
(
    REG_ACTOR, REG_TARGET, REG_SOURCE, REG_ROW, REG_COL, REG_FAILED, REG_FLAGS, REG_CALL_DEPTH,
    REG_RESULT, REG_REMOVED, REG_REMOVED_ROW, REG_REMOVED_COL, REG_DEFERRED_TO, REG_RANDOM_WORD,
    REG_NUM_DRAWN, REG_NUM_RENEWED,
) = range(16)  # fmt: skip
NUM_VOLATILE = REG_RANDOM_WORD  # those before it are cleared when a handler ends, the others stay
# after the registers comes the call stack, then where the agents were when the step began, then how
# many lists were used and which
CALL_STACK, CALL_FRAME_SIZE, MAX_CALL_DEPTH = 16, 10, 8
# between them: who acted before a value bound its target as the actor, one within the other
BOUND_ACTORS, MAX_BOUND = CALL_STACK + CALL_FRAME_SIZE * MAX_CALL_DEPTH, 8
START_CELLS = BOUND_ACTORS + MAX_BOUND
# a call frame: the row that called, what it runs, then some registers
RETURN_ROW, FRAME_KIND, SAVED_REGISTERS, SAVED_FLAGS, SAVED_ACTOR, SAVED_DEFERRED = 0, 1, 2, 7, 8, 9
USE_FRAME, AFTER_USE_FRAME, LOST_TAG_FRAME = range(3)
NUM_SAVED = SAVED_FLAGS - SAVED_REGISTERS

# a list: how long it is, how far it was read, how long it ever was in this step plus one (0: it was
# not used), then its things, then marks of who is in it
(
    LIST_SIZE, LIST_CURSOR, LIST_KEPT, LIST_SAVED_TARGET, LIST_INNER_CURSOR, LIST_SAVED_SOURCE,
    LIST_RAY_LENGTH, LIST_REACH, LIST_PEAK,
) = range(9)  # fmt: skip
LIST_ITEMS = 10

# what a kind does: after a use, at every step, when it is used
AFTER_USE, ON_TICK, ON_USE, NUM_KIND_HANDLERS = range(4)
# an event; the time of an event; a handler of moves
(
    EVENT_TARGETS, EVENT_LIST, EVENT_EFFECT, EVENT_MAX_TARGETS, EVENT_FALLBACK, EVENT_SIZE,
) = range(6)  # fmt: skip
TIME_STEP, TIME_EVENT, TIME_SIZE = range(3)
MOVE_BYTECODE, MOVE_REACH, MOVE_TARGETS_EMPTY, MOVE_SIZE = range(4)
# an area of effect
(
    AREA_KIND, AREA_RADIUS, AREA_FIXED, AREA_AFFECTS_SOURCE, AREA_CONDITION, AREA_EFFECT,
    AREA_PRESENCE, AREA_IDLE, AREA_TESTS_ONCE, AREA_SIZE,
) = range(10)  # fmt: skip
# what happens on the land of a territory, and which thing stands for it
LAND_TERRITORY, LAND_PROXY, LAND_ENTER, LAND_EXIT, LAND_PRESENCE, LAND_SIZE = range(6)
# a resource and an amount; a row about an attack: what it is, the resource or vibe, the power
PAIR_RESOURCE, PAIR_AMOUNT, PAIR_SIZE = range(3)
# what those of a query get: a resource, an amount, the game's statistic that counts it or -1
GIFT_RESOURCE, GIFT_AMOUNT, GIFT_STAT, GIFT_SIZE = range(4)
ATTACK_PART, ATTACK_ITEM, ATTACK_POWER, ATTACK_SIZE = range(4)
ATTACK_WEAPON, ATTACK_ARMOR, ATTACK_DEFENSE, ATTACK_VIBE_ARMOR = range(4)
END_OF_ROWS = -1

# what `post` keeps of a thing with areas: where they are fixed, when it joined (minus: not yet),
# and where it was, plus one, when it vanished from elsewhere: they end around there, the rest stays
POST_CELL, POST_JOINED, POST_LEFT, POST_SIZE = range(4)
# what `source` lists of things with areas: the slot, where they are, how far the fixed ones reach
# (squared, or -1); its first row is how many there are, whether some are gone, whether some are new
SOURCE_SLOT, SOURCE_ROW, SOURCE_COL, SOURCE_REACH, SOURCE_SIZE = range(5)
SOURCE_COUNT, SOURCES_GONE, SOURCES_NEW = range(3)
