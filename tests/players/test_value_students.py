"""Students that value boards: from ONNX, from a snapshot, alone or in pairs; and what they refuse."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from understudy.errors import BadOption, FileError
from understudy.games import CompiledGame, find_game
from understudy.games.boards import SCRATCH, encode
from understudy.networks.files import save_layers
from understudy.players import make_player
from understudy.search.choosers import choose
from understudy.search.evaluators.sigmoid import layers
from understudy.tensors import save_arrays
from understudy.trainers.online.pupils import OnlineOptions, Pupil, PupilOptions

SIX = find_game("konane", (6, 6))


def taught(
    structure: str = "single", representation: str = "C", pairing: str = "pass", *, local: bool = False
) -> tuple[Pupil, dict[str, Any]]:
    options = PupilOptions(
        structure=structure, representation=representation, hidden=(8,), pairing=pairing, local=local
    )
    pupil = Pupil(SIX, options, OnlineOptions(games=200, snapshot=100, rate=0.1))
    pupil.learn_until(200)
    facts = {"game": "konane", "size": "6x6", "kind": structure, "representation": representation, "sizes": pupil.sizes}
    return pupil, facts


def random_positions(game: CompiledGame, count: int) -> list[Any]:
    rng, found = np.random.default_rng(5), []
    while len(found) < count:
        position = game.start()
        while moves := game.moves(position):
            found.append(position)
            position = game.play(position, moves[rng.integers(len(moves))])
    return found[:count]


@pytest.mark.parametrize("structure", ["single", "comparison"])
@pytest.mark.parametrize("representation", ["A", "B", "C", "D"])
def test_a_file_chooses_as_its_pupil_does(tmp_path: Path, structure: str, representation: str) -> None:
    pupil, facts = taught(structure, representation)
    save_layers(tmp_path / "student.onnx", layers(pupil.sizes, pupil.network.weights), facts)
    save_arrays(tmp_path / "x.safetensors", {"weights": pupil.network.weights}, facts)
    positions = random_positions(SIX, 120)
    expected = [SIX.moves(position)[choose_place(pupil, position)] for position in positions]
    for path in (tmp_path, tmp_path / "x.safetensors"):
        choices = make_player(f"student:{path}", SIX).choose(positions)
        same = sum(choice.move == move for choice, move in zip(choices, expected, strict=True))
        assert same >= 118  # two boards may be worth the same to the last digit but one


def test_a_file_compares_all_with_all_as_its_pupil_does(tmp_path: Path) -> None:
    """And as a plain sum does, which no order of the moves changes; the pass of the source chooses otherwise."""
    pupil, facts = taught("comparison", pairing="all")
    save_layers(tmp_path / "student.onnx", layers(pupil.sizes, pupil.network.weights), facts | {"pairing": "all"})
    save_layers(tmp_path / "pass.onnx", layers(pupil.sizes, pupil.network.weights), facts)
    player, passing = (make_player(f"student:{tmp_path / name}", SIX) for name in ("student.onnx", "pass.onnx"))
    positions = random_positions(SIX, 120)
    choices = player.choose(positions)
    expected = [SIX.moves(position)[choose_place(pupil, position)] for position in positions]
    assert sum(choice.move == move for choice, move in zip(choices, expected, strict=True)) >= 118
    assert any(choice.move != other.move for choice, other in zip(choices, passing.choose(positions), strict=True))
    position, choice = positions[40], choices[40]
    assert choice.scores is not None and choice.value is None and len(choice.scores) > 2
    for move, score in choice.scores.items():
        rivals = [rival for rival in SIX.moves(position) if rival != move]
        for_it, against = (
            sum(preferred(pupil, position, *(pair[::turn])) for pair in ((move, one) for one in rivals))
            for turn in (1, -1)
        )
        assert score == pytest.approx((for_it + len(rivals) - against) / 2 / len(rivals), abs=1e-5)
    thought = player.think(position)
    assert thought.moves[0].move == choice.move and "in the mean of both orders" in thought.note


def preferred(pupil: Pupil, position: Any, one: int, other: int) -> float:
    inputs = np.concatenate([shown(pupil, SIX.play(position, move)) for move in (one, other)])
    for weights, biases in layers(pupil.sizes, pupil.network.weights):
        inputs = 1 / (1 + np.exp(-(inputs @ weights + biases)))
    return float(inputs[0])


def shown(pupil: Pupil, position: Any) -> Any:
    out = np.zeros(pupil.sizes[0] // 2, np.float32)
    encode(pupil.network.representation, position, 1, np.zeros(SCRATCH, np.int32), out)
    return out


def choose_place(pupil: Pupil, position: Any) -> int:
    return int(_choose(pupil.student, position, pupil.room))


def _choose(student: Any, position: Any, room: Any) -> int:
    """Ask the chooser from Python: its kernel, looked up as compiled code does."""
    return choose(student, position, room)


def test_a_student_says_what_it_thinks(tmp_path: Path) -> None:
    pupil, facts = taught()
    save_layers(tmp_path / "student.onnx", layers(pupil.sizes, pupil.network.weights), facts)
    position = random_positions(SIX, 9)[-1]
    choice = make_player(f"student:{tmp_path}", SIX).choose([position])[0]
    assert choice.scores is not None and choice.value is not None
    assert set(choice.scores) == set(SIX.moves(position))
    assert choice.value == pytest.approx(2 * max(choice.scores.values()) - 1)


def test_symmetries_average_over_the_images_of_a_board(tmp_path: Path) -> None:
    """A turned position is then worth the same: every move as its image."""
    pupil, facts = taught()
    save_layers(tmp_path / "student.onnx", layers(pupil.sizes, pupil.network.weights), facts)
    player = make_player(f"student:{tmp_path},symmetries=true", SIX)
    for position in random_positions(SIX, 12)[2:]:
        scores = player.choose([position])[0].scores
        assert scores is not None
        for move, score in scores.items():
            for turned, image in SIX.symmetries(position, move):
                told = player.choose([turned])[0].scores
                assert told is not None and told[image] == pytest.approx(score, abs=1e-5)


def test_what_students_refuse(tmp_path: Path) -> None:
    pupil, facts = taught()
    save_layers(tmp_path / "student.onnx", layers(pupil.sizes, pupil.network.weights), facts)
    with pytest.raises(BadOption, match="has learned konane on 6x6, not on 8x8"):
        make_player(f"student:{tmp_path}", find_game("konane"))
    with pytest.raises(BadOption, match="has learned konane, not morris"):
        make_player(f"student:{tmp_path}", find_game("morris"))
    with pytest.raises(BadOption, match="depth, time, nodes and symmetries can be chosen, not best"):
        make_player(f"student:{tmp_path},best=3", SIX)
    with pytest.raises(BadOption, match="values boards"):
        make_player(f"hybrid:{tmp_path}", find_game("konane", (6, 6)))
    save_arrays(tmp_path / "x.safetensors", {"weights": pupil.network.weights}, {"game": "konane"})
    with pytest.raises(FileError, match="is no snapshot"):
        make_player(f"student:{tmp_path / 'x.safetensors'}", SIX)
    (tmp_path / "y.safetensors").write_bytes(b"nonsense")
    with pytest.raises(FileError, match="cannot read the student"):
        make_player(f"student:{tmp_path / 'y.safetensors'}", SIX)
    save_arrays(tmp_path / "z.safetensors", {"weights": pupil.network.weights}, {**facts, "game": "morris"})
    with pytest.raises(BadOption, match="has learned morris, not konane"):
        make_player(f"student:{tmp_path / 'z.safetensors'}", SIX)


def plain_worth(game: CompiledGame, alone: Any, position: Any, plies: int, *, by_rules: bool) -> float:
    """Return what a position is worth to its mover, by minimax of what a student says one ply ahead.

    *by_rules*: who leaves the other side without a move has won there, whatever the network says.
    """
    if not game.moves(position):
        return 0.0
    if plies > 1:
        after = [game.play(position, move) for move in game.moves(position)]
        return max(1 - plain_worth(game, alone, board, plies - 1, by_rules=by_rules) for board in after)
    scores = alone.choose([position])[0].scores
    won = {move: by_rules and not game.moves(game.play(position, move)) for move in scores}
    return max(1.0 if won[move] else score for move, score in scores.items())


@pytest.mark.parametrize(
    ("depth", "suffix", "local"), [(2, "onnx", False), (3, "onnx", False), (3, "safetensors", False), (2, "onnx", True)]
)
def test_looking_further_is_minimax_of_what_the_network_says(
    tmp_path: Path, depth: int, suffix: str, local: bool
) -> None:
    """Of a layer wired locally, too, which is one like others with weights of nothing, and a second layer above it."""
    pupil, facts = taught(representation="D", local=local)
    assert len(pupil.sizes) == (4 if local else 3)
    save_layers(tmp_path / "student.onnx", layers(pupil.sizes, pupil.network.weights), facts)
    save_arrays(tmp_path / "student.safetensors", {"weights": pupil.network.weights}, facts)
    student = f"student:{tmp_path / 'student'}.{suffix}"
    player, alone = make_player(f"{student},depth={depth}", SIX), make_player(student, SIX)
    for position in random_positions(SIX, 60)[2::6]:
        choice = player.choose([position])[0]
        best = plain_worth(SIX, alone, position, depth, by_rules=True)
        after = 1 - plain_worth(SIX, alone, SIX.play(position, choice.move), depth - 1, by_rules=True)
        assert choice.value == pytest.approx(2 * best - 1, abs=1e-5)
        assert after == pytest.approx(best, abs=1e-5)


def test_a_student_thinks_under_a_clock_and_within_nodes(tmp_path: Path) -> None:
    pupil, facts = taught(representation="D")
    save_layers(tmp_path / "student.onnx", layers(pupil.sizes, pupil.network.weights), facts)
    position = random_positions(SIX, 9)[-1]
    student, many = f"student:{tmp_path / 'student.onnx'}", make_player(f"student:{tmp_path},nodes=3000", SIX)
    thought = many.think(position)  # type: ignore[attr-defined]
    assert thought.depth is not None and thought.depth > 3 and thought.kind == "value"
    again = make_player(f"{student},depth={thought.depth}", SIX)
    assert many.choose([position])[0].value == pytest.approx(again.choose([position])[0].value, abs=0.2)
    for limits in ("time=0.01", "nodes=1", "time=5,depth=1"):
        choice = make_player(f"{student},{limits}", SIX).choose([position])[0]
        assert choice.move in SIX.moves(position)


@pytest.mark.parametrize(("name", "representation"), [("lines_of_action", "board"), ("morris", "features")])
def test_students_of_other_games_think_so_too(tmp_path: Path, name: str, representation: str) -> None:
    game = find_game(name)
    pupil = Pupil(game, PupilOptions(representation=representation, hidden=(8,)), OnlineOptions(games=1, snapshot=1))
    facts = {"game": name, "size": f"{game.size[0]}x{game.size[1]}", "kind": "single", "sizes": pupil.sizes}
    save_layers(tmp_path / "x.onnx", layers(pupil.sizes, pupil.network.weights),
                {**facts, "representation": representation})  # fmt: skip
    student = f"student:{tmp_path / 'x.onnx'}"
    player, alone = make_player(f"{student},depth=2", game), make_player(student, game)
    position = random_positions(game, 8)[-1]
    best = plain_worth(game, alone, position, 2, by_rules=False)
    assert player.choose([position])[0].value == pytest.approx(2 * best - 1, abs=1e-5)
    assert make_player(f"{student},nodes=500", game).choose([position])[0].move in game.moves(position)


def test_how_far_a_student_can_look(tmp_path: Path) -> None:
    for kind in ("comparison", "single"):
        pupil, facts = taught(kind)
        save_layers(tmp_path / f"student_{kind}.onnx", layers(pupil.sizes, pupil.network.weights), facts)
    with pytest.raises(
        BadOption, match="compares two boards one ply ahead and looks no further; depth cannot be chosen"
    ):
        make_player(f"student:{tmp_path / 'student_comparison.onnx'},depth=2", SIX)
    single = f"student:{tmp_path / 'student_single.onnx'}"
    with pytest.raises(BadOption, match="depth above 1 is for students that value one board at a time, without symm"):
        make_player(f"{single},symmetries=true,depth=2", SIX)
    with pytest.raises(BadOption, match="symmetries=true goes with one ply, not with time or nodes"):
        make_player(f"{single},symmetries=true,time=0.1", SIX)
    with pytest.raises(BadOption, match="depth must be from 1 to 48, not 49"):
        make_player(f"{single},depth=49", SIX)
    with pytest.raises(BadOption, match="has learned konane on 6x6, not on 8x8"):
        make_player(f"{single},time=0.1", find_game("konane"))


def test_a_network_that_fits_no_search_lists_all_boards(tmp_path: Path) -> None:
    """Elu units are none that run inside the search: the slow way says the same as plain minimax."""
    pupil, facts = taught()
    save_layers(tmp_path / "x.onnx", layers(pupil.sizes, pupil.network.weights), facts, units="Elu")
    student = f"student:{tmp_path / 'x.onnx'}"
    player, alone = make_player(f"{student},depth=2", SIX), make_player(student, SIX)
    for position in random_positions(SIX, 40)[6::8]:
        choice = player.choose([position])[0]
        assert choice.scores is not None
        for move, score in choice.scores.items():
            after = 1 - plain_worth(SIX, alone, SIX.play(position, move), 1, by_rules=False)
            assert score == pytest.approx(after, abs=1e-5)
    with pytest.raises(
        BadOption, match=r"x\.onnx,time=0\.1': its network is no row of layers .*: it has Elu where"
    ) as told:
        make_player(f"{student},time=0.1", SIX)
    assert str(told.value).endswith("it can be told a depth, not time or nodes")
    with pytest.raises(BadOption, match="depth must be from 1 to 6, not 7"):
        make_player(f"{student},depth=7", SIX)
