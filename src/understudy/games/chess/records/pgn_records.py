"""Games of PGN files as records: every position with the move that was played in it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from understudy.errors import FileError
from understudy.games import find_game
from understudy.games.chess.batches import positions_at
from understudy.games.chess.records.pgn import BOM, Broken, Games, PgnReader
from understudy.records.columns import nothing
from understudy.records.files import Complaint, check_on_error, settle
from understudy.records.store import UNKNOWN, Records, TextFormat, joined, lone_pairs

WON = {"1-0": 1, "0-1": -1, "1/2-1/2": 0}
"""Results of games for White."""


def looks_like_pgn(path: Path, content: bytes) -> bool:
    """Tell whether a file is PGN: by its name, which a packed one must have, or by a tag at its beginning."""
    named = any(part.lower() == ".pgn" for part in path.suffixes)
    return named or content[:4096].removeprefix(BOM).lstrip().startswith(b"[")


def load_pgn(path: Path, *, on_error: str = "refuse", limit: int | None = None) -> tuple[Records, list[Complaint]]:
    """Return the positions and moves of all games, *limit* of them at most, and the games that were skipped."""
    check_on_error(on_error)
    reader, parts, rows = PgnReader(path), [_empty()], 0
    for games in reader:
        complaints = [_complain(broken) for broken in reader.broken]
        settle(complaints, on_error)
        parts.append(_records(games, Path(path).name))
        rows += len(parts[-1])
        if limit is not None and rows >= limit:
            break
    records = joined(parts).taken(slice(0, limit))
    if not len(records):
        raise FileError(f"{path} has no game with a move in it that can be read")
    return records, [_complain(broken) for broken in reader.broken]


def _empty() -> Records:
    game = find_game("chess")
    return lone_pairs(game, nothing(game), np.zeros(0, np.int32), source="")


def _records(games: Games, source: str) -> Records:
    """Return all positions of some games; numbers of games are their places in the file."""
    lengths = np.diff(games.ends)
    positions: Any = positions_at(games.starts, games.moves, games.ends, np.arange(len(games.moves)))
    return Records(
        game=find_game("chess"),
        positions=positions,
        moves=games.moves,
        values=np.full(len(games.moves), np.nan, np.float32),
        results=_seen_by_mover(np.repeat([WON.get(result, UNKNOWN) for result in games.results], lengths), positions),
        games=np.repeat(np.arange(len(games)), lengths),
        plies=positions.ply.astype(np.int32),
        sources=np.full(len(games.moves), source),
    )


def _seen_by_mover(results: NDArray[np.int64], positions: Any) -> NDArray[np.int8]:
    """Return results as the side to move has them; what is unknown stays so."""
    turned = np.where(positions.ply % 2 == 1, -results, results)
    return np.where(results == UNKNOWN, UNKNOWN, turned).astype(np.int8)


def _complain(broken: Broken) -> Complaint:
    return Complaint(broken.file, broken.line, f"game {broken.game} ({broken.players}): {broken.reason}")


FORMAT = TextFormat("PGN", looks_like_pgn, load_pgn)
