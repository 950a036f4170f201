"""Replays: config, seeds, actions and digests, from which everything else can be computed again.

A replay is a list of operations, each a step or a reset, with one 64-bit digest per truth field
(and one of the rewards) taken after it. Where a finished episode renews itself in the step that
ends it, the digest is of the renewed state: that depends on config, seed and index alone, and the
endings and rewards of the old episode, which the digest covers, do not.

Imports point down: resimulate | writer → reader → format → chunk_file.
"""
