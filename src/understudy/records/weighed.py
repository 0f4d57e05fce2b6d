"""What a teacher thinks of many moves of each position: softer targets than its choice, worths of what they lead to.

Rows have as many places as the widest needs; the best move stands first. In Parquet they are two lists for each row:
the numbers that the game gives to moves, and their worths from -1, lost, to 1, won.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from understudy.games.batches import NO_MOVE

COLUMNS = {"weighed": pa.list_(pa.int32()), "worths": pa.list_(pa.float32())}
"""Of a file of records that has them."""


class Weighed(NamedTuple):
    """Moves and their worths, the best first."""

    moves: NDArray[np.int32]
    """[rows, places]: NO_MOVE where there are fewer."""
    worths: NDArray[np.float32]
    """[rows, places]: to the side that moves, from -1 to 1; nan where there is no move."""

    def taken(self, index: Any) -> Weighed:
        """Return the rows that *index* names."""
        return Weighed(self.moves[index], self.worths[index])

    def widened(self, places: int) -> Weighed:
        """Return the same with at least so many places."""
        more = ((0, 0), (0, max(0, places - self.moves.shape[1])))
        return Weighed(
            np.pad(self.moves, more, constant_values=NO_MOVE), np.pad(self.worths, more, constant_values=np.nan)
        )


def make_weighed(rows: Sequence[Sequence[tuple[int, float]]], most: int) -> Weighed:
    """Return moves with their worths as arrays, at most so many of a row."""
    places = max((min(len(row), most) for row in rows), default=0)
    moves = np.full((len(rows), places), NO_MOVE, np.int32)
    worths = np.full((len(rows), places), np.nan, np.float32)
    for place, row in enumerate(rows):
        for column, (move, worth) in enumerate(row[:most]):
            moves[place, column], worths[place, column] = move, worth
    return Weighed(moves, worths)


def join_weighed(parts: Sequence[Weighed | None], lengths: Sequence[int]) -> Weighed | None:
    """Return all rows in order, those of parts without worths empty; None if no part has any."""
    if all(part is None for part in parts):
        return None
    places = max(part.moves.shape[1] for part in parts if part is not None)
    whole = [
        (make_weighed([()] * length, 0) if part is None else part).widened(places)
        for part, length in zip(parts, lengths, strict=True)
    ]
    return Weighed(np.concatenate([part.moves for part in whole]), np.concatenate([part.worths for part in whole]))


def write_weighed(weighed: Weighed) -> dict[str, pa.Array]:
    """Return the columns of a table."""
    there = weighed.moves != NO_MOVE
    ends = np.concatenate([[0], np.cumsum(there.sum(axis=1))]).astype(np.int32)
    moves, worths = pa.array(weighed.moves[there]), pa.array(weighed.worths[there])
    return {"weighed": pa.ListArray.from_arrays(ends, moves), "worths": pa.ListArray.from_arrays(ends, worths)}


def read_weighed(moves: pa.ListArray, worths: pa.ListArray) -> Weighed | None:
    """Return the worths of a table's rows; None where moves and worths do not belong together."""
    counts = moves.value_lengths().fill_null(0).to_numpy().astype(np.int64)
    values = moves.flatten().to_numpy(zero_copy_only=False), worths.flatten().to_numpy(zero_copy_only=False)
    if not np.array_equal(counts, worths.value_lengths().fill_null(0).to_numpy()):
        return None
    rows = np.repeat(np.arange(len(counts)), counts)
    columns = np.arange(len(rows)) - np.repeat(np.cumsum(counts) - counts, counts)
    empty = make_weighed([()] * len(counts), 0).widened(int(counts.max(initial=0)))
    empty.moves[rows, columns], empty.worths[rows, columns] = values
    return empty
