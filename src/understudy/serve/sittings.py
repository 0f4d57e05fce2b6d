"""A game under way at a page: who plays, how far it is, whose clock runs. It knows neither sockets nor threads."""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

from understudy.errors import BadOption, UnderstudyError
from understudy.games import CompiledGame
from understudy.match import Course, Opening, advance, begin, settle
from understudy.pictures.traces import find_changes
from understudy.protocols import Choice
from understudy.saved import SavedGame, read_saved, replay
from understudy.serve.answers import ClockForm, PlayedMove, State, Thinking
from understudy.serve.bodies import ClockTime
from understudy.serve.players import HUMAN
from understudy.serve.views import describe_end, list_legal, write_size


class Conflict(UnderstudyError):
    """What is asked does not fit how the game stands now."""


@dataclass
class Clock:
    """Time for each side; it runs from the end of a move to the end of the next."""

    time: ClockTime
    left: list[float]
    began: float | None = None
    """When the clock of the side to move was started; None while it stands."""
    past: list[list[float]] = field(default_factory=list)
    """What was left before each ply, so that moves can be taken back."""

    def start(self) -> None:
        """Let the clock run, unless it does."""
        self.began = time.monotonic() if self.began is None else self.began

    def stop(self, side: int) -> None:
        """Let the clock stand; what the side to move has used is gone."""
        self.left[side], self.began = self.remaining(side), None

    def press(self, side: int) -> None:
        """Begin the next ply: the side that moved gets its increment."""
        self.past.append(list(self.left))
        self.stop(side)
        self.left[side] += self.time.increment

    def go_back(self, plies: int) -> None:
        """Give back what was used since there were so many plies."""
        if plies < len(self.past):
            self.left, self.past, self.began = list(self.past[plies]), self.past[:plies], None

    def remaining(self, side: int) -> float:
        """Return the seconds that the side to move has left."""
        used = 0.0 if self.began is None else time.monotonic() - self.began
        return max(0.0, self.left[side] - used)


