"""The trainer learns, repeats itself, resumes to the same weights, and stops when it should."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from tests.conftest import random_line
from understudy.errors import BadOption, FileError, UnknownName
from understudy.games import find_game
from understudy.games.batches import stacked
from understudy.games.layout import find_encoder
from understudy.networks import build_units
from understudy.networks.students import StudentOptions
from understudy.records.examples import all_examples
from understudy.records.store import lone_pairs
from understudy.trainers import objectives
from understudy.trainers.checkpoints import resume, save_checkpoint
from understudy.trainers.fitting import (
    Epoch,
    Graded,
    TrainingOptions,
    begin,
    choose_threads,
    fit,
    learning_rate,
    training_facts,
)
from understudy.trainers.objectives import Encoded, Lesson, make_lesson, shuffled, spread, train_moves

OPTIONS = TrainingOptions(batch=64, epochs=3, images="one", learning_rate=0.01, schedule="one_cycle", beta1=0.9, seed=5)
NETWORK: dict[str, Any] = {
    "kind": "residual",
    "width": 50,
    "hidden": 50,
    "blocks": 1,
    "symmetric": True,
    "dropout": 0.1,
}
PLAIN: dict[str, Any] = {"kind": "residual", "width": 20, "hidden": 20, "blocks": 1}


@pytest.fixture(scope="module")
def lesson() -> Lesson:
    game = find_game("morris")
    lines = [pair for seed in range(12) for pair in random_line(game, 60, seed)]
    batch = stacked([position for position, _ in lines])
    # A rule that can be learned: the lowest legal move.
    moves = np.array([min(game.moves(position)) for position, _ in lines], np.int32)
    return make_lesson(
        all_examples(lone_pairs(game, batch, moves, source=""), expansion="none"),
        find_encoder(find_game("morris"), "rawest"),
        (0, 1, 2),
        legal=True,
    )


def unit(design: str = "whole") -> Any:
    with torch.random.fork_rng():
        torch.manual_seed(0)
        student = StudentOptions(design=design)
        return build_units(find_game("morris"), student, dict.fromkeys(("to", "from", "remove"), NETWORK))[0]


def epochs(learning: Any, lesson: Lesson, options: TrainingOptions) -> list[Epoch]:
    return [event for event in train_moves(learning, lesson, lesson, options) if isinstance(event, Epoch)]


def test_it_learns(lesson: Lesson) -> None:
    seen = epochs(begin(unit(), OPTIONS), lesson, replace(OPTIONS, epochs=18))
    assert seen[-1].validation_loss < seen[0].validation_loss / 2
    assert seen[-1].validation_accuracy > 0.3


def test_what_is_too_large_to_hold_is_encoded_batch_by_batch(monkeypatch: pytest.MonkeyPatch) -> None:
    game = find_game("chess")
    lines = [pair for seed in range(4) for pair in random_line(game, 40, seed)]
    batch, moves = stacked([position for position, _ in lines]), np.array([move for _, move in lines], np.int32)
    examples = all_examples(lone_pairs(game, batch, moves, source=""), expansion="none")
    encoder, options = find_encoder(game, "bitmap"), replace(OPTIONS, epochs=1)
    weights = []
    for most in (1 << 30, 0):
        monkeypatch.setattr(objectives, "HELD", most)
        shown = make_lesson(examples, encoder, (0, 1, 2), legal=True)
        assert isinstance(shown.inputs, Encoded) == (most == 0)
        with torch.random.fork_rng():
            torch.manual_seed(0)
            made = build_units(game, StudentOptions(design="whole"), dict.fromkeys(game.part_names, PLAIN))[0]
        epochs(begin(made, options), shown, options)
        weights.append(torch.cat([weight.flatten() for weight in made.parameters()]))
    assert torch.equal(*weights)


@pytest.mark.parametrize("drop_blocks", [0.0, 0.5])
def test_a_resumed_training_ends_with_the_same_weights(
    lesson: Lesson, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, drop_blocks: float
) -> None:
    monkeypatch.setitem(NETWORK, "drop_blocks", drop_blocks)
    whole = begin(unit(), OPTIONS)
    epochs(whole, lesson, OPTIONS)
    first = begin(unit(), OPTIONS)
    for event in train_moves(first, lesson, lesson, OPTIONS):
        if isinstance(event, Epoch):
            save_checkpoint(tmp_path / "half", first, "name")
            break
    second = begin(unit(), OPTIONS)
    assert resume(tmp_path / "half", second, "name") and second.epoch == 1
    epochs(second, lesson, OPTIONS)
    for a, b in zip(whole.unit.parameters(), second.unit.parameters(), strict=True):
        assert torch.equal(a, b)


@pytest.mark.parametrize("images", ["all", "one"])
def test_short_epochs_show_every_row_once_before_any_again(lesson: Lesson, images: str) -> None:
    options = replace(OPTIONS, images=images, epoch_rows=100)
    moves = objectives.Moves(unit(), replace(lesson, inputs=torch.arange(len(lesson))[:, None]), lesson, options)
    records = len(lesson) if images == "all" else len(lesson.starts)
    turns = -(-records // 100)
    shown = [torch.cat([batch.inputs for batch in moves.batches(epoch)[1]]).ravel() for epoch in range(2 * turns)]
    assert [len(rows) for rows in shown[:turns]] == [100] * (turns - 1) + [records - 100 * (turns - 1)]
    first, second = torch.cat(shown[:turns]), torch.cat(shown[turns:])
    assert len(first.unique()) == len(second.unique()) == records and not torch.equal(first, second)
    whole = objectives.Moves(moves.unit, moves.lesson, lesson, replace(options, epoch_rows=None))
    assert torch.equal(torch.cat([batch.inputs for batch in whole.batches(0)[1]]).ravel(), first)


def test_a_training_of_short_epochs_in_half_precision_resumes_to_the_same_weights(
    lesson: Lesson, tmp_path: Path
) -> None:
    options = replace(OPTIONS, epoch_rows=150, epochs=4, precision="bfloat16")
    whole, half = begin(unit(), options), begin(unit(), options)
    epochs(whole, lesson, options)
    for event in train_moves(half, lesson, lesson, options):
        if isinstance(event, Epoch) and event.epoch == 1:
            save_checkpoint(tmp_path / "half", half, "name")
            break
    again = begin(unit(), options)
    assert resume(tmp_path / "half", again, "name")
    epochs(again, lesson, options)
    for a, b in zip(whole.unit.parameters(), again.unit.parameters(), strict=True):
        assert torch.equal(a, b) and a.dtype == torch.float32
    plain = begin(unit(), options)
    epochs(plain, lesson, replace(options, precision="float32"))
    assert not all(torch.equal(a, b) for a, b in zip(whole.unit.parameters(), plain.unit.parameters(), strict=True))


def test_options_that_came_later_change_no_older_name() -> None:
    facts = training_facts(TrainingOptions())
    assert "epoch_rows" not in facts and "precision" not in facts and facts["batch"] == 20_000
    assert training_facts(TrainingOptions(epoch_rows=5))["epoch_rows"] == 5
    for wrong in ({"epoch_rows": 0}, {"precision": "float8"}):
        with pytest.raises((BadOption, UnknownName), match=f"training.{next(iter(wrong))}"):
            begin(unit(), TrainingOptions(**wrong))  # type: ignore[arg-type]


def test_checkpoints_of_other_trainings_are_left_alone(lesson: Lesson, tmp_path: Path) -> None:
    learning = begin(unit(), OPTIONS)
    save_checkpoint(tmp_path / "x", learning, "name")
    assert not resume(tmp_path / "x", learning, "another")
    assert not resume(tmp_path / "missing", learning, "name")
    (tmp_path / "x").write_bytes((tmp_path / "x").read_bytes()[:100])
    with pytest.raises(FileError, match=r"is damaged.*delete it to do that part again"):
        resume(tmp_path / "x", learning, "name")


def test_patience_and_best_weights(lesson: Lesson) -> None:
    options = replace(OPTIONS, epochs=50, patience=2, learning_rate=1e-9, schedule="constant")
    learning = begin(unit(), options)
    seen = epochs(learning, lesson, options)
    assert len(seen) == seen[-1].epoch + 1 < 50
    assert learning.best_epoch == len(seen) - 3
    assert learning.best_weights is not None


def test_minutes_stop_a_training(lesson: Lesson) -> None:
    options = replace(OPTIONS, epochs=1000, minutes=0.005)
    assert 1 <= len(epochs(begin(unit(), options), lesson, options)) < 1000


def test_the_legality_term_moves_probability_to_legal_classes(lesson: Lesson) -> None:
    def mass(options: TrainingOptions) -> float:
        learning = begin(unit(), options)
        epochs(learning, lesson, options)
        assert lesson.legal is not None
        chances = learning.unit.logits(0, learning.unit.hidden(lesson.inputs.float()), []).softmax(dim=1)
        return (chances * spread(lesson.legal[:, 0], lesson.classes)).sum(dim=1).mean().item()

    assert mass(replace(OPTIONS, legality=3.0)) > mass(OPTIONS) + 0.02


def test_smoothing_over_legal_classes_never_rewards_illegal_ones(lesson: Lesson) -> None:
    options = replace(OPTIONS, label_smoothing=0.3, smooth_over="legal", epochs=8)
    assert epochs(begin(unit(), options), lesson, options)[-1].validation_loss < 8


@pytest.mark.parametrize("change", [{"l1": 1e-2}, {"l2": 1e-1}, {"weight_decay": 1.0, "optimiser": "adamw"}])
def test_penalties_shrink_weights(lesson: Lesson, change: dict[str, Any]) -> None:
    def norm(options: TrainingOptions) -> float:
        learning = begin(unit("cascade"), options)
        epochs(learning, lesson, options)
        return sum(weight.abs().sum().item() for weight in learning.unit.parameters())

    assert norm(replace(OPTIONS, epochs=6, **change)) < norm(replace(OPTIONS, epochs=6))


def test_schedules() -> None:
    names = ("constant", "anneal", "cosine", "one_cycle")
    options = {name: replace(OPTIONS, schedule=name, decay=1.0, epochs=100) for name in names}
    rate = {name: [learning_rate(options[name], epoch, epoch / 100) for epoch in (0, 15, 99)] for name in names}
    assert rate["constant"] == [0.01] * 3
    assert rate["anneal"] == [0.01, 0.01 / 16, 0.01 / 100]
    assert rate["cosine"][0] == 0.01 and rate["cosine"][2] < 1e-4
    assert rate["one_cycle"][0] < rate["one_cycle"][2] + 1e-3 and abs(rate["one_cycle"][1] - 0.01) < 1e-6


def test_one_image_of_each_record_an_epoch() -> None:
    starts = np.array([0, 16, 20])
    lesson = Lesson(torch.zeros(36, 1), torch.zeros(36, 3), None, starts, 25)
    rows = shuffled(lesson, images="one", rng=np.random.default_rng(0)).numpy()
    assert len(rows) == 3 and sorted(np.searchsorted(starts, rows, side="right")) == [1, 2, 3]
    assert sorted(shuffled(lesson, images="all", rng=np.random.default_rng(0)).tolist()) == list(range(36))


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"optimiser": "adm"}, "did you mean 'adam'"),
        ({"schedule": "onecycle"}, "one_cycle"),
        ({"learning_rate": -1.0}, "training.learning_rate must be from"),
        ({"label_smoothing": 1.0}, "training.label_smoothing"),
        ({"images": "some"}, "training.images"),
    ],
)
def test_bad_options(change: dict[str, Any], message: str) -> None:
    with pytest.raises((BadOption, UnknownName), match=message):
        begin(unit(), replace(OPTIONS, **change))


def test_a_training_adds_up_in_the_same_order_each_time_and_leaves_others_alone() -> None:
    learning = begin(torch.nn.Linear(2, 1), TrainingOptions(epochs=1, batch=2))

    class Watched:
        def batches(self, epoch: int) -> tuple[int, Any]:
            return 1, iter([torch.ones(2, 2)])

        def grade(self, batch: torch.Tensor) -> Graded:
            seen.append(torch.are_deterministic_algorithms_enabled())
            loss = learning.unit(batch).mean()
            return Graded(loss, float(loss.detach()), 1.0, 2)

        def examine(self) -> tuple[float, float]:
            return 0.0, 1.0

    seen: list[bool] = []
    for _ in fit(learning, Watched(), TrainingOptions(epochs=1, batch=2)):
        pass
    assert seen == [True] and not torch.are_deterministic_algorithms_enabled()


@pytest.mark.parametrize(("said", "threads"), [("", 1), ("2", 2)])
def test_one_thread_learns_unless_told_otherwise(monkeypatch: pytest.MonkeyPatch, said: str, threads: int) -> None:
    before = torch.get_num_threads()
    monkeypatch.setenv("UNDERSTUDY_THREADS", said)
    try:
        choose_threads()
        assert torch.get_num_threads() == threads
    finally:
        torch.set_num_threads(before)
