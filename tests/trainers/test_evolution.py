"""Evolution as ask, play, tell: breeding, tournaments, three trainers, and what they keep to go on from."""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from itertools import combinations, product
from typing import Any

import numpy as np
import pytest

from understudy.backends.shared import make_packer
from understudy.errors import BadOption, UnderstudyError
from understudy.games import find_game
from understudy.report.evolution.selection import count_eliminations, decide_knockout
from understudy.search.evaluators.chromosome import NetworkOptions
from understudy.trainers.evolution import EVOLVERS, arena, make_evolver, steady
from understudy.trainers.evolution import evolver as halls
from understudy.trainers.evolution.arena import (
    RANDOM_NETWORK,
    Bred,
    Decision,
    Final,
    Finished,
    Meeting,
    Pairing,
    Stage,
    Timed,
    Trial,
    compare_formats,
    contender_of,
    decide,
    nonsense,
    play_final,
    play_task,
    play_timed,
    ready_for,
)
from understudy.trainers.evolution.breeding import (
    CROSSOVERS,
    by_units,
    perturbed,
    replaced,
    single_point,
    two_point,
    uniform,
    usual_weights,
)
from understudy.trainers.evolution.evolver import Hall, TrainerOptions, check_trainer, points
from understudy.trainers.evolution.generational import Genetic, Strategy, share_out
from understudy.trainers.evolution.steady import Steady

FOUR = find_game("lines_of_action", (4, 4))
STAGE = Stage(
    game="lines_of_action", size=(4, 4), network=NetworkOptions(inputs=("sides", "turn"), hidden=3), depth=1, limit=24
)
PLAN = STAGE.plan()
TINY = TrainerOptions(population=6, opponents=("random",), famous=2, opening_plies=2, lag=4, seed=3)


def options(**changes: Any) -> TrainerOptions:
    return replace(TINY, **changes)


# Matches and tournaments.


@pytest.mark.parametrize(
    ("meeting", "decision"),
    [
        ((1, 9, 1, 30), (0, 1)),
        ((-1, 9, -1, 30), (1, 1)),
        ((1, 9, 0, 100), (0, 2)),
        ((0, 100, 1, 9), (0, 2)),
        ((-1, 9, 0, 100), (1, 2)),
        ((0, 100, -1, 9), (1, 2)),
        ((1, 20, -1, 21), (0, 3)),
        ((1, 21, -1, 20), (1, 3)),
        ((-1, 20, 1, 21), (1, 3)),
        ((-1, 21, 1, 20), (0, 3)),
        ((1, 20, -1, 20), (0, 4)),
        ((-1, 20, 1, 20), (0, 4)),
        ((0, 100, 0, 100), (0, 4)),
        ((0, 40, 0, 100), (0, 4)),
    ],
)
def test_who_wins_a_match(meeting: tuple[int, int, int, int], decision: tuple[int, int]) -> None:
    assert decide(Meeting(*meeting)) == Decision(*decision)


def test_the_share_of_a_match() -> None:
    found = [points(Meeting(one, 9, other, 9)) for one, other in ((1, 1), (1, 0), (1, -1), (0, 0), (0, -1), (-1, -1))]
    assert found == [1.0, 0.75, 0.5, 0.5, 0.25, 0.0]


def marked(contenders: int) -> Any:
    """Return chromosomes whose last allele, the bias of the output, tells which they are."""
    alleles = np.zeros((contenders, PLAN.length))
    alleles[:, -1] = range(contenders)
    return alleles


TIE, WIN, LOSS = Meeting(0, 24, 0, 24), Meeting(1, 5, 1, 6), Meeting(-1, 5, -1, 6)
Table = dict[tuple[int, int], Meeting]


def final(monkeypatch: pytest.MonkeyPatch, table: Table, contenders: int = 4, **changes: Any) -> Finished:
    """Return what comes of a tournament with these matches; all others are tied."""

    def meet(self: Any, a: Any, b: Any, start: Any = None) -> Meeting:
        return table.get((int(a.evaluator.output_bias), int(b.evaluator.output_bias)), TIE)

    monkeypatch.setattr(arena.Ready, "meet", meet)
    return play_final(Final(stage=STAGE, alleles=marked(contenders), **changes))


def test_a_knockout(monkeypatch: pytest.MonkeyPatch) -> None:
    found = final(monkeypatch, {(0, 1): LOSS, (2, 3): WIN, (1, 2): LOSS})
    assert found.winner == 2
    assert found.matches == ((0, 1, 1, 1, *LOSS), (2, 3, 0, 1, *WIN), (1, 2, 1, 1, *LOSS))
    assert final(monkeypatch, {(0, 1): LOSS, (2, 3): LOSS, (1, 3): WIN}).winner == 1
    assert final(monkeypatch, {(0, 1): WIN, (2, 3): LOSS, (0, 3): LOSS}).winner == 3


def test_of_equals_the_older_one_wins(monkeypatch: pytest.MonkeyPatch) -> None:
    found = final(monkeypatch, {})
    assert found.winner == 0 and [match[:4] for match in found.matches] == [(0, 1, 0, 4), (2, 3, 0, 4), (0, 2, 0, 4)]
    found = final(monkeypatch, {(0, 1): LOSS})
    assert found.winner == 1 and found.matches[-1][:4] == (1, 2, 0, 4)


