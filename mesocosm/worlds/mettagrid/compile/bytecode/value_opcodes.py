"""Opcodes of values, which are worked out on a stack, and the columns of their tables."""

# what a row does: push a number, or combine the topmost with the one below
(
    END_VALUE, PUSH_CONSTANT, PUSH_AMOUNT, PUSH_STAT, PUSH_GAME_STAT, PUSH_GLIMPSE, PUSH_LISTED,
    ADD, ADD_WEIGHTED, LOG, LESSER, GREATER, DIVIDE,
) = range(13)  # fmt: skip
# columns of a row
VALUE_OPCODE, VALUE_OPERAND = range(2)
# columns of the table of values
VALUE_CONSTANT, VALUE_LOW, VALUE_HIGH, VALUE_PER_TICK, VALUE_START, NUM_VALUE_COLUMNS = range(6)
# columns of the table of queries: for which value, where its bytecode begins, the list it fills,
# the glimpse it is told by or -1, the resource it adds up or -1
(
    QUERY_VALUE, QUERY_BYTECODE, QUERY_LIST, QUERY_GLIMPSE, QUERY_RESOURCE, NUM_QUERY_COLUMNS,
) = range(6)  # fmt: skip
