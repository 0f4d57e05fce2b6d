"""Standings of chess pieces against a slow computation on python-chess boards."""

from __future__ import annotations

import hashlib
from collections import Counter
from itertools import pairwise
from typing import Any

import chess
import numpy as np
import pytest
from numpy.typing import NDArray

from tests.conftest import run_interpreted
from tests.games.chess.test_attacks_seen_chess import CLASSES, View, boards, king_of, strewn, view_of
from tests.games.chess.test_threats_chess import WORTH, kind_at, slow_threats, slow_winnings
from understudy.games.batches import stacked
from understudy.games.chess.inputs import standings as layout
from understudy.games.chess.inputs.planes import typed
from understudy.games.chess.inputs.standings import KINDS_AT, MOST, ROWS, encode_standings
from understudy.games.chess.inputs.threats import FORKS, MOST_THREATS, TRAPPED
from understudy.games.chess.notation import from_board

SCREENS_AT = layout.THREATS_AT + FORKS + TRAPPED


def encoded(some: list[chess.Board], room: int = MOST) -> NDArray[np.int32]:
    out = np.full((len(some), room), -1, np.int32)
    encode_standings(typed(stacked([from_board(board) for board in some])), np.arange(len(some)), out)
    return out


def rows_of(row: NDArray[np.int32]) -> Counter[int]:
    return Counter(row[row < ROWS].tolist())


def slow(original: chess.Board) -> Counter[int]:
    view = view_of(original)
    rows = Counter({layout.THREATS_AT + row: count for row, count in slow_threats(view).items()})
    for side, colour in enumerate((chess.WHITE, chess.BLACK)):
        rows += slow_pieces(view, side, colour)
        rows += slow_king(view, side, colour)
    rows += Counter(slow_whole(view)) + slow_few(view)
    original = original if original.turn else original.mirror()
    rows[layout.PASSANT_AT + original.has_legal_en_passant()] += 1
    return rows


def slow_whole(view: View) -> list[int]:
    """Return the rows that are not about one piece: rights, check, how many pieces, how far the kings are apart."""
    board, king, other = view.board, king_of(view.board, chess.WHITE), king_of(view.board, chess.BLACK)
    rights = sum(
        1 << place
        for place, (colour, wing) in enumerate((c, w) for c in (chess.WHITE, chess.BLACK) for w in ("king", "queen"))
        if castles(board, colour, wing)
    )
    armies = [board.occupied_co[colour].bit_count() for colour in (chess.BLACK, chess.WHITE)]
    bare = armies.index(1) + 1 if 1 in armies else 0
    return [
        layout.RIGHTS_AT + rights,
        layout.CHECKED_AT + board.is_check(),
        layout.PIECES_AT + sum(armies),
        layout.APART_AT + bare * 8 + chess.square_distance(king, other),
    ]


def castles(board: chess.Board, colour: chess.Color, wing: str) -> bool:
    """Tell of a right by the rook's corner, as the board is seen now."""
    corner = chess.square(7 if wing == "king" else 0, 0 if colour else 7)
    return bool(board.castling_rights & chess.BB_SQUARES[corner])


def slow_pieces(view: View, side: int, colour: chess.Color) -> Counter[int]:
    rows = Counter[int]()
    for cell, piece in view.board.piece_map().items():
        if piece.color != colour:
            continue
        against, behind = view.attackers[not colour][cell], view.attackers[colour][cell]
        number, attack = 6 * side + piece.piece_type - 1, against[0] if against else 0
        guard = 0 if not behind else 1 if behind[0] == 1 else 2
        rows[(number * 64 + cell) * 18 + guard * 6 + attack] += 1
        fine, more = 3 if guard == 2 and view.times[colour][cell] > 1 else guard, view.times[not colour][cell] > 1
        rows[KINDS_AT + number * 48 + (fine * 2 + more) * 6 + attack] += 1
        if piece.piece_type not in (chess.PAWN, chess.KING):
            rows[layout.REACH_AT + (side * 4 + piece.piece_type - 2) * 28 + reach(view, cell, colour)] += 1
        if prey := hunted(view, cell, piece):
            rows[layout.PREY_AT + number * 3 + min(prey, 3) - 1] += 1
        if piece.piece_type == chess.PAWN and passed(view.board, cell, colour):
            rows[layout.PASSED_AT + (side * 8 + chess.square_rank(cell)) * 3 + way(view, cell, colour)] += 1
    checking = set(view.board.attackers(colour, king_of(view.board, not colour)))
    gains = slow_gains(view, colour)
    now = sorted([gain for cell, gain in gains.items() if checking <= {cell}] + [0, 0], reverse=True)
    for place, gain in enumerate(now[:2]):
        rows[layout.GAINS_AT + (2 * side + place) * 10 + gain] += 1
    if checking:  # it is answered first, and if by a capture, then by that of who gives it
        later = max([gain for cell, gain in gains.items() if not checking <= {cell}], default=0)
        rows[layout.LATER_AT + side * 10 + later] += 1
    return rows


