"""Commands that make tables of chess positions: sample takes them from games, label asks an engine about them."""

from __future__ import annotations

import contextlib
import dataclasses
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from understudy.cli.console import Where, backend_options, compiling, opened
from understudy.errors import BadOption

if TYPE_CHECKING:
    from understudy.games.chess.records.opinions import Judge
    from understudy.games.chess.records.sampling import Sampling
    from understudy.games.chess.records.wanted import Wanted

F = TypeVar("F", bound=Callable[..., Any])

SHOWN = 20
"""Complaints that are printed one by one."""

WANTED = ("rating_from", "rating_to", "results", "plies_from", "plies_to", "openings")
SAMPLED = ("per_game", "from_ply", "to_ply", "every", "quiet", "stray", "play_on", "play_on_plies", "successors",
           "seed")  # fmt: skip


def game_filters(command: F) -> F:
    """Add what tells which games of a PGN file are wanted, and which of their positions."""
    for option in reversed(
        (
            click.option("--rating-from", type=click.IntRange(0), metavar="R", help="Both players rated at least R."),
            click.option("--rating-to", type=click.IntRange(0), metavar="R", help="Both players rated at most R."),
            click.option("--result", "results", multiple=True, metavar="1-0|0-1|1/2-1/2",
                         help="Only games that ended so; may be given more than once."),
            click.option("--plies-from", type=click.IntRange(0), metavar="N", help="Only games of at least N plies."),
            click.option("--plies-to", type=click.IntRange(0), metavar="N", help="Only games of at most N plies."),
            click.option("--opening", "openings", multiple=True, metavar="ECO|MOVES",
                         help="Only games with this ECO code (B9 for all B90 to B99) or these first moves ('e4 c5')."),
            click.option("--per-game", type=click.IntRange(0), metavar="N",
                         help="At most N positions of a game, 0 for all.  [default: 10]"),
            click.option("--from-ply", type=click.IntRange(0), metavar="N",
                         help="No position before this ply.  [default: 8]"),
            click.option("--to-ply", type=click.IntRange(0), metavar="N", help="No position after this ply."),
            click.option("--every", type=click.IntRange(1), metavar="N", help="Only every Nth ply."),
            click.option("--quiet", is_flag=True, default=None,
                         help="Only positions without check, promotion or winning capture."),
            click.option("--stray", type=click.FloatRange(0, 1), metavar="SHARE",
                         help="Play a random move in this share of positions first, so that blunders occur."),
            click.option("--play-on", metavar="PLAYER",
                         help="Let a player go on from each position, and take what it reaches, too."),
            click.option("--play-on-plies", type=click.IntRange(1), metavar="N", help="How far.  [default: 4]"),
            click.option("--successors", type=click.IntRange(0), metavar="N",
                         help="Instead of each position, take N of those that one move leads to, 0 for all."),
            click.option("--seed", type=click.IntRange(0), metavar="K", help="All randomness comes from it."),
            click.option("--source", metavar="NAME", help="What the table calls these games; the file's name."),
            click.option("--limit", type=click.IntRange(1), metavar="N", help="At most N positions."),
        )
    ):  # fmt: skip
        command = option(command)
    return command


@click.command()
@click.argument("games", metavar="IN", type=click.Path())
@click.argument("target", metavar="OUT.parquet", type=click.Path(dir_okay=False))
@game_filters
def sample(games: str, target: str, source: str | None, limit: int | None, **options: Any) -> None:
    """Take positions from chess games.

    IN is PGN (plain, .gz, .bz2, .zst) or records that `watch` kept. OUT is a Parquet table without labels in which each
    placement occurs once.
    """
    from understudy.games.chess.records.sources import gather

    sampling, wanted = _chosen(options)
    _check_target(games, target)
    with _bar("sampling", None) as show:
        found = gather(Path(games), Path(target), sampling, wanted=wanted, source=source, most=limit, progress=show)
    _print_complaints(found.complaints)
    told = found.sampled
    lost = f" from {told.games} games ({told.unwanted} not wanted, {len(told.broken)} broken)" if told else ""
    click.echo(f"wrote {found.positions} positions{lost} to {target}")


@click.command()
@click.argument("games", metavar="IN", type=click.Path())
@click.argument("target", metavar="OUT.parquet", type=click.Path(dir_okay=False))
@click.option("--engine", metavar="PATH", help="Any UCI engine.  [default: stockfish]")
@click.option("--player", metavar="PLAYER",
              help="Instead of an engine, a student of chess labels by its own search.")  # fmt: skip
@click.option("--depth", type=click.IntRange(0, 245), metavar="N",
              help="Plies for each position; 9 if not said. A player looks 1, then plays captures out.")  # fmt: skip
@click.option("--nodes", type=click.IntRange(1), metavar="N", help="Nodes for each position.")
@click.option("--time", type=click.FloatRange(0.001), metavar="S", help="Seconds for each position.")
@click.option("--hash", type=click.IntRange(1), default=1, show_default=True, metavar="MB",
              help="The engine's memory; it is cleared before each position.")  # fmt: skip
@click.option("--patience", type=click.FloatRange(0.1), default=60.0, show_default=True, metavar="S",
              help="A silent engine is ended and started anew after S seconds.")  # fmt: skip
