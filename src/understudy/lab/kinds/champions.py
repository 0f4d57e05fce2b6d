"""What an evolution is measured by: matches as it goes, baselines, and champions against their judges and each other.

What was played before stays, unless a champion or the terms of its matches have changed since; what was noted of
generations that were not kept is dropped, since they are played again. Which of several champions becomes the student
of the run is chosen by matches of its own (`choosing.json`), not by those that are told (`matches.json`).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple, cast

import numpy as np

from understudy.backends.shared import Shared
from understudy.files import save_json
from understudy.judges.duels import write_score
from understudy.judges.scores import count_matches, read_matches
from understudy.judges.tournament import play_match
from understudy.lab.judging import count_plies, opening_plies
from understudy.lab.opinions import draw_rivalry
from understudy.lab.options.evolution import Experiment, pair_of
from understudy.lab.run import Run
from understudy.lab.samples import Thinker
from understudy.players import make_player
from understudy.players.evolved import load_evolved
from understudy.records.watch import keep_choices
from understudy.trainers.evolution.arena import Bred, Pairing, Task, nonsense, play_timed

CHUNK = 10
"""Matches of one task between players that do not learn."""
SAVED = 500
"""Matches of a baseline after which all are written down: a minute or so of the slowest."""
MEASURING, CHOOSING, JUDGING = 50_000, 55_000, 60_000
"""Seeds of the games that measure, of those that choose one of several champions and of those that grade: apart from
each other and from those of evolution."""
TRIED = 4
"""One match is played to choose for so many that are played to grade."""
GENERATIONS, MONITOR, BASELINES = "generations.jsonl", "monitor.json", "baselines.json"
MATCHES, CHOICE = "matches.json", "choosing.json"
SAMPLED_GAMES, SAMPLED_PLIES = 4, 4
"""Games of which samples for the report are drawn, and random plies that they begin with, so that they differ."""
SAMPLES = "samples.json"


class Terms(NamedTuple):
    """How many matches two players have, from openings of how many random plies, with which chance, and what for."""

    matches: int
    opening_plies: int
    seed: int
    choosing: bool = False


def judge_students(run: Run[Experiment]) -> None:
    """Play the baselines, and let the champions meet their opponents and each other; what was done before stays."""
    _play_baselines(run)
    judging, plies, names = (
        run.experiment.judging,
        opening_plies(run),
        [lesson.name for lesson in run.experiment.lessons],
    )
    champions = {name: load_evolved(run.folder / f"student_{name}.safetensors") for name in names}
    bred = {name: Shared(Bred(one.network, one.alleles, one.depth)) for name, one in champions.items()}
    stamps = {
        name: f"{one.facts['fingerprint']} {one.facts['generations']} {one.depth} {judging.matches} {plies}"
        for name, one in champions.items()
    }
    _drop_untrue(run, stamps)
    pairs = [(name, opponent) for name in bred for opponent in (*judging.opponents, *bred) if opponent != name]
    matches = _play_pairs(run, MATCHES, bred, pairs, Terms(judging.matches, plies, JUDGING))
    run.save("games.json", {name: {"champion": _count_games(met)} for name, met in matches.items()})
    _keep_samples(run, stamps)
    run.keep_student(_choose_champion(run, bred), suffix="safetensors", by_games=len(bred) > 1)


def _keep_samples(run: Run[Experiment], stamps: dict[str, str]) -> None:
    """Keep positions of each champion's games with what it thinks of them, beside the move of an opponent."""
    judging = run.experiment.judging
    met = (*judging.opponents, *judging.monitors, *judging.benchmarks)
    rivals = [opponent for opponent in met if not opponent.startswith("random")]  # nothing is learned from chance
    samples = run.load(SAMPLES) or {"students": {}, "of": {}}
    for name in [name for name, stamp in stamps.items() if samples["of"].get(name) != stamp] if rivals else ():
        samples["students"][name] = _draw_samples(
            run, f"student:{run.folder / f'student_{name}.safetensors'}", rivals[0]
        )
        samples["of"][name] = stamps[name]
        run.save(SAMPLES, samples)


def _draw_samples(run: Run[Experiment], student: str, rival: str) -> list[dict[str, Any]]:
    """Return positions in which a champion was to move in a few games against a rival."""
    game = run.experiment.game
    plies = max(opening_plies(run), SAMPLED_PLIES)
    meeting = play_match(
        game, (student, rival), games=SAMPLED_GAMES, seed=JUDGING, backend=run.backend, opening_plies=plies
    )
    rows = [
        row
        for place, played in enumerate(meeting.games)
        for row in keep_choices(game, played, number=place, side=place % 2)
    ]
    champion, other = make_player(student, game), make_player(rival, game, seed=JUDGING)
    return draw_rivalry(cast(Thinker, champion), other, [row.position for row in rows])


def _drop_untrue(run: Run[Experiment], stamps: dict[str, str]) -> None:
    """Leave of the matches played before those of champions that have not changed since."""
    before = run.load("judged.json")
    changed = {name for name, stamp in stamps.items() if before.get(name) != stamp}
    for file in (MATCHES, CHOICE):
        matches = {
            name: {opponent: rows for opponent, rows in met.items() if opponent not in changed}
            for name, met in run.load(file).items()
            if name not in changed
        }
        run.save(file, matches)
    run.save("judged.json", stamps)


