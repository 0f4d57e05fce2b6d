"""How well students repeat an engine's labels: accuracy and errors with intervals that know of games, and yardsticks.

Positions of one game hang together, so intervals are those of a ratio over games, not over positions. What a student
says is compared with three who know less: whoever names the most frequent class or the mean, and whoever counts
material (Sabatelli 2017 has no such yardsticks; with some ways to normalise, a constant beats its best network).

How far two tables of labels agree on the positions that they share tells how well anyone could repeat them at most: an
engine that looks six plies ahead does not repeat what it says after eight, and a network cannot be asked to.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from understudy.errors import FileError
from understudy.games.chess.batches import placement_keys
from understudy.games.chess.datasets import CLIP, DATASETS, Dataset, classes_of, find_dataset, targets_of
from understudy.games.chess.records.positions import PositionTable, load_positions
from understudy.judges.measures import Z95, Measure, Verdict, write_verdict

DRAWS = find_dataset("1")


def clustered(numbers: NDArray[Any], groups: NDArray[np.int64]) -> Measure:
    """Return the mean of numbers with a 95 % interval that takes the games, not the positions, as independent."""
    exact = np.asarray(numbers, np.float64)
    if len(exact) == 0:
        return Measure(None, 0.0, 0.0, 0)
    mean, places = float(exact.mean()), np.unique(groups, return_inverse=True)[1]
    games = int(places.max()) + 1
    strays = np.bincount(places, weights=exact - mean)
    half = Z95 * float(np.sqrt((strays**2).sum() * games / max(games - 1, 1))) / len(exact)
    return Measure(mean, mean - half, mean + half, len(exact))


def graded(dataset: Dataset, guesses: NDArray[Any], pawns: NDArray[np.float64], groups: NDArray[np.int64], *,
           classes: NDArray[np.int64] | None = None) -> Verdict:  # fmt: skip
    """Return how near what a student *guesses*, in pawns, is to the labels; *classes* are those it chose, if it did."""
    chosen = classes_of(dataset, guesses) if classes is None and dataset.classes else classes
    verdict: Verdict = {}
    if chosen is not None:
        verdict["accuracy"] = clustered(chosen == classes_of(dataset, pawns), groups)
    else:
        scaled = (np.clip(guesses, -CLIP, CLIP) - pawns) / (2 * CLIP)
        verdict["squared error"] = clustered(scaled**2, groups)
        verdict["accuracy as data set 1"] = clustered(classes_of(DRAWS, guesses) == classes_of(DRAWS, pawns), groups)
    error = np.abs(np.clip(guesses, -CLIP, CLIP) - pawns)
    verdict["error in pawns"] = clustered(error, groups)
    decided = pawns != 0
    verdict["sign"] = clustered(np.sign(guesses[decided]) == np.sign(pawns[decided]), groups[decided])
    return verdict


def explained(guesses: NDArray[Any], pawns: NDArray[np.float64]) -> float:
    """Return the share of the labels' variance that a student explains."""
    return 1.0 - float(((np.clip(guesses, -CLIP, CLIP) - pawns) ** 2).mean() / max(pawns.var(), 1e-12))


def wrongs(
    dataset: Dataset, guesses: NDArray[Any], pawns: NDArray[np.float64], classes: NDArray[np.int64] | None
) -> NDArray[np.float32]:
    """Return how wrong a student is about each position: 1 for a wrong class, or the squared error."""
    if classes is not None:
        wrong: NDArray[Any] = classes != classes_of(dataset, pawns)
    else:
        wrong = ((np.clip(guesses, -CLIP, CLIP) - pawns) / (2 * CLIP)) ** 2
    return wrong.astype(np.float32)


def balance(pawns: NDArray[np.float64]) -> dict[str, list[int]]:
    """Return how many positions each class of data sets 1 to 3 has."""
    return {
        name: np.bincount(classes_of(dataset, pawns), minlength=dataset.classes).tolist()
        for name, dataset in DATASETS.items()
        if dataset.classes
    }


def material(positions: Any) -> NDArray[np.float64]:
    """Return how many pieces of each kind the mover has more, and a column of ones [positions, 6]."""
    kinds = (positions.pawns, positions.knights, positions.bishops, positions.rooks, positions.queens)
    mine = [np.bitwise_count(kind & positions.mine) for kind in kinds]
    theirs = [np.bitwise_count(kind & positions.theirs) for kind in kinds]
    return np.stack([*np.subtract(mine, theirs, dtype=np.float64), np.ones(len(positions.mine))], axis=1)


