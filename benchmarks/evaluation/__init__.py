"""Proofs of what evaluation says: coverage of intervals, and verdicts."""
