"""Games of a series that is not over: each in a file, so that the series can go on after a kill."""

import json
import shutil
from collections.abc import Iterable, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any, NamedTuple

from mesocosm.core.action import Action
from mesocosm.core.errors import RunError
from mesocosm.core.path import open_regular_file
from mesocosm.evaluation.programs.message import decode, encode
from mesocosm.sim.engine import Engine
from mesocosm.telemetry.files import read_json, write_bytes, writing
from mesocosm.telemetry.run_folder import utc_now
from mesocosm.telemetry.run_lock import LOCK, RunLock, find_owner

SUFFIX = ".games"  # of the folder beside the run folder that a series will be recorded in
PLAN = "plan.json"
MAX_BYTES = 1 << 30  # of a plan


class StoredGame(NamedTuple):
    """A game that was played: what came of it, and all that was done in it."""

    data: dict[str, Any]
    actions: list[Any]  # as `env.step` takes them
    digest: dict[str, int]  # of the state that it came to


class GameStore:
    """Keeps games in a folder beside the run folder of their series, until that is written.

    Args:
        out: The run folder.
    """

    def __init__(self, out: Path) -> None:
        self.out, self.path = Path(out), Path(f"{out}{SUFFIX}")
        self._lock = RunLock(self.path / LOCK)

    def check_free(self) -> None:
        """Refuse a series that somebody plays now."""
        owner = find_owner(self.path / LOCK)
        if owner is not None:
            raise RunError(f"{self.path}: is being written by {owner}")

    def begin(self, plan: Mapping[str, Any]) -> None:
        """Start a series, and keep others from it."""
        if self.path.exists():
            end = len(SUFFIX)
            raise RunError(
                f"{self.path}: holds a series that is not over; go on with it "
                f"(--resume {str(self.path)[:-end]}), or remove it"
            )
        with writing(self.path):
            self.path.mkdir(parents=True)
        self.take()
        write_bytes(self.path / PLAN, json.dumps(plan).encode() + b"\n")

    def take(self) -> None:
        """Keep others from the series until this process lets go or ends."""
        self._lock.take(utc_now())

    def close(self) -> None:
        """Let others go on with the series."""
        self._lock.release()

    def read_plan(self) -> dict[str, Any]:
        """Give the plan of a series that goes on."""
        if not (self.path / PLAN).is_file():
            raise RunError(f"{self.path}: there is no series to go on with")
        return read_json(self.path / PLAN, MAX_BYTES)

    def _place(self, number: int) -> Path:
        return self.path / f"game-{number:06d}.jsonl"

    def keep(self, number: int, game: StoredGame) -> None:
        """Write a game down, whole or not at all."""
        lines = [encode({"game": game.data, "digest": game.digest, "steps": len(game.actions)})]
        lines += [encode({"actions": _to_data(actions)}) for actions in game.actions]
        write_bytes(self._place(number), b"".join(lines))

    def find(self, number: int) -> StoredGame | None:
        """Read a game; None if it was not played."""
        path = self._place(number)
        if not path.exists():
            return None
        try:
            with open_regular_file(path) as file:
                head, *steps = [decode(line) for line in file]
            actions = [_from_data(step["actions"]) for step in steps]
            if head["steps"] != len(actions):
                raise ValueError("it is cut short")
            return StoredGame(head["game"], actions, head["digest"])
        except (OSError, ValueError, KeyError, TypeError) as error:
            raise RunError(f"{path}: damaged: {error}") from None

    def remove(self) -> None:
        """Remove the folder: all of it is in the recording."""
        with suppress(FileNotFoundError):
            shutil.rmtree(self.path)
        self.close()


def _to_data(actions: Any) -> Any:
    """Give actions as data that can be told apart again: by role, and by kind of part."""
    if isinstance(actions, dict):
        return {"roles": {name: _to_data(value) for name, value in actions.items()}}
    return {"parts": list(actions)} if isinstance(actions, Action) else {"only": actions}


def _from_data(data: Mapping[str, Any]) -> Any:
    if "roles" in data:
        return {name: _from_data(value) for name, value in data["roles"].items()}
    return Action(*data["parts"]) if "parts" in data else data["only"]


def play_again(env: Engine, games: Iterable[StoredGame]) -> None:
    """Play stored games in an env that is being recorded; each must come to the same state."""
    for number, game in enumerate(games):
        env.reset(seed=int(game.data["seed"]))
        for actions in game.actions:
            env.step(actions)
        if env.digest() != game.digest:
            raise RunError(f"game {number}: played again, it came to another state")
