"""The command line: one file per command or group of commands, and what they share.

Commands import from `shared/`, never from each other (`doctor` lists what `compile` compiles).
"""

from mesocosm.cli.app import main

__all__ = ["main"]
