"""Where the games of a PGN text begin and end, compiled.

A game ends where a line of tags follows its moves, or more moves follow its result. Comments may hold anything, except
a line that begins with the tag `Event`: then the comment was never closed, and one bad game is all that it costs.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from understudy.games.chess.movetext import BLANK, ENDS, UNSAID, result_at
from understudy.kernels import kernel

_BEFORE, _TAGS, _MOVES = range(3)
_COMMENT, _DEPTH, _OVER = range(3)
"""What is known within a game's moves: inside a comment, how deep in variations, after the result."""
_LINE, _ESCAPE = 10, ord("%")
_EVENT = np.frombuffer(b"[Event ", np.uint8)
_GOES_ON = np.zeros(256, np.bool_)
"""A line that begins so after a result still belongs to the game."""
_GOES_ON[list(b"{(;$%*")] = True


@kernel
def split_games(letters: NDArray[np.uint8], line: int, whole: bool, spans: NDArray[np.int64]) -> tuple[int, int, int]:
    """Write where each game begins, where its moves do, where it ends, and its line [games, 4]; *line* is the first.

    Return how many there are, where the first begins that does not end here, and its line; if the text is *whole*,
    its end is the end of the last game.
    """
    count, mode, place, known = 0, _BEFORE, 0, np.zeros(3, np.int64)
    start, begun, first = 0, 0, line
    while place < len(letters):
        end = _line_end(letters, place)
        if end == len(letters) and not whole:
            break
        head = _head(letters, place, end)
        if head < end:
            tag = _is_tag(letters, head, end, known[_COMMENT])
            if mode == _MOVES and (tag or (known[_OVER] and not known[_COMMENT] and not _GOES_ON[letters[head]])):
                spans[count, 0], spans[count, 1], spans[count, 2], spans[count, 3] = start, begun, place, first
                count, mode = count + 1, _BEFORE
            if mode == _BEFORE and letters[head] != _ESCAPE:
                start, first, mode = place, line, _TAGS
                known[:] = 0
            if mode == _TAGS and not tag:
                begun, mode = place, _MOVES
            if mode == _MOVES:
                _skim(letters, head, end, known)
        place, line = end + 1, line + 1
    if mode == _BEFORE:
        return count, min(place, len(letters)), line
    if not whole:
        return count, start, first
    spans[count, 0], spans[count, 1], spans[count, 2], spans[count, 3] = start, begun, len(letters), first
    if mode == _TAGS:
        spans[count, 1] = len(letters)
    return count + 1, len(letters), line


@kernel
def _line_end(letters: NDArray[np.uint8], place: int) -> int:
    while place < len(letters) and letters[place] != _LINE:
        place += 1
    return place


@kernel
def _head(letters: NDArray[np.uint8], place: int, end: int) -> int:
    """Return where the first word of a line begins."""
    while place < end and BLANK[letters[place]]:
        place += 1
    return place


@kernel
def _is_tag(letters: NDArray[np.uint8], head: int, end: int, comment: int) -> bool:
    """Tell whether a line is a tag; within a comment only the tag that begins games is taken for one."""
    if letters[head] != ord("[") or head + 1 == end:
        return False
    if comment == 0:
        return bool(ord("a") <= (letters[head + 1] | 32) <= ord("z"))
    if end - head <= len(_EVENT):
        return False
    same = 0
    for place in range(len(_EVENT)):
        same += letters[head + place] == _EVENT[place]
    return same == len(_EVENT)


@kernel
def _skim(letters: NDArray[np.uint8], place: int, end: int, known: NDArray[np.int64]) -> None:
    """Note how a line of moves leaves things."""
    fresh = True
    if known[_COMMENT] == 0 and letters[place] == _ESCAPE:
        return
    while place < end:
        letter = letters[place]
        if known[_COMMENT]:
            known[_COMMENT] = letter != ord("}")
        elif letter == ord(";"):
            return
        elif letter == ord("{"):
            known[_COMMENT] = 1
        elif letter == ord("("):
            known[_DEPTH] += 1
        elif letter == ord(")"):
            known[_DEPTH] -= 1
        elif fresh and known[_DEPTH] == 0 and result_at(letters, place, end) != UNSAID:
            known[_OVER] = 1
        fresh = ENDS[letter]
        place += 1
