"""One thread in which a player thinks for an event loop: what waits becomes one batch, and no failure gets out.

The thread is a daemon's, because a search cannot be interrupted and nobody should wait for it after Ctrl-C.
"""

from __future__ import annotations

import asyncio
import contextlib
import queue
import threading
from collections.abc import Sequence
from typing import Any, NamedTuple

from understudy.players.basic import NO_MOVE
from understudy.protocols import Choice, Player


class _Question(NamedTuple):
    position: Any
    history: Sequence[Any]
    loop: asyncio.AbstractEventLoop
    answer: asyncio.Future[Choice]


class Thinker:
    """A player behind a queue of questions."""

    def __init__(self, player: Player) -> None:
        self.player = player
        self._questions: queue.SimpleQueue[_Question | None] = queue.SimpleQueue()
        threading.Thread(target=self._think, name=f"thinking of {player.name}", daemon=True).start()

    async def choose(self, position: Any, history: Sequence[Any]) -> Choice:
        """Return what the player chooses; a player that fails answers with a fault."""
        loop = asyncio.get_running_loop()
        question = _Question(position, history, loop, loop.create_future())
        self._questions.put(question)
        return await question.answer

    def close(self) -> None:
        """Let the thread end after what it is thinking about."""
        self._questions.put(None)

    def _think(self) -> None:
        while (question := self._questions.get()) is not None:
            batch = [question, *self._waiting()]
            for asked, choice in zip(batch, self._choices(batch), strict=True):
                with contextlib.suppress(RuntimeError):  # the loop has ended, nobody listens
                    asked.loop.call_soon_threadsafe(_tell, asked.answer, choice)

    def _waiting(self) -> list[_Question]:
        """Return the questions that wait, without waiting for more."""
        waiting: list[_Question] = []
        with contextlib.suppress(queue.Empty):
            while (question := self._questions.get_nowait()) is not None:
                waiting.append(question)
            self._questions.put(None)  # seen too early: it is for the next round
        return waiting

    def _choices(self, batch: Sequence[_Question]) -> list[Choice]:
        """Return a choice for each question; one by one if all together failed, so that each pays only for itself."""
        try:
            choices = self.player.choose([asked.position for asked in batch], [asked.history for asked in batch])
            if len(choices) != len(batch):
                raise ValueError(f"{len(choices)} choices for {len(batch)} positions")
            return choices
        except BaseException as error:  # whatever it is, the next question may go better
            if len(batch) > 1:
                return [choice for asked in batch for choice in self._choices([asked])]
            return [Choice(NO_MOVE, fault=f"{type(error).__name__}: {error}")]


def _tell(answer: asyncio.Future[Choice], choice: Choice) -> None:
    if not answer.done():  # a client that left has cancelled its question
        answer.set_result(choice)
