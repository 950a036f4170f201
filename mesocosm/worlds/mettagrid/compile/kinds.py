"""Classes of kinds, and the columns of the table of kinds."""

TAG_BITS = 62
# classes of kinds
WALL, AGENT, OBJECT, CHEST, ASSEMBLER = range(5)
CLASSES = {"wall": WALL, "object": OBJECT, "chest": CHEST, "assembler": ASSEMBLER}
# columns of the table of kinds
(
    CLASS,
    PROGRAM,
    GROUP,
    OPAQUE,
    FIRST_VIBE,
    CLAIMS,
    MAX_USES,
    PARTIAL,
    CLIPPED,
    REACH,
    RECIPES,
    LAST,
) = range(12)