def yardsticks(learned: tuple[Any, NDArray[np.float64]], asked: tuple[Any, NDArray[np.float64]],
               groups: NDArray[np.int64]) -> dict[str, dict[str, Verdict]]:  # fmt: skip
    """Return the verdicts on who always says the same and on who counts material, for each data set."""
    weights = np.linalg.lstsq(material(learned[0]), learned[1], rcond=None)[0]
    counted = material(asked[0]) @ weights
    verdicts: dict[str, dict[str, Verdict]] = {}
    for name, dataset in DATASETS.items():
        usual = np.full(len(asked[1]), learned[1].mean())
        chosen = None
        if dataset.classes:
            chosen = np.full(len(asked[1]), np.bincount(targets_of(dataset, learned[1])).argmax())
        verdicts[name] = {
            "always the same": graded(dataset, usual, asked[1], groups, classes=chosen),
            "counts material": graded(dataset, counted, asked[1], groups),
        }
    return verdicts


class Agreement(NamedTuple):
    """How far two tables of labels agree on the positions that they share."""

    verdicts: dict[str, Verdict]
    """For each data set of the thesis, how well the second repeats the first."""
    bias: Measure
    """How many pawns more the second gives the side to move, in the mean."""
    correlation: float | None
    """Of the labels in pawns (Pearson's); None where one of the two always says the same."""


def agreement(one: Path, other: Path) -> Agreement:
    """Return how well *other* repeats the labels of *one*."""
    tables = [_labelled(path) for path in (one, other)]
    rows, others = _shared(*(placement_keys(table.positions) for table in tables))
    if len(rows) == 0:
        raise FileError(f"{str(one)!r} and {str(other)!r} have no position in common")
    pawns, repeated = tables[0].pawns()[rows], tables[1].pawns()[others]
    groups = tables[0].game[rows].astype(np.int64)
    verdicts = {name: graded(dataset, repeated, pawns, groups) for name, dataset in DATASETS.items() if dataset.thesis}
    return Agreement(verdicts, clustered(repeated - pawns, groups), correlated(pawns, repeated))


def correlated(one: NDArray[np.float64], other: NDArray[np.float64]) -> float | None:
    """Return Pearson's correlation; None where one of the two never changes."""
    if np.ptp(one) == 0 or np.ptp(other) == 0:
        return None
    return float(np.corrcoef(one, other)[0, 1])


def _labelled(path: Path) -> PositionTable:
    table = load_positions(path)
    if table.kind is None:
        raise FileError(f"{str(path)!r} holds positions without labels; `understudy label` gives them some")
    return table


def _shared(one: NDArray[np.uint64], other: NDArray[np.uint64]) -> tuple[NDArray[Any], NDArray[Any]]:
    """Return the rows of keys that both have, each key once."""
    keys, first = np.unique(one, return_index=True)
    other_keys, second = np.unique(other, return_index=True)
    return first[np.isin(keys, other_keys)], second[np.isin(other_keys, keys)]


def agreement_json(found: Agreement) -> dict[str, Any]:
    """Return an agreement as plain data: the verdicts by data set, and what there is to say of pawns."""
    return {
        **{name: write_verdict(verdict) for name, verdict in found.verdicts.items()},
        "positions": found.bias.sample,
        "pawns_apart": found.verdicts["4"]["error in pawns"].value,
        "bias": found.bias.value,
        "bias_interval": [found.bias.low, found.bias.high],
        "correlation": found.correlation,
    }


def agreement_lines(found: Agreement) -> list[str]:
    """Return what there is to say of an agreement, a line for each data set."""
    lines = [f"positions in common: {found.bias.sample}"]
    for name, verdict in found.verdicts.items():
        measure = verdict.get("accuracy") or verdict["squared error"]
        what = "classes alike" if "accuracy" in verdict else "mean squared error"
        lines.append(f"data set {name}: {what} {measure.value:.4f} ({measure.low:.4f} to {measure.high:.4f})")
    correlation = (
        "unknown, one of the two always says the same" if found.correlation is None else f"{found.correlation:.2f}"
    )
    return [
        *lines,
        f"pawns apart: {found.verdicts['4']['error in pawns'].value:.2f}",
        f"bias of the second for the side to move, in pawns: {found.bias.value:+.2f} "
        f"({found.bias.low:+.2f} to {found.bias.high:+.2f})",
        f"correlation: {correlation}",
    ]
