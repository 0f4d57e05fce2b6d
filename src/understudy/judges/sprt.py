"""Matches that end when they have told enough: a sequential probability ratio test on pairs of games.

Two hypotheses say by how many points of Elo the first player is better; each means a share of the points, s0 and s1.
After every different pair the likelihoods of both are compared, and the match ends as soon as the logarithm of their
ratio leaves the interval from log(beta) to log(1 / alpha). If H0 is true a ratio of likelihoods ever reaches 1 / alpha
with a chance of alpha at most (Ville), and if H1 is true it ever falls to beta with one of beta at most. Wald's own
bounds, log(beta / (1 - alpha)) and log((1 - beta) / alpha), lie a little further in and promise less: errors of
alpha / (1 - beta) and beta / (1 - alpha) at most, 5.26 % each where 5 % were asked.

The likelihood knows of a pair only what `pairs.py` knows: its mean s and its variance r s (1 - s). For n pairs of
mean m the logarithm of the ratio is n / r (m log(s1 / s0) + (1 - m) log((1 - s1) / (1 - s0))): for independent games
that nobody draws (r = 1/2) that of 2n games exactly, and near the hypotheses n (s1 - s0) (m - (s0 + s1) / 2) over the
variance. r is estimated as the match goes on. The first few pairs are often alike, and then r looks far too small: no
match ends before `FEWEST` pairs, and r is taken for larger by `CAUTION` pairs in so many as were played.
`python -m benchmarks sprt` measures the errors and the lengths; docs/judges.md tells what came out.

Whoever stops a match at a result that pleases has a result that flatters. The interval of a match that such a test
has ended is therefore a little too far from even; the test's own answer is not.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable, Iterator, Sequence
from dataclasses import replace
from itertools import cycle, islice
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from understudy.errors import BadOption
from understudy.games import CompiledGame
from understudy.judges.measures import expected_shares
from understudy.judges.pairs import PRIOR_PART, Numbers, estimate_part, name_game
from understudy.judges.tournament import Meeting, Task, play_task
from understudy.match import Opening, Played, Terms, random_openings
from understudy.protocols import Backend

FEWEST = 16
"""Different pairs before which no match ends. Without it as many as 5.6 % of matches end wrongly where 5 % were asked:
from openings that favour a colour a stronger player's first pairs may all be 1 : 1."""

CAUTION = 2.0
"""Pairs. With 0 as many as 5.1 % of matches end wrongly where 5 % were asked even if none ends before thirty pairs;
with 4 those of few pairs take more than a tenth longer than Wald's theory says. This and `FEWEST` were chosen by
simulations on the models of `python -m benchmarks sprt`, with other seeds than it has."""

MOST_GAMES = 1_000_000
"""Games after which a match is given up; hypotheses that would need more are refused."""

STALE = 200
"""Pairs in a row that repeat earlier ones after which two players have nothing new to show."""

OVERSHOOT = 0.583
"""By how many standard deviations of a step a random walk is past a bound when it crosses it, on average (Siegmund)."""

TASKS = 8
"""Of a round, which workers share; a round is played before anybody asks whether the match is over."""

BLOCK = 64
"""Openings drawn at once."""


class Hypotheses(NamedTuple):
    """By how many points of Elo the first player may be better, and how often each may be accepted wrongly."""

    elo0: float
    elo1: float
    alpha: float = 0.05
    beta: float = 0.05

    @property
    def lower(self) -> float:
        """Where H0 is accepted."""
        return math.log(self.beta)

    @property
    def upper(self) -> float:
        """Where H1 is accepted."""
        return -math.log(self.alpha)

    @property
    def walds(self) -> tuple[float, float]:
        """Wald's own bounds, a little further in: his theory of lengths is about these."""
        return math.log(self.beta / (1 - self.alpha)), math.log((1 - self.beta) / self.alpha)

    @property
    def shares(self) -> tuple[float, float]:
        """The shares of the points that both mean."""
        low, high = (float(expected_shares(elo, np.zeros(1))[0]) for elo in (self.elo0, self.elo1))
        return low, high

    @property
    def weights(self) -> tuple[float, float]:
        """What a point won and a point lost add to the logarithm of the ratio, before the variance."""
        low, high = self.shares
        return math.log(high / low), math.log((1 - high) / (1 - low))