def test_a_coin_decides_only_where_nothing_else_does(monkeypatch: pytest.MonkeyPatch) -> None:
    winners = Counter(final(monkeypatch, {}, coin=True, seed=(seed,)).winner for seed in range(200))
    assert all(25 < winners[place] < 80 for place in range(4))
    table = {(0, 1): LOSS, (2, 3): WIN, (1, 2): WIN}
    assert {final(monkeypatch, table, coin=True, seed=(seed,)).winner for seed in range(20)} == {1}


def test_how_often_a_knockout_keeps_another_than_a_round_robin() -> None:
    """All 64 outcomes of four players, against appendix D counted on its own for the report."""
    pairs = list(combinations(range(4), 2))
    played = []
    for outcome in product((0, 1), repeat=6):
        matches = tuple((a, b, winner, 1, *WIN) for (a, b), winner in zip(pairs, outcome, strict=True))
        wins = [sum((a, b)[winner] == one for a, b, winner, *_ in matches) for one in range(4)]
        played.append(Finished(wins.index(max(wins)), matches))
    beats = [{pair: winner == 0 for pair, (_, _, winner, *_) in zip(pairs, one.matches, strict=True)} for one in played]
    kept = [decide_knockout(one | {(b, a): not first for (a, b), first in one.items()}) for one in beats]
    another = sum(one.winner != winner for one, winner in zip(played, kept, strict=True))
    assert compare_formats(played) == {"played": 64, "another": another}
    assert 0 < another <= 64 - count_eliminations().outright


def test_a_round_robin_tells_whom_a_knockout_would_have_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    """First 1 wins all three of its matches, and both keep it."""
    all_but_one = dict.fromkeys([(0, 1)], LOSS) | {(1, 2): WIN, (1, 3): WIN}
    same = final(monkeypatch, all_but_one, format="round_robin")
    assert compare_formats([same]) == {"played": 1, "another": 0}
    # 2 and 3 win two matches each, 2 the older; the knock-out keeps 3, who beat 2 and then 0.
    table = {(0, 1): WIN, (0, 2): LOSS, (0, 3): LOSS, (1, 2): LOSS, (1, 3): WIN, (2, 3): LOSS}
    other = final(monkeypatch, table, format="round_robin")
    assert other.winner == 2 and compare_formats([same, other]) == {"played": 2, "another": 1}


def test_other_numbers_of_contenders(monkeypatch: pytest.MonkeyPatch) -> None:
    """The last one has a bye where they are odd."""
    assert [match[:2] for match in final(monkeypatch, {}, 5).matches] == [(0, 1), (2, 3), (0, 2), (0, 4)]
    assert [match[:2] for match in final(monkeypatch, {}, 3).matches] == [(0, 1), (0, 2)]
    assert final(monkeypatch, {(0, 4): LOSS}, 5).winner == 4


def test_a_round_robin(monkeypatch: pytest.MonkeyPatch) -> None:
    pairs = [(0, 1), (0, 2), (0, 3), (1, 2), (1, 3), (2, 3)]
    table = dict.fromkeys([(0, 3), (1, 3), (2, 3)], LOSS)
    found = final(monkeypatch, table, format="round_robin")
    assert found.winner == 3 and [match[:2] for match in found.matches] == pairs
    assert final(monkeypatch, {}, format="round_robin").winner == 0
    circle = {(0, 1): LOSS, (1, 2): LOSS, (0, 2): WIN, (0, 3): LOSS, (1, 3): WIN, (2, 3): WIN}
    assert final(monkeypatch, circle, format="round_robin").winner == 1, "two matches each for 1 and 2: the older"


def test_tasks_leave_nothing_behind() -> None:
    """What was played before, and in which thread, changes no game."""
    rng = np.random.default_rng(0)
    alleles = rng.uniform(-1, 1, (4, PLAN.length))
    deep = Bred(NetworkOptions(inputs=("board",), hidden=2), rng.normal(size=37), 2)
    tasks = [
        Final(stage=STAGE, alleles=alleles),
        Trial(stage=STAGE, alleles=alleles[0], opponents=("random", "stochastic:depth=1", RANDOM_NETWORK)),
        Trial(stage=STAGE, alleles=alleles[1], opponents=(alleles[2], deep), opening_plies=3, opening_seed=(5,)),
        Pairing(stage=STAGE, players=(RANDOM_NETWORK, "stochastic:depth=1"), matches=6, seed=(1,)),
        Pairing(stage=STAGE, players=(deep, "random"), matches=3, opening_plies=2, seed=(2,)),
    ]
    first = [play_task(task) for task in tasks]
    fresh: list[Any] = []
    for task in tasks:  # a thread's first task is like any other
        thread = threading.Thread(target=lambda task=task: fresh.append(play_task(task)))
        thread.start()
        thread.join()
    assert fresh == first
    assert [play_task(task) for task in reversed(tasks)] == first[::-1]
    assert all(nonsense(task, Timed(result, 0.1)) is None for task, result in zip(tasks, first, strict=True))
    assert [len(result) for result in first[1:]] == [3, 2, 6, 3]
    assert len({*first[3]}) > 1, "a new random network for each match"
    assert play_task(replace(tasks[3], seed=(9,))) != first[3]
    assert all(min(meeting[1], meeting[3]) >= 3 for meeting in first[2])
    assert isinstance(play_timed(tasks[1]).seconds, float)


