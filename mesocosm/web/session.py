"""A session: one worker, what it said last, and the clients that follow it."""

import asyncio
import json
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

from mesocosm.core.errors import MesocosmError
from mesocosm.web.client import Client
from mesocosm.web.encoding import encode
from mesocosm.web.ring import Ring
from mesocosm.web.settings import Limits
from mesocosm.web.workers.channel import EVENTS, FRAME, METRICS, RESULT, STATUS, Message
from mesocosm.web.workers.plan import AGENT, EVERYTHING, check_perspective
from mesocosm.web.workers.process import Worker
from mesocosm.web.workers.spare import Spare

PLAYED = ("run", "replay")  # kinds that have frames
PLAYED_ROWS, JOB_ROWS = 1024, 8192  # that are kept of metrics and of events
ENDED = ("finished", "stopped", "crashed")
TOLD_TO_AGENTS = frozenset(
    ("type", "id", "kind", "status", "step", "t", "episode", "num_steps", "speed", "paused")
)
ELSEWHERE = "the run crashed; whoever sees everything is told why"
STOP_SECONDS = 8.0  # for writing what is left


@dataclass(frozen=True)
class Work:
    """What a session does.

    Args:
        kind: run, replay, training, evaluation, verification or film.
        task: One of `TASKS` of the workers.
        about: What is told of it, as JSON.
    """

    kind: str
    task: str
    plan: Any
    memory: int
    about: Mapping[str, Any] = field(default_factory=dict)


