"""Mark a function as a rule, so that every target can run it."""

from collections.abc import Callable
from typing import Any, TypeVar, overload

Function = TypeVar("Function", bound=Callable[..., Any])
RULES: list[Callable[..., Any]] = []
COLD: set[int] = set()
APART: set[int] = set()


@overload
def rule(function: Function) -> Function: ...


@overload
def rule(*, inline: bool = True, apart: bool = False) -> Callable[[Function], Function]: ...


def rule(function: Any = None, *, inline: bool = True, apart: bool = False) -> Any:
    """Register a module-level function that rules may call; it stays a plain function.

    Args:
        inline: Whether its code is copied into its callers. What is called from many places and
            runs rarely should not be: compiling it again at each of them takes long.
        apart: Never copy it, even where the compiler would: it takes many arguments for a reason to
            do so. For large rules with loops, behind a switch; a call copies all its arguments.
    """

    def mark(made: Any) -> Any:
        RULES.append(made)
        if apart or not inline:
            COLD.add(id(made))
        if apart:
            APART.add(id(made))
        return made

    return mark if function is None else mark(function)


def here(index: int) -> int:
    """Give an index as it is; compiled code for the CPU does not look through it.

    Else the compiler prepares the addresses of all arrays for the next env, or agent, at the head
    of the loop, used or not: half of a step's time, measured.
    """
    return index
