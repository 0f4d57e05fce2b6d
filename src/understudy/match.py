"""Two players, many boards in step: games with a result and a reason.

The match knows what a position cannot: the history. Repetition, lengths, clocks, illegal moves and broken players are
settled here, and every game that goes wrong costs only itself.
"""

from __future__ import annotations

import sys
import time
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import reduce
from importlib import import_module
from types import ModuleType
from typing import Any, NamedTuple

import numpy as np

from understudy.protocols import Choice, Conventions, Game, Move, Player

GRACE = 0.05
"""Seconds by which a clock may be overrun before the game is lost: what a busy machine may add."""

PLY_LIMIT = "ply limit"
"""Why a game ended that was cut for its length: no rule ended it, it only went on for too long."""

NO_CAPTURE = "no capture"
"""Why a game ended in which nobody captured for so long that the game's conventions call it a draw."""

ILLEGAL = "illegal move"
"""Why a game ended that the mover lost by a move that the rules forbid."""


class Terms(NamedTuple):
    """What a match agrees on beyond the rules; None leaves it to the game's conventions."""

    ply_limit: int | None = None
    repetition: int | None = None
    """A position that occurs this often is a draw; 0: never."""
    move_seconds: float | None = None
    """A player that takes longer for one move has lost."""


class Opening(NamedTuple):
    """Where a game starts, and the moves that are played before the players choose."""

    moves: tuple[Move, ...] = ()
    start: Any = None
    """A position; None: the game's own start."""


class Played(NamedTuple):
    """A finished game: all its moves from the start, its result for the side of the even plies, and why it ended."""

    moves: tuple[Move, ...]
    opening: int
    """How many of the moves were given."""
    result: int
    reason: str
    start: Any = None
    """Where it started; None: the game's own start."""
    values: tuple[float | None, ...] = ()
    """What each mover expected, for its side; None for given moves and players that do not say."""


@dataclass
class Course:
    """A game under way: where it stands, how it got there, and once it is over how it ended."""

    position: Any
    moves: list[Move] = field(default_factory=list)
    opening: int = 0
    swapped: bool = False
    """Whether the second player of the match has the even plies."""
    start: Any = None
    values: list[float | None] = field(default_factory=list)
    history: list[Any] = field(default_factory=list)
    seen: Counter[tuple[int, int]] = field(default_factory=Counter)
    played: Played | None = None

    def end(self, result_for_mover: int, reason: str) -> None:
        result = result_for_mover if self.position.ply % 2 == 0 else -result_for_mover
        self.played = Played(tuple(self.moves), self.opening, result, reason, self.start, tuple(self.values))

    def __deepcopy__(self, memo: object) -> Course:
        """Return a course that goes its own way from here; positions never change, so both may hold them."""
        moves, values, history = list(self.moves), list(self.values), list(self.history)
        return replace(self, moves=moves, values=values, history=history, seen=Counter(self.seen))


def play_games(
    game: Game, players: tuple[Player, Player], openings: Sequence[tuple[Opening, bool]], terms: Terms = Terms()
) -> list[Played]:
    """Play one game from each opening, the second player having the even plies where its flag is set; all in step."""
    boards = [begin(game, opening, swapped=swapped, terms=terms) for opening, swapped in openings]
    while waiting := [board for board in boards if board.played is None]:
        for side, player in enumerate(players):
            turn = [
                board for board in waiting if (board.position.ply % 2 == side) != board.swapped and board.played is None
            ]
            for group in _groups(turn, terms):
                _step(game, player, group, terms)
    return [board.played for board in boards if board.played is not None]


CHOOSING_SHARE = 4
"""One opening of so many begins only games that choose between players, and all others only games that grade them: a
player that was chosen because it wins from an opening must not be graded by the same game. A quarter, because games
that choose are fewer, and on small boards there are only some forty openings to share out."""


def random_openings(
    game: Game, count: int, *, plies: int, rng: np.random.Generator, choosing: bool | None = None
) -> list[Opening]:
    """Return *count* openings: the start itself, then random legal moves that do not end the game, distinct if easy.

    For games that choose between players (*choosing*) and for those that grade them (False) they lead to other
    positions, by the keys of these, and the start itself belongs to those that grade; None: all openings there are.
    """
    found = [Opening()] * min(count, 0 if choosing else 1)
    seen: set[int] = set()
    for tries in range(50 * count):
        if len(found) == count:
            break
        opening, position = _random_opening(game, plies, rng)
        if opening is None or choosing not in (None, game.key(position) % CHOOSING_SHARE == 0):
            continue
        if game.key(position) in seen and tries < 20 * count:
            continue
        seen.add(game.key(position))
        found.append(opening)
    return found + [Opening()] * (count - len(found))


class Begun(NamedTuple):
    """A game whose opening has been played."""

    opening: Opening
    position: Any


def seeded_openings(
    game: Game, count: int, *, plies: int, seed: int, choosing: bool | None = None
) -> tuple[Begun, ...]:
    """Return *count* games after random openings; with no *plies* all stand at the start."""
    rng = np.random.default_rng([seed, 0xB00C])
    openings = random_openings(game, count, plies=plies, rng=rng, choosing=choosing) if plies else [Opening()] * count
    return tuple(Begun(opening, reduce(game.play, opening.moves, game.start())) for opening in openings)


