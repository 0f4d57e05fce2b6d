"""Elo on a ladder: games against an engine that plays at known strengths, mostly those near the player's own.

A few games on a coarse grid tell where the player stands; the others go to rungs where it should score between 10 and
90 %, more to those that tell more. The rating is a maximum-likelihood fit with the rungs' ratings taken as given.
Below the weakest that Stockfish can be stand players of ours (`rungs.py`).
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from understudy.errors import BadOption, EngineError
from understudy.games.chess.judges.openings import Line, OpeningTask, opening_task
from understudy.games.chess.judges.rungs import LOW
from understudy.games.chess.players.engine import find_engine
from understudy.games.chess.records.opinions import Analysis, engine_name
from understudy.judges.measures import SCALE, expected_shares, wilson
from understudy.judges.pairs import name_game
from understudy.match import Played, Terms
from understudy.players.programs.starting import starting
from understudy.protocols import Backend

COARSE = 5
"""Rungs of the first round, at most: on Stockfish's ladder they are some 400 points apart. Chosen by hand."""
TASK_PAIRS = 2
"""Pairs of games in a task: few, so that workers end together."""
FAULTS = ("engine crash", "engine failure", "illegal move", "time")
"""How a game ends that an engine could not play."""
BEYOND = 1200
"""Points outside the ladder up to which a rating is looked for: there a player takes one point of a thousand."""


class Rung(NamedTuple):
    """Results of the player against one strength."""

    elo: int
    wins: int = 0
    draws: int = 0
    losses: int = 0
    repeated: int = 0
    """Games that repeat an earlier one of this rung move by move: they tell nothing new, and count nowhere."""
    player: str = ""
    """Who stands there; nothing: the engine, at this strength."""

    @property
    def games(self) -> int:
        return self.wins + self.draws + self.losses

    @property
    def points(self) -> float:
        return self.wins + self.draws / 2

    def plus(self, results: Sequence[int]) -> Rung:
        """Return the rung with more results of the player's."""
        wins, draws, losses = (list(results).count(sign) for sign in (1, 0, -1))
        return self._replace(wins=self.wins + wins, draws=self.draws + draws, losses=self.losses + losses)


class Fit(NamedTuple):
    """A rating with its 95 % interval; None where it is open."""

    elo: float | None
    low: float | None
    high: float | None
    place: str
    """`on`, `below` or `above` the ladder."""


@dataclass(frozen=True, kw_only=True)
class Ladder:
    """The engine on the rungs, how long it thinks, and how far apart they are."""

    engine: str = "stockfish"
    step: int = 150
    depth: int | None = None
    nodes: int | None = None
    time: float | None = 0.05

    def limits(self) -> dict[str, int | float]:
        """Return what limits the engine's thinking."""
        limits = {"depth": self.depth, "nodes": self.nodes, "time": self.time}
        return {name: value for name, value in limits.items() if value is not None}

    def name_player(self, rung: Rung) -> str:
        """Return who stands on a rung, as a player."""
        limits = "".join(f",{name}={value}" for name, value in self.limits().items())
        return rung.player or f"engine:{self.engine},elo={rung.elo}{limits}"


class Climb(NamedTuple):
    """What became of a player on the ladder."""

    player: str
    ladder: Ladder
    rungs: tuple[Rung, ...]
    fit: Fit
    stopped: bool
    """Whether somebody stopped it before all games were played."""


