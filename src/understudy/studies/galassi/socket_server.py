"""The play-mode socket of Neural Nine Men's Morris: a position comes in, the move of a player goes out.

The protocol is told in docs/socket.md. Connections live in one event loop, so a slow or silent client costs the others
nothing; where all places are taken, whoever is of least use makes room for the next. The player thinks in one thread of
its own and sees all positions that wait as one batch. The protocol has no history, but players need one to avoid
repetitions: `Past` rebuilds it from what a client asked before.
"""

from __future__ import annotations

import asyncio
import contextlib
import queue
import re
import socket
import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from understudy.config import check_range
from understudy.errors import BadOption, EngineError, NotationError, UnknownName
from understudy.games import CompiledGame
from understudy.listening import BACKLOG, hush, limit_connections
from understudy.players.basic import NO_MOVE
from understudy.protocols import Choice, Move, Player
from understudy.studies.galassi.socket_player import LINES, write_answer

PORT = 5802
"""The original's port for White; 5803 is Black's."""

MOST_GARBAGE = 4096
"""Bytes without a position after which a client is cut off: over a hundred positions, so no honest one gets there."""
MOST_CLIENTS = 256
"""Connections at once."""
SILENCE = 600.0
"""Seconds without a question after which a client is cut off."""
MOST_LINES = 64
"""Games that are remembered of a client: one that plays more at a time loses the history of the oldest."""

POSITION = re.compile(rb"(?<![OME])[OME]{24}[0-9]{4}")
"""A position as the protocol writes it: cells, then stones in hand and on the board; letters before it spoil it."""
LETTERS = re.compile(rb"[OME]")
"""What makes a line an attempt at a position, which is answered; all else is passed over."""


@dataclass(frozen=True, kw_only=True)
class _Service:
    """What every connection needs."""

    game: CompiledGame
    thinker: Thinker
    form: str
    silence: float
    most_garbage: int
    most_clients: int


class _Guest:
    """A connection, and what speaks for keeping it."""

    def __init__(self, task: asyncio.Task[Any]) -> None:
        self.task, self.asked, self.since = task, False, time.monotonic()

    @property
    def worth(self) -> tuple[bool, float]:
        """Whether it has asked anything that was answered, and when it last did."""
        return self.asked, self.since


def serve(
    game: CompiledGame,
    player: Player,
    *,
    host: str = "127.0.0.1",
    port: int = PORT,
    form: str = "lines",
    silence: float = SILENCE,
    most_garbage: int = MOST_GARBAGE,
    most_clients: int = MOST_CLIENTS,
    ready: Callable[[int], None] = lambda port: None,
    stop: threading.Event | None = None,
) -> None:
    """Answer positions with the moves of *player* until *stop* is set or Ctrl-C; *ready* hears the port, 0 takes any.

    A client that asks nothing for *silence* seconds, or sends *most_garbage* bytes without a position, is cut off. Of
    *most_clients* the one that has not asked for longest leaves when another comes, first those that never asked.
    """
    _check(game, port=port, form=form, silence=silence, most_clients=most_clients)
    hush()
    listener = _listener(host, port)
    with contextlib.closing(listener), contextlib.closing(Thinker(player)) as thinker:
        service = _Service(
            game=game, thinker=thinker, form=form, silence=silence, most_garbage=most_garbage,
            most_clients=limit_connections(most_clients),
        )  # fmt: skip
        with contextlib.suppress(KeyboardInterrupt):
            asyncio.run(_run(service, listener, ready, stop or threading.Event()))


def _check(game: CompiledGame, *, port: int, form: str, silence: float, most_clients: int) -> None:
    if game.name != "morris":
        raise BadOption(f"the socket speaks of morris positions, not of {game.name}")
    if form not in LINES:
        raise UnknownName("form of answers", form, LINES)
    check_range("port of the socket", port, 0, 65_535)
    check_range("seconds of silence", silence, 0.001, 86_400)
    check_range("clients of the socket", most_clients, 1, 65_535)


def _listener(host: str, port: int) -> socket.socket:
    try:
        family, _, _, _, address = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
        return socket.create_server(address[:2], family=family)
    except (OSError, UnicodeError, ValueError) as error:
        why = getattr(error, "strerror", None) or str(error)
        raise EngineError(f"the server cannot listen on host {host!r}, port {port}: {why}") from None


async def _run(service: _Service, listener: socket.socket, ready: Callable[[int], None], stop: threading.Event) -> None:
    """Accept clients until told to stop, then send them all away."""
    guests: set[_Guest] = set()

    async def welcome(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        if len(guests) >= service.most_clients:
            leaving = min(guests, key=lambda guest: guest.worth)
            guests.discard(leaving)
            leaving.task.cancel()
        guest = _Guest(task)
        guests.add(guest)
        try:
            await _attend(service, guest, reader, writer)
        finally:
            guests.discard(guest)

    server = await asyncio.start_server(welcome, sock=listener, limit=service.most_garbage, backlog=BACKLOG)
    try:
        ready(listener.getsockname()[1])
        while not stop.is_set():
            await asyncio.sleep(0.05)
    finally:
        server.close()
        tasks = [guest.task for guest in guests]
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)


