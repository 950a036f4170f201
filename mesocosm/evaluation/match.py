"""Play one episode between programs, each in a process of its own and with a limit per move.

A program sees what its role receives and nothing else. One that is late, raises, exits or answers
nonsense forfeits: the episode stops, and the reason says in words what happened. Whatever was
played stays in the replay.
"""

import contextlib
import os
import selectors
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from mesocosm.build import make
from mesocosm.config.identity import dump
from mesocosm.core.beginnings import Beginnings
from mesocosm.core.errors import ActionError, MesocosmError
from mesocosm.core.spec import OUTCOMES, Role
from mesocosm.core.step import Step
from mesocosm.evaluation.match_replay import write_replay
from mesocosm.evaluation.message import decode, encode
from mesocosm.sim.engine import Engine

READ_BYTES = 1 << 16
STOP_SECONDS = 0.5  # that a program has to end by itself


class ForfeitError(MesocosmError):
    """A program broke the rules of the match."""


@dataclass(frozen=True)
class Limits:
    """How long a program may take."""

    start_seconds: float = 60.0
    move_seconds: float = 1.0


@dataclass
class MatchResult:
    """How a match ended."""

    steps: int = 0
    reason: str = ""
    winner: str = ""  # the role that the ending's reason names as the winner, if it names one
    outcome: dict[str, str] = field(default_factory=dict)  # by role: what its agents agree on
    forfeits: dict[str, str] = field(default_factory=dict)  # by role, in words
    mean_return: dict[str, float] = field(default_factory=dict)  # by role, per agent
    slowest: dict[str, float] = field(default_factory=dict)  # seconds of the slowest move
    replay: str = ""

    @property
    def winners(self) -> list[str]:
        """The roles that won: by the rules, or because others forfeited."""
        if self.forfeits:
            return [name for name in self.outcome if name not in self.forfeits]
        return [self.winner] if self.winner else []


