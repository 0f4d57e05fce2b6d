"""Evolution end to end: generations of tournaments on any backend, measured at every epoch, champions, a report.

A run folder holds for each student `evolvers/NAME.safetensors` (`NAME.STAGE` where it has stages), from which evolution
goes on after its last whole generation; `generations.jsonl`, a line for each generation;
`epochs/NAME_GENERATION.safetensors`, all chromosomes alive then; `monitor.json` and `baselines.json`, every match that
measured them; `keeping.json`, those in which champions of epochs were tried; `games.json` and `matches.json` of the
champions in the end. A student that goes to school first leaves `school/NAME_ROUND.safetensors` for each round, and a
line in `school.jsonl`.
"""

from __future__ import annotations

import math
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from understudy import __version__
from understudy.errors import FileError
from understudy.judges.duels import score_lines
from understudy.lab.glimpses import Glimpses, draw_random
from understudy.lab.kinds.champions import (
    BASELINES,
    GENERATIONS,
    MEASURING,
    MONITOR,
    add_rows,
    forget,
    judge_students,
    monitor_plies,
    play_tasks,
)
from understudy.lab.kinds.keeping import keep_best
from understudy.lab.kinds.schooling import attend, rounds_made
from understudy.lab.options.evolution import Experiment, Lesson
from understudy.lab.run import Kind, Made, Run, Step
from understudy.players import make_player
from understudy.players.evolved import save_evolved
from understudy.tensors import load_arrays, load_facts, save_arrays
from understudy.trainers.evolution import make_evolver
from understudy.trainers.evolution.ancestors import widen
from understudy.trainers.evolution.arena import Stage, Trial, nonsense, play_timed
from understudy.trainers.evolution.breeding import Alleles
from understudy.trainers.evolution.evolver import Evolver

MEASURED = "measured.json"
"""From where the games of monitors began."""
EARLY = (0, 1, 2, 5)
"""Generations that are measured although no epoch ends with them: most is learned early (E-14)."""


def train_students(run: Run[Experiment]) -> None:
    """Let every student evolve to its last generation, from where an earlier run left it."""
    for lesson in run.experiment.lessons:
        Course(run, lesson).do()


def _made(run: Run[Experiment]) -> Iterator[Made]:
    """Yield the students that evolved in a run, stage by stage, and their rounds at school."""
    for lesson in run.experiment.lessons:
        for place in range(len(lesson.legs)):
            if (path := evolver_path(run, lesson, place)).exists():
                before = load_facts(path, "evolution").get("fingerprint")
                yield Made(repr(str(path)), before, lesson.fingerprint(run.experiment.about, place), "evolved")
        yield from rounds_made(run, lesson)
    for path in (run.folder / MONITOR, run.folder / BASELINES):
        if path.exists():
            before = run.load(MEASURED).get("opening_plies", 0)  # a run that says nothing is from before other starts
            yield Made(repr(str(path)), before, monitor_plies(run), "was measured")


def evolver_path(run: Run[Experiment], lesson: Lesson, place: int) -> Path:
    """Return from which file a stage of a student goes on."""
    stage = lesson.legs[place].name
    return run.folder / "evolvers" / f"{lesson.name}{f'.{stage}' if stage else ''}.safetensors"


