"""Evolution end to end: generations of tournaments on any backend, measured at every epoch, champions, a report.

A run folder holds for each student `evolvers/NAME.safetensors`, from which evolution goes on after its last whole
generation; `generations.jsonl`, a line for each generation; `epochs/NAME_GENERATION.safetensors`, all chromosomes
alive then; `monitor.json` and `baselines.json`, every match that measured them; `games.json` and `matches.json` of the
champions in the end.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from understudy import __version__
from understudy.errors import FileError
from understudy.judges.tournament import score_lines
from understudy.lab.kinds.champions import MEASURING, judge_students, results
from understudy.lab.kinds.journals import add_rows, forget, loaded
from understudy.lab.options.evolution import Experiment, Lesson
from understudy.lab.run import Kind, Made, Progress, Run, Show, Step, append_line
from understudy.players.evolved import save_evolved
from understudy.protocols import Backend
from understudy.tensors import load_arrays, load_facts, save_arrays
from understudy.trainers.evolution import make_evolver
from understudy.trainers.evolution.arena import Alleles, Stage, Trial, nonsense, play_timed
from understudy.trainers.evolution.evolver import Evolver

EARLY = (0, 1, 2, 5)
"""Generations that are measured although no epoch ends with them: most is learned early (E-14)."""


def train_students(run: Run[Experiment]) -> None:
    """Let every student evolve to its last generation, from where an earlier run left it."""
    experiment, folder, show, backend = run.experiment, run.folder, run.show, run.backend
    for lesson in experiment.lessons:
        Course(experiment, lesson, folder, backend, show).run()


def _made(run: Run[Experiment]) -> Iterator[Made]:
    """Yield the students that evolved in a run, and their rounds at school."""
    experiment, folder = run.experiment, run.folder
    for lesson in experiment.lessons:
        if (path := folder / "evolvers" / f"{lesson.name}.safetensors").exists():
            found = load_facts(path, "evolution").get("fingerprint")
            yield Made(repr(str(path)), found, lesson.fingerprint(experiment.about), "evolved")
        if lesson.school.rounds:
            from understudy.lab.kinds.schools import rounds_made  # evolution alone does not wait for PyTorch

            yield from rounds_made(lesson, folder)


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
            from understudy.lab.kinds.schools import attend  # evolution alone does not wait for PyTorch

            ancestor, self.seconds = attend(self.lesson, self.stage, self.folder, backend=self.backend, show=self.show)
        self.evolver = make_evolver(self.stage, self.lesson.trainer, ancestor)
        self._resume()
        if self._due():
            self._measure()
        self._evolve()
        self._keep_champion()

    def _resume(self) -> None:
        if not self.path.exists():
            forget(self.folder, self.lesson.name, -1)
            return
        arrays, facts = load_arrays(self.path, "evolution")
        try:
            self.evolver.restore(arrays)
            self._check_population()
        except (AssertionError, IndexError, KeyError, TypeError, ValueError) as error:
            told = " ".join(str(error).split())
            raise FileError(f"{str(self.path)!r} does not hold this evolution: {told}; delete the file") from None
        self.seconds = float(facts.get("seconds", 0.0))
        forget(self.folder, self.lesson.name, self.evolver.generation)

    def _check_population(self) -> None:
        found, wanted = self.evolver.population.shape, (self.lesson.trainer.population, self.stage.plan().length)
        if found != wanted:
            raise ValueError(f"its chromosomes are {found}, not {wanted}")

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
        append_line(self.folder / "generations.jsonl", entry)
        facts = {"fingerprint": self.lesson.fingerprint(self.experiment.about), "seconds": self.seconds}
        save_arrays(self.path, self.evolver.arrays(), facts)
        self._tell(generation, noted)

    def _tell(self, generation: int, noted: dict[str, Any]) -> None:
        fitness = noted.get("fitness", {}).get("best")
        told = f"generation {generation}, {noted['games']} games" + (f", best {fitness:.2f}" if fitness else "")
        self.show(Progress(f"{self.lesson.name} evolves", generation / self.lesson.trainer.generations, told))

    def _due(self) -> bool:
        generation, trainer = self.evolver.generation, self.lesson.trainer
        return generation in EARLY or generation % trainer.epoch == 0 or generation == trainer.generations

    def _measure(self) -> None:
        """Keep all chromosomes, and let them meet those who measure, unless they did; evolution hears nothing of it."""
        generation, name, judging = self.evolver.generation, self.lesson.name, self.experiment.judging
        save_arrays(
            self.folder / "epochs" / f"{name}_{generation:05}.safetensors",
            {"weights": self._alive()},
            {"student": name, "generation": generation},
        )
        whole = generation % self.lesson.trainer.epoch == 0 or generation == self.lesson.trainer.generations
        often = generation in EARLY or generation // self.lesson.trainer.epoch % judging.benchmark_epochs == 0
        for opponent in (*(judging.monitors if whole else ()), *(judging.benchmarks if often else ())):
            path = self.folder / "monitor.json"
            if str(generation) not in loaded(path).get(name, {}).get(opponent, {}):
                add_rows(path, [name, opponent, str(generation)], self._met(opponent))

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
        return [list(result[0]) for result in results(self.backend, tasks)]

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
        monitored = loaded(self.folder / "monitor.json").get(self.lesson.name, {})
        rows = [measured.get(str(self.evolver.generation)) for measured in monitored.values()]
        if self.lesson.trainer.kind != "thesis" or not any(rows):
            return self.evolver.champion()
        met = np.sum([_share_won(np.array(row)) for row in rows if row], axis=0)
        best: Alleles = self.evolver.population[int(np.argmax(met))]
        return best


def _share_won(rows: Any) -> Any:
    """Return what each row of matches is worth: games won less games lost, then how slowly it lost."""
    return rows[:, 0] + rows[:, 2] + 1e-4 * (rows[:, 1] + rows[:, 3])


def summary(run: Run[Experiment]) -> list[str]:
    """Return the few lines a person looks for first: what each champion wins."""
    folder = run.folder
    return score_lines(loaded(folder / "games.json"))


KIND = Kind(
    steps=(Step("learn", train_students), Step("judge", judge_students)),
    summary=summary,
    made=_made,
    folders=("epochs", "evolvers"),
)
