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


def taught(structure: str = "single", representation: str = "C", pairing: str = "pass") -> tuple[Pupil, dict[str, Any]]:
    options = PupilOptions(structure=structure, representation=representation, hidden=(8,), pairing=pairing)
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
    with pytest.raises(BadOption, match="depth and symmetries can be chosen, not best"):
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


@pytest.mark.parametrize("depth", [2, 3])
def test_looking_further_is_minimax_of_what_the_network_says(tmp_path: Path, depth: int) -> None:
    pupil, facts = taught()
    save_layers(tmp_path / "student.onnx", layers(pupil.sizes, pupil.network.weights), facts)
    player = make_player(f"student:{tmp_path},depth={depth}", SIX)
    alone = make_player(f"student:{tmp_path}", SIX)

    def worth(position: Any, plies: int) -> float:
        """Return what a position is worth to its mover."""
        if not SIX.moves(position):
            return 0.0
        if plies == 1:
            scores = alone.choose([position])[0].scores
            assert scores is not None
            return max(scores.values())
        return max(1 - worth(SIX.play(position, move), plies - 1) for move in SIX.moves(position))

    for position in random_positions(SIX, 40)[6::8]:
        choice = player.choose([position])[0]
        assert choice.scores is not None
        for move, score in choice.scores.items():
            assert score == pytest.approx(1 - worth(SIX.play(position, move), depth - 1), abs=1e-5)


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
    with pytest.raises(BadOption, match="depth must be from 1 to 6, not 9"):
        make_player(f"{single},depth=9", SIX)
