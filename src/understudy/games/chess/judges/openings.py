"""Matches from given openings, both colours of each: the thesis's 20 openings in six sets, or a file's.

In the thesis's appendix five openings do not parse and fourteen give White a move too many. `sabatelli` is what they
mean, `sabatelli_as_printed` what they say as far as the rules allow: White to move, rights to castle that can exist.

A file is FEN or EPD line by line, or PGN whose games end where play should begin; zipped or not. Books hold a hundred
thousand lines and a match needs a few: lines are drawn first, and only those drawn are read.
"""

from __future__ import annotations

import io
import os
import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from understudy.errors import FileError, UnderstudyError
from understudy.games import CompiledGame, find_game
from understudy.judges.measures import Measure, share
from understudy.judges.pairs import describe, find_repeated
from understudy.judges.tournament import Meeting
from understudy.match import Opening, Played, Terms, play_games, random_openings
from understudy.players import close, make_player, prepare
from understudy.protocols import Backend
from understudy.unpacking import content, inner_name

SETS = ("1.e4 e5", "1.e4, other replies", "1.d4 d5", "1.d4, other replies", "gambits", "other first moves")
"""The six sets of the thesis, in its order."""


class Line(NamedTuple):
    """Where a game starts."""

    group: str
    """The set it belongs to."""
    name: str
    fen: str


_SABATELLI: tuple[tuple[int, str, str], ...] = (
    (1, "Ruy Lopez 3.Bb5",
     "r1bqkbnr/pppp1ppp/2n5/1B2p3/4P3/5N2/PPPP1PPP/RNBQK2R b KQkq - 3 3"),
    (1, "Italian 3.Bc4",
     "r1bqkbnr/pppp1ppp/2n5/4p3/2B1P3/5N2/PPPP1PPP/RNBQK2R b KQkq - 3 3"),
    (1, "Scotch 3.d4",
     "r1bqkbnr/pppp1ppp/2n5/4p3/3PP3/5N2/PPP2PPP/RNBQKB1R b KQkq - 0 3"),
    (1, "King's Gambit, Fischer Defence 3...d6 4.d4 g5 5.h4",
     "rnbqkbnr/ppp2p1p/3p4/6p1/3PPp1P/5N2/PPP3P1/RNBQKB1R b KQkq - 0 5"),
    (1, "Falkbeer 2.f4 d5",
     "rnbqkbnr/ppp2ppp/8/3pp3/4PP2/8/PPPP2PP/RNBQKBNR w KQkq - 0 3"),
    (2, "Najdorf 5...a6",
     "rnbqkb1r/1p2pppp/p2p1n2/8/3NP3/2N5/PPP2PPP/R1BQKB1R w KQkq - 0 6"),
    (2, "Sicilian 4...Nxd4 5.Qxd4",
     "r1bqkbnr/pp1ppppp/8/8/3QP3/8/PPP2PPP/RNB1KB1R b KQkq - 0 5"),
    (2, "Accelerated Dragon 4...g6",
     "r1bqkbnr/pp1ppp1p/2n3p1/8/3NP3/8/PPP2PPP/RNBQKB1R w KQkq - 0 5"),
    (2, "Caro-Kann 7.h5 Bh7",
     "rn1qkbnr/pp2pppb/2p4p/7P/3P4/6N1/PPP2PP1/R1BQKBNR w KQkq - 1 8"),
    (2, "French Advance 4.Nf3",
     "rnbqkbnr/pp3ppp/4p3/2ppP3/3P4/5N2/PPP2PPP/RNBQKB1R b KQkq - 1 4"),
    (2, "Pirc, f4 and Nf3 without Nc3 (e4 hangs)",
     "rnbqkb1r/ppp1pp1p/3p1np1/8/3PPP2/5N2/PPP3PP/RNBQKB1R b KQkq - 1 4"),
    (3, "Semi-Slav 4.e3 e6",
     "rnbqkb1r/pp3ppp/2p1pn2/3p4/2PP4/4PN2/PP3PPP/RNBQKB1R w KQkq - 0 5"),
    (3, "Albin 4.e3 dxe3",
     "rnbqkbnr/ppp2ppp/8/4P3/2P5/4p3/PP3PPP/RNBQKBNR w KQkq - 0 5"),
    (4, "King's Indian 5.Nf3",
     "rnbqk2r/ppp1ppbp/3p1np1/8/2PPP3/2N2N2/PP3PPP/R1BQKB1R b KQkq - 1 5"),
    (4, "Benko, 8...Bxf1 9.Kxf1-type",
     "rn1qk2r/3pppbp/5np1/2pP4/4P3/5NP1/PP3P1P/RNBQ1K1R b kq - 2 9"),
    (5, "From's Gambit 4.Nf3",
     "rnbqk1nr/ppp2ppp/3b4/8/8/5N2/PPPPP1PP/RNBQKB1R b KQkq - 1 4"),
    (5, "Scandinavian 2...Nf6 3.d4 e6 4.dxe6 Bxe6 5.Nc3",
     "rn1qkb1r/ppp2ppp/4bn2/8/3P4/2N5/PPP2PPP/R1BQKBNR b KQkq - 1 5"),
    (6, "English Symmetrical 7.d3",
     "rnbq1rk1/pp2ppbp/3p1np1/2p5/2P5/2NP1NP1/PP2PPBP/R1BQ1RK1 b - - 0 7"),
    (6, "Reti v ...b6, 4.d3",
     "rn1qkbnr/pbpp1ppp/1p2p3/8/8/3P1NP1/PPP1PPBP/RNBQK2R b KQkq - 0 4"),
    (6, "Trompowsky 2.Bg5",
     "rnbqkb1r/pppppppp/5n2/6B1/3P4/8/PPP1PPPP/RN1QKBNR b KQkq - 2 2"),
)  # fmt: skip


