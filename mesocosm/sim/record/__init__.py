"""What is noted beside the step, never inside it: digests, sums, events, ended episodes.

`digester` hashes and sums a batch's arrays where they live, `event_log` drains the events,
`ledger` notes endings and sums a step over agents; `bookkeeping` compiles all of it once for every
world. The engine makes these; `mesocosm.telemetry.step_reader` is their one reader.

Imports point down: digester → bookkeeping → digest_rules | event_log | ledger → digest.
Nothing here imports the engine.
"""
