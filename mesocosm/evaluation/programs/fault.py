"""What a program did wrong, in words that are safe to show."""

from mesocosm.core.errors import MesocosmError

MOST_TEXT = 300  # characters of what a program says of itself


class ProgramFault(MesocosmError):  # noqa: N818 (nothing of ours failed)
    """A program did what ends its part in a match; the text says what, without naming it."""


def clean_text(said: object) -> str:
    """Give what a program said in one line: cut, and without what could command a terminal."""
    text = said if isinstance(said, str) else type(said).__name__
    text = " ".join(text[: 4 * MOST_TEXT].split())
    shown = "".join(sign if sign.isprintable() else "?" for sign in text)
    return shown if len(shown) <= MOST_TEXT else shown[: MOST_TEXT - 3] + "..."
