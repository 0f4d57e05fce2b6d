"""Many chess positions at once: batches and their matrices, games played again, and what the rules say of each.

A batch is made of two matrices, which kernels read and write: masks [7, rows] and numbers [4, rows], both in the order
of the fields of a position. Quiet positions are told from others, moves are played in all of them, each placement is
kept once; and for students that look one ply ahead and no further the rules tell what every successor is.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from understudy.games.batches import sent_rows
from understudy.games.bits import mixed
from understudy.games.chess.attacks import in_check, kind_on, lifeless
from understudy.games.chess.position import Chess
from understudy.games.chess.rules import MOST_MOVES, captures, key, movable, moves, play
from understudy.kernels import kernel
from understudy.search.workspace import named

SMALLEST = 1 << 16
"""Places of a set of keys at first: half a megabyte; it doubles when half full."""
_BLACK = np.uint64(0x9E3779B97F4A7C15)
"""Tells keys with Black to move from others, and stands for 0, which means an empty place."""
_EMPTY = np.uint64(0)
_WORTHS = np.array([1, 3, 3, 5, 9, 100], np.int64)
"""Pawns, as everybody counts; a king risks more than it can take."""

GOES_ON, DRAW, MATE = range(3)
"""What a move leads to: more moves, a draw by the position alone, or the mate of the other side."""


def batch_of(masks: NDArray[np.uint64], numbers: NDArray[np.int64]) -> Chess:
    """Return the batch that two matrices hold, without a copy."""
    fields: list[NDArray[np.uint64] | NDArray[np.int64]] = [*masks, *numbers]
    return Chess._make(fields)


def matrices(batch: Chess) -> tuple[NDArray[np.uint64], NDArray[np.int64]]:
    """Return the two matrices of a batch."""
    return np.stack(batch[:7]).astype(np.uint64), np.stack(batch[7:]).astype(np.int64)


@kernel
def row_of(batch: Any, row: int) -> Chess:
    """Return one position of a batch whose masks and numbers have 64 bits."""
    return Chess(
        batch.mine[row],
        batch.theirs[row],
        batch.pawns[row],
        batch.knights[row],
        batch.bishops[row],
        batch.rooks[row],
        batch.queens[row],
        batch.castling[row],
        batch.passant[row],
        batch.clock[row],
        batch.ply[row],
    )


@kernel
def put_row(position: Chess, masks: NDArray[np.uint64], numbers: NDArray[np.int64], row: int) -> None:
    """Write a position into one column of the two matrices that a batch is made of."""
    masks[0, row] = position.mine
    masks[1, row] = position.theirs
    masks[2, row] = position.pawns
    masks[3, row] = position.knights
    masks[4, row] = position.bishops
    masks[5, row] = position.rooks
    masks[6, row] = position.queens
    numbers[0, row] = position.castling
    numbers[1, row] = position.passant
    numbers[2, row] = position.clock
    numbers[3, row] = position.ply


@kernel
def position_at(masks: NDArray[np.uint64], numbers: NDArray[np.int64], row: int) -> Chess:
    """Return the position in one column of the two matrices that a batch is made of."""
    return Chess(
        masks[0, row],
        masks[1, row],
        masks[2, row],
        masks[3, row],
        masks[4, row],
        masks[5, row],
        masks[6, row],
        numbers[0, row],
        numbers[1, row],
        numbers[2, row],
        numbers[3, row],
    )


def positions_at(starts: Chess, codes: NDArray[np.int32], ends: NDArray[np.int64], wanted: NDArray[np.int64]) -> Chess:
    """Return positions of games: *wanted* has the place of each among all, a game of n moves having places for n.

    The moves of game i are `codes[ends[i] : ends[i + 1]]`, and its places are as many; *wanted* ascends.
    """
    masks, numbers = np.zeros((7, len(wanted)), np.uint64), np.zeros((4, len(wanted)), np.int64)
    _replay(*matrices(starts), codes, ends, wanted, masks, numbers)
    return batch_of(masks, numbers)


def quiet(batch: Chess) -> NDArray[np.bool_]:
    """Tell which positions are quiet: no check, no promotion, no capture that wins something at first sight.

    A capture wins if its prey is worth more than its hunter, or if nobody can take back.
    """
    result = np.zeros(len(np.atleast_1d(batch.ply)), np.bool_)
    _quiet_all(*matrices(batch), result)
    return result


def strayed(batch: Chess, chance: NDArray[np.float64]) -> tuple[Chess, NDArray[np.bool_]]:
    """Return the positions after a legal move that *chance* (0 to 1) picks, and where the game goes on after it."""
    masks, numbers = matrices(batch)
    goes_on = np.zeros(len(chance), np.bool_)
    _stray_all(masks, numbers, chance, goes_on)
    return batch_of(masks, numbers), goes_on


def successors(batch: Chess) -> tuple[Chess, NDArray[np.int64]]:
    """Return all positions that a legal move leads to and in which the game goes on, and the row each came from."""
    masks, numbers = matrices(batch)
    rows = np.repeat(np.arange(masks.shape[1]), _count_moves(masks, numbers))
    after, figures = np.zeros((7, len(rows)), np.uint64), np.zeros((4, len(rows)), np.int64)
    goes_on = np.zeros(len(rows), np.bool_)
    _follow_all(masks, numbers, after, figures, goes_on)
    return batch_of(after[:, goes_on], figures[:, goes_on]), rows[goes_on]


def answered(batch: Chess, best: NDArray[np.str_]) -> tuple[Chess, NDArray[np.bool_]]:
    """Return the positions after the moves *best* (UCI), and where those are legal and the game goes on after them."""
    masks, numbers = matrices(batch)
    goes_on = np.zeros(len(best), np.bool_)
    _answer_all(masks, numbers, _codes_of(best), goes_on)
    return batch_of(masks, numbers), goes_on


def _codes_of(best: NDArray[np.str_]) -> NDArray[np.int64]:
    """Return moves in UCI as codes with the cells of the board, not the mover's; what is no move fits no legal one."""
    letters = np.ascontiguousarray(best, "<U5").view(np.uint32).reshape(len(best), 5).astype(np.int64)
    files, ranks = letters[:, 0:4:2] - ord("a"), letters[:, 1:4:2] - ord("1")
    cells = 8 * ranks + files
    promotion = np.select([letters[:, 4] == ord(kind) for kind in "nbrq"], [1, 2, 3, 4], 0)
    codes = (cells[:, 0] << 9) | (cells[:, 1] << 3) | promotion
    on_board = ((files >= 0) & (files < 8) & (ranks >= 0) & (ranks < 8)).all(axis=1)
    return np.where(on_board, codes, -1)


