"""Suites of test positions in EPD: best moves, moves to avoid, graded moves, names.

A line is the first four fields of a FEN (six are read too), then operations such as `bm Nf6+;`, `am Rd1;`, `id "x";`.
Grades stand in `c0 "f5=10, Bf2=3"`, or as two lists, moves in c9 or c7 and their grades in c8.

Two suites ship. `ccr25` is Kaufman's One Hour Test of the Computer Chess Reports, with its public key: the positions
behind Table 8.1 of Sabatelli's thesis. `kaufman25` is the tactical test that is usually called Kaufman's.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from understudy.errors import FileError, UnderstudyError
from understudy.games import CompiledGame, find_game
from understudy.protocols import Move

CCR25 = """\
rn1qkb1r/pp2pppp/5n2/3p1b2/3P4/2N1P3/PP3PPP/R1BQKBNR w KQkq - bm Qb3; id "CCR01";
rn1qkb1r/pp2pppp/5n2/3p1b2/3P4/1QN1P3/PP3PPP/R1B1KBNR b KQkq - bm Bc8; id "CCR02";
r1bqk2r/ppp2ppp/2n5/4P3/2Bp2n1/5N1P/PP1N1PP1/R2Q1RK1 b kq - bm Nh6; am Ngxe5; id "CCR03";
r1bqrnk1/pp2bp1p/2p2np1/3p2B1/3P4/2NBPN2/PPQ2PPP/1R3RK1 w - - bm b4; id "CCR04";
rnbqkb1r/ppp1pppp/5n2/8/3PP3/2N5/PP3PPP/R1BQKBNR b KQkq - bm e5; id "CCR05";
rnbq1rk1/pppp1ppp/4pn2/8/1bPP4/P1N5/1PQ1PPPP/R1B1KBNR b KQ - bm Bxc3+; id "CCR06";
r4rk1/3nppbp/bq1p1np1/2pP4/8/2N2NPP/PP2PPB1/R1BQR1K1 b - - bm Rfb8; id "CCR07";
rn1qkb1r/pb1p1ppp/1p2pn2/2p5/2PP4/5NP1/PP2PPBP/RNBQK2R w KQkq - bm d5; id "CCR08";
r1bq1rk1/1pp2pbp/p1np1np1/3Pp3/2P1P3/2N1BP2/PP4PP/R1NQKB1R b KQ - bm Nd4; id "CCR09";
rnbqr1k1/1p3pbp/p2p1np1/2pP4/4P3/2N5/PP1NBPPP/R1BQ1RK1 w - - bm a4; id "CCR10";
rnbqkb1r/pppp1ppp/5n2/4p3/4PP2/2N5/PPPP2PP/R1BQKBNR b KQkq - bm d5; id "CCR11";
r1bqk1nr/pppnbppp/3p4/8/2BNP3/8/PPP2PPP/RNBQK2R w KQkq - bm Bxf7+; id "CCR12";
rnbq1b1r/ppp2kpp/3p1n2/8/3PP3/8/PPP2PPP/RNBQKB1R b KQ - am Nxe4; id "CCR13";
rnbqkb1r/pppp1ppp/3n4/8/2BQ4/5N2/PPP2PPP/RNB2RK1 b kq - am Nxc4; id "CCR14";
r2q1rk1/2p1bppp/p2p1n2/1p2P3/4P1b1/1nP1BN2/PP3PPP/RN1QR1K1 w - - bm exf6; id "CCR15";
r1bqkb1r/2pp1ppp/p1n5/1p2p3/3Pn3/1B3N2/PPP2PPP/RNBQ1RK1 b kq - bm d5; id "CCR16";
r2qkbnr/2p2pp1/p1pp4/4p2p/4P1b1/5N1P/PPPP1PP1/RNBQ1RK1 w kq - am hxg4; id "CCR17";
r1bqkb1r/pp3ppp/2np1n2/4p1B1/3NP3/2N5/PPP2PPP/R2QKB1R w KQkq - bm Bxf6; id "CCR18";
rn1qk2r/1b2bppp/p2ppn2/1p6/3NP3/1BN5/PPP2PPP/R1BQR1K1 w kq - am Bxe6; id "CCR19";
r1b1kb1r/1pqpnppp/p1n1p3/8/3NP3/2N1B3/PPP1BPPP/R2QK2R w KQkq - am Ndb5; id "CCR20";
r1bqnr2/pp1ppkbp/4N1p1/n3P3/8/2N1B3/PPP2PPP/R2QK2R b KQ - am Kxe6; id "CCR21";
r3kb1r/pp1n1ppp/1q2p3/n2p4/3P1Bb1/2PB1N2/PPQ2PPP/RN2K2R w KQkq - bm a4; id "CCR22";
r1bq1rk1/pppnnppp/4p3/3pP3/1b1P4/2NB3N/PPP2PPP/R1BQK2R w KQ - bm Bxh7+; id "CCR23";
r2qkbnr/ppp1pp1p/3p2p1/3Pn3/4P1b1/2N2N2/PPP2PPP/R1BQKB1R w KQkq - bm Nxe5; id "CCR24";
rn2kb1r/pp2pppp/1qP2n2/8/6b1/1Q6/PP1PPPBP/RNB1K1NR b KQkq - am Qxb3; id "CCR25";
"""

KAUFMAN25 = """\
1rbq1rk1/p1b1nppp/1p2p3/8/1B1pN3/P2B4/1P3PPP/2RQ1R1K w - - bm Nf6+; id "Kaufman 01";
3r2k1/p2r1p1p/1p2p1p1/q4n2/3P4/PQ5P/1P1RNPP1/3R2K1 b - - bm Nxd4; id "Kaufman 02";
3r2k1/1p3ppp/2pq4/p1n5/P6P/1P6/1PB2QP1/1K2R3 w - - am Rd1; id "Kaufman 03";
r1b1r1k1/1ppn1p1p/3pnqp1/8/p1P1P3/5P2/PbNQNBPP/1R2RB1K w - - bm Rxb2; id "Kaufman 04";
2r4k/pB4bp/1p4p1/6q1/1P1n4/2N5/P4PPP/2R1Q1K1 b - - bm Qxc1; id "Kaufman 05";
r5k1/3n1ppp/1p6/3p1p2/3P1B2/r3P2P/PR3PP1/2R3K1 b - - am Rxa2; id "Kaufman 06";
2r2rk1/1bqnbpp1/1p1ppn1p/pP6/N1P1P3/P2B1N1P/1B2QPP1/R2R2K1 b - - bm Bxe4; id "Kaufman 07";
5r1k/6pp/1n2Q3/4p3/8/7P/PP4PK/R1B1q3 b - - bm h6; id "Kaufman 08";
r3k2r/pbn2ppp/8/1P1pP3/P1qP4/5B2/3Q1PPP/R3K2R w KQkq - bm Be2; id "Kaufman 09";
3r2k1/ppq2pp1/4p2p/3n3P/3N2P1/2P5/PP2QP2/K2R4 b - - bm Nxc3; id "Kaufman 10";
q3rn1k/2QR4/pp2pp2/8/P1P5/1P4N1/6n1/6K1 w - - bm Nf5; id "Kaufman 11";
6k1/p3q2p/1nr3pB/8/3Q1P2/6P1/PP5P/3R2K1 b - - bm Rd6; id "Kaufman 12";
1r4k1/7p/5np1/3p3n/8/2NB4/7P/3N1RK1 w - - bm Nxd5; id "Kaufman 13";
1r2r1k1/p4p1p/6pB/q7/8/3Q2P1/PbP2PKP/1R3R2 w - - bm Rxb2; id "Kaufman 14";
r2q1r1k/pb3p1p/2n1p2Q/5p2/8/3B2N1/PP3PPP/R3R1K1 w - - bm Bxf5; id "Kaufman 15";
8/4p3/p2p4/2pP4/2P1P3/1P4k1/1P1K4/8 w - - bm b4; id "Kaufman 16";
1r1q1rk1/p1p2pbp/2pp1np1/6B1/4P3/2NQ4/PPP2PPP/3R1RK1 w - - bm e5; id "Kaufman 17";
q4rk1/1n1Qbppp/2p5/1p2p3/1P2P3/2P4P/6P1/2B1NRK1 b - - bm Qc8; id "Kaufman 18";
r2q1r1k/1b1nN2p/pp3pp1/8/Q7/PP5P/1BP2RPN/7K w - - bm Qxd7; id "Kaufman 19";
8/5p2/pk2p3/4P2p/2b1pP1P/P3P2B/8/7K w - - bm Bg4; id "Kaufman 20";
8/2k5/4p3/1nb2p2/2K5/8/6B1/8 w - - bm Kxb5; id "Kaufman 21";
1B1b4/7K/1p6/1k6/8/8/8/8 w - - bm Ba7; id "Kaufman 22";
rn1q1rk1/1b2bppp/1pn1p3/p2pP3/3P4/P2BBN1P/1P1N1PP1/R2Q1RK1 b - - bm Ba6; id "Kaufman 23";
8/p1ppk1p1/2n2p2/8/4B3/2P1KPP1/1P5P/8 w - - bm Bxc6; id "Kaufman 24";
8/3nk3/3pp3/1B6/8/3PPP2/4K3/8 w - - bm Bxd7; id "Kaufman 25";
"""

SUITES: dict[str, str] = {"ccr25": CCR25, "kaufman25": KAUFMAN25}

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
        match = OPERATION.match(text, end)
        if match is None:
            raise FileError(f"{place}: cannot read the operation {text[end:].strip()[:40]!r}")
        operations[match[1]] = [quoted or plain.rstrip(",") for quoted, plain in OPERAND.findall(match[2])]
        end = match.end()
    return operations


def _grades(operations: Mapping[str, list[str]], place: str) -> list[tuple[str, float]]:
    """Return moves with their grades, from the comment c0 or from the lists in c9 or c7 and c8."""
    pieces = [piece for piece in " ".join(operations.get("c0", ())).split(",") if piece.strip()]
    matches = [GRADED.fullmatch(piece) for piece in pieces]
    if pieces and all(matches):
        return [(piece[1], float(piece[2])) for piece in matches if piece is not None]
    moves = " ".join(operations.get("c9") or operations.get("c7") or ()).split()
    grades = " ".join(operations.get("c8", ())).split()
    if not grades:
        return []
    if len(moves) != len(grades) or not all(re.fullmatch(r"\d+(\.\d+)?", grade) for grade in grades):
        raise FileError(f"{place}: c8 should hold a grade for each of {len(moves)} moves, not {' '.join(grades)!r}")
    return [(move, float(grade)) for move, grade in zip(moves, grades, strict=True)]
