"""The round robin of a series: each pairing is kept as soon as it is played, and played again only if it changes."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from itertools import combinations
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from understudy.games import CompiledGame
from understudy.judges.pairs import find_repeated, name_game
from understudy.judges.tournament import Meeting, Task, play_task
from understudy.lab.judging import count_plies
from understudy.lab.run import Run
from understudy.lab.settings import fingerprint_of
from understudy.match import ILLEGAL, Played, Terms
from understudy.players.student_files import SUFFIXES

MEETINGS = "meetings.json"


class Met(NamedTuple):
    """What became of one pairing."""

    points: list[float | None]
    """Of the first player at each opening, from 0 to 2; None where both games repeat those of another opening."""
    games: int
    different: int
    """Games that repeat none before them."""
    illegal: tuple[int, int]
    """Games that each of them lost by an illegal choice."""

    @property
    def pairs(self) -> int:
        """How many openings tell something new."""
        return sum(points is not None for points in self.points)


def meet(run: Run[Any], game: CompiledGame, column: str, players: Mapping[str, str]) -> dict[tuple[str, str], Met]:
    """Return what became of every pairing of *players*, by their names; those that are kept are not played again."""
    options = run.experiment.grading
    plies = count_plies(game, options.opening_plies)
    terms = [options.games, plies, options.ply_limit, options.seed]
    stamps = {name: fingerprint_of(player.partition(",")[2], _stamp(player)) for name, player in players.items()}
    pairs = list(combinations(players, 2))
    names = {pair: fingerprint_of(game.name, game.size, terms, [stamps[name] for name in pair]) for pair in pairs}
    kept: dict[str, Any] = run.load(MEETINGS)
    left = [pair for pair in pairs if names[pair] not in kept]
    tasks = [
        Task(
            game=game.name, size=game.size, switches=game.switches, players=(players[one], players[other]),
            pairing=pairs.index((one, other)), first=0, games=options.games, opening_plies=plies, seed=options.seed,
            terms=Terms(ply_limit=options.ply_limit),
        )
        for one, other in left
    ]  # fmt: skip
    for place, (pair, played) in enumerate(zip(left, run.backend.map(play_task, tasks), strict=True)):
        kept[names[pair]] = count_meeting(played)._asdict()
        run.save(MEETINGS, kept)
        run.tell(f"{column}: round robin", (place + 1) / len(left), f"{' v '.join(pair)}")
    return {pair: _read(kept[names[pair]]) for pair in pairs}


def _stamp(player: str) -> str:
    """Return what tells a player from others: of a student what its file holds, since it may have learned anew."""
    folder = Path(player.removeprefix("student:").partition(",")[0])
    files = [folder / f"student{suffix}" for suffix in SUFFIXES] if player.startswith("student:") else []
    digests = [hashlib.sha256(file.read_bytes()).hexdigest() for file in files if file.exists()]
    return "".join(digests) or player


def count_meeting(played: Sequence[Played]) -> Met:
    """Return what became of games of which both colours of an opening follow each other."""
    results = Meeting(("", ""), tuple(played)).results
    seen: set[Any] = set()
    points: list[float | None] = []
    for first in range(0, len(played), 2):
        pair = name_game(played[first], 0), name_game(played[first + 1], 1)
        points.append(None if pair in seen else 1 + sum(results[first : first + 2]) / 2)
        seen.add(pair)
    lost = [sum(game.reason == ILLEGAL and result == side for game, result in zip(played, results, strict=True))
            for side in (-1, 1)]  # fmt: skip
    return Met(points, len(played), find_repeated(played).count(False), (lost[0], lost[1]))


def _read(table: Mapping[str, Any]) -> Met:
    first, second = table["illegal"]
    return Met(list(table["points"]), table["games"], table["different"], (first, second))


def points_of(names: Sequence[str], met: Mapping[tuple[str, str], Met], openings: int) -> NDArray[np.float64]:
    """Return what each row scored against each column at each opening [openings, players, players]."""
    points = np.zeros((openings, len(names), len(names)))
    for (one, other), meeting in met.items():
        a, b = names.index(one), names.index(other)
        for place, scored in enumerate(meeting.points):
            if scored is not None:
                points[place, a, b], points[place, b, a] = scored, 2 - scored
    return points
