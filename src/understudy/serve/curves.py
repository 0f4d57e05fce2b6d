"""How a run goes, as charts: whatever kind of experiment it is, from what its folder holds so far."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import groupby
from pathlib import Path
from typing import Any

import numpy as np

from understudy.errors import UnderstudyError
from understudy.files import load_json
from understudy.judges.scores import read_matches
from understudy.lab.glimpses import read_rows
from understudy.report.naming import shorten
from understudy.serve.lab_answers import Curve, CurveLine, PaperLine
from understudy.serve.paper_lines import find_evolved, find_printed, find_pupils
from understudy.sums import read_sound
from understudy.tensors import load_arrays

POINTS = 200
"""Points of a line: more than a screen can show are left out, the last one never."""
LINES = 8
"""Lines of a chart that can be told apart."""
WINDOW = 100
"""Games over which a share of games won is told, as in the sources of such curves."""
SHARE = "share"

Settings = Mapping[str, Any]


def draw_curves(folder: Path, settings: Settings, *, most: int | None = None) -> list[Curve]:
    """Return the charts of a run, those first that say much; files that cannot be read are passed over."""
    curves: list[Curve] = []
    for make in MAKERS:
        if most is not None and len(curves) >= most:
            break
        try:
            curves += [curve for curve in make(folder, settings) if any(line.points for line in curve.lines)]
        except (UnderstudyError, ArithmeticError, AttributeError, LookupError, TypeError, ValueError):
            continue  # half written, or written by hand: the other charts are shown all the same
    return curves


def _glimpses(folder: Path, settings: Settings) -> Iterator[Curve]:
    """Yield how often first choices are legal, and right, on positions held out."""
    rows = [row for row in read_rows(folder) if isinstance(row.get("legal"), float)]
    sample = max((int(row.get("sample", 0)) for row in rows), default=0)
    for name, key, measure in (
        ("first choices that the rules allow", "legal", "legality.whole"),
        ("moves chosen as the teacher did", "right", "accuracy.whole"),
    ):
        lines = [CurveLine(name=student, points=_thin(list(_count_epochs(several, key))))
                 for student, several in _by_student(rows)]  # fmt: skip
        note = f"On {sample} positions that nobody learned from."
        yield _curve(name, "epochs", SHARE, lines, find_printed(settings, measure), note)


def _by_student(rows: Sequence[Mapping[str, Any]]) -> Iterator[tuple[str, list[Mapping[str, Any]]]]:
    ordered = sorted(rows, key=lambda row: str(row.get("student")))
    for student, several in groupby(ordered, key=lambda row: str(row.get("student"))):
        yield student, list(several)


def _count_epochs(rows: Sequence[Mapping[str, Any]], key: str) -> Iterator[list[float]]:
    """Yield the epochs of networks that learn one after another, counted through."""
    before = last = 0
    for row in rows:
        if row["at"] == 0 and last:
            before += last
        last = row["at"]
        yield [float(before + row["at"]), float(row[key])]


def _progress(folder: Path, settings: Settings) -> Iterator[Curve]:
    """Yield the accuracy of each network after each epoch, on rows held out and on those learned from."""
    lines, shares = [], True
    several = list(_by_network(read_lines(folder / "progress.jsonl")))
    for name, rows in several:
        shares &= all(0 <= row["validation_accuracy"] <= 1 for row in rows)
        lines.append(_line(name, ((row["epoch"] + 1, row["validation_accuracy"]) for row in rows)))
    if len(several) == 1:
        rows = several[0][1]
        lines[0].name = "held out"
        lines.append(_line("while learning", ((row["epoch"] + 1, row["train_accuracy"]) for row in rows)))
    unit = SHARE if shares else "accuracy"
    yield _curve(
        "accuracy of the networks", "epochs", unit, lines, [], "Each network is told the parts before its own."
    )
    losses = [_line(name, ((row["epoch"] + 1, row["validation_loss"]) for row in rows)) for name, rows in several]
    yield _curve("loss of the networks", "epochs", "loss", losses, [], "On rows held out; less is better.")


def _by_network(rows: Sequence[Mapping[str, Any]]) -> Iterator[tuple[str, list[Mapping[str, Any]]]]:
    names = dict.fromkeys((str(row["student"]), str(row["network"])) for row in rows)
    alone = len({student for student, _ in names}) == 1
    for student, network in names:
        own = [row for row in rows if (row["student"], row["network"]) == (student, network)]
        yield network if alone else student if network in ("whole", "value", "board") else f"{student}, {network}", own


def _monitor(folder: Path, settings: Settings) -> Iterator[Curve]:
    """Yield what the chromosomes of each measured generation won against whoever measures them."""
    monitor = _load(folder / "monitor.json")
    names, left_out = shorten(opponent for met in monitor.values() for opponent in met)
    for opponent in names:
        lines = []
        for student, met in monitor.items():
            rows = sorted((int(number), rows) for number, rows in met.get(opponent, {}).items())
            won = [(number, read_matches(row, place=opponent).results > 0) for number, row in rows if row]
            lines.append(_line(f"{student}, mean", ((number, games.mean()) for number, games in won)))
            lines.append(_line(f"{student}, best", ((number, games.mean(axis=1).max()) for number, games in won)))
        note = f"Of all chromosomes that were measured, and of the best of them. {left_out}".strip()
        title = f"games won against {names[opponent]}"
        yield _curve(title, "generations", SHARE, lines, find_evolved(settings, opponent), note)


def _generations(folder: Path, settings: Settings) -> Iterator[Curve]:
    """Yield the fitness of each generation, where the way to evolve has one."""
    rows = [row for row in read_lines(folder / "generations.jsonl") if isinstance(row.get("fitness"), dict)]
    lines = [
        _line(f"{name}, {key}", ((row["generation"], row["fitness"][key]) for row in own if key in row["fitness"]))
        for name, own in _by_student(rows)
        for key in ("best", "mean")
    ]  # fmt: skip
    yield _curve("fitness", "generations", "fitness", lines, [], "As evolution sees it: against rivals that change.")


def _snapshots(folder: Path, settings: Settings) -> Iterator[Curve]:
    """Yield what snapshots of pupils won when they were tried."""
    tried = _load(folder / "snapshots.json")
    names, left_out = shorten(opponent for entries in tried.values() for one in entries for opponent in one["won"])
    for opponent in names:
        lines = []
        for student, entries in tried.items():
            games = sorted({entry["games"] for entry in entries})
            means = [np.mean([one["won"][opponent] for one in entries if one["games"] == count]) for count in games]
            lines.append(_line(student, zip(games, means, strict=True)))
        note = f"Each snapshot was tried in games that nobody learned from. {left_out}".strip()
        title = f"games won against {names[opponent]}"
        yield _curve(title, "games", SHARE, lines, find_pupils(settings, opponent), note)


def _pupils_learning(folder: Path, settings: Settings) -> Iterator[Curve]:
    """Yield what pupils won of the games they learned from, as far as these are."""
    lines = []
    for path in sorted(folder.glob("pupils/*_0/training.safetensors")):
        results = load_arrays(path, "training")[0].get("results", np.zeros(0))
        played = _count_played(folder, path)
        windows = np.arange(WINDOW, min(played, len(results)) + 1, WINDOW)
        won = [(int(end), results[end - WINDOW : end].mean()) for end in windows]
        lines.append(_line(path.parent.name.removesuffix("_0"), won))
    yield _curve(
        "games won while learning", "games", SHARE, lines, [], f"Of each {WINDOW} games, the first repeat alone."
    )


def _count_played(folder: Path, path: Path) -> int:
    """Return how many games a training has: those of its last snapshot, since it is saved with them."""
    return max((int(file.stem) for file in path.parent.glob("snapshots/*.safetensors")), default=0)


def _errors(folder: Path, settings: Settings) -> Iterator[Curve]:
    """Yield the errors of networks fitted to tables of positions, by the size of the sample."""
    errors = _load(folder / "errors.json")
    held_out = [
        _line(name, ((one["games"], one["held_out"]["value"]) for one in rows)) for name, rows in errors.items()
    ]
    yield _curve("error on positions held out", "games sampled", "error", held_out, [], "Squared; less is better.")
    learned = [_line(name, ((one["games"], one["learned"]) for one in rows)) for name, rows in errors.items()]
    yield _curve("error on positions learned from", "games sampled", "error", learned, [], "Squared; less is better.")


MAKERS: tuple[Callable[[Path, Settings], Iterator[Curve]], ...] = (
    _glimpses,
    _snapshots,
    _monitor,
    _pupils_learning,
    _progress,
    _generations,
    _errors,
)
"""In the order in which charts are shown."""


def _curve(name: str, axis: str, unit: str, lines: Sequence[CurveLine], paper: Sequence[PaperLine], note: str) -> Curve:
    left_out = f" {len(lines) - LINES} more lines are left out." if len(lines) > LINES else ""
    return Curve(name=name, axis=axis, unit=unit, lines=list(lines[:LINES]), paper=list(paper), note=note + left_out)


def _line(name: str, points: Any) -> CurveLine:
    return CurveLine(name=name, points=_thin([[float(x), round(float(y), 5)] for x, y in points]))


def _thin(points: list[list[float]]) -> list[list[float]]:
    """Return at most so many points that lie evenly among all, the last one always."""
    if len(points) <= POINTS:
        return points
    return [points[int(place)] for place in np.linspace(0, len(points) - 1, POINTS)]


def _load(path: Path) -> dict[str, Any]:
    table = load_json(path) if path.exists() else {}
    return table if isinstance(table, dict) else {}


def read_lines(path: Path) -> list[dict[str, Any]]:
    """Return the objects of a file of JSON lines, without lines that were changed or that a kill left half written."""
    lines = path.read_bytes().splitlines() if path.exists() else []
    return [row for line in lines if isinstance(row := read_sound(line, path), dict)]
