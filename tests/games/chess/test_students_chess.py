"""Students that learned labels, as players: what the rules decide is never asked, whoever's eyes they have."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from torch import nn

from tests.conftest import random_line
from tests.games.chess.test_standing_chess import network as standings_network
from tests.games.chess.test_standing_chess import saved as standing_saved
from understudy.errors import BadOption, FileError, UnderstudyError, UnknownName
from understudy.games import find_game
from understudy.games.batches import stacked
from understudy.games.chess.datasets import CLIP, find_dataset, pawns_of
from understudy.games.chess.evaluators import Standing
from understudy.games.chess.inputs.planes import ChessInputs, encode
from understudy.games.chess.learning.labels import save_board_student
from understudy.games.chess.learning.networks import BoardNetworkOptions, make_network
from understudy.games.chess.players.students import MATE, BoardStudent
from understudy.players import make_player
from understudy.players.searcher import Searcher
from understudy.search.evaluators import Quiescent

CHESS = find_game("chess")
WORTHS = (1.0, 3.0, 3.0, 5.0, 9.0, 0.0)
WHITE = ChessInputs(perspective="white", side=True)


def facts_of(dataset: str, inputs: ChessInputs) -> dict[str, Any]:
    return {"game": "chess", "size": "8x8", "kind": "labels", "inputs": vars(inputs), "dataset": dataset}


def counting(inputs: ChessInputs = ChessInputs(), *, factor: float = 1 / 1.6, bias: float = 0.0) -> nn.Module:
    """Return a network that counts material: pieces of the other side stand in their planes as -1."""
    layer = nn.Linear(inputs.planes * 64, 1)
    with torch.no_grad():
        layer.weight.zero_()
        for kind, worth in enumerate(WORTHS):
            for plane in (kind, kind + 6):
                layer.weight[0, plane * 64 : plane * 64 + 64] = worth * factor
        layer.bias.fill_(bias)
    return nn.Sequential(nn.Flatten(), layer)


def random_network(outputs: int = 1, inputs: ChessInputs = ChessInputs(), seed: int = 0) -> nn.Module:
    with torch.random.fork_rng():
        torch.manual_seed(seed)
        return make_network(BoardNetworkOptions(hidden=(32, 16)), planes=inputs.planes, outputs=outputs)


def student(
    folder: Path, network: nn.Module, *, dataset: str = "win", inputs: ChessInputs = ChessInputs(), **options: Any
) -> Any:
    path = folder / f"student_{len(list(folder.iterdir()))}.onnx"
    outputs = find_dataset(dataset).outputs
    save_board_student(path, network, facts_of(dataset, inputs), planes=inputs.planes, outputs=outputs)
    settings = "".join(f",{key}={value}" for key, value in options.items())
    return make_player(f"student:{path}{settings}", CHESS)


def standing_student(folder: Path, **options: Any) -> Any:
    settings = "".join(f",{key}={value}" for key, value in options.items())
    return make_player(f"student:{standing_saved(folder, standings_network())}{settings}", CHESS)


def both(folder: Path) -> list[Any]:
    """Return a student of each sort."""
    return [student(folder, random_network()), standing_student(folder)]


def chosen(player: Any, fen: str, history: Sequence[Any] = ()) -> str:
    position = CHESS.read(fen)
    return str(CHESS.write_move(position, player.choose([position], [history])[0].move))


def some_positions(count: int = 60) -> list[Any]:
    lines = [random_line(CHESS, 120, seed)[seed::5] for seed in range(6)]
    return [position for line in lines for position, _ in line if CHESS.moves(position)][:count]


@pytest.mark.parametrize(
    ("fen", "mates"),
    [
        ("6k1/5ppp/8/8/8/8/5PPP/R5K1 w - - 0 1", {"Ra8#"}),
        ("r5k1/5ppp/8/8/8/8/5PPP/6K1 b - - 0 1", {"Ra1#"}),
        ("7k/8/6QK/8/8/8/8/8 w - - 99 90", {"Qg7#", "Qe8#"}),  # a mate on the very last ply counts
    ],
)
def test_a_mate_is_taken(fen: str, mates: set[str], tmp_path: Path) -> None:
    for player in both(tmp_path):
        assert chosen(player, fen) in mates


def test_a_mate_is_worth_more_than_any_number(tmp_path: Path) -> None:
    """A network of data set 4 may say more than 1; that is no more than a mate."""
    boasting = student(tmp_path, counting(factor=100.0), dataset="4")
    position = CHESS.read("6k1/5ppp/8/8/8/q7/5PPP/R5K1 w - - 0 1")
    choice = boasting.choose([position])[0]
    assert CHESS.write_move(position, choice.move) == "Rxa3"
    assert choice.scores is not None and max(choice.scores.values()) == CLIP < MATE
    assert chosen(boasting, "6k1/5ppp/8/8/8/8/q4PPP/3R2K1 w - - 0 1") == "Rd8#"


def test_stalemate_is_avoided_when_winning_and_taken_when_losing(tmp_path: Path) -> None:
    counter = student(tmp_path, counting())
    winning = CHESS.read("k7/8/8/2Q5/8/8/8/6K1 w - - 0 1")
    choice = counter.choose([winning])[0]
    stale = CHESS.read_move(winning, "Qb6")
    assert choice.scores is not None and choice.scores[stale] == 0 and choice.move != stale and choice.value > 0.9
    assert chosen(counter, "7k/5qp1/8/8/8/8/5Q2/7K b - - 0 1") != "Qxf2"  # takes, and nobody can move: a draw
    losing = CHESS.read("k7/p2K3p/P6p/7P/8/8/8/8 w - - 0 1")  # a pawn behind, but Black's pawns cannot move
    choice = counter.choose([losing])[0]
    assert CHESS.write_move(losing, choice.move) in ("Kc7", "Kc8") and choice.value == 0
    assert min(choice.scores.values()) == pytest.approx(-1.0, abs=1e-5)


def test_too_few_pieces_are_a_draw(tmp_path: Path) -> None:
    """A knight ahead is worth nothing once the last pawn is gone."""
    counter = student(tmp_path, counting())
    position = CHESS.read("8/8/8/8/3k4/8/2p5/K1N5 w - - 0 1")
    choice = counter.choose([CHESS.read("8/8/8/8/3k4/8/1p6/K1N5 w - - 0 1")])[0]
    assert choice.scores is not None and 0.0 in choice.scores.values()
    assert all(value > 0 for value in counter.choose([position])[0].scores.values())


REPEATED = "6k1/5pp1/7p/8/8/8/5PPP/3Q2K1 w - - 0 1"


def history_of(player_moves: str) -> tuple[list[Any], Any]:
    position = CHESS.read(REPEATED)
    line = [position]
    for move in player_moves.split():
        position = CHESS.play(position, CHESS.read_move(position, move))
        line.append(position)
    return line[:-1], position


@pytest.mark.parametrize("moves", ["Qd2 Kf8 Qd1 Kg8", "Qd2 Kf8 Qd1 Kg8 Qd2 Kf8 Qd1 Kg8"])
def test_what_was_there_before_is_a_draw(moves: str, tmp_path: Path) -> None:
    """Once is enough: the other side's next move could bring a position back for the third time."""
    past, position = history_of(moves)
    again = CHESS.read_move(position, "Qd2")
    counter = student(tmp_path, counting())
    alone, choice = counter.choose([position])[0], counter.choose([position], [past])[0]
    assert alone.scores[again] > 8 and choice.scores[again] == 0 and choice.move != again


