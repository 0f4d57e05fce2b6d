"""Who hears of what: followers of topics, each with a short queue, so that one that never reads harms nobody."""

from __future__ import annotations

import asyncio
import contextlib
from collections import defaultdict
from typing import Any

LONGEST = 64
"""Messages that wait for a follower; of more the oldest is dropped: each holds the whole state anyway."""


class Follower:
    """One socket that hears of topics."""

    def __init__(self) -> None:
        self.waiting: asyncio.Queue[dict[str, Any]] = asyncio.Queue(LONGEST)
        self.topics: set[str] = set()

    def hear(self, message: dict[str, Any]) -> None:
        """Take a message; where too many wait the oldest is lost."""
        if self.waiting.full():
            self.waiting.get_nowait()
        self.waiting.put_nowait(message)


class News:
    """Topics and their followers."""

    def __init__(self) -> None:
        self.followers: dict[str, set[Follower]] = defaultdict(set)
        self.changes: dict[str, asyncio.Event] = {}

    def follow(self, follower: Follower, topic: str) -> None:
        """Let a follower hear of a topic."""
        self.followers[topic].add(follower)
        follower.topics.add(topic)

    def leave(self, follower: Follower, topic: str) -> None:
        """Let a follower hear no more of a topic."""
        self.followers[topic].discard(follower)
        follower.topics.discard(topic)
        if not self.followers[topic]:
            del self.followers[topic]

    def count(self, topic: str) -> int:
        """Return how many follow a topic."""
        return len(self.followers.get(topic, ()))

    def tell(self, topic: str, event: str, **content: Any) -> None:
        """Let all followers of a topic hear of an event, and wake whoever waits for it."""
        for follower in self.followers.get(topic, ()):
            follower.hear({"topic": topic, "event": event, **content})
        if event == "state" and topic in self.changes:
            self.changes.pop(topic).set()

    async def wait(self, topic: str, seconds: float) -> None:
        """Return when a topic changes, or after so many seconds."""
        change = self.changes.setdefault(topic, asyncio.Event())
        with contextlib.suppress(TimeoutError):
            await asyncio.wait_for(change.wait(), seconds)
