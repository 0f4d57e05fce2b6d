"""Students that vote: means of probabilities, place after place, and who cannot sit together."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from tests.conftest import random_line
from understudy.errors import UnderstudyError
from understudy.games import find_game
from understudy.games.batches import stacked
from understudy.networks import build_units
from understudy.networks.files import save_student
from understudy.networks.students import StudentOptions
from understudy.players import make_player

GAME = find_game("morris")
NETWORK = {"kind": "residual", "width": 20, "hidden": 20, "blocks": 1, "zero_start": False}


def save(folder: Path, name: str, order: str, seed: int) -> None:
    with torch.random.fork_rng():
        torch.manual_seed(seed)
        units = build_units(GAME, StudentOptions(order=order), dict.fromkeys(GAME.part_names, NETWORK))
    facts = {"game": "morris", "size": "7x7", "encoder": "rawest", "columns": 90, "order": order}
    save_student(folder, name, units, facts)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = tmp_path_factory.mktemp("council") / "run"
    place.mkdir()
    for seed in range(3):
        save(place, f"student_{seed}", "FTR", seed)
    save(place.parent, "other", "TFR", 9)
    return place


def boards() -> list[Any]:
    return [position for position, _ in random_line(GAME, 60, 2)]


def test_a_council_averages_probabilities_place_after_place(folder: Path) -> None:
    council: Any = make_player(f"council:{folder}", GAME)
    assert [Path(str(member.path)).name for member in council.members] == [f"student_{i}.onnx" for i in range(3)]
    batch = stacked(boards())
    scores, parts = council.score_parts(batch)
    given = np.full((len(boards()), 2), -1)
    for place, part in enumerate(council.order):
        told = np.mean([np.exp(member.score_parts(batch, given)[0][:, place]) for member in council.members], axis=0)
        assert np.allclose(np.exp(scores[:, place]), told, atol=1e-6)
        assert (told.argmax(axis=1) == parts[:, part]).all()
        if place < 2:
            given[:, place] = parts[:, part]
    settled = (parts[:, list(council.order[:2])] + 1) % 25
    assert not np.allclose(council.score_parts(batch, settled)[0][:, 2], scores[:, 2])


def test_many_of_one_mind_are_that_mind(folder: Path) -> None:
    one = folder / "student_1.onnx"
    alone, three = make_player(f"student:{one}", GAME), make_player(f"council:{one}+{one}+{one}", GAME)
    assert [a.move for a in alone.choose(boards())] == [b.move for b in three.choose(boards())]


def test_a_council_is_checked_and_thinks(folder: Path) -> None:
    council: Any = make_player(f"council:{folder},check=legal", GAME)
    for board, choice in zip(boards(), council.choose(boards()), strict=True):
        assert choice.move in GAME.moves(board)
    assert council.corrections.sum() > 0
    thought = council.think(boards()[3])
    assert thought.choice.move in GAME.moves(boards()[3])
    assert sum(one.number for one in thought.moves if one.legal) <= 1.0001
    turned: Any = make_player(f"council:{folder},symmetries=true", GAME)
    assert len(turned.choose(boards()[:2])) == 2


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("council", "students that vote must be from 2 to 100, not 0"),
        ("council:{folder}/student_0.onnx", "students that vote must be from 2 to 100, not 1"),
        ("council:{folder}/student_0.onnx+{folder}/../other.onnx", "decide in different orders"),
        ("council:{folder}/student_0.onnx+nowhere", "there is no student 'nowhere'"),
        ("council:morris+konane_imitator", "has learned konane, not morris"),
        ("council:{folder},check=maybe", "there are: none, legal, original"),
        ("council:{folder},depth=1", "'depth'"),
    ],
)
def test_who_cannot_sit_together_is_told_so(text: str, message: str, folder: Path) -> None:
    with pytest.raises(UnderstudyError) as caught:
        make_player(text.format(folder=folder), GAME)
    assert message in str(caught.value)
    assert "\n" not in str(caught.value)
