"""The parts of a tick: places, motion, meters, families, cues, and what each needs of a person.

`rules.py` calls them in order. Imports point down: motion → meter → life, and place, family and
cue → life.
"""
