"""Where chromosomes meet: the tasks that workers do for evolution, whole matches inside kernels.

A task is made of names, numbers and alleles, so that any worker can play it; what it brings back is a few whole
numbers. All chance of a task comes from its own seed. What many tasks need, parents and opponents, they share.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import reduce
from itertools import combinations
from typing import Any, NamedTuple, TypeAlias

import numpy as np

from understudy.backends.shared import Shared
from understudy.games import CompiledGame, find_game
from understudy.match import Begun, Opening, random_openings
from understudy.players.choosers import make_chooser
from understudy.search.choosers import RESULT, Looking, Room, contest, make_room, name_moves
from understudy.search.evaluators.chromosome import NetworkOptions, Plan, express, make_plan
from understudy.trainers.evolution.breeding import Alleles, Brood

RANDOM_NETWORK = "random_network"
"""An opponent: a network with every weight uniform in [-1, 1], a new one for each match (RandomANN, L-13)."""

Contender = Any
"""A chooser."""


class Bred(NamedTuple):
    """A network with a plan and a depth of its own, wherever it comes from."""

    network: NetworkOptions
    alleles: Alleles
    depth: int


Opponent: TypeAlias = "str | Alleles | Bred"


@dataclass(frozen=True, kw_only=True)
class Stage:
    """What all tasks of an experiment share."""

    game: str
    size: tuple[int, int]
    switches: tuple[tuple[str, str], ...] = ()
    network: NetworkOptions = field(default_factory=NetworkOptions)
    depth: int = 3
    """Plies that networks look ahead."""
    limit: int = 100
    """A game is a tie after so many plies."""
    shuffled: bool = False
    """Whether networks choose between equally good moves by chance."""
    aware: bool = True
    """Whether the rules tell the search of a network that a game is over."""

    def looking(self, alleles: Alleles) -> Looking:
        """Return the player that a chromosome makes."""
        return Looking(express(self.plan(), alleles), self.depth, int(self.shuffled), int(not self.aware))

    def board(self) -> CompiledGame:
        """Return the game."""
        return find_game(self.game, self.size, dict(self.switches))

    def plan(self) -> Plan:
        """Return how chromosomes become networks."""
        return make_plan(self.board(), self.network)


class Meeting(NamedTuple):
    """A match of two games between A and B: for each the outcome for A and the plies; A opens the first."""

    opened: int
    opened_plies: int
    answered: int
    answered_plies: int


class Judged(NamedTuple):
    """A match that judges: as a meeting, and the mark of each game, by which one is known that repeats another."""

    opened: int
    opened_plies: int
    answered: int
    answered_plies: int
    opened_mark: int
    answered_mark: int


class Decision(NamedTuple):
    """Who wins a match, 0 for A and 1 for B, and by which of the thesis's rules (L-22), 1 to 4."""

    winner: int
    rule: int


RULES = ("both wins", "win and tie", "quicker win", "older")
"""What decides a match, in the order of the rules."""


def decide(meeting: Meeting) -> Decision:
    """Return who wins a match; where nothing else decides, A does, who is the older one."""
    a, b = meeting.opened, meeting.answered
    if a + b != 0:
        return Decision(0 if a + b > 0 else 1, 1 if abs(a + b) == 2 else 2)
    if a == 0 or meeting.opened_plies == meeting.answered_plies:
        return Decision(0, 4)
    quicker = a if meeting.opened_plies < meeting.answered_plies else b
    return Decision(0 if quicker > 0 else 1, 3)


@dataclass(frozen=True, kw_only=True, eq=False)
class Final:
    """A tournament of a few chromosomes, of whom one survives."""

    stage: Stage
    alleles: Alleles | Brood
    """[contenders, alleles], the oldest first: of two the one with the lower number is A."""
    format: str = "knockout"
    coin: bool = False
    """Whether chance decides where nothing else does, instead of age."""
    seed: tuple[int, ...] = (0,)


class Finished(NamedTuple):
    """What came of a tournament: who won, and every match as (A, B, winner, rule, *meeting)."""

    winner: int
    matches: tuple[tuple[int, ...], ...]


FORMATS = ("knockout", "round_robin")


def play_final(task: Final) -> Finished:
    """Play a tournament to its end."""
    rng = np.random.default_rng(task.seed)
    ready = ready_for(task.stage, rng)
    networks = [task.stage.looking(alleles) for alleles in task.alleles]
    matches: list[tuple[int, ...]] = []

    def winner_of(a: int, b: int) -> int:
        a, b = min(a, b), max(a, b)
        meeting = ready.meet(networks[a], networks[b])
        winner, rule = decide(meeting)
        if rule == 4 and task.coin:
            winner = int(rng.integers(2))
        matches.append((a, b, winner, rule, *meeting))
        return (a, b)[winner]

    crowned = {"knockout": _knocked_out, "round_robin": _round_robin}[task.format]
    return Finished(crowned(len(networks), winner_of), tuple(matches))


