"""Games of chess to be looked at ply by ply: from PGN, from records, or just played."""

from __future__ import annotations

import bz2
import io
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from understudy.errors import FileError
from understudy.games import CompiledGame, find_game
from understudy.judges.tournament import Meeting

PARQUET = b"PAR1"
RESULTS = {1: "1-0", 0: "1/2-1/2", -1: "0-1"}


class Step(NamedTuple):
    """One move: the position before and after it."""

    ply: int
    """Plies played since the start of the game, this one included; odd if White moved."""
    before: str
    after: str


class Told(NamedTuple):
    """A game as it was told."""

    name: str
    """Where it stands in its file."""
    white: str
    black: str
    result: str
    steps: tuple[Step, ...]
    """Those that are known: records may leave some out."""


def load_games(path: Path, *, most: int) -> tuple[list[Told], list[str]]:
    """Return the first games of a file of PGN (plain or bz2) or Parquet records, and what was wrong with others."""
    try:
        content = path.read_bytes()
    except OSError as error:
        raise FileError(f"cannot read {str(path)!r}: {error.strerror or error}") from None
    told, faults = _of_records(path, most) if content[:4] == PARQUET else _of_pgn(path, content, most)
    if not told:
        more = f"; {faults[0]}" if faults else ""
        raise FileError(f"{str(path)!r} holds no game of chess that can be played through{more}")
    return told, faults


def of_meeting(meeting: Meeting) -> list[Told]:
    """Return the games of a match."""
    game = find_game("chess")
    return [
        Told(
            f"game {number + 1}",
            meeting.players[number % 2],
            meeting.players[1 - number % 2],
            RESULTS[played.result],
            tuple(_steps(game, game.start() if played.start is None else played.start, played.moves)),
        )
        for number, played in enumerate(meeting.games)
    ]


def _steps(game: CompiledGame, position: Any, moves: Iterable[int]) -> Iterator[Step]:
    for move in moves:
        follower = game.play(position, move)
        yield Step(position.ply + 1, game.write(position), game.write(follower))
        position = follower


def _of_pgn(path: Path, content: bytes, most: int) -> tuple[list[Told], list[str]]:
    import chess.pgn

    told: list[Told] = []
    faults: list[str] = []
    text = io.StringIO(_decoded(path, content))
    number = 0
    while len(told) < most and (read := chess.pgn.read_game(text)) is not None:
        number += 1
        if fault := _fault(read):
            faults.append(f"{path}, game {number}: {fault}")
        else:
            told.append(_told(f"game {number}", read))
    return told, faults


def _decoded(path: Path, content: bytes) -> str:
    """Return the text of a file; names in old PGN are not always UTF-8, and do not matter."""
    try:
        return (bz2.decompress(content) if content[:3] == b"BZh" else content).decode("utf-8-sig", "replace")
    except (OSError, ValueError) as error:
        raise FileError(f"cannot read {str(path)!r}: {error}") from None


def _fault(read: Any) -> str | None:
    if read.errors:
        return str(read.errors[0])
    if read.headers.get("Variant", "Standard").lower() not in ("standard", "chess", "from position"):
        return f"it is {read.headers['Variant']}, not chess"
    return None if read.next() else "it has no moves"


def _told(name: str, read: Any) -> Told:
    steps, board = [], read.board()
    for move in read.mainline_moves():
        before = board.fen()
        board.push(move)
        steps.append(Step(board.ply(), before, board.fen()))
    told = read.headers
    return Told(name, told.get("White", "?"), told.get("Black", "?"), told.get("Result", "*"), tuple(steps))


def _of_records(path: Path, most: int) -> tuple[list[Told], list[str]]:
    from understudy.records.store import load

    records = load(path)
    if records.game.name != "chess":
        raise FileError(f"{str(path)!r} holds games of {records.game.name}, not chess")
    numbers = np.unique(records.games)[:most]
    return [_of_rows(records.taken(records.games == number), int(number)) for number in numbers], []


def _of_rows(rows: Any, number: int) -> Told:
    """Return the game that some rows of records tell."""
    from understudy.games.batches import unstacked

    steps = [
        next(_steps(rows.game, position, (move,)))
        for position, move in zip(unstacked(rows.positions), rows.moves.tolist(), strict=True)
        if move in rows.game.moves(position)
    ]
    sign = 1 if int(rows.plies[0]) % 2 == 0 else -1
    result = RESULTS.get(sign * int(rows.results[0]), "*")
    source = str(rows.sources[0])
    return Told(f"game {number}", source, source, result, tuple(sorted(steps)))
