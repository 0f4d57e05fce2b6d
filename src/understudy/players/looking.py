"""Searching from Python: limits, clocks and a bell around the compiled searches, and what they leave to be read.

Kernels run without Python's lock, so another thread can end a search, or look at how far it is.
"""

from __future__ import annotations

import math
import threading
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from understudy.games import CompiledGame
from understudy.games.rules import can_select, turn
from understudy.protocols import Move
from understudy.search.minimax import minimax
from understudy.search.negascout import negascout, value_moves
from understudy.search.selective import selective as select
from understudy.search.selective import value_moves_selectively
from understudy.search.workspace import (
    AT_MOST,
    DRAWN,
    GENERATION,
    NODE_LIMIT,
    NODES,
    PROVEN,
    STOP,
    WIN,
    Table,
    Workspace,
    clear,
    make_table,
    make_workspace,
    named,
)

LATE, FEW = 99, 4
"""From this clock on, and with so few pieces, a move may make a draw by rule."""
LINES = 3
"""Lines of play that are told, the best first, unless said otherwise: as many as people compare at a glance."""
MOST_LINES = 10
"""Lines that programs may ask for: each is read off the search's table, which forgets the worse ones first."""
PAUSE = 0.1
"""Seconds between two looks at a search under way: people read no faster."""

ENDLESS = 1 << 60
"""More nodes than any search visits."""


class Limits(NamedTuple):
    """When a search must stop, whatever comes first."""

    depth: int
    nodes: int = ENDLESS
    seconds: float | None = None

    @property
    def beyond_depth(self) -> bool:
        """Whether more than the depth limits a search."""
        return self.seconds is not None or self.nodes < ENDLESS


class Opinion(NamedTuple):
    """What a search found."""

    move: Move
    value: float
    """On the evaluator's scale, beyond PROVEN for a decided game."""
    depth: int
    nodes: int


class Halt:
    """Ends a search from another thread, also one that has not begun."""

    def __init__(self) -> None:
        self.rung = False
        self._lock = threading.Lock()
        self._workspace: Workspace | None = None

    def ring(self) -> None:
        """End the search now, or as soon as it begins."""
        with self._lock:
            self.rung = True
            if self._workspace is not None:
                self._workspace["tally"][STOP] = 1

    @contextmanager
    def watching(self, workspace: Workspace) -> Iterator[None]:
        """Let the bell be heard by whoever searches with *workspace*, which is clear, and by nobody after."""
        with self._lock:
            self._workspace = workspace
            if self.rung:
                workspace["tally"][STOP] = 1
        try:
            yield
        finally:
            with self._lock:
                self._workspace = None


def search(
    game: CompiledGame,
    position: Any,
    evaluator: Any,
    *,
    limits: Limits,
    drawn: Sequence[int] = (),
    ranks: NDArray[Any] | None = None,
    halt: Halt | None = None,
    selective: bool | None = None,
) -> Opinion:
    """Return what NegaScout finds; *ranks* order equally good moves, the lowest first; *halt* may end it early.

    Unless told, it is selective where more than the depth limits it, in games that can be searched so.
    """
    selects = is_selective(game, limits, selective)
    # Only a search limited by depth alone must equal plain minimax.
    deeper = limits.beyond_depth or selects
    workspace, table = _prepared(game, drawn=drawn, ranks=ranks, nodes=limits.nodes, deeper=deeper)
    alarm = _alarm(workspace, limits.seconds)
    try:
        with (halt or Halt()).watching(workspace):
            look = select if selects else negascout
            move, value, depth = look(position, evaluator, limits.depth, workspace, table)
    finally:
        alarm.cancel()
    return Opinion(int(move), float(value), int(depth), int(workspace["tally"][NODES]))


def is_selective(game: CompiledGame, limits: Limits, asked: bool | None) -> bool:
    """Tell whether a search leaves out what is unlikely: as *asked*, or where more than the depth limits it."""
    return limits.beyond_depth and can_select(type(game.start())) if asked is None else asked


def search_all(
    game: CompiledGame,
    position: Any,
    evaluator: Any,
    *,
    depth: int,
    drawn: Sequence[int] = (),
    ranks: NDArray[Any] | None = None,
) -> dict[Move, float]:
    """Return the plain minimax value of every legal move, the chosen one first."""
    workspace, _ = _prepared(game, drawn=drawn, ranks=ranks)
    values = np.zeros(game.most_moves)
    best = minimax(position, evaluator, depth, values, workspace)
    moves = game.moves(position)
    places = [best, *(place for place in range(len(moves)) if place != best)]
    return {moves[place]: float(values[place]) for place in places}