def _knocked_out(contenders: int, winner_of: Callable[[int, int], int]) -> int:
    """Return who is left: neighbours meet, then the winners."""
    left = list(range(contenders))
    while len(left) > 1:
        byes = left[len(left) - len(left) % 2 :]
        left = [winner_of(left[i], left[i + 1]) for i in range(0, len(left) - 1, 2)] + byes
    return left[0]


def _round_robin(contenders: int, winner_of: Callable[[int, int], int]) -> int:
    """Return who wins most matches, of equals the oldest."""
    won = [0] * contenders
    for a, b in combinations(range(contenders), 2):
        won[winner_of(a, b)] += 1
    return int(np.argmax(won))


def compare_formats(played: Sequence[Finished]) -> dict[str, int]:
    """Return how many round robins were played, and in how many a knock-out by the same matches keeps another winner.

    Of four, whoever wins a knock-out has won two matches at least, so another can only be the older one of equals.
    """
    another = 0
    for one in played:
        winners = {(a, b): (a, b)[winner] for a, b, winner, *_ in one.matches}
        contenders = 1 + max(b for _, b in winners)
        kept = _knocked_out(contenders, lambda a, b, winners=winners: winners[min(a, b), max(a, b)])  # type: ignore[misc]
        another += kept != one.winner
    return {"played": len(played), "another": another}


@dataclass(frozen=True, kw_only=True, eq=False)
class Trial:
    """Matches of one chromosome against several opponents, one match for each."""

    stage: Stage
    alleles: Alleles
    opponents: tuple[Opponent, ...]
    """Players by name, chromosomes of this stage, or networks of another."""
    famous: Shared[Alleles] | None = None
    """Chromosomes that many trials meet, after the other opponents."""
    opening_plies: int = 0
    """Random plies before the players choose; each match has its own, and both its games the same."""
    opening_seed: tuple[int, ...] = (0,)
    seed: tuple[int, ...] = (0,)
    judging: bool = False
    """Whether the matches judge, so that it is told of each game whether it repeats another; else they breed."""
    choosing: bool | None = None
    """Whether they choose between players, or grade them (False): each has openings of its own; None: all."""

    def met(self) -> tuple[Opponent, ...]:
        """Return everybody whom the chromosome meets."""
        return (*self.opponents, *(self.famous.value if self.famous is not None else ()))


def play_trial(task: Trial) -> tuple[Meeting | Judged, ...]:
    """Play the matches of a chromosome."""
    stage, rng = task.stage, np.random.default_rng(task.seed)
    ready, network = ready_for(stage, rng), stage.looking(task.alleles)
    opponents = task.met()
    starts = _starts(ready.game, len(opponents), task.opening_plies, task.opening_seed, task.choosing)
    meet = ready.judge if task.judging else ready.meet
    return tuple(
        meet(network, contender_of(stage, opponent, rng), start)
        for opponent, start in zip(opponents, starts, strict=True)
    )


@dataclass(frozen=True, kw_only=True, eq=False)
class Pairing:
    """Matches between two players, which judge."""

    stage: Stage
    players: tuple[str | Shared[Bred], str | Shared[Bred]]
    matches: int
    opening_plies: int = 0
    opening_seed: tuple[int, ...] = (0,)
    seed: tuple[int, ...] = (0,)
    choosing: bool | None = None
    """As in a trial."""


def play_pairing(task: Pairing) -> tuple[Judged, ...]:
    """Play matches between two players."""
    stage, rng = task.stage, np.random.default_rng(task.seed)
    ready = ready_for(stage, rng)
    starts = _starts(ready.game, task.matches, task.opening_plies, task.opening_seed, task.choosing)
    one, other = task.players
    return tuple(ready.judge(contender_of(stage, one, rng), contender_of(stage, other, rng), start) for start in starts)


def contender_of(stage: Stage, opponent: Opponent | Shared[Any], rng: np.random.Generator) -> Contender:
    """Return whoever is meant as a chooser."""
    if isinstance(opponent, Shared):
        return contender_of(stage, opponent.value, rng)
    if isinstance(opponent, Bred):
        return Looking(express(make_plan(stage.board(), opponent.network), opponent.alleles), opponent.depth)
    if isinstance(opponent, str) and opponent != RANDOM_NETWORK:
        return make_chooser(opponent, stage.board())
    alleles = rng.uniform(-1, 1, stage.plan().length) if isinstance(opponent, str) else opponent
    return stage.looking(alleles)


