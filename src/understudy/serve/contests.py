"""Small tournaments that people watch: a round robin played piece by piece, the table after each piece."""

from __future__ import annotations

import asyncio
import secrets
from collections import OrderedDict
from itertools import combinations
from typing import Any

from understudy.errors import BadOption, UnderstudyError
from understudy.games import CompiledGame
from understudy.judges.tables import table_rows
from understudy.judges.tournament import Task, count_robin, list_openings, plan_robin
from understudy.match import Played, play_games
from understudy.players import close
from understudy.players.looking import Halt
from understudy.serve.answers import Contest
from understudy.serve.bodies import Contesting
from understudy.serve.hall import Absent, Hall
from understudy.serve.players import Roster
from understudy.serve.views import choose_game, write_size

KEPT = 50
"""Tournaments that are remembered; the oldest is forgotten first."""
AT_ONCE = 4
"""Tournaments under way at once: each has a thread, and people who play need some, too."""


class Contests:
    """Tournaments under way and played."""

    def __init__(self, hall: Hall) -> None:
        self.hall = hall
        self.contests: OrderedDict[str, Contest] = OrderedDict()
        self.tasks: dict[str, asyncio.Task[None]] = {}

    async def open(self, wanted: Contesting) -> Contest:
        """Begin a tournament."""
        if len(self.tasks) >= AT_ONCE:
            raise BadOption(f"{AT_ONCE} tournaments are under way; wait until one ends, or stop one")
        game = await self.hall.prepare(choose_game(wanted.game, wanted.size, wanted.rules))
        for player in wanted.players:
            self.hall.roster.check(player, game)
        plies = game.conventions.opening_plies
        pieces = plan_robin(game, wanted.players, games=wanted.games, seed=wanted.seed, opening_plies=plies)
        contest = Contest(
            id=secrets.token_urlsafe(16), game=game.name, size=write_size(game), players=wanted.players,
            games=wanted.games, played=0, total=sum(piece.games for piece in pieces), over=False, error=None, table=[],
        )  # fmt: skip
        self._keep(contest)
        self.tasks[contest.id] = asyncio.get_running_loop().create_task(self._play(contest, game, pieces))
        return contest

    def _keep(self, contest: Contest) -> None:
        self.contests[contest.id] = contest
        while len(self.contests) > KEPT:
            self.contests.popitem(last=False)

    def find(self, name: str) -> Contest:
        """Return a tournament as far as it went."""
        if name not in self.contests:
            raise Absent(f"there is no tournament {name!r}")
        return self.contests[name]

    def stop(self, name: str) -> Contest:
        """End a tournament early; what was played counts."""
        contest = self.find(name)
        if task := self.tasks.pop(name, None):
            task.cancel()
            contest.over = True
            self._tell(contest)
        return contest

    async def _play(self, contest: Contest, game: CompiledGame, pieces: list[Task]) -> None:
        played: dict[tuple[str, str], list[Played]] = {pair: [] for pair in combinations(contest.players, 2)}
        try:
            for piece in _interleaved(pieces):
                games = await self.hall.lanes.long.do(_player_of(self.hall.roster, game, piece))
                played[piece.players] += games
                contest.played += len(games)
                contest.table = table_rows(count_robin(contest.players, played))
                self._tell(contest)
        except UnderstudyError as error:
            contest.error = str(error)
        finally:
            contest.over = True
            self.tasks.pop(contest.id, None)
            self._tell(contest)

    def _tell(self, contest: Contest) -> None:
        self.hall.news.tell(f"tournaments/{contest.id}", "state", state=contest)

    async def close(self) -> None:
        """End all tournaments."""
        tasks = list(self.tasks.values())
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)


def _interleaved(pieces: list[Task]) -> list[Task]:
    """Return the first piece of every pairing, then the second, and so on: the table fills evenly."""
    return sorted(pieces, key=lambda piece: (piece.first, piece.pairing))


def _player_of(roster: Roster, game: CompiledGame, piece: Task) -> Any:
    """Return the work of playing one piece, with players made for it alone."""

    def work(halt: Halt) -> list[Played]:
        key = (piece.seed, piece.pairing, piece.first)
        made = [roster.make(text, game, seed=[*key, side]) for side, text in enumerate(piece.players)]
        try:
            return play_games(game, (made[0], made[1]), list_openings(game, piece), piece.terms)
        finally:
            for player in made:
                close(player)

    return work
