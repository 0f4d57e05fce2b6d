"""PGN, compiled: where the games of a text begin and end, and their moves as codes.

A game ends where a line of tags follows its moves, or more moves follow its result. Comments may hold anything, except
a line that begins with the tag `Event`: then the comment was never closed, and one bad game is all that it costs.

Of the moves, comments, variations and glyphs are passed over. What cannot be read ends a game with a fault and the
place of the word; a game is never half right.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from understudy.games.chess.batches import position_at
from understudy.games.chess.position import Chess
from understudy.games.chess.rules import MOST_MOVES, play
from understudy.games.chess.san import CLOSED, OPEN_COMMENT, OPEN_VARIATION, SOUND, read_san
from understudy.kernels import kernel

RESULTS = ("*", "1-0", "0-1", "1/2-1/2")
"""In the order of the numbers by which kernels tell them."""
UNSAID = -1
"""Movetext without a result."""

BLANK = np.zeros(256, np.bool_)
BLANK[[9, 10, 11, 12, 13, 32]] = True
ENDS = BLANK.copy()
"""What ends a word."""
ENDS[list(b"{}();$!?*")] = True
_GLYPHS = np.zeros(256, np.bool_)
"""Words that begin so judge a move or a position and name none."""
_GLYPHS[list(b"+=/#~.,!?|\\'\"<>^]")] = True
_GLYPHS[128:] = True
_OPEN, _BRACE, _NOTE, _END, _ESCAPE, _LINE, _DASH = (ord(letter) for letter in "({;)%\n-")

_BEFORE, _TAGS, _MOVES = range(3)
_COMMENT, _DEPTH, _OVER = range(3)
"""What is known within a game's moves: inside a comment, how deep in variations, after the result."""
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
    count, mode, place, state = 0, _BEFORE, 0, np.zeros(3, np.int64)
    start, begun, first = 0, 0, line
    while place < len(letters):
        end = _line_end(letters, place)
        if end == len(letters) and not whole:
            break
        head = _head(letters, place, end)
        if head < end:
            tag = _is_tag(letters, head, end, state[_COMMENT])
            if mode == _MOVES and (tag or (state[_OVER] and not state[_COMMENT] and not _GOES_ON[letters[head]])):
                spans[count, 0], spans[count, 1], spans[count, 2], spans[count, 3] = start, begun, place, first
                count, mode = count + 1, _BEFORE
            if mode == _BEFORE and letters[head] != _ESCAPE:
                start, first, mode = place, line, _TAGS
                state[:] = 0
            if mode == _TAGS and not tag:
                begun, mode = place, _MOVES
            if mode == _MOVES:
                _skim(letters, head, end, state)
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
def _skim(letters: NDArray[np.uint8], place: int, end: int, state: NDArray[np.int64]) -> None:
    """Note how a line of moves leaves things."""
    fresh = True
    if state[_COMMENT] == 0 and letters[place] == _ESCAPE:
        return
    while place < end:
        letter = letters[place]
        if state[_COMMENT]:
            state[_COMMENT] = letter != ord("}")
        elif letter == ord(";"):
            return
        elif letter == ord("{"):
            state[_COMMENT] = 1
        elif letter == ord("("):
            state[_DEPTH] += 1
        elif letter == ord(")"):
            state[_DEPTH] -= 1
        elif fresh and state[_DEPTH] == 0 and result_at(letters, place, end) != UNSAID:
            state[_OVER] = 1
        fresh = ENDS[letter]
        place += 1


@kernel
def read_movetexts(
    letters: NDArray[np.uint8],
    spans: NDArray[np.int64],
    masks: NDArray[np.uint64],
    numbers: NDArray[np.int64],
    codes: NDArray[np.int32],
    outcomes: NDArray[np.int64],
) -> None:
    """Read the movetexts of *spans* [games, begin and end], played from the positions in *masks* and *numbers*.

    Writes the codes of all moves one after another, and the *outcomes* [games, 4]: where the codes of a game end, its
    fault, the place of the word at fault, its result.
    """
    legal, total = np.zeros(MOST_MOVES, np.int32), 0
    for row in range(len(spans)):
        position = position_at(masks, numbers, row)
        total, fault, place, result = _read(letters, spans[row, 0], spans[row, 1], position, codes, total, legal)
        outcomes[row, 0], outcomes[row, 1], outcomes[row, 2], outcomes[row, 3] = total, fault, place, result


