"""What agents see: blocks of tokens, views, hints about oneself, masks.

Imports `vm`, for conditions of uses, and what lies below it.
"""
