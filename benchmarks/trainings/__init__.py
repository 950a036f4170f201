"""Trainings through adapters, one file per library; `benchmarks.adapter_training` runs them.

A training is a function `(preset, seed, num_steps, probe)` that calls `probe(agent_steps, act)`
before it learns, at the end, and as often between as it likes. `act(obs, mask)` gives the actions
`[row]` or `[row, part]` of a policy without memory for observations `[row, ...]` and masks
`[row, option]`. Put it in `adapter_training.TRAININGS`.
"""
