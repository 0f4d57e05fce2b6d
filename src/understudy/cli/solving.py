"""Commands that know best play: solve tells who wins a game, tablebase how far chess endings are from mate."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
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
    from understudy.protocols import Move
    from understudy.solve import Solver, Worth

PLAYERS = ("first", "second")
UNKNOWN = "unknown"
"""Who wins by a move of which that is not known."""


@click.command()
@game_options
@click.option("--stones", metavar="AvB",
              help="Of morris: an endgame such as 4v3, the mover first; 5v5 and all below if not said.")  # fmt: skip
@click.option("--tables", metavar="FOLDER", help="Of morris: where tables lie; your data folder if not said.")
@click.option("--verify", "verified", type=click.IntRange(1), metavar="N",
              help="Of morris: look at N random positions of each table by the rules.")  # fmt: skip
@click.option("--position", metavar="TEXT",
              help="Of konane: who wins this position, on a board of any size, if it has fallen apart.")  # fmt: skip
@backend_options
@json_option
def solve(
    name: str, size: str | None, rules: tuple[str, ...], as_json: bool, stones: str | None, tables: str | None,
    verified: int | None, position: str | None, where: Where,
) -> None:  # fmt: skip
    """Tell who wins a game with best play.

    And what each first move leads to. Two games can be solved on small boards: konane on at most 36 cells (4x4, 5x5,
    4x6, 5x6, 5x7, 6x6), and lines_of_action on 4x4 and 5x5, where the plies to the end are told as well. Of morris
    endgames are solved, and tables of them kept: `perfect` plays by them, `searcher:time=1,tables=usual` asks them.

    With --position it tells of one position of konane instead, whatever the size: regions that no jump can join any
    more are valued one by one, and their values add up.
    """
    from understudy.cli.endgames import solve_endgames
    from understudy.solve import make_solver

    game = find(name, size, rules)
    if position is not None:
        _solve_position(game, position, as_json=as_json)
        return
    if game.kind.tables is not None:
        solve_endgames(game, stones, tables, verified, where, as_json=as_json)
        return
    for option, given in (("--stones", stones), ("--tables", tables), ("--verify", verified)):
        if given is not None:
            raise BadOption(f"{option} {given} goes with endgames, which {game.name} does not have")
    solver = make_solver(game)
    with compiling():
        game.kind.load("solver").warm_up(game)
    began = time.perf_counter()
    with searching() as progress:
        worths = solver.worths(game.start(), progress=progress)
        seconds, positions = time.perf_counter() - began, solver.positions
    if as_json:
        print_json(_tell(game, worths) | {"positions": positions, "seconds": seconds})
    else:
        _print_solution(game, solver, worths)
        click.echo(f"{positions:,} positions searched in {seconds:.2f} s".replace(",", " "))


def _solve_position(game: CompiledGame, text: str, *, as_json: bool) -> None:
    """Tell who wins a position that has fallen apart, by which moves, and what its regions are worth."""
    module = game.kind.load("solver") if game.kind.solver is not None else None
    if not hasattr(module, "take_apart"):
        raise BadOption(f"--position goes with a game whose boards fall apart, such as konane, not with {game.name}")
    position, began = game.read(text), time.perf_counter()
    apart = module.take_apart(game, position)  # type: ignore[union-attr]
    seconds, mover = time.perf_counter() - began, position.ply % 2
    names = {game.write_move(position, move): PLAYERS[mover if won else 1 - mover] for move, won in apart.moves.items()}
    winner = PLAYERS[mover if apart.wins else 1 - mover]
    if as_json:
        regions = [{"cells": cells, "value": value} for cells, value in apart.regions]
        print_json({"size": "x".join(map(str, game.size)), "winner": winner, "moves": names, "regions": regions,
                    "looked_at": apart.looked_at, "seconds": seconds})  # fmt: skip
        return
    colours = dict(zip(PLAYERS, game.colours, strict=True))
    click.echo(f"{colours[PLAYERS[mover]]} to move: {colours[winner]} wins")
    for move, victor in names.items():
        click.echo(f"  {move:<6} {colours[victor]} wins")
    for cells, value in apart.regions:
        worth = "searched, too large for a value" if value is None else f"worth {value}"
        click.echo(f"region {' '.join(cells)}: {worth}")
    click.echo(
        f"{apart.looked_at} boards looked at in {seconds:.2f} s; values count moves to spare for {game.colours[0]}"
    )


def _tell(game: CompiledGame, worths: Mapping[Move, Worth]) -> dict[str, Any]:
    """Return who wins and what each first move leads to, for programs; plies where they are known."""
    from understudy.solve import best_moves, is_decidable

    best, start = worths[best_moves(worths)[0]], game.start()
    told: dict[str, Any] = {"size": "x".join(map(str, game.size)), "winner": _winner(best)}
    names = {move: game.write_move(start, move) for move in game.moves(start)}
    openings = {name: _winner(worths.get(move)) for move, name in names.items()}
    if is_decidable(game):
        return told | {"openings": openings}
    plies = {name: worths[move].plies if move in worths else None for move, name in names.items()}
    return told | {"plies": best.plies, "openings": openings, "opening_plies": plies}


def _winner(worth: Worth | None) -> str:
    """Return who wins by a first move of this worth."""
    return UNKNOWN if worth is None else {1: PLAYERS[0], 0: "nobody", -1: PLAYERS[1]}[worth.value]


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


def _print_solution(game: CompiledGame, solver: Solver, worths: Mapping[Move, Worth]) -> None:
    from understudy.solve import best_moves, is_decidable

    colours, best = dict(zip(PLAYERS, game.colours, strict=True)), worths[best_moves(worths)[0]]
    rows, columns = game.size
    victor = _winner(best)
    who = f"{colours[victor]}, who moves {victor}, wins" if best.value else "nobody wins"
    click.echo(f"{game.title} {rows}x{columns}: {who}{_far(best)}")
    for move in game.moves(game.start()):
        worth, opening = worths.get(move), game.write_move(game.start(), move)
        victor = _winner(worth)
        end = "who wins is not known" if worth is None else f"{colours.get(victor, victor)} wins{_far(worth)}"
        how = f" {_how(game, solver, move)}" if is_decidable(game) else ""
        click.echo(f"  {opening:<4} {end}{how}")


def _far(worth: Worth) -> str:
    return "" if worth.plies is None else f" in {worth.plies} plies"


def _how(game: CompiledGame, solver: Solver, opening: Move) -> str:
    """Return by which replies the second player wins after *opening*."""
    after = game.play(game.start(), opening)
    replies = [game.write_move(after, move) for move, worth in solver.worths(after).items() if worth.value > 0]
    return f"by {' or '.join(replies)}" if replies else f"whatever {game.colours[1]} removes"


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