def permute(batch: Chess, permutation: NDArray[np.int64]) -> Chess:
    """Return positions with each piece moved to where *permutation* sends it."""
    masks = [sent_rows(np.asarray(mask), permutation) for mask in batch[:7]]
    passant = np.asarray(batch.passant)
    moved = np.where(passant > 0, permutation[passant], 0)
    return Chess._make([*masks, batch.castling, moved, batch.clock, batch.ply])


def groups(batch: Chess) -> list[tuple[NDArray[np.int64], NDArray[np.bool_]]]:
    """Return the symmetries of positions in which somebody may castle, and of all others, with their rows."""
    free = np.asarray(batch.castling) == 0
    cells = np.arange(64)
    return [(cells[None], ~free), (np.stack([cells, cells ^ 7]), free)]


def placement_keys(batch: Chess) -> NDArray[np.uint64]:
    """Return 64 bits for each position, equal for equal placements with the same side to move; never 0."""
    keys = np.zeros(len(np.atleast_1d(batch.ply)), np.uint64)
    _keys(*matrices(batch), keys)
    return keys


class KeySet:
    """Keys met so far: a table of 64-bit numbers half of which is empty, sixteen bytes a key or a little more."""

    def __init__(self) -> None:
        self.table = np.zeros(SMALLEST, np.uint64)
        self.size = 0

    def fresh(self, keys: NDArray[np.uint64]) -> NDArray[np.bool_]:
        """Tell which keys were not met before, and remember all."""
        while 2 * (self.size + len(keys)) > len(self.table):
            old, self.table = self.table, np.zeros(2 * len(self.table), np.uint64)
            _insert(old[old != _EMPTY], self.table)
        new = _insert(keys, self.table)
        self.size += int(new.sum())
        return new


@kernel
def _insert(keys: NDArray[np.uint64], table: NDArray[np.uint64]) -> NDArray[np.bool_]:
    new = np.zeros(len(keys), np.bool_)
    last = np.uint64(len(table) - 1)
    for row in range(len(keys)):
        place = np.int64(keys[row] & last)
        while table[place] != _EMPTY and table[place] != keys[row]:
            place = (place + 1) & np.int64(last)
        new[row] = table[place] == _EMPTY
        table[place] = keys[row]
    return new


@kernel
def _replay(
    starts: NDArray[np.uint64],
    figures: NDArray[np.int64],
    codes: NDArray[np.int32],
    ends: NDArray[np.int64],
    wanted: NDArray[np.int64],
    masks: NDArray[np.uint64],
    numbers: NDArray[np.int64],
) -> None:
    row = 0
    for game in range(len(ends) - 1):
        if row == len(wanted) or wanted[row] >= ends[game + 1]:
            continue
        position = position_at(starts, figures, game)
        for place in range(ends[game], ends[game + 1]):
            if row < len(wanted) and wanted[row] == place:
                put_row(position, masks, numbers, row)
                row += 1
            position = play(position, codes[place])


