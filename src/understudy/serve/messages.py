"""What comes in and what goes out: every body and every answer of the API, as types that are checked when read.

The descriptions of the API (`describe.py`) are made of these types, so they cannot differ from what is checked.
"""

from __future__ import annotations

from typing import Annotated, Any, Generic, TypeVar

import msgspec

from understudy.errors import BadOption

T = TypeVar("T")

Name = Annotated[str, msgspec.Meta(min_length=1, max_length=200)]
"""A game, a player, a colour, a cell."""
Text = Annotated[str, msgspec.Meta(max_length=2_000)]
"""A position or a move: the longest is a Konane board of 38 x 38."""
Document = Annotated[str, msgspec.Meta(max_length=200_000)]
"""A record of a game."""
Seconds = Annotated[float, msgspec.Meta(ge=0, le=86_400)]
Seed = Annotated[int, msgspec.Meta(ge=0, lt=1 << 53)]
"""Whole numbers that JavaScript can hold."""
Ply = Annotated[int, msgspec.Meta(ge=0, le=100_000)]
Names = Annotated[dict[Name, Name], msgspec.Meta(max_length=64)]


class Body(msgspec.Struct, kw_only=True, forbid_unknown_fields=True, omit_defaults=False):
    """What a request brings."""


class ClockTime(Body, kw_only=True):
    """How long each side may think: *seconds* in all, and *increment* more for each move."""

    seconds: Annotated[float, msgspec.Meta(ge=1, le=86_400)]
    increment: Annotated[float, msgspec.Meta(ge=0, le=3_600)] = 0.0


class Where(Body, kw_only=True):
    """A game, and a position of it."""

    game: Name
    size: Name | None = None
    rules: Names = {}
    position: Text | None = None
    turn: Name | None = None
    """Who is to move, where the text of a position does not tell."""


class NewGame(Body, kw_only=True):
    """A game to be played."""

    game: Name
    size: Name | None = None
    rules: Names = {}
    players: Names = {}
    """By colour; `human` is a person at the page. Whoever is not named is usual: a person, and a student that ships."""
    position: Text | None = None
    turn: Name | None = None
    record: Document | None = None
    """A game to go on with instead: a saved game in JSON, moves, or what others write such games in."""
    clock: ClockTime | None = None
    pace: Annotated[float, msgspec.Meta(ge=0, le=60)] | None = None
    """Seconds between the moves of two machines."""
    seed: Seed | None = None


class Moving(Body, kw_only=True):
    """A move by a person."""

    move: Text
    ply: Ply
    """How many plies the person saw played: two tabs may show one game."""


class Pacing(Body, kw_only=True):
    """How two machines go on."""

    pace: Annotated[float, msgspec.Meta(ge=0, le=60)] | None = None


class Seating(Body, kw_only=True):
    """Who plays which colour from now on."""

    players: Names


class Forking(Body, kw_only=True):
    """Another game that goes on where this one stood."""

    ply: Ply
    players: Names = {}


class Nothing(Body, kw_only=True):
    """A request that says everything by its address."""


class Arranging(Body, kw_only=True):
    """Stones on a board, cell by cell."""

    game: Name
    size: Name | None = None
    rules: Names = {}
    stones: Annotated[dict[Name, Name], msgspec.Meta(max_length=2_000)]
    turn: Name
    extras: Annotated[dict[Name, int], msgspec.Meta(max_length=64)] = {}


class Asking(Where, kw_only=True):
    """A question to a player."""

    player: Name
    moves: Annotated[list[Text], msgspec.Meta(max_length=2_000)] = []
    """Played from the position on; repetitions are known then."""
    seed: Seed = 0
    given: Names = {}
    """Parts of a move that count as chosen already, by name, for students that choose part by part."""
    pictures: bool = False


class Contesting(Body, kw_only=True):
    """A small tournament."""

    game: Name
    size: Name | None = None
    rules: Names = {}
    players: Annotated[list[Name], msgspec.Meta(min_length=2, max_length=8)]
    games: Annotated[int, msgspec.Meta(ge=2, le=200)] = 4
    """For each pair of players."""
    seed: Seed = 0


class Starting(Body, kw_only=True):
    """An experiment to be run."""

    experiment: Name
    quick: bool = True
    changes: Annotated[dict[Name, Any], msgspec.Meta(max_length=32)] = {}
    name: Annotated[str, msgspec.Meta(pattern=r"^[A-Za-z0-9][A-Za-z0-9_-]{0,60}$")] | None = None


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


class Page(Answer, Generic[T]):
    """A list of something."""

    rows: list[T]


def read_body(kind: type[T], data: bytes) -> T:
    """Return what a request says; whatever is wrong with it is one sentence."""
    try:
        return msgspec.json.decode(data or b"{}", type=kind)
    except msgspec.ValidationError as error:
        raise BadOption(f"the request does not fit: {error}") from None
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise BadOption(f"the request is not JSON: {error}") from None


def write_answer(answer: Any) -> bytes:
    """Return an answer as JSON."""
    return msgspec.json.encode(answer)