def _starts(game: CompiledGame, count: int, plies: int, seed: Sequence[int], choosing: bool | None) -> list[Begun]:
    """Return where the matches start: after random plies, or at the start itself."""
    if plies == 0:
        return [Begun(Opening(), game.start())] * count
    plain, rng = 0 if choosing else 1, np.random.default_rng(seed)  # the first is the start itself, unless games choose
    openings = random_openings(game, count + plain, plies=plies, rng=rng, choosing=choosing)[plain:]
    return [Begun(opening, reduce(game.play, opening.moves, game.start())) for opening in openings]


class Ready(NamedTuple):
    """A thread's room, ready for the games of a task."""

    game: CompiledGame
    room: Room
    limit: int

    def meet(self, a: Contender, b: Contender, start: Begun | None = None) -> Meeting:
        """Play a match of two games; *a* opens the first."""
        return Meeting(*self.judge(a, b, start)[:4])

    def judge(self, a: Contender, b: Contender, start: Begun | None = None) -> Judged:
        """Play a match of two games, *a* opening the first; return what they are known by, too."""
        opening, first = Begun(Opening(), self.game.start()) if start is None else start
        second, begun = first.ply & 1, name_moves(opening.moves)
        plies = self.limit - first.ply
        opened = contest(first, begun, a, b, second, plies, self.room)
        answered = contest(first, begun, a, b, 1 - second, plies, self.room)
        return Judged(opened[0], first.ply + opened[1], answered[0], first.ply + answered[1], opened[2], answered[2])


_local = threading.local()


def ready_for(stage: Stage, rng: np.random.Generator) -> Ready:
    """Return this thread's room with the chance of a new task in it."""
    rooms: dict[int, Room] = _local.__dict__.setdefault("rooms", {})
    game = stage.board()
    if game.most_moves not in rooms:
        # Not from *rng*: a task must not have other chance because it is its thread's first.
        rooms[game.most_moves] = make_room(game.most_moves, np.random.default_rng(0))
    room = rooms[game.most_moves]
    room.random_state[0] = rng.integers(1 << 63, dtype=np.uint64)
    return Ready(game, room, stage.limit)


Task = Final | Trial | Pairing


def play_task(task: Task) -> Any:
    """Do any task of the arena."""
    return TASKS[type(task)](task)


TASKS: dict[type, Callable[[Any], Any]] = {Final: play_final, Trial: play_trial, Pairing: play_pairing}


class Timed(NamedTuple):
    """What came of a task, and how long it took."""

    result: Any
    seconds: float


def play_timed(task: Task) -> Timed:
    """Do any task of the arena, with a watch."""
    began = time.perf_counter()
    return Timed(play_task(task), time.perf_counter() - began)


def nonsense(task: Task, played: Any) -> str | None:
    """Return what is wrong with the result of a task, or None: a broken worker must not steer evolution."""
    if not isinstance(played, Timed) or not isinstance(played.seconds, float):
        return f"returned {type(played).__name__} instead of a result"
    if isinstance(task, Final):
        return _wrong_final(task, played.result)
    count = len(task.met()) if isinstance(task, Trial) else task.matches
    if not isinstance(played.result, tuple) or len(played.result) != count:
        return f"did not return {count} matches"
    judging = isinstance(task, Pairing) or task.judging
    sensible = all(_sensible(one, task.stage.limit, marked=judging) for one in played.result)
    return None if sensible else "returned games that cannot be"


def _wrong_final(task: Final, result: Any) -> str | None:
    contenders = len(task.alleles)
    if not isinstance(result, Finished) or result.winner not in range(contenders):
        return f"named no winner among {contenders} chromosomes"
    wanted = contenders - 1 if task.format == "knockout" else contenders * (contenders - 1) // 2
    if not isinstance(result.matches, tuple) or len(result.matches) != wanted:
        return f"did not return {wanted} matches"
    sensible = all(_decided(one, contenders) and _sensible(one[4:], task.stage.limit) for one in result.matches)
    return None if sensible else "returned games that cannot be"


def _decided(match: Any, contenders: int) -> bool:
    """Tell whether a match says who met and how it was decided."""
    if not isinstance(match, tuple) or len(match) != 8:
        return False
    a, b, winner, rule = match[:4]
    return a in range(contenders) and b in range(contenders) and winner in (0, 1) and rule in range(1, len(RULES) + 1)


def _sensible(meeting: Any, limit: int, *, marked: bool = False) -> bool:
    if not isinstance(meeting, tuple) or len(meeting) != (6 if marked else 4):
        return False
    opened, opened_plies, answered, answered_plies = meeting[:4]
    games = ((opened, opened_plies), (answered, answered_plies))
    return all(outcome in (-1, 0, 1) and plies in range(limit + 1) for outcome, plies in games) and all(
        isinstance(mark, int) and mark >= 0 and (mark & RESULT) - 1 == outcome
        for mark, (outcome, _) in zip(meeting[4:], games, strict=False)
    )
