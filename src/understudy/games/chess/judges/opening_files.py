"""Openings in files: FEN or EPD line by line, or PGN whose games end where play should begin; zipped or not.

Books hold a hundred thousand lines and a match needs a few: lines are drawn first, and only those drawn are read.
"""

from __future__ import annotations

import io
import re
import zipfile
from collections.abc import Iterable, Sequence
from pathlib import Path

import numpy as np

from understudy.errors import FileError, UnderstudyError
from understudy.games import CompiledGame, find_game


def read_openings(
    path: Path, *, most: int, rng: np.random.Generator, ships: Iterable[str] = ()
) -> list[tuple[str, str]]:
    """Return the places and FENs of at most *most* openings of a file, drawn by *rng*; *ships* are names to hint at."""
    if not path.exists():
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
        content, name = path.read_bytes(), path.name
        if zipfile.is_zipfile(io.BytesIO(content)):
            with zipfile.ZipFile(io.BytesIO(content)) as archive:
                names = [name for name in archive.namelist() if not name.endswith("/")]
                if len(names) != 1:
                    raise FileError(f"{str(path)!r} holds {len(names)} files; a zip of openings holds one")
                name, content = names[0], archive.read(names[0])
        return name, content.decode("utf-8-sig")
    except UnicodeDecodeError:
        raise FileError(f"cannot read {str(path)!r}: it is not text") from None
    except (OSError, zipfile.BadZipFile) as error:
        if isinstance(error, FileError):
            raise
        raise FileError(f"cannot read {str(path)!r}: {getattr(error, 'strerror', None) or error}") from None


def _lines(text: str) -> Sequence[tuple[int, str]]:
    """Return the lines that say something, with their numbers."""
    found = [(number, line.strip()) for number, line in enumerate(text.splitlines(), 1)]
    return [(number, line) for number, line in found if line and not line.startswith("#")]


def _games(text: str) -> Sequence[tuple[int, str]]:
    """Return the games of a PGN file, numbered."""
    starts = [found.start() for found in re.finditer(r"^\[Event ", text, re.MULTILINE)]
    ends = [*starts[1:], len(text)]
    return [(number, text[a:b]) for number, (a, b) in enumerate(zip(starts, ends, strict=True), 1)]


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
    import chess.pgn

    read = chess.pgn.read_game(io.StringIO(text))
    if read is None or read.errors:
        raise FileError(f"its moves cannot be played: {read.errors[0] if read else 'there are none'}")
    return game.read(read.end().board().fen())
