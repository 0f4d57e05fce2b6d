"""Saved games: one JSON form for all games, written whole or not at all, and checked move by move when read.

    {"understudy": 1, "game": "konane", "size": "6x6", "rules": {}, "start": null,
     "players": {"black": "human", "white": "student:konane_6"}, "moves": ["c3", "c4"],
     "result": null, "reason": null, "values": [null, 0.2]}

`start` is a position's text where a game did not begin as usual; `result` is 1, 0 or -1 for the colour named first,
and null while the game goes on, as `reason` is; `values` are what each mover expected, for its side.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from understudy.errors import FileError, NotationError, UnderstudyError
from understudy.files import load_json, save_json
from understudy.games import CompiledGame, find_game
from understudy.games.kind import read_size
from understudy.match import Course, Opening, advance, begin

FORM = 1
"""The number of this form; another one will have another."""
LONGEST = 100_000
"""Moves of a saved game: more than any game has, fewer than would fill the memory."""
RESULTS = (1, 0, -1)


@dataclass(frozen=True)
class SavedGame:
    """A game as far as it went, and who played it."""

    game: CompiledGame
    players: Mapping[str, str]
    """By colour, the first player's first."""
    course: Course

    def save(self, path: Path) -> None:
        """Write it whole or not at all."""
        save_json(path, self.to_json())

    def to_json(self) -> dict[str, Any]:
        """Return it in the form of this module."""
        game, course = self.game, self.course
        ended = course.played
        return {
            "understudy": FORM, "game": game.name, "size": "x".join(map(str, game.size)),
            "rules": dict(game.switches), "start": None if course.start is None else game.write(course.start),
            "players": dict(self.players), "moves": self.write_moves(),
            "result": None if ended is None else ended.result, "reason": None if ended is None else ended.reason,
            "values": list(course.values),
        }  # fmt: skip

    def write_moves(self) -> list[str]:
        """Return its moves as text."""
        before = self.course.history
        return [self.game.write_move(at, move) for at, move in zip(before, self.course.moves, strict=True)]


def load_saved(path: Path) -> SavedGame:
    """Return the game in a file; whatever is wrong with it is one sentence."""
    try:
        told = load_json(path)
    except RecursionError:
        raise FileError(f"{str(path)!r} is not a saved game: it is nested too deeply") from None
    return read_saved(told, repr(str(path)))


def read_saved(told: Any, place: str) -> SavedGame:
    """Return the game that JSON tells; *place* names where it stands, for errors."""
    if not isinstance(told, dict) or "understudy" not in told or "game" not in told:
        raise FileError(f'{place} is not a saved game: expected an object with "understudy": {FORM} and a "game"')
    if told["understudy"] != FORM:
        raise FileError(f"{place} has the form {told['understudy']!r} of saved games; this version reads {FORM}")
    try:
        game = _read_game(told)
        course = _read_course(game, told)
        players = _read_players(game, told)
    except UnderstudyError as error:
        raise FileError(f"{place}: {error}") from None
    return SavedGame(game, players, course)


def play_texts(game: CompiledGame, course: Course, texts: Iterable[str]) -> None:
    """Go on with a game by moves as text; whatever is wrong with one is a sentence that says which."""
    for number, text in enumerate(texts, 1):
        if course.played is not None:
            raise NotationError(f"move {number} ({text!r}) comes after the end of the game: {course.played.reason}")
        try:
            advance(game, course, game.read_move(course.position, text))
        except UnderstudyError as error:
            raise NotationError(f"move {number}: {error}") from None


def replay(game: CompiledGame, saved: Course, plies: int) -> Course:
    """Return a game that stands where another one stood after so many plies, and what was expected until then."""
    course = begin(game, Opening(tuple(saved.moves[:plies]), saved.start))
    course.values, course.opening = list(saved.values[:plies]), 0
    return course


def _read_game(told: Mapping[str, Any]) -> CompiledGame:
    name, size, rules = _take(told, "game", str), _take(told, "size", str, None), _take(told, "rules", dict, {})
    if not all(isinstance(setting, str) for setting in rules.values()):
        raise FileError(f"rules {rules!r} are not names with a text each")
    return find_game(name, None if size is None else read_size(size, "size"), rules)