class Prospect(NamedTuple):
    """What a search thinks of every move, not only of the best."""

    values: dict[Move, float]
    """On the evaluator's scale."""
    lines: dict[Move, tuple[Move, ...]]
    """What is expected after each move, beginning with it."""
    depth: int
    """Plies that all of them were looked ahead."""
    nodes: int


def look_at_all(
    game: CompiledGame,
    position: Any,
    evaluator: Any,
    *,
    deepest: int,
    nodes: int,
    seconds: float | None = None,
    selective: bool = False,
    halt: Halt | None = None,
    lines: int = LINES,
) -> Prospect:
    """Return what every legal move is worth, at most *deepest* plies ahead, within *nodes* and *seconds*.

    What is expected after them is told of so many of the best.

    It goes on in the workspace that this thread's last `search` of the same position has left, so that what is known
    already is not searched again; values are exact where that search was.
    """
    workspace, table = _local.workspaces[game.most_moves]
    tally = workspace["tally"]
    began = int(tally[NODES])
    tally[[STOP, NODE_LIMIT]] = 0, began + nodes
    look = value_moves_selectively if selective else value_moves
    moves, values = game.moves(position), np.zeros(game.most_moves)
    prospect = Prospect({}, {}, 0, 0)
    alarm = _alarm(workspace, seconds)
    try:
        with (halt or Halt()).watching(workspace):
            for depth in range(1, deepest + 1):
                if look(position, evaluator, depth, values, workspace, table) < len(moves):
                    break
                worth = dict(zip(moves, values[: len(moves)].tolist(), strict=True))
                best = sorted(worth, key=lambda move: -worth[move])[:lines]
                expected = {move: follow_line(game, position, move, depth) for move in best}
                prospect = Prospect(worth, expected, depth, int(tally[NODES]) - began)
    finally:
        alarm.cancel()
    return prospect._replace(nodes=int(tally[NODES]) - began)


def follow_line(game: CompiledGame, position: Any, move: Move, depth: int) -> tuple[Move, ...]:
    """Return what this thread's last search expects after *move*, as far as its table tells, at most *depth* plies."""
    workspace, table = _local.workspaces[game.most_moves]
    return _follow(game, position, move, depth, workspace, table)


def _follow(
    game: CompiledGame, position: Any, move: Move, depth: int, workspace: Workspace, table: Table
) -> tuple[Move, ...]:
    line, generation = [move], int(workspace["tally"][GENERATION])
    position = game.play(position, move)
    while len(line) < depth:
        name = named(position)
        entry = table[int(name) % len(table)]
        # Where the search only learned "at most this much", no move was found good: there the line ends.
        if entry["key"] != name or entry["generation"] != generation or entry["bound"] == AT_MOST:
            break
        reply = int(entry["move"])
        if reply not in game.moves(position):  # the place was taken by another position meanwhile, or the game is over
            break
        line.append(reply)
        position = game.play(position, reply)
    return tuple(line)


class Glimpse(NamedTuple):
    """How far a search is."""

    course: tuple[tuple[Move, float], ...]
    """The best move at each depth searched to the end, and its value on the evaluator's scale."""
    nodes: int
    line: tuple[Move, ...]


def read_course(game: CompiledGame) -> tuple[tuple[Move, float], ...]:
    """Return what this thread's last search held best at each depth."""
    return _course(_local.workspaces[game.most_moves][0])


def _course(workspace: Workspace) -> tuple[tuple[Move, float], ...]:
    reached = int(workspace["reached"])
    return tuple(zip(workspace["course"][:reached].tolist(), workspace["worths"][:reached].tolist(), strict=True))


@contextmanager
def watched(game: CompiledGame, position: Any, tell: Callable[[Glimpse], None] | None) -> Iterator[None]:
    """Let *tell* hear every PAUSE how far the search of *position* is that runs meanwhile in this thread."""
    if tell is None:
        yield
        return
    workspace, table = _find_workspace(game)
    over, heard = threading.Event(), int(workspace["tally"][GENERATION])

    def watch() -> None:
        while not over.wait(PAUSE):
            course = _course(workspace)
            if course and workspace["tally"][GENERATION] != heard:  # else it is the search before that one sees
                line = _follow(game, position, course[-1][0], len(course), workspace, table)
                tell(Glimpse(course, int(workspace["tally"][NODES]), line))

    watcher = threading.Thread(target=watch, daemon=True)
    watcher.start()
    try:
        yield
    finally:
        over.set()
        watcher.join()


