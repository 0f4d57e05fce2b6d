"""Moves of Nine Men's Morris in the words of the program Sanmill: `d6`, `a1-a4`, and a removal by itself, `xd7`.

What is one move here are two words there where a mill is closed, so a game may stand between both: the stone has
arrived, and the one that it takes is still on the board.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import pairwise

from understudy.errors import IllegalMove
from understudy.games import CompiledGame
from understudy.games.morris.notation import CELLS, Morris, parts
from understudy.players.programs.tasks import Standing
from understudy.protocols import Move

MOST_SHOWN = 60
"""Letters of a word that a message repeats."""


def write_words(move: Move) -> list[str]:
    """Return a move as one word, or as two if it removes a stone."""
    to, origin, removed = parts(move)
    step = "-".join(CELLS[cell - 1] for cell in (origin, to) if cell)
    return [step, f"x{CELLS[removed - 1]}"] if removed else [step]


def list_beginnings(game: CompiledGame, position: Morris) -> dict[str, list[Move]]:
    """Return the legal moves by their first words."""
    found: dict[str, list[Move]] = {}
    for move in game.moves(position):
        found.setdefault(write_words(move)[0], []).append(move)
    return found


def list_removals(game: CompiledGame, position: Morris, begun: str) -> dict[str, Move]:
    """Return the legal moves that begin with the word *begun*, by the words of what they remove."""
    found = {}
    for move in list_beginnings(game, position).get(begun, []):
        *_, last = write_words(move)
        if last != begun:
            found[last] = move
    return found


def read_words(game: CompiledGame, words: Iterable[str]) -> Standing:
    """Return where a game stands after *words*; raise if one of them is not legal."""
    stands = Standing(game.start(), ())
    for word in words:
        stands = _follow(game, stands, word)
    return stands


def _follow(game: CompiledGame, stands: Standing, word: str) -> Standing:
    position, history, begun = stands
    if game.outcome(position) is not None:
        raise IllegalMove(f"morris: nothing is legal after the end of the game, so {_shorten(word)!r} is not")
    if begun:
        removals = list_removals(game, position, begun)
        _check(word, removals, f"a removal after {begun}, such as {next(iter(removals))!r}")
        return Standing(game.play(position, removals[word]), (*history, position))
    beginnings = list_beginnings(game, position)
    _check(word, beginnings, "a legal move in words such as 'd6', 'a1-a4' and, of its own, 'xd7'")
    if len(write_words(beginnings[word][0])) > 1:
        return Standing(position, history, word)
    return Standing(game.play(position, beginnings[word][0]), (*history, position))


def _check(word: str, known: Iterable[str], wanted: str) -> None:
    if word not in known:
        raise IllegalMove(f"morris: {_shorten(word)!r} is not {wanted}")


def _shorten(word: str) -> str:
    return word if len(word) <= MOST_SHOWN else word[: MOST_SHOWN - 3] + "..."


def trace_words(game: CompiledGame, positions: Sequence[Morris]) -> list[str] | None:
    """Return the words of the game that led through *positions*; None if it did not begin at the start."""
    if positions[0] != game.start():
        return None
    words: list[str] = []
    for before, after in pairwise(positions):
        move = _find_move(before, after)
        if move not in game.moves(before) or game.play(before, move) != after:
            return None
        words += write_words(move)
    return words


def _find_move(before: Morris, after: Morris) -> Move:
    """Return the move that differs as two positions do; legal only if one follows the other."""
    mine, theirs = int(before.mine), int(before.theirs)
    now, then = int(after.theirs), int(after.mine)
    to, origin, removed = (mask.bit_length() for mask in (now & ~mine, mine & ~now, theirs & ~then))
    return (to * 25 + origin) * 25 + removed
