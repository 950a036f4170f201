"""What is on the grid and what agents do there: places, inventories, land, tags, statistics.

Imports `params`, `state` and what these import: `compile`, `game`, `arithmetic`.
"""
