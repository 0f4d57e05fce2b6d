"""Ray itself: joining a cluster or starting a node, quietly, and the processes that work there.

Left to itself Ray prints pages, and waits for minutes for a cluster that is not there; so the address is tried first.

At the other end a process introduces itself, then does what it is sent. Its class is sent as code, not by its name, so
that a node without Understudy can still say so.
"""

from __future__ import annotations

import logging
import os
import pickle
import shutil
import socket
import subprocess
import sys
import traceback
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from functools import lru_cache
from importlib import import_module
from pathlib import Path
from typing import Any

from understudy.backends import ray_end
from understudy.errors import BackendError, BadOption

GCS_PORT, CLIENT_PORT = 6379, 10001
"""Where a cluster's head listens, if not told otherwise: for its own nodes, and for `ray://`."""
CLIENT = "ray://"
AUTO = "auto"

ANSWER = 20.0
"""Seconds in which a head must accept a connection."""
VITAL = ("raylet", "gcs_server")
"""Processes without which a node is none, as Ray calls them."""
STARTS = 3
"""How often a node of our own is started before we give up: Ray waits half a minute for it, and a machine may be busy
for longer; the second time everything is loaded."""
SMALL_STORE, LARGE_STORE = 100_000_000, 1_000_000_000
"""Bytes for what tasks share on a node of our own, at least and at most: two generations of ten thousand parents are
330 million. Ray takes memory when it is used; what does not fit goes into files, which is many times slower."""
SHARED_MEMORY = Path("/dev/shm")

QUIET = {
    "RAY_USAGE_STATS_ENABLED": "0",
    "RAY_ACCEL_ENV_VAR_OVERRIDE_ON_ZERO": "0",
    "RAY_DEDUP_LOGS_SKIP_REGEX": ".",
}
"""Settings that keep Ray from printing among our results; what the user has set stays."""
EQUAL = {"RAY_worker_niceness": "0"}
"""Ray gives its workers the lowest priority; on a busy machine of our own they would never get to play."""
PATIENT = {
    "RAY_agent_register_timeout_ms": "300000",
    "RAY_gcs_rpc_server_connect_timeout_s": "300",
    "RAY_gcs_server_port_wait_time_s": "300",
    "RAY_gcs_server_request_timeout_seconds": "300",
    "RAY_health_check_failure_threshold": "60",
    "RAY_health_check_timeout_ms": "60000",
    "RAY_raylet_client_num_connect_attempts": "300",
    "RAY_raylet_start_wait_time_s": "300",
    "RAY_worker_register_timeout_seconds": "300",
}
"""Settings that keep the parts of Ray from giving one another up while a machine of our own is busy."""
IMPATIENT = {"RAY_py_gcs_connect_timeout_s": "20", "RAY_NUM_REDIS_GET_RETRIES": "1"}
"""Settings that keep Ray from waiting for somebody who listens and is no cluster."""


@dataclass(frozen=True)
class Node:
    """A connection to Ray."""

    ray: Any
    """Ray's module."""
    address: str | None
    processors: int
    ours: bool
    """Whether closing it is up to us."""

    @property
    def name(self) -> str:
        """How messages call it."""
        return "Ray on this machine" if self.address is None else f"Ray at {self.address!r}"

    def find_fault(self) -> str | None:
        """Return what has died without which no worker can work; None while nothing has."""
        if not self.ray.is_initialized():
            return "it was shut down"
        return _find_dead_process() if self.address is None else _find_dead_cluster(self.ray, self.address)

    def close(self) -> None:
        """Leave the cluster; a node that was started here ends."""
        global _joined
        if self.ours and self.ray.is_initialized():
            self.ray.shutdown()
            _joined = None
            _dismiss()


_joined: str | None = None
"""The address by which this process joined, since Ray allows one cluster for each process."""
_watchers: list[subprocess.Popen[bytes]] = []
"""Programs that wait for the end of this one; their input is open as long as it lives."""


