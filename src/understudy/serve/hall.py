"""The hall: all games under way, the machines that move in them, and what is kept of them.

Everything here runs in the event loop but thinking, which has threads of its own. A game is loaded when somebody asks
for it, and let go when nobody has for a while; the file of games has all of them at any time.
"""

from __future__ import annotations

import asyncio
import secrets
from collections import OrderedDict
from collections.abc import Mapping
from contextlib import suppress
from typing import Any

from understudy.errors import BadOption, UnderstudyError, first_line
from understudy.games import CompiledGame
from understudy.match import Course, Opening, advance, begin
from understudy.players import think
from understudy.players.looking import Halt
from understudy.players.student_files import usual_opponent
from understudy.protocols import Choice
from understudy.saved import SavedGame, replay
from understudy.serve.answers import Place
from understudy.serve.bodies import NewGame, Where
from understudy.serve.news import News
from understudy.serve.players import HUMAN, Roster
from understudy.serve.records import read_record
from understudy.serve.sittings import Sitting, make_clock, restore
from understudy.serve.store import Store
from understudy.serve.thinking import Busy, Lane, Lanes, bounded
from understudy.serve.views import choose_game, describe_place, read_position
from understudy.thoughts import Thought

LOADED = 500
"""Games held in memory; others wait in the file."""
PATIENCE = 10.0
"""Seconds that a machine thinks on after the last page with its game is gone: a reload takes less."""


BUSY_PAUSE = 0.5
"""Seconds after which a machine asks again for a thread where too many wait."""


class Absent(UnderstudyError):
    """Nothing of this name is here."""


