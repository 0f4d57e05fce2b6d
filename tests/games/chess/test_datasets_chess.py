"""The four data sets of the thesis, `win` and `far`: every edge from both sides, and labels there and back."""

from __future__ import annotations

import numpy as np
import pytest
import torch

from understudy.errors import BadOption, UnknownName
from understudy.games.chess.datasets import (
    CLIP,
    DATASETS,
    MARGIN,
    WIDTH,
    class_names,
    classes_of,
    compress_pawns,
    find_dataset,
    likeliest_pawns,
    pawns_of,
    targets_of,
)
from understudy.games.chess.learning.labels import histogram

STEP = 0.01
"""Labels are whole centipawns."""
BELOW = [f"[-{edge}, -{edge - 1})" for edge in (7.5, 6.5, 5.5, 4.5, 3.5, 2.5)]
ABOVE = [f"({edge}, {edge + 1}]" for edge in (1.5, 2.5, 3.5, 4.5, 5.5, 6.5)]
CATALOGUE = {
    "1": ["(-inf, -1.5)", "[-1.5, 1.5]", "(1.5, inf)"],
    "2": ["(-inf, -7.5)", *BELOW, "[-1.5, 1.5]", *ABOVE, "(7.5, inf)"],
    "3": [
        "(-inf, -7.5)", *BELOW, "[-1.5, -1)", "[-1, -0.5)", "[-0.5, 0)", "[0, 0.5)", "[0.5, 1)", "[1, 1.5]",
        *ABOVE, "(7.5, inf)",
    ],
}  # fmt: skip
"""The classes as the catalogue writes them, open and closed ends."""


def ends(interval: str) -> tuple[float, float]:
    low, high = (float(number) for number in interval[1:-1].split(","))
    return low, high


@pytest.mark.parametrize("name", CATALOGUE)
def test_every_edge_belongs_where_the_catalogue_puts_it(name: str) -> None:
    dataset = find_dataset(name)
    assert dataset.classes == dataset.outputs == len(CATALOGUE[name]) == {"1": 3, "2": 15, "3": 20}[name]
    for number, interval in enumerate(CATALOGUE[name]):
        low, high = ends(interval)
        inside = [max(low, -20) + STEP, min(high, 20) - STEP]
        inside += [low] if interval[0] == "[" else []
        inside += [high] if interval[-1] == "]" else []
        outside = [low] if interval[0] == "(" else [low - STEP]
        outside += [high] if interval[-1] == ")" else [high + STEP]
        assert classes_of(dataset, np.array(inside)).tolist() == [number] * len(inside), interval
        outside = [pawns for pawns in outside if abs(pawns) < 20]
        assert outside and number not in classes_of(dataset, np.array(outside)).tolist(), interval


@pytest.mark.parametrize("name", CATALOGUE)
def test_classes_of_centipawns_fit_their_intervals(name: str) -> None:
    """Every centipawn from -20 to 20 pawns has exactly one interval, the one of its class."""
    cents = np.arange(-2000, 2001)
    classes = classes_of(find_dataset(name), cents / 100)
    assert (np.diff(classes) >= 0).all() and set(classes.tolist()) == set(range(len(CATALOGUE[name])))
    for cent, number in zip(cents.tolist(), classes.tolist(), strict=True):
        interval = CATALOGUE[name][number]
        low, high = ends(interval)
        assert 100 * low <= cent <= 100 * high
        assert cent != 100 * low or interval[0] == "["
        assert cent != 100 * high or interval[-1] == "]"


def test_data_sets_differ_only_inside_or_outside_the_draws() -> None:
    pawns = np.arange(-2000, 2001) / 100
    one, two, three = (classes_of(find_dataset(name), pawns) for name in "123")
    assert np.array_equal(np.select([two < 7, two == 7], [0, 1], 2), one)
    assert np.array_equal(np.select([three < 7, three < 13], [three, 7], three - 5), two)


def test_data_set_4_there_and_back() -> None:
    pawns = np.array([-25.0, -20.0, -1.5, 0.0, 0.35, 20.0, 31.0])
    targets = targets_of(find_dataset("4"), pawns)
    assert targets.dtype == np.float32
    assert targets == pytest.approx([0, 0, 18.5 / 40, 0.5, 20.35 / 40, 1, 1])
    back = pawns_of(find_dataset("4"), targets[:, None])
    assert back == pytest.approx(np.clip(pawns, -CLIP, CLIP), abs=1e-5)


def test_win_there_and_back() -> None:
    pawns = np.array([-8.0, -1.6, 0.0, 1.6, 5.0])
    targets = targets_of(find_dataset("win"), pawns)
    assert targets[3] == pytest.approx(1 / (1 + np.exp(-1))) and targets[2] == 0.5
    assert targets[0] + targets_of(find_dataset("win"), -pawns)[0] == pytest.approx(1)
    logits = np.log(targets / (1 - targets))[:, None]
    assert pawns_of(find_dataset("win"), logits) == pytest.approx(pawns, abs=1e-3)


