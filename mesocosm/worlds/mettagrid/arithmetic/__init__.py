"""Numbers of 24 bits as the program keeps them: rounding and logarithms.

Imports nothing else of this world.
"""
