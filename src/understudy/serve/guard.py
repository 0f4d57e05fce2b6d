"""Who may ask: the address and the origin of every request, how large it is, and what a browser may do with answers.

A page of somebody else that is open in the same browser can send requests to this machine, too. It cannot set the
header `Host` to ours, nor hide its `Origin`, nor send JSON without asking first; so these are checked.
"""

from __future__ import annotations

import asyncio
import hmac
from collections.abc import Awaitable, Callable, MutableMapping
from typing import Any
from urllib.parse import parse_qs

from understudy.serve.answers import Failure, write_answer

Scope = MutableMapping[str, Any]
Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]
App = Callable[[Scope, Receive, Send], Awaitable[None]]

LARGEST = 256 * 1024
"""Bytes of a body: a record of the longest game has a tenth of that."""
SLOWEST = 20.0
"""Seconds that a body may take to arrive."""
LOOPBACK = ("127.0.0.1", "localhost", "[::1]")
POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; "
    "font-src 'self'; manifest-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)
"""What our pages may load: nothing but what this server has; no exception for scripts or styles within a page."""
HEADERS = {
    "content-security-policy": POLICY,
    "x-content-type-options": "nosniff",
    "referrer-policy": "no-referrer",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "permissions-policy": "camera=(), microphone=(), geolocation=()",
}


class Refused(Exception):
    """A request that is not answered."""

    def __init__(self, status: int, sentence: str) -> None:
        super().__init__(sentence)
        self.status, self.sentence = status, sentence


class Guard:
    """Stands before the app; without *hosts* any name is answered to, and the token alone tells friends."""

    def __init__(self, app: App, *, hosts: tuple[str, ...], token: str | None = None) -> None:
        self.app, self.hosts, self.token = app, hosts, token

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass on a request that may be asked."""
        if scope["type"] == "lifespan":
            await self.app(scope, receive, send)
            return
        headers = {name.decode("latin-1").lower(): value.decode("latin-1") for name, value in scope["headers"]}
        try:
            self._check(scope, headers)
        except Refused as refused:
            await _refuse(scope, send, refused)
            return
        if scope["type"] == "http":
            await self._answer(scope, receive, send)
        else:
            await self.app(scope, receive, send)

    def _check(self, scope: Scope, headers: MutableMapping[str, str]) -> None:
        host = headers.get("host", "")
        if self.hosts and _without_port(host) not in self.hosts:
            raise Refused(421, f"this server does not answer to the name {host!r}")
        origin = headers.get("origin")
        if origin is not None and origin.partition("://")[2] != host:
            raise Refused(403, f"pages of {origin!r} may not ask this server")
        asks = scope["path"].startswith("/api/")
        if asks and headers.get("sec-fetch-site", "same-origin") not in ("same-origin", "none"):
            raise Refused(403, "other sites may not ask this server")
        if asks and self.token is not None and not self._knows_token(scope, headers):
            raise Refused(401, "this server needs its token: open the address that it printed")
        self._check_body(scope, headers)

    def _check_body(self, scope: Scope, headers: MutableMapping[str, str]) -> None:
        if scope["type"] != "http" or scope["method"] not in ("POST", "PUT", "PATCH"):
            return
        if headers.get("content-type", "").partition(";")[0].strip().lower() != "application/json":
            raise Refused(415, "requests must be JSON: the header Content-Type must be application/json")
        length = headers.get("content-length", "0")
        if not length.isdigit() or int(length) > LARGEST:
            raise Refused(413, f"requests have at most {LARGEST} bytes")

    def _knows_token(self, scope: Scope, headers: MutableMapping[str, str]) -> bool:
        query = parse_qs(scope.get("query_string", b"").decode("latin-1"))
        given = headers.get("x-understudy-token") or query.get("token", [""])[0]
        return hmac.compare_digest(given.encode(), (self.token or "").encode())

    async def _answer(self, scope: Scope, receive: Receive, send: Send) -> None:
        whole, taken = False, 0

        async def hear() -> Message:
            nonlocal whole, taken
            if whole:  # all that can still come is that whoever asked leaves
                return await receive()
            try:
                message = await asyncio.wait_for(receive(), SLOWEST)
            except TimeoutError:
                raise Refused(408, f"a request must be there within {SLOWEST:g} seconds") from None
            whole, taken = not message.get("more_body", False), taken + len(message.get("body", b""))
            if taken > LARGEST:
                raise Refused(413, f"requests have at most {LARGEST} bytes")
            return message

        async def say(message: Message) -> None:
            if message["type"] == "http.response.start":
                own = {name.lower() for name, _ in message["headers"]}
                added = [(name.encode(), value.encode()) for name, value in HEADERS.items() if name.encode() not in own]
                message["headers"] = [*message["headers"], *added]
            await send(message)

        await self.app(scope, hear, say)


def _without_port(host: str) -> str:
    name, colon, port = host.rpartition(":")
    return name if colon and port.isdigit() else host


async def _refuse(scope: Scope, send: Send, refused: Refused) -> None:
    if scope["type"] == "websocket":
        await send({"type": "websocket.close", "code": 1008, "reason": refused.sentence})
        return
    body = write_answer(Failure(error=refused.sentence))
    names = [(b"content-type", b"application/json"), (b"content-length", str(len(body)).encode())]
    names += [(name.encode(), value.encode()) for name, value in HEADERS.items()]
    await send({"type": "http.response.start", "status": refused.status, "headers": names})
    await send({"type": "http.response.body", "body": body})
