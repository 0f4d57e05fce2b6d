"""Labels in pawns as targets: the four data sets of Sabatelli (2017), section 2.6, and our own, as views of one table.

Data sets 1 to 3 cut the label into 3, 15 and 20 classes; data set 4 maps it to [0, 1]; `win` is the expected outcome,
and `far` the same with large advantages drawn together and mates beyond them, near ones above far ones.
A class is the number of edges that a label has passed. Edges up to 1 belong to the class above them, those from 1.5 on
to the class below, so that the class of draws is closed at both ends, as the source draws it.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from understudy.config import check_range
from understudy.errors import BadOption, UnknownName

CLIP = 20.0
"""A label beyond this many pawns counts as this many; so does a mate. The thesis names no range; 20 is what it
prints for a mate in Table 8.1."""
WIDTH = 1.6
"""Pawns for which `win` is a logistic unit: an advantage of 1.6 pawns is worth 73 % of the points. Chosen by hand;
the curve that Lichess found for people has 2.7 pawns (`records/opinions.py`)."""
CLEAR = 4.0
"""Pawns beyond which `far` grows like a logarithm only: the game is decided, and how much more is won matters little.
Chosen by hand."""
MATE = 40.0
"""Pawns beyond which there are but mates, two pawns for each move that they are nearer (`records/positions.py`).
Advantages in pawns are cut there."""
STEP = 0.15
"""How much higher `far` has a mate that is one move nearer, in pawns: all mates then lie within six pawns.
Chosen by hand."""
FEWEST_BINS, MOST_BINS = 16, 1024
"""Of a histogram: with fewer than 16 the margins would be most of it, and the finest worth telling apart is far coarser
than a thousandth."""
MARGIN = 3
"""Bins beyond 0 and beyond 1: four standard deviations, so that next to nothing of a target's bell is cut off."""
SPREAD = 0.75
"""The standard deviation of a target's bell in widths of a bin, as Farebrother et al. (2024) recommend."""
DRAW_BAND = 1.5
"""Up to this many pawns the source calls a position a draw."""


@dataclass(frozen=True, kw_only=True)
class Dataset:
    """One view of labels."""

    name: str
    title: str
    """What is learned, for people."""
    edges: tuple[float, ...] = ()
    """Where one class ends and the next begins, in pawns; none where the target is a number."""
    thesis: bool = True
    logistic: bool = False
    """Whether the target is an expected outcome and a network says its logit."""
    mate_distance: bool = False
    """Whether large advantages are drawn together and mates lie beyond them by their distance."""
    apart: float = 0.0
    """How much the distance between logits counts where the outcome is sure, besides the likelihood, which hardly tells
    outcomes near 0 or 1 from each other."""
    bins: int = 0
    """Of how many bins the histogram is as which the number is learned (HL-Gauss); 0: the number itself."""

    @property
    def classes(self) -> int:
        """How many classes there are; 0 where the target is a number."""
        return len(self.edges) + 1 if self.edges else 0

    @property
    def outputs(self) -> int:
        """How many numbers a network says."""
        return self.classes or self.bins or 1

    @property
    def edges_of_bins(self) -> NDArray[np.float64]:
        """Where each bin of the histogram ends and the next begins, with the outermost ends."""
        width = 1.0 / (self.bins - 2 * MARGIN)
        return np.linspace(-MARGIN * width, 1.0 + MARGIN * width, self.bins + 1)

    @property
    def middles_of_bins(self) -> NDArray[np.float64]:
        """What each bin says."""
        edges = self.edges_of_bins
        middles: NDArray[np.float64] = (edges[:-1] + edges[1:]) / 2
        return middles

    @property
    def worth(self) -> tuple[float, ...]:
        """What each class is worth in pawns: its middle, and half a pawn beyond the outermost edges."""
        ends = (self.edges[0] - 1.0, *self.edges, self.edges[-1] + 1.0)
        return tuple((low + high) / 2 for low, high in pairwise(ends))


# The thesis's classes: a pawn wide from the end of the draw on, the last one open.
_OUTER = tuple(1.5 + step for step in range(7))
_BELOW = tuple(-edge for edge in reversed(_OUTER))

DATASETS = {
    "1": Dataset(name="1", title="losing, draw, winning", edges=(-DRAW_BAND, DRAW_BAND)),
    "2": Dataset(name="2", title="15 classes", edges=(*_BELOW, *_OUTER)),
    "3": Dataset(name="3", title="20 classes", edges=(*_BELOW, -1.0, -0.5, 0.0, 0.5, 1.0, *_OUTER)),
    "4": Dataset(name="4", title="a number from 0 to 1"),
    "win": Dataset(name="win", title="the expected outcome", thesis=False, logistic=True),
    "far": Dataset(
        name="far",
        title="the expected outcome, large advantages drawn together",
        thesis=False,
        logistic=True,
        mate_distance=True,
        apart=0.2,  # chosen by hand
    ),
}
"""The data sets by name."""


