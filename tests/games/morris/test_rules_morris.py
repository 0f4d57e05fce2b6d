"""Nine Men's Morris against published counts, a second implementation, rule-book cases and real games."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from tests.conftest import MORRIS_LINES as LINES
from tests.conftest import SHARED, random_line
from understudy.errors import IllegalMove, NotationError
from understudy.games import find_game, rules
from understudy.games.morris.notation import BIT, CELLS, RING_SYMMETRIES, SYMMETRIES

GAME = find_game("morris")


def at(mine: str, theirs: str, hands: str = "00") -> Any:
    """Return the position with these cells taken."""
    own, enemy = mine.split(), theirs.split()
    letters = "".join("M" if cell in own else "E" if cell in enemy else "O" for cell in CELLS)
    return GAME.read(f"{letters}{hands}{len(own)}{len(enemy)}")


def texts(position: Any) -> set[str]:
    return {GAME.write_move(position, move) for move in GAME.moves(position)}


@pytest.mark.parametrize(("depth", "nodes"), [*enumerate([24, 552, 12_144, 255_024, 5_140_800, 99_274_176], 1)])
def test_perft(depth: int, nodes: int) -> None:
    assert rules.perft(GAME.start(), depth, np.zeros((depth, GAME.most_moves), np.int32)) == nodes


# A second implementation, from the rules alone: sets of cell names, no bits.


def slow_moves(mine: set[str], theirs: set[str], hand: int) -> set[str]:
    def closes(stones: set[str], to: str) -> bool:
        return any(to in line and set(line) <= stones for line in LINES)

    milled = {cell for line in LINES if set(line) <= theirs for cell in line}
    prey = (theirs - milled) or theirs
    empty = set(CELLS) - mine - theirs
    steps = (
        [("", to) for to in empty]
        if hand
        else [(o, to) for o in mine for to in empty if len(mine) == 3 or beside(o, to)]
    )
    written = set()
    for origin, to in steps:
        if closes(mine - {origin} | {to}, to):
            written |= {origin + to + removed for removed in prey} or {origin + to}
        else:
            written.add(origin + to)
    return written


def beside(a: str, b: str) -> bool:
    return any(a in line and b in line and abs(line.index(a) - line.index(b)) == 1 for line in LINES)


def cells(mask: Any) -> set[str]:
    return {CELLS[number - 1] for number in range(1, 25) if int(mask) >> (BIT[number] - 1) & 1}


def test_moves_equal_those_of_a_second_implementation() -> None:
    phases = {"placing": 0, "sliding": 0, "flying": 0}
    for seed in range(150):
        for position, _ in random_line(GAME, 120, seed):
            mine, theirs = cells(position.mine), cells(position.theirs)
            assert texts(position) == slow_moves(mine, theirs, position.hand)
            phases["placing" if position.hand else "flying" if len(mine) == 3 else "sliding"] += 1
    assert min(phases.values()) > 200


def test_random_placements_too() -> None:
    rng = np.random.default_rng(8)
    for _ in range(2000):
        mine, theirs = rng.integers(3, 10, 2)
        chosen = rng.permutation(CELLS)[: mine + theirs]
        position = at(" ".join(chosen[:mine]), " ".join(chosen[mine:]))
        listed = slow_moves(set(chosen[:mine]), set(chosen[mine:]), 0)
        assert (texts(position) or listed) == listed
        assert GAME.outcome(position) == (None if listed else -1)


def test_one_removal_even_if_two_mills_close() -> None:
    position = at("a7 g7 d5 d6 d2", "b6 f6 b2 f2", "11")
    assert {"d7b6", "d7f6", "d7b2", "d7f2"} <= texts(position)
    assert "d7" not in texts(position)
    after = GAME.play(position, GAME.read_move(position, "d7b6"))
    assert int(after.mine).bit_count() == 3


def test_a_stone_in_a_mill_is_taken_only_if_all_are() -> None:
    mixed = at("a7 d7 g4 f4", "c5 d5 e5 a1")
    assert {text for text in texts(mixed) if text.startswith("g4g7")} == {"g4g7a1"}
    milled = at("a7 d7 g4 f4", "c5 d5 e5")
    assert {text for text in texts(milled) if text.startswith("g4g7")} == {"g4g7c5", "g4g7d5", "g4g7e5"}


def test_a_mill_closed_by_flying_removes() -> None:
    flying = at("a7 d7 c3", "a1 d1 b2 f4")
    assert {"c3g7a1", "c3g7d1", "c3g7b2", "c3g7f4"} <= texts(flying)
    assert "c3g7" not in texts(flying)


def test_sliding_to_the_first_cell_is_allowed() -> None:
    position = at("d7 a1 f4 e3", "g1 b2 d3 e5")
    assert "d7a7" in texts(position)


def test_sliding_within_a_mill_does_not_close_it() -> None:
    position = at("a7 d7 d6 e4", "a1 b2 d1 f2")
    assert "d7g7" in texts(position)


def test_fewer_than_three_stones_or_no_move_loses() -> None:
    assert GAME.outcome(at("a7 d7", "a1 d1 g1")) == -1
    assert GAME.reason(at("a7 d7", "a1 d1 g1")) == "removing"
    assert GAME.outcome(at("a1 d1 g1", "a7 d7")) == 1
    stuck = at("a7 g7 a1 g1", "d7 a4 g4 d1")
    assert GAME.outcome(stuck) == -1
    assert GAME.reason(stuck) == "suffocating"
    assert GAME.outcome(at("a7 d7", "a1", "76")) is None


def test_stones_in_hand_count_as_owned() -> None:
    assert GAME.outcome(GAME.start()) is None
    assert GAME.outcome(at("", "a7", "98")) is None


def test_at_most_thirteen_removals() -> None:
    for seed in range(40):
        line = random_line(GAME, 3000, seed)
        assert sum(move % 25 > 0 for _, move in line) <= 13


def test_the_groups_have_sixteen_and_forty_eight_elements() -> None:
    for group, size in ((SYMMETRIES, 16), (RING_SYMMETRIES, 48)):
        elements = {tuple(row) for row in group.tolist()}
        assert len(elements) == size
        assert all(tuple(a[i] for i in b) in elements for a in elements for b in elements)
    three = at("a7 d7 c3", "a1 d1 b2")
    assert len(GAME.symmetries(three, GAME.moves(three)[0])) == 48
    assert len(GAME.symmetries(three._replace(hand=1, their_hand=1), 625 * 24)) == 16


@pytest.mark.parametrize(
    ("group", "stones", "classes"),
    [
        (SYMMETRIES, (3, 3), 169_626),
        (RING_SYMMETRIES, (3, 3), 56_922),
        (SYMMETRIES, (4, 3), 760_398),
        (SYMMETRIES, (5, 3), 2_580_390),
    ],
)
def test_endgames_have_as_many_classes_as_published(group: Any, stones: tuple[int, int], classes: int) -> None:
    assert sum(_fixed(permutation, *stones) for permutation in group.tolist()) == classes * len(group)


def _fixed(permutation: list[int], mine: int, theirs: int) -> int:
    """Return how many placements a permutation leaves alone (Burnside's lemma): those made of whole cycles."""
    lengths, seen = [], set()
    for cell in range(24):
        length = 0
        while cell not in seen:
            seen.add(cell)
            cell, length = permutation[cell], length + 1
        lengths += [length] * (length > 0)
    ways = {(0, 0): 1}
    for length in lengths:
        after = dict(ways)
        for (a, b), times in ways.items():
            for key in ((a + length, b), (a, b + length)):
                after[key] = after.get(key, 0) + times
        ways = after
    return ways.get((mine, theirs), 0)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "expected 24 letters"),
        ("O" * 24, "expected 24 letters"),
        ("O" * 24 + "99001", "expected 24 letters"),
        ("X" + "O" * 23 + "9900", "expected 24 letters"),
        ("M" + "O" * 23 + "9900", "1 and 0 stones on the board, the digits say 0 and 0"),
        ("M" * 10 + "O" * 14 + "0000", "10 and 0 stones"),
        ("M" * 3 + "O" * 21 + "9930", "more than 9"),
        ("O" * 24 + "5900", "5 stones in hand to move against 9 cannot occur"),
        ("O" * 24 + "8600", "8 stones in hand to move against 6 cannot occur"),
    ],
)
def test_impossible_positions_are_refused(text: str, message: str) -> None:
    with pytest.raises(NotationError, match=message):
        GAME.read(text)