def _as_printed(fen: str) -> str:
    """Return an opening as the appendix has it: White to move, and the Fischer Defence without Black's ...d6."""
    cells, _, castling, *_ = fen.replace("ppp2p1p/3p4/6p1", "pppp1p1p/8/6p1").split()
    return f"{cells} w {castling} - 0 1"


BOOKS: dict[str, tuple[Line, ...]] = {
    "sabatelli": tuple(Line(SETS[group - 1], name, fen) for group, name, fen in _SABATELLI),
    "sabatelli_as_printed": tuple(Line(SETS[group - 1], name, _as_printed(fen)) for group, name, fen in _SABATELLI),
}


def load_book(name: str, *, most: int, seed: int = 0) -> tuple[Line, ...]:
    """Return the openings that ship under *name*, all of them, or at most *most* of a file, drawn by *seed*."""
    if name in BOOKS:
        return BOOKS[name]
    drawn = read_openings(Path(name), most=most, rng=np.random.default_rng([seed, 0xB00C]), ships=BOOKS)
    return tuple(Line(Path(name).name, place, fen) for place, fen in drawn)


def random_book(game: CompiledGame, *, most: int, plies: int, seed: int = 0) -> tuple[Line, ...]:
    """Return openings of random plies, the start first."""
    rng = np.random.default_rng([seed, 0xB00C])
    lines = []
    for number, opening in enumerate(random_openings(game, most, plies=plies, rng=rng)):
        position = game.start()
        for move in opening.moves:
            position = game.play(position, move)
        lines.append(Line(f"{plies} random plies", str(number), game.write(position)))
    return tuple(lines)


@dataclass(frozen=True, kw_only=True)
class OpeningTask:
    """Some games from given positions: names and numbers only, so that any worker can play it."""

    players: tuple[str, str]
    starts: tuple[str, ...]
    """A FEN for each game."""
    first: int
    """Number of the first game; in even games the first player is White."""
    seed: tuple[int, ...]
    terms: Terms


