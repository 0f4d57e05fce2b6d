"""Connections to the page: those that dawdle are cut off, and where all places are taken the idlest makes room."""

from __future__ import annotations

import asyncio
import socket
import struct

from uvicorn.protocols.http.h11_impl import H11Protocol

from understudy.listening import limit_connections

CONNECTIONS = 1_000
"""Connections at once, or fewer where the process may open fewer files."""
BUSY = 32
"""Connections beyond that which are still told that the server is busy."""
SLOWEST = 20.0
"""Seconds that the head of a request may take to arrive, and that whoever is answered may take to read on."""


class Hurried(H11Protocol):
    """A connection that does not wait for ever."""

    asked = False
    _waiting: asyncio.TimerHandle | None = None
    _stuck: asyncio.TimerHandle | None = None

    @property
    def busy(self) -> bool:
        """Whether a request is being answered."""
        return self.cycle is not None and not self.cycle.response_complete

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Make room, and wait for a request."""
        room = self._make_room()
        super().connection_made(transport)
        self.since = self.loop.time()
        if room:
            self._hurry()
        else:
            transport.abort()

    def data_received(self, data: bytes) -> None:
        """Go on reading a request."""
        super().data_received(data)
        self._hurry()

    def pause_writing(self) -> None:
        """Wait for whoever does not read."""
        super().pause_writing()
        self._stuck = self.loop.call_later(SLOWEST, self._give_up)

    def resume_writing(self) -> None:
        """Go on writing."""
        super().resume_writing()
        _cancel(self._stuck)

    def connection_lost(self, exc: Exception | None) -> None:
        """Forget the connection."""
        _cancel(self._waiting)
        _cancel(self._stuck)
        super().connection_lost(exc)

    def _hurry(self) -> None:
        """Count the seconds of a request whose head is not whole; those between two requests are uvicorn's to count."""
        if self.busy:
            self.asked, self.since = True, self.loop.time()
            _cancel(self._waiting)
            self._waiting = None
        elif self._waiting is None:
            self._waiting = self.loop.call_later(SLOWEST, self._cut_off)

    def _cut_off(self) -> None:
        self._waiting = None
        if not self.busy and self.transport.get_protocol() is self:  # else it has become a socket of a page
            self.transport.abort()

    def _give_up(self) -> None:
        """Leave whoever does not read, and have the system forget the megabytes that wait for them."""
        at_once = struct.pack("ii", 1, 0)
        self.transport.get_extra_info("socket").setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, at_once)
        self.transport.abort()

    def _make_room(self) -> bool:
        """Cut off the connection that is of least use, if there are too many; tell whether another may come."""
        most = limit_connections(CONNECTIONS)
        if len(self.connections) < most:
            return True
        staying = [one for one in self.connections if not one.transport.is_closing()]
        idle = [one for one in staying if isinstance(one, Hurried) and not one.busy]
        if len(staying) >= most and idle:
            min(idle, key=lambda one: (one.asked, one.since)).transport.abort()
            return True
        return len(staying) < most + BUSY


def _cancel(alarm: asyncio.TimerHandle | None) -> None:
    if alarm is not None:
        alarm.cancel()