def test_far_tells_large_advantages_apart() -> None:
    near, far = find_dataset("win"), find_dataset("far")
    small = np.linspace(-4.0, 4.0, 33)
    assert targets_of(far, small) == pytest.approx(targets_of(near, small), abs=1e-6)
    large = np.array([4.0, 5.0, 10.0, 20.0, 40.0, 60.0])
    steps = np.diff(targets_of(far, large).astype(np.float64))
    assert (steps > 0.0005).all() and np.diff(targets_of(near, large))[3:].max() < 1e-5
    mates = compress_pawns(np.array([40.0, 42.0, 44.0, -118.0, -120.0]))
    assert np.diff(mates)[[0, 1, 3]] == pytest.approx([0.15, 0.15, -0.15])
    pawns = np.concatenate([-large[:4], small, large[:4]])
    targets = targets_of(far, pawns).astype(np.float64)
    logits = np.log(targets / (1 - targets))[:, None]
    assert pawns_of(far, logits) == pytest.approx(pawns, abs=2e-3)
    assert pawns_of(far, np.array([[1e9], [-1e9]])).tolist() == [CLIP, -CLIP]


@pytest.mark.parametrize("name", ["4", "win", "far"])
def test_no_network_says_more_than_a_mate(name: str) -> None:
    assert pawns_of(find_dataset(name), np.array([[99.0], [-99.0]])).tolist() == [CLIP, -CLIP]


def test_classes_are_told_as_the_mean_of_their_worth() -> None:
    one = find_dataset("1")
    assert one.worth == (-2.0, 0.0, 2.0)
    logits = np.log(np.array([[0.2, 0.3, 0.5], [1e-30, 1.0, 1e-30]]))
    assert pawns_of(one, logits) == pytest.approx([0.6, 0.0])
    assert pawns_of(one, logits + 1000) == pytest.approx([0.6, 0.0])
    for name in ("2", "3"):
        worth = find_dataset(name).worth
        assert len(worth) == find_dataset(name).classes and list(worth) == sorted(worth)
        assert worth == pytest.approx([-number for number in reversed(worth)])
        assert classes_of(find_dataset(name), np.array(worth)).tolist() == list(range(len(worth)))


def test_names_of_classes() -> None:
    assert class_names(find_dataset("1")) == ["Losing", "Draw", "Winning"]
    three = class_names(find_dataset("3"))
    assert len(three) == 20 and three[0] == "< -7.5" and three[9] == "-0.5 to 0" and three[-1] == "> 7.5"


def test_unknown_data_sets() -> None:
    assert WIDTH == 1.6 and set(DATASETS) == {"1", "2", "3", "4", "win", "far"}
    with pytest.raises(UnknownName, match="no data set '5'; there are: 1, 2, 3, 4, win"):
        find_dataset("5")


@pytest.mark.parametrize("name", ["4", "win"])
@pytest.mark.parametrize("bins", [16, 51, 128])
def test_a_histogram_holds_all_of_a_target_and_its_mean_is_the_target(name: str, bins: int) -> None:
    dataset = find_dataset(name, bins)
    assert dataset.outputs == bins and not dataset.classes
    edges = dataset.edges_of_bins
    assert len(edges) == bins + 1 and edges[MARGIN] == pytest.approx(0) and edges[-1 - MARGIN] == pytest.approx(1)
    targets = torch.linspace(0, 1, 401)
    shares = histogram(dataset, targets)
    assert torch.allclose(shares.sum(dim=1), torch.ones(401), atol=1e-6) and bool((shares >= 0).all())
    means = shares.double() @ torch.from_numpy(dataset.middles_of_bins)
    assert torch.allclose(means, targets.double(), atol=3e-4 / bins), "of the width of a bin, a few ten-thousandths"
    assert bool((shares.argmax(dim=1).diff() >= 0).all())


def test_what_a_histogram_says_is_the_label_in_pawns() -> None:
    pawns = np.array([-20.0, -7.25, -1.0, 0.0, 0.4, 3.0, 20.0])
    for name, near in (("4", 0.01), ("win", 0.02)):
        dataset = find_dataset(name, 101)
        targets = torch.from_numpy(np.ascontiguousarray(targets_of(dataset, pawns)))
        logits = torch.log(histogram(dataset, targets).clamp_min(1e-30)).numpy()
        told = pawns_of(dataset, logits)
        clear = np.abs(pawns) <= (20 if name == "4" else 4)
        assert np.allclose(told[clear], pawns[clear], atol=near) and np.abs(told).max() <= CLIP


@pytest.mark.parametrize(("name", "bins"), [("1", 51), ("far", 51), ("4", 5), ("4", 5000), ("4", -1)])
def test_histograms_that_cannot_be(name: str, bins: int) -> None:
    with pytest.raises(BadOption, match=r"target\.bins"):
        find_dataset(name, bins)


def test_the_likeliest_class_speaks_alone() -> None:
    dataset = find_dataset("2")
    logits = np.zeros((2, 15))
    logits[0, 9], logits[1, 0] = 1.0, 0.5
    assert likeliest_pawns(dataset, logits).tolist() == [3.0, -8.0]
    assert abs(pawns_of(dataset, logits)[0]) < 1.0
