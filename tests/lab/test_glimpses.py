"""Glimpses: the same training with and without them, no moment seen twice or missed, and what they say."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from safetensors.numpy import load_file

from tests.tiny import EVOLUTION, changed, tiny
from understudy import lab
from understudy.games import CompiledGame
from understudy.lab.experiments import make_experiment
from understudy.lab.glimpses import COUNT, GLIMPSES, SCENES, Glimpses, draw_random, read_rows
from understudy.lab.run import Progress, Run
from understudy.players import make_player
from understudy.records.examples import orbit_names, split_examples
from understudy.records.store import load


class Stopped(Exception):
    """Somebody pulled the plug."""


def small(**changes: Any) -> Any:
    return tiny("imitation", **({"judging__games": 0, "judging__states": "", "network__dropout": 0.3} | changes))


@pytest.fixture(scope="module")
def seen(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("seen") / "run"
    lab.train(small(), folder)
    return folder


def copy_records(origin: Path, folder: Path) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    for path in origin.glob("records*"):
        (folder / path.name).write_bytes(path.read_bytes())
    return folder


def moments(folder: Path) -> list[tuple[str, str, int]]:
    return [(row["student"], row.get("network", ""), row["at"]) for row in read_rows(folder)]


EXPECTED = [("FTR", "whole", at) for at in range(3)] + [
    ("TFR", network, at) for network in ("to", "from", "remove") for at in range(3)
]


def test_a_glimpse_is_taken_before_learning_and_after_each_epoch(seen: Path) -> None:
    assert moments(seen) == EXPECTED
    scenes = json.loads((seen / SCENES).read_text())
    assert {student: len(shown) for student, shown in scenes.items()} == {"FTR": COUNT, "TFR": COUNT}
    for row in read_rows(seen):
        assert len(row["choices"]) == COUNT and row["axis"] == "epoch"
        assert 0 <= row["right"] <= row["legal"] <= 1 and row["sample"] > 10


def test_scenes_are_held_out_and_of_every_shape(seen: Path) -> None:
    scenes, game = json.loads((seen / SCENES).read_text())["FTR"], small().game
    records = load(seen / "records.parquet")
    held_out = set(orbit_names(game, split_examples(records, split="orbit", seed=0)["test"].positions).tolist())
    learned = set(orbit_names(game, split_examples(records, split="orbit", seed=0)["train"].positions).tolist())
    from understudy.games.batches import stacked

    names = orbit_names(game, stacked([game.read(scene["position"]) for scene in scenes])).tolist()
    assert set(names) <= held_out and not set(names) & learned
    assert {("to",), ("to", "from"), ("to", "remove")} <= {tuple(scene["parts"]) for scene in scenes}
    for scene in scenes:
        position = game.read(scene["position"])
        assert game.read_move(position, scene["teacher"]) in game.moves(position)


def test_what_a_glimpse_says_agrees_with_the_student(seen: Path, tmp_path: Path) -> None:
    """The last epoch is the best here or not; a student made of one epoch alone is that epoch."""
    folder = copy_records(seen, tmp_path / "run")
    experiment = small(training__epochs=1)
    lab.train(experiment, folder)
    student: Any = make_player(f"student:{folder},order=FTR", experiment.game)
    row = next(row for row in read_rows(folder) if row["student"] == "FTR" and row["at"] == 1)
    for scene, choice in zip(json.loads((folder / SCENES).read_text())["FTR"], row["choices"], strict=True):
        position = experiment.game.read(scene["position"])
        thought = student.think(position)
        assert thought.write(thought.choice.move) == choice["move"] and thought.legal == choice["legal"]
        for part, written in zip(thought.parts, choice["parts"], strict=True):
            assert part.choice == written["choice"] and part.illegal == pytest.approx(written["illegal"], abs=2e-3)
            assert all(part.cells[cell] == pytest.approx(share, abs=2e-3) for cell, share in written["cells"].items())
        teacher = experiment.game.read_move(position, scene["teacher"])
        share = next(one.number for one in thought.moves if one.move == teacher)
        assert choice["teacher"] == pytest.approx(share, abs=2e-3)


def test_weights_are_the_same_with_and_without(seen: Path, tmp_path: Path) -> None:
    folder = copy_records(seen, tmp_path / "run")
    lab.train(small(judging__glimpses=False), folder)
    assert not (folder / GLIMPSES).exists() and not (folder / SCENES).exists()
    for name in ("student_FTR.safetensors", "student_TFR.safetensors"):
        one, other = load_file(seen / name), load_file(folder / name)
        assert one.keys() == other.keys() and all(np.array_equal(one[key], other[key]) for key in one)


@pytest.mark.parametrize("stop", [1, 4, 7])
def test_a_training_that_is_killed_has_no_moment_twice_and_none_missing(seen: Path, tmp_path: Path, stop: int) -> None:
    """The show of progress comes after the glimpse of an epoch, the journal before it: kill at both."""
    folder, told = copy_records(seen, tmp_path / "run"), 0

    def show(progress: Progress) -> None:
        nonlocal told
        told += progress.note.startswith("epoch")
        if told == stop:
            raise Stopped

    with pytest.raises(Stopped):
        lab.train(small(), folder, show=show)
    lines = (folder / GLIMPSES).read_text().splitlines(keepends=True)
    if stop % 2:  # killed before the last line was whole: it is seen again from the checkpoint
        (folder / GLIMPSES).write_text("".join(lines[:-1]) + lines[-1][:40])
    lab.train(small(), folder)
    assert moments(folder) == EXPECTED
    assert read_rows(folder) == read_rows(seen)


def test_a_training_that_begins_anew_forgets_what_was_seen(seen: Path, tmp_path: Path) -> None:
    folder = copy_records(seen, tmp_path / "run")
    old = {"student": "FTR", "network": "whole", "at": 0, "axis": "epoch", "choices": ["stale"]}
    (folder / GLIMPSES).write_text(json.dumps(old) + "\n" + json.dumps(old | {"at": 7}) + "\nnonsense\n[1]\n")
    lab.train(small(), folder)
    assert moments(folder) == EXPECTED


def evolution(kind: str, **changes: Any) -> Any:
    settings = EVOLUTION | {"variations": {kind: EVOLUTION["variations"][kind]}}
    return make_experiment("tiny", changed(settings, **changes), folder=Path())


@pytest.mark.parametrize("kind", ["thesis", "strategy"])
def test_an_evolution_shows_its_champions(kind: str, tmp_path: Path) -> None:
    experiment = evolution(kind)
    lab.train(experiment, tmp_path / "whole")
    rows, scenes = read_rows(tmp_path / "whole"), json.loads((tmp_path / "whole" / SCENES).read_text())[kind]
    assert [(row["student"], row["at"], row["axis"]) for row in rows] == [
        (kind, at, "generation") for at in (0, 1, 2, 4)
    ]
    for row in rows:
        player = make_player(f"student:{tmp_path / 'whole'},generation={row['at']}", experiment.game)
        for scene, choice in zip(scenes, row["choices"], strict=True):
            position = experiment.game.read(scene["position"])
            chosen = player.choose([position])[0]
            assert choice["move"] == experiment.game.write_move(position, chosen.move) and choice["legal"]
            assert choice["value"] == pytest.approx(chosen.value, abs=1e-4)

    def stop(progress: Progress) -> None:
        if progress.note.startswith("generation 3"):
            raise Stopped

    with pytest.raises(Stopped):
        lab.train(experiment, tmp_path / "stopped", show=stop)
    lab.train(experiment, tmp_path / "stopped")
    assert read_rows(tmp_path / "stopped") == rows
    lab.train(evolution(kind, judging__glimpses=False), tmp_path / "unseen")
    assert not (tmp_path / "unseen" / GLIMPSES).exists()
    one, other = (load_file(tmp_path / name / f"student_{kind}.safetensors") for name in ("whole", "unseen"))
    assert np.array_equal(one["alleles"], other["alleles"])


def test_a_student_of_perfect_play_is_seen_too(tmp_path: Path) -> None:
    experiment = tiny("values", training__epochs=3, network__dropout=0.3)
    lab.train(experiment, tmp_path / "seen")
    assert [(row["at"], row["axis"]) for row in read_rows(tmp_path / "seen")] == [(at, "epoch") for at in range(4)]

    def stop(progress: Progress) -> None:
        if progress.note.startswith("epoch 2"):
            raise Stopped

    with pytest.raises(Stopped):
        lab.train(experiment, tmp_path / "stopped", show=stop)
    lab.train(experiment, tmp_path / "stopped")
    assert read_rows(tmp_path / "stopped") == read_rows(tmp_path / "seen")
    lab.train(tiny("values", training__epochs=3, network__dropout=0.3, judging__glimpses=False), tmp_path / "unseen")
    files = [(tmp_path / name / "checkpoints" / "student.safetensors") for name in ("seen", "stopped", "unseen")]
    first, *others = [load_file(file) for file in files]
    assert all(np.array_equal(first[key], other[key]) for other in others for key in first)


def test_random_scenes_go_from_early_to_late(any_game: CompiledGame) -> None:
    scenes = draw_random(any_game)
    plies = [scene.position.ply for scene in scenes]
    assert len(scenes) == COUNT and plies == sorted(plies) and plies[0] > 0
    assert all(len(any_game.moves(scene.position)) > 1 for scene in scenes)
    assert scenes == draw_random(any_game)


def test_students_keep_their_scenes_beside_each_other(tmp_path: Path) -> None:
    run = Run(tiny("online"), tmp_path)
    for name in ("A", "C"):
        Glimpses(run, name, draw_random(run.experiment.game)).keep_scenes()
    assert set(run.load(SCENES)) == {"A", "C"} and run.load(SCENES)["A"] == run.load(SCENES)["C"]
