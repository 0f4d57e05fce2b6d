"""An HTTP server on this machine that serves files well or badly, as a test asks."""

from __future__ import annotations

import threading
import time
from collections import defaultdict
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

CHUNK = 1 << 14


class Host:
    """What a server serves, how it misbehaves, and what it was asked for."""

    def __init__(self) -> None:
        self.files: dict[str, bytes] = {}
        self.faults: dict[str, list[str]] = defaultdict(list)
        """For each path, what the next requests meet: one fault each, and `fine` when there are no more."""
        self.asked: list[tuple[str, str]] = []
        """Paths and the ranges that were asked for."""
        self.pause = 0.0
        """Seconds between two chunks."""
        self.halfway = threading.Event()
        self.go_on = threading.Event()
        """What a request that is `held` sets in the middle of the file, and waits for; one that hangs waits, too."""
        self.address = ""


class Handler(BaseHTTPRequestHandler):
    """Answers one request."""

    host: Host
    protocol_version = "HTTP/1.1"

    def do_GET(self) -> None:
        self.close_connection = True
        path = self.path.lstrip("/")
        self.host.asked.append((path, self.headers.get("Range", "")))
        faults = self.host.faults[path]
        fault = faults.pop(0) if faults else "fine"
        with suppress(ConnectionError):
            self._answer(path, fault)

    def _answer(self, path: str, fault: str) -> None:
        content = self.host.files.get(path)
        if fault == "hang":
            self.host.go_on.wait()
        elif fault.isdigit():
            self._head(int(fault), {"Content-Length": "0"})
        elif fault.startswith("to "):
            self._head(302, {"Location": fault.removeprefix("to "), "Content-Length": "0"})
        elif content is None:
            self._head(404, {"Content-Length": "0"})
        else:
            self._serve(content, fault)

    def _serve(self, content: bytes, fault: str) -> None:
        start = 0 if fault == "no ranges" else self._start()
        if start and start >= len(content):
            self._head(416, {"Content-Range": f"bytes */{len(content)}", "Content-Length": "0"})
            return
        size = len(content) + (1000 if fault == "promises more" else 0)
        kind = "text/html; charset=utf-8" if fault == "page" else "application/octet-stream"
        headers = {"Content-Type": kind}
        if fault != "no length":
            headers["Content-Length"] = str(size - start)
        if start:
            first = start - 1 if fault == "another range" else start
            headers["Content-Range"] = f"bytes {first}-{size - 1}/{size}"
        self._head(206 if start else 200, headers)
        end = start + (len(content) - start) // 2 if fault == "cut" else len(content)
        self._send(content[start:end], held=fault == "held")

    def _start(self) -> int:
        return int(self.headers.get("Range", "bytes=0-").removeprefix("bytes=").removesuffix("-"))

    def _head(self, status: int, headers: dict[str, str]) -> None:
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name, value)
        self.end_headers()

    def _send(self, content: bytes, *, held: bool) -> None:
        for place in range(0, len(content), CHUNK):
            if held and place >= len(content) // 2 and not self.host.halfway.is_set():
                self.host.halfway.set()
                self.host.go_on.wait()
            self.wfile.write(content[place : place + CHUNK])
            time.sleep(self.host.pause)

    def log_message(self, format: str, *arguments: object) -> None:
        """Keep quiet."""


@contextmanager
def serving() -> Iterator[Host]:
    """Let a host answer on this machine."""
    host = Host()
    handler = type("HostHandler", (Handler,), {"host": host})
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        server.daemon_threads = True
        host.address = f"http://127.0.0.1:{server.server_port}"
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})
        thread.start()
        yield host
        host.go_on.set()
        server.shutdown()
        thread.join()
