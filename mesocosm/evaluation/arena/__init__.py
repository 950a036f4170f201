"""Evaluation of policies on fixed episodes: any mix of them, each in the same conditions.

`Arena` plays bouts: a bout is a lineup (who plays which agent) on all episodes of the evaluation.
Every bout meets the same episodes, and no training has met them.

Imports point down: `arena` over `bout_folder` | `bout`; `bout` over `seated`; all over `entrant`,
`lineup`, `episodes` and `tables`.
"""
