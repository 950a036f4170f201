"""The same work on several processes or machines, by Ray, which is imported nowhere else.

`cluster` starts a local Ray for as long as it is needed, or joins one that runs.
"""
