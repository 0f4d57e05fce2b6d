"""Legality of parts against a second implementation from the rules alone, and against the list of legal moves."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from functools import cache
from itertools import permutations
from typing import Any

import numpy as np
import pytest

from tests.conftest import MORRIS_LINES, SHARED, random_line, run_interpreted
from understudy.games import find_game, rules
from understudy.games.batches import stacked
from understudy.games.morris.batches import moves_of, parts_of
from understudy.games.morris.legality import FLAGS, allowed, grade, phases, possible, unpacked, whole
from understudy.games.morris.notation import CELLS, Morris, read_move

GAME = find_game("morris")
NUMBERED_LINES = [tuple(CELLS.index(name) + 1 for name in line) for line in MORRIS_LINES]
ORDERS = list(permutations(range(3)))


def random_positions(count: int, seed: int) -> list[Any]:
    """Return positions of games and wild ones: any stones, even fewer than three, many of them in mills."""
    rng = np.random.default_rng(seed)
    positions = [position for game in range(count // 60) for position, _ in random_line(GAME, 90, seed + game)][
        : count // 2
    ]
    while len(positions) < count:
        cells = rng.permutation(24)
        if len(positions) % 3 == 0:
            cells = cells[np.argsort(np.isin(cells, [*range(3), 3, 7, 6]))[::-1]]
        mine, theirs = rng.integers(0, 10, 2)
        masks = [np.uint64(sum(1 << int(cell) for cell in some)) for some in np.split(cells, [theirs, theirs + mine])]
        hand = int(rng.integers(0, 2)) * int(rng.integers(0, 10 - mine))
        positions.append(Morris(masks[1], masks[0], hand, hand, 0))
    return positions


def legal_moves(position: Any) -> list[int]:
    """Return the moves the kernels list, also where the game is over."""
    out = np.empty(GAME.most_moves, np.int32)
    return out[: rules.moves(position, out)].tolist()


def tried_parts(positions: list[Any], seed: int) -> np.ndarray[Any, Any]:
    """Return a move for each position: legal, legal but for one part, or wild."""
    rng = np.random.default_rng(seed)
    tried = rng.integers(0, 25, (len(positions), 3))
    for row, position in enumerate(positions):
        moves = legal_moves(position)
        if moves and row % 4:
            legal = GAME.parts(moves[rng.integers(len(moves))])
            changed = rng.integers(0, 3)
            tried[row] = [tried[row, i] if i == changed and row % 4 > 1 else legal[i] for i in range(3)]
    return tried


# A second implementation: sets of the papers' numbers, sentence by sentence as the papers define legality.


def slow_flags(position: Any, parts: Any, *, legacy: bool) -> list[bool]:
    to, origin, removed = map(int, parts)
    letters = GAME.write(position)
    mine = {i + 1 for i in range(24) if letters[i] == "M"}
    theirs = {i + 1 for i in range(24) if letters[i] == "E"}
    placing, flying = position.hand > 0, position.hand == 0 and len(mine) == 3
    milled = {cell for line in NUMBERED_LINES if set(line) <= theirs for cell in line}
    closes = any(to in line and set(line) - {to} <= mine - {origin} for line in NUMBERED_LINES)
    near = {b for line in NUMBERED_LINES for a, b in _pairs(line) if a == to}
    spared = removed in milled and (legacy or bool(theirs - milled))
    return [
        to != 0 and to not in mine | theirs and (placing or flying or bool(near & mine)),
        origin == 0 if placing else origin in mine,
        removed == 0 or (removed in theirs and not spared),
        origin == 0 or flying or origin in near,
        (removed != 0) == (closes and (legacy or bool(theirs))),
    ]


def _pairs(line: tuple[int, ...]) -> Iterator[tuple[int, int]]:
    a, b, c = line
    yield from ((a, b), (b, a), (b, c), (c, b))


@pytest.mark.parametrize("legacy", [False, True])
def test_flags_equal_those_of_a_second_implementation(legacy: bool) -> None:
    positions = random_positions(6000, 1)
    batch, parts = stacked(positions), tried_parts(positions, 2)
    flags = grade(batch.mine, batch.theirs, batch.hand, parts, legacy=legacy)
    slow = [slow_flags(position, row, legacy=legacy) for position, row in zip(positions, parts, strict=True)]
    assert flags.tolist() == slow
    assert flags.shape[1] == len(FLAGS)
    assert all(500 < held < 5900 for held in flags.sum(axis=0))


def test_a_whole_move_is_legal_exactly_if_it_is_on_the_list() -> None:
    positions = random_positions(6000, 3)
    batch, parts = stacked(positions), tried_parts(positions, 4)
    held = whole(grade(batch.mine, batch.theirs, batch.hand, parts))["whole"]
    listed = [move in legal_moves(position) for position, move in zip(positions, moves_of(parts), strict=True)]
    assert held.tolist() == listed
    assert 1000 < sum(listed) < 5000
    everywhere = parts_of(np.array([move for position in positions for move in legal_moves(position)], np.int32))
    assert possible()[tuple(everywhere.T)].all()


@cache
def whole_moves(position: Any, legacy: bool) -> list[tuple[int, ...]]:
    """Return the parts of all legal moves; the authors' checker only ever takes moves away."""
    moves = [GAME.parts(move) for move in legal_moves(position)]
    return [parts for parts in moves if all(slow_flags(position, parts, legacy=legacy))]


