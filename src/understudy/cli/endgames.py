"""How `solve` makes tables of endgames, where a game is solved in parts: morris."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from understudy.cli.console import Where, compiling, opened, print_json
from understudy.errors import FileError

if TYPE_CHECKING:
    from understudy.games import CompiledGame

MILLION = 1_000_000
ENOUGH = 1_000_000
"""Positions of a table that are looked at if nobody says how many."""


def solve_endgames(
    game: CompiledGame, stones: str | None, folder: str | None, verified: int | None, where: Where, *, as_json: bool
) -> None:
    """Make the tables that are missing, and tell what is in them."""
    solving = game.kind.load("tables")
    wanted = solving.USUAL if stones is None else solving.read_stones(stones)
    place, began = Path(folder) if folder else solving.usual_folder(), time.perf_counter()
    missing = solving.count_missing(place, wanted)
    if missing:
        with opened(where) as backend, _solving(missing, solving.PER_SECOND * backend.workers) as progress:
            solving.make_tables(place, wanted, backend=backend, progress=progress)
    seconds, every = time.perf_counter() - began, solving.summarise_all(place, wanted)
    asked = [one for one in every if stones is None or one["stones"] == stones.lower()]
    if verified is not None:
        _verify(solving, place, [one["stones"] for one in asked], verified)
    if as_json:
        print_json({**asked[0], "seconds": seconds} if stones else {"tables": every, "seconds": seconds})
    else:
        _print_tables(game, asked, place, seconds if missing else None)


@contextlib.contextmanager
def _solving(places: int, speed: float) -> Iterator[Callable[[str, int], None]]:
    """Show what is being solved, how much of it is done, and how long it may take."""
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TaskProgressColumn, TextColumn, TimeRemainingColumn

    click.echo(f"{places / MILLION:.1f} million positions to solve: about {places / speed:.0f} s if nothing else runs "
               "here; stop it whenever you like, it goes on", err=True)  # fmt: skip
    columns = TextColumn("{task.description}"), BarColumn(), TaskProgressColumn(), TimeRemainingColumn()
    with compiling(), Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task("solving", total=places)

        def note(what: str, more: int) -> None:
            bar.update(task, description=f"solving {what}", advance=more)

        yield note


def _verify(solving: Any, folder: Path, stones: Sequence[str], count: int) -> None:
    """Look at random positions of each table by the rules; a table that is wrong is refused."""
    tables = solving.Tables(folder)
    with compiling():
        for one in stones:
            if wrong := solving.verify(tables, solving.read_stones(one), count):
                raise FileError(
                    f"the table of {one} in {str(folder)!r} is wrong in {wrong} of {count} positions; delete it"
                )
            click.echo(f"{one}: {count} random positions are worth what their moves lead to", err=True)


def _print_tables(game: CompiledGame, tables: Sequence[Mapping[str, Any]], folder: Path, seconds: float | None) -> None:
    click.echo(f"{game.title}, endgames without stones in hand; the side to move is named first")
    click.echo(
        f"{'stones':<8}{'classes':>12}{'won':>12}{'drawn':>12}{'lost':>12}{'longest win':>14}{'longest loss':>14}"
    )
    for one in tables:
        counts = "".join(f"{one[name]:>12,}".replace(",", " ") for name in ("classes", "win", "draw", "loss"))
        longest = "".join(f"{one[name] or '-':>14}" for name in ("longest", "longest_loss"))
        click.echo(f"{one['stones']:<8}{counts}{longest}")
    click.echo("one position for each class under the 16 symmetries of the board; longest: plies with best play")
    click.echo(f"{'made in ' + format(seconds, '.1f') + ' s, ' if seconds is not None else ''}tables in {folder}")
