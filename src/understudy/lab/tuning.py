"""Looking for better settings, as the thesis's chapter 6 does by hand: trials with Optuna, kept in SQLite.

The `[tune]` section names keys and what they may be: a list of values, or a table with `low`, `high` and perhaps `log`.
Each trial trains the experiment's first student with those keys changed and is worth its validation accuracy; test
rows are never looked at. Trials are pruned when they lag behind, and a stopped search goes on. SQLite has no checksums:
`tune.json` notes the trials once more, with its sum, and a search goes on only from what both tell.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

import optuna
from sqlalchemy.exc import SQLAlchemyError  # of the store that Optuna brings along

from understudy.config import overridden
from understudy.errors import BadOption, FileError, UnderstudyError, first_line
from understudy.files import load_json, make_folder, save_json
from understudy.lab import check, watch
from understudy.lab.kinds.imitation import learn, untrained
from understudy.lab.options.imitation import Experiment, Lesson, make_lesson_plan
from understudy.lab.run import Progress, Show
from understudy.locks import locked
from understudy.records.store import Records
from understudy.trainers.fitting import Epoch

NOTES = ".json"
"""The ending of the file beside a search's own that notes its trials, too."""
CURE = "delete both files to search anew"
ENDED = (optuna.trial.TrialState.COMPLETE, optuna.trial.TrialState.PRUNED)
BROKEN = (optuna.exceptions.OptunaError, SQLAlchemyError, ArithmeticError, AssertionError, AttributeError, LookupError,
          RuntimeError, TypeError, ValueError)  # fmt: skip
"""What a damaged file makes of those who read it."""


class Found(NamedTuple):
    """What a search has found so far."""

    trials: int
    accuracy: float
    settings: Mapping[str, Any]


def tune(experiment: Experiment, folder: Path, *, trials: int, show: Show) -> Found:
    """Go on with a search until it has *trials* trials; return the best."""
    space = dict(_space(experiment.tune))
    if not space:
        raise BadOption(f"experiment {experiment.name!r} has no [tune] section: it names keys and what they may be")
    check(experiment, folder)
    _check_space(experiment, space)
    make_folder(folder)
    path = folder / "tune.sqlite"
    with locked(path):
        records = watch(experiment, folder, show=show)
        try:
            return _search(_opened(experiment, path), experiment, records, space, path, trials=trials, show=show)
        except (optuna.exceptions.StorageInternalError, SQLAlchemyError) as error:
            raise FileError(f"cannot keep trials in {str(path)!r}: {first_line(error)}") from None


def _search(
    study: optuna.Study, experiment: Experiment, records: Records, space: Mapping[str, Any], path: Path, *, trials: int,
    show: Show,
) -> Found:  # fmt: skip
    """Go on with a search; the lock of its file is held."""
    while (done := _finished(study)) < trials:
        show(Progress("tuning", done / trials, _best_told(study)))
        # Lots of its own for each trial, by how many have ended: a killed search goes on as it would have gone.
        study.sampler = optuna.samplers.TPESampler(seed=done)
        trial = study.ask()
        try:
            study.tell(trial, _worth(experiment, records, _suggested(trial, space), trial, show))
        except optuna.TrialPruned:
            study.tell(trial, state=optuna.trial.TrialState.PRUNED)
        save_json(path.with_suffix(NOTES), _list_ended(study), sealed=True)
    return Found(_finished(study), study.best_value, study.best_params)


def _worth(experiment: Experiment, records: Records, changes: tuple[str, ...], trial: Any, show: Show) -> float:
    """Return the mean of the best validation accuracies of a student's networks."""
    lesson = _lesson(experiment, changes)
    sides = lesson.split(records)
    best: dict[str, float] = {}
    for unit, learning, event in learn(lesson, untrained(lesson), sides):
        if isinstance(event, Epoch):
            best[unit.name] = learning.best_accuracy
            show(
                Progress(
                    f"trial {trial.number}", 0.0, f"{unit.name}, epoch {learning.epoch}: {learning.best_accuracy:.1%}"
                )
            )
            if len(best) == 1:
                trial.report(learning.best_accuracy, learning.epoch)
                if trial.should_prune():
                    raise optuna.TrialPruned
    return sum(best.values()) / len(best)


