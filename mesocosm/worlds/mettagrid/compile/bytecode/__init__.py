"""Handlers, queries and values as bytecode: its opcodes, the interpreter's memory, its writers.

Imports the rest of `compile`, except `tables`.
"""
