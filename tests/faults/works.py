"""Work that can be killed and gone on with: every kind of run, and the commands that write in parts."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

from safetensors import safe_open

from tests.games.chess.test_analyst_chess import fake
from tests.games.chess.test_positions_chess import long_games
from tests.lab.test_commands_lab import SMALLER
from tests.tiny import EVOLUTION, IMITATION, STAGES, TINY, VALUED, changed, save_material_table
from understudy import lab
from understudy.backends import Local
from understudy.games import find_game
from understudy.games.chess.endings import keep_endings
from understudy.games.chess.records import labelling
from understudy.games.chess.records.opinions import Judge
from understudy.games.chess.records.sources import gather
from understudy.games.morris.solving import making
from understudy.lab.experiments import KINDS, make_experiment
from understudy.lab.run import keep_quiet
from understudy.records.watch import Watch, watch

TIMES = {"seconds", "examples_per_second", "busy", "sum"}
"""Keys of what differs between two runs of the same work."""
PASSING = {"cost.json", "times.json", "series.json", "report.html", "report.md", "report.json"}
"""Files that tell of the time that something took."""


VALUED_KIND = "values from records"
"""Of the kind `values`, with steps of its own where an experiment has records."""
STAGED_KIND = "evolution in stages"
STAGED = {name: table for name, table in EVOLUTION.items() if name != "variations"} | {"stages": STAGES}
TINIES = TINY | {
    VALUED_KIND: VALUED["konane"],
    STAGED_KIND: changed(STAGED, trainer__kind="strategy", trainer__repeats=2, judging__keep_matches=2),
}
LONGER: dict[str, dict[str, Any]] = {
    **{kind: {"training__epochs": 4} for kind in ("imitation", "values", "labels")},
    "evolution": {"trainer__generations": 5},
    "offline": {"training__cycles": 8},
    "online": {"training__games": 600},
    VALUED_KIND: {"watch__regular": 10},
}
"""Changes that let trainings be stopped between epochs, too."""


def run_kind(kind: str) -> Callable[[Path], object]:
    """Return what does the tiny experiment of a kind."""

    def run(folder: Path) -> None:
        changes: dict[str, Any] = {**SMALLER.get(kind, {}), **LONGER.get(kind, {})}
        variations = changes.pop("variations", None)
        settings = changed(TINIES[kind], **changes)
        settings |= {"variations": variations} if variations else {}
        if kind == "labels" and not Path("table.parquet").exists():
            save_material_table(Path("table.parquet"))
        lab.run(make_experiment("tiny", settings, folder=Path()), folder)

    return run


def label(folder: Path) -> None:
    """Label some games, a part for each task."""
    folder.mkdir(exist_ok=True)
    source, engine = long_games(folder.parent, 4), f"./{fake(folder.parent, 'well')}"  # as in every folder
    labelling.PART_SECONDS = 0.0
    labelling.label_positions(lambda table: gather(source, table) and None, folder / "t.parquet", Judge(engine=engine),
                              identify=dict, backend=Local(2))  # fmt: skip


def watch_some(folder: Path) -> None:
    plan = Watch(teacher="searcher:depth=1", opponents=("random", "self"), regular=160, ply_limit=30)
    watch(find_game("konane", (5, 5)), plan, folder, backend=Local(2))


def keep_some(folder: Path) -> None:
    folder.mkdir(exist_ok=True)
    keep_endings(["KQvK", "KRvK", "KPvK"], folder / "t.parquet", sample=400)


def solve_some(folder: Path) -> None:
    """Solve an endgame of Morris, and keep what is known after every step."""
    making.KEEP_SECONDS, making.PART = 0.0, 20_000
    making.make_tables(folder, (3, 3), backend=Local(2))


def tune_some(folder: Path) -> None:
    from understudy.lab.tuning import tune

    settings = changed(IMITATION, watch__regular=6, watch__ply_limit=20, training__epochs=1)
    tune(make_experiment("tiny", settings, folder=Path()), folder, trials=6, show=keep_quiet)


WORKS: dict[str, Callable[[Path], object]] = {
    "solve": solve_some, "watch": watch_some, "label": label, "tablebase": keep_some, "tune": tune_some,
    **{kind: run_kind(kind) for kind in (*KINDS, VALUED_KIND, STAGED_KIND)},
}  # fmt: skip


def do(name: str, folder: str) -> None:
    """Do some work in a folder, or what is left of it; a table that is there is done."""
    os.chdir(folder)
    if not Path("out/t.parquet").exists():
        WORKS[name](Path("out"))


def read_all(folder: Path) -> dict[str, Any]:
    """Return what came of some work, without what tells of time."""
    files = [path for path in sorted(folder.rglob("*")) if path.is_file() and path.name not in PASSING]
    return {str(path.relative_to(folder)): _read(path) for path in files}


def _read(path: Path) -> Any:
    if path.suffix == ".jsonl":
        return [_timeless(json.loads(line)) for line in path.read_text().splitlines()]
    if path.suffix == ".json":
        return _timeless(json.loads(path.read_text()))
    if path.suffix == ".safetensors":
        with safe_open(path, framework="pt") as file:
            return {name: file.get_tensor(name).numpy().tobytes() for name in file.keys()}  # noqa: SIM118
    if path.suffix == ".sqlite":
        return _read_trials(path)
    if path.suffix == ".onnx":
        import onnx

        return onnx.load(path).graph.SerializeToString(deterministic=True)
    return path.read_bytes()


def _read_trials(path: Path) -> list[Any]:
    """Return the trials of a search that have ended; one that was killed has not, and another was made for it."""
    import optuna

    study = optuna.load_study(study_name=None, storage=f"sqlite:///{path}")
    return [(trial.state, trial.params, trial.value) for trial in study.trials if trial.state.is_finished()]


def _timeless(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _timeless(one) for key, one in value.items() if key not in TIMES}
    return [_timeless(one) for one in value] if isinstance(value, list) else value
