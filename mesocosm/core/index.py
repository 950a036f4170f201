"""What whole numbers of a state field refer to; the values that they may have follow from it."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Index:
    """A number that names one of several things of a kind.

    Args:
        of: What it names: `agent`, one of the world's axes, or a word of the world's own.
        count: How many of these there are.
        first: The number of the first of them; 1 where 0 stands for none.
        none: Whether the number before the first stands for none.
    """

    of: str
    count: int
    first: int = 0
    none: bool = False

    @property
    def low(self) -> int:
        """The least value that names something, or nothing."""
        return self.first - int(self.none)

    @property
    def high(self) -> int:
        """The greatest value that names something."""
        return max(self.first + self.count - 1, self.low)

    def __str__(self) -> str:
        return f"number of a {self.of}" + (f", or {self.low} for none" if self.none else "")


@dataclass(frozen=True)
class Bits:
    """A number whose bits name several things of a kind at once: bit k the k-th.

    Args:
        of: What they name.
        count: How many of these the number has bits for.
    """

    of: str
    count: int
    low = 0

    @property
    def high(self) -> int:
        """The value that names them all."""
        return (1 << self.count) - 1

    def __str__(self) -> str:
        return f"bits of {self.count} {self.of}s"


Reference = Index | Bits
Indexes = Reference | tuple[Reference | None, ...] | None