def open_node(address: str | None, workers: int | None) -> Node:
    """Join the cluster at *address*, or start a node with *workers* processors; join what is open here already."""
    global _joined
    wanted = None if address is None else find_head(address)
    ray = import_ray(QUIET | (EQUAL | PATIENT if wanted is None else IMPATIENT))
    ours = not ray.is_initialized()
    if ours:
        _start(ray, workers or os.cpu_count() or 1) if wanted is None else _join(ray, wanted, str(address))
        _joined = wanted
    elif wanted not in (None, _joined):
        raise BackendError(f"cannot join Ray at {address!r}: this process has joined another cluster")
    return Node(ray, address, max(int(ray.cluster_resources().get("CPU", 1)), 1), ours)


def _find_dead_process() -> str | None:
    """Return which process of a node of our own has ended; None if Ray has changed inside and cannot be asked."""
    try:
        node = import_module("ray._private.worker")._global_node
        dead = {kind: process.returncode for kind, process in node.dead_processes()}
    except (ImportError, AttributeError):
        return None
    return next((f"its process {kind!r} ended with {dead[kind]}" for kind in VITAL if kind in dead), None)


def _find_dead_cluster(ray: Any, address: str) -> str | None:
    """Return whether the head of a cluster is gone, or all its nodes are."""
    try:
        find_head(address)
    except BackendError as error:
        return str(error)
    nodes = ray.nodes()
    return None if any(node["Alive"] for node in nodes) else f"none of its {len(nodes)} nodes is alive"


def import_ray(settings: Mapping[str, str] = QUIET) -> Any:
    """Return Ray's module, which reads its settings while it is imported."""
    for name, value in settings.items():
        os.environ.setdefault(name, value)
    try:
        return import_module("ray")
    except ModuleNotFoundError:
        raise BackendError(
            "the backend 'ray' needs Ray, which comes with: pip install 'understudy-games[cluster]'"
        ) from None


def find_head(address: str) -> str:
    """Return *address* with its port; raise unless somebody listens there."""
    if address == AUTO:
        return _find_here()
    scheme = CLIENT if address.startswith(CLIENT) else ""
    host, port = _split(address, default=CLIENT_PORT if scheme else GCS_PORT)
    try:
        socket.create_connection((host, port), timeout=ANSWER).close()
    except (OSError, UnicodeError) as error:  # a host's name that no host can have is a UnicodeError
        reason = getattr(error, "strerror", None) or str(error)
        raise BackendError(f"nobody listens at the Ray address {address!r}: {reason}") from None
    return f"{scheme}[{host}]:{port}" if ":" in host else f"{scheme}{host}:{port}"


def _find_here() -> str:
    """Return AUTO if a cluster was started here and lives: Ray would wait minutes for one that has died."""
    import_ray(QUIET | IMPATIENT)
    try:
        head = import_module("ray._private.services").canonicalize_bootstrap_address(AUTO)
    except (ImportError, AttributeError, ValueError):
        return AUTO  # Ray has changed inside, or has an address of another form: it may look for itself
    if head is None:
        raise BackendError("there is no Ray cluster on this machine to be found by 'auto'; start one: ray start --head")
    find_head(head)
    return AUTO  # not the address found: for this word alone Ray looks for the token of a cluster


def _split(address: str, *, default: int) -> tuple[str, int]:
    plain = address.removeprefix(CLIENT)
    host, colon, port = plain.rpartition(":") if not plain.endswith("]") else (plain, "", "")
    host, port = (host, port) if colon else (plain, str(default))
    if not host or not (port.isascii() and port.isdigit()) or not 0 < int(port) < 65_536 or "/" in host:
        raise BadOption(f"{address!r} is not a Ray address: write host:port, ray://host:port or auto")
    return host.strip("[]"), int(port)


def _start(ray: Any, processors: int) -> None:
    """Start a node of our own, again if it was only too slow."""
    for start in range(1, STARTS + 1):
        try:
            ray.init(address="local", num_cpus=processors, include_dashboard=False, object_store_memory=_store_size(),
                     log_to_driver=False, logging_level=logging.ERROR)  # fmt: skip
            _watch_over()
            return
        except (Exception, SystemExit) as error:
            if start == STARTS or not _was_late(error):
                raise BackendError(f"Ray could not start a node on this machine: {_first_line(error)}") from None
        ray.shutdown()


