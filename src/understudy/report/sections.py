"""The sections on what was done, the learning, and how to play against the result."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from understudy.report.blocks import (
    Block,
    Cell,
    Commands,
    Folded,
    Plot,
    Plots,
    Section,
    Table,
    Text,
    cells,
    is_number,
    lasting,
    number,
    percent,
    titled,
)
from understudy.report.comparing import changed_in, is_short, short_settings
from understudy.report.plots import Line, draw_lines
from understudy.report.sources import Run

MANY = 9
"""Numbers from which on a picture says more than a table."""


CURVE = "validation_accuracy."
"""Begins a point of a paper's learning curve; the epoch follows."""

HEADS = ("name", "title", "description", "minutes", "quick_minutes", "quick", "changed")
"""Options that stand above the table of options."""


def done_section(run: Run) -> Section | None:
    """Tell the experiment, its seeds and what it cost."""
    apart = ("paper", "quick", "variations") if _variations(run) else ("paper", "quick")
    options = dict(_flat({key: value for key, value in run.experiment.items() if key not in apart}))
    description = str(options.get("experiment.description") or options.get("description") or "").strip()
    rows = [
        cells(key, write_setting(value))
        for key, value in options.items()
        if key.removeprefix("experiment.") not in HEADS
    ]
    blocks: list[Block] = [Text(text) for text in _introduced(run, description) if text]
    if run.progress:
        blocks.append(Text(_cost(run)))
    if steps := _steps(run.cost):
        blocks.append(steps)
    if lines := [cells(name, _difference(varied)) for name, varied in _variations(run).items()]:
        blocks.append(Table(cells("student", "what is its own"), tuple(lines), "Its variations.", words=True))
    if rows:
        options_table = Table(
            cells("option", "value"), tuple(rows), "The experiment, from experiment.toml.", words=True
        )
        blocks.append(Folded(f"All {len(rows)} options" if len(rows) > 1 else "The one option", (options_table,)))
    return Section("What was done", tuple(blocks)) if blocks else None


def _steps(cost: Mapping[str, Any]) -> Table | None:
    """Return what each step took, by the clock and of cores."""
    steps = cost.get("steps", {})
    rows = [
        cells(titled(name), *(lasting(float(step.get(key, 0.0))) for key in ("wall_seconds", "cpu_seconds")))
        for name, step in steps.items()
    ]
    caption = f"What it took on a machine of {number(cost.get('cores', 'some'))} cores."
    return Table(cells("step", "by the clock", "of cores"), tuple(rows), caption) if rows else None


def _introduced(run: Run, description: str) -> list[str]:
    """Return what an experiment says of itself; a run in another form says so first, and tells what is in force."""
    changed = changed_in(run.experiment)
    if is_short(run.experiment):
        text = "The short form of this experiment." + (f" In full: {description}" if description else "")
        return [text, f"In force here: {_listed(short_settings(run.experiment) | changed)}."]
    if changed:
        text = f"With settings changed: {_listed(changed)}."
        return [text + (f" In its file: {description}" if description else "")]
    return [description]


def _listed(settings: Mapping[str, Any]) -> str:
    """Return settings in one line."""
    flat = _flat(settings)
    return ", ".join(f"{key} {number(value) if is_number(value) else write_setting(value)}" for key, value in flat)


def _variations(run: Run) -> Mapping[str, Any]:
    """Return the variations by name; none if somebody wrote them otherwise."""
    table = run.experiment.get("variations")
    return table if isinstance(table, Mapping) and all(isinstance(one, Mapping) for one in table.values()) else {}


def _difference(options: Mapping[str, Any]) -> str:
    """Return the options of a variation in one line."""
    return "; ".join(f"{key} {write_setting(value)}" for key, value in _flat(options)) or "nothing"


def _cost(run: Run) -> str:
    trainings = gather_trainings(run)
    students = list(dict.fromkeys(training.student for training in trainings))
    epochs = sum(len(training.lines) for training in trainings)
    spent = lasting(sum(training.seconds for training in trainings))
    nets = "1 network" if len(trainings) == 1 else f"{len(trainings)} networks"
    whose = f"{len(students)} students" if len(students) >= MANY else ", ".join(students)
    text = f"{nets} of {whose} learned for {number(epochs)} epochs in {spent}."
    if run.broken:
        text += f" {run.broken} of the lines in progress.jsonl could not be read and are left out."
    return text


def _flat(options: Mapping[str, Any], prefix: str = "") -> Iterator[tuple[str, Any]]:
    for key, value in options.items():
        if isinstance(value, Mapping):
            yield from _flat(value, f"{prefix}{key}.")
        elif isinstance(value, list) and value and all(isinstance(one, Mapping) for one in value):
            for place, one in enumerate(value, 1):
                yield from _flat(one, f"{prefix}{key}.{place}.")
        else:
            yield f"{prefix}{key}", value


def write_setting(value: Any) -> str:
    """Return a setting as people read it."""
    if value is None:
        return "not set"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, list):
        return ", ".join(map(write_setting, value))
    return str(value)