@click.option("--fair", is_flag=True, help="The mean of each position's worth before and after its best move.")
@game_filters
@backend_options
def label(games: str, target: str, source: str | None, limit: int | None, where: Where, **options: Any) -> None:
    """Let an engine judge chess positions.

    IN is PGN (plain, .gz, .bz2, .zst; positions are sampled from its games), records that `watch` kept, a Parquet
    table, a CSV with a column `fen`, or a list of FENs or EPDs. A run that was stopped goes on where it was.
    """
    from understudy.games.chess.records.labelling import file_identity, label_positions
    from understudy.games.chess.records.sources import gather

    judge = _judge(
        {name: options.pop(name) for name in ("engine", "player", "depth", "nodes", "time", "hash", "patience", "fair")}
    )
    sampling, wanted = _chosen(options)
    _check_target(games, target)
    place = Path(games)

    def prepare(table: Path) -> None:
        with _bar("sampling", None) as show:
            found = gather(place, table, sampling, wanted=wanted, source=source, most=limit, progress=show)
        _print_complaints(found.complaints)

    told = {"sampling": sampling and dataclasses.asdict(sampling), "wanted": dataclasses.asdict(wanted)}

    def identify() -> dict[str, Any]:
        return {**file_identity(place), **told, "source": source, "most": limit}

    with opened(where) as backend, _labelling() as progress:
        done = label_positions(prepare, Path(target), judge, identify=identify, backend=backend, progress=progress)
    for one in done.aside[:SHOWN]:
        click.echo(f"set aside: {one}", err=True)
    _tell(done, target)


def _judge(options: dict[str, Any]) -> Judge:
    """Return who labels; an engine to the usual depth if nothing limits it."""
    from understudy.games.chess.records.opinions import USUAL_DEPTH, Judge

    said = {name: value for name, value in options.items() if value is not None}
    if "player" in said:
        if other := next((name for name in ("engine", "nodes", "time", "fair") if said.get(name)), None):
            raise BadOption(f"--{other} is for an engine; --player {said['player']!r} takes --depth alone")
    elif not {"depth", "nodes", "time"} & said.keys():
        said["depth"] = USUAL_DEPTH
    return Judge(**said)


def _tell(done: Any, target: str) -> None:
    """Say what became of the positions."""
    fresh = done.rows + len(done.aside) - done.before
    rate = f"{fresh / done.seconds:.0f} a second" if done.seconds > 0 else ""
    before = f", {done.before} of them by an earlier run" if done.before else ""
    aside = f"; {len(done.aside)} set aside because the engine failed twice" if done.aside else ""
    click.echo(f"wrote {done.rows} labelled positions{before} to {target} in {done.seconds:.1f} s ({rate}){aside}")


def _chosen(options: dict[str, Any]) -> tuple[Sampling | None, Wanted]:
    """Return how positions are sampled, None if nothing was said about it, and which games are wanted."""
    from understudy.games.chess.records.sampling import Sampling
    from understudy.games.chess.records.wanted import Wanted

    said = {name: value for name, value in options.items() if value is not None and value != ()}
    sampled = {name: said[name] for name in SAMPLED if name in said}
    wanted = Wanted(**{name: said[name] for name in WANTED if name in said})
    return Sampling(**sampled) if sampled else None, wanted


def _check_target(source: str, target: str) -> None:
    if Path(source).resolve() == Path(target).resolve():
        raise BadOption(f"IN and OUT are the same file, {source!r}")
    check_table_name("OUT", target)


def check_table_name(option: str, target: str) -> None:
    """Raise unless a table of positions may be called so."""
    if Path(target).suffix != ".parquet":
        raise BadOption(f"a table of positions is a Parquet file, so {option} must end in .parquet, not {target!r}")


@contextlib.contextmanager
def _labelling() -> Iterator[Callable[[int, int], None]]:
    """Give what hears of labelled positions and shows them, once their number is known."""
    with contextlib.ExitStack() as stack:
        bars: list[Callable[[int], None]] = []

        def progress(done: int, total: int) -> None:
            if not bars:
                bars.append(stack.enter_context(_bar("labelling", total)))
            bars[0](done)

        yield progress


@contextlib.contextmanager
def _bar(what: str, total: int | None) -> Iterator[Callable[[int], None]]:
    """Show how many positions are done, how many a second, and the time left."""
    from rich.console import Console
    from rich.progress import (
        BarColumn,
        MofNCompleteColumn,
        Progress,
        ProgressColumn,
        Task,
        TextColumn,
        TimeRemainingColumn,
    )
    from rich.text import Text

    class Rate(ProgressColumn):
        """Positions a second."""

        def render(self, task: Task) -> Text:
            return Text(f"{task.speed:.0f}/s" if task.speed else "")

    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TextColumn("positions"), Rate(),
               TimeRemainingColumn())  # fmt: skip
    with compiling(), Progress(*columns, console=Console(stderr=True), speed_estimate_period=60.0) as bar:
        task = bar.add_task(what, total=total)
        yield lambda done: bar.advance(task, done)


def _print_complaints(complaints: tuple[str, ...]) -> None:
    for complaint in complaints[:SHOWN]:
        click.echo(complaint, err=True)
    if complaints:
        click.echo(f"{len(complaints)} were passed over", err=True)
