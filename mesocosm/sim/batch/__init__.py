"""A batch of envs: its arrays, the actions that go in, the snapshots that come out.

Imports point down: to the frame and the layering; `exclusive` keeps a batch to one thread.
"""
