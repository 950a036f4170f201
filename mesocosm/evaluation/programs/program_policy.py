"""A policy whose actions come from a foreign program; it never raises for what the program does."""

import time
from collections.abc import Iterable
from pathlib import Path
from types import TracebackType
from typing import Any

import numpy as np

from mesocosm.config.schema import Config
from mesocosm.core.action import Action
from mesocosm.core.errors import PolicyError
from mesocosm.core.spec import Role
from mesocosm.evaluation.programs.command import Command, read_command
from mesocosm.evaluation.programs.contained_process import ContainedProcess
from mesocosm.evaluation.programs.fault import ProgramFault, clean_text
from mesocosm.evaluation.programs.handed import describe_game, describe_role
from mesocosm.evaluation.programs.limits import Limits
from mesocosm.evaluation.programs.message import decode, encode
from mesocosm.learning.policies.answer import read_answer

READY, ACTION, ERROR = "ready", "action", "error"


class ProgramPolicy:
    """Plays all agents that it is given, in all envs of a batch, by asking one program.

    What the program does wrong is a forfeit: `forfeit` says why, the program is ended, and from
    then on the policy does nothing. Close it, or use it in a `with`, so that nothing is left.

    Args:
        program: `FILE.py:CLASS`, `MODULE:CLASS` or a command line; or one that was read before.
        config: Of the env that is played; the program gets it without any seed.
        readable: What else the program may read.
        hidden: Folders that it must not see, such as where the env is recorded.
    """

    privileged = False
    independent = True  # is asked about its own agents only

    def __init__(
        self,
        program: str | Command,
        config: Config[Any],
        limits: Limits = Limits(),  # noqa: B008 (frozen)
        *,
        readable: Iterable[str | Path] = (),
        hidden: Iterable[Path] = (),
    ) -> None:
        found = read_command(program, readable) if isinstance(program, str) else program
        self.command, self.limits = found, limits
        self._game, self._hidden = describe_game(config), tuple(hidden)
        self._process: ContainedProcess | None = None
        self.forfeit = ""  # why the program plays no more
        self.started = False  # whether it said that it is ready
        self.slowest = 0.0  # seconds of its slowest move; starting is none
        self.moves = 0

    def reset(self, spec: Role, num_envs: int, seed: int) -> None:
        """Start the program anew, for new episodes of a role; `seed` is handed to it."""
        self.close()
        self._spec, self._lead = spec, (num_envs, spec.num_agents)
        self.forfeit, self.started, self.moves, self.slowest = "", False, 0, 0.0
        begin = {"kind": "begin", "seed": seed, "config": self._game}
        begin |= {"spec": describe_role(spec, num_envs)}
        begin |= {"program": self.command.player} if self.command.player else {}
        try:
            self._process = ContainedProcess(self.command, self.limits, self._hidden)
            self._ask(begin, READY, self.limits.start_seconds)
            self.started = True
        except ProgramFault as fault:
            self._give_up(fault)

    def act(
        self, obs: np.ndarray, mask: np.ndarray, info: dict[str, np.ndarray], began: np.ndarray
    ) -> Any:
        """Choose actions for `[env, agent]`; none does anything once the program has forfeited."""
        if not self.forfeit:
            try:
                return self._move(obs, mask, info, began)
            except ProgramFault as fault:
                self._give_up(fault)
        return self._spec.action.noop(self._lead)

    def _move(self, obs: Any, mask: Any, info: Any, began: Any) -> Any:
        question = {"kind": "move", "number": self.moves}
        question |= {"obs": np.asarray(obs), "mask": np.asarray(mask), "began": np.asarray(began)}
        question |= {"info": {name: np.asarray(value) for name, value in info.items()}}
        start = time.monotonic()
        try:
            answer = self._ask(question, ACTION, self.limits.move_seconds)
        finally:
            self.slowest = max(self.slowest, time.monotonic() - start)
        number = answer.get("number", self.moves)
        if type(number) is not int or number != self.moves:
            raise ProgramFault(f"answered question {_show(number)} instead of {self.moves}")
        chosen = self._read_action(answer)
        self.moves += 1
        return chosen

    def _read_action(self, answer: dict[str, Any]) -> Any:
        """Check the form of an action; the env handles its values."""
        action = self._spec.action
        choice, level = answer.get("choice"), answer.get("level")
        both = bool(action.choices and action.levels)
        try:
            level = _floats(level) if isinstance(level, list) else level
            given = Action(choice, level) if both else choice if action.choices else level  # type: ignore[arg-type]
            parts = read_answer(given, self._spec, self._lead, "its action")
        except PolicyError as error:
            raise ProgramFault(clean_text(str(error))) from None
        except Exception as error:  # whatever strange arrays can do to NumPy
            raise ProgramFault(f"its action is none: {clean_text(repr(error))}") from None
        return action.join(*parts)

    def _ask(self, message: dict[str, Any], wanted: str, seconds: float) -> dict[str, Any]:
        if self._process is None:
            raise ProgramFault("was not started")
        line = self._process.ask(encode(message), seconds)
        try:
            answer = decode(line)
        except ValueError as error:
            raise ProgramFault(f"answered what is no message: {clean_text(str(error))}") from None
        kind = answer.get("kind")
        if isinstance(kind, str) and kind == ERROR:
            raise ProgramFault(f"raised {clean_text(answer.get('what'))}")
        if not isinstance(kind, str) or kind != wanted:
            raise ProgramFault(f"answered {_show(kind)} instead of {wanted!r}")
        return answer

    def _give_up(self, fault: ProgramFault) -> None:
        self.forfeit = str(fault)
        self.close()

    def close(self) -> None:
        """End the program and everything that it started."""
        if self._process is not None:
            self._process.stop()
            self._process = None

    def __enter__(self) -> "ProgramPolicy":
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()


def _floats(level: list[Any]) -> np.ndarray:
    """Read levels; JSON writes whole ones as integers."""
    array = np.asarray(level)
    return array.astype(np.float64) if array.dtype.kind in "iu" else array


def _show(value: Any) -> str:
    plain = isinstance(value, str | int | float | None)
    return clean_text(repr(value)[:60]) if plain else type(value).__name__
