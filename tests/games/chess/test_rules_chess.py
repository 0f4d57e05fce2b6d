"""Chess against python-chess, published counts and the rule book."""

from __future__ import annotations

import pickle
from collections import Counter
from random import Random

import chess as other
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from understudy.errors import BadOption, IllegalMove, NotationError
from understudy.games import find_game, rules
from understudy.games.chess import attacks as chess_attacks
from understudy.games.chess import notation as chess_notation
from understudy.games.chess import rules as chess
from understudy.games.chess.position import START, Chess
from understudy.protocols import Outcome

GAME = find_game("chess")

KIWIPETE = "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq -"
ROOK_ENDING = "8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - -"
PROMOTIONS = "n1n5/PPPk4/8/8/8/8/4Kppp/5N1N b - - 0 1"
CASTLES = "r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1"
CHECKED = "r3k2r/Pppp1ppp/1b3nbN/nP6/BBP1P3/q4N2/Pp1P2PP/R2Q1RK1 w kq - 0 1"
BISHOP_FORK = "rnbq1k1r/pp1Pbppp/2p5/8/2B5/8/PPP1NnPP/RNBQK2R w KQ - 1 8"
QUIET = "r4rk1/1pp1qppp/p1np1n2/2b1p1B1/2B1P1b1/P1NP1N2/1PP1QPPP/R4RK1 w - - 0 10"
PASSING = "rnbqkbnr/ppp2ppp/8/3Pp3/8/8/PPP1PPPP/RNBQKBNR w KQkq e6 0 3"


def perft(position: Chess, depth: int) -> int:
    return rules.perft(position, depth, np.empty((depth, chess.MOST_MOVES), np.int32))


@pytest.mark.parametrize(
    ("text", "counts"),
    [
        (chess_notation.write(START), [20, 400, 8_902, 197_281, 4_865_609]),
        (KIWIPETE, [48, 2_039, 97_862, 4_085_603]),
        (ROOK_ENDING, [14, 191, 2_812, 43_238, 674_624]),
    ],
)
def test_perft_equals_the_published_counts(text: str, counts: list[int]) -> None:
    position = GAME.read(text)
    assert [perft(position, depth) for depth in range(1, len(counts) + 1)] == counts


@pytest.mark.parametrize("text", [PROMOTIONS, CASTLES, CHECKED, BISHOP_FORK, QUIET, PASSING])
def test_perft_equals_python_chess(text: str) -> None:
    assert perft(GAME.read(text), 3) == slow_perft(other.Board(text), 3)


def slow_perft(board: other.Board, depth: int) -> int:
    if depth == 1:
        return board.legal_moves.count()
    total = 0
    for move in board.legal_moves:
        board.push(move)
        total += slow_perft(board, depth - 1)
        board.pop()
    return total


OPENINGS = [other.STARTING_FEN] * 4 + [KIWIPETE + " 0 1", PROMOTIONS, CASTLES, CHECKED]


def test_random_games_equal_python_chess_at_every_ply() -> None:
    random, seen, ends = Random(20240229), Counter[str](), Counter[str]()
    for number in range(2_000):
        board = other.Board(OPENINGS[number % len(OPENINGS)])
        position = chess_notation.from_board(board)
        for _ in range(50):
            legal = sorted(code(board, move) for move in board.legal_moves)
            codes = GAME._codes(position).tolist()
            assert codes == legal and rules.count(position) == len(legal), board.fen()
            if not legal:
                break
            passing = [
                one for one in legal if position.passant and board.is_en_passant(chess_notation.to_uci(position, one))
            ]
            choices = passing if passing and random.random() < 0.5 else legal
            choice = random.choice(choices)
            played = chess_notation.to_uci(position, choice)
            seen.update(kind_of_move(board, played))
            board.push(played)
            position = rules.play(position, choice)
            assert position == chess_notation.from_board(board), board.fen()
        outcome = rules.outcome(position, rules.count(position))
        assert outcome == (-1 if board.is_checkmate() else 0 if board.is_stalemate() else 2)
        ends[str(outcome)] += 1
    assert min(seen[kind] for kind in ("castling", "en passant", "promotion", "en passant cell")) >= 200, seen
    assert ends["-1"] >= 20, ends


