"""Policies as files: a `.mesop` bundle is a zip of weights and a card, and runs nothing.

`bundle` writes and reads them; below it `archive` knows zips, `tensors` weights, `card` what a
policy is, and `blank` makes networks to put weights into.
"""
