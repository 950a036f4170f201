"""Training by RLlib's PPO, with our networks and settings, into a run folder like our own.

`config` translates settings and refuses what RLlib cannot honour; `learner` is RLlib's learner with
our loss, on the arrays that `batch` makes of what runners played. `trainer` goes from update to
update, and `training` opens, records and resumes it.
"""
