"""Planes of chess positions, against the thesis's figures and against a slow encoder made of python-chess."""

from __future__ import annotations

import hashlib
from dataclasses import replace
from itertools import product
from typing import Any

import chess
import numpy as np
import pytest
from numpy.typing import NDArray

from tests.conftest import random_line, run_interpreted
from understudy.errors import BadOption, UnknownName
from understudy.games import find_game
from understudy.games.batches import stacked
from understudy.games.chess.inputs.planes import ChessInputs, encode, encode_into, encode_successors, flat, typed
from understudy.games.chess.notation import from_board, to_board

CHESS = find_game("chess")
KINDS = ("bitmap", "algebraic", "features")
"""Inputs that are planes."""
WHITE = ChessInputs(perspective="white")
EVERY = [
    ChessInputs(kind=kind, perspective=perspective, side=side, rights=rights, sign_only=sign_only)
    for kind, perspective, side, rights, sign_only in product(
        KINDS, ("mover", "white"), (False, True), (False, True), (False, True)
    )
    if (not side or perspective == "white") and (not sign_only or kind == "features")
]
WORTHS = {chess.PAWN: 1, chess.KNIGHT: 3, chess.BISHOP: 3, chess.ROOK: 5, chess.QUEEN: 9, chess.KING: 10}
PIN, CENTRE, WAYS = 13, 14, 15


LAI = ChessInputs(kind="coordinates", perspective="white")


def planes(fen: str, inputs: ChessInputs = WHITE) -> NDArray[Any]:
    """Return the planes of one FEN, legal or not."""
    return encode(stacked([from_board(chess.Board(fen))]), inputs)[0]


def drawn(plane: NDArray[Any]) -> dict[str, int]:
    """Return the cells of a plane that are not 0, by name."""
    return {chess.square_name(cell): int(number) for cell, number in enumerate(plane.reshape(64)) if number}


def cells(names: str, number: int) -> dict[str, int]:
    return dict.fromkeys(names.split(), number)


def slow(board: chess.Board, inputs: ChessInputs) -> NDArray[np.int64]:
    """Return the planes as python-chess tells them, cell by cell; a mirrored board is one where White moves."""
    sign = 1 if board.turn else -1
    if inputs.perspective == "mover" and not board.turn:
        board, sign = board.mirror(), 1
    result = [slow_pieces(board, algebraic=inputs.kind == "algebraic")]
    if inputs.kind == "features":
        result.append(slow_features(board, sign_only=inputs.sign_only))
    if inputs.side:
        result.append(np.full((1, 64), sign))
    if inputs.rights:
        result.append(slow_rights(board))
    return np.concatenate(result).reshape(-1, 8, 8)


def slow_pieces(board: chess.Board, *, algebraic: bool) -> NDArray[np.int64]:
    out = np.zeros((12, 64), np.int64)
    for cell, piece in board.piece_map().items():
        worth = WORTHS[piece.piece_type] if algebraic else 1
        out[piece.piece_type - 1 + (0 if piece.color else 6), cell] = worth if piece.color else -worth
    return out


def slow_features(board: chess.Board, *, sign_only: bool) -> NDArray[np.int64]:
    out = np.zeros((4, 64), np.int64)
    for colour, sign in ((chess.WHITE, 1), (chess.BLACK, -1)):
        king = board.king(not colour)
        assert king is not None
        out[0] += sign * board.is_attacked_by(colour, king)
        lines = set()
        for cell in chess.SquareSet(board.occupied_co[not colour]):
            if board.is_pinned(not colour, cell):
                lines |= set(board.pin(not colour, cell))
        for cell in lines:
            out[1, cell] += sign
        for name in ("c4", "d4", "e4", "c5", "d5", "e5"):
            out[2, chess.parse_square(name)] += sign * len(board.attackers(colour, chess.parse_square(name)))
        target = chess.F7 if colour else chess.F2
        for hunter in board.attackers(colour, target):
            worth = sign * WORTHS[board.piece_type_at(hunter)]  # type: ignore[index]
            for cell in {target, hunter, *chess.SquareSet.between(hunter, target)}:
                out[3, cell] += worth
    if sign_only:
        out[2] = np.sign(out[2])
    return out


