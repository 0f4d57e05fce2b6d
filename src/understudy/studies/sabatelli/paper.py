"""The numbers that the chess thesis prints, to stand beside ours.

M. Sabatelli, Learning to Play Chess with Minimal Lookahead and Deep Value Neural Networks, Groningen 2017, tables 6.1
to 6.3, 7.1 and 7.2. Students are called as its combinations: `mlp_bitmap_1` is the perceptron on bitmaps of data set 1.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

STUDY = "sabatelli"
"""What an experiment calls it that repeats it."""

SOURCE = "Sabatelli"
"""What its numbers are called beside ours."""

NOT_COMPARABLE = (
    "Sabatelli's numbers (2017) are not to be compared with ours one by one. They come from other positions, split one "
    "by one, so that neighbours in a game stand on both sides and what is learned by heart counts. By its published "
    "programs the label is that of the position one ply earlier, and planes were cut up so that neighbouring cells did "
    "not stay neighbours for the convolutions. It has no yardsticks and no intervals."
)


class Printed(NamedTuple):
    """What the thesis prints of one combination: shares of right classes, or mean squared errors on data set 4."""

    validation: float
    test: float
    table: str


PRINTED: Mapping[str, Printed] = {
    "mlp_bitmap_1": Printed(0.9867, 0.9607, "6.1"),
    "mlp_algebraic_1": Printed(0.9695, 0.9358, "6.1"),
    "cnn_bitmap_1": Printed(0.9540, 0.9515, "6.2"),
    "cnn_algebraic_1": Printed(0.9170, 0.9033, "6.2"),
    "cnn_features_1": Printed(0.9891, 0.9744, "7.1"),
    "mlp_bitmap_2": Printed(0.9373, 0.9341, "6.1"),
    "mlp_algebraic_2": Printed(0.8745, 0.8728, "6.1"),
    "cnn_bitmap_2": Printed(0.8724, 0.8710, "6.2"),
    "cnn_algebraic_2": Printed(0.8388, 0.8372, "6.2"),
    "cnn_features_2": Printed(0.9648, 0.9626, "7.1"),
    "mlp_bitmap_3": Printed(0.6944, 0.6833, "6.1"),
    "mlp_algebraic_3": Printed(0.6988, 0.6621, "6.1"),
    "cnn_bitmap_3": Printed(0.6206, 0.6197, "6.2"),
    "cnn_algebraic_3": Printed(0.4848, 0.4686, "6.2"),
    "cnn_features_3": Printed(0.7802, 0.7782, "7.1"),
    "mlp_bitmap_4": Printed(0.0011, 0.0016, "6.3"),
    "mlp_algebraic_4": Printed(0.0019, 0.0021, "6.3"),
    # Table 7.2 prints 0.0019 and 0.0021 for it, which are the numbers of the algebraic perceptron.
    "cnn_bitmap_4": Printed(0.0020, 0.0022, "6.3"),
    "cnn_algebraic_4": Printed(0.0021, 0.0022, "6.3"),
    "cnn_features_4": Printed(0.0013, 0.0015, "7.2"),
}
"""By the name of the student."""

NUMBERS = "4"
"""The data set whose targets are numbers: there the smaller error is the better one."""


def dataset_of(student: str) -> str:
    """Return the data set that the name of a combination ends with."""
    return student.rpartition("_")[2]


def belongs(student: str, dataset: str) -> Printed | None:
    """Return what the thesis prints for a student of a data set, if it has this combination."""
    return PRINTED.get(student) if dataset_of(student) == dataset else None


def order_of(dataset: str) -> list[str]:
    """Return the combinations of a data set from the best on, by what the thesis prints for its test positions."""
    names = [name for name in PRINTED if dataset_of(name) == dataset]
    return sorted(names, key=lambda name: PRINTED[name].test, reverse=dataset != NUMBERS)


def lead_of(better: str, worse: str) -> float:
    """Return how far the thesis has one combination ahead of another of the same data set."""
    ahead = round(PRINTED[better].test - PRINTED[worse].test, 6)
    return 0.0 - ahead if dataset_of(better) == NUMBERS else ahead