async def _attend(service: _Service, guest: _Guest, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    """Serve one client until it leaves, falls silent or babbles; what goes wrong here ends this connection alone."""
    try:
        with contextlib.suppress(OSError, TimeoutError, asyncio.CancelledError):
            await _converse(service, guest, reader, writer)
    finally:
        writer.transport.abort() if writer.transport.get_write_buffer_size() else writer.close()
        with contextlib.suppress(OSError, asyncio.CancelledError):
            await writer.wait_closed()


async def _converse(
    service: _Service, guest: _Guest, reader: asyncio.StreamReader, writer: asyncio.StreamWriter
) -> None:
    past = Past(service.game)
    heard, garbage = b"", 0
    loop = asyncio.get_running_loop()
    end = loop.time() + service.silence
    while True:
        turn = read_turn(heard)
        garbage += turn.skipped
        heard = turn.rest
        if turn.text is not None:
            garbage = 0
            await _say(service, writer, await _answer(service, past, turn.text))
            guest.asked, guest.since, end = True, time.monotonic(), loop.time() + service.silence
        elif turn.complaint is not None:
            await _say(service, writer, turn.complaint)
        if garbage + len(heard) > service.most_garbage and turn.idle:
            await _say(service, writer, f"error: more than {service.most_garbage} bytes without a position\n")
            return
        if turn.idle:
            # Single bytes are no question: who sends one a minute is as silent as who sends none.
            async with asyncio.timeout_at(end):  # wait_for may swallow the cancelling of its task
                more = await reader.read(service.most_garbage)
            if not more:
                return
            heard += more


async def _say(service: _Service, writer: asyncio.StreamWriter, text: str) -> None:
    """Send *text*; a client that does not listen is as bad as one that does not speak."""
    writer.write(text.encode())
    async with asyncio.timeout(service.silence):
        await writer.drain()


class Turn(NamedTuple):
    """The first thing of note in what a client sent: a position, a line that should have been one, or nothing yet."""

    text: str | None
    complaint: str | None
    skipped: int
    """How many bytes were no position."""
    rest: bytes

    @property
    def idle(self) -> bool:
        """Whether more must be heard before anything can be said."""
        return self.text is None and self.complaint is None


def read_turn(heard: bytes) -> Turn:
    """Return the first turn in *heard*, whatever pieces it arrived in; bytes before a position are passed over."""
    start = 0
    while True:
        end = heard.find(b"\n", start)
        match = POSITION.search(heard, start, len(heard) if end < 0 else end)
        if match is not None:
            return Turn(match[0].decode(), None, match.start(), heard[match.end() :])
        if end < 0:
            return Turn(None, None, start, heard[start:])
        if LETTERS.search(heard, start, end):
            return Turn(None, "error: expected 24 letters O, M or E and four digits\n", end + 1, heard[end + 1 :])
        start = end + 1


async def _answer(service: _Service, past: Past, text: str) -> str:
    """Return the reply to a well-formed position: the move, or why there is none."""
    game = service.game
    try:
        position, history = past.before(game.read(text))
    except NotationError as error:
        return f"error: {error}\n"
    if game.outcome(position) is not None:
        return f"error: morris position {text!r}: the game is over ({game.reason(position)})\n"
    choice = await service.thinker.choose(position, history)
    if choice.fault is not None or not can_write(choice):
        return f"error: the player has no move ({' '.join((choice.fault or 'illegal move').split())})\n"
    past.after(position, history, choice.move)
    return write_answer(game, choice.move, service.form)


def can_write(choice: Choice) -> bool:
    """Tell whether a choice can be written at all; whether it is legal is for a referee to say."""
    # TO, FROM and REMOVE are digits to the base 25, and TO is never 0.
    return 25**2 <= choice.move < 25**3


class Past:
    """The games that one client has asked about, so that the player knows the history that the protocol leaves out."""

    def __init__(self, game: CompiledGame) -> None:
        self.game = game
        self.lines: list[tuple[list[Any], frozenset[int]]] = []
        """Positions of a game so far, and the keys of those that may be asked about next; the latest last."""

    def before(self, position: Any) -> tuple[Any, list[Any]]:
        """Return *position* with its true ply, and the positions before it in the game that it continues, if any."""
        key = self.game.key(position)
        for place in reversed(range(len(self.lines))):
            history, following = self.lines[place]
            if key in following:
                del self.lines[place]
                return position._replace(ply=history[-1].ply + 1), history
        return position, []

    def after(self, position: Any, history: Sequence[Any], move: Move) -> None:
        """Remember that *move* was the answer to *position*; an illegal one ends its game."""
        game = self.game
        if move not in game.moves(position):
            return
        reached = game.play(position, move)
        following = frozenset(game.key(game.play(reached, reply)) for reply in game.moves(reached))
        if following:
            self.lines.append(([*history, position, reached], following))
            del self.lines[:-MOST_LINES]


class _Question(NamedTuple):
    position: Any
    history: Sequence[Any]
    loop: asyncio.AbstractEventLoop
    answer: asyncio.Future[Choice]


class Thinker:
    """A player in a thread of its own, behind a queue: what waits becomes one batch, and no failure gets out.

    The thread is a daemon's, because a search cannot be interrupted and nobody should wait for it after Ctrl-C.
    """

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
