"""Stations, which both profiles have: chests and assemblers, their recipes, and who shares in them.

`use.use_station` is what an agent that walks into one does. Imports `grid` and what lies below it.
"""
