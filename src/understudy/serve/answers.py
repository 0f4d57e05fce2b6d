"""What goes out: every answer of the API as a type, of which its description is made."""

from __future__ import annotations

from typing import Any

import msgspec


class Answer(msgspec.Struct, kw_only=True):
    """What a request is answered with."""


class Failure(Answer, kw_only=True):
    """Why something was refused, in one sentence."""

    error: str


class GameRow(Answer, kw_only=True):
    """A game in the list of games."""

    name: str
    title: str
    size: str
    sizes: str
    boards: list[str]
    """Square boards that a page offers; others may be asked for as well."""
    colours: list[str]
    rules: dict[str, list[str]]
    opponent: str
    solvable: bool


class Games(Answer, kw_only=True):
    """All games."""

    games: list[GameRow]


class Cell(Answer, kw_only=True):
    """A cell and where its middle lies in a drawing."""

    name: str
    x: float
    y: float


class ExtraRow(Answer, kw_only=True):
    """What a position has besides its stones."""

    name: str
    least: int
    most: int
    usual: int


class BoardForm(Answer, kw_only=True):
    """A board: all that a page needs to draw it and to let a person play on it."""

    name: str
    title: str
    size: str
    colours: list[str]
    rules: dict[str, str]
    opponent: str
    width: int
    height: int
    columns: int
    rows: int
    cells: list[Cell]
    ground: str
    stones: dict[str, str]
    spoken: dict[str, str]
    """What each stone is called, its colour first."""
    mark: str
    box: int
    lined: bool
    start: str
    setup: list[str]
    extras: list[ExtraRow]
    tells_turn: bool
    conventions: str
    solvable: bool
    forms: list[str]
    """In which a game is written."""


class OptionForm(Answer, kw_only=True):
    """An option of a player."""

    name: str
    kind: str
    """number, integer, text, choice or switch."""
    default: float | bool | str | None
    choices: list[str]
    about: str


class PlayerForm(Answer, kw_only=True):
    """A player that can be made, with its options."""

    name: str
    about: str
    options: list[OptionForm]


class StudentRow(Answer, kw_only=True):
    """A student that ships or stands in a run folder."""

    player: str
    title: str
    place: str
    about: str
    generations: list[int]


class Players(Answer, kw_only=True):
    """Who can play a game."""

    players: list[PlayerForm]
    students: list[StudentRow]


class LegalMove(Answer, kw_only=True):
    """A legal move, and how a person shows it."""

    move: str
    cells: list[str]
    option: str


class Place(Answer, kw_only=True):
    """A position as a page shows it."""

    game: str
    size: str
    position: str
    turn: str
    ply: int
    stones: list[str]
    marked: list[int]
    status: str
    legal: list[LegalMove]
    over: bool
    ending: str | None
    move: str | None
    """The move that led here."""
    extras: dict[str, int]
    """What the position has besides its stones."""


class PlayedMove(Answer, kw_only=True):
    """A move of a game, and what its player expected, from -1 to 1."""

    move: str
    value: float | None


class Thinking(Answer, kw_only=True):
    """Who thinks, and since when."""

    player: str
    since: str


class ClockForm(Answer, kw_only=True):
    """How much time is left."""

    seconds: float
    increment: float
    left: dict[str, float]
    running: str | None


class State(Answer, kw_only=True):
    """A game under way."""

    id: str
    version: int
    game: str
    size: str
    rules: dict[str, str]
    title: str
    start: str | None
    colours: list[str]
    players: dict[str, str]
    ply: int
    turn: str
    position: str
    stones: list[str]
    marked: list[int]
    status: str
    legal: list[LegalMove]
    moves: list[PlayedMove]
    thinking: Thinking | None
    paused: bool
    pace: float | None
    clock: ClockForm | None
    result: int | None
    reason: str | None
    ending: str | None
    over: bool


class Record(Answer, kw_only=True):
    """A game as text."""

    form: str
    text: str


class Truth(Answer, kw_only=True):
    """What every move is truly worth, where somebody knows."""

    known: bool
    moves: list[dict[str, Any]]
    note: str


class Weighed(Answer, kw_only=True):
    """A move and what a player thinks of it."""

    move: str
    number: float | None
    legal: bool
    note: str
    truth: str
    """What it is truly worth, where that is known at once."""


class PartForm(Answer, kw_only=True):
    """What a player thinks of one part of a move."""

    part: str
    cells: dict[str, float]
    illegal: float
    choice: str


class LineForm(Answer, kw_only=True):
    """Moves that a player expects."""

    moves: list[str]
    value: float | None
    depth: int
    plies: int | None


class Overlays(Answer, kw_only=True):
    """A thought as drawings over a board."""

    parts: list[str]
    moves: str
    lines: list[str]
    values: dict[str, str]
    changed: str


class ThoughtForm(Answer, kw_only=True):
    """What a player thinks: the form of `understudy think --json`, and drawings where they were asked for."""

    player: str
    game: str
    position: str
    kind: str
    meaning: str
    choice: str
    legal: bool
    value: float | None
    moves: list[Weighed]
    parts: list[PartForm]
    illegal: float | None
    line: list[str]
    lines: list[LineForm]
    course: list[LineForm]
    inputs: dict[str, float]
    depth: int | None
    nodes: int | None
    seconds: float | None
    note: str
    pictures: Overlays | msgspec.UnsetType = msgspec.UNSET


class Contest(Answer, kw_only=True):
    """A tournament as far as it went."""

    id: str
    game: str
    size: str
    players: list[str]
    games: int
    played: int
    total: int
    over: bool
    error: str | None
    table: list[dict[str, Any]]


def write_answer(answer: Any) -> bytes:
    """Return an answer as JSON."""
    return msgspec.json.encode(answer)