class Training(NamedTuple):
    """How one network of a student learned: a line for each epoch, in order; the lines count epochs from 0."""

    student: str
    network: str
    lines: tuple[Mapping[str, Any], ...]

    @property
    def best(self) -> Mapping[str, Any]:
        """The epoch whose weights were kept."""
        marked = [line for line in self.lines if line.get("best")]
        return marked[-1] if marked else max(self.lines, key=lambda line: line.get("validation_accuracy") or 0.0)

    @property
    def seconds(self) -> float:
        """What it cost; every epoch tells the time since the training began."""
        return max(float(line.get("seconds") or 0.0) for line in self.lines)

    def series(self, measure: str) -> tuple[list[float], list[float]]:
        """Return epochs, counted from 1 as people and papers do, and what was measured in them."""
        points = [(line["epoch"] + 1, line[measure]) for line in self.lines if is_number(line.get(measure))]
        return [float(epoch) for epoch, _ in points], [float(value) for _, value in points]


def gather_trainings(run: Run) -> list[Training]:
    """Return the trainings of a run; of an epoch that was told twice the last word counts."""
    trainings: dict[tuple[str, str], dict[float, Mapping[str, Any]]] = defaultdict(dict)
    for line in run.progress:
        if is_number(line.get("epoch")):
            trainings[str(line.get("student", "student")), str(line.get("network", "network"))][line["epoch"]] = line
    return [Training(*key, tuple(lines[epoch] for epoch in sorted(lines))) for key, lines in trainings.items()]


def learning_section(run: Run) -> Section | None:
    """Draw a picture for each student and tell the best epoch of each network."""
    trainings = gather_trainings(run)
    if not trainings:
        return None
    students = Counter(training.student for training in trainings)
    plots = [_curves(run, student, [one for one in trainings if one.student == student]) for student in students]
    kept = tuple(plot for plot in plots if plot is not None)
    note = "Accuracy against epochs. Solid: validation; dashed: training."
    blocks: list[Block] = [Plots(kept, note + _note_printed(run, trainings))] if kept else []
    columns = cells("network", "epochs", "best", "validation", "training", "time")
    rows = [_learned(training) for training in trainings]
    if any(_printed(run, training) for training in trainings):
        columns += cells("published validation", "epochs", "best", "time")
        rows = [row + _write_printed(_printed(run, one)) for row, one in zip(rows, trainings, strict=True)]
    table = Table(columns, tuple(rows), "Accuracy at the best epoch, whose weights are kept.")
    return Section("Learning", (*blocks, table))


def _printed(run: Run, training: Training) -> Mapping[str, float]:
    """Return what a paper prints of a network's training: `[paper.learning."STUDENT NETWORK"]`."""
    return run.paper.get("learning", {}).get(f"{training.student} {training.network}", {})


def _write_printed(printed: Mapping[str, float]) -> tuple[Cell, ...]:
    """Return the cells of a paper's training: what it reached, in how many epochs, after which one, in what time."""
    forms: dict[str, Callable[[float], str]] = {
        "validation_accuracy": percent,
        "epochs": number,
        "best_epoch": number,
        "seconds": lasting,
    }
    return cells(*(write(printed[key]) if key in printed else "" for key, write in forms.items()))


def _points_printed(run: Run, training: Training) -> list[tuple[int, float]]:
    """Return the points of a learning curve that a paper tells: `"validation_accuracy.5"` is after the fifth epoch."""
    told = _printed(run, training).items()
    return sorted((int(key[len(CURVE) :]), value) for key, value in told if key.startswith(CURVE))


def _note_printed(run: Run, trainings: Sequence[Training]) -> str:
    """Return what is to be said of a paper's learning curves: how they are drawn, and of few points their numbers."""
    told, drawn = [], ""
    for training in trainings:
        points = _points_printed(run, training)
        drawn = drawn or (" Dotted: published validation." if points else "")
        listed = ", ".join(f"{percent(share, 2)} after epoch {epoch}" for epoch, share in points[:MANY])
        few = 0 < len(points) < MANY
        told += [f" Published validation of {training.student} {training.network}: {listed}."] if few else []
    return drawn + "".join(told)


def _curves(run: Run, student: str, trainings: Sequence[Training]) -> Plot | None:
    lines = [
        Line(*training.series(measure), colour, quiet)
        for colour, training in enumerate(trainings)
        for measure, quiet in (("train_accuracy", True), ("validation_accuracy", False))
        if training.series(measure)[0]
    ]
    if not lines:
        return None
    for colour, training in enumerate(trainings):
        if points := _points_printed(run, training):
            epochs, shares = zip(*points, strict=True)
            lines.append(Line([float(epoch) for epoch in epochs], list(shares), colour, quiet=True, dotted=True))
    return Plot(draw_lines(lines, across="epochs"), student, tuple(training.network for training in trainings))


def _learned(training: Training) -> tuple[Cell, ...]:
    best = training.best
    shares = [best.get(measure) for measure in ("validation_accuracy", "train_accuracy")]
    return cells(
        f"{training.student} {training.network}",
        number(len(training.lines)),
        number(best["epoch"] + 1),
        *(percent(float(share)) if share is not None else "" for share in shares),
        lasting(training.seconds),
    )


def play_section(closing: Sequence[str]) -> Section:
    """Tell how to play against the result."""
    return Section("Play against it", (Commands(tuple(closing)),))
