"""Saved games of chess as other programs write and read them: PGN, by way of python-chess."""

from __future__ import annotations

import io
from typing import TextIO

import chess
import chess.pgn

from understudy.errors import NotationError, first_line
from understudy.games.chess.notation import from_board, from_uci, to_board, to_uci
from understudy.match import PLY_LIMIT, Opening, Played
from understudy.saved import SavedGame

RESULTS = {1: "1-0", 0: "1/2-1/2", -1: "0-1", None: "*"}
TERMINATIONS = {
    "illegal move": "rules infraction",
    "time": "time forfeit",
    "engine crash": "abandoned",
    "engine failure": "abandoned",
    PLY_LIMIT: "adjudication",
}
"""The words that the PGN standard has for ends that no rule of chess brought about; all others are "normal"."""


def write_pgn(saved: SavedGame) -> str:
    """Return the game as PGN: who played, the result, why it ended, and the start if it was not the usual one."""
    course = saved.course
    record = chess.pgn.Game()
    if course.start is not None:
        record.setup(to_board(course.start))
    node: chess.pgn.GameNode = record
    for before, move in zip(course.history, course.moves, strict=True):
        node = node.add_main_variation(to_uci(before, move))
    record.headers["Event"] = "Understudy"
    for colour in ("white", "black"):
        # A quotation mark would end the tag: python-chess writes what it is given.
        record.headers[colour.title()] = saved.players[colour].replace('"', "'").replace("\\", "/")
    record.headers["Result"] = RESULTS[None if course.played is None else course.played.result]
    record.headers["Termination"] = _termination(course.played)
    if course.played is not None:
        node.comment = course.played.reason
    return f"{record}\n"


def _termination(played: Played | None) -> str:
    return "unterminated" if played is None else TERMINATIONS.get(played.reason, "normal")


EXPORTS = {"pgn": write_pgn}


def next_game(stream: TextIO) -> chess.pgn.Game | None:
    """Return the next game of PGN, None at its end; what python-chess stumbles over is a sentence, too."""
    try:
        return chess.pgn.read_game(stream)
    except (LookupError, ValueError, AssertionError, RecursionError) as error:
        raise NotationError(f"PGN: a game cannot be taken apart: {first_line(error)}") from None


def read_pgn(text: str) -> Opening | None:
    """Return the first game of a PGN: where it starts and its moves; None if the text is no PGN."""
    if not text.lstrip().startswith("["):
        return None
    record = next_game(io.StringIO(text))
    if record is None:
        return None
    if record.errors:
        raise NotationError(f"PGN: {record.errors[0]}")
    if (variant := record.headers.get("Variant", "Standard")).lower() not in ("standard", "from position", "chess"):
        raise NotationError(f"PGN: a game of the variant {variant!r}, not of chess")
    board, moves = record.board(), []
    usual = board.fen() == chess.STARTING_FEN
    start = None if usual else from_board(board)
    for move in record.mainline_moves():
        moves.append(from_uci(from_board(board), move))
        board.push(move)
    return Opening(tuple(moves), start)


IMPORTS = {"pgn": read_pgn}