def slow_gains(view: View, colour: chess.Color) -> dict[int, int]:
    """Return what the others would win by taking each piece of a side."""
    return {
        cell: slow_winnings(view.board, cell, not colour)
        for cell, piece in view.board.piece_map().items()
        if piece.color == colour and piece.piece_type != chess.KING
    }


def slow_few(view: View) -> Counter[int]:
    """Return the rows that are there if few pieces are left: kings to each other, and pieces to both kings."""
    board, kings = view.board, [king_of(view.board, colour) for colour in (chess.WHITE, chess.BLACK)]
    if len(board.piece_map()) > 4:
        return Counter()
    rows = Counter([layout.FEW_PIECES_AT + (kings[0] // 8 * 4 + kings[0] % 8 - 4) * 64 + kings[1]])
    for cell, piece in board.piece_map().items():
        if piece.piece_type != chess.KING:
            for place, king in enumerate(kings):
                up, right = cell // 8 - king // 8, cell % 8 - king % 8
                number = 10 * place + (0 if piece.color else 5) + piece.piece_type - 1
                rows[layout.FEW_PIECES_AT + 2048 + number * 225 + (up + 7) * 15 + right + 7] += 1
    return rows


def hunted(view: View, cell: int, hunter: chess.Piece) -> int:
    """Count the pieces that a piece would gladly take: worth more, or defended by nobody. Pawns forget their pins."""
    seen = view.board.attacks(cell) if hunter.piece_type == chess.PAWN else view.reach[cell]
    prey = [goal for goal in seen if view.board.color_at(goal) == (not hunter.color)]
    return sum(
        WORTH[kind_at(view.board, goal)] > WORTH[hunter.piece_type] or not view.attackers[not hunter.color][goal]
        for goal in prey
    )


def reach(view: View, cell: int, colour: chess.Color) -> int:
    """Count where a piece may go: not on its own side, not where pawns of the others take."""
    goals = [goal for goal in view.reach[cell] if view.board.color_at(goal) != colour]
    return sum(CLASSES[chess.PAWN] not in view.attackers[not colour][goal] for goal in goals)


def passed(board: chess.Board, cell: int, colour: chess.Color) -> bool:
    ahead = 1 if colour else -1
    return not any(
        piece == chess.Piece(chess.PAWN, not colour)
        and abs(chess.square_file(other) - chess.square_file(cell)) <= 1
        and (chess.square_rank(other) - chess.square_rank(cell)) * ahead > 0
        for other, piece in board.piece_map().items()
    )


def way(view: View, cell: int, colour: chess.Color) -> int:
    """Return how it stands before a passed pawn: 0 free, 1 attacked by the others, 2 held by anyone."""
    stop = cell + (8 if colour else -8)
    if view.board.piece_at(stop):
        return 2
    return 1 if view.attackers[not colour][stop] else 0


def slow_king(view: View, side: int, colour: chess.Color) -> Counter[int]:
    board, king, free, rows = view.board, king_of(view.board, colour), 0, Counter[int]()
    for cell in chess.SQUARES:
        if chess.square_distance(cell, king) > 1:
            continue
        across = chess.square_file(cell) - chess.square_file(king)
        up = (chess.square_rank(cell) - chess.square_rank(king)) * (1 if side == 0 else -1)
        held, safe = board.color_at(cell) == colour, any(guard < 5 for guard in view.attackers[colour][cell])
        guarded = board.is_attacked_by(not colour, cell)  # a pinned piece guards as any other
        count = (2 if view.times[not colour][cell] > 1 else 1) if guarded else 0
        place = (up + 1) * 3 + across + 1
        rows[layout.KINGS_AT + (side * 9 + place) * 12 + (held * 3 + count) * 2 + safe] += 1
        free += cell != king and not held and count == 0
    rows[layout.ESCAPES_AT + side * 9 + free] += 1
    few = min(free, 2)
    for kind, checks in enumerate(slow_checks(view, king, colour)):
        rows[layout.CHECKS_AT + (side * 4 + kind) * 9 + checks * 3 + few] += 1
    rows[layout.CONTACTS_AT + side * 6 + contact(view, king, colour) * 3 + few] += 1
    for cell in chess.SquareSet(board.occupied_co[colour]):
        kind_there = board.piece_type_at(cell)
        if kind_there != chess.KING and kind_there is not None and board.is_pinned(colour, cell):
            rows[layout.PINS_AT + side * 6 + kind_there - 1] += 1
    return rows


def contact(view: View, king: int, colour: chess.Color) -> bool:
    """Tell whether a queen of the others, helped by another piece, can go beside a king that defends there alone."""
    return any(
        4 in view.attackers[not colour][cell]
        and view.times[not colour][cell] > 1
        and not any(guard < 5 for guard in view.attackers[colour][cell])
        and view.board.color_at(cell) != (not colour)
        for cell in chess.SQUARES
        if chess.square_distance(cell, king) == 1
    )


def slow_checks(view: View, king: int, colour: chess.Color) -> list[int]:
    """Return for knights, bishops, rooks and queens of the others: no check, one that may be taken, a safe one."""
    board, rows = view.board, []
    for kind in (chess.KNIGHT, chess.BISHOP, chess.ROOK, chess.QUEEN):
        best, theirs = 0, board.pieces(kind, not colour)
        for cell in chess.SQUARES:
            if not theirs or board.color_at(cell) == (not colour) or cell == king:
                continue
            if CLASSES[kind] not in view.attackers[not colour][cell]:  # knights and bishops are one class
                continue
            if gives_check(board, kind, cell, king, colour):
                best = max(best, 1 if view.attackers[colour][cell] else 2)
        rows.append(best)
    return rows


def gives_check(board: chess.Board, kind: chess.PieceType, cell: int, king: int, colour: chess.Color) -> bool:
    """Tell whether a piece put on a cell would see the king; lines are those of now, whoever moves there."""
    trial = board.copy(stack=False)
    trial.set_piece_at(cell, chess.Piece(kind, not colour))
    return king in trial.attacks(cell)


def test_rows_are_what_python_chess_tells() -> None:
    rows = encoded(list(boards()))
    for board, row in zip(boards(), rows, strict=True):
        counts, expected = rows_of(row), slow(board)
        assert counts == expected, (board.fen(), counts - expected, expected - counts)


def test_the_boards_bring_rows_of_every_sort() -> None:
    counts = Counter(encoded(list(boards())).reshape(-1).tolist())
    starts = (KINDS_AT, layout.REACH_AT, layout.KINGS_AT, layout.GAINS_AT, layout.CHECKS_AT, layout.CONTACTS_AT,
              layout.ESCAPES_AT, layout.PINS_AT, layout.PASSED_AT, layout.PREY_AT,
              layout.PIECES_AT, layout.RIGHTS_AT, layout.CHECKED_AT,
              layout.PASSANT_AT, layout.THREATS_AT, layout.APART_AT, layout.LATER_AT,
              layout.FEW_PIECES_AT, ROWS)  # fmt: skip
    for low, high in pairwise(starts):
        assert sum(low <= row < high for row in counts) > 1, low
    assert len([row for row in range(layout.CHECKS_AT, layout.CONTACTS_AT) if counts[row]]) >= 50
    assert len([row for row in range(layout.PINS_AT, layout.PASSED_AT) if counts[row]]) >= 8
    assert {(row - layout.PASSED_AT) % 3 for row in counts if layout.PASSED_AT <= row < layout.PREY_AT} == {0, 1, 2}
    assert {(row - layout.APART_AT) // 8 for row in counts if layout.APART_AT <= row < layout.LATER_AT} == {0, 1, 2}


def test_rows_are_few_enough_and_distinct_where_they_should_be() -> None:
    for row in encoded(list(boards())):
        total = int((row < ROWS).sum())
        assert row.min() >= 0 and total <= MOST and (row[total:] == ROWS).all()
        counts = rows_of(row)
        alone = [number for number in counts if number < KINDS_AT or layout.KINGS_AT <= number < layout.PINS_AT]
        assert all(counts[number] == 1 for number in alone)
        assert sum(counts[number] for number in counts if number < KINDS_AT) == sum(
            counts[number] for number in counts if KINDS_AT <= number < layout.REACH_AT
        )


def test_crowded_boards_still_fit() -> None:
    queens = chess.Board("qqqqkqqq/qqqqqqqq/8/8/8/8/QQQQQQQQ/QQQQKQQQ w - - 0 1")
    some = [queens, *(strewn(seed, 32) for seed in range(400))]
    totals = (encoded(some, MOST + 50) < ROWS).sum(1)
    assert totals[0] > 100 and 180 < totals.max() <= MOST


def test_crowded_boards_bring_what_python_chess_tells() -> None:
    some = [strewn(seed, 32) for seed in range(20)]
    for board, row in zip(some, encoded(some), strict=True):
        counts, expected = rows_of(row), slow(board)
        assert counts == expected, (board.fen(), counts - expected, expected - counts)


def test_no_sort_of_rows_is_larger_than_its_room() -> None:
    """MOST is the sum of these: no board, however crowded, can bring more."""
    sorts = (
        (0, KINDS_AT, 32), (KINDS_AT, layout.REACH_AT, 32), (layout.REACH_AT, layout.KINGS_AT, 30),
        (layout.KINGS_AT, layout.GAINS_AT, 18), (layout.GAINS_AT, layout.CHECKS_AT, 4),
        (layout.CHECKS_AT, layout.CONTACTS_AT, 8), (layout.CONTACTS_AT, layout.ESCAPES_AT, 2),
        (layout.ESCAPES_AT, layout.PINS_AT, 2), (layout.PINS_AT, layout.PASSED_AT, 16),
        (layout.PASSED_AT, layout.PREY_AT, 16), (layout.PREY_AT, layout.PIECES_AT, 32),
        (layout.PIECES_AT, layout.THREATS_AT, 4), (layout.THREATS_AT, layout.APART_AT, MOST_THREATS),
        (layout.APART_AT, layout.LATER_AT, 1), (layout.LATER_AT, layout.FEW_PIECES_AT, 2),
        (layout.FEW_PIECES_AT, ROWS, 5),
    )  # fmt: skip
    assert sum(most for _, _, most in sorts) <= MOST
    rows = encoded([*boards(), *(strewn(seed, 32) for seed in range(400))])
    for low, high, most in sorts:
        assert ((low <= rows) & (rows < high)).sum(1).max() <= most


def test_mirrored_boards_bring_the_same_rows() -> None:
    """Left and right are alike where nobody may castle, and colours always are."""
    bare = [board for board in boards() if not board.castling_rights]
    turned = [board.transform(chess.flip_horizontal) for board in bare]
    assert len(bare) > 50
    assert np.array_equal(np.sort(encoded(bare)), np.sort(encoded(turned)))
    assert np.array_equal(encoded(list(boards())), encoded([board.mirror() for board in boards()]))


@pytest.mark.parametrize(
    ("one", "other", "difference"),
    [
        ("4k3/8/8/3p4/4P3/8/8/4K3 w - - 0 1", "4k3/8/3p4/8/4P3/8/8/4K3 w - - 0 1", layout.GAINS_AT + 21),
        ("4k3/8/8/8/4r3/8/4N3/4K3 w - - 0 1", "4k3/8/8/8/3r4/8/4N3/4K3 w - - 0 1", layout.PINS_AT + 1),
        ("4k3/8/8/4P3/8/8/8/4K3 w - - 0 1", "4k3/8/3p4/4P3/8/8/8/4K3 w - - 0 1", layout.PASSED_AT + 12),
        ("4k3/8/8/8/8/8/8/4K2R w K - 0 1", "4k3/8/8/8/8/8/8/4K2R w - - 0 1", layout.RIGHTS_AT + 1),
        ("4k3/8/8/8/8/8/3n4/6K1 w - - 0 1", "4k3/8/8/8/8/3n4/8/6K1 w - - 0 1", layout.CHECKS_AT + 8),
        # the only defender of d4 is pinned
        ("k3r3/8/8/8/3P4/8/4N3/4K3 w - - 0 1", "k4r2/8/8/8/3P4/8/4N3/4K3 w - - 0 1", chess.D4 * 18),
        # two rooks, one behind the other, attack a loose pawn
        ("6k1/8/8/4p3/8/8/4R3/4R1K1 w - - 0 1", "6k1/8/8/4p3/8/8/4R3/3R2K1 w - - 0 1", KINDS_AT + 6 * 48 + 6 + 3),
        # a queen hangs, but who is in check must see to that first
        ("4r2k/8/8/8/q7/8/8/R3K3 w - - 0 1", "5r1k/8/8/8/q7/8/8/R3K3 w - - 0 1", layout.GAINS_AT + 20),
        # a knight can go to c7 and fork king and rook
        ("r3k3/8/8/3N4/8/8/8/4K3 w - - 0 1", "r3k3/8/8/8/3N4/8/8/4K3 w - - 0 1", layout.THREATS_AT + 4 + 2),
        # a bishop is attacked on a7 and cannot get away
        ("8/Bkp5/1p6/8/8/8/8/4K3 w - - 0 1", "8/1kp5/1p6/8/3B4/8/8/4K3 w - - 0 1", layout.THREATS_AT + FORKS + 9),
        # a knight uncovers a rook's check; a knight stands before its queen
        ("4k3/8/8/8/8/4N3/4R3/6K1 w - - 0 1", "3k4/8/8/8/8/4N3/4R3/6K1 w - - 0 1", SCREENS_AT + 3),
        ("7k/8/5q2/8/3n4/8/1B6/6K1 w - - 0 1", "7k/5q2/8/8/3n4/8/1B6/6K1 w - - 0 1", SCREENS_AT + 4 + 2),
        # the cell before a passed pawn is attacked; it is held
        ("4k3/8/8/2n1P3/8/8/8/4K3 w - - 0 1", "4k3/8/8/4P3/8/8/8/4K3 w - - 0 1", layout.PASSED_AT + 12 + 1),
        ("4k3/8/4n3/4P3/8/8/8/4K3 w - - 0 1", "4k3/8/8/4P3/8/8/8/4K3 w - - 0 1", layout.PASSED_AT + 12 + 2),
        # the others have but their king, seven steps away; then the mover does
        ("4k3/8/8/8/8/8/8/4K2R w - - 0 1", "4k3/8/8/8/8/8/8/4K2R b - - 0 1", layout.APART_AT + 8 + 7),
        ("4k3/8/8/8/8/8/8/4K2R b - - 0 1", "4k3/8/8/8/8/8/8/4K2R w - - 0 1", layout.APART_AT + 16 + 7),
    ],
)
def test_what_a_row_means(one: str, other: str, difference: int) -> None:
    present = [rows_of(row)[difference] for row in encoded([chess.Board(one), chess.Board(other)])]
    assert present == [1, 0]


def test_rows_are_those_of_the_positions_asked_for() -> None:
    some = list(boards())[:20]
    out = np.full((3, MOST), -1, np.int32)
    encode_standings(typed(stacked([from_board(board) for board in some])), np.array([7, 0, 7]), out)
    assert np.array_equal(out, encoded(some)[[7, 0, 7]])


def digest(count: int = 40) -> str:
    """Return a hash of the rows of some positions; the same interpreted."""
    some: Any = list(boards(count))
    return hashlib.sha256(encoded(some).tobytes()).hexdigest()


def test_interpreted_kernels_say_the_same() -> None:
    assert run_interpreted("tests.games.chess.test_standings_chess", "digest()") == digest()
