"""The numbers that the chess thesis prints, to stand beside ours.

M. Sabatelli, Learning to Play Chess with Minimal Lookahead and Deep Value Neural Networks, Groningen 2017, tables 6.1
to 6.3, 7.1 and 7.2; table 8.1 stands in `table81.py`. Students are called as its combinations: `mlp_bitmap_1` is the
perceptron on bitmaps of data set 1.
"""

from __future__ import annotations

from collections.abc import Mapping

from understudy.report.labels.nearness import PublishedNearness
from understudy.studies.sabatelli.sections import Thesis

PRINTED: Mapping[str, PublishedNearness] = {
    "mlp_bitmap_1": PublishedNearness(0.9867, 0.9607, "6.1"),
    "mlp_algebraic_1": PublishedNearness(0.9695, 0.9358, "6.1"),
    "cnn_bitmap_1": PublishedNearness(0.9540, 0.9515, "6.2"),
    "cnn_algebraic_1": PublishedNearness(0.9170, 0.9033, "6.2"),
    "cnn_features_1": PublishedNearness(0.9891, 0.9744, "7.1"),
    "mlp_bitmap_2": PublishedNearness(0.9373, 0.9341, "6.1"),
    "mlp_algebraic_2": PublishedNearness(0.8745, 0.8728, "6.1"),
    "cnn_bitmap_2": PublishedNearness(0.8724, 0.8710, "6.2"),
    "cnn_algebraic_2": PublishedNearness(0.8388, 0.8372, "6.2"),
    "cnn_features_2": PublishedNearness(0.9648, 0.9626, "7.1"),
    "mlp_bitmap_3": PublishedNearness(0.6944, 0.6833, "6.1"),
    "mlp_algebraic_3": PublishedNearness(0.6988, 0.6621, "6.1"),
    "cnn_bitmap_3": PublishedNearness(0.6206, 0.6197, "6.2"),
    "cnn_algebraic_3": PublishedNearness(0.4848, 0.4686, "6.2"),
    "cnn_features_3": PublishedNearness(0.7802, 0.7782, "7.1"),
    "mlp_bitmap_4": PublishedNearness(0.0011, 0.0016, "6.3"),
    "mlp_algebraic_4": PublishedNearness(0.0019, 0.0021, "6.3"),
    # Table 7.2 prints 0.0019 and 0.0021 for it, which are the numbers of the algebraic perceptron.
    "cnn_bitmap_4": PublishedNearness(0.0020, 0.0022, "6.3"),
    "cnn_algebraic_4": PublishedNearness(0.0021, 0.0022, "6.3"),
    "cnn_features_4": PublishedNearness(0.0013, 0.0015, "7.2"),
}
"""By the name of the student, with the table of each."""

LABELS = Thesis(
    source="Sabatelli",
    key="sabatelli",
    noun="thesis",
    printed=PRINTED,
    numbers=("4",),
    warning=(
        "Sabatelli's numbers (2017) are not to be compared with ours one by one. They come from other positions, split "
        "one by one, so that neighbours in a game stand on both sides and what is learned by heart counts. By its "
        "published programs the label is that of the position one ply earlier, and planes were cut up so that "
        "neighbouring cells did not stay neighbours for the convolutions. It has no yardsticks and no intervals."
    ),
    errors_note="The thesis does not say which range it mapped, so not even the size of its errors can be compared.",
    learning_note=(
        "The thesis's figures 6.1 to 6.3 and 7.8 to 7.10 show the same of its test positions, which it so looked at "
        "all along."
    ),
    rating_note=(
        "The thesis says about 2000, from 30 games against people on a server, results not listed; the two scales have "
        "nothing in common but the name."
    ),
    suite_note=(
        "The thesis's networks as in its figures 8.1 and 8.2, but judged by our engine and row by row of its table; "
        "moves that cannot be played are left out."
    ),
)

PUBLISHED = (LABELS,)
