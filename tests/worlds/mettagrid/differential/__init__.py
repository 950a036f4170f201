"""Random games drawn from MettaGrid's own config classes, played in it and in ours.

`draw_*` make configs, `oracle` plays them in the wheel, `player` in ours, `compare` tells where
the two differ, `coverage` counts what was drawn and what happened, `reduce` shrinks a game.
"""
