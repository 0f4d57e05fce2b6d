"""Records of games as text: saved games in JSON, lists of moves, and what others write such games in."""

from __future__ import annotations

import json
import re
from collections.abc import Callable

from understudy.errors import BadOption, NotationError, UnderstudyError, UnknownName
from understudy.games import CompiledGame
from understudy.match import Opening, advance, begin
from understudy.saved import SavedGame, list_moves, play_texts, read_saved
from understudy.serve.answers import Record
from understudy.serve.players import HUMAN

RESULTS = ("1-0", "0-1", "1/2-1/2", "*")
"""What stands at the end of a list of moves."""


def _list_writers(game: CompiledGame) -> dict[str, Callable[[SavedGame], str]]:
    """Return how a game is written, by form: as all are, and as others write this one."""
    own = game.kind.load("exports").EXPORTS if game.kind.exports else {}
    return {"json": lambda saved: json.dumps(saved.to_json(), indent=1), "moves": list_moves, **own}


def list_forms(game: CompiledGame) -> list[str]:
    """Return the forms in which a game is written."""
    return list(_list_writers(game))


def write_record(saved: SavedGame, form: str) -> Record:
    """Return a game as text in one of its forms."""
    writers = _list_writers(saved.game)
    if form not in writers:
        raise UnknownName(f"form of games of {saved.game.name}", form, writers)
    return Record(form=form, text=writers[form](saved))


def read_record(text: str, game: CompiledGame) -> SavedGame:
    """Return the game that a text records, in any form that is known."""
    if text.lstrip().startswith("{"):
        return _read_json(text, game)
    for read in getattr(game.kind.load("exports"), "IMPORTS", {}).values() if game.kind.exports else ():
        opening = read(text)
        if opening is not None:
            return _played(game, opening)
    return _read_moves(text, game)


def _read_json(text: str, game: CompiledGame) -> SavedGame:
    try:
        saved = read_saved(json.loads(text), "the record")
    except (ValueError, RecursionError) as error:
        if isinstance(error, UnderstudyError):
            raise
        raise NotationError(f"the record is not JSON: {error}") from None
    if saved.game.name != game.name:
        raise BadOption(f"the record is a game of {saved.game.name}, not of {game.name}")
    return saved


def _played(game: CompiledGame, opening: Opening) -> SavedGame:
    course = begin(game, Opening((), opening.start))
    for number, move in enumerate(opening.moves, 1):
        if course.played is not None:
            raise NotationError(f"move {number} comes after the end of the game: {course.played.reason}")
        advance(game, course, move)
    course.values = [None] * len(course.moves)
    return SavedGame(game, dict.fromkeys(game.colours, HUMAN), course)


def _read_moves(text: str, game: CompiledGame) -> SavedGame:
    """Return the game of a list of moves; numbers, and lines that are no moves at its head and foot, are left out."""
    lines = [line for line in text.splitlines() if re.match(r"\s*\d+\.", line)] or text.splitlines()
    words = [re.sub(r"^\d+\.+", "", word) for line in lines for word in line.split()]
    begun = next((line.removeprefix("from ") for line in text.splitlines() if line.startswith("from ")), None)
    course = begin(game, Opening((), None if begun is None else game.read(begun)))
    play_texts(game, course, (word for word in words if word and word not in RESULTS))
    return SavedGame(game, dict.fromkeys(game.colours, HUMAN), course)