def test_both_games_of_a_match_are_alike_but_for_the_side() -> None:
    alleles = np.random.default_rng(1).uniform(-1, 1, PLAN.length)
    trial = Trial(stage=STAGE, alleles=alleles, opponents=(alleles,) * 3, opening_plies=3)
    for meeting in play_task(trial):
        assert meeting.opened == -meeting.answered and meeting.opened_plies == meeting.answered_plies


def test_games_end_at_the_limit() -> None:
    alleles = np.random.default_rng(2).uniform(-1, 1, (4, PLAN.length))
    stage = replace(STAGE, limit=2)
    assert play_task(Trial(stage=stage, alleles=alleles[0], opponents=("random",))) == (Meeting(0, 2, 0, 2),)
    opened = Trial(stage=stage, alleles=alleles[0], opponents=("random",), opening_plies=1)
    assert play_task(opened) == (Meeting(0, 2, 0, 2),)
    assert play_final(Final(stage=stage, alleles=alleles)).winner == 0


def test_a_room_fits_the_board() -> None:
    """Small and large boards of one game may have different numbers of moves."""
    rng = np.random.default_rng(0)
    for size, most in (((6, 6), 128), ((10, 10), 400), ((6, 6), 128)):
        assert len(ready_for(Stage(game="konane", size=size), rng).room.codes) == most


def test_random_networks_are_new_ones() -> None:
    rng = np.random.default_rng(0)
    one, other = (contender_of(STAGE, RANDOM_NETWORK, rng).evaluator for _ in range(2))
    assert not np.array_equal(one.net["first"], other.net["first"])
    assert np.abs(one.net["first"]).max() <= 1 << 18


TASK = Final(stage=STAGE, alleles=marked(3))
TRIAL = Trial(stage=STAGE, alleles=marked(1)[0], opponents=("random", "random"))
FINE = Finished(0, ((0, 1, 0, 4, 0, 24, 0, 24), (0, 2, 0, 1, 1, 5, 1, 9)))


@pytest.mark.parametrize(
    ("task", "told", "message"),
    [
        (TASK, None, "returned NoneType instead of a result"),
        (TASK, FINE, "returned Finished instead of a result"),
        (TASK, Timed(FINE, "soon"), "returned Timed instead of a result"),
        (TASK, Timed((0, 3), 0.1), "named no winner among 3 chromosomes"),
        (TASK, Timed(FINE._replace(winner=3), 0.1), "named no winner among 3 chromosomes"),
        (TASK, Timed(FINE._replace(winner=-1), 0.1), "named no winner among 3 chromosomes"),
        (TASK, Timed(FINE._replace(winner=None), 0.1), "named no winner among 3 chromosomes"),
        (TASK, Timed(FINE._replace(matches=FINE.matches[:1]), 0.1), "did not return 2 matches"),
        (TASK, Timed(FINE._replace(matches=None), 0.1), "did not return 2 matches"),
        (TASK, Timed(FINE._replace(matches=(1, 2)), 0.1), "returned games that cannot be"),
        (TASK, Timed(FINE._replace(matches=(FINE.matches[0], (0, 2, 0, 4, 0, 24, 0))), 0.1), "games that cannot be"),
        (TASK, Timed(FINE._replace(matches=(FINE.matches[0], (0, 3, 0, 4, 0, 24, 0, 24))), 0.1), "that cannot be"),
        (TASK, Timed(FINE._replace(matches=(FINE.matches[0], (0, 2, 0, 5, 0, 24, 0, 24))), 0.1), "that cannot be"),
        (TASK, Timed(FINE._replace(matches=(FINE.matches[0], (0, 2, 0, 4, 0, 24, 0, 25))), 0.1), "that cannot be"),
        (TRIAL, Timed(FINE, 0.1), "returned games that cannot be"),
        (TRIAL, Timed((TIE,), 0.1), "did not return 2 matches"),
        (TRIAL, Timed([TIE, TIE], 0.1), "did not return 2 matches"),
        (TRIAL, Timed((TIE, None), 0.1), "returned games that cannot be"),
        (TRIAL, Timed((TIE, (0, 24, 0)), 0.1), "returned games that cannot be"),
        (TRIAL, Timed((TIE, (2, 24, 0, 24)), 0.1), "returned games that cannot be"),
        (TRIAL, Timed((TIE, (0, 24, [], 24)), 0.1), "returned games that cannot be"),
        (TRIAL, Timed((TIE, (float("nan"), 24, 0, 24)), 0.1), "returned games that cannot be"),
        (TRIAL, Timed((TIE, (0, -1, 0, 24)), 0.1), "returned games that cannot be"),
        (TRIAL, Timed((TIE, (0, 1, 0, 1000)), 0.1), "returned games that cannot be"),
    ],
)
def test_nonsense_is_seen(task: Any, told: Any, message: str) -> None:
    assert nonsense(TASK, Timed(FINE, 0.1)) is None and nonsense(TRIAL, Timed((TIE, WIN), 0.1)) is None
    assert message in str(nonsense(task, told))


