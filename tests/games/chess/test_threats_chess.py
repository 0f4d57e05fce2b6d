"""Threats on chess boards against a slow computation on python-chess boards: exchanges, forks, traps, screens."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

import chess
import numpy as np
import pytest

from tests.games.chess.test_attacks_seen_chess import CLASSES, View, attacks_of, king_of, view_of, views
from understudy.games.chess.inputs.threats import (
    BEHIND,
    FORKS,
    LONGEST,
    MOST_THREATS,
    THREATS,
    TRAPPED,
    checkers,
    winnings,
    write_threats,
)
from understudy.games.chess.notation import from_board

WORTH = {chess.PAWN: 1, chess.KNIGHT: 3, chess.BISHOP: 3, chess.ROOK: 5, chess.QUEEN: 9, chess.KING: 10}
LEVELS = {chess.PAWN: 1, chess.KNIGHT: 2, chess.BISHOP: 2, chess.ROOK: 3, chess.QUEEN: 4, chess.KING: 4}
SLIDERS = (chess.BISHOP, chess.ROOK, chess.QUEEN)
ENOUGH = 19
"""Rows about the screens of a side after which no further slider is looked at."""


def kind_at(board: chess.Board, cell: int) -> chess.PieceType:
    kind = board.piece_type_at(cell)
    assert kind is not None
    return kind


def slow_winnings(board: chess.Board, cell: int, colour: chess.Color) -> int:
    """Return the pawns that a side wins on a cell; who is pinned now stays on the line of its pin to the end."""
    able = {at for at, piece in board.piece_map().items() if cell in board.pin(piece.color, at)}
    return min(exchange(board, cell, colour, able, LONGEST), WORTH[chess.QUEEN])


def exchange(board: chess.Board, cell: int, colour: chess.Color, able: set[int], left: int) -> int:
    """Return what a side wins at most by taking with its least piece, or leaving it; then it is the others' turn."""
    hunters = sorted((kind_at(board, at), at) for at in board.attackers(colour, cell) if at in able)
    if not hunters or left == 0:
        return 0
    kind, at = hunters[0]
    after = board.copy(stack=False)
    after.remove_piece_at(at)
    after.set_piece_at(cell, chess.Piece(kind, colour))
    if kind == chess.KING and after.attackers(not colour, cell):
        return 0
    return max(0, WORTH[kind_at(board, cell)] - exchange(after, cell, not colour, able, left - 1))


def slow_threats(view: View) -> Counter[int]:
    """Return the rows of threats, counted from 0."""
    rows = Counter(slow_forks(view))
    for side, colour in enumerate((chess.WHITE, chess.BLACK)):
        rows += Counter(FORKS + side * 24 + row for row in slow_trapped(view, colour))
        rows += Counter(FORKS + TRAPPED + side * 8 + row for row in slow_screens(view, colour))
    return rows


def safe(view: View, kind: chess.PieceType, colour: chess.Color, cell: int) -> bool:
    """Tell whether a piece would not be lost on a cell where it can go, as far as the board tells as it stands."""
    hunters = view.attackers[not colour][cell]
    if not hunters:
        return True
    if kind == chess.PAWN:  # it goes straight on, so whoever attacks the cell is another
        return len(view.attackers[colour][cell]) > 0
    return hunters[0] > CLASSES[kind] and view.times[colour][cell] > 1


def slow_forks(view: View) -> Iterator[int]:
    for kind in (chess.PAWN, chess.KNIGHT, *SLIDERS):
        prey = {cell for cell, piece in view.board.piece_map().items() if not piece.color and tempts(view, kind, cell)}
        best = 0
        for cell in view.board.pieces(kind, chess.WHITE):
            for goal in goals_of(view, kind, cell):
                after = view.board.copy(stack=False)
                after.remove_piece_at(cell)
                after.set_piece_at(goal, chess.Piece(kind, chess.WHITE))
                caught = sorted(LEVELS[kind_at(view.board, at)] for at in prey.intersection(after.attacks(goal)))
                best = max(best, *caught[-2:-1], 0)
        if best:
            yield (kind - 1) * 4 + best - 1


def tempts(view: View, kind: chess.PieceType, cell: int) -> bool:
    """Tell whether the mover would fork a piece with another: it is loose or worth more; pawns do not fork pawns."""
    prey = kind_at(view.board, cell)
    if kind == prey == chess.PAWN:
        return False
    return WORTH[prey] > WORTH[kind] or not view.attackers[chess.BLACK][cell]


