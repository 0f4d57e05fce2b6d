"""Learning labels: what is small is learned by heart, a break changes nothing, the clock ends it."""

from __future__ import annotations

import itertools
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
import torch
from torch import nn

from tests.conftest import random_line
from understudy.errors import BadOption, UnknownName
from understudy.games import find_game
from understudy.games.batches import stacked
from understudy.games.chess.datasets import find_dataset, pawns_of, targets_of
from understudy.games.chess.inputs.planes import ChessInputs, encode, typed
from understudy.games.chess.learning.labels import (
    Labelled,
    Labels,
    _loss,
    examine_labels,
    histogram,
    parameters,
    say,
    shown,
    train_labels,
)
from understudy.games.chess.learning.networks import BoardNetworkOptions, make_network
from understudy.networks.students import ValueNetwork, ValueOptions
from understudy.trainers.checkpoints import resume, save_checkpoint
from understudy.trainers.fitting import COMMON, Epoch, Learning, Partial, TrainingOptions, begin
from understudy.trainers.objectives import Valued, train_values

CHESS = find_game("chess")
ADAM = TrainingOptions(
    optimiser="adamw", learning_rate=0.005, beta1=0.9, schedule="constant", batch=32, epochs=3, patience=100, seed=4
)
SGD = replace(ADAM, optimiser="sgd", learning_rate=0.05, momentum=0.7)
STANDINGS = BoardNetworkOptions(design="standings", hidden=(16, 32, 32), dropout=0.1)
PERCEPTRON = BoardNetworkOptions(hidden=(64, 32), dropout=0.1)
WINDOWS = BoardNetworkOptions(
    design="convolutional", filters=(6, 6), widths=(3, 3), hidden=(32,), units="elu", dropout=0.1, normalised=True
)


def lesson_of(kind: str, dataset: str, count: int = 160) -> Labelled:
    """Return positions labelled by material, and a little for the cell of the king."""
    line = [position for seed in range(6) for position, _ in random_line(CHESS, 120, seed)[10::3]][:count]
    batch = typed(stacked(line))
    sides = [np.bitwise_count(side & batch.pawns) * 1.0 + 3 * np.bitwise_count(side & (batch.knights | batch.bishops))
             + 5 * np.bitwise_count(side & batch.rooks) for side in (batch.mine, batch.theirs)]  # type: ignore[operator]  # fmt: skip
    pawns = sides[0] - sides[1]
    name, _, bins = dataset.partition(":")
    view = find_dataset(name, int(bins or 0))
    targets: Any = targets_of(view, pawns)
    return Labelled(batch, torch.from_numpy(np.ascontiguousarray(targets)), ChessInputs(kind=kind), view)


def network(options: BoardNetworkOptions, lesson: Labelled) -> Any:
    with torch.random.fork_rng():
        torch.manual_seed(0)
        return make_network(options, planes=lesson.inputs.planes, outputs=lesson.dataset.outputs)


def epochs(learning: Learning, lesson: Labelled, options: TrainingOptions) -> list[Epoch]:
    return [event for event in train_labels(learning, lesson, lesson, options) if isinstance(event, Epoch)]


CASES = [
    pytest.param("bitmap", "1", PERCEPTRON, ADAM, id="classes by a perceptron"),
    pytest.param("algebraic", "3", PERCEPTRON, ADAM, id="twenty classes"),
    pytest.param("features", "1", WINDOWS, SGD, id="classes by windows"),
    pytest.param("bitmap", "4", WINDOWS, SGD, id="numbers by windows"),
    pytest.param("coordinates", "4:32", PERCEPTRON, ADAM, id="histograms by coordinates"),
    pytest.param("bitmap", "win:51", PERCEPTRON, ADAM, id="outcomes as histograms"),
    pytest.param("bitmap", "4", replace(PERCEPTRON, output="sigmoid"), ADAM, id="numbers by a sigmoid"),
    pytest.param("standings", "win", STANDINGS, ADAM, id="outcomes by standings"),
    pytest.param("standings", "4", STANDINGS, ADAM, id="numbers by standings"),
]


@pytest.mark.parametrize(("kind", "dataset", "design", "options"), CASES)
def test_a_tiny_set_is_learned_by_heart(
    kind: str, dataset: str, design: BoardNetworkOptions, options: TrainingOptions
) -> None:
    lesson = lesson_of(kind, dataset)
    learning = begin(network(replace(design, dropout=0.0), lesson), replace(options, epochs=40))
    seen = epochs(learning, lesson, replace(options, epochs=40))
    if lesson.dataset.classes:
        assert seen[-1].validation_accuracy > 0.97 and seen[-1].validation_loss < seen[0].validation_loss / 3
    else:
        spread = float(lesson.targets.var())
        assert 1 - learning.best_accuracy < spread / 10
    assert learning.best_accuracy == max(event.validation_accuracy for event in seen)


