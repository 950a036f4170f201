"""Processes that do the work: `process` starts and watches them, the others are what they do.

Imports point down: process → spare → entry → tasks | limits | channel; what is done → entry.
"""