def _random_opening(game: Game, plies: int, rng: np.random.Generator) -> tuple[Opening | None, Any]:
    position, moves = game.start(), []
    for _ in range(plies):
        choices = game.moves(position)
        if not choices:
            return None, position
        moves.append(choices[rng.integers(len(choices))])
        position = game.play(position, moves[-1])
    return (None if game.outcome(position) is not None else Opening(tuple(moves))), position


def begin(game: Game, opening: Opening = Opening(), *, swapped: bool = False, terms: Terms = Terms()) -> Course:
    """Return a game that stands where its opening ends."""
    position = game.start() if opening.start is None else opening.start
    board = Course(position, opening=len(opening.moves), swapped=swapped, start=opening.start)
    board.seen[game.key(position), position.ply % 2] += 1
    if opening.start is not None and (outcome := game.outcome(position)) is not None:
        board.end(int(outcome), game.reason(position))
    for move in opening.moves:
        advance(game, board, move, terms)
    return board


def resume(game: Game, position: Any, history: Sequence[Any]) -> Course:
    """Return a game that goes on at *position*, which was reached through the positions of *history*."""
    course = Course(position, history=list(history), start=history[0] if history else position)
    course.seen.update((game.key(past), past.ply % 2) for past in (*history, position))
    outcome = game.outcome(position)
    if outcome is not None:
        course.end(int(outcome), game.reason(position))
    return course


def _groups(boards: list[Course], terms: Terms) -> list[list[Course]]:
    """Return the boards a player sees at once: all of them, or one by one where a clock runs."""
    return [boards] * bool(boards) if terms.move_seconds is None else [[board] for board in boards]


def _step(game: Game, player: Player, boards: list[Course], terms: Terms) -> None:
    began = time.perf_counter()
    choices = player.choose([board.position for board in boards], [board.history for board in boards])
    late = terms.move_seconds is not None and time.perf_counter() - began > terms.move_seconds + GRACE
    for board, choice in zip(boards, choices, strict=True):
        settle(game, board, choice, terms, late=late)


def settle(game: Game, board: Course, choice: Choice, terms: Terms = Terms(), *, late: bool = False) -> None:
    """Play a choice, or end the game that it loses."""
    if choice.fault is not None:
        board.end(-1, choice.fault)
    elif late:
        board.end(-1, "time")
    elif choice.move not in game.moves(board.position):
        board.end(-1, ILLEGAL)
    else:
        advance(game, board, choice.move, terms, value=choice.value)


def advance(game: Game, board: Course, move: Move, terms: Terms = Terms(), *, value: float | None = None) -> None:
    """Play a legal *move*, and end the game if the rules or the match say so."""
    after = game.play(board.position, move)  # first, because an illegal move must leave no trace
    board.history.append(board.position)
    board.moves.append(move)
    board.values.append(value)
    board.position = after
    name = game.key(board.position), board.position.ply % 2
    board.seen[name] += 1
    outcome = game.outcome(board.position)
    if outcome is not None:
        board.end(int(outcome), game.reason(board.position))
    elif reason := _draw(game, board, board.seen[name], terms):
        board.end(0, reason)


def _draw(game: Game, board: Course, times: int, terms: Terms) -> str | None:
    """Return why the game is drawn now, or None."""
    conventions = game.conventions
    repetition = conventions.repetition if terms.repetition is None else terms.repetition
    if terms.repetition is None and conventions.window is not None:
        times = _count_recent(game, board, conventions.window)
    if repetition and times >= repetition:
        return "repetition"
    if conventions.quiet_limit is not None and _is_quiet(game, board, conventions.quiet_limit):
        return NO_CAPTURE
    if reason := game.drawn(board.position):
        return reason
    limit = game.conventions.ply_limit if terms.ply_limit is None else terms.ply_limit
    return PLY_LIMIT if len(board.history) >= limit else None


def tell_more(conventions: Conventions) -> str:
    """Return what few games agree on: how long positions are remembered, and how long nobody need capture."""
    turn = "" if conventions.turn_counts else ", whoever is to move"
    remembered = "" if conventions.window is None else f" Only the last {conventions.window} positions count{turn}."
    quiet = conventions.quiet_limit
    return remembered + ("" if quiet is None else f" {quiet} plies without a capture are a draw.")


def _count_recent(game: Game, board: Course, window: int) -> int:
    """Return how often the position occurred, itself among them, since *window* positions; the first counts never."""
    recent, parity = board.history[1:][-window:], board.position.ply % 2
    if game.conventions.turn_counts:
        recent = [past for past in recent if past.ply % 2 == parity]
    now = game.placement(board.position)
    return 1 + sum(game.placement(past) == now for past in recent)


def _is_quiet(game: Game, board: Course, plies: int) -> bool:
    """Tell whether nothing was captured for so many plies: stones never become more."""
    return len(board.history) >= plies and game.material(board.history[-plies]) == game.material(board.position)


class _Callable(ModuleType):
    """A module that answers `understudy.match(...)`: once imported, it hides the function of its name at the door."""

    def __call__(self, *arguments: Any, **options: Any) -> Any:
        return import_module("understudy.door").match(*arguments, **options)


sys.modules[__name__].__class__ = _Callable
