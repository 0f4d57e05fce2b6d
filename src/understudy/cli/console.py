"""What the commands share: options, progress bars, and how things are printed and written."""

from __future__ import annotations

import contextlib
import functools
import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar, cast

import click

from understudy.cli.completing import complete_games
from understudy.errors import BadOption
from understudy.files import save_text

if TYPE_CHECKING:
    from understudy.games import CompiledGame
    from understudy.protocols import Backend

F = TypeVar("F", bound=Callable[..., Any])


def game_options(command: F) -> F:
    """Add what tells a game and its size."""
    command = click.option("--rule", "rules", multiple=True, metavar="NAME=VALUE", help="Set a switch of the rules.")(
        command
    )
    command = click.option("--size", metavar="S", help="Board size: 6, or 6x5 for rows x columns.")(command)
    return click.argument("name", metavar="GAME", shell_complete=complete_games)(command)


def json_option(command: F) -> F:
    """Add the switch for programs."""
    return click.option("--json", "as_json", is_flag=True, help="Print JSON for programs.")(command)


def match_options(command: F) -> F:
    """Add what a match and a tournament agree on."""
    for option in reversed(
        (
            click.option("--games", type=click.IntRange(1, 10_000_000), default=10, show_default=True, metavar="N",
                         help="Games for each pair of players; both colours of each opening."),
            click.option("--seed", type=click.IntRange(0), default=0, show_default=True, metavar="K",
                         help="All randomness comes from it."),
            click.option("--opening-plies", type=click.IntRange(0, 40), metavar="N",
                         help="Random plies before the players choose; each game has its own default."),
            click.option("--ply-limit", type=click.IntRange(1), metavar="N", help="A game this long is a draw."),
            click.option("--repetition", type=click.IntRange(0), metavar="N",
                         help="A position that occurs this often is a draw; 0: never."),
            click.option("--move-seconds", type=click.FloatRange(0.001), metavar="S",
                         help="A player that takes longer for a move loses."),
        )
    ):  # fmt: skip
        command = option(command)
    return command


class Where(NamedTuple):
    """Where a command lets its tasks run."""

    backend: str
    workers: int | None
    address: str | None


def backend_options(command: F) -> F:
    """Add what tells where tasks run; the command gets it as `where`."""

    @functools.wraps(command)
    def placed(*arguments: Any, backend: str, workers: int | None, address: str | None, **options: Any) -> Any:
        return command(*arguments, where=Where(backend, workers, address), **options)

    for option in reversed(
        (
            click.option("--backend", default="local", show_default=True, metavar="local|ray",
                         help="Where games are played: threads here, or processes of Ray."),
            click.option("--workers", type=click.IntRange(1, 100_000), metavar="N",
                         help="How many at once; one for each core."),
            click.option("--address", metavar="A",
                         help="A Ray cluster: host:port, ray://host:port or auto; one node here if not said."),
        )
    ):  # fmt: skip
        placed = option(placed)
    return cast(F, placed)


@contextlib.contextmanager
def opened(where: Where) -> Iterator[Backend]:
    """Open a backend and close it in the end."""
    from understudy.backends import close, make_backend

    backend = make_backend(where.backend, workers=where.workers, address=where.address)
    try:
        yield backend
    finally:
        close(backend)


def find(name: str, size: str | None, rules: tuple[str, ...]) -> CompiledGame:
    """Return the game of a command line."""
    from understudy.games import find_game
    from understudy.games.kind import read_rules, read_size

    return find_game(name, None if size is None else read_size(size), read_rules(rules))


def position_of(game: CompiledGame, text: str | None) -> Any:
    """Return the position that was written, or the start."""
    return game.start() if text is None else game.read(text)


@contextlib.contextmanager
def match_settings(
    game: CompiledGame, players: list[str], where: Where, terms: dict[str, Any]
) -> Iterator[dict[str, Any]]:
    """Give the arguments of a match; players are made once here so that a wrong name fails before anything starts."""
    from understudy.match import Terms
    from understudy.players import close, make_player

    for player in players:
        close(make_player(player, game))
    if any(player.startswith("human") for player in players):
        where = _beside_a_person(where)
    settings = {key: terms.pop(key) for key in ("seed", "opening_plies")}
    if settings["opening_plies"] is None:
        settings["opening_plies"] = game.conventions.opening_plies
    with opened(where) as backend:
        yield settings | {"backend": backend, "terms": Terms(**terms)}


def _beside_a_person(where: Where) -> Where:
    """Return one worker, who has the terminal."""
    if where.backend != "local":
        raise BadOption(f"'human' plays at this terminal, not on the backend {where.backend!r}")
    return where._replace(workers=1)


@contextlib.contextmanager
def compiling() -> Iterator[None]:
    """Say so, once, whenever something has to be compiled: a person who waits wants to know for what."""
    from understudy import kernels

    def announce() -> None:
        kernels.ANNOUNCE = silence
        click.echo("compiling; this takes some seconds, and happens once for each game and kind of player", err=True)

    silence, kernels.ANNOUNCE = kernels.ANNOUNCE, announce
    try:
        yield
    finally:
        kernels.ANNOUNCE = silence


@contextlib.contextmanager
def counted(total: int | None, what: str, *, unit: str = "games") -> Iterator[Callable[[int], None]]:
    """Show a bar that counts games, or whatever the *unit* is; without a *total* it only counts."""
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TextColumn(unit),
        TimeRemainingColumn(),
    )
    with compiling(), Progress(*columns, console=Console(stderr=True)) as bar:
        task = bar.add_task(what, total=total)
        yield lambda games: bar.advance(task, games)


def print_json(value: Any) -> None:
    """Print one JSON value on a line."""
    click.echo(json.dumps(value))


def write_file(path: str, text: str) -> None:
    """Write a file whole or not at all, and say so."""
    save_text(Path(path), text)
    click.echo(f"wrote {path}", err=True)