def slow_rights(board: chess.Board) -> NDArray[np.int64]:
    out = np.zeros((5, 64), np.int64)
    for plane, (colour, sign) in zip((0, 2), ((chess.WHITE, 1), (chess.BLACK, -1)), strict=True):
        out[plane] = sign * board.has_kingside_castling_rights(colour)
        out[plane + 1] = sign * board.has_queenside_castling_rights(colour)
    if board.ep_square is not None and board.has_legal_en_passant():
        out[4, board.ep_square] = 1 if board.turn else -1
    return out


SHARP = (
    "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1",
    "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R b KQkq - 0 1",
    "4k3/8/8/q2pP2K/8/8/8/8 w - d6 0 2",
    "4k3/8/8/8/3pP3/8/8/4K3 b - e3 0 1",
    "4k3/4r3/8/8/1b6/2N1B3/8/4K2q w - - 0 1",
    "3qk3/4n3/8/4Q3/3R4/8/8/3K4 b - - 0 1",
    "k7/5Q2/4Q1Q1/8/2B5/5r2/3n1p2/5K2 w - - 0 1",
)


def some_positions(count: int = 400) -> list[Any]:
    """Return positions of random games, and some with checks, pins, rights and many attackers of f2 and f7."""
    game, line = find_game("chess"), [from_board(chess.Board(fen)) for fen in SHARP]
    for seed in range(count):
        if len(line) >= count:
            break
        line += [position for position, _ in random_line(game, 120, seed)][:: 1 + seed % 3]
    return line[:count]


@pytest.mark.parametrize("inputs", EVERY, ids=str)
def test_planes_are_what_python_chess_tells(inputs: ChessInputs) -> None:
    positions = some_positions()
    encoded = encode(stacked(positions), inputs)
    assert encoded.shape == (len(positions), inputs.planes, 8, 8) and encoded.dtype == np.int8
    for position, planes in zip(positions, encoded, strict=True):
        board = to_board(position)
        assert np.array_equal(planes, slow(board, inputs)), board.fen()


def test_the_random_positions_have_every_feature() -> None:
    encoded = encode(stacked(some_positions()), ChessInputs(kind="features", perspective="white", rights=True))
    for plane in range(encoded.shape[1]):
        assert encoded[:, plane].any(), plane
    for plane in (12, PIN, CENTRE, WAYS, 20):
        assert encoded[:, plane].min() < 0 < encoded[:, plane].max(), plane


FEATURED = ChessInputs(kind="features", perspective="white")


def test_figure_7_3_the_whole_line_of_a_pin() -> None:
    pinned = "rnbqk1nr/ppp2ppp/4p3/3p4/1b1PP3/2N5/PPP2PPP/R1BQKBNR w KQkq - 2 4"
    assert drawn(planes(pinned, FEATURED)[PIN]) == cells("a5 b4 c3 d2 e1", -1)
    assert drawn(planes(pinned, ChessInputs(kind="features"))[PIN]) == cells("a5 b4 c3 d2 e1", -1)
    turned = "r1bqkbnr/ppp2ppp/2n5/1B1p4/3Pp3/4P3/PPP2PPP/RNBQK1NR b KQkq - 0 4"
    assert drawn(planes(turned, FEATURED)[PIN]) == cells("a4 b5 c6 d7 e8", 1)
    assert drawn(planes(turned, ChessInputs(kind="features"))[PIN]) == cells("a5 b4 c3 d2 e1", -1)


def test_a_pin_line_goes_on_behind_the_king() -> None:
    middle = "4k3/8/5b2/8/3N4/2K5/8/8 w - - 0 1"
    assert drawn(planes(middle, FEATURED)[PIN]) == cells("a1 b2 c3 d4 e5 f6 g7 h8", -1)


def test_lines_of_both_sides_cancel_where_they_cross() -> None:
    crossed = drawn(planes("3r3k/6p1/8/4B3/8/8/3N4/3K4 w - - 0 1", FEATURED)[PIN])
    assert crossed == {**cells("d1 d2 d3 d5 d6 d7 d8", -1), **cells("a1 b2 c3 e5 f6 g7 h8", 1)}