def _store_size() -> int:
    """Return how many bytes of shared memory to ask for: at most half of what there is."""
    free = shutil.disk_usage(SHARED_MEMORY).free if SHARED_MEMORY.exists() else 0
    return max(SMALL_STORE, min(free // 2, LARGE_STORE))


def _watch_over() -> None:
    """Let a program of its own end the node should this one be killed."""
    try:
        raylet = import_module("ray._private.worker")._global_node.all_processes["raylet"][0].process.pid
    except (ImportError, AttributeError, LookupError):
        return  # Ray has changed inside: its processes then end when they notice
    if Path("/proc/self/stat").exists():  # parents are told there, by Linux alone
        # In a session of its own, so that a Ctrl-C for the driver leaves it at work; it ends when its input does.
        command = [sys.executable, "-I", "-S", ray_end.__file__, str(raylet)]
        _watchers.append(subprocess.Popen(command, stdin=subprocess.PIPE, start_new_session=True))


def _dismiss() -> None:
    """Let the watchers of nodes that have ended look once more, and end."""
    while _watchers:
        _watchers.pop().communicate()


def _was_late(error: BaseException) -> bool:
    return isinstance(error, TimeoutError) or "timed out" in str(error).lower()


def _join(ray: Any, head: str, address: str) -> None:
    try:
        with _hushed():
            ray.init(address=head, log_to_driver=False, logging_level=logging.ERROR)
    except (Exception, SystemExit) as error:
        hint = "" if "RAY_AUTH_MODE" in os.environ else " (if it asks for a token, set RAY_AUTH_MODE=token)"
        raise BackendError(f"cannot join Ray at {address!r}: {_first_line(error)}{hint}") from None


def _first_line(error: BaseException) -> str:
    """Return the first sentence of what Ray has to say; it ends some calls by leaving the program with a number."""
    lines = str(error).strip().splitlines()
    sentence = lines[0].partition(". ")[0].rstrip(".") if lines else type(error).__name__
    return "it did not answer as a cluster does" if isinstance(error, SystemExit) else sentence


@contextmanager
def _hushed() -> Iterator[None]:
    """Drop what compiled code writes to standard error: a cluster that does not answer is told in one sentence."""
    sys.stderr.flush()
    kept, nowhere = os.dup(2), os.open(os.devnull, os.O_WRONLY)
    try:
        os.dup2(nowhere, 2)
        yield
    finally:
        os.dup2(kept, 2)
        os.close(kept)
        os.close(nowhere)


def make_worker(ray: Any) -> Callable[[], Any]:
    """Return what starts a worker on a free processor of the cluster."""

    class Understudy:
        """A worker: its tasks are pure, so nothing is lost with it but time."""

        def introduce(self, folder: str, paths: list[str]) -> tuple[str, str]:
            """Look for modules and files where the driver does, and tell host and version."""
            import os
            import socket
            import sys

            if os.path.isdir(folder):
                os.chdir(folder)
            places = [os.path.join(folder, path) for path in paths]
            sys.path[:] = dict.fromkeys([path for path in places if os.path.exists(path)] + sys.path)
            from understudy import __version__

            return socket.gethostname(), __version__

        def work(self, packed: bytes, content: bytes, *shared: Any) -> tuple[Any, BaseException | None]:
            """Return the result of a task, or what it raised; Ray has fetched what it *shared* with others."""
            from understudy.backends.ray_node import portable, unpacked
            from understudy.backends.shared import unpack

            try:
                return unpacked(packed)(unpack(content, shared)), None
            except Exception as error:
                return None, portable(error)

    start: Callable[[], Any] = ray.remote(num_cpus=1, max_restarts=0)(Understudy).remote
    return start


@lru_cache(maxsize=16)
def unpacked(packed: bytes) -> Callable[[Any], Any]:
    """Return the task that a driver has sent, made once for all its jobs."""
    task: Callable[[Any], Any] = pickle.loads(packed)
    return task


def portable(error: Exception) -> Exception:
    """Return an exception that survives the way to the driver, with a note of where it was raised."""
    cloudpickle: Any = import_module("ray.cloudpickle")
    error.add_note("".join(traceback.format_exception(error)))
    try:
        cloudpickle.loads(cloudpickle.dumps(error))
    except Exception:
        return RuntimeError(f"{type(error).__name__}: {error}")
    return error