def _play_pairs(
    run: Run[Experiment], file: str, bred: Mapping[str, Shared[Bred]], pairs: Sequence[tuple[str, str]], terms: Terms
) -> dict[str, Any]:
    """Return the matches of champions with whom they are paired; what a *file* has of them is not played again."""
    task, matches = "choosing" if terms.choosing else "judging", run.load(file)
    for place, (name, opponent) in enumerate(pairs):
        run.tell(task, place / len(pairs), f"{name} against {opponent}")
        if opponent not in matches.setdefault(name, {}):
            matches[name][opponent] = play_matches(run, (bred[name], bred.get(opponent, opponent)), terms)
            run.save(file, matches)
    run.tell(task, 1.0)
    return matches


def _choose_champion(run: Run[Experiment], bred: Mapping[str, Shared[Bred]]) -> str:
    """Return the student that wins most against those who judge all of them, in matches that grade nobody."""
    judging = run.experiment.judging
    pairs = [(name, opponent) for name in bred for opponent in judging.opponents if len(bred) > 1]
    terms = Terms(max(1, judging.matches // TRIED), opening_plies(run), CHOOSING, choosing=True)
    matches = _play_pairs(run, CHOICE, bred, pairs, terms)

    def won(name: str) -> int:
        return sum(int(np.array(rows)[:, [0, 2]].sum()) for rows in matches.get(name, {}).values())

    return max(bred, key=won)


def _count_games(met: dict[str, Any]) -> dict[str, list[list[int]]]:
    """Return the scores of a champion's matches, each as it is stored."""
    return {
        opponent: write_score(count_matches(read_matches(rows, place=f"matches against {opponent}")))
        for opponent, rows in met.items()
    }


def _play_baselines(run: Run[Experiment]) -> None:
    judging = run.experiment.judging
    for place, baseline in enumerate(judging.baselines):
        run.tell("baselines", place / len(judging.baselines), baseline)
        _play_baseline(run, baseline)
    if judging.baselines:
        run.tell("baselines", 1.0)


def _play_baseline(run: Run[Experiment], baseline: str) -> None:
    """Play the matches of a baseline that are missing, and write them down every so many."""
    wanted = run.experiment.judging.baseline_matches
    rows: list[list[int]] = run.load(BASELINES).get(baseline, [])
    if len(rows) != wanted:
        rows = rows[: min(len(rows), wanted) // CHUNK * CHUNK]  # a task is played whole or not at all
    while len(rows) < wanted:
        terms = Terms(min(wanted, len(rows) + SAVED), monitor_plies(run), MEASURING)
        rows += play_matches(run, pair_of(baseline), terms, done=len(rows))
        add_rows(run, BASELINES, [baseline], rows)
        run.tell(f"baseline {baseline}", len(rows) / wanted)


def play_matches(
    run: Run[Experiment], players: tuple[str | Shared[Bred], str | Shared[Bred]], terms: Terms, *, done: int = 0
) -> list[list[int]]:
    """Return matches between two players, cut into tasks by their number alone; those *done* are left out."""
    stage = run.experiment.lessons[0].stage(run.experiment.game)
    tasks = [
        Pairing(
            stage=stage, players=players, matches=min(CHUNK, terms.matches - first), opening_plies=terms.opening_plies,
            opening_seed=(terms.seed, first), seed=(terms.seed, first, 1), choosing=terms.choosing,
        )
        for first in range(done, terms.matches, CHUNK)
    ]  # fmt: skip
    return [list(meeting) for result in play_tasks(run, tasks) for meeting in result]


def monitor_plies(run: Run[Experiment]) -> int:
    """Return how many random plies the games begin with that measure generations and players that do not learn."""
    return count_plies(run.experiment.game, run.experiment.judging.monitor_opening_plies)


def play_tasks(run: Run[Experiment], tasks: Sequence[Task]) -> Iterator[Any]:
    """Yield what came of tasks, in their order; a worker that returns nonsense is asked again."""
    return (played.result for played in run.backend.map(play_timed, tasks, check=nonsense))


def add_rows(run: Run[Experiment], name: str, keys: list[str], rows: list[list[int]]) -> None:
    """Add rows to a JSON file of nested tables."""
    table = whole = run.load(name)
    for key in keys[:-1]:
        table = table.setdefault(key, {})
    table[keys[-1]] = rows
    save_rows(run, name, whole)


def save_rows(run: Run[Experiment], name: str, table: dict[str, Any]) -> None:
    """Write rows without spaces: there are thousands of them."""
    save_json(run.folder / name, table, indent=None, sealed=True)


def forget(run: Run[Experiment], student: str, generation: int) -> None:
    """Drop what was noted of later generations than the one kept: they are played again."""
    _forget_measures(run, student, generation)
    run.forget_lines(lambda line: line["student"] == student and line["generation"] > generation, GENERATIONS)


def _forget_measures(run: Run[Experiment], student: str, generation: int) -> None:
    measured = run.load(MONITOR)
    if student not in measured:
        return
    measured[student] = {
        opponent: {number: rows for number, rows in met.items() if int(number) <= generation}
        for opponent, met in measured[student].items()
    }
    save_rows(run, MONITOR, measured)
