"""What one side leaves of a game: arrays of every step, and now and then all statistics."""

import json
from pathlib import Path
from typing import Any

import numpy as np

KEYS = ("obs", "reward", "success", "terminals", "truncations")


def is_checked(t: int, steps: int) -> bool:
    """Return whether statistics and objects are compared after step `t`."""
    return t in (0, 1, 2, 5, 10) or t % 25 == 0 or t == steps


class Trace:
    """Arrays of each step, and the statistics and objects of some."""

    def __init__(self) -> None:
        self.arrays: dict[str, list[np.ndarray]] = {key: [] for key in KEYS}
        self.stats: dict[str, Any] = {}
        self.objects: dict[str, Any] = {}
        self.told: dict[str, Any] = {}

    def add(self, found: dict[str, np.ndarray]) -> None:
        for key in KEYS:
            self.arrays[key].append(np.array(found[key]))

    def save(self, folder: Path) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        np.savez(folder / "steps.npz", **{key: np.array(v) for key, v in self.arrays.items()})
        notes = {"stats": self.stats, "objects": self.objects, "told": self.told}
        (folder / "notes.json").write_text(json.dumps(notes))


def load(folder: Path) -> tuple[dict[str, np.ndarray], dict[str, Any]]:
    """Return the arrays and the notes of a trace."""
    with np.load(folder / "steps.npz", allow_pickle=False) as found:
        arrays = {key: found[key] for key in KEYS}
    return arrays, json.loads((folder / "notes.json").read_text())