def goals_of(view: View, kind: chess.PieceType, cell: int) -> list[int]:
    """Return where a piece of the mover can safely go next; pawns go one step straight on."""
    if kind == chess.PAWN:
        goals = [cell + 8] if view.board.piece_at(cell + 8) is None else []
    else:
        goals = [goal for goal in view.reach[cell] if view.board.color_at(goal) != chess.WHITE]
    return [goal for goal in goals if safe(view, kind, chess.WHITE, goal)]


def slow_trapped(view: View, colour: chess.Color) -> Iterator[int]:
    for cell, piece in view.board.piece_map().items():
        kind = piece.piece_type
        if piece.color != colour or kind in (chess.PAWN, chess.KING):
            continue
        hunters, friends = view.attackers[not colour][cell], view.attackers[colour][cell]
        threatened = bool(hunters) and (hunters[0] < CLASSES[kind] or not friends)
        goals = [goal for goal in view.reach[cell] if view.board.color_at(goal) != colour]
        free = min(sum(safe(view, kind, colour, goal) for goal in goals), 2)
        if threatened or free < 2:
            yield ((kind - 2) * 2 + threatened) * 3 + free


def slow_screens(view: View, colour: chess.Color) -> list[int]:
    rows: list[int] = []
    for cell in sorted(view.reach):
        piece = view.board.piece_at(cell)
        if piece is None or piece.color != colour or piece.piece_type not in SLIDERS or len(rows) >= ENOUGH:
            continue
        for owner, side in enumerate((colour, not colour)):
            screens = {at for at in view.board.attacks(cell) if view.board.color_at(at) == side}
            lures = [lure(view, piece, at) for at in hidden(view, cell, screens - {king_of(view.board, not colour)})]
            if max(lures, default=-1) >= 0:
                rows.append(owner * 4 + max(lures))
    return rows


def hidden(view: View, cell: int, screens: set[int]) -> list[int]:
    """Return the others' pieces that a slider would attack if screens were gone, and does not attack now."""
    if not screens:
        return []
    clear = view.board.copy(stack=False)
    for screen in screens:
        clear.remove_piece_at(screen)
    mine = view.board.color_at(cell)
    return [at for at in clear.attacks(cell) - view.board.attacks(cell) if view.board.color_at(at) == (not mine)]


def lure(view: View, slider: chess.Piece, cell: int) -> int:
    """Return what a piece behind a screen means to a slider: 3 king, 2 queen, 1 rook, 0 something loose, -1 nothing."""
    kind = kind_at(view.board, cell)
    if kind == chess.KING:
        return 3
    if kind in (chess.ROOK, chess.QUEEN) and WORTH[kind] > WORTH[slider.piece_type]:
        return kind - 3
    return -1 if view.attackers[not slider.color][cell] else 0


def list_threats(view: View) -> Counter[int]:
    """Return the rows of threats that the encoder writes."""
    out = np.full(MOST_THREATS + 10, -1, np.int32)
    total = write_threats(from_board(view.board), attacks_of(view), 0, out, 0)
    assert total <= MOST_THREATS and (out[:total] >= 0).all() and (out[:total] < THREATS).all()
    assert (out[total:] == -1).all()
    return Counter(out[:total].tolist())


def won(view: View, cell: int, colour: chess.Color) -> int:
    return winnings(from_board(view.board), cell, colour, attacks_of(view), np.zeros(LONGEST + 1, np.int32))


def test_threats_are_what_python_chess_tells() -> None:
    for view in views():
        rows, expected = list_threats(view), slow_threats(view)
        assert rows == expected, (view.board.fen(), rows - expected, expected - rows)


