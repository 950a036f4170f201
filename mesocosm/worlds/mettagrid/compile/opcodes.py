"""Opcodes of the bytecode, and the columns of its rows."""

# what a row does. 0..9 and 20..29 are conditions, 10..19 and 30..59 changes, the rest goes through
# lists of things; 40..46 are about places
END, RESOURCE, VIBE, TAG, DISTANCE, PERIODIC, LOC_EMPTY, USABLE, GAME_VALUE, ANY_TAG = range(10)
DELTA, TRANSFER, CLEAR, SET_VIBE, ADD_TAG, REMOVE_TAG = range(10, 16)
SET_STAT, SET_GAME_STAT, ADD_STAT, ADD_GAME_STAT, ADD_ITEM = range(30, 35)
SHARED_TAG, NEAR, FLAG, DEFENDS, ALWAYS, THERE = range(20, 26)
RELOCATE, SPAWN, PUSH, AIM, PLACE, VANISH, SWAP = range(40, 47)
USE, HAND, UNTAG, TAG_ALL, BEGIN, SET_FLAG, CLEAR_FLAG, CLEAR_ALL = range(47, 55)
LIST, EACH, NEXT, KEEP, LIMIT, GROW, GROW_NEXT, JOIN, RAY, RAY_NEXT, HIT, STOP = range(60, 72)
# columns of a row
OP, WHO, X, Y, PASS, FAIL = range(6)
ACTOR, TARGET, NOBODY = 0, 1, 2
WHOM = {"actor": ACTOR, "target": TARGET}
# columns of a ray
REACH, INCLUDES, SPAWNS, WAYS, FIRST_WAY = range(5)
