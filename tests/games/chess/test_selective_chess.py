"""The selective search: mates, zugzwang, draws inside the tree, limits, and exchanges of pieces."""

from __future__ import annotations

from typing import Any

import chess
import numpy as np
import pytest

from tests.conftest import random_line, run_interpreted
from understudy.errors import BadOption
from understudy.games import find_game, rules
from understudy.players import make_player
from understudy.players.looking import Limits, Opinion, outcome_value, repeating, search
from understudy.search.evaluators import find_evaluator
from understudy.search.workspace import WIN

GAME = find_game("chess")


def think(fen: str, nodes: int = 200_000, **settings: Any) -> tuple[str, Opinion]:
    position = GAME.read(fen)
    opinion = search(GAME, position, find_evaluator("chess", ""), limits=Limits(40, nodes=nodes), **settings)
    return GAME.write_move(position, opinion.move), opinion


MATES = [
    ("6k1/5ppp/8/8/8/8/8/R3K3 w Q - 0 1", 1),
    ("7k/8/8/8/8/8/R7/1R4K1 w - - 0 1", 2),
    ("kbK5/pp6/1P6/8/8/8/8/R7 w - - 0 1", 2),  # Ra6: Black has a bishop, but would like to pass
    ("r2qkb1r/pp2nppp/3p4/2pNN1B1/2BnP3/3P4/PPP2PPP/R2bK2R w KQkq - 1 1", 2),
    ("1rb4r/pkPp3p/1b1P3n/1Q6/N3Pp2/8/P1P3PP/7K w - - 1 1", 2),
    ("r5rk/5p1p/5R2/4B3/8/8/7P/7K w - - 0 1", 3),
    ("1r3r1k/5Bpp/8/8/P2qQ3/5R2/1b4PP/5K2 w - - 0 1", 3),
    ("r1b1kb1r/pppp1ppp/5q2/4n3/3KP3/2N3PN/PPP4P/R1BQ1B1R b kq - 0 1", 3),
    ("r3k2r/ppp2Npp/1b5n/4p2b/2B1P2q/BQP2P2/P5PP/RN5K w kq - 1 1", 3),
]


@pytest.mark.parametrize(("fen", "moves"), MATES)
def test_mates_are_found_and_counted_right(fen: str, moves: int) -> None:
    board = chess.Board(fen)
    line = []
    for left in range(2 * moves - 1, 0, -1):
        text, opinion = think(board.fen())
        assert opinion.value == (WIN - left if left % 2 else left - WIN)
        line.append(text)
        board.push_san(text)
    assert board.is_checkmate(), line


ZUGZWANGS = [
    ("8/8/8/4k3/4P3/4K3/8/8 b - - 0 1", 0),  # I must give way, but have the draw
    ("8/4k3/8/4K3/4P3/8/8/8 b - - 0 1", -1),  # the opposition: whoever moves gives way
    ("8/8/4k3/8/4K3/4P3/8/8 b - - 0 1", -1),
    ("4k3/4P3/3K4/8/8/8/8/8 b - - 0 1", -1),
    ("4k3/4P3/4K3/8/8/8/8/8 b - - 0 1", 0),  # stalemate, or the pawn is lost
    ("4k3/8/4K3/4P3/8/8/8/8 w - - 0 1", 1),
]


@pytest.mark.parametrize(("fen", "sign"), ZUGZWANGS)
def test_king_and_pawn_against_king(fen: str, sign: int) -> None:
    _, opinion = think(fen, 1_000_000)
    assert np.sign(opinion.value) == sign if sign == 0 else opinion.value * sign > 500


def test_a_line_that_repeats_is_a_draw() -> None:
    perpetual = "6k1/6p1/8/7Q/8/rr6/1q4PP/6K1 w - - 0 1"
    text, opinion = think(perpetual)
    assert (text, opinion.value) == ("Qe8+", 0.0)
    text, opinion = think(perpetual.replace("/6p1/", "/5bp1/"))  # the check is answered by Bxe8
    assert opinion.value < -500


def test_fifty_moves_are_a_draw_unless_it_is_mate() -> None:
    late = "8/8/8/8/8/1k6/7q/K7 b - - {} 90"
    assert think(late.format(10))[1].value == WIN - 1
    assert think(late.format(99))[1].value == WIN - 1
    assert think("8/8/8/4k3/8/8/7q/K7 b - - 99 90")[1].value == 0.0
    assert think("8/8/8/4k3/8/8/7q/K7 b - - 10 90")[1].value > 500


def test_want_of_material_is_a_draw() -> None:
    text, opinion = think("8/8/8/8/3k4/8/3p4/2B1K3 w - - 0 1")
    assert (text, opinion.value) == ("Bxd2", 0.0)


def test_drawn_positions_of_the_game_are_worth_nothing() -> None:
    position = GAME.read("7k/8/8/8/8/8/R7/1R4K1 w - - 0 1")
    mate = search(GAME, position, find_evaluator("chess", ""), limits=Limits(40, nodes=50_000)).move
    after = GAME.play(position, mate)
    again = search(
        GAME,
        position,
        find_evaluator("chess", ""),
        limits=Limits(40, nodes=50_000),
        drawn=repeating(GAME, [after, after]),
    )
    assert again.move != mate


def test_limits_are_kept_and_one_node_is_enough_for_a_move() -> None:
    for nodes in (1, 10, 1000, 20_000):
        opinion = search(GAME, GAME.start(), find_evaluator("chess", ""), limits=Limits(40, nodes=nodes))
        assert opinion.nodes <= nodes
        assert opinion.move in GAME.moves(GAME.start())