def test_a_standings_student_sees_repetition(tmp_path: Path) -> None:
    """Whoever thinks that all is well avoids a draw; whoever thinks that all is lost makes for it."""
    start = CHESS.read(REPEATED)
    for bias, well in ((-5.0, True), (5.0, False)):  # what the other side, to move after us, is said to have
        network = standings_network()
        with torch.no_grad():
            for head in network.heads:
                head[-1].bias.fill_(bias)
        player: Any = make_player(f"student:{standing_saved(tmp_path, network)}", CHESS)
        liked = player.choose([start])[0]
        moves = CHESS.moves(start)
        drawing = liked.move if well else next(move for move in moves if move != liked.move)
        after = CHESS.play(start, drawing)
        choice = player.choose([start], [[after]])[0]
        assert (liked.value > 0) == well
        assert choice.move != drawing and choice.value > 0 if well else choice.move == drawing and choice.value == 0


def test_the_fifty_move_rule(tmp_path: Path) -> None:
    """With 99 plies on the clock a quiet move draws; a pawn's move, though it loses a queen, goes on winning."""
    fen = "7k/8/8/8/8/8/P7/K2Q4 w - - 99 120"
    counter = student(tmp_path, counting())
    position = CHESS.read(fen)
    choice = counter.choose([position])[0]
    quiet = CHESS.read_move(position, "Qd5")
    assert choice.scores is not None and choice.scores[quiet] == 0
    assert chosen(counter, fen) in ("a3", "a4")
    earlier = counter.choose([CHESS.read(fen.replace("99", "98"))])[0]
    assert earlier.scores is not None and earlier.scores[quiet] > 9
    standing = standing_student(tmp_path)
    pawns = {CHESS.read_move(position, text) for text in ("a3", "a4")}
    alone = standing.choose([position])[0]
    assert (alone.move in pawns) == (alone.value != 0.0)


