"""What only the classic profile has, and the stations of both: recipes, chests, fights, harm.

Imports `observe`, `grid` and what lies below them; not `vm`.
"""