def play_openings(
    players: tuple[str, str],
    book: Sequence[Line],
    *,
    games: int,
    seed: int,
    backend: Backend,
    terms: Terms = Terms(),
    progress: Callable[[int], None] = lambda games: None,
) -> Meeting:
    """Play *games* games of chess, both colours of each opening, over and over if there are more games than that."""
    chunk = min(max(games // 32 * 2, 2), 128)
    starts = [book[number // 2 % len(book)].fen for number in range(games)]
    tasks = [
        OpeningTask(players=players, starts=tuple(starts[k : k + chunk]), first=k, seed=(seed, k), terms=terms)
        for k in range(0, games, chunk)
    ]
    played: list[Played] = []
    for part in backend.map(opening_task, tasks):
        played += part
        progress(len(part))
    return Meeting(players, tuple(played))


def opening_task(task: OpeningTask) -> list[Played]:
    """Play the games of one task with players made for it alone."""
    game = find_game("chess")
    starts = [(Opening(start=game.read(fen)), number % 2 == 1) for number, fen in enumerate(task.starts, task.first)]
    players = [make_player(text, game, seed=[*task.seed, side]) for side, text in enumerate(task.players)]
    try:
        for player in players:
            prepare(player)
        return play_games(game, (players[0], players[1]), starts, task.terms)
    finally:
        for player in players:
            close(player)


def book_json(meeting: Meeting, book: Sequence[Line]) -> dict[str, Any]:
    """Return a match as plain data, from the first player's side: the outcomes of each set, and every game.

    A game that repeats an earlier one counts once in the shares.
    """
    lines = [book[number // 2 % len(book)] for number in range(len(meeting.games))]
    new = [(result, line.group) for result, line, repeated in
           zip(meeting.results, lines, find_repeated(meeting.games), strict=True) if not repeated]  # fmt: skip
    groups = {line.group: [result for result, group in new if group == line.group] for line in lines}
    wins, draws, losses = meeting.score()
    return {
        "players": list(meeting.players),
        "wins": wins,
        "draws": draws,
        "losses": losses,
        **describe(meeting.pairs()),
        "shares": _plain(outcomes([result for result, _ in new])),
        "sets": [{"set": group, "shares": _plain(outcomes(results))} for group, results in groups.items()],
        "games": [_game_json(meeting, number, line) for number, line in enumerate(lines)],
    }


def outcomes(results: Sequence[int]) -> dict[str, Measure]:
    """Return the shares of wins, draws and losses, each with its interval."""
    return {name: share(list(results).count(sign), len(results)) for name, sign in
            (("wins", 1), ("draws", 0), ("losses", -1))}  # fmt: skip


def texts(game: CompiledGame, played: Played) -> list[str]:
    """Return the moves of a game in SAN."""
    position, written = game.start() if played.start is None else played.start, []
    for move in played.moves:
        written.append(game.write_move(position, move))
        position = game.play(position, move)
    return written


def _game_json(meeting: Meeting, number: int, line: Line) -> dict[str, Any]:
    played = meeting.games[number]
    return {
        "white": meeting.players[number % 2],
        "opening": line.name,
        "fen": line.fen,
        "moves": texts(find_game("chess"), played),
        "result": meeting.results[number],
        "reason": played.reason,
    }


def _plain(measures: dict[str, Measure]) -> dict[str, Any]:
    return {name: measure._asdict() for name, measure in measures.items()}


def read_openings(
    path: Path, *, most: int, rng: np.random.Generator, ships: Iterable[str] = ()
) -> list[tuple[str, str]]:
    """Return the places and FENs of at most *most* openings of a file, drawn by *rng*; *ships* are names to hint at."""
    if not os.path.exists(path):
        raise FileError(f"there are no openings {str(path)!r}: neither a file, nor ones that ship ({', '.join(ships)})")
    name, text = _text(path)
    pieces = _games(text) if name.endswith(".pgn") else _lines(text)
    if not pieces:
        raise FileError(f"{str(path)!r} holds no openings")
    drawn = rng.permutation(len(pieces))[:most]
    return [_opening(path, name, pieces[place]) for place in drawn.tolist()]


def _text(path: Path) -> tuple[str, str]:
    """Return the name and the text of a file, or of the only file inside a zip."""
    try:
        return inner_name(path), content(path).decode("utf-8-sig")
    except UnicodeDecodeError:
        raise FileError(f"cannot read {str(path)!r}: it is not text") from None


def _lines(text: str) -> Sequence[tuple[int, str]]:
    """Return the lines that say something, with their numbers."""
    numbered = [(number, line.strip()) for number, line in enumerate(text.splitlines(), 1)]
    return [(number, line) for number, line in numbered if line and not line.startswith("#")]


def _games(text: str) -> Sequence[tuple[int, str]]:
    """Return the games of a PGN file, numbered: each begins with a tag after moves; the first may have no tag."""
    lines, starts, tag = text.splitlines(keepends=True), list[int](), False
    for place, line in enumerate(lines):
        if line.strip():
            before, tag = tag, re.match(r"\[[A-Za-z]", line) is not None  # a line of a comment may begin with [%clk
            starts += [place] if not starts or (tag and not before) else []
    return [(number, "".join(lines[a:b])) for number, (a, b) in enumerate(pairwise([*starts, len(lines)]), 1)]


def _opening(path: Path, name: str, piece: tuple[int, str]) -> tuple[str, str]:
    """Return the place of an opening and its FEN."""
    game, (number, text) = find_game("chess"), piece
    kind = "game" if name.endswith(".pgn") else "line"
    place = f"{kind} {number}"
    try:
        position = _last_position(game, text) if kind == "game" else game.read(_fen(text))
    except UnderstudyError as error:
        raise FileError(f"{str(path)!r}, {place}: {error}") from None
    if not game.moves(position):
        raise FileError(f"{str(path)!r}, {place}: the game is over there")
    return place, game.write(position)


def _fen(line: str) -> str:
    """Return the fields of a position, without what EPD adds."""
    fields = line.split()
    counted = len(fields) >= 6 and fields[4].isdigit() and fields[5].isdigit()
    return " ".join(fields[: 6 if counted else 4])


def _last_position(game: CompiledGame, text: str) -> object:
    from understudy.games.chess.exports import next_game

    read = next_game(io.StringIO(text))
    if read is None or read.errors:
        raise FileError(f"its moves cannot be played: {read.errors[0] if read else 'there are none'}")
    return game.read(read.end().board().fen())
