"""A game as tables and bytecode, worked out once from its parameters.

Imports `game` and `arithmetic`.
"""