def test_figure_7_5_net_attackers_of_the_centre() -> None:
    lone = "4k3/8/8/8/8/2N5/8/4K3 w - - 0 1"
    assert drawn(planes(lone, FEATURED)[CENTRE]) == cells("d5 e4", 1)
    knights = "4k3/8/1n6/8/1nP1P3/8/8/4K1B1 w - - 0 1"
    assert drawn(planes(knights, FEATURED)[CENTRE]) == {"d4": 1, "c5": 1, "c4": -1}
    figure = "4k3/8/8/2p5/2P1P3/8/8/B3K3 w - - 0 1"
    assert drawn(planes(figure, FEATURED)[CENTRE]) == {"d5": 2, "e5": 1}
    assert drawn(planes(figure, replace(FEATURED, sign_only=True))[CENTRE]) == cells("d5 e5", 1)


def test_figure_7_7_the_ways_to_f7() -> None:
    scholar = "rnbqk2r/pppp1ppp/8/2b1p3/4P3/1B3Q2/PPPP1PPP/RNB1K1NR w KQkq - 0 1"
    expected = {**cells("b3 c4 d5 e6", 3), **cells("f3 f4 f5 f6", 9), "f7": 12}
    black = {**cells("c5 d4 e3", -3), "f2": -3}
    assert drawn(planes(scholar, FEATURED)[WAYS]) == {**expected, **black}
    assert drawn(planes(scholar.replace("2b1p3", "4p3"), FEATURED)[WAYS]) == expected


def test_a_knight_marks_only_where_it_stands() -> None:
    assert drawn(planes("4k3/8/8/6N1/8/8/8/4K3 w - - 0 1", FEATURED)[WAYS]) == {"g5": 3, "f7": 3}
    assert drawn(planes("4k3/8/8/8/6n1/8/8/7K b - - 0 1", FEATURED)[WAYS]) == {"g4": -3, "f2": -3}


@pytest.mark.parametrize(
    ("fen", "sign"), [("4k3/8/8/8/8/8/8/K3R3 b - - 0 1", 1), ("4r1k1/8/8/8/8/8/8/4K3 w - - 0 1", -1)]
)
def test_a_check_fills_a_plane(fen: str, sign: int) -> None:
    assert (planes(fen, FEATURED)[12] == sign).all()
    assert (planes(fen, ChessInputs(kind="features"))[12] == -1).all()  # the mover is always the one in check


@pytest.mark.parametrize(
    ("letter", "plane", "number"), [("P", 0, 1), ("N", 1, 3), ("b", 8, -3), ("q", 10, -9), ("k", 11, -10)]
)
def test_one_piece_on_one_cell(letter: str, plane: int, number: int) -> None:
    """The thesis's programs spread a plane over the channels; here row and column of a piece are its own."""
    out = planes(f"8/8/8/8/6{letter}1/8/8/8 w - - 0 1", ChessInputs(kind="algebraic"))
    assert [place.tolist() for place in np.nonzero(out)] == [[plane], [3], [6]]
    assert out[plane, 3, 6] == number
    assert flat(out[None])[0, plane * 64 + 3 * 8 + 6] == number


def test_the_mover_sees_black_as_white() -> None:
    board = chess.Board("r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R b Kq - 0 1")
    for kind in KINDS:
        inputs = ChessInputs(kind=kind, rights=True)
        assert np.array_equal(planes(board.fen(), inputs), planes(board.mirror().fen(), inputs))
        white = replace(inputs, perspective="white")
        turned = -planes(board.mirror().fen(), white)[:12].reshape(2, 6, 8, 8)[::-1, :, ::-1].reshape(12, 8, 8)
        assert np.array_equal(planes(board.fen(), white)[:12], turned)


def test_rows_go_into_the_callers_array() -> None:
    batch, inputs = stacked(some_positions(50)), ChessInputs(kind="features", rights=True)
    whole, rows = encode(batch, inputs), np.array([7, 7, 49, 0])
    for kind in (np.int8, np.float32):
        out = np.full((6, inputs.planes, 8, 8), 99, kind)
        assert encode(batch, inputs, rows=rows, out=out[1:5]).base is not None
        assert np.array_equal(out[1:5], whole[rows])
        assert (out[[0, 5]] == 99).all()
    out = np.full((4, inputs.planes, 64), 99, np.int8)
    encode_into(typed(batch), rows, inputs.plan, out)
    assert np.array_equal(out, whole[rows].reshape(4, inputs.planes, 64))
    assert np.shares_memory(flat(whole), whole) and flat(whole).shape == (50, inputs.planes * 64)
    assert encode(batch, inputs, rows=rows[:0]).shape == (0, inputs.planes, 8, 8)


