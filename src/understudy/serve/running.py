"""The server itself: where it listens, what it prints, how it ends."""

from __future__ import annotations

import ipaddress
import secrets
import socket
import webbrowser
from collections.abc import Callable
from pathlib import Path

import uvicorn

from understudy.errors import BadOption
from understudy.listening import BACKLOG, hush, limit_connections
from understudy.serve.app import make_app
from understudy.serve.connections import CONNECTIONS, Hurried
from understudy.serve.guard import LOOPBACK

EVERYWHERE = ("0.0.0.0", "::")
"""All addresses of this machine, whose names nobody here knows: any is answered to there, with the token."""
LARGEST_MESSAGE = 64 * 1024
"""Bytes of a message on a socket."""


def run_server(
    *,
    host: str,
    port: int,
    runs: Path,
    games: Path,
    trust: bool,
    ready: Callable[[str], None],
) -> None:
    """Serve until stopped; *ready* hears the address as soon as it answers."""
    with _listen(host, port) as listening:  # closed also where the app is refused
        number = listening.getsockname()[1]
        token = None if _is_loopback(host) else secrets.token_urlsafe(18)
        shown = f"[{host}]" if ":" in host else host
        hosts = () if host in EVERYWHERE else (*LOOPBACK, shown)
        app = make_app(runs=runs, games=games, hosts=hosts, token=token, trust=trust)
        config = uvicorn.Config(
            app, log_level="warning", access_log=False, http=Hurried, timeout_keep_alive=30,
            limit_concurrency=limit_connections(CONNECTIONS) + 1, backlog=BACKLOG,
            ws="websockets-sansio", ws_max_size=LARGEST_MESSAGE, ws_ping_interval=20.0, ws_ping_timeout=30.0,
            server_header=False, timeout_graceful_shutdown=3, lifespan="on",
        )  # fmt: skip
        hush("uvicorn.error")
        address = f"http://{shown}:{number}/" + (f"?token={token}" if token else "")
        _Server(config, lambda: ready(address)).run(sockets=[listening])


class _Server(uvicorn.Server):
    """A server that says when it answers."""

    def __init__(self, config: uvicorn.Config, ready: Callable[[], None]) -> None:
        super().__init__(config)
        self.ready = ready

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        if self.started:
            self.ready()


def _listen(host: str, port: int) -> socket.socket:
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    # With the protocol named, answers are sent at once: the event loop looks at it before it turns waiting off.
    listening = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listening.bind((host, port))
    except (OSError, OverflowError) as error:
        listening.close()
        raise BadOption(f"cannot listen on {host}:{port}: {getattr(error, 'strerror', None) or error}") from None
    listening.set_inheritable(False)
    return listening


def _is_loopback(host: str) -> bool:
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def open_browser(address: str) -> None:
    """Show the page, if this machine has a browser."""
    webbrowser.open(address)