@pytest.mark.parametrize(("kind", "dataset", "design", "options"), CASES)
def test_a_resumed_training_ends_with_the_same_weights(
    kind: str, dataset: str, design: BoardNetworkOptions, options: TrainingOptions, tmp_path: Path
) -> None:
    lesson = lesson_of(kind, dataset)
    whole = begin(network(design, lesson), options)
    epochs(whole, lesson, options)
    first = begin(network(design, lesson), options)
    for event in train_labels(first, lesson, lesson, options):
        if isinstance(event, Epoch):
            save_checkpoint(tmp_path / "half", first, "name")
            break
    second = begin(network(design, lesson), options)
    assert resume(tmp_path / "half", second, "name") and second.epoch == 1
    epochs(second, lesson, options)
    assert second.best_epoch == whole.best_epoch
    for (name, a), b in zip(whole.unit.state_dict().items(), second.unit.state_dict().values(), strict=True):
        assert torch.equal(a, b), name


def test_the_best_weights_are_those_at_the_end() -> None:
    lesson = lesson_of("bitmap", "1")
    options = replace(ADAM, epochs=50, patience=2, learning_rate=1e-9)
    learning = begin(network(PERCEPTRON, lesson), options)
    seen = epochs(learning, lesson, options)
    assert len(seen) < 50 and learning.best_epoch == len(seen) - 3
    assert examine_labels(learning.unit, lesson, 10_000)[1] == pytest.approx(learning.best_accuracy)


def test_minutes_end_a_training_within_an_epoch(monkeypatch: pytest.MonkeyPatch) -> None:
    ticks = itertools.count()
    clock = SimpleNamespace(thread_time=lambda: next(ticks) / 200)  # each look at it takes five milliseconds
    monkeypatch.setattr("understudy.trainers.fitting.time", clock)
    lesson = lesson_of("bitmap", "1")
    options = replace(ADAM, epochs=100_000, patience=100_000, minutes=0.01, schedule="cosine")
    learning = begin(network(PERCEPTRON, lesson), options)
    events = list(train_labels(learning, lesson, lesson, options))
    seen = [event for event in events if isinstance(event, Epoch)]
    assert 5 < len(seen) < 100 and 0.6 <= learning.seconds < 0.65
    assert seen[-1].done == 1.0 and seen[-1].learning_rate < options.learning_rate / 10
    shares = [event.done for event in events]
    assert shares == sorted(shares) and isinstance(events[0], Partial)


def test_a_clock_that_strikes_between_two_batches(monkeypatch: pytest.MonkeyPatch) -> None:
    """Time that is used up while an epoch is being shuffled still leaves a batch to learn from."""
    lesson = lesson_of("bitmap", "1")
    options = replace(ADAM, epochs=1000, minutes=1.0)
    learning = begin(network(PERCEPTRON, lesson), options)
    learning.seconds = 60.0 - 1e-9
    seen = epochs(learning, lesson, options)
    assert len(seen) == 1 and np.isfinite(seen[0].train_loss)


def test_batches_are_encoded_as_the_encoder_does() -> None:
    lesson = lesson_of("features", "1")
    rows = np.array([5, 3, 5])
    seen = shown(lesson.positions, rows, lesson.inputs)
    assert seen.dtype == torch.float32 and seen.shape == (3, 16, 8, 8)
    assert np.array_equal(seen.numpy(), encode(lesson.positions, lesson.inputs, rows=rows))


def test_rows_that_are_examined_are_spread_over_all() -> None:
    """Files stand one after another; the first rows alone would be those of the first file."""
    lesson = lesson_of("bitmap", "4")
    second = Labelled(lesson.positions, lesson.targets.clone(), lesson.inputs, lesson.dataset)
    second.targets[80:] = 1000.0
    made = network(PERCEPTRON, lesson)
    some, every = examine_labels(made, second, 40)[0], examine_labels(made, second, 10_000)[0]
    assert some == pytest.approx(every, rel=0.1)
    outputs = say(made, lesson, np.arange(160))
    expected = float(((torch.from_numpy(outputs)[:, 0] - lesson.targets) ** 2).mean())
    loss, accuracy = examine_labels(made, lesson, 160)
    assert loss == pytest.approx(expected) and accuracy == pytest.approx(1 - expected)


def test_to_say_something_changes_nothing() -> None:
    lesson = lesson_of("bitmap", "3")
    made = network(WINDOWS, lesson)
    before = {name: tensor.clone() for name, tensor in made.state_dict().items()}
    one, other = say(made, lesson, np.arange(30)), say(made, lesson, np.arange(60))
    assert one.shape == (30, 20) and one == pytest.approx(other[:30], abs=1e-5) and made.training
    assert all(torch.equal(tensor, before[name]) for name, tensor in made.state_dict().items())
    assert say(made, lesson, np.arange(0)).shape == (0, 20)
    pawns = pawns_of(lesson.dataset, say(made, lesson, np.arange(160)))
    assert pawns.shape == (160,) and np.abs(pawns).max() < 8


def test_few_positions_are_one_batch() -> None:
    lesson = lesson_of("bitmap", "1", count=20)
    learning = begin(network(PERCEPTRON, lesson), replace(ADAM, epochs=1))
    assert len(epochs(learning, lesson, replace(ADAM, epochs=1))) == 1