class PlayerProcess:
    """A program in its process."""

    def __init__(self, role: Role, program: str) -> None:
        self.role, self.program, self.slowest = role, program, 0.0
        self._said = tempfile.TemporaryFile()  # noqa: SIM115 (lives as long as the process)
        self._process = subprocess.Popen(
            [sys.executable, "-m", "mesocosm.evaluation.player"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self._said,
        )
        self._rest = b""

    def ask(self, message: Mapping[str, Any], seconds: float, wanted: str) -> dict[str, Any]:
        """Send a message and wait for the answer, but not longer than allowed."""
        self.send(message)
        start = time.monotonic()
        answer = self._read(start + seconds, seconds)
        self.slowest = max(self.slowest, time.monotonic() - start)
        if answer.get("kind") == "error":
            raise ForfeitError(f"{self.program} raised {answer.get('what')}")
        if answer.get("kind") != wanted:
            raise ForfeitError(
                f"{self.program} answered {answer.get('kind')!r} instead of {wanted!r}"
            )
        return answer

    def send(self, message: Mapping[str, Any]) -> None:
        """Send a message."""
        stream = self._process.stdin
        try:
            if stream is not None:
                stream.write(encode(message))
                stream.flush()
        except BrokenPipeError:
            return  # it exited; reading its answer says so

    def _read(self, deadline: float, seconds: float) -> dict[str, Any]:
        stream = self._process.stdout
        with selectors.DefaultSelector() as selector:
            selector.register(stream, selectors.EVENT_READ)  # type: ignore[arg-type]
            while b"\n" not in self._rest:
                if not selector.select(max(deadline - time.monotonic(), 0.0)):
                    raise ForfeitError(f"{self.program} gave no answer within {seconds:g} s")
                part = os.read(stream.fileno(), READ_BYTES)  # type: ignore[union-attr]
                if not part:
                    raise ForfeitError(f"{self.program} exited with status {self._process.wait()}")
                self._rest += part
        line, _, self._rest = self._rest.partition(b"\n")
        try:
            return decode(line)
        except (ValueError, KeyError) as error:
            raise ForfeitError(f"{self.program} answered what is no message: {error}") from None

    def stop(self) -> None:
        """End the process, whatever it is doing."""
        self.send({"kind": "end"})
        try:
            self._process.wait(STOP_SECONDS)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        for stream in (self._process.stdin, self._process.stdout, self._said):
            with contextlib.suppress(BrokenPipeError):  # closing flushes what nobody will read
                if stream is not None:
                    stream.close()


class Score:
    """Counts the steps of a match, and says where an episode or a life begins."""

    def __init__(self, env: Engine, step: Step) -> None:
        self._spec, self._beginnings = env.spec, Beginnings(env)
        self._total = dict.fromkeys(env.spec.roles, 0.0)
        self._lives = dict.fromkeys(env.spec.roles, 0)
        self._follow(step)

    def add(self, step: Step, result: MatchResult) -> None:
        """Count a step, and name how the episode ended if it did."""
        self._follow(step)
        result.steps += 1
        for name in self._spec.roles:
            self._total[name] += float(self._part(step.reward, name)[0].sum())
            result.mean_return[name] = self._total[name] / max(self._lives[name], 1)
            outcomes = self._part(step.outcome, name)[0]
            result.outcome[name] = joint_outcome(OUTCOMES[code] for code in outcomes.tolist())
        code = int(np.asarray(step.episode_reason)[0])
        result.reason, result.winner = self._spec.reason_name(code), self._spec.winner(code)

    def _follow(self, step: Step) -> None:
        began = self._beginnings.follow(step)
        self.began = {name: self._part(began, name) for name in self._spec.roles}
        for name, here in self.began.items():
            gone = self._part(step.terminated, name) | self._part(step.truncated, name)
            self._lives[name] += int((here & ~gone).sum())

    def _part(self, value: Any, name: str) -> np.ndarray:
        """Pick a role's array; one role's stands alone."""
        return np.asarray(value if len(self._spec.roles) == 1 else value[name])


def joint_outcome(outcomes: Iterable[str]) -> str:
    """Give the outcome that all agents share; `neutral` if they differ, `none` before the end."""
    found = set(outcomes) or {"none"}
    if "none" in found:
        return "none"
    return found.pop() if len(found) == 1 else "neutral"


def play_match(  # noqa: PLR0913 (the one front door)
    source: Any,
    programs: Mapping[str, str],
    overrides: Mapping[str, Any] | None = None,
    *,
    seed: int = 0,
    limits: Limits = Limits(),  # noqa: B008 (frozen)
    replay: Path | None = None,
    target: str = "cpu",
    archetypes: str | Iterable[str] = (),
) -> MatchResult:
    """Play one episode; `programs` gives each role `module:name` or `file.py:name`."""
    env = make(source, overrides, target=target, seed=seed, autoreset="off", archetypes=archetypes)
    if set(programs) != set(env.spec.roles):
        needed = list(env.spec.roles)
        raise ActionError(f"programs must be given for {needed}, got {list(programs)}")
    result = MatchResult(outcome=dict.fromkeys(env.spec.roles, "none"))
    result.mean_return = dict.fromkeys(env.spec.roles, 0.0)
    players = {name: PlayerProcess(role, programs[name]) for name, role in env.spec.roles.items()}
    actions: list[dict[str, Any]] = []
    try:
        for name, player in players.items():
            begin: dict[str, Any] = {"kind": "begin", "role": name, "program": programs[name]}
            begin |= {"config": dump(env.config), "seed": seed}
            _attempt(result, player, begin, limits.start_seconds, "ready")
        _play(env, players, limits, result, actions)
    finally:
        for player in players.values():
            player.stop()
    result.slowest = {name: player.slowest for name, player in players.items()}
    if replay is not None:
        result.replay = str(write_replay(replay, env, seed, actions, result.forfeits))
    return result


def _attempt(
    result: MatchResult,
    player: PlayerProcess,
    message: Mapping[str, Any],
    seconds: float,
    wanted: str,
) -> dict[str, Any] | None:
    """Ask a player; a forfeit is noted, not raised, so that the others are asked too."""
    try:
        return player.ask(message, seconds, wanted)
    except ForfeitError as error:
        result.forfeits[player.role.name] = f"step {result.steps}: {error}"
        return None


def _play(
    env: Engine, players: Mapping[str, PlayerProcess], limits: Limits, result: MatchResult,
    actions: list[dict[str, Any]],
) -> None:  # fmt: skip
    step, one = env.reset(), len(players) == 1
    score = Score(env, step)
    while not result.forfeits and not bool(np.asarray(step.episode_over)[0]):
        chosen: dict[str, Any] = {}
        for name, player in players.items():
            message = {
                "kind": "move",
                "obs": np.asarray(step.obs if one else step.obs[name]),
                "mask": np.asarray(step.mask if one else step.mask[name]),
                "info": {
                    key: np.asarray(value)
                    for key, value in (step.info if one else step.info[name]).items()
                },
                "began": score.began[name],
            }
            answer = _attempt(result, player, message, limits.move_seconds, "action")
            if answer is not None:
                chosen[name] = _read_action(result, player, answer)
        if result.forfeits:
            break
        step = env.step(chosen if len(chosen) > 1 else next(iter(chosen.values())))
        actions.append(chosen)
        score.add(step, result)


def _read_action(result: MatchResult, player: PlayerProcess, answer: Mapping[str, Any]) -> Any:
    """Check the form of an action; the env handles its values."""
    role, action = player.role, player.role.action
    lead = (1, role.num_agents)
    idle = action.noop(lead)
    parts = []
    kinds = {"choice": (len(action.choices), "iu"), "level": (len(action.levels), "f")}
    for key, (count, kind) in kinds.items():
        given = answer.get(key)
        shape = (*lead, count)
        if count and (
            not isinstance(given, np.ndarray)
            or given.shape != shape
            or given.dtype.kind not in kind
        ):
            got = f"{given.dtype} {given.shape}" if isinstance(given, np.ndarray) else repr(given)
            what = f"{player.program}: {key} must be of kind {kind!r} and shape {shape}, got {got}"
            result.forfeits[role.name] = f"step {result.steps}: {what}"
            return idle
        parts.append(given)
    return action.join(*(np.asarray(0) if part is None else part for part in parts))