@kernel
def _quiet_all(masks: NDArray[np.uint64], numbers: NDArray[np.int64], result: NDArray[np.bool_]) -> None:
    first, second = np.zeros(MOST_MOVES, np.int32), np.zeros(MOST_MOVES, np.int32)
    for row in range(len(result)):
        result[row] = _is_quiet(position_at(masks, numbers, row), first, second)


@kernel
def _is_quiet(position: Chess, first: NDArray[np.int32], second: NDArray[np.int32]) -> bool:
    if in_check(position):
        return False
    for place in range(captures(position, first)):
        move = int(first[place])
        if move & 7 or _gains(position, move, second):
            return False
    return True


@kernel
def _gains(position: Chess, move: int, answers: NDArray[np.int32]) -> bool:
    """Tell whether a capture takes more than it risks, or whether nobody can take back."""
    goal = (move >> 3) & 63
    prey = _worth(position, goal)
    if prey > _worth(position, move >> 9):
        return True
    recaptures = 0
    for place in range(captures(play(position, move), answers)):
        recaptures += (answers[place] >> 3) & 63 == goal ^ 56
    return recaptures == 0


@kernel
def _worth(position: Chess, cell: int) -> int:
    """Return what a piece is worth in pawns; an empty cell is where a pawn is taken in passing."""
    return int(_WORTHS[max(kind_on(position, cell), 0)])


@kernel
def _stray_all(
    masks: NDArray[np.uint64], numbers: NDArray[np.int64], chance: NDArray[np.float64], goes_on: NDArray[np.bool_]
) -> None:
    legal = np.zeros(MOST_MOVES, np.int32)
    for row in range(len(chance)):
        position = position_at(masks, numbers, row)
        count = moves(position, legal)
        if count > 0:
            after = play(position, legal[min(int(chance[row] * count), count - 1)])
            put_row(after, masks, numbers, row)
            goes_on[row] = movable(after)


@kernel
def _count_moves(masks: NDArray[np.uint64], numbers: NDArray[np.int64]) -> NDArray[np.int64]:
    legal, counts = np.zeros(MOST_MOVES, np.int32), np.zeros(masks.shape[1], np.int64)
    for row in range(len(counts)):
        counts[row] = moves(position_at(masks, numbers, row), legal)
    return counts


@kernel
def _follow_all(
    masks: NDArray[np.uint64],
    numbers: NDArray[np.int64],
    after: NDArray[np.uint64],
    figures: NDArray[np.int64],
    goes_on: NDArray[np.bool_],
) -> None:
    legal, column = np.zeros(MOST_MOVES, np.int32), 0
    for row in range(masks.shape[1]):
        position = position_at(masks, numbers, row)
        for place in range(moves(position, legal)):
            successor = play(position, legal[place])
            put_row(successor, after, figures, column)
            goes_on[column] = movable(successor)
            column += 1


@kernel
def _answer_all(
    masks: NDArray[np.uint64], numbers: NDArray[np.int64], codes: NDArray[np.int64], goes_on: NDArray[np.bool_]
) -> None:
    legal = np.zeros(MOST_MOVES, np.int32)
    for row in range(len(codes)):
        position = position_at(masks, numbers, row)
        code = codes[row] ^ ((56 << 9) | (56 << 3)) if position.ply & 1 else codes[row]
        for place in range(moves(position, legal)):
            if legal[place] == code:
                after = play(position, legal[place])
                put_row(after, masks, numbers, row)
                goes_on[row] = movable(after)
                break


@kernel
def _keys(masks: NDArray[np.uint64], numbers: NDArray[np.int64], keys: NDArray[np.uint64]) -> None:
    for row in range(len(keys)):
        mine, theirs, pawns, knights, bishops, rooks, queens, _, _, _, ply = position_at(masks, numbers, row)
        bare = Chess(mine, theirs, pawns, knights, bishops, rooks, queens, 0, 0, 0, 0)
        name = key(bare)
        keys[row] = mixed(name ^ _BLACK) if ply & 1 else name
        if keys[row] == _EMPTY:
            keys[row] = _BLACK


@kernel
def rule_successors(
    position: Chess, codes: NDArray[np.int32], names: NDArray[np.uint64], ends: NDArray[np.int8]
) -> None:
    """Write for each move the name of its successor, by which repetitions are known, and what it leads to."""
    for i in range(len(codes)):
        after = play(position, codes[i])
        names[i] = named(after)
        if not movable(after):
            ends[i] = MATE if in_check(after) else DRAW
        else:
            ends[i] = DRAW if lifeless(after) else GOES_ON