class Course:
    """The evolution of one student, stage by stage, written down as it goes.

    Generations and games are counted through all stages.
    """

    def __init__(self, run: Run[Experiment], lesson: Lesson) -> None:
        self.run, self.lesson = run, lesson
        self.place, self.leg = 0, lesson.legs[0]
        self.stage: Stage = self.leg.stage(run.experiment.game)
        self.evolver: Evolver
        self.before, self.games, self.began = 0, 0, 0.0
        """Generations and games of earlier stages, and the seconds until this one began."""
        self.seconds = 0.0
        self.glimpses = Glimpses(run, lesson.name, draw_random(run.experiment.game))

    @property
    def path(self) -> Path:
        """From which file this stage goes on."""
        return evolver_path(self.run, self.lesson, self.place)

    @property
    def generation(self) -> int:
        """How many generations there were, in all stages."""
        return self.before + self.evolver.generation

    def do(self) -> None:
        """Go to school if there is one, go on from the last generation to the one wanted, keep the champion."""
        ancestor = None
        if self.lesson.school.rounds:
            ancestor, self.seconds = attend(self.run, self.lesson)
        elif self.lesson.ancestor:
            one, leg = self.lesson.ancestor, self.leg
            ancestor = widen(self.run.experiment.game, one.network, one.alleles, leg.network, seed=leg.trainer.seed)
        self._begin(ancestor)
        while self._evolve_stage():
            self._begin_next()
        self._keep_champion()

    def _begin(self, ancestor: Alleles | None) -> None:
        """Begin a stage, or stand where an earlier process left it."""
        self.evolver = make_evolver(self.stage, self.leg.trainer, ancestor)
        self._resume()

    def _begin_next(self) -> None:
        """Go on to the next stage, with the champion of this one made as wide as its network."""
        champion, network = self.evolver.champion(), self.leg.network
        self.before, self.games = self.generation, self.games + self.evolver.games
        self.place, self.began = self.place + 1, self.seconds
        self.leg = self.lesson.legs[self.place]
        self.stage = self.leg.stage(self.run.experiment.game)
        seed = self.leg.trainer.seed
        self._begin(widen(self.run.experiment.game, network, champion, self.leg.network, seed=seed))

    def _evolve_stage(self) -> bool:
        """Evolve to the end of this stage; tell whether another one is to come."""
        last = self.place == len(self.lesson.legs) - 1
        if not last and evolver_path(self.run, self.lesson, self.place + 1).exists():
            return True  # it was done: the next one has begun
        self._forget(self.generation if self.path.exists() or self.place else -1)
        if self._due():
            self._measure()
        self._evolve()
        return not last and self.evolver.generation > 0 and not self.run.used_up()

    def _resume(self) -> None:
        if not self.path.exists():
            for place in range(self.place + 1, len(self.lesson.legs)):
                evolver_path(self.run, self.lesson, place).unlink(missing_ok=True)  # they began with another champion
            return
        arrays, facts = load_arrays(self.path, "evolution")
        try:
            self.evolver.restore(arrays)
            self._check_population()
            self.seconds = float(facts.get("seconds", 0.0))
        except (ArithmeticError, AssertionError, IndexError, KeyError, TypeError, ValueError) as error:
            reason = " ".join(str(error).split())
            raise FileError(f"{str(self.path)!r} does not hold this evolution: {reason}; delete the file") from None

    def _forget(self, generation: int) -> None:
        """Drop what was noted of later generations: they are played again."""
        forget(self.run, self.lesson.name, generation)
        self.glimpses.forget_after(generation)

    def _check_population(self) -> None:
        shape, wanted = self.evolver.population.shape, (self.leg.trainer.population, self.stage.plan().length)
        if shape != wanted or self.evolver.population.dtype != np.float64:
            raise ValueError(f"its chromosomes are {shape}, not {wanted}")
        for name in ("widths", "points", "matches"):
            if (told := getattr(self.evolver, name, None)) is not None and told.shape != wanted[:1]:
                raise ValueError(f"its {name} are {told.shape}, not {wanted[:1]}")

    def _evolve(self) -> None:
        """Ask, play, tell until the last generation; what is asked ahead keeps every worker busy."""
        began, busy = time.perf_counter(), 0.0
        started = began
        if self._finished():
            return
        with self.run.backend.crew(play_timed, check=nonsense) as crew:
            while not self._finished():
                while (task := self.evolver.ask()) is not None:
                    crew.send(task)
                played = crew.receive()
                busy += believable(played.seconds, time.perf_counter() - started)
                if (notes := self.evolver.tell(played.result)) is None:
                    continue
                spent = time.perf_counter() - began
                self.seconds += spent
                self._note({**notes, "busy": round(busy / (spent * self.run.backend.workers), 3)})
                began, busy = time.perf_counter(), 0.0
                if self._due():
                    self._measure()
                    began = time.perf_counter()

    def _finished(self) -> bool:
        """Tell whether the last generation has come, or the time or the budget is used up."""
        trainer, generation = self.leg.trainer, self.evolver.generation
        late = trainer.minutes is not None and self.seconds - self.began >= 60 * trainer.minutes
        return late or generation >= trainer.generations or (self.generation > 0 and self.run.used_up())

    def _note(self, notes: dict[str, Any]) -> None:
        """Write down a generation that has ended; nothing of it is lost from here on."""
        name, stage, notes = self.lesson.name, self.leg.name, {**notes, "games": self.games + notes["games"]}
        entry = {"student": name, "generation": self.generation, **({"stage": stage} if stage else {})}
        self.run.log({**entry, "seconds": round(self.seconds, 3), **notes}, GENERATIONS)
        facts = {"fingerprint": self._fingerprint(), "seconds": self.seconds}
        save_arrays(self.path, self.evolver.arrays(), facts)
        fitness = notes.get("fitness", {}).get("best")
        line = f"generation {self.generation}, {notes['games']} games" + (f", best {fitness:.2f}" if fitness else "")
        wanted = self.before + sum(leg.trainer.generations for leg in self.lesson.legs[self.place :])
        self.run.tell(f"{name} evolves", self.generation / wanted, line + (f", stage {stage}" if stage else ""))

    def _fingerprint(self) -> str:
        return self.lesson.fingerprint(self.run.experiment.about, self.place)

    def _due(self) -> bool:
        """Tell whether this generation is measured; the first of a later stage was, as the last of the one before."""
        if self.place and self.evolver.generation == 0:
            return False
        return self.generation in EARLY or self._is_whole()

    def _is_whole(self) -> bool:
        """Tell whether an epoch or a stage ends here."""
        trainer = self.leg.trainer
        return self.generation % trainer.epoch == 0 or self.evolver.generation == trainer.generations

    def _measure(self) -> None:
        """Let all chromosomes meet those who measure, unless they did, and keep them; evolution hears nothing of it."""
        generation, name, judging = self.generation, self.lesson.name, self.run.experiment.judging
        self.run.save(MEASURED, {"opening_plies": monitor_plies(self.run)})
        whole = self._is_whole()
        often = generation in EARLY or generation // self.leg.trainer.epoch % judging.benchmark_epochs == 0
        for opponent in (*(judging.monitors if whole else ()), *(judging.benchmarks if often else ())):
            if str(generation) not in self.run.load(MONITOR).get(name, {}).get(opponent, {}):
                add_rows(self.run, MONITOR, [name, opponent, str(generation)], self._meet(opponent))
        self._keep_generation()

    def _keep_generation(self) -> None:
        """Keep all chromosomes, and the champion of now as a student that can be played; look at what it chooses."""
        generation, name = self.generation, self.lesson.name
        path = epoch_path(self.run, name, generation)
        facts = {**self._facts(), "student": name, "generation": generation}
        save_evolved(path, self._champion(), network=self.leg.network, facts=facts, weights=self._alive())
        if self.run.experiment.judging.glimpses and self.glimpses.misses(generation):
            self.glimpses.keep_scenes()
            player = make_player(f"student:{path}", self.run.experiment.game)
            self.glimpses.look_at_player(player, generation, "generation")

    def _alive(self) -> Alleles:
        """Return all chromosomes; where a trainer has a champion it comes first."""
        alive: Alleles = self.evolver.population
        return alive if self.leg.trainer.kind == "thesis" else np.vstack([self.evolver.champion(), alive])

    def _meet(self, opponent: str) -> list[list[int]]:
        """Return the match of every chromosome against *opponent*.

        Each place in the population has an opening of its own, the same in every generation: so generations differ by
        who plays, and not by where they begin. Where no trainer names a champion these games choose it, so they have
        none of the openings that grade it.
        """
        chosen = self._alive()[: self.run.experiment.judging.measured]
        stage, generation = self.stage, self.generation
        tasks = [
            Trial(
                stage=stage, alleles=alleles, opponents=(opponent,), seed=(MEASURING, generation, place),
                opening_plies=monitor_plies(self.run), opening_seed=(MEASURING, place), judging=True, choosing=True,
            )
            for place, alleles in enumerate(chosen)
        ]  # fmt: skip
        return [list(result[0]) for result in play_tasks(self.run, tasks)]

    def _keep_champion(self) -> None:
        path = self.run.folder / f"student_{self.lesson.name}.safetensors"
        save_evolved(path, self._champion(), network=self.leg.network, facts=self._facts())

    def _facts(self) -> dict[str, Any]:
        """Return what a student's file says of itself."""
        lesson, game, experiment, leg = self.lesson, self.run.experiment.game, self.run.experiment, self.leg
        return {
            "game": game.name, "size": f"{game.size[0]}x{game.size[1]}", "name": lesson.name,
            "depth": lesson.student.depth, "experiment": experiment.name, "understudy": __version__,
            "method": leg.trainer.kind, "generations": self.generation, "seconds": self.seconds,
            "weights": self.stage.plan().length, "fingerprint": self._fingerprint(),
            **({"stage": leg.name} if leg.name else {}),
        }  # fmt: skip

    def _champion(self) -> Alleles:
        """Return who stands for the student: where a trainer names nobody, the best of the last epoch measured."""
        monitored = self.run.load(MONITOR).get(self.lesson.name, {})
        rows = [measured.get(str(self.generation)) for measured in monitored.values()]
        if self.leg.trainer.kind != "thesis" or not any(rows):
            return self.evolver.champion()
        met = np.sum([_share_won(np.array(row)) for row in rows if row], axis=0)
        best: Alleles = self.evolver.population[int(np.argmax(met))]
        return best


