"""The `report` command: one page about a run folder of any kind, or about several trainings.

Imports point down: `command` over a module for each kind; these over `films`.
"""

from mesocosm.cli.report.command import report

__all__ = ["report"]
