"""The parts of a step: orders, motion, fire, sensing, groups and victory.

`rules.py` calls them in order. Imports point down: motion and sense → orders → unit, and fire and
groups → unit; victory needs none of them.
"""
