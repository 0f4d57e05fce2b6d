"""What a program asks by UCI, as values, and what a player does about it, in a thread that others may stop.

Nothing here raises for a bad limit, because a program that said `go` waits for a move whatever it wrote; what is not
understood comes back as complaints, a sentence each. A player thinks as long as the narrowest of what the program asks
and what its own options say. Players that think (those with `think`, such as searchers) obey limits and stop; all
others are simply asked.
"""

from __future__ import annotations

import queue
import re
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple, TypeAlias

from understudy.games import CompiledGame
from understudy.players.looking import ENDLESS, MOST_LINES, Halt, Limits
from understudy.players.searcher import DEEPEST
from understudy.protocols import Choice, Move, Player
from understudy.thoughts import Line, Thought

MOVES_LEFT = 30
"""For how many moves a clock must last if nobody says. Chosen by hand; what is left is shared anew at each move."""

NUMBERS = ("depth", "nodes", "movetime", "wtime", "btime", "winc", "binc", "movestogo", "mate")
FLAGS = ("infinite", "ponder")
LARGEST = 1 << 53
"""Numbers are taken for this at most: nothing here lasts longer, and the product of two still fits a float."""
FOREVER = 86_400.0
"""Seconds; with a clock, even this one, a search may take deeper results for shallower ones."""


@dataclass(kw_only=True)
class Go:
    """What a `go` asks for; times are milliseconds, None where nothing was said."""

    depth: int | None = None
    nodes: int | None = None
    movetime: int | None = None
    wtime: int | None = None
    btime: int | None = None
    winc: int | None = None
    binc: int | None = None
    movestogo: int | None = None
    mate: int | None = None
    infinite: bool = False
    ponder: bool = False
    searchmoves: list[str] = field(default_factory=list)
    complaints: list[str] = field(default_factory=list)

    def seconds(self, *, white: bool, overhead: int) -> float | None:
        """Return how long to think, None if no clock runs; *overhead* milliseconds are lost on the way to the clock.

        A move gets its part of the time left and three quarters of the increment, never more than four fifths of all:
        chosen by hand, so that some of both is always saved.
        """
        if self.movetime is not None:
            return max(self.movetime - overhead, self.movetime / 2, 1) / 1000
        left, increment = (self.wtime, self.winc) if white else (self.btime, self.binc)
        if left is None:
            return None
        share = left / max(self.movestogo or MOVES_LEFT, 1) + 0.75 * (increment or 0)
        return max(min(share, 0.8 * left) - overhead, 1) / 1000


def read_go(words: Sequence[str]) -> Go:
    """Return what the words after `go` ask for."""
    go, place = Go(), 0
    while place < len(words):
        word = words[place]
        place += 1
        if word in FLAGS:
            setattr(go, word, True)
        elif word in NUMBERS:
            place += _read_number(go, word, words[place] if place < len(words) else "")
        elif word == "searchmoves":
            while place < len(words) and words[place] not in (*NUMBERS, *FLAGS, "searchmoves"):
                go.searchmoves.append(words[place])
                place += 1
        else:
            go.complaints.append(f"go: {word!r} is not known and was left out")
    if go.mate is not None:
        go.complaints.append("go mate: nobody here looks for mates alone, so this was left out")
    return go


def _read_number(go: Go, name: str, text: str) -> int:
    """Set a number of *go*; return how many words it took."""
    if not re.fullmatch("[+-]?[0-9]{1,30}", text):
        go.complaints.append(f"go {name}: {text!r} is not a whole number")
        return int(bool(text) and text not in (*NUMBERS, *FLAGS, "searchmoves"))
    setattr(go, name, max(min(int(text), LARGEST), 1 if name in ("depth", "nodes") else 0))
    return 1


def sentence(text: str, most: int = 400) -> str:
    """Return *text* in one line of characters that can be seen, not longer than *most*."""
    line = " ".join("".join(letter if letter.isprintable() or letter.isspace() else "?" for letter in text).split())
    return line if len(line) <= most else line[: most - 3] + "..."


