"""Evolution end to end: generations of tournaments on any backend, measured at every epoch, champions, a report.

A run folder holds for each student `evolvers/NAME.safetensors`, from which evolution goes on after its last whole
generation; `generations.jsonl`, a line for each generation; `epochs/NAME_GENERATION.safetensors`, all chromosomes
alive then; `monitor.json` and `baselines.json`, every match that measured them; `games.json` and `matches.json` of the
champions in the end.
"""

from __future__ import annotations

import json
import time
from pathlib import Path
from typing import Any

import numpy as np

from understudy import __version__
from understudy.backends import Local
from understudy.errors import BadOption, FileError
from understudy.experiments.evolution import Experiment, Lesson, pair_of
from understudy.files import load_json, make_folder, save_json, save_text
from understudy.judges.duels import score_lines
from understudy.labs.folders import keep_student, open_folder, play_command, same_board
from understudy.labs.news import News, Show
from understudy.players.evolved import load_evolved, save_evolved
from understudy.protocols import Backend
from understudy.report import build_report
from understudy.tensors import load_arrays, save_arrays
from understudy.trainers.arena import Alleles, Bred, Pairing, Stage, Trial, nonsense, play_timed
from understudy.trainers.evolution import Evolver
from understudy.trainers.evolvers import make_evolver

EARLY = (0, 1, 2, 5)
"""Generations that are measured although no epoch ends with them: most is learned early (E-14)."""
CHUNK = 10
"""Matches of one task between players that do not learn."""
MEASURING, JUDGING = 50_000, 60_000
"""Seeds of the games that measure and of those that grade."""


def run(experiment: Experiment, folder: Path, *, show: Show, backend: Backend = Local()) -> Path:
    """Do all of an experiment; return its report."""
    train_students(experiment, folder, show=show, backend=backend)
    judge_students(experiment, folder, show=show, backend=backend)
    return report(experiment, folder)


def train_students(experiment: Experiment, folder: Path, *, show: Show, backend: Backend = Local()) -> None:
    """Let every student evolve to its last generation, from where an earlier run left it."""
    open_folder(experiment, folder, identity=same_board)
    for name in ("epochs", "evolvers"):
        make_folder(folder / name)
    for lesson in experiment.lessons:
        Course(experiment, lesson, folder, backend, show).run()