# Breeding.


def test_replacing_mutation() -> None:
    rng = np.random.default_rng(0)
    parent = np.full(2041, 5.0)
    counts = []
    for _ in range(50):
        changed = replaced(parent, 0.15, rng)
        counts.append((changed != 5.0).sum())
        assert np.abs(changed[changed != 5.0]).max() <= 1.0
    assert np.mean(counts) == pytest.approx(306, abs=8), "306 alleles on average, as in the thesis"
    assert np.array_equal(replaced(parent, 0.0, rng), parent) and np.abs(replaced(parent, 1.0, rng)).max() <= 1.0
    fresh = replaced(parent, 1.0, rng)
    assert abs(fresh.mean()) < 0.06 and fresh.std() == pytest.approx(1 / np.sqrt(3), abs=0.03)


def test_perturbing_mutation_moves_whole_units() -> None:
    rng, units = np.random.default_rng(0), PLAN.units()
    parent, scale, shares, steps = rng.normal(size=PLAN.length), usual_weights(PLAN.fan_in()), [], []
    for _ in range(400):
        step = perturbed(parent, 0.1, scale, rng, units, 0.5) - parent
        moved = [(step[units == unit] != 0) for unit in range(-1, PLAN.hidden)]
        assert all(one.all() or not one.any() for one in moved) and any(one.all() for one in moved)
        shares.append(np.mean([one.all() for one in moved]))
        steps.append((step / scale)[step != 0])
    assert np.mean(shares) == pytest.approx(0.53, abs=0.05)
    assert np.concatenate(steps).std() == pytest.approx(0.1, abs=0.005)
    one = perturbed(parent, 0.1, scale, rng, units, 0.0) - parent
    assert len({*units[one != 0]}) == 1, "nobody is a copy of its parent"


ONE, OTHER = np.zeros(PLAN.length), np.ones(PLAN.length)


def children(crossover: Callable[..., Any], count: int = 200) -> list[Any]:
    rng = np.random.default_rng(0)
    return [crossover(ONE, OTHER, PLAN.units(), rng) for _ in range(count)]


def test_single_point_crossover() -> None:
    places = set()
    for child in children(single_point, 2000):
        assert child[0] == 0 and child[-1] == 1 and (np.diff(child) >= 0).all()
        places.add(int(child.argmax()))
    assert places == set(range(1, PLAN.length))


def test_two_point_crossover() -> None:
    for child in children(two_point):
        assert child[0] == child[-1] == 0 and np.abs(np.diff(child)).sum() == 2


def test_uniform_crossover() -> None:
    found = np.array(children(uniform))
    assert ((found == 0) | (found == 1)).all() and found.mean() == pytest.approx(0.5, abs=0.02)
    assert np.abs(np.diff(found, axis=1)).mean() == pytest.approx(0.5, abs=0.02), "neighbours are independent"


def test_crossover_by_units() -> None:
    units, found = PLAN.units(), np.array(children(by_units))
    for unit in range(-1, PLAN.hidden):
        assert (np.ptp(found[:, units == unit], axis=1) == 0).all()
    assert found.mean() == pytest.approx(0.5, abs=0.05) and len({*map(bytes, found)}) == 2 ** (PLAN.hidden + 1)


def test_crossovers_by_name() -> None:
    assert set(CROSSOVERS) == {"single", "two", "uniform", "units"}


# A world in which the stronger chromosome wins.


def strength(alleles: Any) -> float:
    return float(-np.abs(alleles - 0.3).mean())


def meeting_of(one: Any, other: Any, key: int) -> Meeting:
    """Return a match that depends on nothing but who meets: the closer it is, the less is won."""
    mine, theirs = strength(one), -0.4 if isinstance(other, str) else strength(other)
    lead = mine - theirs
    sign = 0 if abs(lead) < 0.01 else 1 if lead > 0 else -1
    return Meeting(sign, 5 + key % 3, sign if abs(lead) > 0.05 else 0, 7)


def played(task: Any) -> Any:
    if isinstance(task, Trial):
        return tuple(meeting_of(task.alleles, opponent, sum(task.seed)) for opponent in task.met())
    best = int(np.argmax([strength(alleles) for alleles in task.alleles]))
    matches = tuple((0, other, int(other == best), 1, 1, 8, 1, 9) for other in range(1, len(task.alleles)))
    return Finished(best, matches)


class Driver:
    """Lets a trainer go on as the lab does; *late*: a task is looked at when it is told, not when it is asked."""

    def __init__(self, evolver: Any, *, late: bool = False) -> None:
        self.evolver, self.late = evolver, late
        self.under_way: list[Any] = []
        self.asked: list[Any] = []

    def advance(self, generations: int) -> list[Any]:
        goal, notes = self.evolver.generation + generations, []
        while self.evolver.generation < goal:
            while (task := self.evolver.ask()) is not None:
                self.asked.append(task)
                self.under_way.append(task if self.late else played(task))
            told = self.under_way.pop(0)
            if (noted := self.evolver.tell(played(told) if self.late else told)) is not None:
                notes.append(noted)
        return notes


def advance(evolver: Any, generations: int) -> list[Any]:
    return Driver(evolver).advance(generations)


