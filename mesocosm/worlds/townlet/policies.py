"""Scripted residents."""

from collections.abc import Callable

from mesocosm.core.policy import Policy

POLICIES: dict[str, Callable[[], Policy]] = {}
