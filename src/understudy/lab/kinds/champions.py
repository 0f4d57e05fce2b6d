"""What an evolution is measured by: matches as it goes, baselines, and champions against their judges and each other.

What was played before stays, unless a champion or the terms of its matches have changed since; what was noted of
generations that were not kept is dropped, since they are played again.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple, cast

import numpy as np

from understudy.files import save_text
from understudy.judges.tournament import play_match
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
MEASURING, JUDGING = 50_000, 60_000
"""Seeds of the games that measure and of those that grade: apart from each other and from those of evolution."""
SAMPLED_GAMES, SAMPLED_PLIES = 4, 4
"""Games of which samples for the report are drawn, and random plies that they begin with, so that they differ."""
SAMPLES = "samples.json"
GENERATIONS, MONITOR, MATCHES = "generations.jsonl", "monitor.json", "matches.json"


class Terms(NamedTuple):
    """How many matches two players have, from openings of how many random plies, and with which chance."""

    matches: int
    opening_plies: int
    seed: int


def judge_students(run: Run[Experiment]) -> None:
    """Play the baselines, and let the champions meet their opponents and each other; what was done before stays."""
    _play_baselines(run)
    judging, names = run.experiment.judging, [lesson.name for lesson in run.experiment.lessons]
    champions = {name: load_evolved(run.folder / f"student_{name}.safetensors") for name in names}
    bred = {name: Bred(one.network, one.alleles, one.depth) for name, one in champions.items()}
    stamps = {
        name: f"{one.facts['fingerprint']} {one.facts['generations']} {one.depth} "
        f"{judging.matches} {judging.opening_plies}"
        for name, one in champions.items()
    }
    matches = _keep_true(run, stamps)
    pairs = [(name, opponent) for name in bred for opponent in (*judging.opponents, *bred) if opponent != name]
    terms = Terms(judging.matches, judging.opening_plies, JUDGING)
    for place, (name, opponent) in enumerate(pairs):
        run.tell("judging", place / len(pairs), f"{name} against {opponent}")
        if opponent not in matches.setdefault(name, {}):
            matches[name][opponent] = _play_matches(run, (bred[name], bred.get(opponent, opponent)), terms)
            run.save(MATCHES, matches)
    run.save("games.json", {name: {"champion": _count_games(met)} for name, met in matches.items()})
    _keep_samples(run, stamps)
    run.tell("judging", 1.0)
    run.keep_student(_best(matches, run.experiment), suffix="safetensors")


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
    plies = max(run.experiment.judging.opening_plies, SAMPLED_PLIES)
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


def _keep_true(run: Run[Experiment], stamps: dict[str, str]) -> dict[str, Any]:
    """Return the matches played before, without those of champions that have changed since."""
    before = run.load("judged.json")
    changed = {name for name, stamp in stamps.items() if before.get(name) != stamp}
    matches = {
        name: {opponent: rows for opponent, rows in met.items() if opponent not in changed}
        for name, met in run.load(MATCHES).items()
        if name not in changed
    }
    run.save(MATCHES, matches)
    run.save("judged.json", stamps)
    return matches


def _count_games(met: dict[str, Any]) -> dict[str, list[list[int]]]:
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


def _play_baselines(run: Run[Experiment]) -> None:
    judging = run.experiment.judging
    for place, baseline in enumerate(judging.baselines):
        run.tell("baselines", place / len(judging.baselines), baseline)
        if len(run.load("baselines.json").get(baseline, ())) != judging.baseline_matches:
            rows = _play_matches(run, pair_of(baseline), Terms(judging.baseline_matches, 0, MEASURING))
            add_rows(run, "baselines.json", [baseline], rows)
    if judging.baselines:
        run.tell("baselines", 1.0)


def _play_matches(run: Run[Experiment], players: tuple[str | Bred, str | Bred], terms: Terms) -> list[list[int]]:
    """Return matches between two players, cut into tasks by their number alone."""
    stage = run.experiment.lessons[0].stage(run.experiment.game)
    tasks = [
        Pairing(
            stage=stage, players=players, matches=min(CHUNK, terms.matches - first), opening_plies=terms.opening_plies,
            opening_seed=(terms.seed, first), seed=(terms.seed, first, 1),
        )
        for first in range(0, terms.matches, CHUNK)
    ]  # fmt: skip
    return [list(meeting) for result in play_tasks(run, tasks) for meeting in result]


def play_tasks(run: Run[Experiment], tasks: Sequence[Task]) -> Iterator[Any]:
    """Yield what came of tasks, in their order; a worker that returns nonsense is asked again."""
    return (played.result for played in run.backend.map(play_timed, tasks, check=nonsense))


def add_rows(run: Run[Experiment], name: str, keys: list[str], rows: list[list[int]]) -> None:
    """Add rows to a JSON file of nested tables."""
    table = whole = run.load(name)
    for key in keys[:-1]:
        table = table.setdefault(key, {})
    table[keys[-1]] = rows
    _save_rows(run, name, whole)


def _save_rows(run: Run[Experiment], name: str, table: dict[str, Any]) -> None:
    """Write rows without spaces: there are thousands of them."""
    save_text(run.folder / name, json.dumps(table, separators=(",", ":")) + "\n")


def forget(run: Run[Experiment], student: str, generation: int) -> None:
    """Drop what was noted of later generations than the one kept: they are played again."""
    _forget_measures(run, student, generation)
    path = run.folder / GENERATIONS
    if not path.exists():
        return
    lines = path.read_text(encoding="utf-8").splitlines(keepends=True)
    kept = [line for line in lines if not _is_later(line, student, generation)]
    if len(kept) < len(lines):
        save_text(path, "".join(kept))


def _forget_measures(run: Run[Experiment], student: str, generation: int) -> None:
    measured = run.load(MONITOR)
    if student not in measured:
        return
    measured[student] = {
        opponent: {number: rows for number, rows in met.items() if int(number) <= generation}
        for opponent, met in measured[student].items()
    }
    _save_rows(run, MONITOR, measured)


def _is_later(line: str, student: str, generation: int) -> bool:
    try:
        entry = json.loads(line)
        return bool(entry["student"] == student and entry["generation"] > generation)
    except (ValueError, KeyError, TypeError):
        return True  # half a line, left by a kill
