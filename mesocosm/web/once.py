"""Work that is waited for: a worker does it, and gives one result."""

import asyncio
from collections.abc import Callable
from typing import Any

from mesocosm.core.errors import BundleError
from mesocosm.web.settings import Settings
from mesocosm.web.workers.channel import RESULT, Message
from mesocosm.web.workers.process import Worker
from mesocosm.web.workers.spare import Spares

MOST_AT_A_TIME = 2


class Once:
    """Lets workers do small work, few at a time."""

    def __init__(self, settings: Settings, spares: Spares) -> None:
        self._spares = spares
        self._limits = settings.limits
        self._free = asyncio.Semaphore(MOST_AT_A_TIME)

    async def do(
        self, task: str, plan: Any, on_message: Callable[[Message], None] | None = None
    ) -> Any:
        """Give the first result of a task, or raise what it could not do.

        Args:
            on_message: Gets everything that the worker says, as it comes.
        """
        loop = asyncio.get_running_loop()
        results: list[Any] = []
        ended: asyncio.Future[str] = loop.create_future()

        def take(message: Message) -> None:
            if on_message is not None:
                on_message(message)
            if message.kind == RESULT and not results:
                results.append(message.data)

        async with self._free:
            worker = Worker(
                task,
                plan,
                spare=self._spares.take(),
                limits=self._limits,
                memory=self._limits.memory,
                on_message=take,
                on_end=ended.set_result,
            )
            try:
                why = await asyncio.wait_for(ended, self._limits.start_seconds)
            finally:
                worker.kill()
        if not results or (why and on_message is not None):
            raise BundleError(why or "nothing came of it")
        return results[0]
