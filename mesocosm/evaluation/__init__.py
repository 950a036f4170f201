"""Matches between programs."""
