"""Matches between programs, scores of policies, and reports of what was learnt.

Imports point down: match → seats | match_result → acting; `programs` has what closes programs in.
"""
