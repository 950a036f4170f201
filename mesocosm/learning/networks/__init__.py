"""Networks made from a role's spec: an encoder for each kind of observation, memory, heads.

`network` puts them together from `encoder`, `memory` and `layers`, which do not know each other.
"""