class Session:
    """Follows a worker from its start to its end, and keeps what it said last."""

    def __init__(self, name: str, work: Work, limits: Limits, spare: Spare) -> None:
        self.name, self.kind, self.plan = name, work.kind, work.plan
        self.about = dict(work.about)
        self.started = datetime.now(UTC).isoformat(timespec="seconds")
        self.status, self.error = "starting", ""
        self.progress: dict[str, Any] = {}  # what the worker said last of itself
        self.result: Any = None
        rows = PLAYED_ROWS if work.kind in PLAYED else JOB_ROWS
        self.metrics, self.events = Ring(rows), Ring(rows)
        self.clients: set[Client] = set()
        self._frames: dict[str, bytes] = {}
        self._drawings: bytes | None = None
        self._stopping = False
        self._begun = asyncio.Event()  # it answers from now on, or has ended
        self._worker = Worker(
            work.task,
            work.plan,
            spare=spare,
            limits=limits,
            memory=work.memory,
            on_message=self._take,
            on_end=self._end,
        )

    @property
    def ended(self) -> bool:
        return self.status in ENDED

    @property
    def pid(self) -> int | None:
        """The worker's process."""
        return self._worker.pid

    @property
    def held(self) -> list[int]:
        """The agents that clients have taken over, for as long as they stay."""
        return sorted({agent for client in self.clients for agent in client.taken})

    def summary(self) -> dict[str, Any]:
        """Say what the session is, and how far it is."""
        return {
            **self.about,
            "id": self.name,
            "kind": self.kind,
            "started": self.started,
            "status": self.status,
            "error": self.error,
            "clients": len(self.clients),
            "progress": self.progress,
            "result": self.result,
        }

    def rings(self, perspective: str) -> dict[str, Ring]:
        """Give the rows that who watches so may see; an agent's perspective has none."""
        if perspective != EVERYTHING:
            return {}
        return {"metrics": self.metrics, "events": self.events}

    def last_frame(self, perspective: str) -> bytes | None:
        """Give the last frame that somebody watched."""
        return self._frames.get(perspective)

    def _take(self, message: Message) -> None:
        """Take in what the worker says."""
        if message.kind == FRAME:
            self._frames[message.about] = message.payload
            for client in self.clients:
                if client.perspective == message.about:
                    client.offer_frame(message.payload)
            return
        if message.kind == METRICS:
            self.metrics.add(message.payload)
        elif message.kind == EVENTS:
            for event in json.loads(message.payload):
                self.events.add(encode(event))
        elif message.kind == RESULT:
            self.result = message.data
        elif message.kind == STATUS:
            self.progress = message.data
            self.status = str(self.progress.pop("status", "running"))
            self._begun.set()
            self._tell_status()
        if message.kind in (METRICS, EVENTS):
            for client in self.clients:
                client.wake.set()

    def _tell_status(self) -> None:
        data = self._status_data()
        shared = encode(data)
        for client in self.clients:
            all_of_it = client.perspective == EVERYTHING
            client.offer_status(shared if all_of_it else encode(status_for(data, client)))

    def _offer_status(self, client: Client) -> None:
        """Tell one client how it stands."""
        data = self._status_data()
        everything = client.perspective == EVERYTHING
        client.offer_status(encode(data if everything else status_for(data, client)))

    def _status_data(self) -> dict[str, Any]:
        data: dict[str, Any] = {"type": "status", "id": self.name, "kind": self.kind}
        data |= {"status": self.status, "error": self.error, **self.progress}
        if self.kind in PLAYED:
            data["held"] = self.held
        return data if self.result is None else data | {"result": self.result}

    def _end(self, why: str) -> None:
        """Say how the worker ended."""
        self._begun.set()
        if self._stopping:
            self.status = "stopped"
        elif why:
            self.status, self.error = "crashed", why
        else:
            self.status = "finished"
        self._tell_status()

    async def ask(self, command: str, **arguments: Any) -> Message:
        """Send the worker a command, and wait for its answer."""
        return await self._worker.ask(command, **arguments)

    async def drawings(self) -> bytes:
        """Give what the session's scenes name; it is kept, so that the last one can be drawn."""
        if self._drawings is None:
            self._drawings = (await self.ask("drawings")).payload
        return self._drawings

    async def join(self, client: Client) -> None:
        """Let a client watch from now on."""
        self._check(client.perspective)
        self.clients.add(client)
        self._offer_status(client)
        try:
            await self._show(client)
        except BaseException:
            self.clients.discard(client)
            raise

    def _check(self, perspective: str) -> None:
        """Refuse a perspective that there is not, also before the worker could."""
        if self.kind in PLAYED:
            check_perspective(perspective, int(self.about["num_agents"]))

    async def _show(self, client: Client) -> None:
        """Give a client its first frame: the last one if others watch the same, else a new one."""
        same = any(c.perspective == client.perspective for c in self.clients if c is not client)
        last = self._frames.get(client.perspective)
        if last is not None and (same or self.ended):
            client.offer_frame(last)
        await self._begun.wait()
        if not self.ended and self.kind in PLAYED:
            await self._watch([client.perspective] if last is None or not same else [])

    async def switch(self, client: Client, perspective: str) -> None:
        """Let a client watch from another perspective; refused, it stays where it was."""
        self._check(perspective)
        before = client.perspective
        client.perspective = perspective
        client.forget_frame()
        self._offer_status(client)
        try:
            await self._show(client)
        except MesocosmError:
            client.perspective = before
            raise

    async def take(self, client: Client, agents: list[int]) -> None:
        """Take agents over for a client, for as long as it stays."""
        before = client.taken
        client.taken = before | set(agents)  # first: the status that follows tells of it
        try:
            await self.ask("take", agents=agents)
        except MesocosmError:
            client.taken = before
            raise

    async def release(self, agents: list[int]) -> None:
        """Give agents back to their policies, whoever had them."""
        for client in self.clients:
            client.taken -= set(agents)
        await self.ask("release", agents=agents)

    async def leave(self, client: Client) -> None:
        """Let a client go; its agents are played by their policies again."""
        self.clients.discard(client)
        if self.ended or self.kind not in PLAYED:
            return
        with suppress(MesocosmError):
            await self._watch([])
            left = client.taken - set(self.held)
            if left:
                await self.ask("release", agents=sorted(left))

    async def _watch(self, fresh: list[str]) -> None:
        """Tell the worker what is watched, and what of it is to be drawn at once."""
        watched = sorted({client.perspective for client in self.clients})
        for unwatched in set(self._frames) - set(watched):
            if unwatched != EVERYTHING:
                del self._frames[unwatched]
        await self.ask("watch", perspectives=watched, fresh=fresh)

    def check(self) -> None:
        """End a worker that hangs."""
        if not self._worker.ended:
            self._worker.check()

    async def stop(self) -> None:
        """End the worker, if need be by force."""
        if self.ended:
            return
        self._stopping = True
        if self.status != "starting":  # then it would not listen, and there is nothing to write
            with suppress(MesocosmError, TimeoutError):
                await asyncio.wait_for(self.ask("stop"), STOP_SECONDS)
                await self._worker.wait(STOP_SECONDS)
        self.kill()
        await self._worker.wait(STOP_SECONDS)

    def kill(self) -> None:
        """End the worker at once."""
        self._worker.kill()


def status_for(data: Mapping[str, Any], client: Client) -> dict[str, Any]:
    """Give the part of a status that tells of the agents that somebody sees with, or took."""
    made = {key: value for key, value in data.items() if key in TOLD_TO_AGENTS}
    own = {int(client.perspective.removeprefix(AGENT)), *client.taken}
    for key in ("taken", "waiting", "held"):
        made[key] = [agent for agent in data.get(key, ()) if agent in own]
    if made["status"] == "waiting" and not made["waiting"]:
        made["status"] = "running"  # for somebody else
    made["error"] = ELSEWHERE if data["error"] else ""
    return made
