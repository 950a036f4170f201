"""What a game is: its parameters, checks on them, names behind numbers, maps.

Imports nothing else of this world.
"""