class Hall:
    """Games under way."""

    def __init__(self, store: Store, roster: Roster, lanes: Lanes, news: News) -> None:
        self.store, self.roster, self.lanes, self.news = store, roster, lanes, news
        self.sittings: OrderedDict[str, Sitting] = OrderedDict()
        self.turns: dict[str, asyncio.Task[None]] = {}
        self.flags: dict[str, asyncio.TimerHandle] = {}
        self.ready: set[type] = set()

    async def prepare(self, game: CompiledGame, *, lane: Lane | None = None) -> CompiledGame:
        """Return a game whose kernels are loaded: compiling them would hold up everybody else."""
        kind = type(game.start())
        if kind not in self.ready:
            await (lane or self.lanes.quick).do(lambda halt: _load_kernels(game))
            self.ready.add(kind)
        return game

    async def open(self, wanted: NewGame) -> Sitting:
        """Begin a game, or go on with one that was recorded."""
        saved = await self._read_game(wanted)
        self._check_players(saved.game, saved.players)
        seed = secrets.randbits(32) if wanted.seed is None else wanted.seed
        sitting = Sitting(_new_name(), saved, clock=make_clock(wanted.clock), pace=wanted.pace, seed=seed)
        return self._seat(sitting)

    async def _read_game(self, wanted: NewGame) -> SavedGame:
        game = await self.prepare(choose_game(wanted.game, wanted.size, wanted.rules))
        if wanted.record is not None and wanted.position is not None:
            raise BadOption("a record tells its position itself: leave one of both out")
        if wanted.record is not None:
            saved = read_record(wanted.record, game)
            await self.prepare(saved.game)
            players = {colour: name for colour, name in saved.players.items() if colour not in wanted.players}
            return SavedGame(saved.game, {**players, **wanted.players}, saved.course)
        start = None
        if wanted.position is not None:
            start = read_position(game, Where(game=wanted.game, position=wanted.position, turn=wanted.turn))
        course = begin(game, Opening((), start))
        return SavedGame(game, _usual_players(game, course, wanted.players), course)

    def _check_players(self, game: CompiledGame, players: Mapping[str, str]) -> None:
        for colour, name in players.items():
            if colour not in game.colours:
                raise BadOption(f"{colour!r} is no colour of {game.name}: {' or '.join(game.colours)}")
            self.roster.check(name, game)

    def _seat(self, sitting: Sitting) -> Sitting:
        self.sittings[sitting.id] = sitting
        self._keep_few()
        self.changed(sitting)
        return sitting

    def _keep_few(self) -> None:
        """Let go of the games that nobody has asked for longest, unless somebody thinks or looks on."""
        for name in list(self.sittings)[: max(0, len(self.sittings) - LOADED)]:
            if name not in self.turns and not self.news.count(topic_of(name)):
                del self.sittings[name]

    async def find(self, name: str) -> Sitting:
        """Return the game called *name*."""
        sitting = self.sittings.get(name)
        if sitting is None:
            kept = self.store.load(name)
            if kept is None:
                raise Absent(f"there is no game {name!r}; games are kept for a day")
            about = kept["saved"]
            await self.prepare(choose_game(about["game"], about["size"], about["rules"]))
            sitting = self.sittings.setdefault(name, restore(name, kept))
            self._keep_few()
        self.sittings.move_to_end(name)
        self.wake(sitting)
        return sitting

    async def fork(self, sitting: Sitting, ply: int, players: Mapping[str, str]) -> Sitting:
        """Begin another game where one stood after so many plies."""
        if ply > len(sitting.course.moves):
            raise BadOption(f"the game has {len(sitting.course.moves)} plies, not {ply}")
        course = replay(sitting.game, sitting.course, ply)
        seated = _usual_players(sitting.game, course, players) if sitting.is_show else {**sitting.players, **players}
        self._check_players(sitting.game, seated)
        return self._seat(Sitting(_new_name(), SavedGame(sitting.game, seated, course), seed=sitting.seed))

    def look_back(self, sitting: Sitting, ply: int) -> Place:
        """Return the position of a game after so many plies."""
        course = sitting.course
        if ply > len(course.moves):
            raise Absent(f"the game has {len(course.moves)} plies, not {ply}")
        positions = [*course.history, course.position]
        if ply == 0:
            return describe_place(sitting.game, positions[0])
        return describe_place(sitting.game, positions[ply], before=positions[ply - 1], move=course.moves[ply - 1])

    def changed(self, sitting: Sitting) -> None:
        """Keep a game as it stands, tell everybody, and let a machine move if it is its turn."""
        self.store.save(sitting.id, sitting.to_json())
        self.tell(sitting)
        self._watch_clock(sitting)
        self.wake(sitting)

    def tell(self, sitting: Sitting) -> None:
        """Let all pages with this game know how it stands."""
        self.news.tell(topic_of(sitting.id), "state", state=sitting.state())

    def _watch_clock(self, sitting: Sitting) -> None:
        """Have the game ended when the time of the side to move is over."""
        if timer := self.flags.pop(sitting.id, None):
            timer.cancel()
        clock = sitting.clock
        if clock is not None and clock.began is not None and not sitting.over:
            later = clock.remaining(sitting.side) + 0.01
            self.flags[sitting.id] = asyncio.get_running_loop().call_later(later, self._flag, sitting)

    def _flag(self, sitting: Sitting) -> None:
        if sitting.flag():
            self.interrupt(sitting)
            self.changed(sitting)

    def wake(self, sitting: Sitting, *, once: bool = False) -> None:
        """Let a machine think if it is its turn and nobody thinks yet."""
        if sitting.over or sitting.mover == HUMAN or sitting.id in self.turns or (sitting.paused and not once):
            return
        turn = asyncio.get_running_loop().create_task(self._take_turn(sitting, once=once))
        self.turns[sitting.id] = turn

    def interrupt(self, sitting: Sitting) -> None:
        """Let whoever thinks in this game stop."""
        if turn := self.turns.pop(sitting.id, None):
            turn.cancel()
        sitting.think(None)

    async def _take_turn(self, sitting: Sitting, *, once: bool) -> None:
        """Let machines move until a person is to move, the game is over, or nobody looks on any more."""
        try:
            while not sitting.over and sitting.mover != HUMAN and (once or not sitting.paused):
                if sitting.is_show and not once and sitting.pace:
                    await asyncio.sleep(sitting.pace)
                await self._move(sitting)
                if once:
                    return
        finally:
            if self.turns.get(sitting.id) is asyncio.current_task():
                del self.turns[sitting.id]

    async def _move(self, sitting: Sitting) -> None:
        player = sitting.mover
        sitting.think(player)
        self.tell(sitting)
        self._watch_clock(sitting)
        choice = await self._choose(sitting, player)
        sitting.think(None)
        sitting.settle(choice)
        self.store.save(sitting.id, sitting.to_json())
        self.tell(sitting)
        self._watch_clock(sitting)

    async def _choose(self, sitting: Sitting, player: str) -> Choice:
        game, position, past = sitting.game, sitting.course.position, tuple(sitting.course.history)
        loop, topic = asyncio.get_running_loop(), topic_of(sitting.id)

        def tick(thought: Thought) -> None:
            loop.call_soon_threadsafe(lambda: self.news.tell(topic, "thinking", thought=thought.to_json()))

        def work(halt: Halt) -> Choice:
            return _choose(self.roster, player, game, position, past, halt, tick)

        while True:
            try:
                return await self.lanes.lane_of(player, game).do(work)
            except Busy:  # no fault of the player's, who must not lose the game by it
                await asyncio.sleep(BUSY_PAUSE)
            except UnderstudyError as error:
                return Choice(-1, fault=first_line(error))

    def left(self, topic: str) -> None:
        """Hear that the last page with a game is gone: its machine stops unless somebody comes back soon."""
        name = topic.partition("/")[2]
        if name in self.turns:
            asyncio.get_running_loop().call_later(PATIENCE, self._give_up, name)

    def _give_up(self, name: str) -> None:
        sitting = self.sittings.get(name)
        if sitting is not None and name in self.turns and not self.news.count(topic_of(name)):
            self.interrupt(sitting)

    async def close(self) -> None:
        """End all thinking; every game is kept already."""
        turns = list(self.turns.values())
        for turn in turns:
            turn.cancel()
        with suppress(asyncio.CancelledError):
            await asyncio.gather(*turns, return_exceptions=True)
        for timer in self.flags.values():
            timer.cancel()


