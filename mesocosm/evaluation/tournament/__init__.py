"""Tournaments: who meets whom, who did better, ratings, cross-play; populations; exploitability.

Imports point down: `tournament` over `schedule` | `games` | `ratings`; `standings` over these;
`population` and `exploitability` stand beside
them, `results` and `pictures` write what was found. All are over `mesocosm.evaluation.arena`.
"""