def _lesson(experiment: Experiment, changes: tuple[str, ...]) -> Lesson:
    first = experiment.lessons[0]
    return make_lesson_plan(first.game, first.name, overridden(first.settings, changes))


def _opened(experiment: Experiment, path: Path) -> optuna.Study:
    """Return a search as it was kept; raise if its file holds other trials than were noted beside it."""
    notes = path.with_suffix(NOTES)
    noted = load_json(notes) if notes.exists() else []
    try:
        study = _study(experiment, path)
        same = _list_ended(study)[: len(noted)] == noted  # one more may have ended just before a kill
    except BROKEN as error:
        raise FileError(f"the search {str(path)!r} is damaged: {first_line(error)}; {CURE}") from None
    if not same:
        raise FileError(f"the search {str(path)!r} is damaged: its trials are not those of {notes.name!r}; {CURE}")
    return study


def _list_ended(study: optuna.Study) -> list[Any]:
    """Return what a search goes on from, as JSON has it: how each trial went that has come to an end."""
    trials = [trial for trial in study.get_trials(deepcopy=False) if trial.state in ENDED]
    return [
        [
            trial.state.name,
            trial.params,
            trial.value,
            [list(step) for step in sorted(trial.intermediate_values.items())],
        ]
        for trial in trials
    ]


def _study(experiment: Experiment, path: Path) -> optuna.Study:
    optuna.logging.set_verbosity(optuna.logging.WARNING)
    return optuna.create_study(
        study_name=experiment.name,
        storage=f"sqlite:///{path}",
        load_if_exists=True,
        direction="maximize",
        pruner=optuna.pruners.MedianPruner(n_startup_trials=4, n_warmup_steps=3),
    )


def _finished(study: optuna.Study) -> int:
    """Return how many trials have come to an end; one that was killed has not."""
    return sum(trial.state in ENDED for trial in study.get_trials(deepcopy=False))


def _best_told(study: optuna.Study) -> str:
    done = [trial for trial in study.get_trials(deepcopy=False) if trial.value is not None]
    return f"best so far {max(trial.value or 0.0 for trial in done):.2%}" if done else ""


def _space(table: Mapping[str, Any], path: str = "") -> Iterator[tuple[str, Any]]:
    """Yield each key with what it may be: dotted keys come as nested tables."""
    for key, value in table.items():
        name = f"{path}.{key}" if path else key
        if isinstance(value, dict) and "low" not in value:
            yield from _space(value, name)
        elif _is_range(value) or (isinstance(value, list) and value):
            yield name, value
        else:
            needed = "a list of values, or a table with numbers low and high, the lower one first, and perhaps log"
            raise BadOption(f"[tune] {name} must be {needed}")


def _is_range(value: Any) -> bool:
    if not (isinstance(value, dict) and {"low", "high"} <= set(value) <= {"low", "high", "log"}):
        return False
    low, high = value["low"], value["high"]
    counts = all(isinstance(end, int | float) and not isinstance(end, bool) for end in (low, high))
    return counts and low <= high and (low > 0 or not value.get("log"))


def _check_space(experiment: Experiment, space: Mapping[str, Any]) -> None:
    """Raise if a key cannot be one of the values it may have, the others being what they may be first."""
    ends = {name: choices if isinstance(choices, list) else [choices["low"], choices["high"]]
            for name, choices in space.items()}  # fmt: skip
    first = {name: values[0] for name, values in ends.items()}
    for name, value in ((name, value) for name, values in ends.items() for value in values):
        changes = tuple(f"{key}={json.dumps(chosen)}" for key, chosen in (first | {name: value}).items())
        try:
            untrained(_lesson(experiment, changes))
        except UnderstudyError as error:
            raise BadOption(f"[tune] {name}: {error}") from None


def _suggested(trial: optuna.Trial, space: Mapping[str, Any]) -> tuple[str, ...]:
    return tuple(f"{name}={json.dumps(_suggest(trial, name, choices))}" for name, choices in space.items())


def _suggest(trial: optuna.Trial, name: str, choices: Any) -> Any:
    if isinstance(choices, list):
        return trial.suggest_categorical(name, choices)
    low, high, log = choices["low"], choices["high"], bool(choices.get("log", False))
    if isinstance(low, int) and isinstance(high, int):
        return trial.suggest_int(name, low, high, log=log)
    return trial.suggest_float(name, float(low), float(high), log=log)