def code(board: other.Board, move: other.Move) -> int:
    """Return a move's code from the definition alone."""
    turned = 0 if board.turn else 56
    cells = (move.from_square ^ turned) * 64 + (move.to_square ^ turned)
    return cells * 8 + (move.promotion - 1 if move.promotion else 0)


def kind_of_move(board: other.Board, move: other.Move) -> list[str]:
    kinds = {
        "castling": board.is_castling(move),
        "en passant": board.is_en_passant(move),
        "promotion": move.promotion is not None,
        "en passant cell": board.has_legal_en_passant(),
    }
    return [kind for kind, holds in kinds.items() if holds]


def sampled(seed: int, plies: int = 90, games: int = 12) -> list[Chess]:
    random, positions = np.random.default_rng(seed), []
    for number in range(games):
        position = GAME.read(OPENINGS[number % len(OPENINGS)])
        for _ in range(plies):
            positions.append(position)
            codes = GAME.moves(position)
            if not codes:
                break
            position = rules.play(position, codes[random.integers(len(codes))])
    return positions


def test_text_and_moves_are_those_of_python_chess() -> None:
    for position in sampled(1, games=8)[::3]:
        board = chess_notation.to_board(position)
        assert board.is_valid() and GAME.write(position) == board.fen() == other.Board(board.fen()).fen()
        assert GAME.read(board.fen()) == position
        for move in GAME.moves(position):
            played = chess_notation.to_uci(position, move)
            assert GAME.write_move(position, move) == board.san(played)
            assert GAME.read_move(position, board.san(played)) == GAME.read_move(position, played.uci()) == move
            assert chess_notation.joined(GAME.parts(move)) == chess_notation.from_uci(position, played) == move


def test_captures_checks_features_and_draws_are_those_of_python_chess() -> None:
    out = np.empty(chess.MOST_MOVES, np.int32)
    for position in sampled(2):
        board = chess_notation.to_board(position)
        forcing = [m for m in board.legal_moves if board.is_capture(m) or m.promotion]
        assert out[: chess.captures(position, out)].tolist() == sorted(code(board, m) for m in forcing)
        assert chess_attacks.in_check(position) == board.is_check()
        assert rules.movable(position) == any(board.legal_moves)
        turned = 0 if board.turn else 56
        pieces = [
            ((piece.color != board.turn) * 6 + piece.piece_type - 1) * 64 + (cell ^ turned)
            for cell, piece in board.piece_map().items()
        ]
        assert out[: rules.features(position, out)].tolist() == sorted(pieces)
        assert (GAME.drawn(position) == "fifty moves") == (board.halfmove_clock >= 100)
        assert rules.turn(rules.turn(position))[:8] == position[:8]


def test_keys_are_equal_for_equal_placements_only() -> None:
    placements: dict[int, tuple[object, ...]] = {}
    for position in sampled(3):
        assert placements.setdefault(GAME.key(position), position[:9]) == position[:9]
        assert GAME.key(position._replace(clock=77, ply=position.ply + 2)) == GAME.key(position)
    position = GAME.read(PASSING)
    others = [position._replace(passant=0), position._replace(castling=14), rules.turn(position), START]
    assert len({GAME.key(one) for one in [position, *others]}) == 5


def test_the_mirror_preserves_moves_and_results() -> None:
    for position in sampled(4)[::4]:
        moves = GAME.moves(position)
        images = [GAME.symmetries(position, move) for move in moves]
        assert all(len(pairs) == (1 if position.castling else 2) and pairs[0][0] == position for pairs in images)
        if images and not position.castling:
            mirrored = images[0][1][0]
            assert GAME.moves(mirrored) == sorted(pairs[1][1] for pairs in images)
            assert GAME.read(GAME.write(mirrored)) == mirrored
            after = chess_notation.permuted(rules.play(position, moves[0]), chess_notation.symmetries(position)[1])
            assert rules.play(mirrored, images[0][1][1]) == after


