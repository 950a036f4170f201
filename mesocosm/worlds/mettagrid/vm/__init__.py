"""The interpreter of bytecode: registers, conditions, effects, lists of things, areas, events.

Imports `grid` and what lies below it.
"""
