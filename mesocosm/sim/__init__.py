"""The engine: rules become a step, a step runs on a target, a batch of envs is played.

- `rule`, `rng`, `maths`, `bits`, `frame`, `event` and `link`: what worlds import.
- `step`: one step in its order, as plain Python. `stages`, `element` and `default` are
  its parts; `handles` and `layering` are what it offers to layers; `bound` is what it plays on.
- `compile`: the step becomes machine code, and is kept. `targets`: where it runs.
- `batch`: the arrays of a batch, what goes into them and comes out. `record`: what recorders read.
- `engine`: `Engine`, the env that users step. `direct`: how learners step it.

Imports point one way: `direct → engine → record | batch → targets → compile → step → frame → rule`.
"""
