"""The command line."""

from mesocosm.cli.app import main

__all__ = ["main"]
