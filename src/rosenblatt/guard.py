"""Access control for the local server: only its own page may send requests.

Any site that is open in the same browser can send requests to 127.0.0.1. Checking ``Host``
prevents DNS rebinding, in which a page has its own name resolved to this machine; checking
``Origin`` and ``Sec-Fetch-Site`` rejects requests from other pages.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, MutableMapping
from typing import Any

import msgspec

Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]
App = Callable[[Message, Receive, Send], Awaitable[None]]

SAFE_METHODS = ("GET", "HEAD")
POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; "
    "connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)
HEADERS = {
    "content-security-policy": POLICY,
    "x-content-type-options": "nosniff",
    "referrer-policy": "no-referrer",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "cache-control": "no-store",
}


class Guard:
    """ASGI middleware that rejects requests from other sites, and all WebSockets, on every route.

    Parameters
    ----------
    app : ASGI application
        What answers the requests that are let through.
    port : int
        Where the server listens: requests must name this machine and this port.
    max_bytes : int
        The longest body that is read.
    headers : mapping, default=HEADERS
        Headers that every response gets, whoever made it.
    """

    def __init__(
        self, app: App, *, port: int, max_bytes: int, headers: Mapping[str, str] = HEADERS
    ) -> None:
        self._app = app
        self._max_bytes = max_bytes
        self._headers = headers
        names = ("127.0.0.1", "localhost", "[::1]")
        self._hosts = {f"{name}:{port}" for name in names}
        if port == 80:  # which browsers leave out
            self._hosts.update(names)
        self._origins = {f"http://{host}" for host in self._hosts}

    async def __call__(self, scope: Message, receive: Receive, send: Send) -> None:
        if scope["type"] == "websocket":
            await receive()
            await send({"type": "websocket.close", "code": 1008})
            return
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return

        async def send_with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                fixed = self._headers
                kept = [(k, v) for k, v in message["headers"] if k.decode().lower() not in fixed]
                added = [(k.encode(), v.encode()) for k, v in fixed.items()]
                message = {**message, "headers": kept + added}
            await send(message)

        refused = self._refusal(scope)
        if refused is None:
            await self._app(scope, receive, send_with_headers)
            return
        status, sentence = refused
        body = msgspec.json.encode({"error": {"message": sentence}})
        headers = [
            (b"content-type", b"application/json"),
            (b"content-length", str(len(body)).encode()),
        ]
        await send_with_headers(
            {"type": "http.response.start", "status": status, "headers": headers}
        )
        await send({"type": "http.response.body", "body": body})

    def _refusal(self, scope: Message) -> tuple[int, str] | None:
        """Return the status and the error message for a rejected request; None if it is allowed."""
        if _all(scope, b"host") not in [[host] for host in self._hosts]:
            return 421, "This server answers to 127.0.0.1 and localhost only."
        if scope["method"] in SAFE_METHODS:
            return None
        origins, sites = _all(scope, b"origin"), _all(scope, b"sec-fetch-site")
        foreign = any(origin not in self._origins for origin in origins)
        if foreign or any(site != "same-origin" for site in sites):
            return 403, "Only pages of this server may send requests."
        kinds = [kind.partition(";")[0].strip().lower() for kind in _all(scope, b"content-type")]
        if kinds != ["application/json"]:
            return 415, "Requests are read as JSON (Content-Type: application/json)."
        lengths = [length for length in _all(scope, b"content-length") if length.isdecimal()]
        if any(int(length) > self._max_bytes for length in lengths):
            return 413, too_long(self._max_bytes)
        return None


def too_long(max_bytes: int) -> str:
    return f"The request is too long: at most {max_bytes:,} bytes are read."


def _all(scope: Message, name: bytes) -> list[str]:
    """Return all values of a header, so that a duplicate cannot bypass a check."""
    return [value.decode("latin-1") for key, value in scope["headers"] if key.lower() == name]
