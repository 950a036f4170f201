"""Play a game at its pace, answer commands, and send what somebody watches."""

import json
import time
from collections.abc import Callable
from typing import Any

from mesocosm.core.errors import ActionError, MesocosmError
from mesocosm.web.encoding import encode
from mesocosm.web.workers.channel import EVENTS, FRAME, METRICS, REPLY, STATUS, Message
from mesocosm.web.workers.entry import Desk, Stopped
from mesocosm.web.workers.frames import FrameMaker, Game
from mesocosm.web.workers.live import LiveGame
from mesocosm.web.workers.metrics import ReturnCounter
from mesocosm.web.workers.plan import EVERYTHING, PlayPlan
from mesocosm.web.workers.playback import Playback

FRAMES_PER_SECOND = 40.0
STATUS_SECONDS = 0.25
MOST_EVENTS = 256  # of one message
MOST_SPEED = 10_000.0  # steps per second that can be asked for
LONGEST_WAIT = 3600.0
LATE_SECONDS = 0.1  # that a run makes up for, so that it keeps its pace


def play(desk: Desk, plan: PlayPlan) -> None:
    """Play a live run or a replay until it is stopped."""
    game: Game = Playback(plan) if plan.replay else LiveGame(plan)
    loop = PlayLoop(desk, game, plan)
    try:
        loop.run()
    except Stopped:
        desk.starting()  # to write what is left may take long
        game.close("interrupted")
    except BaseException as error:
        desk.starting()
        game.close("failed", f"{type(error).__name__}: {' '.join(str(error).split())}")
        raise
    else:
        desk.starting()
        game.close("finished")


class PlayLoop:
    """The clock of a game, and its ears."""

    def __init__(self, desk: Desk, game: Game, plan: PlayPlan) -> None:
        self._desk, self._game, self._most = desk, game, plan.steps
        self._frames, self._returns = FrameMaker(game), ReturnCounter(game)
        self._speed, self._paused = plan.speed, plan.paused
        self._owed = 0  # steps to play although it is paused
        self._due = time.monotonic()
        self._shown = self._told = 0.0
        self._done = self._at_end = False
        self._encoded = 0  # frames, each once for all who watch
        self._watched: list[str] = []
        self._events: list[dict[str, Any]] = []
        self._commands: dict[str, Callable[..., Any]] = {
            "pause": self._pause, "resume": self._resume, "step": self._step, "speed": self._set,
            "stop": self._stop, "watch": self._watch, "frame": self._frame, "seek": self._seek,
            "take": self._take, "release": self._release, "act": self._act, "pack": self._pack,
            "drawings": self._drawings,
        }  # fmt: skip

    def run(self) -> None:
        """Play until it is stopped."""
        self._say_status()
        first = True
        while not self._done:
            self._desk.idle()
            message = self._desk.receive(self._seconds_left())
            if message is not None:
                self._desk.busy()
                self._answer(message)
            elif self._may_play():
                # rules may compile in the first step
                self._desk.starting() if first else self._desk.busy()
                first = False
                self._advance()
        self._say_status()

    def _may_play(self) -> bool:
        return (not self._paused or self._owed > 0) and not self._game.waiting and not self._at_end

    def _seconds_left(self) -> float:
        if not self._may_play():
            return LONGEST_WAIT
        return 0.0 if self._owed else max(self._due - time.monotonic(), 0.0)

    def _advance(self) -> None:
        if not self._game.advance():
            self._at_end = self._paused = True  # who goes back from the end looks around there
        else:
            self._returns.advance()
        self._owed = max(self._owed - 1, 0)
        self._done = bool(self._most) and self._game.step >= self._most
        now = time.monotonic()
        self._due = max(self._due + 1.0 / self._speed, now - LATE_SECONDS) if self._speed else now
        over = bool(self._game.view.episode_over[0]) or self._at_end
        resting = (self._paused and not self._owed) or bool(self._game.waiting)
        if resting or over or now - self._shown >= 0.9 / FRAMES_PER_SECOND:
            self._show(now)
        if resting or over or now - self._told >= STATUS_SECONDS:
            self._say_status()

    def _show(self, now: float) -> None:
        """Send this moment to those who watch, and to the records of the server."""
        self._shown = now
        events = self._game.env.events()[-MOST_EVENTS:]
        for event in events:
            event["step"] = self._game.step - self._game.t + event["t"]
        self._desk.channel.send(METRICS, encode(self._returns.row()))
        if events:
            self._desk.channel.send(EVENTS, encode(events))
        self._events = events
        for perspective in self._watched:
            self._send_frame(perspective)

    def _send_frame(self, perspective: str) -> None:
        self._encoded += 1
        self._desk.channel.send(FRAME, self._frames.make(perspective, self._events), perspective)

    def _say_status(self) -> None:
        self._told = time.monotonic()
        game, status = self._game, "paused" if self._paused or self._at_end else "running"
        data = {
            "status": "waiting" if game.waiting else status,  # the end is said by its process
            "step": game.step,
            "t": game.t,
            "episode": game.episode,
            "num_steps": game.num_steps,
            "speed": self._speed,
            "paused": self._paused or self._at_end,
            "taken": sorted(game.persons),
            "waiting": list(game.waiting),
            "cpu_seconds": round(time.process_time(), 4),
            "frames_encoded": self._encoded,
        }
        self._desk.channel.send_data(STATUS, data)

    def _answer(self, message: Message) -> None:
        """Carry out a command; what is wrong with it is its answer."""
        data = json.loads(message.payload)
        number = data.pop("id")
        try:
            found = self._commands[message.kind](**data)
        except MesocosmError as error:
            self._desk.channel.send_data(REPLY, " ".join(str(error).split()), f"{number} refused")
            return
        if message.kind not in ("frame", "pack", "drawings", "watch"):
            self._say_status()  # first, so that the answer finds it known
        payload = found if isinstance(found, bytes) else encode(found)
        self._desk.channel.send(REPLY, payload, str(number))

    def _pause(self) -> None:
        self._paused, self._owed = True, 0

    def _resume(self) -> None:
        self._paused, self._owed, self._due = False, 0, time.monotonic()

    def _step(self, count: int) -> None:
        self._paused, self._owed = True, count

    def _set(self, speed: float) -> None:
        if not 0.0 <= speed <= MOST_SPEED:
            raise ActionError(f"speed: must be between 0 and {MOST_SPEED:g}, got {speed}")
        self._speed, self._due = speed, time.monotonic()

    def _stop(self) -> None:
        self._done = True

    def _watch(self, perspectives: list[str], fresh: list[str]) -> None:
        for perspective in perspectives:
            self._frames.check(perspective)
        self._watched = perspectives
        for perspective in fresh:
            self._send_frame(perspective)

    def _frame(self, perspective: str = EVERYTHING) -> bytes:
        return self._frames.make(self._frames.check(perspective), self._events)

    def _drawings(self) -> dict[str, Any]:
        return self._frames.drawings()

    def _seek(self, step: int) -> None:
        self._game.seek(step)
        self._frames.forget()
        self._at_end = False
        self._show(time.monotonic())

    def _take(self, agents: list[int]) -> None:
        self._game.take(agents)

    def _release(self, agents: list[int]) -> None:
        self._game.release(agents)

    def _act(self, agent: int, choice: list[int], level: list[float]) -> None:
        self._game.act(agent, choice, level)

    def _pack(self, step: int | None) -> bytes:
        return self._game.pack(self._game.step if step is None else step)
