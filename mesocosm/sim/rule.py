"""Mark a function as a rule, so that every target can run it."""

from collections.abc import Callable
from typing import Any, TypeVar

Function = TypeVar("Function", bound=Callable[..., Any])
RULES: list[Callable[..., Any]] = []


def rule(function: Function) -> Function:
    """Register a module-level function that rules may call; it stays a plain function."""
    RULES.append(function)
    return function