def test_white_and_mover_agree_where_a_network_is_symmetric(tmp_path: Path) -> None:
    one = student(tmp_path, counting())
    other = student(tmp_path, counting(WHITE), inputs=WHITE)
    positions = some_positions()
    assert {position.ply % 2 for position in positions} == {0, 1}
    for mine, whites in zip(one.choose(positions), other.choose(positions), strict=True):
        assert mine.scores == pytest.approx(whites.scores)
        assert mine.value == pytest.approx(whites.value)


def test_a_network_with_whites_eyes_speaks_for_white(tmp_path: Path) -> None:
    """It likes what White has, whoever moves: Black takes the queen, White takes the rook."""
    player = student(tmp_path, counting(WHITE), inputs=WHITE)
    assert chosen(player, "3k4/8/8/3r4/8/8/3Q4/4K3 b - - 0 1") == "Rxd2"
    assert chosen(player, "3k4/8/8/3r4/8/8/3Q4/4K3 w - - 0 1") == "Qxd5+"


def test_values_are_those_of_the_network(tmp_path: Path) -> None:
    network = random_network(seed=5)
    player = student(tmp_path, network)
    for position in some_positions(12):
        moves = CHESS.moves(position)
        after = [CHESS.play(position, move) for move in moves]
        with torch.no_grad():
            outputs = network.eval()(torch.from_numpy(encode(stacked(after), ChessInputs())).float()).numpy()
        expected = -pawns_of(find_dataset("win"), outputs)
        choice = player.choose([position])[0]
        for move, board, value in zip(moves, after, expected.tolist(), strict=True):
            if CHESS.outcome(board) is None and CHESS.drawn(board) is None:
                assert choice.scores[move] == pytest.approx(value, abs=1e-4)
        assert choice.scores[choice.move] == max(choice.scores.values())
        assert choice.value == pytest.approx(np.tanh(max(choice.scores.values()) / 3.2))


@pytest.mark.parametrize("dataset", ["1", "2", "3"])
def test_classes_play_by_their_expected_worth(dataset: str, tmp_path: Path) -> None:
    outputs = find_dataset(dataset).outputs
    network = random_network(outputs, seed=2)
    player = student(tmp_path, network, dataset=dataset)
    position = some_positions()[20]
    moves = CHESS.moves(position)
    boards = torch.from_numpy(encode(stacked([CHESS.play(position, move) for move in moves]), ChessInputs())).float()
    with torch.no_grad():
        chances = network.eval()(boards).softmax(dim=1).numpy()
    expected = -(chances @ np.array(find_dataset(dataset).worth))
    choice = player.choose([position])[0]
    assert choice.move == moves[int(expected.argmax())]
    assert [choice.scores[move] for move in moves] == pytest.approx(expected.tolist(), abs=1e-4)


def test_a_batch_chooses_as_one_by_one(tmp_path: Path) -> None:
    positions = some_positions()
    for player in both(tmp_path):
        together = player.choose(positions)
        for position, choice in zip(positions, together, strict=True):
            alone = player.choose([position])[0]
            assert alone.value == pytest.approx(choice.value, abs=1e-5)
            assert alone.move == choice.move or choice.scores[alone.move] == pytest.approx(choice.scores[choice.move])


def test_of_equals_one_by_chance(tmp_path: Path) -> None:
    path = tmp_path / "equal.onnx"
    save_board_student(path, counting(), facts_of("win", ChessInputs()), planes=12, outputs=1)
    start = CHESS.start()
    first_moves = {make_player(f"student:{path}", CHESS, seed=seed).choose([start])[0].move for seed in range(12)}
    again = [make_player(f"student:{path}", CHESS, seed=3).choose([start])[0].move for _ in range(2)]
    assert len(first_moves) > 5 and len(set(again)) == 1


