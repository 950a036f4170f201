"""Pages about run folders of every kind, each one HTML file that needs nothing but itself.

Imports point down: `evaluation` over `evaluate` | `tournament` | `sweep`; `match`, `trainings` and
`evaluation` over `shared` and `source`; all are over the drawings of `mesocosm.evaluation.report`.
"""