def repeating(game: CompiledGame, past: Sequence[Any], *, again: int | None = None) -> list[int]:
    """Return the search's keys of the positions that would be a draw after *past*, by repetition or by the rules."""
    if game.conventions.repetition is None:
        return []
    return [*repeated(game, past, again=again), *_ruled(game, past[-1])]


def repeated(game: CompiledGame, past: Sequence[Any], *, again: int | None = None) -> list[int]:
    """Return the search's keys of the positions that would be a draw if they came again after *past*.

    Whoever looks one ply ahead does not see the other side repeat, and takes those for draws that were there *again*
    times.
    """
    limit, window = game.conventions.repetition, game.conventions.window
    if limit is None:
        return []
    near = past[-DRAWN // 2 :] if window is None else past[-min(window, DRAWN // 4) :]
    seen = Counter(map(_name, near))
    if window is not None and not game.conventions.turn_counts:
        seen.update(_name(turn(position)) for position in near)
    return [key for key, times in seen.items() if times >= (again or limit - 1)]


@lru_cache(maxsize=1 << 15, typed=True)  # typed: positions of two games may be equal as tuples
def _name(position: Any) -> int:
    """Return the search's key of a position; it is asked again at every move of a game for all that came before."""
    return int(named(position))


def _ruled(game: CompiledGame, position: Any) -> list[int]:
    """Return the search's keys of successors that the rules call a draw; looked for only where there can be some."""
    if getattr(position, "clock", 0) < LATE and int(position.mine | position.theirs).bit_count() > FEW:
        return []
    after = [game.play(position, move) for move in game.moves(position)]
    return [int(named(at)) for at in after if game.outcome(at) is None and game.drawn(at)]


def outcome_value(value: float, scale: float) -> float:
    """Return a search's value as an expected outcome in [-1, 1]."""
    return math.copysign(1.0, value) if abs(value) > PROVEN else math.tanh(value / scale)


def graded_value(value: float, scale: float) -> float:
    """Return a search's value as an expected outcome in [-1, 1] that knows how far off an end is.

    A win that comes soon is worth more than a late one, any win more than what is not proven, and a late loss more than
    a soon one. Who learns what moves are worth would otherwise learn that all winning moves are alike, and end no game.
    """
    plies = plies_of(value)
    if plies is None:
        return UNPROVEN * math.tanh(value / scale)
    return math.copysign(max(1.0 - HASTE * abs(plies), UNPROVEN), value)


def plies_of(value: float) -> int | None:
    """Return how many plies a search's value sees to the end of the game, None if it sees no end."""
    return round(math.copysign(WIN - abs(value), value)) if abs(value) > PROVEN else None


UNPROVEN = 0.99
"""The most that a position is worth whose end a search does not see."""
HASTE = 0.0005
"""What an end is worth less for each ply until then: twenty plies, more than teachers see, lie above `UNPROVEN`."""

_local = threading.local()


def _prepared(
    game: CompiledGame,
    *,
    drawn: Sequence[int],
    ranks: NDArray[Any] | None,
    nodes: int = ENDLESS,
    deeper: bool = False,
) -> tuple[Workspace, Table]:
    """Return this thread's workspace and table for *game*, cleared."""
    workspace, table = _find_workspace(game)
    clear(workspace, drawn=drawn, nodes=nodes, deeper=deeper)
    workspace["ranks"][:] = np.arange(game.most_moves) if ranks is None else ranks
    return workspace, table


def _find_workspace(game: CompiledGame) -> tuple[Workspace, Table]:
    workspaces: dict[int, tuple[Workspace, Table]] = _local.__dict__.setdefault("workspaces", {})
    if game.most_moves not in workspaces:
        workspaces[game.most_moves] = make_workspace(game.most_moves), make_table()
    return workspaces[game.most_moves]


def _alarm(workspace: Workspace, seconds: float | None) -> threading.Timer:
    """Return a timer, started if there is a limit, that tells the search to stop: kernels run without Python's lock."""
    search_number = workspace["tally"][GENERATION]

    def ring() -> None:
        if workspace["tally"][GENERATION] == search_number:  # a bell that rings late must not stop the next search
            workspace["tally"][STOP] = 1

    alarm = threading.Timer(seconds or 0.0, ring)
    alarm.daemon = True
    if seconds is not None:
        alarm.start()
    return alarm
