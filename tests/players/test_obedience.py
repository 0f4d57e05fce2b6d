"""Options that a student cannot obey are refused by name, whatever kind of student it is."""

from __future__ import annotations

from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pytest

from tests.games.chess.test_students_chess import facts_of, random_network
from understudy.errors import BadOption
from understudy.games import find_game
from understudy.games.chess.inputs.planes import ChessInputs
from understudy.games.chess.learning.labels import save_board_student
from understudy.networks.files import save_layers
from understudy.players import make_player
from understudy.search.evaluators.sigmoid import layers, weight_count
from understudy.tensors import save_arrays

FOUR = find_game("konane", (4, 4))
GIVEN = {
    "check": "legal", "order": "TFR", "best": "3", "depth": "2", "time": "0.1", "nodes": "10", "quiescence": "true",
    "symmetries": "true", "generation": "5", "remember": "false", "classes": "likeliest",
}  # fmt: skip
"""Every option of a student with a value that is not its default; generations and orders are of run folders alone."""


class Kind(NamedTuple):
    """A student, and what it obeys; it is one file, so there is no order to choose."""

    student: str
    game: Any
    obeys: tuple[str, ...]


KINDS = {
    "part by part": Kind("morris", find_game("morris"), ("check", "best", "symmetries")),
    "part by part, with worths": Kind(
        "morris_worths", find_game("morris"), ("check", "best", "symmetries", "remember")
    ),
    "values": Kind("konane_4", FOUR, ("depth", "time", "nodes", "symmetries")),
    "snapshot": Kind("{}/single.safetensors", FOUR, ("depth", "time", "nodes", "symmetries")),
    "comparison": Kind("{}/comparison.onnx", FOUR, ()),
    "snapshot of a comparison": Kind("{}/comparison.safetensors", FOUR, ()),
    "boards": Kind("{}/boards.onnx", find_game("chess"), ("classes",)),
    "evolved": Kind("lines_of_action", find_game("lines_of_action"), ("depth", "time", "nodes")),
    "standings": Kind("chess", find_game("chess"), ("depth", "time", "nodes", "quiescence")),
}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = tmp_path_factory.mktemp("students")
    for kind, inputs in (("single", 32), ("comparison", 64)):
        sizes = [inputs, 4, 1]
        facts = {"game": "konane", "size": "4x4", "kind": kind, "representation": "C", "sizes": sizes}
        weights = np.full(weight_count(sizes), 0.1, np.float32)
        save_layers(place / f"{kind}.onnx", layers(sizes, weights), facts)
        save_arrays(place / f"{kind}.safetensors", {"weights": weights}, facts)
    save_board_student(
        place / "boards.onnx", random_network(3), facts_of("1", ChessInputs()), planes=12, outputs=3
    )  # fmt: skip
    return place


@pytest.mark.parametrize("option", GIVEN)
@pytest.mark.parametrize("kind", KINDS.values(), ids=KINDS)
def test_a_student_obeys_an_option_or_refuses_it_by_name(kind: Kind, option: str, folder: Path) -> None:
    text = f"student:{kind.student.format(folder)},{option}={GIVEN[option]}"
    if option in kind.obeys:
        assert make_player(text, kind.game).name == text
        return
    with pytest.raises(BadOption, match=rf"\b{option}\b[^']*$") as told:
        make_player(text, kind.game)
    assert "\n" not in str(told.value) and kind.student.format(folder) in str(told.value)


@pytest.mark.parametrize("kind", KINDS.values(), ids=KINDS)
def test_an_option_at_its_default_is_no_request(kind: Kind, folder: Path) -> None:
    text = f"student:{kind.student.format(folder)},check=none,best=1,symmetries=false"
    assert make_player(text, kind.game).name == text


def test_who_never_looks_further_may_be_told_so(folder: Path) -> None:
    for kind in (KINDS["comparison"], KINDS["snapshot of a comparison"], KINDS["boards"]):
        assert make_player(f"student:{kind.student.format(folder)},depth=1", kind.game)


def test_a_student_says_what_it_obeys() -> None:
    with pytest.raises(BadOption) as told:
        make_player("student:konane_4,best=2", FOUR)
    assert str(told.value) == (
        "player 'student:konane_4,best=2' values one board at a time; "
        "depth, time, nodes and symmetries can be chosen, not best"
    )


@pytest.mark.parametrize("player", ["student", "hybrid"])
def test_an_order_is_for_run_folders(player: str) -> None:
    with pytest.raises(BadOption, match="'morris' is one file; order=TFR chooses among the students of a run folder"):
        make_player(f"{player}:morris,order=TFR", find_game("morris"))


@pytest.mark.parametrize("text", ["searcher:hidden=5", "searcher:evaluator=perceptron,weights=x,hidden=5"])
def test_hidden_units_are_for_random_perceptrons(text: str) -> None:
    with pytest.raises(BadOption, match="hidden=5 goes with evaluator=perceptron without weights"):
        make_player(text, FOUR)
