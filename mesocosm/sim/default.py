"""The rules of a world that declares none of a kind."""

from typing import Any

import numpy as np

from mesocosm.sim.frame import Frame
from mesocosm.sim.rule import rule


@rule
def no_mask(s: Any, p: Any, e: int, a: int, out: np.ndarray) -> None:
    """Allow every option: the mask rule of a role that declares none."""


@rule
def no_info(s: Any, p: Any, e: int, a: int, out: np.ndarray) -> None:
    """Tell nothing: the info rule of a role that declares none."""


@rule
def no_rebuild(s: Any, p: Any, e: int) -> None:
    """Derive nothing: the rebuild rule of a world without derived fields."""


@rule
def no_sight(s: Any, p: Any, e: int, a: int, j: int) -> bool:
    """See nobody: the rule of a world that declares none."""
    return False


@rule
def no_turn(s: Any, f: Frame, p: Any, e: int) -> None:
    """Leave turns to the engine."""