def test_successors_are_encoded_as_positions_of_their_own() -> None:
    game, inputs = find_game("chess"), ChessInputs(kind="features")
    position = from_board(chess.Board(SHARP[1]))
    codes, out = np.zeros(game.most_moves, np.int32), np.zeros((game.most_moves, inputs.planes, 64), np.int8)
    width = encode_successors(position, codes, inputs.plan, out)
    after = stacked([game.play(position, move) for move in game.moves(position)])
    assert codes[:width].tolist() == game.moves(position)
    assert np.array_equal(out[:width].reshape(width, -1, 8, 8), encode(after, inputs))


def test_what_cannot_be() -> None:
    with pytest.raises(UnknownName, match="did you mean 'bitmap'"):
        ChessInputs(kind="bitmaps")
    with pytest.raises(UnknownName, match="perspective of chess inputs 'black'"):
        ChessInputs(perspective="black")
    with pytest.raises(BadOption, match="side=true needs perspective=white"):
        ChessInputs(side=True)
    with pytest.raises(BadOption, match="sign_only=true needs kind=features"):
        ChessInputs(sign_only=True)
    batch = stacked(some_positions(8))
    with pytest.raises(BadOption, match=r"shape \(8, 12, 8, 8\), not \(8, 768\)"):
        encode(batch, ChessInputs(), out=np.zeros((8, 768), np.int8))
    with pytest.raises(BadOption, match="contiguous"):
        encode(batch, ChessInputs(), out=np.zeros((8, 12, 8, 16), np.int8)[..., ::2])
    for row in (-1, 8):
        with pytest.raises(BadOption, match="rows must be from 0 to 7"):
            encode(batch, ChessInputs(), rows=np.array([row]))


def digest() -> str:
    """Return a hash of all planes of some positions; the same interpreted."""
    batch, hashed = stacked(some_positions(12)), hashlib.sha256()
    for inputs in EVERY:
        hashed.update(encode(batch, inputs).tobytes())
    return hashed.hexdigest()


def test_interpreted_kernels_say_the_same() -> None:
    assert run_interpreted("tests.games.chess.test_planes_chess", "digest()") == digest()


def test_coordinates_list_pieces_with_file_and_rank() -> None:
    """By hand: a1 is -7, -7 and h8 is 7, 7; sixteen slots a side, kinds in their order, and zeros after them."""
    mine, theirs = planes("7k/8/8/3q4/8/P7/8/R3K2R w KQ - 0 1", LAI).reshape(2, 64)
    told = {slot: mine[3 * slot : 3 * slot + 3].tolist() for slot in range(21) if mine[3 * slot]}
    assert told == {0: [1, -7, -3], 12: [1, -7, -7], 13: [1, 7, -7], 15: [1, 1, -7]}
    told = {slot: theirs[3 * slot : 3 * slot + 3].tolist() for slot in range(21) if theirs[3 * slot]}
    assert told == {14: [1, -1, 1], 15: [1, 7, 7]}
    assert not mine[48:].any() and not theirs[48:].any()


def test_coordinates_of_the_mover_are_those_of_the_turned_board_and_say_where_every_piece_is() -> None:
    kind = ChessInputs(kind="coordinates", rights=True)
    for position, _ in random_line(CHESS, 80, 3):
        board = to_board(position)
        own, other = (encode(stacked([from_board(one)]), kind)[0] for one in (board, board.mirror()))
        assert np.array_equal(own, other) and own.shape == (7, 8, 8)
        for plane, side in enumerate((True, False)):
            seen = board if board.turn else board.mirror()
            slots = own[plane].reshape(64)[:48].reshape(16, 3)
            cells_told = {((rank + 7) // 2) * 8 + (file + 7) // 2 for there, file, rank in slots.tolist() if there}
            kept = [
                min(len(seen.pieces(one, side)), most)
                for one, most in zip(chess.PIECE_TYPES, (8, 2, 2, 2, 1, 1), strict=True)
            ]
            assert cells_told <= set(chess.SquareSet(seen.occupied_co[side])) and len(cells_told) == sum(kept)


def test_a_promoted_piece_without_a_slot_is_not_seen() -> None:
    mine = planes("7k/8/8/8/8/8/8/QQQ1K3 w - - 0 1", LAI).reshape(2, 64)[0]
    assert int(mine[::3][:16].sum()) == 2, "one of three queens, and the king"
