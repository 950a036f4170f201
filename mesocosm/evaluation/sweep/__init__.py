"""Sweeps: what a setting does to policies, or to learning, over a grid of values.

Imports point down: `results` over `plan` over `dials`; `pictures` and `training` stand alone.
"""
