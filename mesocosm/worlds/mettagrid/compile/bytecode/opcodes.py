"""Opcodes of the bytecode that handlers become, and the columns of its rows."""

# what a row does. 0..9 and 20..29 are conditions, 10..19 and 30..59 changes, the rest goes through
# lists of things; 40..46 are about places
(
    END,
    HAS_RESOURCE,
    HAS_VIBE,
    HAS_TAG,
    WITHIN_DISTANCE,
    PERIODIC,
    TARGET_CELL_EMPTY,
    TARGET_USABLE,
    GAME_VALUE,
    HAS_ANY_TAG,
) = range(10)
CHANGE_AMOUNT, TRANSFER, CLEAR_RESOURCE, SET_VIBE, ADD_TAG, REMOVE_TAG = range(10, 16)
SET_STAT, SET_GAME_STAT, ADD_STAT, ADD_GAME_STAT, ADD_AMOUNT, ADD_IF_NOBODY = range(30, 36)
SHARED_TAG, NEAR_LISTED, TEST_FLAG, DEFEND, JUMP, EXISTS = range(20, 26)
RELOCATE, SPAWN, PUSH_TARGET, SET_TARGET_CELL, PLACE_BESIDE, REMOVE_IF_EMPTY, SWAP_PLACES = range(
    40, 47
)
(
    CALL_TARGET,
    GIVE_LISTED,
    UNTAG_ALL,
    TAG_LISTED,
    BEGIN_CHANGES,
    SET_FLAG,
    CLEAR_FLAG,
    CLEAR_INVENTORY,
    DROP_TAG,
    NEXT_LOST,
) = range(47, 57)
(
    LIST_TAGGED,
    BEGIN_FILTER,
    NEXT_LISTED,
    KEEP_LISTED,
    LIMIT_LIST,
    BEGIN_CLOSURE,
    NEXT_EDGE,
    JOIN_CLOSURE,
    LIMIT_BY_VALUE,
    BIND_ACTOR,
    UNBIND_ACTOR,
    BEGIN_RAYS,
    NEXT_RAY_HIT,
    KEEP_RAY_HIT,
    BLOCK_RAY,
    NEXT_ORIGIN,
    SET_REACH,
) = range(60, 77)
# where the opcodes of conditions end, and where more of them stand
END_CONDITIONS, MORE_CONDITIONS, END_MORE_CONDITIONS = 10, 20, 30
# columns of a row
OPCODE, WHO, OPERAND_1, OPERAND_2, JUMP_IF_TRUE, JUMP_IF_FALSE = range(6)
ACTOR, TARGET, NOBODY = 0, 1, 2
FAILURE, SUCCESS = 0, 1  # how a handler ends
NUM_ROW_COLUMNS = 6
WHOM = {"actor": ACTOR, "target": TARGET}
GIVER_STEP = 2  # of a transfer, WHO is the giver times this, and the taker
# columns of a ray
(
    RAY_REACH, RAY_STOPS_AT_ORIGIN, RAY_INCLUDES_BLOCKER, RAY_SPAWNS, RAY_NUM_DIRECTIONS,
    RAY_DIRECTIONS,
) = range(6)  # fmt: skip
