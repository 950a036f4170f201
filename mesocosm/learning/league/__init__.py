"""Self-play: past selves of the networks that learn, which play against them and are rated.

Imports point down: `league` over `past_self`, `members`, `results` and `ratings` over `seating`.
"""
