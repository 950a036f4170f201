"""The parts of a tick: places, motion, meters, families, cues, and what each needs of a person.

`rules.py` calls them in order. Imports point down: motion and place → meter → life, and family and
cue → life.
"""