def same(one: dict[str, Any], other: dict[str, Any]) -> bool:
    return one.keys() == other.keys() and all(np.array_equal(one[key], other[key]) for key in one)


@pytest.mark.parametrize("kind", EVOLVERS)
def test_a_trainer_that_was_stopped_goes_on_as_if_it_had_not(kind: str) -> None:
    whole = Driver(make_evolver(STAGE, options(kind=kind)))
    kept = []
    for _ in range(8):
        kept.append({name: array.copy() for name, array in whole.evolver.arrays().items()})
        whole.advance(1)
    for generation, arrays in enumerate(kept):
        again = Driver(make_evolver(STAGE, options(kind=kind)))
        if generation % 2:
            advance(again.evolver, 2)  # whatever it did before is forgotten
        again.evolver.restore(arrays)
        assert again.evolver.generation == generation
        again.advance(8 - generation)
        assert same(again.evolver.arrays(), whole.evolver.arrays()), generation
        assert np.array_equal(again.evolver.population, whole.evolver.population)
        assert np.array_equal(again.evolver.champion(), whole.evolver.champion())
        assert [signed(task) for task in again.asked] == [signed(task) for task in whole.asked[-len(again.asked) :]]


def signed(task: Any) -> tuple[Any, ...]:
    met = tuple(one if isinstance(one, str) else bytes(one) for one in (task.met() if isinstance(task, Trial) else ()))
    return bytes(np.array([*task.alleles])), task.seed, met


@pytest.mark.parametrize("kind", EVOLVERS)
def test_when_a_task_is_done_makes_no_difference(kind: str) -> None:
    one, other = (Driver(make_evolver(STAGE, options(kind=kind)), late=late) for late in (False, True))
    assert one.advance(9) == other.advance(9)
    assert same(one.evolver.arrays(), other.evolver.arrays())
    stranger = make_evolver(STAGE, options(kind=kind, seed=4))
    advance(stranger, 9)
    assert not np.array_equal(one.evolver.population, stranger.population)


@pytest.mark.parametrize("kind", EVOLVERS)
def test_evolution_finds_what_is_strong(kind: str) -> None:
    evolver = make_evolver(STAGE, options(kind=kind, population=12, opponents=(), famous=3))
    before = max(map(strength, evolver.population))
    notes = advance(evolver, 40)
    assert max(map(strength, evolver.population)) > before
    assert [note["games"] for note in notes] == sorted(note["games"] for note in notes)
    assert evolver.population.shape == (12, PLAN.length) and evolver.champion().shape == (PLAN.length,)


@pytest.mark.parametrize("kind", EVOLVERS)
def test_an_ancestor_is_where_evolution_starts(kind: str) -> None:
    ancestor = np.random.default_rng(9).normal(size=PLAN.length)
    evolver = make_evolver(STAGE, options(kind=kind, width=0.01), ancestor)
    assert evolver.champion() == pytest.approx(ancestor)
    if kind != "thesis":
        assert np.abs(evolver.population - ancestor).max() < 0.1
        assert np.ptp(evolver.population, axis=0).min() > 0


# The thesis's algorithm.


def parents_of(child: Any, old: Any) -> list[tuple[int, Any]]:
    """Return which old chromosomes a child shares alleles with, and where."""
    return [(place, child == parent) for place, parent in enumerate(old) if (child == parent).any()]


def test_the_pool_of_the_thesis() -> None:
    evolver = Genetic(STAGE, options(population=10))
    old = evolver.population
    assert np.abs(old).max() <= 1 and np.abs(old).max() > 0.99
    tasks = [evolver.ask() for _ in range(10)]
    assert evolver.ask() is None and None not in tasks
    groups = np.array([task.alleles for task in tasks])  # type: ignore[union-attr]
    assert groups.shape == (10, 4, PLAN.length)
    assert {*map(bytes, groups[:, 0])} == {*map(bytes, old)}, "each old one is in one group"
    born: Counter[int] = Counter()
    for mutant in groups[:, 1:3].reshape(-1, PLAN.length):
        ((parent, kept),) = parents_of(mutant, old)
        born[parent] += 1
        assert 0.6 < kept.mean() < 1.0
    assert born == dict.fromkeys(range(10), 2), "each has two mutants"
    left = Counter()
    for child in groups[:, 3]:
        found = parents_of(child, old)
        assert len(found) == 2
        (first,) = (place for place, shared in found if shared[0])
        (shared,) = (shared for place, shared in found if place == first)
        assert (np.diff(shared.astype(int)) <= 0).all(), "left of the point from one, right of it from the other"
        left[first] += 1
    assert left == dict.fromkeys(range(10), 1), "each is once the left parent"
    mixed = [parents_of(group[1], old)[0][0] == parents_of(group[0], old)[0][0] for group in groups]
    assert sum(mixed) < 5, "groups are drawn at random"


def test_a_generation_of_the_thesis() -> None:
    evolver = Genetic(STAGE, options(population=5))
    assert evolver.champion() is not None and evolver.generation == 0
    tasks = [evolver.ask() for _ in range(5)]
    results = [play_final(task) for task in tasks if task is not None]
    for place, result in enumerate(results):
        assert evolver.ask() is None
        noted = evolver.tell(result)
        assert (noted is None) == (place < 4)
    assert noted is not None
    assert noted["matches"] == 15 and noted["games"] == 30 == 2 * (20 - 5), "2 (p - s) games"
    assert sum(noted["decided_by"].values()) == 15 and sum(noted["births"].values()) == pytest.approx(1)
    assert evolver.generation == 1
    survivors = [task.alleles[result.winner] for task, result in zip(tasks, results, strict=True) if task]
    assert np.array_equal(evolver.population, survivors)
    assert evolver.ask() is not None


