"""How far two tables of labels agree on the positions that they share: how well anyone could repeat them at most.

An engine that looks six plies ahead does not repeat what it says after eight; a network cannot be asked to.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from understudy.errors import FileError
from understudy.games.chess.datasets import DATASETS
from understudy.games.chess.judges.datasets import graded
from understudy.games.chess.records.positions import PositionTable, load_positions
from understudy.games.chess.sampling import placement_keys
from understudy.judges.measures import Verdict


def agreement(one: Path, other: Path) -> dict[str, Verdict]:
    """Return for each data set of the thesis how well *other* repeats the labels of *one*."""
    tables = [_labelled(path) for path in (one, other)]
    rows, others = _shared(*(placement_keys(table.positions) for table in tables))
    if len(rows) == 0:
        raise FileError(f"{str(one)!r} and {str(other)!r} have no position in common")
    pawns, said = tables[0].pawns()[rows], tables[1].pawns()[others]
    groups = tables[0].game[rows].astype(np.int64)
    return {name: graded(dataset, said, pawns, groups) for name, dataset in DATASETS.items() if dataset.thesis}


def _labelled(path: Path) -> PositionTable:
    table = load_positions(path)
    if table.kind is None:
        raise FileError(f"{str(path)!r} holds positions without labels; `understudy label` gives them some")
    return table


def _shared(one: NDArray[np.uint64], other: NDArray[np.uint64]) -> tuple[NDArray[Any], NDArray[Any]]:
    """Return the rows of keys that both have, each key once."""
    keys, first = np.unique(one, return_index=True)
    known, second = np.unique(other, return_index=True)
    return first[np.isin(keys, known)], second[np.isin(known, keys)]


def agreement_lines(verdicts: dict[str, Verdict]) -> list[str]:
    """Return what there is to say of an agreement, a line for each data set."""
    lines = [f"positions in common: {verdicts['1']['accuracy'].sample}"]
    for name, verdict in verdicts.items():
        measure = verdict.get("accuracy") or verdict["squared error"]
        what = "classes alike" if "accuracy" in verdict else "mean squared error"
        lines.append(f"data set {name}: {what} {measure.value:.4f} ({measure.low:.4f} to {measure.high:.4f})")
    return [*lines, f"pawns apart: {verdicts['4']['error in pawns'].value:.2f}"]
