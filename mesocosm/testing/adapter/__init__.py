"""check_adapter: an adapter beside the raw env.

`check` plays both, `reference` says what the adapter should hand out, `compare` compares, and
`covered` counts what was seen. Imports point from the former to the latter.
"""