class Course:
    """The evolution of one student, written down as it goes."""

    def __init__(self, experiment: Experiment, lesson: Lesson, folder: Path, backend: Backend, show: Show) -> None:
        self.experiment, self.lesson, self.folder, self.backend, self.show = experiment, lesson, folder, backend, show
        self.stage: Stage = lesson.stage(experiment.game)
        self.evolver: Evolver
        self.path = folder / "evolvers" / f"{lesson.name}.safetensors"
        self.seconds = 0.0

    def run(self) -> None:
        """Go to school if there is one, go on from the last generation to the one wanted, keep the champion."""
        ancestor = None
        if self.lesson.school.rounds:
            from understudy.labs.schools import attend  # evolution alone does not wait for PyTorch

            ancestor, self.seconds = attend(self.lesson, self.stage, self.folder, backend=self.backend, show=self.show)
        self.evolver = make_evolver(self.stage, self.lesson.trainer, ancestor)
        self._resume()
        if self.evolver.generation == 0:
            self._measure()
        self._evolve()
        self._keep_champion()

    def _resume(self) -> None:
        if not self.path.exists():
            _forget(self.folder, self.lesson.name, -1)
            return
        arrays, facts = load_arrays(self.path, "evolution")
        if facts.get("fingerprint") != self.lesson.fingerprint(self.experiment.about):
            raise BadOption(
                f"{str(self.path)!r} evolved with other settings than now; name another --run, or delete it"
            )
        try:
            self.evolver.restore(arrays)
        except (KeyError, ValueError) as error:
            raise FileError(f"{str(self.path)!r} does not hold an evolution: {error}; delete the file") from None
        self.seconds = float(facts.get("seconds", 0.0))
        _forget(self.folder, self.lesson.name, self.evolver.generation)

    def _evolve(self) -> None:
        """Ask, play, tell until the last generation; what is asked ahead keeps every worker busy."""
        goal, began, busy = self.lesson.trainer.generations, time.perf_counter(), 0.0
        if self.evolver.generation >= goal:
            return
        with self.backend.crew(play_timed, check=nonsense) as crew:
            while self.evolver.generation < goal:
                while (task := self.evolver.ask()) is not None:
                    crew.send(task)
                told = crew.receive()
                busy += told.seconds
                if (noted := self.evolver.tell(told.result)) is None:
                    continue
                spent = time.perf_counter() - began
                self.seconds += spent
                self._note({**noted, "busy": round(busy / (spent * self.backend.workers), 3)})
                began, busy = time.perf_counter(), 0.0
                if self._due():
                    self._measure()
                    began = time.perf_counter()

    def _note(self, noted: dict[str, Any]) -> None:
        """Write down a generation that has ended; nothing of it is lost from here on."""
        name, generation = self.lesson.name, self.evolver.generation
        entry = {"student": name, "generation": generation, "seconds": round(self.seconds, 3), **noted}
        _append(self.folder / "generations.jsonl", entry)
        facts = {"fingerprint": self.lesson.fingerprint(self.experiment.about), "seconds": self.seconds}
        save_arrays(self.path, self.evolver.arrays(), facts)
        self._tell(generation, noted)

    def _tell(self, generation: int, noted: dict[str, Any]) -> None:
        fitness = noted.get("fitness", {}).get("best")
        told = f"generation {generation}, {noted['games']} games" + (f", best {fitness:.2f}" if fitness else "")
        self.show(News(f"{self.lesson.name} evolves", generation / self.lesson.trainer.generations, told))

    def _due(self) -> bool:
        generation, trainer = self.evolver.generation, self.lesson.trainer
        return generation in EARLY or generation % trainer.epoch == 0 or generation == trainer.generations

    def _measure(self) -> None:
        """Keep all chromosomes, and let them meet those who measure; evolution hears nothing of it."""
        generation, name, judging = self.evolver.generation, self.lesson.name, self.experiment.judging
        save_arrays(
            self.folder / "epochs" / f"{name}_{generation:05}.safetensors",
            {"weights": self._alive()},
            {"student": name, "generation": generation},
        )
        whole = generation % self.lesson.trainer.epoch == 0 or generation == self.lesson.trainer.generations
        often = generation in EARLY or generation // self.lesson.trainer.epoch % judging.benchmark_epochs == 0
        for opponent in (*(judging.monitors if whole else ()), *(judging.benchmarks if often else ())):
            _add(self.folder / "monitor.json", [name, opponent, str(generation)], self._met(opponent))

    def _alive(self) -> Alleles:
        """Return all chromosomes; where a trainer has a champion it comes first."""
        alive: Alleles = self.evolver.population
        return alive if self.lesson.trainer.kind == "thesis" else np.vstack([self.evolver.champion(), alive])

    def _met(self, opponent: str) -> list[list[int]]:
        """Return the match of every chromosome against *opponent*."""
        chosen = self._alive()[: self.experiment.judging.measured]
        stage, generation = self.stage, self.evolver.generation
        tasks = [
            Trial(stage=stage, alleles=alleles, opponents=(opponent,), seed=(MEASURING, generation, place))
            for place, alleles in enumerate(chosen)
        ]
        return [list(told.result[0]) for told in self.backend.map(play_timed, tasks)]

    def _keep_champion(self) -> None:
        lesson, game = self.lesson, self.experiment.game
        facts = {
            "game": game.name, "size": f"{game.size[0]}x{game.size[1]}", "name": lesson.name,
            "depth": lesson.student.depth, "experiment": self.experiment.name, "understudy": __version__,
            "method": lesson.trainer.kind, "generations": self.evolver.generation, "seconds": self.seconds,
            "weights": self.stage.plan().length, "fingerprint": lesson.fingerprint(self.experiment.about),
        }  # fmt: skip
        path = self.folder / f"student_{lesson.name}.safetensors"
        save_evolved(path, self._champion(), network=lesson.network, facts=facts)

    def _champion(self) -> Alleles:
        """Return who stands for the student: where a trainer names nobody, the best of the last epoch measured."""
        monitored = _loaded(self.folder / "monitor.json").get(self.lesson.name, {})
        rows = [measured.get(str(self.evolver.generation)) for measured in monitored.values()]
        if self.lesson.trainer.kind != "thesis" or not any(rows):
            return self.evolver.champion()
        met = np.sum([_share_won(np.array(row)) for row in rows if row], axis=0)
        best: Alleles = self.evolver.population[int(np.argmax(met))]
        return best