def test_the_boards_bring_threats_of_every_sort() -> None:
    rows: Counter[int] = Counter()
    for view in views():
        rows += list_threats(view)
    assert {row // 4 for row in rows if row < FORKS} == set(range(5))
    assert {(row - FORKS) // 3 for row in rows if FORKS <= row < FORKS + TRAPPED} == set(range(16))
    assert {row for row in rows if row >= FORKS + TRAPPED} == set(range(FORKS + TRAPPED, THREATS))
    assert THREATS == FORKS + TRAPPED + BEHIND


def test_where_screens_are_very_many_some_are_left_out() -> None:
    view = view_of(chess.Board("bRrq2N1/n1bR3B/b2RR3/B4B1q/rRRn4/R2r1r2/Rq1b1RQq/qk2K2R w - - 0 1"))
    own = range(FORKS + TRAPPED, FORKS + TRAPPED + BEHIND // 2)
    assert ENOUGH <= sum(count for row, count in list_threats(view).items() if row in own) <= ENOUGH + 1
    assert list_threats(view) == slow_threats(view)


def test_winnings_are_those_of_exchanges_played_out() -> None:
    """On every cell with a piece but a king, whoever's turn it is."""
    many: Counter[int] = Counter()
    for view in views():
        for cell, piece in view.board.piece_map().items():
            if piece.piece_type != chess.KING:
                expected = slow_winnings(view.board, cell, not piece.color)
                assert won(view, cell, not piece.color) == expected, (view.board.fen(), chess.square_name(cell))
                many[expected] += 1
    assert all(many[gain] > 10 for gain in (0, 1, 2, 3, 5, 9))


def played(board: chess.Board, cell: int) -> int:
    """Return what the mover wins at most by legal captures on a cell, with any piece; each side may stop."""
    best, prey = 0, WORTH[kind_at(board, cell)]
    for move in list(board.generate_legal_captures(to_mask=chess.BB_SQUARES[cell])):
        board.push(move)
        best = max(best, prey - played(board, cell))
        board.pop()
    return best


def test_winnings_are_nearly_always_those_of_the_rules() -> None:
    """Exchanges know nothing of checks on the way, of pins that come and go, or that another order may be better."""
    right = wrong = 0
    for view in views():
        board = view.board
        if not board.is_valid() or board.is_check():
            continue
        for cell in chess.SquareSet(board.occupied_co[chess.BLACK] & ~board.kings & ~chess.BB_BACKRANKS):
            same = won(view, cell, chess.WHITE) == played(board, cell)
            right, wrong = right + same, wrong + (not same)
    assert right > 1000 and wrong <= right / 100, (right, wrong)


@pytest.mark.parametrize(
    ("fen", "cell", "gain"),
    [
        ("4k3/8/8/3p4/4P3/8/8/4K3 w - - 0 1", "d5", 1),
        ("4k3/8/4p3/3p4/4P3/8/8/4K3 w - - 0 1", "d5", 0),  # a pawn for a pawn
        ("4k3/8/4p3/3n4/4P3/8/8/4K3 w - - 0 1", "d5", 2),
        ("4k3/8/4p3/3n4/8/3R4/8/4K3 w - - 0 1", "d5", 0),
        ("4k3/8/8/3p1r2/8/3R4/3R4/4K3 w - - 0 1", "d5", 1),  # two against one
        ("3rk3/8/8/3p1r2/8/3R4/3R4/4K3 w - - 0 1", "d5", 0),
        ("4k3/4p3/3n4/8/8/8/8/3RK3 w - - 0 1", "d6", 0),
        ("4k3/4p3/3n4/8/8/8/4R3/3RK3 w - - 0 1", "d6", 3),  # the pawn that guards is pinned
        ("8/8/8/3p4/4K3/8/8/7k w - - 0 1", "d5", 1),
        ("8/8/4p3/3p4/4K3/8/8/7k w - - 0 1", "d5", 0),  # a king cannot take what is guarded
        ("4r2k/8/8/3q4/8/4N3/8/4K3 w - - 0 1", "d5", 0),  # pinned
        ("7k/8/8/3q4/8/4N3/8/4K3 w - - 0 1", "d5", 9),
    ],
)
def test_what_a_capture_wins(fen: str, cell: str, gain: int) -> None:
    view = view_of(chess.Board(fen))
    assert won(view, chess.parse_square(cell), chess.WHITE) == gain


def test_checkers_are_what_python_chess_tells() -> None:
    many: Counter[int] = Counter()
    for view in views():
        for side, colour in enumerate((chess.WHITE, chess.BLACK)):
            king = king_of(view.board, colour)
            squares = chess.SquareSet(checkers(from_board(view.board), king, side))
            assert squares & view.board.occupied_co[not colour] == view.board.attackers(not colour, king)
            many[len(view.board.attackers(not colour, king))] += 1
    assert many[1] > 10 and many[2] > 0