def test_it_sees_further_than_the_full_search_and_the_same_twice() -> None:
    fen = "r4rk1/1pp1qppp/p1np1n2/2b1p1B1/2B1P1b1/P1NP1N2/1PP1QPPP/R4RK1 w - - 0 10"
    first = think(fen, 100_000)
    assert first[1].depth > think(fen, 100_000, selective=False)[1].depth + 3
    think(MATES[0][0])
    assert think(fen, 100_000) == first


def test_depth_alone_is_searched_in_full_unless_told_otherwise() -> None:
    position = GAME.read("r4rk1/1pp1qppp/p1np1n2/2b1p1B1/2B1P1b1/P1NP1N2/1PP1QPPP/R4RK1 w - - 0 10")
    judge = find_evaluator("chess", "")
    full = search(GAME, position, judge, limits=Limits(4))
    assert full == search(GAME, position, judge, limits=Limits(4), selective=False)
    thin = search(GAME, position, judge, limits=Limits(4), selective=True)
    assert thin.depth == 4
    assert thin.nodes < full.nodes / 2
    choice = make_player("searcher:depth=4,selective=true", GAME).choose([position])[0]
    assert choice.value == outcome_value(thin.value, judge.scale)


def test_an_evaluator_without_quiescence_may_judge() -> None:
    opinion = search(GAME, GAME.start(), find_evaluator("chess", "material_static"), limits=Limits(40, nodes=5_000))
    assert opinion.depth > 2


def test_random_ties_give_different_moves() -> None:
    player = make_player("searcher:nodes=2000,evaluator=material,ties=random", GAME, seed=3)
    assert len({choice.move for choice in player.choose([GAME.start()] * 30)}) > 3


@pytest.mark.parametrize("text", ["searcher:selective=true,method=minimax,depth=2", "searcher:selective=true"])
def test_what_cannot_be_selective_says_so(text: str) -> None:
    game = GAME if "minimax" in text else find_game("morris")
    with pytest.raises(BadOption, match="selective"):
        make_player(text, game)


WORTH = {chess.PAWN: 100, chess.KNIGHT: 310, chess.BISHOP: 325, chess.ROOK: 500, chess.QUEEN: 950, chess.KING: 20_000}


def swapped(board: chess.Board, cell: int, side: bool) -> int:
    """Return what *side* wins by capturing on *cell* as long as it pays; pins are not seen."""
    prey = board.piece_type_at(cell)
    attackers = sorted(board.attackers(side, cell), key=lambda square: WORTH[board.piece_type_at(square)])
    if not attackers or prey is None:
        return 0
    hunter = board.remove_piece_at(attackers[0])
    if hunter.piece_type == chess.KING and board.attackers(not side, cell):
        return 0
    board.set_piece_at(cell, hunter)
    return max(0, WORTH[prey] - swapped(board, cell, not side))


def exchanged(board: chess.Board, move: chess.Move) -> int:
    """Return what *move* wins with the captures after it on its cell."""
    after, prey = board.copy(), board.piece_type_at(move.to_square)
    gain = WORTH[prey] if prey else 0
    if board.is_en_passant(move):
        gain = WORTH[chess.PAWN]
        after.remove_piece_at(move.to_square + (-8 if board.turn else 8))
    hunter = after.remove_piece_at(move.from_square)
    if move.promotion:
        gain += WORTH[move.promotion] - WORTH[chess.PAWN]
        hunter = chess.Piece(move.promotion, board.turn)
    after.set_piece_at(move.to_square, hunter)
    return gain - swapped(after, move.to_square, not board.turn)


def test_exchanges_are_those_of_a_plain_count() -> None:
    texts = [
        "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1",
        "n1n5/PPPk4/8/8/8/8/4Kppp/5N1N b - - 0 1",
    ]
    positions = [GAME.read(text) for text in texts]
    positions += [position for seed in range(12) for position, _ in random_line(GAME, 80, seed)[::5]]
    seen = 0
    for position in positions:
        board = chess.Board(GAME.write(position))
        for move in GAME.moves(position):
            real = board.parse_san(GAME.write_move(position, move))
            if board.is_castling(real):
                continue
            gain = exchanged(board, real)
            assert rules.exchange(position, move, gain), (board.fen(), real, gain)
            assert not rules.exchange(position, move, gain + 1), (board.fen(), real, gain)
            seen += 1
    assert seen > 3000


def test_dead_positions_are_those_of_the_match() -> None:
    texts = ("8/8/8/8/3k4/8/8/2B1K3 w - - 0 1", "8/8/8/8/3k4/8/8/2BBK3 w - - 0 1", "8/8/8/8/3k4/8/8/2NNK3 w - - 0 1")
    for text in (*texts, "8/8/4b3/8/3k4/8/8/2B1K3 w - - 0 1", "8/8/8/8/3k4/8/8/R3K3 w - - 100 90"):
        position = GAME.read(text)
        board = chess.Board(text)
        assert rules.lifeless(position) == (board.is_insufficient_material() or board.halfmove_clock >= 100)
    assert not rules.may_pass(GAME.read("8/8/8/4k3/4P3/4K3/8/8 b - - 0 1"))
    assert rules.may_pass(GAME.start())


def opinions() -> str:
    """Return what selective searches find, in one line."""
    results = []
    for fen in (MATES[1][0], "r1bqkbnr/pppp1ppp/2n5/4p3/4P3/5N2/PPPP1PPP/RNBQKB1R w KQkq - 2 3"):
        text, opinion = think(fen, 250)
        results.append((text, round(opinion.value, 4), opinion.nodes, opinion.depth))
    return repr(results)


def test_selective_searches_answer_alike_compiled_and_interpreted() -> None:
    assert run_interpreted("test_selective_chess", "opinions()") == opinions()
