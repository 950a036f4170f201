"""The four sets of rules, and what they share of an episode; `profile` chooses one.

Imports `classic`, `observe`, `vm`, `grid` and what lies below them.
"""
