"""Numbers over episodes, lives and training seeds, with intervals that cover what they say.

`describe` gives mean, median and interquartile mean; `compare` and `compare_all` give a verdict on
two policies; `compare_seats` finds seats that are better than others; `tables` reads rows of lives.
Where no method is known to cover, there is no interval, and `Estimate.why` says so.
Random draws come from a fixed seed, so the same data give the same numbers.

Imports point down: tables | seats → verdict → planning | improvement → difference → describe →
shares | resampling → studentised → sample → estimate | distribution | limits.
"""