@pytest.mark.parametrize("legacy", [False, True])
@pytest.mark.parametrize("order", ORDERS)
def test_allowed_classes_are_the_prefixes_of_legal_moves(order: tuple[int, int, int], legacy: bool) -> None:
    positions = random_positions(600, 5)
    batch, tried = stacked(positions), tried_parts(positions, 6)[:, list(order)]
    for parts_given in range(3):
        masks = allowed(batch, order=order, given=tried[:, :parts_given], legacy=legacy)
        classes = [set(np.flatnonzero(row).tolist()) for row in unpacked(masks)]
        for position, given, next_classes in zip(positions, tried[:, :parts_given].tolist(), classes, strict=True):
            moves = ([parts[i] for i in order] for parts in whole_moves(position, legacy))
            assert next_classes == {move[parts_given] for move in moves if move[:parts_given] == given}
        assert sum(map(bool, classes)) > 250
        assert sum(not next_classes for next_classes in classes) > 0


def test_only_the_authors_spare_stones_that_all_stand_in_mills() -> None:
    position = GAME.read("MMOOOOOOOEOOOOOOOEEEOOOO" + "4424")
    parts = np.array([[3, 0, 18], [3, 0, 10], [3, 0, 0]])
    milled = GAME.read("MMOEEEOOOOOOOOOOOOOOOOOO" + "4423")
    for board, plain, authors in ((position, [True, True, False], [True, True, False]), (milled, [0, 0, 0], [0, 0, 0])):
        batch = stacked([board] * 3)
        fields = batch.mine, batch.theirs, batch.hand
        assert whole(grade(*fields, parts))["whole"].tolist() == plain
        assert whole(grade(*fields, parts, legacy=True))["whole"].tolist() == authors
    batch = stacked([milled])
    fields = batch.mine, batch.theirs, batch.hand
    assert whole(grade(*fields, [[3, 0, 4]]))["whole"].all()
    assert not whole(grade(*fields, [[3, 0, 4]], legacy=True))["whole"].any()
    to_g7 = {"order": (0, 1, 2), "given": [[3, 0]]}
    assert allowed(batch, **to_g7).tolist() == [1 << 4 | 1 << 5 | 1 << 6]  # type: ignore[arg-type]
    assert allowed(batch, **to_g7, legacy=True).tolist() == [0]  # type: ignore[arg-type]


def test_phases() -> None:
    texts = [
        "O" * 24 + "9900",
        "MMMEEEO" + "O" * 17 + "0033",
        "MMMMEEE" + "O" * 17 + "0043",
        "MMEEEOO" + "O" * 17 + "0023",
    ]
    batch = stacked([GAME.read(text) for text in texts])
    assert phases(batch.mine, batch.hand).tolist() == [1, 3, 2, 4]


def test_some_moves_are_legal_nowhere() -> None:
    legal = possible()
    assert legal[1:].sum() == 13_080
    assert not legal[0].any()
    to, origin, removed = np.ogrid[1:25, 0:25, 0:25]
    same = to == origin
    on_target = (removed == to) & ~same
    on_origin = (removed == origin) & (removed != 0) & ~same
    assert [int(np.broadcast_to(kind, (24, 25, 25)).sum()) for kind in (same, on_target, on_origin)] == [600, 576, 552]
    assert not legal[1:][same | on_target | on_origin].any()
    assert (~legal[1:] & ~(same | on_target | on_origin)).sum() == 192


def test_every_possible_move_is_legal_in_a_position_made_for_it() -> None:
    legal, seen = possible(), np.zeros((25, 25, 25), np.bool_)
    for to, origin, removed in np.ndindex(legal.shape):
        for position in _chances(to, origin, removed):
            flags = slow_flags(position, (to, origin, removed), legacy=False)
            seen[to, origin, removed] |= all(flags)
    assert (seen == legal).all()


def _chances(to: int, origin: int, removed: int) -> Iterator[Any]:
    """Yield a few positions made for a move: own stones to fill each line through TO, an enemy on REMOVE."""
    companions = [set(line) - {to} for line in NUMBERED_LINES if to in line] if removed else [set()]
    for pair in companions:
        mine = {*pair, origin} - {0}
        spare = [cell for cell in range(1, 25) if cell not in {*mine, to, removed}]
        mine |= set(spare[-1 : -1 - (3 - len(mine)) : -1]) if origin and not removed else set()
        letters = "".join("M" if i in mine else "E" if i == removed else "O" for i in range(1, 25))
        hand = 0 if origin else 5
        yield GAME.read(f"{letters}{hand}{hand}{letters.count('M')}{letters.count('E')}")


def digest() -> str:
    positions = random_positions(240, 7)
    batch, parts = stacked(positions), tried_parts(positions, 8)
    fields = batch.mine, batch.theirs, batch.hand
    hashed = hashlib.sha256()
    for legacy in (False, True):
        hashed.update(grade(*fields, parts, legacy=legacy).tobytes())
        for order in ORDERS:
            for parts_given in range(3):
                given = parts[:, list(order[:parts_given])]
                hashed.update(allowed(batch, order=order, given=given, legacy=legacy).tobytes())
    return hashed.hexdigest()


def test_kernels_answer_alike_compiled_and_interpreted() -> None:
    assert run_interpreted("test_legality_morris", "digest()") == digest()


@pytest.mark.skipif(not SHARED.exists(), reason="no shared data beside the repository")
def test_the_teacher_is_legal_by_the_rules_and_not_by_the_authors() -> None:
    lines = (SHARED / "data/nnmm/DATASET.complete.txt").read_text().split()
    positions = [GAME.read(line[:28]) for line in lines]
    moves = np.array([read_move(at, line[29:]) for at, line in zip(positions, lines, strict=True)], np.int32)
    batch = stacked(positions)
    fields, parts = (batch.mine, batch.theirs, batch.hand), parts_of(moves)
    assert whole(grade(*fields, parts))["whole"].all()
    assert possible()[tuple(parts.T)].all()
    authors = whole(grade(*fields, parts, legacy=True))
    assert 150 < (~authors["whole"]).sum() < 300
    assert authors["whole_from"].all()
