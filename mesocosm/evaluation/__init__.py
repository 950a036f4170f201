"""Matches between programs, each in a process of its own, and proof of what was played.

Imports point down: match → match_replay | message; `player` is the program's side of a match.
"""