@pytest.mark.parametrize("text", ["", "a", "z1", "a2", "a1a4a7d7", "d2 d3", "a1a4a7"])
def test_bad_moves_are_refused(text: str) -> None:
    with pytest.raises((NotationError, IllegalMove)):
        GAME.read_move(GAME.start(), text)


def test_two_cells_mean_what_the_phase_says() -> None:
    placing = at("a7 d7", "a1 d1", "77")
    assert GAME.parts(GAME.read_move(placing, "g7a1")) == (3, 0, 22)
    sliding = at("a7 d7 g4 f4", "a1 d1 b2 f2")
    assert GAME.parts(GAME.read_move(sliding, "g4g7d1")) == (3, 15, 23)
    assert GAME.parts(GAME.read_move(sliding, "a7a4")) == (10, 1, 0)


def test_the_papers_own_data_is_legal_to_the_last_move() -> None:
    file = SHARED / "data" / "nnmm" / "DATASET.complete.txt"
    if not file.exists():
        pytest.skip("the NNMM data are not beside the repository")
    lines = file.read_text(encoding="ascii").split()
    assert len(lines) == 100_154
    out = np.zeros(GAME.most_moves, np.int32)
    odd = 0
    for line in lines:
        text, _, move = line.partition("-")
        position = GAME.read(text)
        assert GAME.write(position) == text
        code = GAME.notation.read_move(position, move)
        assert code in out[: rules.moves(position, out)]
        assert GAME.write_move(position, code) == move.lower()
        odd += GAME.outcome(position) is not None
    assert odd == 7  # rows whose mover owns two stones in all


def test_the_start_of_the_papers_data_is_ours() -> None:
    assert GAME.write(GAME.start()) == "O" * 24 + "9900"
    assert [GAME.board.cells[number - 1] for number in (1, 5, 10, 24)] == ["a7", "d6", "a4", "g1"]
    assert len(GAME.board.lines) == 32
