"""Draw what agents do: mostly moving, uniformly random, with ids that do not exist among them."""

import numpy as np

from tests.worlds.mettagrid.differential.names import Json

STRAY = (-1, -7, 300, 4000)


def draw_actions(
    names: list[str], num_agents: int, steps: int, seed: int, *, split: bool
) -> tuple[np.ndarray, np.ndarray]:
    """Return both buffers of ids, int32 [step, agent]; `split` may use both in one step."""
    rng = np.random.default_rng((seed, 77))
    is_vibe = np.array([name.startswith("change_vibe_") for name in names], bool)
    moves = [k for k, name in enumerate(names) if name.startswith("move_")] or [0]
    vibes = np.flatnonzero(is_vibe)
    moving = seed % 3 != 0
    ids = np.zeros((steps, num_agents), np.int32)
    last = np.zeros(num_agents, np.int32)
    for t in range(steps):
        any_id = rng.integers(0, max(1, len(names)), num_agents)
        if moving:
            new = np.where(rng.random(num_agents) < 0.15, any_id, rng.choice(moves, num_agents))
            keep = rng.random(num_agents) < 0.5
            last = np.where(keep, last, new).astype(np.int32)
        else:
            last = any_id.astype(np.int32)
        stray = rng.random(num_agents) < 0.025
        ids[t] = np.where(stray, rng.choice((*STRAY, len(names)), num_agents), last)
    known = (ids >= 0) & (ids < len(names))
    routed = known & (is_vibe[np.clip(ids, 0, max(0, len(names) - 1))] if names else False)
    first, second = np.where(routed, 0, ids), np.where(routed, ids, 0)
    if split and len(vibes):
        also = rng.random(ids.shape) < 0.3
        second = np.where(also, rng.choice(vibes, ids.shape), second)
    return first.astype(np.int32), second.astype(np.int32)


def is_split(seed: int, config: Json) -> bool:
    """Return whether agents use both buffers at once, which games with talk do not offer."""
    return seed % 2 == 1 and not config["game"].get("talk", {}).get("enabled", False)
