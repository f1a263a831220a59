"""The page on this machine: a thin layer of HTTP over a session."""

from __future__ import annotations

import asyncio
import signal
import socket
import threading
import webbrowser
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import Any

import msgspec

from rosenblatt.errors import MissingExtra, RosenblattError
from rosenblatt.guard import Guard, too_long
from rosenblatt.studio.pages import BOOT, files, joined
from rosenblatt.studio.session import Session

try:
    import uvicorn
    from starlette.applications import Starlette
    from starlette.concurrency import run_in_threadpool
    from starlette.exceptions import HTTPException
    from starlette.requests import Request
    from starlette.responses import Response
    from starlette.routing import Route
    from uvicorn.protocols.http.h11_impl import H11Protocol
except ImportError as error:
    raise MissingExtra("the studio needs starlette and uvicorn", extra="studio") from error

KINDS = {
    ".html": "text/html; charset=utf-8",
    ".css": "text/css; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".svg": "image/svg+xml",
}
MAX_BYTES = 8_000_000
PATIENCE = 20.0  # seconds for the head of a request, and for its body


def application(session: Session, *, port: int) -> Guard:
    """The application: files of the page, and the questions of the session."""

    def route(address: str, path: Path) -> Route:
        def file(_: Request) -> Response:
            # What starts the page comes with all that it imports: one request instead of fifty.
            content = started() if path.name == BOOT else path.read_bytes()
            return Response(content, media_type=KINDS[path.suffix])

        return Route(address, file)

    started = cache(joined)

    async def question(request: Request) -> Response:
        try:
            async with asyncio.timeout(PATIENCE):
                sent = await request.body()
        except TimeoutError:
            return _failure(f"The rest of the request did not come in {PATIENCE:g} seconds.", 408)
        try:
            body = msgspec.json.decode(sent)
        except (msgspec.DecodeError, RecursionError) as error:
            return _failure(f"The question is no JSON: {error}.", 400)
        try:
            answer = await run_in_threadpool(session.ask, request.path_params["name"], body)
        except RosenblattError as error:
            return _json({"error": error.to_json()}, 400)
        return _json(answer)

    async def refused(_: Request, error: Exception) -> Response:
        assert isinstance(error, HTTPException)
        said = too_long(MAX_BYTES) if error.status_code == 413 else error.detail
        return _failure(said, error.status_code)

    async def failed(_: Request, error: Exception) -> Response:
        said = f"{type(error).__name__}: {error}"
        return _failure(f"A fault of rosenblatt, not of yours: {said}", 500)

    pages = files()
    routes = [
        Route("/api/{name}", question, methods=["POST"]),
        # A route for each file: no name that is asked for leads anywhere else.
        route("/", pages["index.html"]),
        *(route(f"/{name}", path) for name, path in pages.items()),
    ]
    handlers: Any = {HTTPException: refused, Exception: failed}
    inner = Starlette(routes=routes, exception_handlers=handlers, max_body_size=MAX_BYTES)
    return Guard(inner, port=port, max_bytes=MAX_BYTES)


class PatientProtocol(H11Protocol):
    """HTTP over a connection that is closed if the head of a request does not come in time."""

    _deadline: asyncio.TimerHandle | None = None

    def connection_made(self, transport: Any) -> None:
        super().connection_made(transport)
        self._wait_for_head()

    def data_received(self, data: bytes) -> None:
        super().data_received(data)
        self._wait_for_head()

    def _wait_for_head(self) -> None:
        if self.cycle is not None and not self.cycle.response_complete:
            if self._deadline is not None:
                self._deadline.cancel()
            self._deadline = None
        elif self._deadline is None:
            self._deadline = self.loop.call_later(PATIENCE, self.transport.close)


def _json(answer: Any, status: int = 200) -> Response:
    return Response(msgspec.json.encode(answer), status, media_type="application/json")


def _failure(message: str, status: int) -> Response:
    """In the form of `RosenblattError.to_json`, for what is no error of ours."""
    return _json({"error": {"message": message}}, status)


def listen(port: int = 0) -> socket.socket:
    """A socket on this machine alone; a free port for 0."""
    listener = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listener.bind(("127.0.0.1", port))
    except OSError as error:
        listener.close()
        raise OSError(
            f"port {port} of this machine cannot be had ({error.strerror}): choose another one, or "
            "none for a free one."
        ) from None
    return listener


class Server(uvicorn.Server):
    """A server that goes on ignoring what was ignored when it started.

    A shell ignores Ctrl-C for a job in the background of a script, so that it ends only what runs
    in the foreground. uvicorn would listen to it all the same.
    """

    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        numbers = (signal.SIGINT, signal.SIGTERM)
        ignored = [number for number in numbers if signal.getsignal(number) is signal.SIG_IGN]
        with super().capture_signals():
            # Only the main thread may set handlers; in another one uvicorn has set none.
            if threading.current_thread() is threading.main_thread():
                for number in ignored:
                    signal.signal(number, signal.SIG_IGN)
            yield


def server_of(session: Session, *, port: int) -> uvicorn.Server:
    """What runs on the socket that listens at this port."""
    config = uvicorn.Config(
        application(session, port=port),
        http=PatientProtocol,
        log_level="error",
        access_log=False,
        server_header=False,
        proxy_headers=False,
        ws="none",
        lifespan="off",
        timeout_graceful_shutdown=2,
    )
    return Server(config)


def serve(
    session: Session,
    *,
    port: int = 0,
    open_browser: bool = True,
    tell: Callable[[str], object] | None = None,
) -> None:
    """Serve the studio on 127.0.0.1 until Ctrl-C.

    Parameters
    ----------
    session : Session
        What answers.
    port : int, default=0
        0 takes a free one.
    open_browser : bool, default=True
        Whether to show the page in the browser.
    tell : callable, default=None
        Called with the address once the server listens.
    """
    listener = listen(port)
    port = listener.getsockname()[1]
    address = f"http://127.0.0.1:{port}/"
    listener.listen(128)  # so that whoever is told the address can come at once
    if tell is not None:
        tell(address)
    if open_browser:
        threading.Thread(target=webbrowser.open, args=[address], daemon=True).start()
    try:
        server_of(session, port=port).run(sockets=[listener])
    finally:
        listener.close()
