"""The parts of a tick: places, motion, meters, families, cues, sight, and what each needs.

`rules.py` calls them in order. Imports point down: motion → meter → life, and place, family and
cue → life.
"""
