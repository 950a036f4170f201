"""All sessions of the server: they are started, found, watched over and ended here."""

import asyncio
from collections.abc import Iterable, Iterator
from contextlib import suppress

from mesocosm.core.errors import MesocosmError, UnknownName, short
from mesocosm.web.folder import RunsFolder
from mesocosm.web.session import Session, Work
from mesocosm.web.settings import Settings
from mesocosm.web.workers.spare import Spares

CHECK_SECONDS = 0.5
MOST_ENDED = 64  # sessions that are remembered after their end


class FullError(MesocosmError, RuntimeError):
    """The server does as much as it may."""


class Sessions:
    """The sessions by name, the oldest first."""

    def __init__(self, settings: Settings, folder: RunsFolder, spares: Spares) -> None:
        self.settings, self.folder, self._spares = settings, folder, spares
        self._sessions: dict[str, Session] = {}
        self._watch: asyncio.Task[None] | None = None

    def __iter__(self) -> Iterator[Session]:
        return iter(list(self._sessions.values()))

    def begin(self) -> None:
        """Begin to watch over workers."""
        self._watch = asyncio.create_task(self._check())

    async def end(self) -> None:
        """End all workers."""
        if self._watch is not None:
            self._watch.cancel()
        with suppress(TimeoutError):
            await asyncio.wait_for(asyncio.gather(*(s.stop() for s in self)), 20.0)
        for session in self:
            session.kill()
        self._spares.end()

    def new_name(self, stem: str, taken: Iterable[str] = ()) -> str:
        """Choose the name of a new session, and of the run or the film that it makes."""
        return self.folder.free_name(stem, {*self._sessions, *taken})

    def start(self, name: str, work: Work) -> Session:
        """Start a worker."""
        most = self.settings.limits.sessions
        if sum(not session.ended for session in self) >= most:
            raise FullError(f"{most} runs are going on already; stop one first")
        ended = [session.name for session in self if session.ended and not session.clients]
        for old in ended[: max(len(ended) - MOST_ENDED, 0)]:
            del self._sessions[old]
        made = Session(name, work, self.settings.limits, self._spares.take())
        self._sessions[name] = made
        return made

    def find(self, name: str, *kinds: str) -> Session:
        """Find a session by its name."""
        found = self._sessions.get(name)
        if found is None or (kinds and found.kind not in kinds):
            what = " or ".join(kinds) or "session"
            raise UnknownName(
                f"no {what} named {short(name)} is known to this server; it may be from before "
                f"the server was started again"
            )
        return found

    @property
    def num_clients(self) -> int:
        return sum(len(session.clients) for session in self)

    async def _check(self) -> None:
        while True:
            await asyncio.sleep(CHECK_SECONDS)
            self._spares.fill()
            for session in self:
                session.check()
