"""What a user of observations needs: tokens as objects, speech as text.

Imports `game` and `state`; nothing of this world imports it.
"""
