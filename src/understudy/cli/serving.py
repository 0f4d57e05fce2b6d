"""Commands that let other programs talk to our players."""

from __future__ import annotations

import os
import sys
from typing import TextIO

import click

from understudy.cli.completing import complete_games, complete_players


@click.command()
@click.argument("player", metavar="PLAYER", shell_complete=complete_players)
@click.option("--port", type=click.IntRange(0, 65_535), default=5802, show_default=True, metavar="N",
              help="The papers use 5802 for White and 5803 for Black; 0 takes a free one.")  # fmt: skip
@click.option("--host", default="127.0.0.1", show_default=True, metavar="ADDRESS", help="Where to listen.")
@click.option("--form", type=click.Choice(["lines", "cells"]), default="lines", show_default=True,
              help="How a move is answered: three numbered lines, or one line of cells.")  # fmt: skip
@click.option("--clients", type=click.IntRange(1, 65_535), default=256, show_default=True, metavar="N",
              help="At once; then who has not asked for longest makes room for the next.")  # fmt: skip
@click.option("--silence", type=click.FloatRange(0.001, 86_400), default=600.0, show_default=True, metavar="S",
              help="A client that asks nothing for S seconds is cut off.")  # fmt: skip
@click.option("--seed", type=click.IntRange(0), default=0, show_default=True, metavar="K")
def socket(player: str, port: int, host: str, form: str, clients: int, silence: float, seed: int) -> None:
    """Serve a Morris player on a socket, as NNMM's play mode does.

    A position comes in as text, a move goes out; see docs/socket.md.
    """
    from understudy.games import find_game
    from understudy.players import close, make_player, prepare
    from understudy.studies.galassi.socket_server import serve

    game = find_game("morris")
    chosen = make_player(player, game, seed=seed)
    prepare(chosen)

    def ready(number: int) -> None:
        click.echo(f"{player} answers on {host}:{number}; stop with Ctrl-C", err=True)

    try:
        serve(game, chosen, host=host, port=port, form=form, silence=silence, most_clients=clients, ready=ready)
    finally:
        close(chosen)


@click.command()
@click.argument("player", metavar="PLAYER", shell_complete=complete_players)
@click.option("--game", "of", default="chess", show_default=True, metavar="GAME", shell_complete=complete_games,
              help="chess, or morris, which is spoken as Sanmill does.")  # fmt: skip
@click.option("--rule", "rules", multiple=True, metavar="NAME=VALUE",
              help="Set a switch of the rules, such as repetition=third of morris.")  # fmt: skip
@click.option("--seed", type=click.IntRange(0), default=0, show_default=True, metavar="K")
def uci(player: str, of: str, rules: tuple[str, ...], seed: int) -> None:
    """Let another program play against PLAYER, by UCI.

    That is the Universal Chess Interface: the program starts this command and talks to it; see docs/uci.md.
    """
    said = _protocol_only()
    from understudy.cli.console import find
    from understudy.players import close, make_player

    game = find(of, None, rules)
    serve = game.kind.load("uci").serve
    chosen = make_player(player, game, seed=seed)
    ended = False
    try:
        ended = serve(game, chosen, heard=sys.stdin.buffer, said=said)
    finally:
        close(chosen)
    if not ended:  # its thread compiles or plays on, and leaving politely would pull the compiler from under its feet
        os._exit(0)


def _protocol_only() -> TextIO:
    """Return the standard output for the protocol alone: whatever else is printed goes to standard error."""
    sys.stdout.flush()
    said = os.fdopen(os.dup(1), "w", encoding="utf-8", errors="replace", newline="\n")
    os.dup2(2, 1)
    return said


@click.command()
@click.option("--port", type=click.IntRange(0, 65_535), default=8321, show_default=True, metavar="N",
              help="0 takes a free one.")  # fmt: skip
@click.option("--host", default="127.0.0.1", show_default=True, metavar="ADDRESS",
              help="Where to listen; beyond this machine a token is needed, which is printed.")  # fmt: skip
@click.option("--no-browser", is_flag=True, help="Do not open the page.")
@click.option("--runs", default="runs", show_default=True, type=click.Path(file_okay=False), metavar="FOLDER",
              help="Where the runs lie.")  # fmt: skip
@click.option("--games", type=click.Path(dir_okay=False), metavar="FILE",
              help="Where games are kept for a day; in the user's cache if not said.")  # fmt: skip
@click.option("--trust", is_flag=True,
              help="Let pages name players that read files or start programs: engine, socket, any path.")  # fmt: skip
def serve(port: int, host: str, no_browser: bool, runs: str, games: str | None, trust: bool) -> None:
    """Open the page in the browser: play, look on, learn.

    The first line printed is the address. It listens on this machine alone unless told otherwise; see docs/serve.md.
    """
    from pathlib import Path

    from understudy.errors import MissingPackage
    from understudy.files import cache_home

    try:
        from understudy.serve.running import open_browser, run_server
    except ModuleNotFoundError as error:
        raise MissingPackage("`understudy serve`", error.name or "starlette", "serve") from None
    file = cache_home() / "understudy" / "games.sqlite" if games is None else Path(games)

    def ready(address: str) -> None:
        click.echo(address)
        click.echo("stop with Ctrl-C", err=True)
        if not no_browser:
            open_browser(address)

    run_server(host=host, port=port, runs=Path(runs), games=file, trust=trust, ready=ready)
