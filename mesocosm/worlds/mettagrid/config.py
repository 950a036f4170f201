"""The parameters of mettagrid; the sections that they are made of lie in `game`."""

from mesocosm.worlds.mettagrid.game.core import Core

__all__ = ["Core"]
