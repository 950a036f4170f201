"""Tournaments: who meets whom, who did better, ratings, cross-play; populations; best responses.

Imports point down: `tournament` over `schedule` | `games` | `ratings`; `standings` over these;
`population` and `best_response` stand beside them. All are over `mesocosm.evaluation.arena`.
"""