class Sitting:
    """A game under way, with people and machines on its sides."""

    def __init__(
        self,
        name: str,
        saved: SavedGame,
        *,
        clock: Clock | None = None,
        pace: float | None = None,
        seed: int = 0,
    ) -> None:
        self.id, self.game, self.players, self.course = name, saved.game, dict(saved.players), saved.course
        self.clock, self.pace, self.seed = clock, pace, seed
        self.version, self.paused = 0, False
        self.thinking: Thinking | None = None

    @property
    def over(self) -> bool:
        """Whether the game has ended."""
        return self.course.played is not None

    @property
    def side(self) -> int:
        """The number of the side to move."""
        return int(self.course.position.ply % 2)

    @property
    def mover(self) -> str:
        """Who is to move: a person or the name of a player."""
        return self.players[self.game.colours[self.side]]

    @property
    def is_show(self) -> bool:
        """Whether two machines play, and people only watch."""
        return HUMAN not in self.players.values()

    def move(self, text: str, ply: int) -> None:
        """Play a person's move, who saw so many plies played."""
        self._check_goes_on()
        if ply != len(self.course.moves):
            raise Conflict(f"{len(self.course.moves)} plies are played by now, not {ply}: look again")
        if self.mover != HUMAN:
            raise Conflict(f"it is not a person's turn: {self.mover} is to move")
        code = self.game.read_move(self.course.position, text)
        self._press()
        advance(self.game, self.course, code)
        self._changed()

    def settle(self, choice: Choice) -> None:
        """Play what a machine chose, or end the game that it loses."""
        self._press()
        settle(self.game, self.course, choice)
        self._changed()

    def _press(self) -> None:
        if self.clock is not None:
            self.clock.press(self.side)

    def flag(self) -> bool:
        """End the game of a side that has no time left; tell whether there is such a side."""
        if self.over or self.clock is None or self.clock.began is None or self.clock.remaining(self.side) > 0:
            return False
        self.clock.stop(self.side)
        self.course.end(-1, "time")
        self._changed()
        return True

    def go_back(self) -> None:
        """Go back to where a person was to move before; two machines go back one ply."""
        last = len(self.course.moves) - (not self.over)
        for plies in range(last, -1, -1):
            course = replay(self.game, self.course, plies)
            person = self.players[self.game.colours[course.position.ply % 2]] == HUMAN
            if course.played is None and (person or self.is_show):
                self.course = course
                if self.clock is not None:
                    self.clock.go_back(plies)
                self.paused = self.is_show or self.paused
                self._changed()
                return
        raise Conflict("there is no move to take back")

    def resign(self) -> None:
        """Lose the game for the person: for the side to move, or for the only one that is a person's."""
        self._check_goes_on()
        people = [side for side, colour in enumerate(self.game.colours) if self.players[colour] == HUMAN]
        if not people:
            raise Conflict("nobody here can resign: two machines play")
        loser = self.side if self.side in people else people[0]
        if self.clock is not None:
            self.clock.stop(self.side)
        self.course.end(-1 if loser == self.side else 1, "resignation")
        self._changed()

    def seat(self, players: Mapping[str, str]) -> None:
        """Let others play on."""
        if unknown := [colour for colour in players if colour not in self.game.colours]:
            raise BadOption(f"{unknown[0]!r} is no colour of {self.game.name}: {' or '.join(self.game.colours)}")
        self.players |= players
        self._changed()

    def pause(self, *, paused: bool) -> None:
        """Let the game stand, or go on."""
        self.paused = paused
        if paused and self.clock is not None and not self.over:
            self.clock.stop(self.side)
        self._changed()

    def think(self, player: str | None) -> None:
        """Note who thinks now."""
        self.thinking = None if player is None else Thinking(player=player, since=datetime.now(UTC).isoformat())
        self.version += 1

    def _check_goes_on(self) -> None:
        if self.course.played is not None:
            raise Conflict(f"the game is over: {self.course.played.reason}")

    def _changed(self) -> None:
        self.version += 1
        if self.clock is not None and not self.over and not self.paused and self.course.moves:
            self.clock.start()  # nobody's clock runs before the first move

    def save(self) -> SavedGame:
        """Return the game as it is saved."""
        return SavedGame(self.game, self.players, self.course)

    def to_json(self) -> dict[str, Any]:
        """Return all of it, to be kept."""
        clock = self.clock
        time_left = None if clock is None else [*clock.left[: self.side], clock.remaining(self.side)]
        if clock is not None and time_left is not None:
            time_left += clock.left[self.side + 1 :]
        return {
            "saved": self.save().to_json(), "pace": self.pace, "paused": self.paused, "seed": self.seed,
            "version": self.version, "ply": int(self.course.position.ply) - len(self.course.moves),
            "clock": None if clock is None else {
                "seconds": clock.time.seconds, "increment": clock.time.increment, "left": time_left, "past": clock.past,
            },
        }  # fmt: skip

    def state(self) -> State:
        """Return how the game stands, for a page."""
        game, course = self.game, self.course
        position, played, stones = course.position, course.played, game.stones(course.position)
        before = game.stones(course.history[-1]) if course.history else stones
        persons = played is None and self.mover == HUMAN
        return State(
            id=self.id, version=self.version, game=game.name, size=write_size(game), rules=dict(game.switches),
            title=game.title, start=None if course.start is None else game.write(course.start),
            colours=list(game.colours), players=self.players, ply=len(course.moves), turn=game.colours[self.side],
            position=game.write(position), stones=list(stones), marked=list(find_changes(before, stones)),
            status=game.status(position), legal=list_legal(game, position) if persons else [],
            moves=[PlayedMove(move=text, value=value)
                   for text, value in zip(self.save().write_moves(), course.values, strict=True)],
            thinking=self.thinking, paused=self.paused, pace=self.pace, clock=self._clock_form(),
            result=None if played is None else played.result, reason=None if played is None else played.reason,
            ending=None if played is None else describe_end(game, played.result, played.reason),
            over=played is not None,
        )  # fmt: skip

    def _clock_form(self) -> ClockForm | None:
        clock, colours = self.clock, self.game.colours
        if clock is None:
            return None
        left = {colour: clock.remaining(side) if side == self.side else clock.left[side]
                for side, colour in enumerate(colours)}  # fmt: skip
        running = None if clock.began is None or self.over else colours[self.side]
        return ClockForm(seconds=clock.time.seconds, increment=clock.time.increment, left=left, running=running)


def make_clock(time: ClockTime | None) -> Clock | None:
    """Return a clock that stands."""
    return None if time is None else Clock(time, [time.seconds, time.seconds])


def restore(name: str, kept: Mapping[str, Any]) -> Sitting:
    """Return a game that was kept; its clock stands until somebody moves or comes back."""
    saved = read_saved(kept["saved"], "the kept game")
    saved = _turned(saved, int(kept["ply"]))
    clock = kept["clock"]
    watch = None if clock is None else Clock(
        ClockTime(seconds=clock["seconds"], increment=clock["increment"]), list(clock["left"]), None,
        [list(left) for left in clock["past"]],
    )  # fmt: skip
    sitting = Sitting(name, saved, clock=watch, pace=kept["pace"], seed=kept["seed"])
    sitting.paused, sitting.version = kept["paused"], kept["version"] + 1
    return sitting


def _turned(saved: SavedGame, first: int) -> SavedGame:
    """Return a saved game that began at the ply *first*: the text of some positions does not tell whose turn it is."""
    course = saved.course
    begun = course.position.ply - len(course.moves)
    if course.start is None or begun % 2 == first % 2:
        return saved
    start = course.start._replace(ply=course.start.ply + 1)
    return SavedGame(saved.game, saved.players, begin_again(saved.game, start, course))


def begin_again(game: CompiledGame, start: Any, course: Course) -> Course:
    """Return the same moves played from another start."""
    again = begin(game, Opening(tuple(course.moves), start))
    again.values, again.opening = list(course.values), 0
    if again.played is None and course.played is not None:
        again.played = course.played._replace(start=start)
    return again