class Spin(NamedTuple):
    """An option that is a number."""

    default: int
    low: int
    high: int

    def __str__(self) -> str:
        return f"type spin default {self.default} min {self.low} max {self.high}"


class Check(NamedTuple):
    """An option that is on or off."""

    default: int

    def __str__(self) -> str:
        return f"type check default {'true' if self.default else 'false'}"


Option: TypeAlias = Spin | Check
WEAKENED, PLIES, WAYS = "UCI_LimitStrength", "Plies", "MultiPV"
"""Options: whether no more than so many plies are looked ahead, how many, and how many lines of play are told."""


def options_of(player: Any) -> dict[str, Option]:
    """Return the options of a player that thinks: its own limits, 0 for none, and what the way to the clock costs."""
    if not thinks(player):
        return {}
    own = player.options
    return {
        WAYS: Spin(1, 1, MOST_LINES),
        WEAKENED: Check(0),
        PLIES: Spin(1, 1, DEEPEST),
        "Depth": Spin(own.depth or 0, 0, DEEPEST),
        "Nodes": Spin(min(own.nodes or 0, (1 << 31) - 1), 0, (1 << 31) - 1),
        "MoveTime": Spin(round(1000 * (own.time or 0)), 0, 86_400_000),
        "Move Overhead": Spin(30, 0, 5000),  # milliseconds; 30 for a program on the same machine, chosen by hand
    }


def limits_of(go: Go, options: Mapping[str, int], *, white: bool) -> Limits | None:
    """Return the limits of a search for White or Black; None if neither `go` nor the options say anything."""
    if "Depth" not in options:  # a player that does not think
        return None
    clock = FOREVER if go.infinite else go.seconds(white=white, overhead=options["Move Overhead"])
    depth = _least(options["Depth"], None if go.infinite else go.depth)
    if options[WEAKENED]:
        depth = _least(options[PLIES], depth)
    nodes = _least(options["Nodes"], None if go.infinite else go.nodes)
    seconds = _least(options["MoveTime"] / 1000, clock)
    if depth is None and nodes is None and seconds is None:
        return None
    most = int(min(depth or DEEPEST, DEEPEST)), int(nodes or ENDLESS)
    return Limits(*most, None if seconds is None else min(seconds, FOREVER))


def _least(own: float, asked: float | None) -> float | None:
    """Return the smaller of the player's own limit, 0 for none, and what is asked, if there is any."""
    limits = [limit for limit in (own or None, asked) if limit is not None]
    return min(limits) if limits else None


class Answer(NamedTuple):
    """A choice, and what it took to find it."""

    choice: Choice
    depth: int = 0
    nodes: int = 0
    lines: tuple[Line, ...] = ()
    """What is expected to be played, the line that begins with the choice first."""


class Standing(NamedTuple):
    """Where a game stands."""

    position: Any
    history: Sequence[Any]
    """The positions before it, oldest first."""
    begun: str = ""
    """What has been said of a move that is not over, where moves are told in pieces; the position is the one before."""


@dataclass(frozen=True, kw_only=True)
class Task:
    """One position to think about."""

    position: Any
    history: Sequence[Any]
    begun: str = ""
    """What has been said of the move already."""
    limits: Limits | None = None
    """None: the player's own."""
    lines: int = 1
    """So many lines of play are wanted."""
    tell: Callable[[Answer], None] | None = None
    """Who hears what the player holds best while it thinks."""
    allowed: tuple[Move, ...] = ()
    """The only moves to choose from, if there are any."""
    halt: Halt = field(default_factory=Halt)
    release: threading.Event = field(default_factory=threading.Event)
    """The move may be told once this is set, and not before."""


