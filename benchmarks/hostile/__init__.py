"""Programs that try to break a match, and the proof that none does.

Each function of `wrong_answers` and `wrong_deeds` is a program that speaks the protocol itself;
each class of `codes` is played by our player.
"""