def believable(seconds: float, most: float) -> float:
    """Return how long a task took as its worker says; the worker's clock may be wrong, ours is not.

    No task took longer than *most*, and nothing but a note depends on it.
    """
    return min(max(seconds, 0.0), most) if math.isfinite(seconds) else 0.0


def epoch_path(run: Run[Experiment], student: str, generation: int) -> Path:
    """Return where all chromosomes of a generation are kept."""
    return run.folder / "epochs" / f"{student}_{generation:05}.safetensors"


def _share_won(rows: Any) -> Any:
    """Return what each row of matches is worth: games won less games lost, then how slowly it lost.

    Two games of a hundred plies add 0.02: never as much as a game.
    """
    return rows[:, 0] + rows[:, 2] + 1e-4 * (rows[:, 1] + rows[:, 3])


def judge_champions(run: Run[Experiment]) -> None:
    """Choose which champion of each student is kept, if they are to be tried, and let those meet their judges."""
    if run.experiment.judging.keep_matches:
        for lesson in run.experiment.lessons:
            keep_best(run, lesson)
    judge_students(run)


def summary(run: Run[Experiment]) -> list[str]:
    """Return the few lines a person looks for first: what each champion wins."""
    return score_lines(run.load("games.json"))


KIND = Kind(
    steps=(Step("learn", train_students), Step("judge", judge_champions)),
    summary=summary,
    made=_made,
    folders=("epochs", "evolvers"),
)
