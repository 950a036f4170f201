"""Mark a function as a rule, so that every target can run it."""

from collections.abc import Callable
from typing import Any, TypeVar

Function = TypeVar("Function", bound=Callable[..., Any])
RULES: list[Callable[..., Any]] = []


def rule(function: Function) -> Function:
    """Register a module-level function that rules may call; it stays a plain function."""
    RULES.append(function)
    return function


def here(index: int) -> int:
    """Give an index as it is; compiled code for the CPU does not look through it.

    Else the compiler prepares the addresses of all arrays for the next env, or agent, at the head
    of the loop, used or not: half of a step's time, measured.
    """
    return index
