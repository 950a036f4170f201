"""Agents that learn: networks made from a spec, PPO, and policies as files.

Torch lives here, and no world is named: whatever is needed to learn is in the spec. Imports point
down: `train` over `ppo` over `experience` over `networks` over `settings`.
"""
