"""Numbers of 24 bits as MettaGrid keeps them, words of bits, and its random numbers.

Imports nothing else of this world.
"""