def test_momentum_is_nesterovs() -> None:
    lesson = lesson_of("bitmap", "1")
    for momentum in (0.0, 0.7):
        optimiser: Any = begin(network(PERCEPTRON, lesson), replace(SGD, momentum=momentum)).optimiser
        assert isinstance(optimiser, torch.optim.SGD)
        assert [(g["momentum"], g["nesterov"]) for g in optimiser.param_groups] == [(momentum, momentum > 0)] * 2


def test_parameters_are_counted() -> None:
    assert parameters(nn.Linear(3, 4)) == 16


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"optimiser": "sdg"}, "did you mean 'sgd'"),
        ({"momentum": 1.0}, "training.momentum must be from 0 to 0.9999"),
        ({"batch": 0}, "training.batch must be from 1"),
    ],
)
def test_bad_options(change: dict[str, Any], message: str) -> None:
    with pytest.raises((BadOption, UnknownName), match=message):
        begin(nn.Linear(1, 1), replace(ADAM, **change))


def test_far_learns_how_sure_outcomes_differ() -> None:
    """By likelihood alone a mate in two and one in twenty are the same."""
    logits = torch.tensor([[6.0], [0.1]])
    pulls = {}
    for name in ("win", "far"):
        leaves = logits.clone().requires_grad_()
        _loss(find_dataset(name), leaves, torch.sigmoid(torch.tensor([9.0, 0.0]))).backward()  # type: ignore[no-untyped-call]
        assert leaves.grad is not None
        pulls[name] = leaves.grad[:, 0]
    assert -0.002 < pulls["win"][0] < 0 and pulls["far"][0] < -0.08
    assert pulls["far"][1] == pytest.approx(pulls["win"][1].item(), rel=0.02)  # what is balanced stays as it is


def test_nothing_is_read_that_an_experiment_could_not_say() -> None:
    """An experiment refuses options that its kind never reads; were one read after all, its default would count."""
    lesson, seen = lesson_of("bitmap", "1", 64), set()

    class Noting(TrainingOptions):
        def __getattribute__(self, name: str) -> Any:
            seen.add(name)
            return super().__getattribute__(name)

    learning = begin(network(PERCEPTRON, lesson), ADAM)
    epochs(learning, lesson, Noting(epochs=1, batch=32))
    assert seen & set(TrainingOptions.__annotations__) <= {*COMMON, "validation_rows", "epoch_rows"}
    seen.clear()
    boards = Valued(torch.zeros(8, 3), torch.zeros(8))
    learning = begin(ValueNetwork(3, ValueOptions(hidden=(2,))), ADAM)
    assert len(list(train_values(learning, boards, boards, Noting(epochs=1, batch=4)))) == 3
    assert {"batch", "epochs", "decay"} <= seen & set(TrainingOptions.__annotations__) <= set(COMMON)


def test_a_step_down_the_gradient_of_a_histogram_moves_its_mean_towards_the_target() -> None:
    dataset = find_dataset("4", 32)
    targets = torch.tensor([0.1, 0.9, 0.0, 1.0])
    outputs = torch.zeros((4, 32), requires_grad=True)
    loss = _loss(dataset, outputs, targets)
    loss.backward()  # type: ignore[no-untyped-call]
    assert outputs.grad is not None
    exact = (outputs.detach().softmax(dim=1) - histogram(dataset, targets)) / 4
    assert torch.allclose(outputs.grad, exact, atol=1e-6), "what is said less what should be"
    middles = torch.from_numpy(dataset.middles_of_bins).float()
    before, after = ((outputs.detach() - rate * outputs.grad).softmax(dim=1) @ middles for rate in (0.0, 1.0))
    assert bool((((after - before) * (targets - before)) > 0).all())
    exactly = torch.log(histogram(dataset, targets).clamp_min(1e-30))
    best = _loss(dataset, exactly, targets)
    assert best < _loss(dataset, exactly.flip(0), targets)


def test_short_epochs_show_every_row_once_before_any_comes_again() -> None:
    lesson = lesson_of("bitmap", "1")
    options = replace(ADAM, batch=7, epoch_rows=50)
    objective = Labels(network(PERCEPTRON, lesson), lesson, lesson, options)
    parts = [np.concatenate(list(objective.batches(epoch)[1])) for epoch in range(4)]
    assert len(lesson) == 160 and [len(part) for part in parts] == [35] * 4, "four parts of 40, in whole batches"
    assert len(set(np.concatenate(parts).tolist())) == 140
    again = np.concatenate(list(objective.batches(4)[1]))
    assert not np.array_equal(again, parts[0])


def test_what_was_shown_is_counted_and_kept(tmp_path: Path) -> None:
    lesson = lesson_of("bitmap", "1")
    learning = begin(network(PERCEPTRON, lesson), ADAM)
    epochs(learning, lesson, ADAM)
    assert learning.shown == 3 * 160
    save_checkpoint(tmp_path / "kept", learning, "name")
    second = begin(network(PERCEPTRON, lesson), ADAM)
    assert resume(tmp_path / "kept", second, "name") and second.shown == learning.shown
