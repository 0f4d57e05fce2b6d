"""The numbers that the chess thesis prints, to stand beside ours, and its table 8.1 in a report.

M. Sabatelli, Learning to Play Chess with Minimal Lookahead and Deep Value Neural Networks, Groningen 2017, tables 6.1
to 6.3, 7.1 and 7.2. Students are called as its combinations: `mlp_bitmap_1` is the perceptron on bitmaps of data set 1.
Table 8.1, its two networks' answers to a suite, stands in `table81.py`; what that makes of them the lab keeps beside
every answer, under `thesis`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from understudy.report.blocks import Cell, Table, cells, number
from understudy.report.labels.exams import Facts, by_cost, pawns
from understudy.report.labels.nearness import Pairs, PublishedLabels, PublishedNearness

NETWORKS = ("mlp", "cnn")
"""The two of its table 8.1, as our files name them."""


@dataclass(frozen=True, kw_only=True)
class Thesis(PublishedLabels):
    """What the thesis prints of students of labels, with its answers to a suite."""

    def suite_pictures(self, facts: Facts) -> dict[str, Pairs]:
        """Return its figures 8.1 and 8.2 anew, where the moves of its networks are legal."""
        rows = (facts.get("thesis") or {}).get("rows", ())
        return {f"{self.source}'s {who.upper()}": _worths(rows, who) for who in NETWORKS if rows}

    def suite_tables(self, answers: Mapping[str, Facts]) -> list[Table]:
        """Return what table 8.1 comes to, and the table row by row."""
        first, facts = next(iter(answers.items()))
        return [self._means(answers), _row_by_row(first, facts["thesis"])] if facts.get("thesis") else []

    def _means(self, answers: Mapping[str, Facts]) -> Table:
        """Return its networks as stated, as printed and anew, and every student."""
        there = next(iter(answers.values()))["thesis"]
        rows = [
            (
                Cell(f"{self.source}'s {who.upper()}"),
                *cells(str(there["best_moves"][who]), str(there["illegal"][who]), pawns(there["stated_mean"][who])),
                Cell(pawns(there["printed"][who]["mean_delta"])),
                *_anew(there["recomputed"][who]),
            )
            for who in NETWORKS
        ]
        ours = {name: facts["thesis"] for name, facts in by_cost(answers).items() if facts.get("thesis")}
        rows += [
            (Cell(name), Cell(str(one["best_moves"]["ours"])), *cells("", "", ""), *_anew(one["recomputed"]["ours"]))
            for name, one in ours.items()
        ]
        return Table(cells(*MEANS), tuple(rows), _means_caption(len(there["rows"])), dense=True)


MEANS = ("player", "best moves", "illegal", "stated", "column", "anew: moves", "mean delta", "median", "losing")
"""Columns of the table of means, from what the thesis says to what our engine finds."""


def _means_caption(rows: int) -> str:
    return (
        f"Table 8.1 of the thesis, {rows} rows: other best moves than the suite's key in some, one position twice and "
        "one not at all. Stated: the mean delta in its text; column: that of the numbers it prints; anew: what our "
        "engine makes of the moves that can be played, which is what compares with the students."
    )


def _worths(rows: Any, who: str) -> Pairs:
    costs = [row[f"{who}_cost"] for row in rows]
    return [(cost["pawns"] + cost["delta"], cost["pawns"]) if cost else None for cost in costs]


def _anew(costs: Mapping[str, Any] | None) -> tuple[Cell, ...]:
    if not costs:
        return cells("", "", "", "")
    mean, median = (pawns(costs[key]) for key in ("mean_delta", "median_delta"))
    return cells(number(costs["positions"]), mean, median, number(costs["losing_moves"]))


def _row_by_row(first: str, thesis: Mapping[str, Any]) -> Table:
    rows = [
        (
            Cell(f"{row['row']}, {row['id']}"),
            Cell(" or ".join(row["best"].split())),
            *(cell for who in NETWORKS for cell in _answer(row, who)),
            Cell(row["ours"] or "–", "", bool(row["ours_best"])),
            Cell(pawns((row["ours_cost"] or {}).get("delta"))),
        )
        for row in thesis["rows"]
    ]
    columns = cells("row", "best", "MLP", "printed", "anew", "CNN", "printed", "anew", first, "anew")
    caption = (
        "Table 8.1 row by row, deltas in pawns against the thesis's best move. In colour: best moves; in brackets: "
        "moves that cannot be played in that position."
    )
    return Table(columns, tuple(rows), caption, dense=True)


def _answer(row: Mapping[str, Any], who: str) -> tuple[Cell, ...]:
    move = row[who] if row[f"{who}_legal"] else f"({row[who]})"
    anew = (row[f"{who}_cost"] or {}).get("delta")
    return Cell(move, "", bool(row[f"{who}_best"])), Cell(f"{row[f'{who}_delta']:g}"), Cell(pawns(anew))


PRINTED: Mapping[str, PublishedNearness] = {
    "mlp_bitmap_1": PublishedNearness(0.9867, 0.9607, "6.1", 1_355_615),
    "mlp_algebraic_1": PublishedNearness(0.9695, 0.9358, "6.1", 1_355_615),
    "cnn_bitmap_1": PublishedNearness(0.9540, 0.9515, "6.2", 1_618_213),
    "cnn_algebraic_1": PublishedNearness(0.9170, 0.9033, "6.2", 1_618_213),
    "cnn_features_1": PublishedNearness(0.9891, 0.9744, "7.1", 845_283),
    "mlp_bitmap_2": PublishedNearness(0.9373, 0.9341, "6.1", 7_938_479),
    "mlp_algebraic_2": PublishedNearness(0.8745, 0.8728, "6.1", 7_938_479),
    "cnn_bitmap_2": PublishedNearness(0.8724, 0.8710, "6.2", 1_624_225),
    "cnn_algebraic_2": PublishedNearness(0.8388, 0.8372, "6.2", 1_624_225),
    "cnn_features_2": PublishedNearness(0.9648, 0.9626, "7.1", 848_295),
    "mlp_bitmap_3": PublishedNearness(0.6944, 0.6833, "6.1", 7_943_734),
    "mlp_algebraic_3": PublishedNearness(0.6988, 0.6621, "6.1", 7_943_734),
    "cnn_bitmap_3": PublishedNearness(0.6206, 0.6197, "6.2", 1_626_730),
    "cnn_algebraic_3": PublishedNearness(0.4848, 0.4686, "6.2", 1_626_730),
    "cnn_features_3": PublishedNearness(0.7802, 0.7782, "7.1", 849_550),
    "mlp_bitmap_4": PublishedNearness(0.0011, 0.0016, "6.3", 9_981_953),
    "mlp_algebraic_4": PublishedNearness(0.0019, 0.0021, "6.3", 9_981_953),
    # Table 7.2 prints 0.0019 and 0.0021 for it, which are the numbers of the algebraic perceptron.
    "cnn_bitmap_4": PublishedNearness(0.0020, 0.0022, "6.3", 1_617_211),
    "cnn_algebraic_4": PublishedNearness(0.0021, 0.0022, "6.3", 1_617_211),
    "cnn_features_4": PublishedNearness(0.0013, 0.0015, "7.2", 844_781),
}
"""By the name of the student, with the table of each, and how many weights its network has, normalisation included. How
many filters its network for features has the thesis does not say: 20, 30 and 50 are our reading."""

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
    unlike="its positions are others, and split one by one",
    errors_note="The thesis does not say which range it mapped, so not even the size of its errors can be compared.",
    learning_note=(
        "The thesis's figures 6.1 to 6.3 and 7.8 to 7.10 show the same of its test positions, which it so looked at "
        "all along."
    ),
    rating_note=(
        "The thesis says about 2000, from 30 games against people on a server, results not listed; the two scales have "
        "nothing in common but the name."
    ),
    match_note=(
        "The thesis, figure 8.4: its perceptron won 25.6 % and lost 24.7 % of all games against its convolutions, how "
        "many is not said; section 8.2.3: 62 % of such won endings were the perceptron's, and all were won. It chose "
        "the games of figures 8.5 to 8.7 by hand; here they are the first of each kind."
    ),
    ending_note=(
        "The thesis, figure 6.4, of one position without its FEN, two white pawns against a rook: networks that saw "
        "bitmaps said winning, those that saw algebraic boards said draw."
    ),
    suite_note=(
        "The thesis's networks as in its figures 8.1 and 8.2, but judged by our engine and row by row of its table; "
        "moves that cannot be played are left out."
    ),
)

PUBLISHED = (LABELS,)
