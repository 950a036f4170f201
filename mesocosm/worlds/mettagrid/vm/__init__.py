"""The interpreter of bytecode: registers, conditions, effects, lists of things, areas, events.

`handler.execute` runs the bytecode of one handler; `tick` runs what happens by itself.

Imports `grid` and what lies below it.
"""
