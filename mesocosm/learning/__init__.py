"""Agents that learn: networks made from a spec, PPO, and policies as files.

Torch lives here, and no world is named: whatever is needed to learn is in the spec. Imports point
down: `train` over `ppo` over `experience` over `networks` over `settings`.
"""

import os

# Threads of one operation wait for each other by spinning. If another program has the core, the
# usual spin of milliseconds makes learning ten times slower; a short one costs nothing.
os.environ.setdefault("GOMP_SPINCOUNT", "5000")
