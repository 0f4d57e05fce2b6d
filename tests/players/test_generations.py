"""Evolved students as they were: which champions of a run can be played, and what is said of those that cannot."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from understudy.cli import main
from understudy.errors import BadOption, FileError
from understudy.games import find_game
from understudy.players import make_player
from understudy.players.choosers import make_chooser
from understudy.players.evolved import save_evolved
from understudy.players.generations import list_generations
from understudy.search.evaluators.chromosome import NetworkOptions, make_plan
from understudy.tensors import save_arrays

GAME = find_game("lines_of_action", (5, 5))
NETWORK = NetworkOptions(inputs=("sides", "turn"), hidden=3)
LENGTH = make_plan(GAME, NETWORK).length
FACTS = {"game": "lines_of_action", "size": "5x5", "depth": 2}


def alleles(seed: int) -> Any:
    return np.random.default_rng(seed).normal(0, 1, LENGTH)


@pytest.fixture
def run(tmp_path: Path) -> Path:
    """A run folder of two students, with some generations of each."""
    for student, generations in {"thesis": (0, 30), "steady": (0, 1, 30, 123456)}.items():
        for generation in generations:
            path = tmp_path / "epochs" / f"{student}_{generation:05}.safetensors"
            path.parent.mkdir(exist_ok=True)
            save_evolved(path, alleles(generation), network=NETWORK, facts=FACTS | {"name": student})
    return tmp_path


def finish(run: Path, best: str) -> None:
    save_evolved(run / "student.safetensors", alleles(99), network=NETWORK, facts=FACTS | {"name": best})


def test_what_a_run_has_kept(run: Path, tmp_path: Path) -> None:
    (run / "epochs" / "steady_x.safetensors").write_bytes(b"")
    assert list_generations(run) == {"steady": [0, 1, 30, 123456], "thesis": [0, 30]}
    assert list_generations(tmp_path / "nowhere") == {}


@pytest.mark.parametrize("generation", [0, 1, 30, 123456])
def test_the_champion_of_a_generation_plays(run: Path, generation: int) -> None:
    text = f"student:{run},order=steady,generation={generation}"
    alone = make_player(f"student:{run}/epochs/steady_{generation:05}.safetensors", GAME)
    positions = [GAME.start(), *(GAME.play(GAME.start(), move) for move in GAME.moves(GAME.start()))]
    assert make_player(text, GAME).choose(positions) == alone.choose(positions)
    assert make_player(text + ",depth=1", GAME).choose(positions)


def test_generations_differ(run: Path) -> None:
    finish(run, "steady")
    players = [f"student:{run}", *(f"student:{run},generation={generation}" for generation in (0, 1, 30))]
    values = [make_player(player, GAME).choose([GAME.start()])[0].value for player in players]
    assert len(set(values)) == len(values)


def test_without_an_order_it_is_the_student_that_the_run_is_known_for(run: Path) -> None:
    with pytest.raises(BadOption, match="say order=NAME, since the run has several students: steady, thesis"):
        make_player(f"student:{run},generation=30", GAME)
    finish(run, "steady")
    assert make_player(f"student:{run},generation=1", GAME)
    finish(run, "thesis")
    with pytest.raises(BadOption, match=r"generation 1 of thesis was not kept; there are: 0, 30$"):
        make_player(f"student:{run},generation=1", GAME)


def test_what_is_refused(run: Path, tmp_path: Path) -> None:
    with pytest.raises(BadOption, match=r"generation 2 of steady was not kept; there are: 0, 1, 30, 123456$"):
        make_player(f"student:{run},order=steady,generation=2", GAME)
    with pytest.raises(BadOption, match="the run has no generations of 'other'; there are: steady, thesis"):
        make_player(f"student:{run},order=other,generation=0", GAME)
    (tmp_path / "empty").mkdir()
    with pytest.raises(BadOption, match=r"generation=3 is for run folders of an evolution; '.*empty' has none"):
        make_player(f"student:{tmp_path / 'empty'},generation=3", GAME)
    with pytest.raises(BadOption, match="is one file; generation=3 chooses among those that a run folder has kept"):
        make_player("student:lines_of_action,generation=3", find_game("lines_of_action"))
    with pytest.raises(BadOption, match="can be chosen, not generation"):
        make_player("student:morris,generation=3", find_game("morris"))
    with pytest.raises(BadOption, match=r"generation: .*whole number|generation must be a whole number, not 'x'"):
        make_player(f"student:{run},generation=x", GAME)


def test_generations_of_before_do_not_say_how_to_be_read(run: Path) -> None:
    path = run / "epochs" / "steady_00007.safetensors"
    save_arrays(path, {"weights": np.zeros((2, LENGTH))}, {"student": "steady", "generation": 7})
    with pytest.raises(FileError, match="is of an older version, which kept no champion in it"):
        make_player(f"student:{run},order=steady,generation=7", GAME)


def test_inside_kernels_it_is_refused_rather_than_ignored(run: Path) -> None:
    finish(run, "steady")
    with pytest.raises(BadOption, match="not generation"):
        make_chooser(f"student:{run},generation=30", GAME)


def test_in_the_terminal(run: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    player = f"student:{run},order=steady,generation=4"
    monkeypatch.setattr(sys, "argv", ["understudy", "think", "lines_of_action", player, "--size", "5"])
    with pytest.raises(SystemExit) as ended:
        main()
    assert ended.value.code == 2
    assert "there are: 0, 1, 30, 123456" in capsys.readouterr().err