@pytest.mark.parametrize(
    ("text", "move", "legal"),
    [
        (CASTLES, "e1g1", True),
        (CASTLES, "e1c1", True),
        ("r3k2r/8/8/8/8/8/8/R3K2R b KQkq - 0 1", "O-O-O", True),
        ("4k3/8/8/8/8/8/8/R3K2R w - - 0 1", "e1g1", False),  # the right is gone
        ("4k3/8/8/8/8/8/4r3/R3K2R w KQ - 0 1", "e1g1", False),  # out of check
        ("4k3/8/8/8/8/8/5r2/R3K2R w KQ - 0 1", "e1g1", False),  # through check
        ("4k3/8/8/8/8/8/6r1/R3K2R w KQ - 0 1", "e1g1", False),  # into check
        ("4k3/8/8/8/8/8/1r6/R3K2R w KQ - 0 1", "e1c1", True),  # only the rook passes an attacked cell
        ("4k3/8/8/8/8/8/8/RN2K2R w KQ - 0 1", "e1c1", False),  # a piece beside the rook
        (PASSING, "dxe6", True),
        (PASSING.replace(" e6 ", " - "), "d5e6", False),  # only at once
        ("8/8/8/8/k2Pp2R/8/8/3K4 b - d3 0 1", "e4d3", False),  # both pawns leave the king's rank
        ("8/8/8/2k5/3Pp3/8/8/4K3 b - d3 0 1", "e4d3", True),  # takes the pawn that gives check
        ("3k4/8/8/8/8/8/3r4/3NK3 w - - 0 1", "Kxd2", True),
        ("3k4/3r4/8/8/8/8/3r4/3NK3 w - - 0 1", "e1d2", False),  # protected
        ("4k3/8/8/8/8/8/8/r3K3 w - - 0 1", "e1f1", False),  # the king hides no cell behind it
        ("4k3/4r3/8/8/8/8/4R3/4K3 w - - 0 1", "e2e7", True),  # along the pin
        ("4k3/4r3/8/8/8/8/4R3/4K3 w - - 0 1", "e2d2", False),  # off the pin
        ("4k3/P7/8/8/8/8/8/4K3 w - - 0 1", "a8=N", True),
        ("4k3/P7/8/8/8/8/8/4K3 w - - 0 1", "a7a8", False),  # a pawn must promote
    ],
)
def test_rule_book(text: str, move: str, legal: bool) -> None:
    position = GAME.read(text)
    if legal:
        GAME.play(position, GAME.read_move(position, move))
    else:
        with pytest.raises(IllegalMove):
            GAME.read_move(position, move)


def test_a_whole_game_of_the_thesis_ends_in_mate() -> None:
    text = "e4 e6 d4 d5 Nc3 Bb4 Bd3 Bxc3+ bxc3 h6 Ba3 Nd7 Qe2 dxe4 Bxe4 Ngf6 Bd3 b6 Qxe6+ fxe6 Bg6#"
    position = START
    for san in text.split():
        assert GAME.outcome(position) is None
        move = GAME.read_move(position, san)
        assert GAME.write_move(position, move) == san
        position = GAME.play(position, move)
    assert position.ply == 21 and GAME.outcome(position) is Outcome.LOSS and GAME.reason(position) == "checkmate"
    assert GAME.moves(position) == []


def test_stalemate_is_a_draw() -> None:
    position = GAME.read("7k/5Q2/6K1/8/8/8/8/8 b - - 0 1")
    assert GAME.outcome(position) is Outcome.DRAW and GAME.reason(position) == "stalemate"


def test_rights_to_castle_go_with_king_and_rooks() -> None:
    rights = {"e1e2": "kq", "h1h2": "Qkq", "a1a2": "Kkq", "a1a8": "Kk", "h1h8": "Qq", "e1g1": "kq", "e1c1": "kq"}
    for move, left in rights.items():
        position = GAME.read(CASTLES)
        assert GAME.write(GAME.play(position, GAME.read_move(position, move))).split()[2] == left


