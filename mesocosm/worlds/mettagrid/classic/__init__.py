"""What only the classic profile has: fights, gifts, harm, clipping, and how it shows the grid.

Imports `stations`, `observe`, `grid` and what lies below them; not `vm`.
"""