def read_hypotheses(text: str, *, alpha: float = 0.05, beta: float = 0.05) -> Hypotheses:
    """Return the hypotheses that `ELO0,ELO1` names; those that a million games cannot tell apart are refused."""
    try:
        elo0, elo1 = (float(part) for part in text.split(","))
    except ValueError:
        raise BadOption(f"--sprt needs two numbers like 0,20, not {text!r}") from None
    if not -1000 <= elo0 < elo1 <= 1000:
        raise BadOption(f"--sprt {text}: the first must be below the second, both from -1000 to 1000 points of Elo")
    for name, chance in (("alpha", alpha), ("beta", beta)):
        if not 0 < chance < 0.5:
            raise BadOption(f"--{name} must be above 0 and below 0.5, not {chance:g}")
    hypotheses = Hypotheses(elo0, elo1, alpha, beta)
    games = expected_games(hypotheses)
    if games > MOST_GAMES:
        raise BadOption(f"--sprt {text}: to tell these apart takes about {games:,.0f} games, more than {MOST_GAMES:,}")
    return hypotheses


def expected_games(hypotheses: Hypotheses) -> float:
    """Return how many games a match is expected to take whichever is true, if games are independent and not drawn."""
    return 2 * max(expected_pairs(hypotheses, share, PRIOR_PART) for share in hypotheses.shares)


def expected_pairs(hypotheses: Hypotheses, share: float, part: float, *, overshoot: float = OVERSHOOT) -> float:
    """Return Wald's expected number of pairs of a player who takes *share* of the points, for pairs of variance *part*.

    Both of his bounds are moved outwards by what a walk overshoots them by.
    """
    (low, high), (won, lost) = hypotheses.walds, hypotheses.weights
    drift = (share * won + (1 - share) * lost) / part
    step = (won - lost) * math.sqrt(share * (1 - share) / part)
    upper, lower = high + overshoot * step, low - overshoot * step
    if abs(drift) < 1e-6 * step:
        return -upper * lower / step**2
    root = -2 * drift / step**2  # of the moment generating function of a step, taken for normal
    reached = (1 - math.exp(root * lower)) / (math.exp(root * upper) - math.exp(root * lower))
    return (reached * upper + (1 - reached) * lower) / drift


def log_ratio(hypotheses: Hypotheses, size: Numbers, total: Numbers, squares: Numbers) -> NDArray[np.float64]:
    """Return the logarithm of the ratio for *size* pairs by the sums of their shares and of the squares of these."""
    share = total / size
    part = estimate_part(size, share, np.maximum(squares - total * share, 0.0)) * (1 + CAUTION / size)
    won, lost = hypotheses.weights
    return np.asarray((total * won + (size - total) * lost) / part)


