"""Benchmarks of learning: what is learnt, and how fast, beside other trainers."""
