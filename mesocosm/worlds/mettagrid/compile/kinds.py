"""Classes of kinds, and the columns of the table of kinds."""

# classes of kinds
WALL_CLASS, AGENT_CLASS, OBJECT_CLASS, CHEST_CLASS, ASSEMBLER_CLASS = range(5)
CLASSES = {
    "wall": WALL_CLASS,
    "object": OBJECT_CLASS,
    "chest": CHEST_CLASS,
    "assembler": ASSEMBLER_CLASS,
}
# columns of the table of kinds
(
    CLASS,
    USE_BYTECODE,
    GROUP,
    OPAQUE,
    FIRST_VIBE,
    CLAIMS,
    MAX_USES,
    ALLOWS_PARTIAL,
    STARTS_CLIPPED,
    CHEST_REACH,
    FIRST_RECIPE,
    END_RECIPE,
    NUM_KIND_COLUMNS,
) = range(13)