def test_the_rate_of_mutation_may_change_in_mid_run() -> None:
    """Before the change as without it, bit for bit; from then on the fewer alleles are new."""
    changing, plain = (Genetic(STAGE, options(population=8, rate=0.5, **more)) for more in (
        {"late_rate": 0.02, "late_from": 1}, {}))  # fmt: skip
    for generation in range(2):
        tasks = [[evolver.ask() for _ in range(8)] for evolver in (changing, plain)]
        old = changing.population
        mutants = [task.alleles[place] for task in tasks[0] if task for place in (1, 2)]
        kept = [max(float((mutant == parent).mean()) for parent in old) for mutant in mutants]
        assert 0.3 < np.mean(kept) < 0.7 if generation == 0 else np.mean(kept) > 0.93
        for task, same in zip(*tasks, strict=True):
            assert task is not None and same is not None
            assert np.array_equal(task.alleles, same.alleles) == (generation == 0)
        for evolver, asked in zip((changing, plain), tasks, strict=True):
            for task in asked:
                evolver.tell(play_final(task))  # type: ignore[arg-type]


def test_options_of_the_thesis() -> None:
    evolver = Genetic(STAGE, options(mutants=3, format="round_robin", last_resort="random", crossover="units"))
    task = evolver.ask()
    assert task is not None and len(task.alleles) == 5 and task.format == "round_robin" and task.coin
    seeds = {task.seed, *(other.seed for _ in range(5) if (other := evolver.ask()) is not None)}
    assert len(seeds) == 6


# One child at a time.


def test_at_most_lag_trials_are_under_way() -> None:
    evolver = Steady(STAGE, options(lag=4))
    trials = [evolver.ask() for _ in range(4)]
    assert None not in trials and evolver.ask() is None
    assert len({bytes(trial.alleles) for trial in trials if trial}) == 4, "first every member is tried"
    evolver.tell(played(trials[0]))
    assert evolver.ask() is not None and evolver.ask() is None


def test_every_trial_has_all_opponents() -> None:
    driver = Driver(Steady(STAGE, options(famous=3, opponents=("random", "stochastic:depth=1"))))
    driver.advance(5)
    asked = driver.asked
    assert {len(trial.met()) for trial in asked} == {5}
    assert {trial.opponents for trial in asked} == {("random", "stochastic:depth=1")}
    assert len({trial.seed for trial in asked}) == len(asked)
    blocks = [trial.opening_seed for trial in asked]
    assert len(set(blocks)) == pytest.approx(len(asked) / 6, abs=1), "luck is shared by a block of trials"
    alone = Steady(STAGE, options(famous=0))
    assert advance(alone, 2) and {len(alone.arrays()[name]) for name in ("waiting_parents", "waiting_met")} == {3}
    assert alone.ask().met() == ("random",)  # type: ignore[union-attr]


def test_the_best_is_never_lost_to_a_worse_child() -> None:
    evolver = Steady(STAGE, options(population=8))
    waiting: list[Any] = []
    replaced_ones = 0
    for _ in range(400):
        while (task := evolver.ask()) is not None:
            waiting.append(played(task))
        fitness, before = evolver.fitness(), evolver.population.copy()
        ended = evolver.tell(waiting.pop(0)) is not None
        gone = [place for place in range(8) if not np.array_equal(before[place], evolver.population[place])]
        assert len(gone) <= 1
        for place in gone:
            replaced_ones += 1
            assert fitness[place] == fitness.min()
            assert ended or evolver.fitness()[place] > fitness[place]
    assert replaced_ones > 20


def test_a_result_is_credited_to_whom_it_is_due() -> None:
    """A member that gave way to a child while its trial was under way leaves the child nothing."""
    evolver = Steady(STAGE, options(population=4, lag=2))
    advance(evolver, 3)
    evolver.points[:], evolver.matches[:] = (0.1, 3.0, 3.0, 3.0), (4.0, 4.0, 4.0, 4.0)
    child = np.full(PLAN.length, 0.3)
    met, member = steady._meeting(evolver.rows[:2]), evolver.rows[0]
    trial = steady._Asked(0, member, 0.0, 99, met, (member,), 0.0)
    newborn = steady._Asked(-1, child, 0.1, 98, met, (child,), 0.1)
    evolver._waiting.clear()
    evolver._waiting.extend([newborn, trial])
    evolver.tried = 0
    evolver.tell((WIN, WIN, WIN))
    assert np.array_equal(evolver.population[0], child) and evolver.matches[0] == 3
    evolver.tell((LOSS, LOSS, LOSS))
    assert evolver.matches[0] == 3 and evolver.points[0] == 3


