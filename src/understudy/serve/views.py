"""Games, boards and positions as a page shows them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from functools import lru_cache
from typing import Any

from understudy.errors import BadOption, UnderstudyError
from understudy.games import CompiledGame, find_game, game_names
from understudy.games.drawing import BOX, draw_ground, locate_cells, measure_board, shape_mark, shape_stone
from understudy.games.kind import read_size
from understudy.match import tell_more
from understudy.pictures.traces import find_changes, find_paths
from understudy.players.student_files import usual_opponent
from understudy.serve.answers import BoardForm, Cell, ExtraRow, GameRow, LegalMove, Place
from understudy.serve.bodies import Where
from understudy.serve.records import list_forms
from understudy.solve import check_solvable

SIDES = range(3, 13)
"""Sides of the square boards that a page offers, where the game has them."""
WIDEST = 20
"""Rows and columns of the largest board that a page shows: cells become too small to be hit on larger ones."""


def choose_game(name: str, size: str | None, rules: Mapping[str, str]) -> CompiledGame:
    """Return the game that a request names."""
    wanted = None if size is None else read_size(size, "size")
    if wanted is not None and max(wanted) > WIDEST:
        raise BadOption(f"size {size!r} is too large for a page, which shows boards up to {WIDEST}x{WIDEST}")
    return find_game(name, wanted, rules)


def write_size(game: CompiledGame) -> str:
    """Return the size of a board as text."""
    return f"{game.size[0]}x{game.size[1]}"


def read_position(game: CompiledGame, where: Where) -> Any:
    """Return the position that a request names, or the start; *turn* counts where its text tells no turn."""
    if where.turn is not None and where.turn not in game.colours:
        raise BadOption(f"turn {where.turn!r} is no colour of {game.name}: {' or '.join(game.colours)}")
    position = game.start() if where.position is None else game.read(where.position)
    if where.turn is None or game.colours[position.ply % 2] == where.turn:
        return position
    if game.kind.tells_turn:
        raise BadOption(f"{where.turn} is not to move in {game.write(position)!r}")
    return position._replace(ply=position.ply + 1)


@lru_cache(maxsize=1)
def list_games() -> list[GameRow]:
    """Return all games that can be loaded."""
    rows = []
    for name in game_names():
        game = find_game(name)
        rules = {switch: list(settings) for switch, settings in game.variant.switches.items()}
        rows.append(GameRow(
            name=name, title=game.title, size=write_size(game), sizes=game.variant.sizes, boards=_list_boards(name),
            colours=list(game.colours), rules=rules, opponent=usual_opponent(game), solvable=is_solvable(game),
        ))  # fmt: skip
    return rows


def _list_boards(name: str) -> list[str]:
    """Return the square boards on which a game can be played, of those that a page offers."""
    boards = []
    for side in SIDES:
        with suppress(UnderstudyError):
            boards.append(write_size(find_game(name, (side, side))))
    return boards


def is_solvable(game: CompiledGame) -> bool:
    """Tell whether a solver knows this board perfectly."""
    try:
        check_solvable(game)
    except UnderstudyError:
        return False
    return True


@lru_cache(maxsize=64)
def describe_board(game: CompiledGame) -> BoardForm:
    """Return all that a page needs to draw a board and to let a person play on it."""
    board, (width, height) = game.board, measure_board(game.board)
    shapes = sorted(
        {stone for stone in game.stones(game.start()) if stone} | set(game.setup_stones) | {"white", "black"}
    )
    cells = [Cell(name=name, x=x, y=y) for name, (x, y) in zip(board.cells, locate_cells(board), strict=True)]
    return BoardForm(
        name=game.name, title=game.title, size=write_size(game), colours=list(game.colours),
        rules=dict(game.switches), opponent=usual_opponent(game), width=width, height=height, columns=game.size[1],
        rows=game.size[0], cells=cells, ground="\n".join(draw_ground(board)),
        stones={stone: shape_stone(stone) for stone in shapes}, spoken=dict(game.spoken_stones),
        mark=shape_mark(board), box=BOX,
        lined=bool(board.lines), start=game.write(game.start()), setup=list(game.setup_stones),
        extras=[ExtraRow(**extra._asdict()) for extra in game.extras], tells_turn=game.kind.tells_turn,
        conventions=_describe_conventions(game), solvable=is_solvable(game),
        forms=list_forms(game),
    )  # fmt: skip


def _describe_conventions(game: CompiledGame) -> str:
    conventions = game.conventions
    times = {2: "twice", 3: "three times"}.get(conventions.repetition or 0, f"{conventions.repetition} times")
    repetition = f"A position that occurs {times} is a draw. " if conventions.repetition else ""
    return f"{repetition}A game of {conventions.ply_limit} plies is a draw.{tell_more(conventions)}"


def list_legal(game: CompiledGame, position: Any) -> list[LegalMove]:
    """Return the legal moves, each with the cells that a person points at."""
    names = game.board.cells
    return [
        LegalMove(move=game.write_move(position, code), cells=[names[cell] for cell in path.cells], option=path.option)
        for code, path in find_paths(game, position).items()
    ]


def describe_place(game: CompiledGame, position: Any, *, before: Any = None, move: int | None = None) -> Place:
    """Return a position as a page shows it; the cells that the *move* from *before* changed are marked."""
    stones = game.stones(position)
    return Place(
        game=game.name, size=write_size(game), position=game.write(position), turn=game.colours[position.ply % 2],
        ply=position.ply, stones=list(stones),
        marked=[] if before is None else list(find_changes(game.stones(before), stones)),
        status=game.status(position), legal=list_legal(game, position), over=game.outcome(position) is not None,
        ending=describe_outcome(game, position),
        move=None if move is None or before is None else game.write_move(before, move),
        extras=game.extras_of(position),
    )  # fmt: skip


def describe_outcome(game: CompiledGame, position: Any) -> str | None:
    """Return how a game ends in this position by its rules, in words; None if it goes on."""
    outcome = game.outcome(position)
    if outcome is None:
        return None
    return describe_end(game, int(outcome) * (1 if position.ply % 2 == 0 else -1), game.reason(position))


def describe_end(game: CompiledGame, result: int, reason: str) -> str:
    """Return how a game ended, in words; *result* is for the colour named first."""
    why = game.explain(reason) or reason
    return f"a draw: {why}" if result == 0 else f"{game.colours[result < 0]} wins: {why}"


def arrange(game: CompiledGame, stones: Mapping[str, str], turn: str, extras: Mapping[str, int]) -> Any:
    """Return the position with stones on named cells."""
    _check_names("turn", [turn], game.colours, game)
    _check_names("cell", stones, game.board.cells, game)
    _check_names("stone", stones.values(), game.setup_stones, game)
    _check_names("extra", extras, [extra.name for extra in game.extras], game)
    for extra in game.extras:
        if not extra.least <= extras.get(extra.name, extra.usual) <= extra.most:
            raise BadOption(f"{extra.name} must be from {extra.least} to {extra.most}, not {extras[extra.name]}")
    placed: Sequence[str] = [stones.get(cell, "") for cell in game.board.cells]
    return game.arrange(placed, game.colours.index(turn), extras)


def _check_names(noun: str, names: Any, known: Sequence[str], game: CompiledGame) -> None:
    if unknown := [name for name in names if name not in known]:
        raise BadOption(f"{game.name} has no {noun} {unknown[0]!r}")