@kernel
def _read(
    letters: NDArray[np.uint8],
    place: int,
    stop: int,
    position: Chess,
    codes: NDArray[np.int32],
    total: int,
    legal: NDArray[np.int32],
) -> tuple[int, int, int, int]:
    """Write the moves of a game after the *total* codes that are there; return the new total and what is told."""
    while place < stop:
        after, fault = _past(letters, place, stop)
        if fault != SOUND:
            return total, fault, place, UNSAID
        if after > place:
            place = after
            continue
        result = result_at(letters, place, stop)
        if result != UNSAID:
            return total, SOUND, place, result
        end = place + 1
        while end < stop and not ENDS[letters[end]]:
            end += 1
        move, fault = read_san(letters, place, end, position, legal)
        if fault != SOUND:
            return total, fault, place, UNSAID
        codes[total] = move
        total, place, position = total + 1, end, play(position, move)
    return total, SOUND, place, UNSAID


@kernel
def _past(letters: NDArray[np.uint8], place: int, stop: int) -> tuple[int, int]:
    """Return the place after what is no move and no result and begins here, or *place*; and the fault."""
    letter = letters[place]
    dash = letter == _DASH and (place + 1 == stop or letters[place + 1] != _DASH)  # two let a side pass
    if BLANK[letter] or _GLYPHS[letter] or dash:
        return place + 1, SOUND
    if letter == _BRACE:
        after = _past_comment(letters, place, stop)
        return after, SOUND if after > place else OPEN_COMMENT
    if letter == _OPEN:
        after = _past_variation(letters, place, stop)
        return after, SOUND if after > place else OPEN_VARIATION
    if letter == _END:
        return place, CLOSED
    if letter == _NOTE or (letter == _ESCAPE and (place == 0 or letters[place - 1] == _LINE)):
        return _past_line(letters, place, stop), SOUND
    if result_at(letters, place, stop) != UNSAID:
        return place, SOUND
    return _past_remark(letters, place, stop), SOUND


@kernel
def _past_comment(letters: NDArray[np.uint8], place: int, stop: int) -> int:
    """Return the place after a comment, or -1 if it has no end."""
    while place < stop:
        if letters[place] == ord("}"):
            return place + 1
        place += 1
    return -1


@kernel
def _past_line(letters: NDArray[np.uint8], place: int, stop: int) -> int:
    while place < stop and letters[place] != _LINE:
        place += 1
    return place


@kernel
def _past_variation(letters: NDArray[np.uint8], place: int, stop: int) -> int:
    """Return the place after a variation with the variations and comments inside it, or -1 if it has no end."""
    depth = 0
    while place < stop:
        letter = letters[place]
        if letter == _BRACE:
            place = _past_comment(letters, place, stop) - 1
            if place < 0:
                return -1
        elif letter == _NOTE:
            place = _past_line(letters, place, stop)
        elif letter == _OPEN:
            depth += 1
        elif letter == _END:
            depth -= 1
            if depth == 0:
                return place + 1
        place += 1
    return -1


@kernel
def _past_remark(letters: NDArray[np.uint8], place: int, stop: int) -> int:
    """Return the place after the number of a move or a glyph, or after `e.p.`; *place* if there is none."""
    begun, left = place, stop - place
    if left > 3 and letters[place] == ord("e") and letters[place + 1] == ord(".") and letters[place + 2] == ord("p"):
        return place + 3
    if letters[place] == ord("$"):
        place += 1
    while place < stop and ord("0") <= letters[place] <= ord("9"):
        place += 1
    castling = place < stop and letters[place] == ord("-")  # 0-0
    return begun if castling else place


@kernel
def result_at(letters: NDArray[np.uint8], place: int, stop: int) -> int:
    """Return the number in RESULTS of the result that begins here, or UNSAID."""
    first, left = letters[place], stop - place
    if first == ord("*"):
        return 0
    if left < 3 or (first != ord("0") and first != ord("1")):
        return UNSAID
    second, third = letters[place + 1], letters[place + 2]
    if second == ord("-") and third != first and (third == ord("0") or third == ord("1")):
        return 1 if first == ord("1") else 2
    half = first == ord("1") and second == ord("/") and third == ord("2")
    return 3 if half and left >= 4 and letters[place + 3] == ord("-") else UNSAID
