"""What UCI engines answer, checked: scores that a position can have, moves that the rules allow."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING, NamedTuple

from understudy.errors import EngineError
from understudy.players.programs.starting import IllegalBest, show_answer

if TYPE_CHECKING:
    import chess

MOST_CENTIPAWNS = 100_000
"""A thousand pawns: engines that know a win without counting its moves say 10 000 to 32 000."""
MOST_MATE = 1_000
"""Moves to mate: the longest that anybody has found, with eight pieces, has 584."""
MOST_PLIES = 246
"""Plies of a variation that are read: as far as Stockfish can think."""

_SCORE = re.compile(rb"info (?!string).*?\bscore (\S+) (\S+)( lowerbound| upperbound)?")
_NUMBER = re.compile(rb"-?[0-9]{1,9}")
_COUNTS = {name: re.compile(rb"\b%b ([0-9]{1,18})\b" % name.encode()) for name in ("depth", "nodes", "multipv")}
_MOVE = re.compile(rb"([a-h][1-8]){2}[nbrqNBRQ]?")  # some write promotions with large letters
_VARIATION = re.compile(rb"\bpv ([a-h1-8nbrq ]+)")


class Score(NamedTuple):
    """What an engine says a position is worth, for the side to move."""

    kind: str
    """"cp" or "mate"."""
    number: int
    """Centipawns, or moves to mate: positive if the side to move mates, 0 if it is mated."""
    bound: bool = False
    """Whether the truth may be more, or less."""


class Info(NamedTuple):
    """One variation that an engine thinks of."""

    rank: int
    """1 is the best."""
    depth: int
    nodes: int | None
    score: Score
    moves: tuple[chess.Move, ...]


def read_score(line: bytes) -> Score | None:
    """Return the score in a line of thought, None if there is none; one that cannot be is the engine's failure."""
    match = _SCORE.match(line)
    if match is None:
        return None
    kind, number = match[1], match[2]
    most = {b"cp": MOST_CENTIPAWNS, b"mate": MOST_MATE}.get(kind)
    if most is None or _NUMBER.fullmatch(number) is None or abs(int(number)) > most:
        raise EngineError(f"gave the score {show_answer(kind + b' ' + number)}, which no position has")
    return Score(kind.decode(), int(number), match[3] is not None)


def read_info(line: bytes, board: chess.Board) -> Info | None:
    """Return what a line tells of a variation, as far as it can be played; None if it tells of none."""
    score, variation = read_score(line), _VARIATION.search(line)
    if score is None or variation is None:
        return None
    before = line[: variation.start()]
    counts = {name: int(match[1]) for name, form in _COUNTS.items() if (match := form.search(before)) is not None}
    moves = tuple(_play_through(board, variation[1].decode().split()[:MOST_PLIES]))
    return Info(counts.get("multipv", 1), counts.get("depth", 0), counts.get("nodes"), score, moves)


def _play_through(board: chess.Board, words: list[str]) -> Iterator[chess.Move]:
    ahead = board.copy(stack=False)
    for word in words:
        try:
            yield ahead.push_uci(word)
        except ValueError:
            return


def read_best(line: bytes) -> str:
    """Return the move of the line that ends an answer; nothing if the engine says that there is none."""
    words = line.split()
    if len(words) < 2:
        raise EngineError("named no best move")
    if words[1] in (b"(none)", b"NULL", b"0000"):
        return ""
    if _MOVE.fullmatch(words[1]) is None:
        raise EngineError(f"named the best move {show_answer(words[1])}, which is none")
    return words[1].decode().lower()


def read_legal_best(line: bytes, board: chess.Board) -> chess.Move:
    """Return the move of the line that ends an answer, if the rules allow it on *board*."""
    if not (best := read_best(line)):
        raise EngineError("named no best move")
    try:
        return board.parse_uci(best)
    except ValueError:
        raise IllegalBest(f"named the best move {best!r}, which is not legal") from None