def find_dataset(name: str, bins: int = 0) -> Dataset:
    """Return the data set called *name*, its number learned as a histogram of so many *bins* if there are any."""
    if name not in DATASETS:
        raise UnknownName("data set", name, DATASETS)
    dataset = DATASETS[name]
    if not bins:
        return dataset
    if dataset.classes or dataset.apart:
        raise BadOption(f"target.bins: only the data sets `4` and `win` can be learned as a histogram, not {name!r}")
    check_range("target.bins", bins, FEWEST_BINS, MOST_BINS)
    return replace(dataset, bins=bins)


def classes_of(dataset: Dataset, pawns: NDArray[np.floating]) -> NDArray[np.int64]:
    """Return the class of each label."""
    edges = np.array(dataset.edges)
    below, above = edges[edges < DRAW_BAND], edges[edges >= DRAW_BAND]
    return np.searchsorted(below, pawns, side="right") + np.searchsorted(above, pawns, side="left")


def targets_of(dataset: Dataset, pawns: NDArray[np.floating]) -> NDArray[np.float32] | NDArray[np.int64]:
    """Return what a network should say: classes, or numbers from 0 to 1."""
    if dataset.classes:
        return classes_of(dataset, pawns)
    if dataset.logistic:
        seen = compress_pawns(pawns) if dataset.mate_distance else np.clip(pawns, -CLIP, CLIP)
        shares: NDArray[np.float32] = (1.0 / (1.0 + np.exp(-seen / WIDTH))).astype(np.float32)
        return shares
    numbers: NDArray[np.float32] = ((np.clip(pawns, -CLIP, CLIP) + CLIP) / (2 * CLIP)).astype(np.float32)
    return numbers


def compress_pawns(pawns: NDArray[np.floating]) -> NDArray[np.float64]:
    """Return pawns, those beyond CLEAR on the scale of a logarithm that goes on as steep, and mates evenly above."""
    size = np.abs(np.asarray(pawns, np.float64))
    beyond = _logarithmic(np.minimum(size, MATE)) + STEP / 2 * np.maximum(size - MATE, 0)
    seen: NDArray[np.float64] = np.copysign(np.where(size <= CLEAR, size, beyond), pawns)
    return seen


def _logarithmic(size: NDArray[np.float64]) -> NDArray[np.float64]:
    return CLEAR + 2 * np.log1p(np.maximum(size - CLEAR, 0) / 2)


def expand_pawns(seen: NDArray[np.floating]) -> NDArray[np.float64]:
    """Return the pawns that `compress_pawns` has made *seen* of; of mates, as many as there can be without one."""
    size = np.minimum(np.abs(np.asarray(seen, np.float64)), _logarithmic(np.array(MATE)))
    beyond = CLEAR + 2 * np.expm1(np.maximum(size - CLEAR, 0) / 2)
    pawns: NDArray[np.float64] = np.copysign(np.where(size <= CLEAR, size, beyond), seen)
    return pawns


def pawns_of(dataset: Dataset, outputs: NDArray[np.floating]) -> NDArray[np.float64]:
    """Return in pawns what a network says [positions, outputs]: of classes the mean of their worth by probability."""
    numbers = np.asarray(outputs, np.float64)
    if dataset.classes:
        return _expected(numbers, np.array(dataset.worth))
    said = _expected(numbers, dataset.middles_of_bins) if dataset.bins else numbers[:, 0]
    if dataset.logistic:
        seen = (_logits(said) if dataset.bins else said) * WIDTH
        return np.clip(expand_pawns(seen) if dataset.mate_distance else seen, -CLIP, CLIP)
    return np.clip(said * 2 * CLIP - CLIP, -CLIP, CLIP)


def likeliest_pawns(dataset: Dataset, outputs: NDArray[np.floating]) -> NDArray[np.float64]:
    """Return what the likeliest class of each position is worth: how the source's programs play."""
    worth: NDArray[np.float64] = np.array(dataset.worth)[np.asarray(outputs).argmax(axis=1)]
    return worth


def _expected(logits: NDArray[np.float64], worth: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the mean of what classes or bins are worth, by their probability."""
    shares = np.exp(logits - logits.max(axis=1, keepdims=True))
    mean: NDArray[np.float64] = (shares @ worth) / shares.sum(axis=1)
    return mean


def _logits(outcomes: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the logits of expected outcomes; a histogram's mean may lie a little beyond what can be."""
    possible = np.clip(outcomes, 1e-6, 1 - 1e-6)  # 22 pawns either way, and no label is worth more than 20
    logits: NDArray[np.float64] = np.log(possible / (1 - possible))
    return logits


def class_names(dataset: Dataset) -> list[str]:
    """Return what each class holds, in pawns."""
    if dataset.classes == 3:
        return ["Losing", "Draw", "Winning"]
    edges = [f"{edge:g}" for edge in dataset.edges]
    return [
        f"< {edges[0]}",
        *(f"{low} to {high}" for low, high in pairwise(edges)),
        f"> {edges[-1]}",
    ]