@pytest.mark.parametrize(
    "pieces", ["", "N", "n", "B", "b", "NN", "Nn", "Bn", "Bb", "BB", "P", "r", "Q", "BBbb", "nb", "Nq"]
)
def test_insufficient_material_is_that_of_python_chess(pieces: str) -> None:
    random = np.random.default_rng(len(pieces))
    for _ in range(30):
        cells = random.permutation(np.arange(8, 56))
        board = other.Board(None)
        for cell, letter in zip(cells, "Kk" + pieces, strict=False):
            board.set_piece_at(int(cell), other.Piece.from_symbol(letter))
        expected = "insufficient material" if board.is_insufficient_material() else None
        assert GAME.drawn(chess_notation.from_board(board)) == expected


def test_fifty_moves_are_a_draw() -> None:
    assert GAME.drawn(GAME.read("4k3/8/8/8/8/8/4P3/4K3 w - - 99 80")) is None
    assert GAME.drawn(GAME.read("4k3/8/8/8/8/8/4P3/4K3 w - - 100 80")) == "fifty moves"


def test_stones_stand_as_white_sees_them() -> None:
    position = GAME.play(START, GAME.read_move(START, "e4"))
    stones = dict(zip(GAME.board.cells, GAME.stones(position), strict=True))
    assert (stones["e4"], stones["e2"], stones["e1"], stones["d8"], stones["a7"]) == ("P", "", "K", "q", "p")
    assert GAME.board.cells[1] == "b1" and GAME.board.places[8] == (0.0, 1.0) and GAME.board.lines == ()


def test_promise_prefers_great_prey_of_small_hunters() -> None:
    position = GAME.read("4k3/P7/8/3q1r2/4P3/8/3R4/4K3 w - - 0 1")
    order = ["exd5", "a8=Q", "Rxd5", "exf5", "Ke2"]
    values = [rules.promise(position, GAME.read_move(position, san)) for san in order]
    assert values[0] > values[2] > values[3] > values[4] == 0 and values[1] > values[3]
    passing = GAME.read(PASSING)
    assert rules.promise(passing, GAME.read_move(passing, "dxe6")) > 0


def test_fen_of_four_fields_and_an_en_passant_cell_without_capture() -> None:
    assert GAME.read(KIWIPETE) == GAME.read(KIWIPETE + " 0 1")
    double = GAME.read("rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq e3 0 1")
    assert double.passant == 0 and GAME.write(double).split()[3] == "-"
    assert GAME.read("r3k2r/8/8/8/8/8/8/R3K2R w HAha - 0 1") == GAME.read(CASTLES)


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ("", "six fields"),
        ("hello", "six fields"),
        (KIWIPETE + " 0", "six fields"),
        (KIWIPETE + " x 1", "six fields"),
        (KIWIPETE + " -1 1", "six fields"),
        (KIWIPETE + " 0 99999", "six fields"),
        ("8/8/8 w - - 0 1", "rows"),
        ("9/8/8/8/8/8/8/8 w - - 0 1", "character"),
        ("4k3/8/8/8/8/8/8/4K3 x - - 0 1", "expected 'w' or 'b'"),
        ("4k3/8/8/8/8/8/8/4K3 w X9 - 0 1", "castling"),
        ("4k3/8/8/8/8/8/8/4K3 w - z9 0 1", "en passant"),
        ("8/8/8/8/8/8/8/8 w - - 0 1", "no pieces"),
        ("4k3/8/8/8/8/8/8/8 w - - 0 1", "white has no king"),
        ("8/8/8/8/8/8/8/4K3 w - - 0 1", "black has no king"),
        ("4k3/8/8/8/8/8/8/3KK3 w - - 0 1", "more than one king"),
        ("4k3/PPPPP3/PPPP4/8/8/8/8/4K3 w - - 0 1", "white has more than eight pawns"),
        ("4k3/8/8/8/pppp4/ppppp3/8/4K3 w - - 0 1", "black has more than eight pawns"),
        ("4k2P/8/8/8/8/8/8/4K3 w - - 0 1", "first or the last rank"),
        ("4k3/8/8/8/8/NNNNNNNN/NNNNNNNN/4K3 w - - 0 1", "white has more than sixteen"),
        ("4k3/nnnnnnnn/nnnnnnnn/8/8/8/8/4K3 b - - 0 1", "black has more than sixteen"),
        ("4k3/8/8/8/8/8/8/4K3 w KQ - 0 1", "castling"),
        ("1r2k1r1/8/8/8/8/8/8/1R2K1R1 w GBgb - 0 1", "castling"),
        ("4k3/8/8/8/8/8/8/4K3 w - e6 0 1", "en passant"),
        ("4k3/8/8/8/8/8/4R3/4K3 w - - 0 1", "not to move is in check"),
        ("4k3/8/8/8/1b2r2b/8/8/4K3 w - - 0 1", "more than two pieces"),
        ("4r3/8/8/8/4K3/7k/8/4r3 w - - 0 1", "no last move"),
    ],
)
def test_bad_positions_are_refused_in_one_sentence(text: str, fault: str) -> None:
    with pytest.raises(NotationError, match=fault) as caught:
        GAME.read(text)
    assert str(caught.value).startswith(f"chess position {text!r}: ") and "\n" not in str(caught.value)


