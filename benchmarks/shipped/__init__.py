"""Every game, map and replay inside MettaGrid's wheel, imported and played beside it.

`catalogue` lists them, `scenes` has the settings of its map scenes, `beside` plays one on both
sides, `walkers` and `raids` act, `counters` tell which handlers ran. `python -m benchmarks.shipped`
writes the table; `python -m benchmarks.shipped.cogs_vs_clips` plays its one real game for long.
"""
