"""What comes in: every body of the API as a type that is checked when read.

The descriptions of the API (`describe.py`) are made of these types, so they cannot differ from what is checked.
"""

from __future__ import annotations

from typing import Annotated, Any, TypeVar

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


def read_body(kind: type[T], data: bytes) -> T:
    """Return what a request says; whatever is wrong with it is one sentence."""
    try:
        return msgspec.json.decode(data or b"{}", type=kind)
    except msgspec.ValidationError as error:
        raise BadOption(f"the request does not fit: {error}") from None
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise BadOption(f"the request is not JSON: {error}") from None
