"""Replay recordings of MettaGrid and count the bytes that differ.

    python tests/worlds/mettagrid/recordings/replay.py FILE...

Per file it prints the steps compared and the mismatching bytes of tokens, and whether rewards,
success flags and endings agree; the exit status is 0 only when everything does.
"""

import argparse
import json
import sys
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

import mesocosm as meso
from mesocosm.worlds.mettagrid.upstream import import_config

RECORDINGS = sorted(Path(__file__).parent.glob("*.json"))


def read_recording(name: str) -> dict[str, Any]:
    """Return a recording by its name: config, ids and frames."""
    return json.loads((Path(__file__).parent / f"{name}.json").read_text())


def recorded_config(name: str) -> dict[str, Any]:
    """Return the MettaGrid config that a recording was made with."""
    return read_recording(name)["config"]


class Result(NamedTuple):
    steps: int
    bytes_compared: int
    mismatching: int  # bytes of tokens
    others: int  # rewards, success flags, endings
    first: str = ""

    @property
    def good(self) -> bool:
        return self.mismatching == 0 and self.others == 0


def padded(tokens: list[list[int]], size: int) -> np.ndarray:
    row = np.full((size, 3), 255, np.uint8)
    if tokens:
        row[: len(tokens)] = tokens
    return row


def replay(path: Path, target: str = "cpu") -> Result:
    """Play a recording's actions and compare everything it holds."""
    data = json.loads(path.read_text())
    config = import_config(data["config"])
    size, frames = data["obs"]["num_tokens"], data["frames"]
    overrides = {"core.overtime": True, "core.budget_info": False}
    env = meso.make(config, overrides, target=target, seed=data["seed"], autoreset="off")
    ending = meso.make(config, target=target, seed=data["seed"], autoreset="off")
    ids = {name: k for k, name in enumerate(env.spec.roles["cog"].action.choices[0].options)}
    step, ending_step = env.reset(), ending.reset()
    wrong = others = compared = 0
    first = ""
    for frame in frames:
        if "actions" in frame:
            chosen = np.array([[[ids.get(name, -1)] for name in frame["actions"]]], np.int32)
            step, ending_step = env.step(chosen), ending.step(chosen)
            others += differing_flags(frame, step, ending_step)
        expected = np.stack([padded(tokens, size) for tokens in frame["obs"]])
        odd = np.asarray(step.obs)[0] != expected
        compared += expected.size
        if odd.any() and not first:
            agent, token = np.argwhere(odd.any(-1))[0]
            first = f"t {frame['t']} agent {agent} token {token}: "
            first += f"{expected[agent, token].tolist()} but {step.obs[0, agent, token].tolist()}"
        wrong += int(odd.sum())
    return Result(len(frames) - 1, compared, wrong, others, first)


def differing_flags(frame: dict[str, Any], step: Any, ending: Any) -> int:
    """Count rewards, success flags and endings that are not as recorded."""
    success = np.asarray(step.info["success"])[0] != 0.0
    count = int((success != np.array(frame["success"])).sum())
    count += int((np.asarray(step.reward)[0] != np.array(frame["rewards"], np.float32)).sum())
    for key, flags in (("terminals", ending.terminated), ("truncations", ending.truncated)):
        count += int((np.asarray(flags)[0] != np.array(frame[key])).sum())
    return count


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description="replay recordings of MettaGrid")
    parser.add_argument("files", nargs="+", type=Path)
    parser.add_argument("--target", default="cpu")
    options = parser.parse_args(arguments)
    bad = 0
    for path in options.files:
        result = replay(path, options.target)
        bad += not result.good
        line = f"{path.name}: {result.steps} steps, {result.mismatching} mismatching bytes "
        line += f"of {result.bytes_compared}, {result.others} other differences"
        print(line + (f" (first: {result.first})" if result.first else ""))
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
