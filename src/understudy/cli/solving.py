"""The command `solve`: who wins with best play."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

import click

from understudy.cli.console import compiling, find, game_options, json_option, print_json

if TYPE_CHECKING:
    from understudy.games import CompiledGame
    from understudy.solve import Solver

PLAYERS = ("first", "second")


@click.command()
@game_options
@json_option
def solve(name: str, size: str | None, rules: tuple[str, ...], as_json: bool) -> None:
    """Tell who wins a game with best play.

    Only konane can be solved, on boards of at most 36 cells: 4x4, 5x5, 4x6, 6x6.
    """
    from understudy.solve import Solver

    game = find(name, size, rules)
    solver = Solver(game)
    with compiling():
        _compile()
    began = time.perf_counter()
    with searching() as progress:
        values = solver.values(game.start(), progress=progress)
        seconds, positions = time.perf_counter() - began, solver.positions
    openings = {game.write_move(game.start(), move): PLAYERS[not wins] for move, wins in values.items()}
    winner = PLAYERS["first" not in openings.values()]
    rows, columns = game.size
    shape: int | str = rows if rows == columns else f"{rows}x{columns}"
    if as_json:
        print_json({"size": shape, "winner": winner, "openings": openings, "positions": positions, "seconds": seconds})
    else:
        _print_solution(game, solver, winner, openings)
        click.echo(f"{positions:,} positions searched in {seconds:.2f} s".replace(",", " "))


@contextlib.contextmanager
def searching() -> Iterator[Callable[[int], None]]:
    """Show how many positions were searched, on a terminal."""
    from rich.console import Console

    console = Console(stderr=True)
    with console.status("searching") if console.is_terminal else contextlib.nullcontext() as status:

        def note(positions: int) -> None:
            if status is not None:
                status.update(f"{positions / 1e6:.0f} million positions searched")

        yield note


def _compile() -> None:
    """Have the kernels ready before the clock runs."""
    from understudy.games import find_game
    from understudy.solve import Solver

    smallest = find_game("konane", (2, 3))
    Solver(smallest).values(smallest.start())


def _print_solution(game: CompiledGame, solver: Solver, winner: str, openings: dict[str, str]) -> None:
    colours = dict(zip(PLAYERS, game.colours, strict=True))
    rows, columns = game.size
    click.echo(f"{game.title} {rows}x{columns}: {colours[winner]}, who moves {winner}, wins")
    for opening, victor in openings.items():
        after = game.play(game.start(), game.read_move(game.start(), opening))
        replies = [game.write_move(after, move) for move, wins in solver.values(after).items() if wins]
        how = f"by {' or '.join(replies)}" if replies else f"whatever {colours['second']} removes"
        click.echo(f"  {opening:<4} {colours[victor]} wins {how}")