def _read_players(game: CompiledGame, told: Mapping[str, Any]) -> dict[str, str]:
    players = _take(told, "players", dict)
    if set(players) != set(game.colours) or not all(map(_is_line, players.values())):
        raise FileError(f"players {players!r} are not one each for {' and '.join(game.colours)}")
    return {colour: players[colour] for colour in game.colours}


def _read_course(game: CompiledGame, told: Mapping[str, Any]) -> Course:
    """Play the moves again, by the rules and the conventions of a match."""
    start, moves = _take(told, "start", str, None), _take(told, "moves", list)
    if len(moves) > LONGEST:
        raise FileError(f"{len(moves)} moves are more than {LONGEST}")
    for number, text in enumerate(moves, 1):
        if not isinstance(text, str):
            raise FileError(f"move {number} is {text!r}, not text")
    course = begin(game, Opening((), None if start is None else game.read(start)))
    play_texts(game, course, moves)
    course.values = _read_values(told, len(moves))
    _end(course, told)
    return course


def _read_values(told: Mapping[str, Any], count: int) -> list[float | None]:
    values = _take(told, "values", list, [None] * count)
    if len(values) != count:
        raise FileError(f"there are {len(values)} values for {count} moves")
    for value in values:
        sound = value is None or (isinstance(value, int | float) and not isinstance(value, bool) and -1 <= value <= 1)
        if not sound:
            raise FileError(f"value {value!r} is not a number from -1 to 1, nor null")
    return [None if value is None else float(value) for value in values]


def _end(course: Course, told: Mapping[str, Any]) -> None:
    """End a game that was given up, or check that the file says of its end what the rules say."""
    result, reason = _take(told, "result", int, None), _take(told, "reason", str, None)
    if (result is None) != (reason is None) or result not in (None, *RESULTS):
        raise FileError(f"result {result!r} and reason {reason!r} are not 1, 0 or -1 with a reason, nor both null")
    if reason is not None and not _is_line(reason):
        raise FileError(f"reason {reason!r} is not a line of text")
    if course.played is None and result is not None and reason is not None:
        course.end(result if course.position.ply % 2 == 0 else -result, reason)
    elif course.played is not None and (result, reason) != (course.played.result, course.played.reason):
        raise FileError(
            f"the moves end the game with {course.played.result} by {course.played.reason}, "
            f"but the file says {result!r} by {reason!r}"
        )
    elif course.played is not None:
        course.played = course.played._replace(values=tuple(course.values))


def _is_line(value: Any) -> bool:
    """Tell whether it is text that can stand in a line of any other format."""
    return isinstance(value, str) and bool(value.strip()) and value.isprintable()


_REQUIRED = object()
_NOUNS = {str: "text", list: "a list", dict: "an object", int: "a whole number"}


def _take(told: Mapping[str, Any], key: str, kind: type, default: Any = _REQUIRED) -> Any:
    """Return what stands under *key*, which is of a *kind*; null is as good as nothing where there is a default."""
    value = told.get(key)
    if value is None and default is not _REQUIRED:
        return default
    if not isinstance(value, kind) or isinstance(value, bool):
        raise FileError(f"{key} is {value!r}, not {_NOUNS[kind]}")
    return value


def list_moves(saved: SavedGame) -> str:
    """Return a game as plain text: who played, the moves in pairs, the result."""
    game, course = saved.game, saved.course
    rows, columns = game.size
    names = ", ".join(f"{colour}: {name}" for colour, name in saved.players.items())
    begun = [] if course.start is None else [f"from {game.write(course.start)}"]
    offset = 0 if course.start is None else course.start.ply % 2
    texts = ["..."] * offset + saved.write_moves()
    pairs = [f"{at // 2 + 1}. {' '.join(texts[at : at + 2])}" for at in range(0, len(texts), 2)]
    return "\n".join([f"{game.title} {rows}x{columns}", names, *begun, *pairs, _result_line(saved)]) + "\n"


def _result_line(saved: SavedGame) -> str:
    played = saved.course.played
    if played is None:
        return "not finished"
    if played.result == 0:
        return f"a draw: {played.reason}"
    return f"{saved.game.colours[played.result < 0]} wins: {played.reason}"
