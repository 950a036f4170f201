"""Everything measured, nothing touched: what happens to an env goes to tables and a replay.

- `recorder` watches an env; `run` opens what it wrote; `minari` exports a run.
- `levels/` collects the rows of the four tables, `replay/` writes, reads and proves replays,
  `run_folder` keeps the files of a run together.
- `step_reader` is the one view of an env that these read (`step_sums` adds up for it).
- `tables/` declares columns and writes rows; `files` writes files whole or not at all.

Imports point down this list. Only `step_reader` and `step_sums` know what `mesocosm.sim` notes
beside a step; `recorder`, `run`, `minari` and `replay.resimulate` play an `Engine`; the rest sees
neither.
"""