def _share_won(rows: Any) -> Any:
    """Return what each row of matches is worth: games won less games lost, then how slowly it lost."""
    return rows[:, 0] + rows[:, 2] + 1e-4 * (rows[:, 1] + rows[:, 3])


def judge_students(experiment: Experiment, folder: Path, *, show: Show, backend: Backend = Local()) -> None:
    """Play the baselines, and let the champions meet their opponents and each other; what was done before stays."""
    _play_baselines(experiment, folder, backend, show)
    champions = {
        lesson.name: load_evolved(folder / f"student_{lesson.name}.safetensors") for lesson in experiment.lessons
    }
    bred = {name: Bred(one.network, one.alleles, int(one.facts["depth"])) for name, one in champions.items()}
    stamps = {name: f"{one.facts['fingerprint']} {one.facts['generations']}" for name, one in champions.items()}
    matches = _still_true(folder, stamps)
    pairs = [
        (name, opponent) for name in bred for opponent in (*experiment.judging.opponents, *bred) if opponent != name
    ]
    for place, (name, opponent) in enumerate(pairs):
        show(News("judging", place / len(pairs), f"{name} against {opponent}"))
        if opponent not in matches.setdefault(name, {}):
            players = (bred[name], bred.get(opponent, opponent))
            matches[name][opponent] = _matches(experiment, players, backend, JUDGING)
            save_json(folder / "matches.json", matches)
    save_json(folder / "games.json", {name: {"champion": _games(met)} for name, met in matches.items()})
    show(News("judging", 1.0))
    keep_student(folder, _best(matches, experiment), suffix="safetensors")


def _still_true(folder: Path, stamps: dict[str, str]) -> dict[str, Any]:
    """Return the matches played before, without those of champions that have changed since."""
    path = folder / "judged.json"
    known = _loaded(path)
    changed = {name for name, stamp in stamps.items() if known.get(name) != stamp}
    matches = {
        name: {opponent: rows for opponent, rows in met.items() if opponent not in changed}
        for name, met in _loaded(folder / "matches.json").items()
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
        show(News("baselines", place / len(judging.baselines), baseline))
        if baseline not in _loaded(path):
            rows = _matches(
                experiment, pair_of(baseline), backend, MEASURING, judging.baseline_matches, opening_plies=0
            )
            _add(path, [baseline], rows)
    if judging.baselines:
        show(News("baselines", 1.0))


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
    return [list(meeting) for told in backend.map(play_timed, tasks) for meeting in told.result]


def report(experiment: Experiment, folder: Path) -> Path:
    """Write the report of whatever the run folder holds."""
    return build_report(folder, closing=[play_command(experiment.about, f"student:{folder}")])


def summary(experiment: Experiment, folder: Path) -> list[str]:
    """Return the few lines a person looks for first: what each champion wins."""
    return score_lines(_loaded(folder / "games.json"))


def _loaded(path: Path) -> Any:
    return load_json(path) if path.exists() else {}


def _add(path: Path, keys: list[str], rows: list[list[int]]) -> None:
    """Add rows to a JSON file of nested tables."""
    table = whole = _loaded(path)
    for key in keys[:-1]:
        table = table.setdefault(key, {})
    table[keys[-1]] = rows
    save_text(path, json.dumps(whole, separators=(",", ":")) + "\n")


def _append(path: Path, entry: dict[str, Any]) -> None:
    try:
        with path.open("a", encoding="utf-8") as file:
            file.write(json.dumps(entry) + "\n")
    except OSError as error:
        raise FileError(f"cannot write {str(path)!r}: {error.strerror or error}") from None


def _forget(folder: Path, student: str, generation: int) -> None:
    """Drop the lines of generations that were noted but not kept: they are played again."""
    path = folder / "generations.jsonl"
    if not path.exists():
        return
    lines = path.read_text(encoding="utf-8").splitlines(keepends=True)
    kept = [line for line in lines if not _later(line, student, generation)]
    if len(kept) < len(lines):
        save_text(path, "".join(kept))


def _later(line: str, student: str, generation: int) -> bool:
    try:
        entry = json.loads(line)
        return bool(entry["student"] == student and entry["generation"] > generation)
    except (ValueError, KeyError, TypeError):
        return True  # half a line, left by a kill
