"""Sets as bits in words of 64 bits, of which so many are used that a word stays positive."""

WORD_BITS = 62
FULL_WORD = 2**WORD_BITS - 1


def words_for(bits: int) -> int:
    """Count the words that hold so many bits."""
    return -(-bits // WORD_BITS)
