"""Floods of connections, clients that dawdle, and descriptors that run out: whoever asks properly is answered."""

from __future__ import annotations

import os
import select
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from tests.conftest import LONG, ROOT, wait_until
from tests.faults.effort import times
from tests.studies.galassi.test_socket import START, closed, connected, lines, serving

posix = pytest.mark.skipif(os.name == "nt", reason="descriptors cannot be limited here")
FILES = 192
"""Descriptors of a server here; a few more connections wait in the system's queue, and yet more for ever."""
FLOOD = times(300, 3_000)

LIMITED = """
import resource, sys
resource.setrlimit(resource.RLIMIT_NOFILE, ({files}, {files}))
{patch}
sys.argv = ["understudy", *{words!r}]
from understudy.cli import main
main()
"""
HELPLESS = "import understudy.listening as listening; listening.SPARE = -100_000"
"""Takes away the care that leaves descriptors free."""


@contextmanager
def running(
    folder: Path, words: list[str], *, files: int, patch: str = ""
) -> Iterator[tuple[subprocess.Popen[str], Path]]:
    """Give a command that may open so many files, and what it says on standard error."""
    log = folder / "log"
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([str(ROOT / "src"), *filter(None, sys.path)])}
    with log.open("w") as file:
        command = [sys.executable, "-c", LIMITED.format(files=files, patch=patch, words=words)]
        process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=file, env=environment, text=True)
    try:
        yield process, log
    finally:
        process.kill()
        process.communicate()


def flood(stack: ExitStack, address: tuple[str, int], count: int, data: bytes = b"") -> list[socket.socket]:
    """Open connections that say no more than *data*."""
    links = []
    for _ in range(count):
        link = socket.socket()
        stack.callback(link.close)
        link.settimeout(LONG)
        link.connect(address)
        links.append(link)
        with suppress(ConnectionError):  # cut off already
            link.sendall(data)
    return links


def ask(address: tuple[str, int]) -> list[str]:
    """Ask for a move until somebody answers: in a flood a connection may be cut off before it has asked."""
    end = time.monotonic() + LONG
    while time.monotonic() < end:
        try:
            with socket.create_connection(address, timeout=LONG) as client:
                client.sendall(START)
                return lines(client, 3)
        except (ConnectionError, EOFError):
            continue
    raise AssertionError("nobody answers")


def test_the_idlest_makes_room() -> None:
    with serving(most_clients=4) as port, ExitStack() as stack:
        first, second, *idle = (stack.enter_context(connected(port)) for _ in range(4))
        for client in (first, second):
            client.sendall(START)
            lines(client, 3)
        news = [stack.enter_context(connected(port)) for _ in range(2)]
        assert all(closed(client) for client in idle)
        for client in (*news, first, second):
            client.sendall(START)
            assert len(lines(client, 3)) == 3


def test_single_bytes_are_as_good_as_silence() -> None:
    with serving(silence=0.5) as port, connected(port) as client:
        end = time.monotonic() + LONG
        with suppress(ConnectionError):
            while time.monotonic() < end:
                client.sendall(b"O")
                time.sleep(0.05)
        assert time.monotonic() < end


@posix
@pytest.mark.parametrize("patch", ["", HELPLESS], ids=["careful", "helpless"])
def test_a_flood_of_the_socket_leaves_room_for_who_asks(tmp_path: Path, patch: str) -> None:
    with (
        running(tmp_path, ["socket", "random", "--port", "0"], files=FILES, patch=patch) as (process, log),
        ExitStack() as stack,
    ):
        wait_until(lambda: "answers on" in log.read_text() or process.poll() is not None)
        address = ("127.0.0.1", int(log.read_text().split("answers on 127.0.0.1:")[1].split(";")[0]))
        flood(stack, address, FILES + 10 if patch else FLOOD, START[:10])
        if patch:
            wait_until(lambda: "no room for more connections" in log.read_text())
            stack.close()
        assert len(ask(address)) == 3
        said = log.read_text()
        assert process.poll() is None and "Traceback" not in said and said.count("no room") == bool(patch)


SHORT = "import understudy.serve.connections as connections; connections.SLOWEST = 0.5"


@posix
@pytest.mark.parametrize("patch", ["", HELPLESS], ids=["careful", "helpless"])
def test_a_flood_of_the_page_leaves_room_for_who_asks(tmp_path: Path, patch: str) -> None:
    pytest.importorskip("uvicorn")
    with serving_page(tmp_path, files=FILES, patch=patch) as (address, log), ExitStack() as stack:
        flood(stack, address, FILES + 10 if patch else FLOOD, b"GET /api/games HTTP/1.1\r\n")
        if patch:
            wait_until(lambda: "no room for more connections" in log.read_text())
            stack.close()
        assert is_answered(address)
        assert "Traceback" not in log.read_text() and log.read_text().count("no room") == bool(patch)


@posix
def test_who_dawdles_at_the_page_is_cut_off(tmp_path: Path) -> None:
    pytest.importorskip("uvicorn")
    with serving_page(tmp_path, files=256, patch=SHORT) as (address, log), ExitStack() as stack:
        for data in (b"", b"GET / HTTP/1.1\r\nHost: 127.0"):
            assert closed(flood(stack, address, 1, data)[0])
        deaf = stack.enter_context(socket.socket())
        deaf.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4_096)
        deaf.connect(address)
        deaf.sendall(b"GET /static/js/studies.js HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n" * 1_000)
        watch = select.poll()
        watch.register(deaf, select.POLLERR | select.POLLHUP)
        wait_until(lambda: watch.poll(10))
        assert is_answered(address) and "Traceback" not in log.read_text()


@contextmanager
def serving_page(folder: Path, *, files: int, patch: str) -> Iterator[tuple[tuple[str, int], Path]]:
    words = ["serve", "--no-browser", "--port", "0", "--runs", str(folder / "runs"), "--games", str(folder / "games")]
    with running(folder, words, files=files, patch=patch) as (process, log):
        assert process.stdout is not None
        host, port = urlsplit(process.stdout.readline().strip()).netloc.split(":")
        yield (host, int(port)), log


def is_answered(address: tuple[str, int]) -> bool:
    with urllib.request.urlopen(f"http://{address[0]}:{address[1]}/api/games", timeout=LONG) as answer:
        return bool(answer.status == 200)