def test_a_file_of_before_is_gone_on_with() -> None:
    """It has all alleles of the trials under way, and of all whom they meet."""
    whole = Driver(Steady(STAGE, options(lag=5)))
    whole.advance(4)
    evolver = whole.evolver
    waiting = [*evolver._waiting, *evolver._again]
    arrays = {name: array for name, array in evolver.arrays().items() if not name.startswith(("waiting", "others"))}
    old = arrays | {
        "waiting": np.stack([asked.alleles for asked in waiting]),
        "waiting_famous": np.array([asked.met.rows for asked in waiting]),
        "waiting_widths": np.array([asked.width for asked in waiting]),
        "waiting_numbers": np.array([(asked.member, asked.number) for asked in waiting]),
    }
    again = Driver(Steady(STAGE, options(lag=5)))
    again.evolver.restore({name: array.copy() for name, array in old.items()})
    twice = Driver(Steady(STAGE, options(lag=5)))
    twice.evolver.restore({name: array.copy() for name, array in again.evolver.arrays().items()})
    assert len(waiting) == 4
    for driver in (whole, again, twice):
        driver.advance(5)
        assert np.array_equal(driver.evolver.population, evolver.population)
        assert np.array_equal(driver.evolver.widths, evolver.widths)


def test_a_file_does_not_grow_with_what_is_under_way() -> None:
    """For each trial there are a few numbers; alleles only of a few generations of parents, however many trials."""
    sizes = {}
    for lag in (2, 40, 400, 1200):
        driver = Driver(Steady(STAGE, options(population=20, lag=lag)), late=True)
        driver.advance(3 + 3 * lag // 20)
        arrays = driver.evolver.arrays()
        assert len(arrays["others"]) < 4 * 20
        sizes[lag] = sum(arrays[name].nbytes for name in arrays if name.startswith("waiting"))
    assert (sizes[1200] - sizes[2]) / 1198 < 60, "bytes for each"


@pytest.mark.parametrize("lag", [1, 7, 20])
def test_whatever_is_under_way_a_stopped_trainer_goes_on(lag: int) -> None:
    whole = Driver(Steady(STAGE, options(lag=lag, famous=2)), late=True)
    for _ in range(7):
        arrays = {name: array.copy() for name, array in whole.evolver.arrays().items()}
        again = Driver(Steady(STAGE, options(lag=lag, famous=2)), late=True)
        again.evolver.restore(arrays)
        under_way = list(whole.under_way)
        whole.advance(1)
        again.advance(1)
        assert same(again.evolver.arrays(), whole.evolver.arrays())
        assert [signed(task) for task in again.asked[: len(under_way)]] == [signed(task) for task in under_way]


# The thesis's algorithm, sent in few bytes.


@pytest.mark.parametrize("crossover", CROSSOVERS)
def test_a_brood_is_what_was_bred_one_after_the_other(crossover: str) -> None:
    """Workers breed children by themselves; this is how a single process would do it."""
    chosen = options(crossover=crossover, population=9, mutants=3)
    evolver, units = Genetic(STAGE, chosen), PLAN.units()
    for generation in range(3):
        old, rng = evolver.population, np.random.default_rng([chosen.seed, 0x6E7, generation + 1])
        mutants = [replaced(parent, chosen.rate, rng) for parent in old for _ in range(3)]
        partners = [(place + int(rng.integers(1, 9))) % 9 for place in range(9)]
        crossed = [
            CROSSOVERS[crossover](old[place], old[partner], units, rng) for place, partner in enumerate(partners)
        ]
        orders = [rng.permutation(len(born)) for born in (old, mutants, crossed)]
        tasks = [evolver.ask() for _ in range(9)]
        for group, task in enumerate(tasks):
            assert task is not None and len(task.alleles) == 5
            own = [mutants[place] for place in orders[1][3 * group : 3 * group + 3]]
            wanted = [old[orders[0][group]], *own, crossed[orders[2][group]]]
            assert np.array_equal(np.array([*task.alleles]), np.array(wanted))
            with pytest.raises(IndexError):
                task.alleles[5]
        for task in tasks:
            evolver.tell(played(task))


def test_messages_hold_a_child_and_no_more() -> None:
    """What all have in common is sent once: so a message is no longer than a child's alleles and some names."""
    wide = replace(STAGE, network=NetworkOptions(inputs=("board",), hidden=100))
    child = 8 * wide.plan().length
    pack = make_packer()
    for kind, most in (("thesis", 1500), ("steady", child + 1500), ("strategy", child + 1500)):
        evolver = make_evolver(wide, options(kind=kind, famous=3))
        messages = [pack(evolver.ask()) for _ in range(4)]
        assert max(len(message.content) for message in messages) < most
        assert len({id(value) for message in messages for value in message.shared}) == 1


# The strategy.


def test_a_strategy_lets_all_children_meet_the_same() -> None:
    evolver = Strategy(STAGE, options(famous=3))
    trials = [evolver.ask() for _ in range(6)]
    assert evolver.ask() is None
    opponents = [trial.met() for trial in trials if trial]
    assert all(len(met) == 4 and met[0] == "random" for met in opponents)
    assert all(np.array_equal(a, b) for met in opponents for a, b in zip(met[1:], opponents[0][1:], strict=True))
    assert np.array_equal(opponents[0][-1], evolver.champion()), "the mean itself is among them"
    assert len({trial.opening_seed for trial in trials if trial}) == 1
    assert len({trial.seed for trial in trials if trial}) == 6


def test_a_strategy_counts_its_games() -> None:
    evolver = Strategy(STAGE, options())
    notes = advance(evolver, 6)
    assert [note["games"] for note in notes] == [36 * generation for generation in range(1, 7)]
    assert len(evolver.hall.members) == 2, "the first mean, and one after five generations"
    again = Strategy(STAGE, options())
    again.restore(evolver.arrays())
    assert again.games == 216 and advance(again, 2) == advance(evolver, 2)


def test_matches_are_shared_out_by_how_hard_opponents_were() -> None:
    assert share_out(np.array([0.5, 0.5, 0.5]), 9).tolist() == [3, 3, 3]
    assert share_out(np.array([0.9, 0.1, 0.0]), 13).tolist() == [10, 2, 1]
    assert share_out(np.array([0.2, 0.2, 0.2]), 4).tolist() == [2, 1, 1], "of equal remainders the first"
    assert all(share_out(np.random.default_rng(n).random(5), 5 + n).sum() == 5 + n for n in range(60))


def test_a_strategy_meets_hard_opponents_more_often() -> None:
    chosen = options(opponents=("random", "stochastic:depth=1"), famous=1, matches=12)
    evolver = Strategy(STAGE, chosen)

    def meet(won: dict[int, Any]) -> list[Any]:
        """Let all children win against the first opponent and lose against the second."""
        trials = [evolver.ask() for _ in evolver.population]
        for trial in trials:
            assert trial is not None
            places = [chosen.opponents.index(one) if isinstance(one, str) else 2 for one in trial.met()]
            evolver.tell(tuple(won[place] for place in places))
        return trials

    met = [meet({0: WIN, 1: LOSS, 2: WIN}) for _ in range(12)]
    counts = [Counter(one if isinstance(one, str) else "" for one in trials[0].met()) for trials in met]
    assert all(count.total() == 12 for count in counts) and counts[0] == dict.fromkeys((*chosen.opponents, ""), 4)
    assert counts[-1]["stochastic:depth=1"] >= 8 and min(counts[-1].values()) == 1
    again = Strategy(STAGE, chosen)
    again.restore(evolver.arrays())
    one, other = again.ask(), evolver.ask()
    assert signed(one) == signed(other)


def test_the_hall_keeps_few_of_the_old() -> None:
    hall = Hall(np.zeros((1, 2)))
    for number in range(1, 1000):
        hall.add(np.array([number, 0.0]))
        assert len(hall.members) <= halls.MOST
        assert hall.members[-1, 0] == number and (np.diff(hall.members[:, 0]) > 0).all()
    assert hall.members[0, 0] == 0
    rng = np.random.default_rng(0)
    drawn = np.array([[member[0] for member in hall.drawn(2, rng)] for _ in range(500)])
    assert drawn[:, 0].min() >= 990 and np.median(drawn[:, 1]) < 990
    assert hall.drawn(0, rng) == []


# Options.


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"kind": "thesi"}, "no trainer.kind 'thesi'; did you mean 'thesis'"),
        ({"crossover": "both"}, "no trainer.crossover 'both'"),
        ({"format": "league"}, "no trainer.format 'league'"),
        ({"last_resort": "coin"}, "no trainer.last_resort 'coin'"),
        ({"population": 3}, "trainer.population must be from 4"),
        ({"generations": -1}, "trainer.generations must be from 0"),
        ({"rate": 1.5}, "trainer.rate must be from 0 to 1"),
        ({"late_rate": 1.5}, "trainer.late_rate must be from 0 to 1"),
        ({"late_rate": 0.1, "late_from": 0}, "trainer.late_from must be from 1"),
        ({"late_rate": 0.1, "kind": "steady"}, "trainer.late_rate: the kind 'steady' has no rate that could change"),
        ({"depth": 0}, "trainer.depth must be from 1"),
        ({"limit": 1}, "trainer.limit must be from 2"),
        ({"lag": 0}, "trainer.lag must be from 1"),
        ({"epoch": 0}, "trainer.epoch must be from 1"),
        ({"width": 0.0}, "trainer.width must be from"),
        ({"kind": "steady", "famous": 0, "opponents": ()}, "a child needs somebody to play"),
        ({"kind": "strategy", "opening_plies": 8, "limit": 8}, "trainer.opening_plies must be below trainer.limit"),
        ({"opponents": ("humn",)}, "no player 'humn'; did you mean 'human'?"),
    ],
)
def test_bad_options_are_one_sentence(changes: dict[str, Any], message: str) -> None:
    with pytest.raises(UnderstudyError) as caught:
        check_trainer(FOUR, options(**changes))
    assert message in str(caught.value) and "\n" not in str(caught.value)


def test_a_chromosome_of_the_wrong_length_is_refused_by_who_plays_it() -> None:
    for task in (
        Final(stage=STAGE, alleles=np.zeros((4, 7))),
        Trial(stage=STAGE, alleles=np.zeros(7), opponents=("random",)),
        Trial(stage=STAGE, alleles=np.zeros(PLAN.length), opponents=(np.zeros(7),)),
    ):
        with pytest.raises(BadOption, match="a chromosome of 7 alleles does not fit a network of 106 weights"):
            play_task(task)
