"""Where a step runs: plain Python, compiled for the CPU, or on a GPU.

`driver` holds a batch's arrays on its target and runs the step on them; `cuda` and `dlpack` are
the GPU's part; `cells` makes plain Python compute as compiled code does; `bounds` says which rule
used an index outside its array; `launch` makes any single rule callable.

Imports point down: to `compile` and to the step.
"""
