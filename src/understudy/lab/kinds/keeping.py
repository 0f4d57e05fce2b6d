"""Which champion of a student is kept: those of all epochs are tried, the better half of them again, until one is left.

The last champion need not be the best, and the one with the luckiest few games is not either. So each round has new
openings and twice as many matches as the one before, and what counts is all points so far. These openings grade nobody
(`random_openings`, choosing). `keeping.json` has every match, and a trial that was stopped goes on.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from understudy.backends.shared import Shared
from understudy.lab.judging import opening_plies
from understudy.lab.kinds.champions import Terms, play_matches, save_rows
from understudy.lab.options.evolution import Experiment, Lesson
from understudy.lab.run import Run
from understudy.lab.settings import fingerprint_of
from understudy.players.evolved import Evolved, load_evolved, save_evolved
from understudy.trainers.evolution.arena import Bred

KEEPING = "keeping.json"
SEED = 56_000
"""Of the games of the first round; each round has another. Apart from the seeds of champions.py and of evolution."""


def keep_best(run: Run[Experiment], lesson: Lesson) -> None:
    """Make the best champion of all epochs the student."""
    path = run.folder / f"student_{lesson.name}.safetensors"
    student = load_evolved(path).facts
    last = int(student.get("last", student["generations"]))  # one that was kept before tells when its evolution ended
    candidates = _load_candidates(run, lesson, last)
    if not candidates:
        return
    generation = _try(run, lesson, candidates)
    kept = candidates[generation]
    facts = {name: value for name, value in kept.facts.items() if name not in ("student", "generation", "network")}
    save_evolved(path, kept.alleles, network=kept.network, facts={**facts, "last": last})


def _load_candidates(run: Run[Experiment], lesson: Lesson, last: int) -> dict[int, Evolved]:
    """Return the champions that were kept of generations, but the first one, which nobody evolved."""
    files = sorted((run.folder / "epochs").glob(f"{lesson.name}_[0-9][0-9][0-9][0-9][0-9]*.safetensors"))
    numbers = {int(file.stem.rpartition("_")[2]): file for file in files if file.stem.rpartition("_")[0] == lesson.name}
    return {number: load_evolved(file) for number, file in numbers.items() if 0 < number <= last}


def _try(run: Run[Experiment], lesson: Lesson, candidates: Mapping[int, Evolved]) -> int:
    """Return the generation whose champion is left when every round has sent away the worse half."""
    left, turn = sorted(candidates), 0
    while len(left) > 1:
        points = {number: _points(run, lesson, number, candidates[number], turn) for number in left}
        run.tell(f"{lesson.name} is tried", 1.0, f"round {turn + 1}, {len(left)} champions")
        # Of equals the later one stays.
        left = sorted(sorted(left, key=lambda number: (-points[number], -number))[: (len(left) + 1) // 2])
        turn += 1
    return left[0]


def _points(run: Run[Experiment], lesson: Lesson, number: int, one: Evolved, turn: int) -> float:
    """Return what a champion won in all rounds so far, the last of which may be played now."""
    judging = run.experiment.judging
    opponents = judging.keep_by or judging.opponents
    stamp = fingerprint_of(one.alleles.tolist(), one.depth, opponents, judging.keep_matches, opening_plies(run))
    tried = run.load(KEEPING)
    entry = tried.get(lesson.name, {}).get(str(number), {})
    if entry.get("of") != stamp:
        entry = {"of": stamp, "rounds": []}
    if len(entry["rounds"]) <= turn:
        terms = Terms(judging.keep_matches << turn, opening_plies(run), SEED + turn, choosing=True)
        bred = Shared(Bred(one.network, one.alleles, one.depth))
        entry["rounds"].append({opponent: play_matches(run, (bred, opponent), terms) for opponent in opponents})
        tried.setdefault(lesson.name, {})[str(number)] = entry
        save_rows(run, KEEPING, tried)
    points: float = sum(_count_points(met) for met in entry["rounds"][: turn + 1])
    return points


def _count_points(met: Mapping[str, Any]) -> float:
    """Return the points of matches against several opponents, a tied game being half of one."""
    rows = [row for matches in met.values() for row in matches]
    return float(sum(1 + (row[0] + row[2]) / 2 for row in rows))
