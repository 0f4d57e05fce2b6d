"""Commands that know best play: solve tells who wins a game, tablebase how far chess endings are from mate."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from understudy.cli.console import (
    Where,
    backend_options,
    compiling,
    counted,
    find,
    game_options,
    json_option,
    print_json,
)
from understudy.cli.labels import check_table_name
from understudy.errors import BadOption

if TYPE_CHECKING:
    from understudy.games import CompiledGame
    from understudy.solve import Solver

PLAYERS = ("first", "second")


@click.command()
@game_options
@click.option("--stones", metavar="AvB",
              help="Of morris: an endgame such as 4v3, the mover first; 5v5 and all below if not said.")  # fmt: skip
@click.option("--tables", metavar="FOLDER", help="Of morris: where tables lie; your data folder if not said.")
@click.option("--verify", "verified", type=click.IntRange(1), metavar="N",
              help="Of morris: look at N random positions of each table by the rules.")  # fmt: skip
@backend_options
@json_option
def solve(
    name: str, size: str | None, rules: tuple[str, ...], as_json: bool, stones: str | None, tables: str | None,
    verified: int | None, where: Where,
) -> None:  # fmt: skip
    """Tell who wins a game with best play.

    Konane can be solved on boards of at most 36 cells: 4x4, 5x5, 4x6, 6x6. Of morris the endgames are, and their
    tables are kept: `perfect` plays by them, and `searcher:time=1,tables=usual` looks into them.
    """
    from understudy.cli.endgames import solve_endgames
    from understudy.solve import make_solver

    game = find(name, size, rules)
    if game.kind.tables is not None:
        solve_endgames(game, stones, tables, verified, where, as_json=as_json)
        return
    for option, given in (("--stones", stones), ("--tables", tables), ("--verify", verified)):
        if given is not None:
            raise BadOption(f"{option} {given} goes with endgames, which {game.name} does not have")
    solver = make_solver(game)
    with compiling():
        _compile()
    began = time.perf_counter()
    with searching() as progress:
        values = solver.values(game.start(), progress=progress)
        seconds, positions = time.perf_counter() - began, solver.positions
    openings = {game.write_move(game.start(), move): PLAYERS[not wins] for move, wins in values.items()}
    winner = PLAYERS["first" not in openings.values()]
    if as_json:
        shape = "x".join(map(str, game.size))
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
    from understudy.solve import make_solver

    smallest = find_game("konane", (2, 3))
    make_solver(smallest).values(smallest.start())


def _print_solution(game: CompiledGame, solver: Solver, winner: str, openings: dict[str, str]) -> None:
    colours = dict(zip(PLAYERS, game.colours, strict=True))
    rows, columns = game.size
    click.echo(f"{game.title} {rows}x{columns}: {colours[winner]}, who moves {winner}, wins")
    for opening, victor in openings.items():
        after = game.play(game.start(), game.read_move(game.start(), opening))
        replies = [game.write_move(after, move) for move, wins in solver.values(after).items() if wins]
        how = f"by {' or '.join(replies)}" if replies else f"whatever {colours['second']} removes"
        click.echo(f"  {opening:<4} {colours[victor]} wins {how}")


@click.command()
@click.argument("names", nargs=-1, metavar="[ENDING]...")
@click.option("--keep", metavar="OUT.parquet", help="Write random positions with their distance to mate as labels.")
@click.option("--sample", type=click.IntRange(1, 10_000_000), metavar="N",
              help="Positions of each ending, if they are kept.  [default: 10000]")  # fmt: skip
@click.option("--seed", type=click.IntRange(0), default=0, show_default=True, metavar="K",
              help="All randomness comes from it.")  # fmt: skip
@json_option
def tablebase(names: tuple[str, ...], keep: str | None, sample: int | None, seed: int, as_json: bool) -> None:
    """Solve chess endings of three and four pieces.

    ENDING is written like KQvKR; without any, all are solved but KPvKP. Nothing has to be downloaded: mates are found
    first, then what leads to them. Each ending of four pieces takes some seconds and 32 MB of memory.
    """
    from understudy.games.chess.endings import every_ending, material_of

    wanted = list(dict.fromkeys(names)) or every_ending()
    for name in wanted:
        material_of(name)
    if keep is None and sample is not None:
        raise BadOption(f"--sample {sample} goes with --keep")
    if keep is not None and as_json:
        raise BadOption("--json tells of endings and --keep writes a table: choose one")
    if keep is not None:
        _keep_endings(wanted, keep, sample or 10_000, seed)
        return
    told = _solved_endings(wanted)
    if as_json:
        print_json(told)
    else:
        _print_endings(told)


def _keep_endings(names: Sequence[str], keep: str, sample: int, seed: int) -> None:
    from understudy.games.chess.endings import keep_endings

    check_table_name("--keep", keep)
    with counted(len(names), "solving", unit="endings") as progress:
        rows = keep_endings(names, Path(keep), sample=sample, seed=seed, progress=progress)
    click.echo(f"wrote {rows} labelled positions of {len(names)} endings to {keep}")


def _solved_endings(names: Sequence[str]) -> dict[str, Any]:
    """Return for each ending what becomes of it, by who is to move."""
    from understudy.games.chess.endings import Endings

    solver, told = Endings(names), {}
    with counted(len(names), "solving", unit="endings") as progress:
        for name in names:
            solver.solve(name)
            told[name] = {side: _summary(solver.worths(name, turned=side == "second")) for side in PLAYERS}
            progress(1)
    return told


def _summary(worths: Any) -> dict[str, Any]:
    """Return the shares of won, drawn and lost placements, and how many moves the longest mates take."""
    return {
        "placements": len(worths),
        "won": float((worths > 0).mean()),
        "drawn": float((worths == 0).mean()),
        "lost": float((worths < 0).mean()),
        "longest_win": (int(worths.max()) + 1) // 2,
        "longest_loss": -int(worths.min()) // 2,
    }


def _print_endings(told: dict[str, Any]) -> None:
    click.echo(f"{'':8}{'the first side moves':^36}{'the second side moves':^36}".rstrip())
    click.echo((f"{'ending':8}" + 2 * f"{'won %':>8}{'drawn %':>9}{'lost %':>8}{'longest':>9}  ").rstrip())
    for name, sides in told.items():
        columns = [
            f"{100 * one['won']:8.2f}{100 * one['drawn']:9.2f}{100 * one['lost']:8.2f}"
            f"{max(one['longest_win'], one['longest_loss']) or '-':>9}  "
            for one in sides.values()
        ]
        click.echo(f"{name:8}{''.join(columns)}".rstrip())
    click.echo("longest: moves to mate, with best play of both sides")
