"""Tell where two traces of a game differ first."""

import math
import re
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from tests.worlds.mettagrid.differential.names import Json
from tests.worlds.mettagrid.differential.trace import KEYS, load


def same_files(one: Path, other: Path) -> str:
    """Return how two traces of the wheel differ, or an empty string."""
    found = find_difference(load(one), load(other))
    return found["what"] if found else ""


def cut_at_end(trace: Any) -> Any:
    """Return a trace up to the step that ended its episode."""
    arrays, notes = trace
    over = (arrays["terminals"] | arrays["truncations"]).all(axis=1)
    if not over.any():
        return trace
    last = int(np.argmax(over))
    kept = {key: {t: entry for t, entry in notes[key].items() if int(t) <= last}
            for key in ("stats", "objects")}  # fmt: skip
    return {key: value[: last + 1] for key, value in arrays.items()}, notes | kept


def find_difference(
    theirs: Any, ours: Any, keys: Any = KEYS, ignored: str | None = None
) -> Json | None:
    """Return the first difference: step, what, theirs, ours."""
    found = [first_odd_step(theirs[0], ours[0], key) for key in keys]
    stats = partial(compare_stats, ignored=ignored)
    found.append(first_odd_note(theirs[1], ours[1], "stats", stats))
    found.append(first_odd_note(theirs[1], ours[1], "objects", compare_objects))
    known = [one for one in found if one]
    if not known:
        return None
    first = min(known, key=lambda one: one["step"])
    first["also"] = sorted({f"{one['what']}@{one['step']}" for one in known})
    return first


def first_odd_step(theirs: Json, ours: Json, key: str) -> Json | None:
    one, other = theirs[key], ours[key]
    if key != "obs" and len(one) and len(other):
        one, other = one[1:], other[1:]  # the first observation comes without them
    if len(other) > len(one):
        other = other[: len(one)]
    if one.shape != other.shape:
        return {"step": 0, "what": f"shape of {key}", "theirs": one.shape, "ours": other.shape}
    odd = one != other
    if one.dtype.kind == "f":
        odd &= ~(np.isnan(one) & np.isnan(other))
    if not odd.any():
        return None
    at = np.argwhere(odd)[0]
    found: Json = {"step": int(at[0]) + (key != "obs"), "what": key, "agent": int(at[1])}
    if key == "obs":
        found["token"] = int(at[2])
        place = (at[0], at[1], slice(int(at[2]), int(at[2]) + 3))
    else:
        place = (at[0], at[1])
    found["theirs"], found["ours"] = one[tuple(place)].tolist(), other[tuple(place)].tolist()
    return found


def first_odd_note(theirs: Json, ours: Json, key: str, compare: Any) -> Json | None:
    for t, entry in theirs[key].items():
        if t not in ours[key]:
            return {"step": int(t), "what": f"no {key}", "theirs": "", "ours": ""}
        odd = compare(entry, ours[key][t])
        if odd:
            return {"step": int(t), "what": odd[0], "theirs": odd[1], "ours": odd[2]}
    return None


def compare_stats(theirs: Json, ours: Json, ignored: str | None = None) -> Any:
    """Return the first statistic that differs, where what is missing is 0."""
    pairs = [("game", theirs["game"], ours["game"])]
    pairs += [(f"agent {k}", a, b) for k, (a, b)
              in enumerate(zip(theirs["agent"], ours["agent"], strict=False))]  # fmt: skip
    for who, one, other in pairs:
        for name in sorted({*one, *other}):
            if ignored and re.search(ignored, name):
                continue
            a, b = one.get(name, 0.0), other.get(name, 0.0)
            if np.float32(a) != np.float32(b) and not (math.isnan(a) and math.isnan(b)):
                return f"stat {name}", f"{who}: {a}", f"{who}: {b}"
    return None


def compare_objects(theirs: list[Any], ours: list[Any]) -> Any:
    """Return the first object that differs."""
    one, other = by_place(theirs), by_place(ours)
    for place in sorted({*one, *other}):
        a, b = one.get(place), other.get(place)
        if a != b:
            return "objects", [place, a], [place, b]
    return None


def by_place(objects: list[Any]) -> dict[tuple[int, int], list[Any]]:
    """Return what is compared of all objects on each cell: some there may have vanished."""
    found: dict[tuple[int, int], list[Any]] = {}
    for entry in objects:
        found.setdefault((entry[0], entry[1]), []).append(plain(entry))
    return {place: sorted(those, key=str) for place, those in found.items()}


def plain(entry: list[Any]) -> Any:
    """Return what is compared of an object; an agent's type is told by its tags."""
    kind = "agent" if entry[3] >= 0 else entry[2]
    return [kind, entry[3], entry[4], sorted(entry[5]), {k: v for k, v in entry[6].items() if v}]
