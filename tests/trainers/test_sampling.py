"""Offline sampling against the same games and the same walk backwards written again in plain Python."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from tests.conftest import run_interpreted
from understudy.errors import BadOption, UnknownName
from understudy.games import CompiledGame, find_game
from understudy.kernels import interpreted
from understudy.search.memory import NEUTRAL, Memory, enlarged, find_row, make_memory, recall_value
from understudy.trainers.sampling import Rule, Sampler, SamplingOptions, walk_back

FOUR, FIVE = find_game("lines_of_action", (4, 4)), find_game("lines_of_action", (5, 5))
WORD = (1 << 64) - 1


def stirred(word: int) -> int:
    word = ((word ^ (word >> 30)) * 0xBF58476D1CE4E5B9) & WORD
    word = ((word ^ (word >> 27)) * 0x94D049BB133111EB) & WORD
    return word ^ (word >> 31)


class Plain:
    """The sampler with dictionaries and lists."""

    def __init__(self, game: CompiledGame, options: SamplingOptions, luck: int) -> None:
        self.game, self.options, self.luck = game, options, luck
        self.values: dict[tuple[int, int], float] = {}
        self.visits: dict[tuple[int, int], int] = {}
        self.results = [[0, 0, 0], [0, 0, 0]]

    def below(self, limit: int) -> int:
        self.luck = (self.luck + 0x9E3779B97F4A7C15) & WORD
        return ((stirred(self.luck) >> 32) * limit) >> 32

    def choose(self, position: Any, *, random: bool) -> int:
        moves = self.game.moves(position)
        if random:
            return moves[self.below(len(moves))]
        if self.below(1_000_000) < self.options.explore * 1_000_000:
            return moves[self.below(len(moves))]
        worth = [self.values.get(stones(self.game.play(position, move)), 0.5) for move in moves]
        best, equals = 0, 1
        for place in range(1, len(moves)):
            if worth[place] > worth[best]:
                best, equals = place, 1
            elif worth[place] == worth[best]:
                equals += 1
                best = place if self.below(equals) == 0 else best
        return moves[best]

    def play(self, number: int) -> None:
        met = [self.game.start()]
        while self.game.outcome(met[-1]) is None and len(met) <= self.options.ply_limit:
            client = met[-1].ply % 2 == number % 2
            random = self.options.sampler == "random" if client else self.options.opponent == "random"
            met.append(self.game.play(met[-1], self.choose(met[-1], random=random)))
        outcome = self.game.outcome(met[-1])
        lost = 0 if outcome is None else int(outcome)
        self.results[number % 2][1 + (lost if met[-1].ply % 2 == number % 2 else -lost)] += 1
        self.learn([stones(position) for position in met], (1 - lost) / 2, over=outcome is not None)

    def learn(self, met: list[tuple[int, int]], result: float, *, over: bool) -> None:
        options, target = self.options, result
        for place, name in reversed(list(enumerate(met))):
            self.visits[name] = self.visits.get(name, 0) + 1
            value, step = self.values.get(name, 0.5), options.step or 1 / self.visits[name]
            last = place == len(met) - 1 and over
            self.values[name] = result if last else value + step * (target - value)
            follows = options.trace * target + (1 - options.trace) * self.values[name]
            target = 0.5 + options.discount * (0.5 - follows)


def stones(position: Any) -> tuple[int, int]:
    return int(position.mine), int(position.theirs)


@pytest.mark.parametrize(
    "options",
    [
        SamplingOptions(sampler="random", opponent="random"),
        SamplingOptions(sampler="table", opponent="random", explore=0.3, step=0.25, discount=1.0, trace=0.5, seed=3),
        SamplingOptions(sampler="table", opponent="self", step=0.0, trace=1.0, discount=0.8, ply_limit=9),
    ],
)
def test_tables_are_those_of_plain_python(options: SamplingOptions) -> None:
    sampler = Sampler(FOUR, options)
    plain = Plain(FOUR, options, int(sampler.room.random_state[0]))
    games = 25 if interpreted() else 300
    sampler.play_until(games)
    for number in range(games):
        plain.play(number)
    table = sampler.table()
    found = list(zip(table.positions.mine.tolist(), table.positions.theirs.tolist(), strict=True))
    assert set(found) == set(plain.values) and len(found) == len(set(found))
    assert table.visits.tolist() == [plain.visits[name] for name in found]
    assert table.values == pytest.approx([plain.values[name] for name in found], abs=1e-12)
    assert table.results.tolist() == plain.results and sum(map(sum, plain.results)) == games
    assert table.luck == plain.luck


def test_one_game_walked_back_by_hand() -> None:
    memory, rows = _four_rows()
    walk_back(memory, rows, 3, 1.0, True, Rule(0.5, 1.0, 0.0))
    # 1; towards 1 - 1 = 0: 0.25; towards 0.75: 0.625; towards 0.375: 0.4375
    assert memory.values[rows].tolist() == [0.4375, 0.625, 0.25, 1.0]
    memory, rows = _four_rows()
    walk_back(memory, rows, 3, 0.5, False, Rule(0.5, 0.9, 0.7))
    assert memory.values[rows].tolist() == [0.5] * 4  # a tie of the ply limit says nothing new
    memory, rows = _four_rows()
    walk_back(memory, rows, 3, 1.0, True, Rule(0.0, 0.8, 1.0))
    assert memory.values[rows].tolist() == pytest.approx([0.244, 0.82, 0.1, 1.0])
    assert memory.visits[rows].tolist() == [1, 1, 1, 1]


def _four_rows() -> tuple[Memory, np.ndarray[Any, np.dtype[np.int64]]]:
    memory, position, rows = make_memory(4), FOUR.start(), np.zeros(4, np.int64)
    for place in range(4):
        rows[place] = find_row(memory, position)
        position = FOUR.play(position, FOUR.moves(position)[0])
    return memory, rows


def test_a_memory_that_grows_forgets_nothing() -> None:
    memory, position, rng = make_memory(3), FIVE.start(), np.random.default_rng(1)
    seen: dict[int, float] = {}
    while len(seen) < 200:
        if memory.room == 0:
            memory = enlarged(memory)
        row = find_row(memory, position)
        memory.values[row] = seen.setdefault(FIVE.key(position), float(rng.random()))
        moves = FIVE.moves(position)
        position = FIVE.play(position, moves[rng.integers(len(moves))]) if moves else FIVE.start()
    assert memory.filled[0] == len(seen)
    assert all(recall_value(memory, np.uint64(name)) == value for name, value in seen.items())
    assert recall_value(memory, np.uint64(12345)) == NEUTRAL


@pytest.mark.skipif(interpreted(), reason="slow without the compiler")
def test_a_table_learns_to_beat_aloa_and_going_on_gives_the_same_table() -> None:
    options = SamplingOptions(games=1500)
    whole, stopped = Sampler(FIVE, options), Sampler(FIVE, options)
    whole.play_until(1500)
    stopped.play_until(700)
    again = Sampler(FIVE, options)
    again.resume(stopped.table())
    again.play_until(1500)
    one, other = whole.table(), again.table()
    assert np.array_equal(one.values, other.values) and np.array_equal(one.visits, other.visits)
    assert all(np.array_equal(a, b) for a, b in zip(one.positions, other.positions, strict=True))
    assert one.luck == other.luck and np.array_equal(one.results, other.results) and one.games == other.games == 1500
    early = stopped.results[:, 2].sum() / 700
    assert (whole.results[:, 2].sum() - stopped.results[:, 2].sum()) / 800 > early + 0.05


def sampled() -> str:
    """Return a few values of a small table, as text."""
    memory, rows = _four_rows()
    walk_back(memory, rows, 3, 1.0, True, Rule(0.3, 0.9, 0.4))
    return " ".join(f"{value:.12f}" for value in memory.values[rows])


def test_compiled_and_interpreted_kernels_walk_back_alike() -> None:
    assert run_interpreted("tests.trainers.test_sampling", "sampled()") == sampled()


@pytest.mark.parametrize(
    ("game", "changes", "message"),
    [
        (
            "konane",
            {},
            "positions of konane cannot be sampled offline: it does not tell of many positions at once what names them",
        ),
        ("morris", {}, "a table keeps the stones of both sides, and positions have their_hand besides"),
        ("lines_of_action", {"sampler": "tabel"}, "did you mean 'table'"),
        ("lines_of_action", {"discount": 1.5}, "sampling.discount must be from 0 to 1, not 1.5"),
        ("lines_of_action", {"step": -0.1}, "sampling.step must be from 0 to 1"),
        ("lines_of_action", {"explore": 2.0}, "sampling.explore must be from 0 to 1"),
        ("lines_of_action", {"opponent": "human"}, "cannot play inside a kernel"),
        ("lines_of_action", {"opponent": "searcher:depth=99"}, "depth must be from 1 to 8"),
        ("lines_of_action", {"opponent": "searcher:evaluator=q"}, "no evaluator of lines_of_action 'q'"),
    ],
)
def test_bad_options(game: str, changes: dict[str, Any], message: str) -> None:
    with pytest.raises((BadOption, UnknownName), match=message):
        Sampler(find_game(game), SamplingOptions(**changes))
