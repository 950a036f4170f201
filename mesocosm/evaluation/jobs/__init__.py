"""Jobs: pieces of work that need nothing of each other, and who carries them out.

Imports point down: kinds of jobs (such as a training) over `files`, `plain_preset` and `job`.
"""