def climb(
    player: str,
    ladder: Ladder,
    book: Sequence[Line],
    *,
    games: int,
    backend: Backend,
    seed: int = 0,
    progress: Callable[[int], None] = lambda games: None,
) -> Climb:
    """Play *games* games (an even number: both colours of each opening) and rate *player*; Ctrl-C ends it early."""
    if games < 2 or games % 2:
        raise BadOption(f"a ladder needs an even number of games, at least 2, not {games}")
    rungs = find_rungs(ladder)
    pairs, done, stopped = games // 2, 0, False
    seen: set[Hashable] = set()
    try:
        while done < pairs:
            plan = coarse(len(rungs), pairs) if done == 0 else near(rungs, max(4, (pairs - done) // 3))[: pairs - done]
            _play(player, ladder, book, rungs, plan, done, seed, backend, progress, seen)
            done += len(plan)
    except KeyboardInterrupt:
        stopped = True
    return Climb(player, ladder, tuple(rungs), fit(rungs), stopped)


def find_rungs(ladder: Ladder) -> list[Rung]:
    """Return the rungs from the lowest up; our own players were placed beside Stockfish, and stand below it alone."""
    lowest, highest = strengths(ladder.engine)
    own = [low for low in LOW if low.elo < lowest] if _is_stockfish(ladder.engine) else []
    rungs = [Rung(low.elo, player=low.player) for low in own]
    return [*rungs, *(Rung(elo) for elo in rung_strengths(lowest, highest, ladder.step))]


def _is_stockfish(engine: str) -> bool:
    return engine_name(Analysis(engine, depth=1)).startswith("Stockfish")


def strengths(engine: str) -> tuple[int, int]:
    """Return the weakest and the strongest rating to which an engine can limit itself, as it says itself."""
    path = find_engine(engine)
    try:
        with starting(path) as process:
            low, high = process.options.get("UCI_Elo", (None, None))
    except EngineError as error:
        raise EngineError(f"the engine {path!r} does not start: it {error}") from None
    if low is None or high is None:
        raise EngineError(f"the engine {path!r} cannot limit its strength: it has no option UCI_Elo")
    return low, high


def rung_strengths(lowest: int, highest: int, step: int) -> list[int]:
    """Return the ratings of the rungs, both ends among them."""
    if step < 1:
        raise BadOption(f"the rungs of a ladder must be at least 1 point apart, not {step}")
    return [*range(lowest, highest, step), highest]


def coarse(rungs: int, pairs: int) -> list[int]:
    """Return the rungs of the first round, a pair of games on each: evenly spread, at most half of all pairs."""
    count = min(COARSE, rungs, max(1, pairs // 2))
    if count == 1:
        return [rungs // 2]
    return [round(k * (rungs - 1) / (count - 1)) for k in range(count)]


def near(rungs: Sequence[Rung], pairs: int) -> list[int]:
    """Return a rung for each of the next pairs: where the score should be from 10 to 90 %, more where it tells more."""
    expected = expected_shares(_best_guess(rungs), np.array([rung.elo for rung in rungs], np.float64))
    candidates = np.flatnonzero((expected >= 0.1) & (expected <= 0.9))
    if not len(candidates):
        candidates = np.array([np.abs(expected - 0.5).argmin()])
    played = np.array([rung.games for rung in rungs], np.float64)
    chosen: list[int] = []
    for _ in range(pairs):
        tells = expected[candidates] * (1 - expected[candidates]) / (played[candidates] + 2)
        chosen.append(int(candidates[tells.argmax()]))
        played[chosen[-1]] += 2
    return sorted(chosen)


def fit(rungs: Sequence[Rung]) -> Fit:
    """Return the likeliest rating and its interval; open to the side where the player is off the ladder."""
    played = [rung for rung in rungs if rung.games]
    lowest, highest = rungs[0].elo, rungs[-1].elo
    points, games = sum(rung.points for rung in played), sum(rung.games for rung in played)
    if not games:
        return Fit(None, None, None, "on")
    grid, likelihood = _likelihood(played, lowest, highest)
    if points in (0, games):
        # Whoever lost all games may be arbitrarily weak, but not so strong that losing them all has less than 2.5 %.
        inside = grid[likelihood >= np.log(0.025)]
        return (
            Fit(None, None, float(inside[-1]), "below") if points == 0 else Fit(None, float(inside[0]), None, "above")
        )
    best = float(grid[likelihood.argmax()])
    inside = grid[likelihood >= likelihood.max() - 1.920729]  # half the 95 % quantile of chi squared with one degree
    low, high = float(inside[0]), float(inside[-1])
    if best < lowest:
        return Fit(best, None, high, "below")
    return Fit(best, low, None, "above") if best > highest else Fit(best, low, high, "on")


def ladder_json(climbed: Climb) -> dict[str, Any]:
    """Return a climb as plain data."""
    ladder = climbed.ladder
    return {
        "player": climbed.player,
        "engine": ladder.engine,
        "limits": ladder.limits(),
        "games": sum(rung.games + rung.repeated for rung in climbed.rungs),
        "different": sum(rung.games for rung in climbed.rungs),
        "stopped": climbed.stopped,
        **climbed.fit._asdict(),
        "lowest_rung": climbed.rungs[0].elo,
        "highest_rung": climbed.rungs[-1].elo,
        "rungs": [_rung_json(rung) | {"player": ladder.name_player(rung)} for rung in climbed.rungs],
    }


def _rung_json(rung: Rung) -> dict[str, Any]:
    share = rung.points / rung.games if rung.games else None
    low, high = wilson(share or 0.0, rung.games)
    return {**rung._asdict(), "games": rung.games, "points": rung.points, "share": share, "low": low, "high": high}


def _play(
    player: str,
    ladder: Ladder,
    book: Sequence[Line],
    rungs: list[Rung],
    plan: Sequence[int],
    done: int,
    seed: int,
    backend: Backend,
    progress: Callable[[int], None],
    seen: set[Hashable],
) -> None:
    """Play a round and add its results to the rungs as they come; games that were *seen* on a rung count once."""
    tasks, places = [], []
    for place in sorted(set(plan)):
        numbers = [done + k for k, rung in enumerate(plan) if rung == place]
        for first in range(0, len(numbers), TASK_PAIRS):
            some = numbers[first : first + TASK_PAIRS]
            places.append(place)
            tasks.append(_task(player, ladder, book, rungs[place], some, seed))
    for place, games in zip(places, backend.map(opening_task, tasks), strict=True):
        results = [_result(number, game) for number, game in enumerate(games)]
        names = [(place, name_game(game, number)) for number, game in enumerate(games)]
        new = [result for result, name in zip(results, names, strict=True) if name not in seen]
        seen.update(names)
        repeated = rungs[place].repeated + len(results) - len(new)
        rungs[place] = rungs[place].plus(new)._replace(repeated=repeated)
        progress(len(games))


def _task(
    player: str, ladder: Ladder, book: Sequence[Line], rung: Rung, numbers: Sequence[int], seed: int
) -> OpeningTask:
    starts = tuple(book[number % len(book)].fen for number in numbers for _ in range(2))
    players, chance = (player, ladder.name_player(rung)), (seed, abs(rung.elo), numbers[0])
    return OpeningTask(players=players, starts=starts, first=0, seed=chance, terms=Terms())


def _result(number: int, game: Played) -> int:
    """Return a game's result for the player; a game that the rung's engine failed to play is no win."""
    result = game.result if number % 2 == 0 else -game.result
    if result == 1 and game.reason in FAULTS:
        raise EngineError(f"the engine on the ladder failed in a game ({game.reason}), so it rates nobody")
    return result


def _best_guess(rungs: Sequence[Rung]) -> float:
    """Return where the player seems to stand; a drawn pair at both ends keeps it on the ladder's side of infinity."""
    ends = [rungs[0]._replace(draws=rungs[0].draws + 1), rungs[-1]._replace(draws=rungs[-1].draws + 1)]
    grid, likelihood = _likelihood([ends[0], *rungs[1:-1], ends[1]], rungs[0].elo, rungs[-1].elo)
    return float(grid[likelihood.argmax()])


def _likelihood(rungs: Sequence[Rung], lowest: int, highest: int) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return ratings, a point apart, and the logarithm of what each makes of the results; a draw is half of each."""
    grid = np.arange(lowest - BEYOND, highest + BEYOND + 1, dtype=np.float64)
    likelihood = np.zeros(len(grid))
    for rung in rungs:
        ahead = (grid - rung.elo) / SCALE
        likelihood -= rung.points * np.logaddexp(0, -ahead) + (rung.games - rung.points) * np.logaddexp(0, ahead)
    return grid, likelihood
