"""Whose land it is, worked out from the truth of one env, for pictures and text."""

from collections.abc import Mapping

import numpy as np

from mesocosm.worlds.mettagrid.arithmetic.bits import WORD_BITS
from mesocosm.worlds.mettagrid.compile.plan import Plan
from mesocosm.worlds.mettagrid.config import Core

SCALE = 1024  # claims are whole numbers, of this many to a cell
NOBODY = -1


def team_tags(core: Core, made: Plan) -> set[int]:
    """Return the ids of all tags that can own land."""
    prefixes = tuple(core.territories.values())
    return {k for k, name in enumerate(made.ids.tag_names()) if name.startswith(prefixes)}


def tags_of(truth: Mapping[str, np.ndarray], k: int) -> set[int]:
    """Return the ids of a thing's tags."""
    words = enumerate(truth["tag"][k].tolist())
    return {w * WORD_BITS + b for w, word in words for b in range(WORD_BITS) if word >> b & 1}


def land_owners(truth: Mapping[str, np.ndarray], core: Core, made: Plan) -> np.ndarray:
    """Return the tag that owns each cell, int64 [row, col]; -1 where none does."""
    owner = np.full((made.height, made.width), NOBODY)
    for territory, prefix in core.territories.items():
        claims = _claims(truth, made, territory, prefix)
        if claims:
            tags, scores = np.array(list(claims)), np.stack(list(claims.values()))
            best = scores.max(0)
            clear = (best > 0) & ((scores == best).sum(0) == 1) & (owner == NOBODY)
            owner = np.where(clear, tags[scores.argmax(0)], owner)
    return owner


def _claims(
    truth: Mapping[str, np.ndarray], made: Plan, territory: str, prefix: str
) -> dict[int, np.ndarray]:
    """Add up how strongly each team claims each cell."""
    names, claims = made.ids.tag_names(), dict[int, np.ndarray]()
    rows, cols = np.arange(made.height)[:, None], np.arange(made.width)[None, :]
    for k in range(made.num_things):
        controls = getattr(made.kinds[int(made.kind_of[k])].entry, "controls", ())
        mine = [control for control in controls if control.territory == territory]
        teams = sorted(tag for tag in tags_of(truth, k) if names[tag].startswith(prefix))
        if not mine or not teams or truth["row"][k] < 0:
            continue
        far = np.sqrt((rows - int(truth["row"][k])) ** 2 + (cols - int(truth["col"][k])) ** 2)
        for control in mine:
            score = SCALE * control.strength - control.decay * (far * SCALE).astype(np.int64)
            near = far <= control.strength // control.decay
            claims[teams[0]] = claims.get(teams[0], 0) + np.where(near, np.maximum(score, 0), 0)
    return claims
