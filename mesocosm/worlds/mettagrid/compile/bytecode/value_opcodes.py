"""Opcodes of values, which are worked out on a stack, and the columns of their tables."""

# what a row reads: a number of the game, or what was worked out last
(
    END_VALUE, READ_CONSTANT, READ_AMOUNT, READ_STAT, READ_GAME_STAT, READ_GLIMPSE, READ_LISTED,
    TAKE_RESULT,
) = range(8)  # fmt: skip
# how it folds that into the result so far; the first puts that aside and begins anew
BEGIN, ADD, ADD_WEIGHTED, LESSER, GREATER, DIVIDE = range(6)
# columns of a row: what it reads, of what, how it folds that, if its logarithm; of its numbers
VALUE_OPCODE, VALUE_OPERAND, VALUE_FOLD, VALUE_LOG, NUM_VALUE_ROW_COLUMNS = range(5)
VALUE_NUMBER, VALUE_WEIGHT = range(2)
# columns of the table of values
VALUE_CONSTANT, VALUE_LOW, VALUE_HIGH, VALUE_PER_TICK, VALUE_START, NUM_VALUE_COLUMNS = range(6)
# columns of the table of queries: for which value, where its bytecode begins, the list it fills,
# the glimpse it is told by or -1, the resource it adds up or -1
(
    QUERY_VALUE, QUERY_BYTECODE, QUERY_LIST, QUERY_GLIMPSE, QUERY_RESOURCE, NUM_QUERY_COLUMNS,
) = range(6)  # fmt: skip
