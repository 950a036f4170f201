"""Pictures of presets: one worker draws all of a world, each is given as soon as it is there."""

import asyncio
from typing import Any

from mesocosm.core.errors import MesocosmError, RunError, unknown
from mesocosm.web.once import Once
from mesocosm.web.policies import suggest_policy
from mesocosm.web.workers.channel import RESULT, Message
from mesocosm.web.workers.thumbnail import ShowPlan, ThumbnailsPlan
from mesocosm.worlds import registry

Picture = dict[str, Any]


class Thumbnails:
    """Keeps the pictures and films of presets, which are the same whenever they are drawn."""

    def __init__(self, once: Once) -> None:
        self._once = once
        self._drawn: dict[str, asyncio.Future[Picture]] = {}
        self._films: dict[str, Picture] = {}
        self._works: set[asyncio.Task[None]] = set()

    async def picture(self, world: str, preset: str) -> Picture:
        """Give the picture of a preset."""
        name = _plan(world, preset).preset
        if name not in self._drawn:
            self._begin(world)
        return await asyncio.shield(self._drawn[name])

    async def film(self, world: str, preset: str) -> Picture:
        """Give the scenes that follow a picture."""
        plan = _plan(world, preset)
        if plan.preset not in self._films:
            self._films[plan.preset] = await self._once.do("preset film", plan)
        return self._films[plan.preset]

    def _begin(self, world: str) -> None:
        """Let a worker draw all presets of a world that are not drawn yet, the default first."""
        first = registry.find(world).default_preset
        names = sorted(registry.presets(world), key=lambda name: name != first)
        plans = [_plan(world, name) for name in names if f"{world}/{name}" not in self._drawn]
        loop = asyncio.get_running_loop()
        for plan in plans:
            self._drawn[plan.preset] = loop.create_future()
        work = loop.create_task(self._draw(plans))
        self._works.add(work)
        work.add_done_callback(self._works.discard)

    async def _draw(self, plans: list[ShowPlan]) -> None:
        def take(message: Message) -> None:
            waiting = self._drawn.get(message.about)
            if message.kind == RESULT and waiting is not None and not waiting.done():
                waiting.set_result(message.data)

        why: MesocosmError = RunError("the worker that drew it ended")
        try:
            wanted = ThumbnailsPlan({plan.preset: plan.policy for plan in plans})
            await self._once.do("thumbnails", wanted, take)
        except MesocosmError as error:
            why = error
        finally:
            for plan in plans:
                waiting = self._drawn[plan.preset]
                if not waiting.done():  # to be tried again when it is asked for again
                    del self._drawn[plan.preset]
                    waiting.set_exception(why)
                    waiting.exception()  # perhaps nobody waits for it


def _plan(world: str, preset: str) -> ShowPlan:
    known = registry.presets(registry.find(world).name)
    if preset not in known:
        raise unknown("preset", f"{world}/{preset}", [f"{world}/{name}" for name in known])
    return ShowPlan(f"{world}/{preset}", suggest_policy(world, preset, trained=False))
