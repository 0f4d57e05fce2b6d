"""One socket for each page: it hears of the topics that it follows, and asks players that think for a while."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Awaitable, Callable
from typing import Any

import msgspec
from starlette.websockets import WebSocket, WebSocketDisconnect

from understudy.errors import UnderstudyError
from understudy.serve.answers import write_answer
from understudy.serve.asking import ask
from understudy.serve.bodies import Asking, Name, read_body
from understudy.serve.hall import Hall
from understudy.serve.news import Follower
from understudy.thoughts import Thought

TOPICS = 32
"""Topics that one page may follow."""
QUESTIONS = 4
"""Questions that one page may have open."""
SOCKETS = 512
"""Pages at once."""

Describe = Callable[[str], Awaitable[Any]]
"""From a topic to how it stands."""


class Order(msgspec.Struct, kw_only=True, forbid_unknown_fields=True):
    """What a page says."""

    do: str
    topic: Name = ""
    id: Name = ""
    ask: Asking | None = None


class Live:
    """All open sockets."""

    def __init__(self, hall: Hall, describe: Describe) -> None:
        self.hall, self.describe = hall, describe
        self.sockets = 0

    async def meet(self, socket: WebSocket) -> None:
        """Serve one page until it leaves."""
        if self.sockets >= SOCKETS:
            await socket.close(1013, "too many pages are open")
            return
        await socket.accept()
        self.sockets += 1
        try:
            await Page(self, socket).serve()
        finally:
            self.sockets -= 1


class Page:
    """One open page."""

    def __init__(self, live: Live, socket: WebSocket) -> None:
        self.live, self.socket, self.hall = live, socket, live.hall
        self.follower = Follower()
        self.questions: dict[str, asyncio.Task[None]] = {}

    async def serve(self) -> None:
        """Hear and tell, until one of both ends."""
        telling = asyncio.create_task(self._tell())
        try:
            while not telling.done():
                await self._hear(await self.socket.receive_text())
        except (WebSocketDisconnect, KeyError, RuntimeError):  # bytes instead of text, or a socket that is gone
            pass
        finally:
            telling.cancel()
            self._leave_all()
            with contextlib.suppress(Exception):
                await self.socket.close()

    async def _tell(self) -> None:
        while True:
            message = await self.follower.waiting.get()
            await self.socket.send_text(write_answer(message).decode())

    async def _hear(self, text: str) -> None:
        try:
            order = read_body(Order, text.encode())
            await self._obey(order)
        except UnderstudyError as error:
            self.follower.hear({"event": "error", "error": str(error)})

    async def _obey(self, order: Order) -> None:
        if order.do == "follow":
            await self._follow(order.topic)
        elif order.do == "leave" and order.topic in self.follower.topics:
            self._leave(order.topic)
        elif order.do == "think" and order.ask is not None:
            self._ask(order.id, order.ask)
        elif order.do == "stop":
            self._stop(order.id)
        elif order.do != "leave":
            self._fail(order.id, f"{order.do!r} cannot be done: follow, leave, think and stop can")

    async def _follow(self, topic: str) -> None:
        if len(self.follower.topics) >= TOPICS:
            self._fail("", f"a page follows at most {TOPICS} topics")
            return
        try:
            state = await self.live.describe(topic)
        except UnderstudyError as error:
            self.follower.hear({"topic": topic, "event": "error", "error": str(error)})
            return
        self.hall.news.follow(self.follower, topic)
        self.follower.hear({"topic": topic, "event": "state", "state": state})

    def _leave(self, topic: str) -> None:
        self.hall.news.leave(self.follower, topic)
        if not self.hall.news.count(topic):
            self.hall.left(topic)

    def _ask(self, name: str, asking: Asking) -> None:
        if len(self.questions) >= QUESTIONS:
            self._fail(name, f"a page asks at most {QUESTIONS} questions at once")
            return
        self._stop(name)
        self.questions[name] = asyncio.create_task(self._answer(name, asking))

    async def _answer(self, name: str, asking: Asking) -> None:
        loop = asyncio.get_running_loop()

        def tick(thought: Thought) -> None:
            message = {"id": name, "event": "thinking", "thought": thought.to_json()}
            loop.call_soon_threadsafe(self.follower.hear, message)

        try:
            thought = await ask(self.hall, asking, tick)
            self.follower.hear({"id": name, "event": "thought", "thought": thought})
        except UnderstudyError as error:
            self._fail(name, str(error))
        finally:
            if self.questions.get(name) is asyncio.current_task():
                del self.questions[name]

    def _stop(self, name: str) -> None:
        if question := self.questions.pop(name, None):
            question.cancel()

    def _fail(self, name: str, sentence: str) -> None:
        self.follower.hear({"id": name, "event": "error", "error": sentence})

    def _leave_all(self) -> None:
        for question in list(self.questions.values()):
            question.cancel()
        for topic in list(self.follower.topics):
            self._leave(topic)