def test_a_standings_student_looks_one_ply_unless_told(tmp_path: Path) -> None:
    plain = standing_student(tmp_path)
    assert isinstance(plain, Searcher) and isinstance(plain.evaluator, Standing) and plain.limits.depth == 1
    deeper = standing_student(tmp_path, depth=2)
    assert isinstance(deeper.evaluator, Quiescent) and deeper.limits.depth == 2
    assert isinstance(standing_student(tmp_path, depth=2, quiescence="false").evaluator, Standing)
    assert isinstance(standing_student(tmp_path, quiescence="true").evaluator, Quiescent)
    assert isinstance(standing_student(tmp_path, nodes=500).evaluator, Quiescent)
    start = CHESS.start()
    assert deeper.choose([start])[0].move in CHESS.moves(start)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"depth": 2}, "looks one ply ahead and no further; classes can be chosen, not depth"),
        ({"time": 0.1}, "classes can be chosen, not time"),
        ({"nodes": 10}, "classes can be chosen, not nodes"),
        ({"quiescence": "true"}, "classes can be chosen, not quiescence"),
        ({"symmetries": "true"}, "classes can be chosen, not symmetries"),
        ({"check": "legal"}, "classes can be chosen, not check"),
        ({"best": 3}, "classes can be chosen, not best"),
    ],
)
def test_options_that_mean_nothing_to_one_ply(options: dict[str, Any], message: str, tmp_path: Path) -> None:
    with pytest.raises(BadOption, match=message) as caught:
        student(tmp_path, random_network(), **options)
    assert "\n" not in str(caught.value)
    assert isinstance(student(tmp_path, random_network(), depth=1), BoardStudent)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"best": 2}, "depth, time, nodes and quiescence can be chosen, not best"),
        ({"symmetries": "true"}, "not symmetries"),
        ({"check": "legal"}, "not check"),
        ({"depth": 0}, "depth must be from 1"),
    ],
)
def test_options_that_mean_nothing_to_standings(options: dict[str, Any], message: str, tmp_path: Path) -> None:
    with pytest.raises(BadOption, match=message):
        standing_student(tmp_path, **options)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"game": "morris"}, "has learned morris, not chess"),
        ({"size": "6x6"}, "on 6x6, not on 8x8"),
        ({"dataset": "9"}, "no data set '9'"),
        ({"dataset": None}, "no data set 'None'"),
        ({"dataset": "1"}, r"its network goes from \[12, 8, 8\] to \[1\], its facts say from \[12, 8, 8\] to \[3\]"),
        ({"inputs": {"kind": "features"}}, r"its facts say from \[16, 8, 8\]"),
        ({"inputs": {"kind": "pictures"}}, "no kind of chess inputs 'pictures'"),
        ({"inputs": {"colour": 1}}, "no option of the student"),
    ],
)
def test_files_that_contradict_themselves(change: dict[str, Any], message: str, tmp_path: Path) -> None:
    path = tmp_path / "odd.onnx"
    save_board_student(path, random_network(), {**facts_of("win", ChessInputs()), **change}, planes=12, outputs=1)
    with pytest.raises(UnderstudyError, match=message) as caught:
        make_player(f"student:{path}", CHESS)
    assert "\n" not in str(caught.value)


def test_files_that_are_none(tmp_path: Path) -> None:
    path = tmp_path / "broken.onnx"
    path.write_bytes(b"nonsense")
    with pytest.raises(FileError, match="cannot read the student"):
        make_player(f"student:{path}", CHESS)
    with pytest.raises(FileError, match="there is no student"):
        make_player(f"student:{tmp_path / 'missing.onnx'}", CHESS)


def test_the_likeliest_class_chooses_and_equals_are_drawn_by_chance(tmp_path: Path) -> None:
    """As in the thesis's programs: the mean tells moves apart that one class holds, the likeliest class does not."""
    network = random_network(3)
    alone = student(tmp_path, network, dataset="1", classes="likeliest")
    mean = student(tmp_path, network, dataset="1")
    scores = alone.choose([CHESS.start()])[0].scores
    assert scores is not None and set(scores.values()) <= set(find_dataset("1").worth)
    assert len(set(mean.choose([CHESS.start()])[0].scores.values())) > 3
    best = {move for move, value in scores.items() if value == max(scores.values())}
    assert {alone.choose([CHESS.start()])[0].move for _ in range(60)} <= best
    with pytest.raises(UnknownName, match="classes 'most'"):
        student(tmp_path, network, dataset="1", classes="most")
    with pytest.raises(BadOption, match="learned a number, not classes"):
        student(tmp_path, random_network(), classes="likeliest")


def test_a_student_of_a_histogram_plays_by_its_mean(tmp_path: Path) -> None:
    network, dataset = random_network(32), find_dataset("4", 32)
    path = tmp_path / "binned.onnx"
    save_board_student(path, network, facts_of("4", ChessInputs()) | {"bins": 32}, planes=12, outputs=32)
    player: Any = make_player(f"student:{path}", CHESS)
    position = CHESS.read("6k1/5ppp/8/3q4/8/2N5/5PPP/6K1 w - - 0 1")
    scores = player.choose([position])[0].scores
    taken = CHESS.play(position, CHESS.read_move(position, "Nxd5"))
    with torch.no_grad():
        said = network.eval()(torch.from_numpy(encode(stacked([taken]), ChessInputs())).float()).numpy()
    assert scores[CHESS.read_move(position, "Nxd5")] == pytest.approx(-float(pawns_of(dataset, said)[0]), abs=1e-4)
    save_board_student(path, network, facts_of("4", ChessInputs()) | {"bins": 16}, planes=12, outputs=32)
    with pytest.raises(FileError, match="its facts say"):
        make_player(f"student:{path}", CHESS)
