"""A game as tables and bytecode, worked out once from its parameters.

`bytecode` holds what handlers become. Imports `game` and `arithmetic`.
"""
