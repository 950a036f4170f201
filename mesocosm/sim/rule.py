"""Mark a function as a rule, so that every target can run it."""

from collections.abc import Callable
from typing import Any, TypeVar, overload

Function = TypeVar("Function", bound=Callable[..., Any])
RULES: list[Callable[..., Any]] = []


APART: set[int] = set()  # ids of the rules that are compiled once and called


@overload
def rule(function: Function) -> Function: ...


@overload
def rule(*, inline: bool) -> Callable[[Function], Function]: ...


def rule(function: Any = None, *, inline: bool = True) -> Any:
    """Register a module-level function that rules may call; it stays a plain function.

    Args:
        inline: Whether compiled code copies it into every caller, which is fastest for what is
            called often. A large rule called a few times a step compiles faster apart.
    """

    def register(given: Function) -> Function:
        RULES.append(given)
        if not inline:
            APART.add(id(given))
        return given

    return register if function is None else register(function)


def here(index: int) -> int:
    """Give an index as it is; compiled code for the CPU does not look through it.

    Else the compiler prepares the addresses of all arrays for the next env, or agent, at the head
    of the loop, used or not: half of a step's time, measured.
    """
    return index