class Trial:
    """A test under way: pairs go in one by one, and repeated ones change nothing."""

    def __init__(self, hypotheses: Hypotheses) -> None:
        self.hypotheses = hypotheses
        self.seen: set[Hashable] = set()
        self.total = self.squares = self.llr = 0.0
        self.repeats = 0
        """Pairs in a row, up to the last, that repeat earlier ones."""

    @property
    def accepted(self) -> str | None:
        """The hypothesis that is accepted, `H0` or `H1`; None while there is none."""
        if len(self.seen) < FEWEST:
            return None
        if self.llr >= self.hypotheses.upper:
            return "H1"
        return "H0" if self.llr <= self.hypotheses.lower else None

    @property
    def over(self) -> bool:
        """Whether there is an answer, or no hope of any."""
        return self.accepted is not None or self.repeats >= STALE

    def add(self, first: Played, second: Played) -> None:
        """Add a pair: in its first game the first player had the even plies."""
        name = name_game(first, 0), name_game(second, 1)
        if name in self.seen:
            self.repeats += 1
            return
        share = 0.5 + (first.result - second.result) / 4
        self.seen.add(name)
        self.repeats, self.total, self.squares = 0, self.total + share, self.squares + share**2
        self.llr = float(log_ratio(self.hypotheses, float(len(self.seen)), self.total, self.squares))

    def describe(self) -> dict[str, Any]:
        """Return what came of it for programs."""
        bounds = {"lower": self.hypotheses.lower, "upper": self.hypotheses.upper}
        elos = {"elo0": self.hypotheses.elo0, "elo1": self.hypotheses.elo1}
        return {"accepted": self.accepted, "llr": self.llr, **bounds, "pairs": len(self.seen), **elos}

    def write(self) -> str:
        """Return what came of it in a sentence."""
        facts = self.describe()
        numbers = f"log-likelihood ratio {self.llr:.2f}, bounds {facts['lower']:.2f} and {facts['upper']:.2f}"
        claims = {"H0": facts["elo0"], "H1": facts["elo1"]}
        if self.accepted is not None:
            answer = f"{self.accepted} accepted, a difference of {claims[self.accepted]:g} Elo"
        elif self.repeats >= STALE:
            answer = f"no answer: the last {self.repeats} pairs repeat earlier ones, the players show nothing new"
        else:
            answer = "no answer: the games are over before either hypothesis was accepted"
        return f"{answer} ({numbers}, {facts['pairs']} different pairs)"


def play_sprt(
    game: CompiledGame,
    players: tuple[str, str],
    hypotheses: Hypotheses,
    *,
    most: int,
    seed: int,
    backend: Backend,
    opening_plies: int,
    book: Sequence[Opening] = (),
    terms: Terms = Terms(),
    progress: Callable[[int], None] = lambda games: None,
) -> tuple[Meeting, Trial]:
    """Play pairs until one of two hypotheses is accepted, *most* games at the most; games after that are dropped.

    Openings are those of *book*, over and over, or of random plies. The same seed gives the same match for any number
    of workers, because the number of pairs in a task follows from those before it alone.
    """
    openings = cycle(book) if book else _draw_openings(game, opening_plies, np.random.default_rng([seed, 0xB00C]))
    trial, games = Trial(hypotheses), list[Played]()
    plain = Task(game=game.name, size=game.size, switches=game.switches, players=players, pairing=0, first=0, games=0,
                 opening_plies=opening_plies, seed=seed, terms=terms)  # fmt: skip
    while not trial.over and len(games) + 1 < most:
        for part in backend.map(play_task, list(_round(plain, openings, len(games) // 2, most // 2))):
            games += _add_part(trial, part)
            progress(len(part))
            if trial.over:
                break
    return Meeting(players, tuple(games)), trial


def _add_part(trial: Trial, part: Sequence[Played]) -> Iterator[Played]:
    """Yield the games of a task up to the end of the trial."""
    for first, second in zip(part[0::2], part[1::2], strict=True):
        if not trial.over:
            trial.add(first, second)
            yield from (first, second)


def _round(plain: Task, openings: Iterator[Opening], done: int, most: int) -> Iterator[Task]:
    """Yield the tasks of a round: few pairs at first, for a crude difference shows soon, then an eighth of those done.

    No task has more than 64 pairs, which a network plays in step almost as fast as more.
    """
    pairs = min(max(done // (8 * TASKS), 2), 64)
    for first in range(done, min(done + TASKS * pairs, most), pairs):
        some = tuple(islice(openings, min(pairs, most - first)))
        yield replace(plain, first=2 * first, games=2 * len(some), openings=some)


def _draw_openings(game: CompiledGame, plies: int, rng: np.random.Generator) -> Iterator[Opening]:
    """Yield openings of random plies without end, the start first, all different while there are more."""
    yield Opening()
    seen: set[Opening] = set()
    while True:
        drawn = random_openings(game, BLOCK + 1, plies=plies, rng=rng)[1:] if plies else [Opening()] * BLOCK
        new = [opening for opening in drawn if opening not in seen]
        seen.update(new)
        yield from new or drawn