def topic_of(name: str) -> str:
    """Return what pages follow that show a game."""
    return f"play/{name}"


def _new_name() -> str:
    """Return a name that nobody can guess: who knows it may play the game."""
    return secrets.token_urlsafe(16)


def _usual_players(game: CompiledGame, course: Course, players: Mapping[str, str]) -> dict[str, str]:
    """Return who plays: whoever is named, else a person for the side to move and the usual opponent for the other."""
    mover = game.colours[course.position.ply % 2]
    named = {colour: players.get(colour) for colour in game.colours}
    named |= {colour: name for colour, name in players.items() if colour not in named}
    if HUMAN not in players.values() and named[mover] is None and len(players) < 2:
        named[mover] = HUMAN
    return {colour: name or (usual_opponent(game) if HUMAN in named.values() else HUMAN)
            for colour, name in named.items()}  # fmt: skip


def _load_kernels(game: CompiledGame) -> None:
    course = begin(game)
    game.drawn(course.position)
    advance(game, course, game.moves(course.position)[0])
    game.write(course.position)


def _choose(
    roster: Roster, player: str, game: CompiledGame, position: Any, past: tuple[Any, ...], halt: Halt, tick: Any
) -> Choice:
    """Return what a machine plays; searches give all their time to the best move, and tell of it meanwhile."""
    made = roster.keep(player, game)
    if halt.rung:
        raise BadOption("nobody waits any more")
    if hasattr(made, "think_aloud"):
        with bounded(halt):
            thought: Thought = made.think_aloud(position, past, halt=halt, tell=tick, lines=1)
        return thought.choice
    if hasattr(made, "think"):
        try:
            return think(made, game, position, past).choice
        except UnderstudyError:  # asked for its choice alone, a player says there why it has none
            pass
    return made.choose([position], [past])[0]
