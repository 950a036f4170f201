"""What every request must pass before a route is found: host, origin, token, size."""

import hmac
import json
from collections.abc import Iterable
from typing import Any
from urllib.parse import parse_qs, urlsplit

from starlette.exceptions import HTTPException
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from mesocosm.web.settings import PROTOCOL, Settings

API = "/api/"
UPLOAD = "/api/bundles"
BEARER = "bearer "
POLICY_VIOLATION = 1008
HEADERS = (
    (b"x-content-type-options", b"nosniff"),
    (b"x-frame-options", b"DENY"),
    (b"referrer-policy", b"no-referrer"),
    (b"cross-origin-opener-policy", b"same-origin"),
    (b"cross-origin-resource-policy", b"same-origin"),
    (
        b"content-security-policy",
        b"default-src 'self'; img-src 'self' data: blob:; style-src 'self' 'unsafe-inline'; "
        b"connect-src 'self'; object-src 'none'; base-uri 'none'; frame-ancestors 'none'; "
        b"form-action 'none'",
    ),
)


class TooLargeError(HTTPException):
    """A body is larger than it may be."""

    def __init__(self, most: int) -> None:
        super().__init__(413, f"a request may have {most:,} bytes")


class Guard:
    """Refuses requests of other sites, of other names of this machine, and without the token."""

    def __init__(self, app: ASGIApp, settings: Settings) -> None:
        self._app, self._limits = app, settings.limits
        self._hosts = settings.allowed_hosts
        self._token = settings.token.encode()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on, or answer it with a refusal."""
        if scope["type"] not in ("http", "websocket"):
            await self._app(scope, receive, send)
            return
        headers = _headers(scope["headers"])
        refusal = self._find_fault(scope, headers)
        if refusal is None and scope["type"] == "websocket":
            await self._app(scope, receive, send)
        elif refusal is None:
            await self._pass_on(scope, receive, send, headers)
        elif scope["type"] == "websocket":
            await send({"type": "websocket.close", "code": POLICY_VIOLATION, "reason": refusal[1]})
        else:
            await _refuse(send, *refusal)

    def _find_fault(self, scope: Scope, headers: dict[str, list[str]]) -> tuple[int, str] | None:
        hosts = headers.get("host", [])
        if len(hosts) != 1 or hosts[0].lower() not in self._hosts:
            return 421, "this server does not go by that name"
        origins = headers.get("origin", [])
        if any(not self._is_own(origin, hosts[0]) for origin in origins):
            return 403, "requests of other sites are refused"
        sites = headers.get("sec-fetch-site", [])
        if is_api(scope) and any(site not in ("same-origin", "none") for site in sites):
            return 403, "requests of other sites are refused"
        if is_api(scope) and not self._has_token(scope, headers):
            return 401, "the token is missing or wrong; it is in the link that the server printed"
        return None

    def _is_own(self, origin: str, host: str) -> bool:
        found = urlsplit(origin)
        return found.scheme in ("http", "https") and found.netloc.lower() == host.lower()

    def _has_token(self, scope: Scope, headers: dict[str, list[str]]) -> bool:
        given = [
            value[len(BEARER) :]
            for value in headers.get("authorization", [])
            if value.lower().startswith(BEARER)
        ]
        given += parse_qs(scope.get("query_string", b"").decode("latin-1")).get("token", [])
        given += [
            name.removeprefix(PROTOCOL)
            for name in scope.get("subprotocols", [])
            if name.startswith(PROTOCOL)
        ]
        found = [token.strip().encode("latin-1", "replace") for token in given]
        return bool(found) and all(hmac.compare_digest(token, self._token) for token in found)

    async def _pass_on(
        self, scope: Scope, receive: Receive, send: Send, headers: dict[str, list[str]]
    ) -> None:
        limits = self._limits
        most = limits.upload if scope["path"] == UPLOAD else limits.body
        said = headers.get("content-length", ["0"])[-1]
        if not said.isdecimal() or int(said[:18]) > most:
            await _refuse(send, 413, f"a request may have {most:,} bytes")
            return
        size = 0

        async def counted() -> Message:
            nonlocal size
            message = await receive()
            size += len(message.get("body", b""))
            if size > most:
                raise TooLargeError(most)
            return message

        async def sending(message: Message) -> None:
            if message["type"] == "http.response.start":
                message["headers"] = [*message.get("headers", []), *HEADERS]
            await send(message)

        await self._app(scope, counted, sending)


def is_api(scope: Scope) -> bool:
    """Whether a request is for anything but the page itself."""
    path = scope["path"]
    return scope["type"] == "websocket" or path.lower().startswith(API) or path.lower() == API[:-1]


def _headers(pairs: Iterable[tuple[bytes, bytes]]) -> dict[str, list[str]]:
    made: dict[str, list[str]] = {}
    for name, value in pairs:
        made.setdefault(name.decode("latin-1").lower(), []).append(value.decode("latin-1"))
    return made


async def _refuse(send: Send, status: int, why: str) -> None:
    body = json.dumps({"error": why, "problems": []}).encode()
    headers: list[Any] = [(b"content-type", b"application/json"), *HEADERS]
    headers.append((b"content-length", str(len(body)).encode()))
    if status == 401:
        headers.append((b"www-authenticate", b"Bearer"))
    await send({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": body})
