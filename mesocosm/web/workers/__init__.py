"""Processes that do the work: `process` starts and watches them, the others are what they do.

Imports point down: process | play | train | evaluate | verify | inspect → session parts → channel.
"""
