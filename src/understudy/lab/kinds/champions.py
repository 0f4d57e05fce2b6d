"""The end of an evolution: baselines, and champions against their judges and each other.

What was played before stays, unless a champion or the terms of its matches have changed since.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from understudy.files import save_json
from understudy.lab.kinds.journals import add_rows, loaded
from understudy.lab.options.evolution import Experiment, pair_of
from understudy.lab.run import Progress, Run, Show
from understudy.players.evolved import load_evolved
from understudy.protocols import Backend
from understudy.trainers.evolution.arena import Bred, Pairing, Task, nonsense, play_timed

CHUNK = 10
"""Matches of one task between players that do not learn."""
MEASURING, JUDGING = 50_000, 60_000
"""Seeds of the games that measure and of those that grade."""


def judge_students(run: Run[Experiment]) -> None:
    """Play the baselines, and let the champions meet their opponents and each other; what was done before stays."""
    experiment, folder, show, backend = run.experiment, run.folder, run.show, run.backend
    _play_baselines(experiment, folder, backend, show)
    champions = {
        lesson.name: load_evolved(folder / f"student_{lesson.name}.safetensors") for lesson in experiment.lessons
    }
    bred = {name: Bred(one.network, one.alleles, one.depth) for name, one in champions.items()}
    terms = f"{experiment.judging.matches} {experiment.judging.opening_plies}"
    stamps = {
        name: f"{one.facts['fingerprint']} {one.facts['generations']} {one.depth} {terms}"
        for name, one in champions.items()
    }
    matches = _still_true(folder, stamps)
    pairs = [
        (name, opponent) for name in bred for opponent in (*experiment.judging.opponents, *bred) if opponent != name
    ]
    for place, (name, opponent) in enumerate(pairs):
        show(Progress("judging", place / len(pairs), f"{name} against {opponent}"))
        if opponent not in matches.setdefault(name, {}):
            players = (bred[name], bred.get(opponent, opponent))
            matches[name][opponent] = _matches(experiment, players, backend, JUDGING)
            save_json(folder / "matches.json", matches)
    save_json(folder / "games.json", {name: {"champion": _games(met)} for name, met in matches.items()})
    show(Progress("judging", 1.0))
    run.keep_student(_best(matches, experiment), suffix="safetensors")


def _still_true(folder: Path, stamps: dict[str, str]) -> dict[str, Any]:
    """Return the matches played before, without those of champions that have changed since."""
    path = folder / "judged.json"
    known = loaded(path)
    changed = {name for name, stamp in stamps.items() if known.get(name) != stamp}
    matches = {
        name: {opponent: rows for opponent, rows in met.items() if opponent not in changed}
        for name, met in loaded(folder / "matches.json").items()
        if name not in changed
    }
    save_json(folder / "matches.json", matches)
    save_json(path, stamps)
    return matches


def _games(met: dict[str, Any]) -> dict[str, list[list[int]]]:
    """Return games lost, drawn and won as the first and as the second player, from matches."""
    counts = {}
    for opponent, rows in met.items():
        results = np.array(rows)[:, [0, 2]]
        counts[opponent] = [[int((results[:, side] == sign).sum()) for sign in (-1, 0, 1)] for side in (0, 1)]
    return counts


def _best(matches: dict[str, Any], experiment: Experiment) -> str:
    """Return the student that wins most against those who judge all of them."""

    def won(name: str) -> float:
        return float(sum(np.array(matches[name][who])[:, [0, 2]].sum() for who in experiment.judging.opponents))

    return max((lesson.name for lesson in experiment.lessons), key=won)


def _play_baselines(experiment: Experiment, folder: Path, backend: Backend, show: Show) -> None:
    path, judging = folder / "baselines.json", experiment.judging
    for place, baseline in enumerate(judging.baselines):
        show(Progress("baselines", place / len(judging.baselines), baseline))
        if len(loaded(path).get(baseline, ())) != judging.baseline_matches:
            rows = _matches(
                experiment, pair_of(baseline), backend, MEASURING, judging.baseline_matches, opening_plies=0
            )
            add_rows(path, [baseline], rows)
    if judging.baselines:
        show(Progress("baselines", 1.0))


def _matches(
    experiment: Experiment, players: tuple[str | Bred, str | Bred], backend: Backend, seed: int,
    matches: int | None = None, opening_plies: int | None = None,
) -> list[list[int]]:  # fmt: skip
    """Return matches between two players, cut into tasks by their number alone."""
    judging = experiment.judging
    wanted = judging.matches if matches is None else matches
    plies = judging.opening_plies if opening_plies is None else opening_plies
    stage = experiment.lessons[0].stage(experiment.game)
    tasks = [
        Pairing(
            stage=stage, players=players, matches=min(CHUNK, wanted - first), opening_plies=plies,
            opening_seed=(seed, first), seed=(seed, first, 1),
        )
        for first in range(0, wanted, CHUNK)
    ]  # fmt: skip
    return [list(meeting) for result in results(backend, tasks) for meeting in result]


def results(backend: Backend, tasks: Sequence[Task]) -> Iterator[Any]:
    """Yield what came of tasks, in their order; a worker that returns nonsense is asked again."""
    return (told.result for told in backend.map(play_timed, tasks, check=nonsense))
