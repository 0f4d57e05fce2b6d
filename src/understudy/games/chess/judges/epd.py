"""Suites of test positions in EPD: best moves, moves to avoid, graded moves, names.

A line is the first four fields of a FEN (six are read too), then operations such as `bm Nf6+;`, `am Rd1;`, `id "x";`.
Grades stand in `c0 "f5=10, Bf2=3"`, or as two lists, moves in c9 or c7 and their grades in c8.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from understudy.errors import FileError, UnderstudyError
from understudy.games import CompiledGame, find_game
from understudy.games.chess.judges.suite_tables import SUITES
from understudy.protocols import Move

OPERATION = re.compile(r'\s*([A-Za-z][\w-]*)((?:\s+(?:"[^"]*"|[^\s;"]+))*)\s*(?:;|$)')
OPERAND = re.compile(r'"([^"]*)"|([^\s;"]+)')
GRADED = re.compile(r"\s*([^\s=,]+(?:=[NBRQ][+#]?)?)\s*=\s*(\d+(?:\.\d+)?)\s*")


class Item(NamedTuple):
    """One position of a suite and what should, or should not, be played there."""

    name: str
    fen: str
    position: Any
    best: tuple[Move, ...]
    """Best moves; where only grades are given, those with the highest grade."""
    avoid: tuple[Move, ...]
    grades: Mapping[Move, float]
    """What each move earns; empty where moves are not graded."""


class Suite(NamedTuple):
    """Test positions in order."""

    name: str
    items: tuple[Item, ...]


def load_suite(name: str) -> Suite:
    """Return the suite that ships under *name*, or else the one in the file *name*."""
    if name in SUITES:
        return Suite(name, tuple(_items(SUITES[name].splitlines(), name)))
    if "." not in name and "/" not in name and not Path(name).exists():
        raise FileError(f"there is no suite {name!r}: neither a file, nor one that ships ({', '.join(SUITES)})")
    try:
        lines = Path(name).read_text(encoding="utf-8-sig").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise FileError(f"cannot read {name!r}: {getattr(error, 'strerror', None) or 'it is not text'}") from None
    items = tuple(_items(lines, name))
    if not items:
        raise FileError(f"{name!r} holds no positions")
    return Suite(Path(name).name, items)


def _items(lines: Iterable[str], file: str) -> Iterable[Item]:
    game = find_game("chess")
    for number, line in enumerate(lines, 1):
        if line.strip() and not line.lstrip().startswith("#"):
            yield read_item(game, line, place=f"{file}, line {number}", number=number)


def read_item(game: CompiledGame, line: str, *, place: str, number: int) -> Item:
    """Return what a line of EPD says; *place* is named in errors."""
    fen, rest = _fen(line, place)
    operations = _operations(rest, place)
    name = " ".join(operations.get("id", ())) or str(number)
    place = f"{place} (id {name!r})" if "id" in operations else place
    try:
        position = game.read(fen)
        best, avoid = (
            tuple(game.read_move(position, text) for text in operations.get(code, ())) for code in ("bm", "am")
        )
        grades = {game.read_move(position, text): grade for text, grade in _grades(operations, place)}
    except UnderstudyError as error:
        raise FileError(f"{place}: {error}") from None
    if not best and not avoid and not grades:
        raise FileError(f"{place}: there is no best move (bm), none to avoid (am) and none with a grade (c0)")
    top = tuple(move for move, grade in grades.items() if grade == max(grades.values()))
    return Item(name, game.write(position), position, best or top, avoid, grades)


def _fen(line: str, place: str) -> tuple[str, str]:
    """Return the fields that make the position, and the rest of the line."""
    fields = line.split(None, 4)
    if len(fields) < 4:
        raise FileError(f"{place}: {line.strip()!r} is not EPD, which begins with the first four fields of a FEN")
    rest = fields[4] if len(fields) > 4 else ""
    counters = re.match(r"\d+\s+\d+(\s+|$)", rest)
    return " ".join(fields[:4]), rest[counters.end() :] if counters else rest


def _operations(text: str, place: str) -> dict[str, list[str]]:
    operations: dict[str, list[str]] = {}
    end = 0
    while text[end:].strip():
        found = OPERATION.match(text, end)
        if found is None:
            raise FileError(f"{place}: cannot read the operation {text[end:].strip()[:40]!r}")
        operations[found[1]] = [quoted or plain.rstrip(",") for quoted, plain in OPERAND.findall(found[2])]
        end = found.end()
    return operations


def _grades(operations: Mapping[str, list[str]], place: str) -> list[tuple[str, float]]:
    """Return moves with their grades, from the comment c0 or from the lists in c9 or c7 and c8."""
    pieces = [piece for piece in " ".join(operations.get("c0", ())).split(",") if piece.strip()]
    found = [GRADED.fullmatch(piece) for piece in pieces]
    if pieces and all(found):
        return [(piece[1], float(piece[2])) for piece in found if piece is not None]
    moves = " ".join(operations.get("c9") or operations.get("c7") or ()).split()
    grades = " ".join(operations.get("c8", ())).split()
    if not grades:
        return []
    if len(moves) != len(grades) or not all(re.fullmatch(r"\d+(\.\d+)?", grade) for grade in grades):
        raise FileError(f"{place}: c8 should hold a grade for each of {len(moves)} moves, not {' '.join(grades)!r}")
    return [(move, float(grade)) for move, grade in zip(moves, grades, strict=True)]
