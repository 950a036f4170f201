"""Networks made from a role's spec: an encoder for each kind of observation, memory, heads.

`network` puts them together: `encoder` chooses between plain numbers, `tables` and `tokens`;
`memory` and `layers` know nothing of specs.
"""
