"""Games of PGN files as records: every position with the move that was played in it.

Tags tell who played and when, so that players and years can be held out (`understudy.records.people`).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from understudy.errors import FileError
from understudy.games import find_game
from understudy.games.batches import taken
from understudy.games.chess.batches import positions_at
from understudy.games.chess.records.pgn import BOM, Broken, Games, PgnReader
from understudy.games.rows import keys_of
from understudy.records.columns import nothing
from understudy.records.files import Complaint, check_on_error, settle
from understudy.records.people import (
    FAMILIAR,
    LEFT_OUT,
    SIDES,
    TEST,
    TRAIN,
    HoldOut,
    choose_side,
    draw,
    name_game,
)
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
    path = Path(path)
    reader, parts, rows = PgnReader(path), [_empty()], 0
    for games in reader:
        complaints = [_complain(broken) for broken in reader.broken]
        settle(complaints, on_error)
        parts.append(_records(games, path.name))
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


def _empty_parted() -> Records:
    return replace(_empty(), sides=np.zeros(0, np.int8))


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
        sources=np.full(len(games.moves), source, object),  # millions of rows share its letters
    )


def _seen_by_mover(results: NDArray[np.int64], positions: Any) -> NDArray[np.int8]:
    """Return results as the side to move has them; what is unknown stays so."""
    turned = np.where(positions.ply % 2 == 1, -results, results)
    return np.where(results == UNKNOWN, UNKNOWN, turned).astype(np.int8)


def _complain(broken: Broken) -> Complaint:
    return Complaint(broken.file, broken.line, f"game {broken.game} ({broken.players}): {broken.reason}")


REPEATED, NOT_DRAWN = "repeated", "not drawn"
"""What becomes of games that are on no side, besides those left out: played before, move for move, or not looked at."""


def load_parted(
    paths: Sequence[Path], hold_out: HoldOut, on_error: str, sides: Collection[int] = range(len(SIDES))
) -> tuple[Records, dict[str, int]]:
    """Return the positions of all games on *sides*, and how many games of the files are on which."""
    check_on_error(on_error)
    parting = _Parting(hold_out, sides)
    parts = [_empty_parted(), *(part for path in paths for part in parting.read(Path(path), on_error))]
    records = joined(parts)
    parts.clear()
    return _mark_familiar(records), dict(parting.games)


class _Parting:
    """Games on their way to the sides; equal games are known again, in whatever file they stand."""

    def __init__(self, hold_out: HoldOut, sides: Collection[int]) -> None:
        self.hold_out, self.sides, self.met = hold_out, sides, set[bytes]()
        self.games: Counter[str] = Counter()

    def read(self, path: Path, on_error: str) -> Iterator[Records]:
        """Yield the records of a file by blocks."""
        reader = PgnReader(path)
        for games in reader:
            settle([_complain(broken) for broken in reader.broken], on_error)
            sides = np.array([self._choose(games, row) for row in range(len(games))], np.int8)
            kept = np.isin(sides, list(self.sides))
            chosen = _take_games(games, kept)
            records = _records(chosen, path.name)
            yield replace(records, sides=np.repeat(sides[kept], np.diff(chosen.ends)))

    def _choose(self, games: Games, row: int) -> int:
        """Return the side of a game, below zero for none, and count it."""
        name = name_game(games.moves[games.ends[row] : games.ends[row + 1]].tobytes())
        if draw(name, self.hold_out.seed, 2) >= self.hold_out.share:
            self.games[NOT_DRAWN] += 1
            return LEFT_OUT
        tags = games.tags[row]
        players = tags.get("White", ""), tags.get("Black", "")
        dates = [date for key in ("Date", "UTCDate") if "?" not in (date := tags.get(key, "?"))[:4]]
        side = choose_side(self.hold_out, players, dates[0] if dates else "", name)
        repeated = side != LEFT_OUT and name in self.met
        self.games[REPEATED if repeated else "left out" if side == LEFT_OUT else SIDES[side]] += 1
        if repeated or side == LEFT_OUT:
            return LEFT_OUT
        self.met.add(name)
        return side


def _take_games(games: Games, kept: NDArray[np.bool_]) -> Games:
    lengths = np.diff(games.ends)
    rows = np.flatnonzero(kept).tolist()
    return Games(
        numbers=games.numbers[kept],
        tags=[games.tags[row] for row in rows],
        starts=taken(games.starts, kept),
        moves=games.moves[np.repeat(kept, lengths)],
        ends=np.concatenate([np.zeros(1, np.int64), np.cumsum(lengths[kept])]),
        results=[games.results[row] for row in rows],
    )


def _mark_familiar(records: Records) -> Records:
    """Tell graded positions that also occur in games that are learned from; clock and ply make no difference."""
    assert records.sides is not None
    keys, sides = keys_of(records.positions), records.sides.copy()
    graded = np.flatnonzero(sides == TEST)
    sides[graded[np.isin(keys[graded], np.unique(keys[sides == TRAIN]))]] = FAMILIAR
    return replace(records, sides=sides)


FORMAT = TextFormat("PGN", looks_like_pgn, load_pgn, load_parted)