@settings(max_examples=300)
@given(st.text(max_size=40) | st.lists(st.sampled_from("rnbqkpRNBQKP12345678/ wb-eah36"), max_size=90).map("".join))
def test_no_text_breaks_the_reader(text: str) -> None:
    for reader in (GAME.read, lambda move: chess_notation.read_move(START, move)):
        try:
            reader(text)
        except NotationError as error:
            assert "chess" in str(error)


@settings(max_examples=300)
@given(st.integers(0, 60), st.sampled_from("rnbqkpRNBQKP12345678/ wb-"))
def test_no_slip_of_the_pen_breaks_the_reader(place: int, letter: str) -> None:
    text = KIWIPETE[:place] + letter + KIWIPETE[place + 1 :]
    try:
        position = GAME.read(text)
    except NotationError:
        return
    assert rules.count(position) == chess_notation.to_board(position).legal_moves.count()


@pytest.mark.parametrize("text", ["", "x", "e9", "Zf3", "0000", "--", "e2e4e5", "Nf3!?", "\x00"])
def test_bad_moves_are_refused(text: str) -> None:
    with pytest.raises(NotationError, match="chess move"):
        GAME.read_move(START, text)


def test_ambiguous_and_illegal_moves_are_told_apart() -> None:
    position = GAME.read("4k3/8/8/8/8/8/8/R3K2R w - - 0 1")
    with pytest.raises(NotationError, match="more than one piece"):
        GAME.read_move(GAME.read("4k3/8/8/8/8/8/K7/R6R w - - 0 1"), "Rd1")
    for illegal in ("Nf3", "e2e4", "Ra8x", "O-O"):
        with pytest.raises((IllegalMove, NotationError)):
            GAME.read_move(position, illegal)
    with pytest.raises(IllegalMove, match="Nf6"):
        GAME.read_move(START, "Nf6")
    with pytest.raises(IllegalMove):
        GAME.play(START, 0)


def test_boards_of_chess960_lose_their_rights() -> None:
    board = other.Board.from_chess960_pos(0)
    assert chess_notation.from_board(board).castling == 0


def test_one_size_and_no_switches() -> None:
    assert find_game("chess", (8, 8)).start() == START and GAME.size == (8, 8)
    assert GAME.conventions[:2] == (3, 600) and GAME.part_sizes == (64, 64, 5)
    with pytest.raises(BadOption, match="10x8"):
        find_game("chess", (10, 8))
    with pytest.raises(BadOption, match="no switches"):
        find_game("chess", None, {"castling": "off"})
    assert pickle.loads(pickle.dumps(GAME)).start() == START


def test_the_position_with_most_moves_fits() -> None:
    position = GAME.read("R6R/3Q4/1Q4Q1/4Q3/2Q4Q/Q4Q2/pp1Q4/kBNN1KB1 w - - 0 1")
    assert rules.count(position) == len(GAME.moves(position)) == 218 < chess.MOST_MOVES