class Thread:
    """A thread that does one thing after the other; a daemon's, because not every player can be interrupted."""

    def __init__(self) -> None:
        self._things: queue.SimpleQueue[Callable[[], None] | None] = queue.SimpleQueue()
        self._thread = threading.Thread(target=self._run, name="uci", daemon=True)
        self._thread.start()

    def add(self, thing: Callable[[], None]) -> None:
        """Do *thing* after everything before it."""
        self._things.put(thing)

    def close(self, patience: float | None) -> bool:
        """Wait until everything is done, but not for ever unless told so by None; tell whether it is done."""
        self._things.put(None)
        self._thread.join(patience)
        return not self._thread.is_alive()

    def _run(self) -> None:
        while (thing := self._things.get()) is not None:
            thing()


def thinks(player: Player) -> bool:
    """Tell whether a player obeys limits and can be stopped."""
    return hasattr(player, "think_aloud") and hasattr(player, "limits")


def think_about(game: CompiledGame, player: Any, task: Task) -> Answer:
    """Return what *player* decides; whatever goes wrong is the choice's fault."""
    try:
        if task.allowed and len(task.allowed) < len(game.moves(task.position)):
            return _among(game, player, task)
        if thinks(player):
            return _think(player, task)
        return Answer(player.choose([task.position], [task.history])[0])
    except Exception as error:  # whatever it is, the next question may go better
        return Answer(Choice(-1, fault=f"{type(error).__name__}: {error}"))


def _think(player: Any, task: Task) -> Answer:
    """Return what a player that obeys limits decides; where one line is wanted the best move gets all its time."""
    tell = task.tell
    hear = None if tell is None else lambda thought: tell(_answer(thought))
    return _answer(
        player.think_aloud(task.position, task.history, limits=task.limits, halt=task.halt, tell=hear, lines=task.lines)
    )


def _answer(thought: Thought) -> Answer:
    return Answer(thought.choice, thought.depth or 0, thought.nodes or 0, thought.lines)


def _among(game: CompiledGame, player: Any, task: Task) -> Answer:
    """Return the player's choice if it is allowed, else the allowed move after which the other side expects least."""
    if not thinks(player) and (own := player.choose([task.position], [task.history])[0]).move in task.allowed:
        return Answer(own)
    after = {move: game.play(task.position, move) for move in task.allowed}
    opinions = _successors(game, player, task, after)
    best = max(after, key=lambda move: -(opinions[move].choice.value or 0.0))
    value = opinions[best].choice.value
    choice = Choice(best, None if value is None else -value)
    return Answer(choice, opinions[best].depth, sum(opinion.nodes for opinion in opinions.values()))


def _successors(game: CompiledGame, player: Any, task: Task, after: dict[Move, Any]) -> dict[Move, Answer]:
    """Return what the other side would think after each move; finished games need no opinion."""
    thoughts = {move: Answer(Choice(-1, float(outcome))) for move, outcome in _ended(game, after).items()}
    open_moves = [move for move in after if move not in thoughts]
    history = [*task.history, task.position]
    if not thinks(player):
        choices = player.choose([after[move] for move in open_moves], [history] * len(open_moves)) if open_moves else []
        return thoughts | {move: Answer(choice) for move, choice in zip(open_moves, choices, strict=True)}
    began = time.perf_counter()
    for place, move in enumerate(open_moves):
        limits = _part(task.limits or player.limits, len(open_moves) - place, time.perf_counter() - began)
        thoughts[move] = _think(player, Task(position=after[move], history=history, limits=limits, halt=task.halt))
    return thoughts


def _ended(game: CompiledGame, after: dict[Move, Any]) -> dict[Move, int]:
    outcomes = {move: 0 if game.drawn(position) else game.outcome(position) for move, position in after.items()}
    return {move: int(outcome) for move, outcome in outcomes.items() if outcome is not None}


def _part(limits: Limits, places: int, gone: float) -> Limits:
    """Return the limits of the next of so many searches that share what is left."""
    seconds = None if limits.seconds is None else max(limits.seconds - gone, 0.001) / places
    return Limits(max(limits.depth - 1, 1), max(limits.nodes // places, 1), seconds)
