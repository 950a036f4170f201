"""The stream of a session: status, metrics, events and frames out; actions of people in."""

import asyncio
from contextlib import suppress
from typing import Any

from fastapi import APIRouter, WebSocket
from pydantic import TypeAdapter, ValidationError
from starlette.websockets import WebSocketDisconnect, WebSocketState

from mesocosm.core.errors import MesocosmError
from mesocosm.web.client import Client
from mesocosm.web.encoding import encode
from mesocosm.web.models.stream import Act, ClientMessage, Release, Take, Watch
from mesocosm.web.session import Session
from mesocosm.web.settings import PROTOCOL
from mesocosm.web.state import get_state
from mesocosm.web.workers.plan import EVERYTHING

router = APIRouter()
TRY_AGAIN, REFUSED = 1013, 4004
_MESSAGE: TypeAdapter[ClientMessage] = TypeAdapter(ClientMessage)


@router.websocket("/streams/{name}")
async def stream(socket: WebSocket, name: str) -> None:
    """Send what a session does, from one perspective, for as long as the client stays."""
    state = get_state(socket)
    chosen = next((p for p in socket.scope["subprotocols"] if p.startswith(PROTOCOL)), None)
    await socket.accept(chosen)
    if state.sessions.num_clients >= state.settings.limits.clients:
        await socket.close(TRY_AGAIN, "too many streams")
        return
    client = Client(socket.query_params.get("perspective", EVERYTHING)[:40])
    try:
        await _follow(socket, state.sessions.find(name), client)
    except MesocosmError as error:
        with suppress(Exception):
            await socket.send_bytes(encode({"type": "error", "error": str(error)}))
            await socket.close(REFUSED, str(error).encode()[:120].decode("utf-8", "ignore"))
    if socket.application_state == WebSocketState.CONNECTED:
        with suppress(Exception):
            await socket.close()


async def _follow(socket: WebSocket, session: Session, client: Client) -> None:
    """Send and receive from the beginning, for a run that starts may take long to be joined."""
    joining = asyncio.create_task(session.join(client))
    tasks = [
        asyncio.create_task(_send(socket, session, client)),
        asyncio.create_task(_receive(socket, session, client)),
    ]
    try:
        done, _ = await asyncio.wait([joining, *tasks], return_when=asyncio.FIRST_COMPLETED)
        if joining in done:
            joining.result()  # raises why it may not
            await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
    finally:
        for task in (joining, *tasks):
            task.cancel()
        await asyncio.gather(joining, *tasks, return_exceptions=True)
        await session.leave(client)


async def _send(socket: WebSocket, session: Session, client: Client) -> None:
    """Send what is new; the next is taken when the socket has room again."""
    while True:
        await client.wake.wait()
        for message in client.next_messages(session.rings(client.perspective)):
            await socket.send_bytes(message)


async def _receive(socket: WebSocket, session: Session, client: Client) -> None:
    """Do what the client wants; what cannot be done is answered."""
    while True:
        try:
            text = await socket.receive_text()
            asked = _MESSAGE.validate_json(text)
        except WebSocketDisconnect:
            return
        except (ValidationError, KeyError) as error:
            client.say(encode({"type": "error", "error": _say(error)}))
            continue
        try:
            await _carry_out(asked, session, client)
        except MesocosmError as error:
            client.say(encode({"type": "error", "error": str(error), "to": asked.type}))


async def _carry_out(asked: ClientMessage, session: Session, client: Client) -> None:
    if isinstance(asked, Watch):
        await session.switch(client, asked.perspective)
    elif isinstance(asked, Take):
        await session.take(client, asked.agents)
    elif isinstance(asked, Release):
        await session.release(asked.agents)
    elif isinstance(asked, Act):
        await session.ask("act", agent=asked.agent, choice=asked.choice, level=asked.level)


def _say(error: Exception) -> str:
    if isinstance(error, ValidationError):
        first: Any = error.errors(include_url=False, include_context=False)[0]
        where = ".".join(map(str, first["loc"]))
        return f"{where}: {first['msg']}" if where else str(first["msg"])
    return "messages are JSON text"
