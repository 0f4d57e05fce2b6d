"""Games between players of any kind, counted: matches and round robins, spread over workers.

The same seed gives the same games for any number of workers.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from understudy.errors import BadOption
from understudy.games import CompiledGame, find_game
from understudy.judges.measures import Rating, rate
from understudy.judges.pairs import Pairs, find_pairs, find_repeated
from understudy.match import Opening, Played, Terms, play_games, random_openings
from understudy.players import close, make_player, prepare
from understudy.protocols import Backend


@dataclass(frozen=True, kw_only=True)
class Task:
    """Some games of a pairing: names and numbers only, so that any worker can play it."""

    game: str
    size: tuple[int, int]
    switches: tuple[tuple[str, str], ...]
    players: tuple[str, str]
    pairing: int
    first: int
    """Number of the first game; even games are opened by the first player."""
    games: int
    opening_plies: int
    seed: int
    terms: Terms
    openings: tuple[Opening, ...] = ()
    """One for each pair; none: drawn from the seed."""


class Meeting(NamedTuple):
    """The games of one pairing, in order; the first player of the pairing moves first in the even ones."""

    players: tuple[str, str]
    games: tuple[Played, ...]

    @property
    def results(self) -> tuple[int, ...]:
        """The result of each game for the first player of the pairing."""
        return tuple(game.result if place % 2 == 0 else -game.result for place, game in enumerate(self.games))

    def score(self) -> tuple[int, int, int]:
        """Return wins, draws and losses of the first player of the pairing."""
        return _wins_draws_losses(self.results)

    def pairs(self) -> Pairs:
        """Return its different pairs of games, by which a result is as sure as it is."""
        return find_pairs(self.games)

    def different(self) -> list[tuple[Played, int]]:
        """Return the games that repeat no earlier one, each with its result for the first player."""
        every = zip(self.games, self.results, find_repeated(self.games), strict=True)
        return [(played, result) for played, result, repeated in every if not repeated]


def play_match(
    game: CompiledGame,
    players: tuple[str, str],
    *,
    games: int,
    seed: int,
    backend: Backend,
    opening_plies: int,
    terms: Terms = Terms(),
    pairing: int = 0,
    progress: Callable[[int], None] = lambda games: None,
) -> Meeting:
    """Play *games* games between two players, both colours of each opening; *progress* hears of finished games."""
    tasks = list(_tasks(game, players, games, seed, opening_plies, terms, pairing))
    played: list[Played] = []
    for part in backend.map(play_task, tasks):
        played += part
        progress(len(part))
    return Meeting(players, tuple(played))


class Standings(NamedTuple):
    """A finished round robin."""

    players: tuple[str, ...]
    meetings: tuple[Meeting, ...]
    ratings: tuple[Rating, ...]

    def points(self) -> NDArray[np.float64]:
        """Return what each row scored against each column [players, players]; a draw is half a point."""
        return _points(self.players, self.meetings, repeated=True)

    def record(self, player: str) -> dict[str, tuple[int, int, int]]:
        """Return wins, draws and losses of *player* in all, moving first and moving second."""
        first: list[int] = []
        second: list[int] = []
        for meeting in self.meetings:
            if player in meeting.players:
                sign = 1 if meeting.players[0] == player else -1
                opened = 0 if sign == 1 else 1
                first += [sign * result for result in meeting.results[opened::2]]
                second += [sign * result for result in meeting.results[1 - opened :: 2]]
        sides = {"all": first + second, "first": first, "second": second}
        return {name: _wins_draws_losses(results) for name, results in sides.items()}

    def different(self, player: str) -> int:
        """Return how many games of *player* repeat none of those before them."""
        return sum(meeting.pairs().different for meeting in self.meetings if player in meeting.players)


def round_robin(
    game: CompiledGame,
    players: Sequence[str],
    *,
    games: int,
    seed: int,
    backend: Backend,
    opening_plies: int,
    terms: Terms = Terms(),
    progress: Callable[[int], None] = lambda games: None,
) -> Standings:
    """Let every player meet every other in *games* games."""
    tasks = plan_robin(game, players, games=games, seed=seed, opening_plies=opening_plies, terms=terms)
    played: dict[tuple[str, str], list[Played]] = {pair: [] for pair in combinations(players, 2)}
    for task, part in zip(tasks, backend.map(play_task, tasks), strict=True):
        played[task.players] += part
        progress(len(part))
    return count_robin(players, played)


def plan_robin(
    game: CompiledGame,
    players: Sequence[str],
    *,
    games: int,
    seed: int,
    opening_plies: int,
    terms: Terms = Terms(),
) -> list[Task]:
    """Return what is to be played in a round robin, piece by piece."""
    if len(set(players)) != len(players):
        raise BadOption("a tournament needs players with different names; add an option to tell two of a kind apart")
    return [
        task
        for place, pair in enumerate(combinations(players, 2))
        for task in _tasks(game, pair, games, seed, opening_plies, terms, place)
    ]


def count_robin(players: Sequence[str], played: Mapping[tuple[str, str], Sequence[Played]]) -> Standings:
    """Return how a round robin stands after the games that were *played* so far."""
    meetings = tuple(Meeting(pair, tuple(games)) for pair, games in played.items())
    # From different pairs alone: a repeated game must not make a rating look surer.
    return Standings(tuple(players), meetings, tuple(rate(_points(players, meetings, repeated=False))))


def play_task(task: Task) -> list[Played]:
    """Play the games of one task with players made for it alone."""
    game = find_game(task.game, task.size, dict(task.switches))
    key = (task.seed, task.pairing, task.first)
    players = [make_player(text, game, seed=[*key, side]) for side, text in enumerate(task.players)]
    try:
        for player in players:
            prepare(player)
        return play_games(game, (players[0], players[1]), list_openings(game, task), task.terms)
    finally:
        for player in players:
            close(player)


def list_openings(game: CompiledGame, task: Task) -> list[tuple[Opening, bool]]:
    """Return the task's share of the openings; every pairing of a tournament gets the same ones."""
    if task.openings:
        return [(task.openings[number // 2], number % 2 == 1) for number in range(task.games)]
    pairs = (task.first + task.games + 1) // 2
    rng = np.random.default_rng([task.seed, 0xB00C])
    plies = task.opening_plies
    openings = random_openings(game, pairs, plies=plies, rng=rng) if plies else [Opening()] * pairs
    numbers = range(task.first, task.first + task.games)
    return [(openings[number // 2], number % 2 == 1) for number in numbers]


def _tasks(
    game: CompiledGame,
    players: tuple[str, str],
    games: int,
    seed: int,
    opening_plies: int,
    terms: Terms,
    pairing: int,
) -> Iterator[Task]:
    """Cut a pairing into tasks by the number of games alone, never by the number of workers."""
    # About sixteen tasks, so that workers end together; even, so that both colours of an opening stand in one of them.
    chunk = min(max(games // 32 * 2, 2), 128)
    for first in range(0, games, chunk):
        yield Task(
            game=game.name,
            size=game.size,
            switches=game.switches,
            players=players,
            pairing=pairing,
            first=first,
            games=min(chunk, games - first),
            opening_plies=opening_plies,
            seed=seed,
            terms=terms,
        )


def _points(players: Sequence[str], meetings: Sequence[Meeting], *, repeated: bool) -> NDArray[np.float64]:
    """Return what each row scored against each column, in all games or, not *repeated*, in the different pairs."""
    points = np.zeros((len(players), len(players)))
    for meeting in meetings:
        a, b = (players.index(player) for player in meeting.players)
        pairs, (wins, draws, _) = meeting.pairs(), meeting.score()
        share = pairs.points / (2 * pairs.total) if pairs.size else 0.0
        games = len(meeting.games) if repeated else 2 * pairs.size
        scored = wins + draws / 2 if repeated else share * games
        points[a, b] += scored
        points[b, a] += games - scored
    return points


def _wins_draws_losses(results: Sequence[int]) -> tuple[int, int, int]:
    return results.count(1), results.count(0), results.count(-1)
