"""The commands. Everything heavy is imported by the command that needs it, so that `--help` answers at once."""

from __future__ import annotations

import contextlib
import json
import os
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from understudy import __version__
from understudy.errors import BadOption, FileError, UnderstudyError, UnknownName

if TYPE_CHECKING:
    from understudy.games import CompiledGame

F = TypeVar("F", bound=Callable[..., Any])

BAD_INPUT = 2


class Commands(click.Group):
    """A group that guesses what a misspelt command meant."""

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        if args and self.get_command(ctx, args[0]) is None and not args[0].startswith("-"):
            raise UnknownName("command", args[0], self.list_commands(ctx))
        return super().resolve_command(ctx, args)


@click.group(cls=Commands, context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100})
@click.version_option(__version__, prog_name="understudy")
def commands() -> None:
    """Neural networks that learn board games by watching a teacher.

    GAME is morris, konane, lines_of_action or chess. A PLAYER is written as a name with options: random,
    stochastic:depth=3, searcher:depth=4,evaluator=handmade, searcher:time=0.5, engine:stockfish,depth=8, human.
    """


def main() -> None:
    """Run the command line: bad input is one sentence on standard error and exit code 2."""
    try:
        commands.main(standalone_mode=False)
    except UnderstudyError as error:
        _fail(str(error))
    except (click.exceptions.Abort, KeyboardInterrupt):
        click.echo("understudy: stopped", err=True)
        os._exit(130)  # at once: worker threads are inside kernels, and leaving politely would wait for their games
    except click.exceptions.NoArgsIsHelpError as error:
        click.echo(error.format_message())
        sys.exit(BAD_INPUT)
    except click.ClickException as error:
        _fail(" ".join(error.format_message().split()))
    except BrokenPipeError:
        sys.stderr.close()
        sys.exit(1)


def _fail(message: str) -> None:
    click.echo(f"understudy: {message}", err=True)
    sys.exit(BAD_INPUT)


def _game_options(command: F) -> F:
    """Add what tells a game and its size."""
    command = click.option("--rule", "rules", multiple=True, metavar="NAME=VALUE", help="Set a switch of the rules.")(
        command
    )
    command = click.option("--size", metavar="S", help="Board size: 6, or 6x5 for rows x columns.")(command)
    return click.argument("name", metavar="GAME")(command)


def _json_option(command: F) -> F:
    return click.option("--json", "as_json", is_flag=True, help="Print JSON for programs.")(command)


def _match_options(command: F) -> F:
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
            click.option("--workers", type=click.IntRange(1, 1024), metavar="N", help="Threads; one for each core."),
        )
    ):  # fmt: skip
        command = option(command)
    return command


@commands.command()
@_json_option
def games(as_json: bool) -> None:
    """List the games, their sizes, switches and evaluators."""
    from understudy.games import GAMES, find_game
    from understudy.search.evaluators import EVALUATORS

    listed = []
    for name in GAMES:
        game = find_game(name)
        shape = "x".join(map(str, game.size))
        listed.append({"game": name, "title": game.title, "size": shape, "sizes": game.variant.sizes,
                       "rules": {key: list(values) for key, values in game.variant.switches.items()},
                       "parts": list(game.part_names), "evaluators": list(EVALUATORS[name])})  # fmt: skip
    if as_json:
        _print_json({"games": listed})
    else:
        _print_games(listed)


@commands.command()
@_game_options
@click.option("--depth", type=click.IntRange(1, 40), required=True, metavar="N", help="Plies.")
@click.option("--position", metavar="TEXT", help="Count from here instead of the start.")
@_json_option
def perft(name: str, size: str | None, rules: tuple[str, ...], depth: int, position: str | None, as_json: bool) -> None:
    """Count move sequences of every length up to a depth.

    Equal counts are the proof of a move generator.
    """
    import time

    import numpy as np

    from understudy.games.rules import perft as count_leaves

    game = _game(name, size, rules)
    root = _position(game, position)
    out = np.zeros((depth, game.most_moves), np.int32)
    with _compiling():
        count_leaves(root, 1, out)
    nodes: list[int] = []
    began = time.perf_counter()
    for length in range(1, depth + 1):
        nodes.append(int(count_leaves(root, length, out)))
        if not as_json:
            click.echo(f"{length:>3} {nodes[-1]:>16,}".replace(",", " "))
    seconds = time.perf_counter() - began
    if as_json:
        _print_json({"game": name, "depth": depth, "nodes": nodes, "seconds": seconds})
    else:
        click.echo(f"{seconds:.3f} s, {sum(nodes) / seconds / 1e6:.1f} million leaf nodes a second")


@commands.command()
@_game_options
@click.option("--position", metavar="TEXT", help="Instead of the start.")
@_json_option
def moves(name: str, size: str | None, rules: tuple[str, ...], position: str | None, as_json: bool) -> None:
    """List the legal moves of a position.

    If the game is over, tell how it ended for the side to move.
    """
    game = _game(name, size, rules)
    root = _position(game, position)
    with _compiling():
        outcome = game.outcome(root)
    texts = [game.write_move(root, move) for move in game.moves(root)]
    if as_json:
        _print_json({"moves": texts, "outcome": None if outcome is None else int(outcome)})
    elif outcome is None:
        click.echo(" ".join(texts))
    else:
        click.echo(f"{outcome.name.lower()} for {game.colours[root.ply % 2]}, to move: {game.reason(root)}")


@commands.command()
@_game_options
@click.option("--position", metavar="TEXT", help="Instead of the start.")
@click.option("--svg", is_flag=True, help="Draw a picture instead of text.")
@click.option("--output", type=click.Path(dir_okay=False), metavar="FILE", help="Write there instead of printing.")
@_json_option
def show(
    name: str,
    size: str | None,
    rules: tuple[str, ...],
    position: str | None,
    svg: bool,
    output: str | None,
    as_json: bool,
) -> None:
    """Draw a position as text or SVG."""
    from understudy.drawing import draw_svg, draw_text

    game = _game(name, size, rules)
    root = _position(game, position)
    stones = game.stones(root)
    if as_json:
        cells = dict(zip(game.board.cells, stones, strict=True))
        text = json.dumps({"position": game.write(root), "to_move": game.colours[root.ply % 2], "cells": cells}) + "\n"
    elif svg:
        text = draw_svg(game.board, stones, title=f"{game.title}: {game.write(root)}")
    else:
        text = f"{draw_text(game.board, stones)}\n{game.colours[root.ply % 2]} to move\n{game.write(root)}\n"
    if output is None:
        click.echo(text, nl=False)
    else:
        _write_file(output, text)


@commands.command()
@_game_options
@click.argument("first", metavar="PLAYER")
@click.argument("second", metavar="PLAYER")
@_match_options
@_json_option
def match(
    name: str,
    size: str | None,
    rules: tuple[str, ...],
    first: str,
    second: str,
    games: int,
    as_json: bool,
    **terms: Any,
) -> None:
    """Let two players play a match.

    The result is told from the first one's side.
    """
    from understudy.judges.tables import meeting_json, meeting_text
    from understudy.judges.tournament import play_match

    game = _game(name, size, rules)
    settings = _settings(game, [first, second], terms)
    with _progress(games, f"{first} - {second}") as progress:
        meeting = play_match(game, (first, second), games=games, progress=progress, **settings)
    if as_json:
        _print_json(meeting_json(game, meeting))
    else:
        click.echo(meeting_text(meeting))


@commands.command()
@_game_options
@click.argument("players", metavar="PLAYER...", nargs=-1, required=True)
@_match_options
@click.option("--csv", "csv_file", type=click.Path(dir_okay=False), metavar="FILE", help="Write the table there too.")
@_json_option
def tournament(
    name: str,
    size: str | None,
    rules: tuple[str, ...],
    players: tuple[str, ...],
    games: int,
    csv_file: str | None,
    as_json: bool,
    **terms: Any,
) -> None:
    """Let every player meet every other.

    Prints the cross table with results by colour and Elo ratings.
    """
    from understudy.judges.tables import standings_csv, standings_json, standings_text
    from understudy.judges.tournament import round_robin

    if len(players) < 2:
        raise BadOption(f"a tournament needs at least two players, not {len(players)}")
    game = _game(name, size, rules)
    settings = _settings(game, list(players), terms)
    total = games * len(players) * (len(players) - 1) // 2
    with _progress(total, game.title) as progress:
        standings = round_robin(game, players, games=games, progress=progress, **settings)
    if csv_file is not None:
        _write_file(csv_file, standings_csv(standings))
    if as_json:
        _print_json(standings_json(game, standings))
    else:
        click.echo(standings_text(game, standings))


@commands.command()
@_game_options
@click.option("--opponent", default="searcher:time=1", show_default=True, metavar="PLAYER", help="Whom to play.")
@click.option("--second", is_flag=True, help="Let the opponent move first.")
@click.option("--seed", type=click.IntRange(0), default=0, show_default=True, metavar="K")
def play(name: str, size: str | None, rules: tuple[str, ...], opponent: str, second: bool, seed: int) -> None:
    """Play against any player, here in the terminal."""
    from understudy.drawing import draw_text
    from understudy.match import Opening, play_games
    from understudy.players import close, make_player, prepare

    game = _game(name, size, rules)
    human, other = make_player("human", game), make_player(opponent, game, seed=seed)
    click.echo(f"You play {game.colours[second]} against {opponent}; a move is written like "
               f"{game.write_move(game.start(), game.moves(game.start())[0])}.", err=True)  # fmt: skip
    try:
        with _compiling():
            prepare(other)
        played = play_games(game, (human, _Aloud(game, other)), [(Opening(), second)])[0]
    finally:
        close(other)
    position = game.start()
    for move in played.moves:
        position = game.play(position, move)
    click.echo("\n" + draw_text(game.board, game.stones(position)))
    result = -played.result if second else played.result
    click.echo({1: "You win", 0: "A draw", -1: "You lose"}[result] + f": {played.reason}.")


class _Aloud:
    """A player that says what it plays and what it thinks."""

    def __init__(self, game: CompiledGame, player: Any) -> None:
        self.name, self.game, self.player = player.name, game, player

    def choose(self, positions: Any, histories: Any = None) -> Any:
        choices = self.player.choose(positions, histories)
        for position, choice in zip(positions, choices, strict=True):
            if choice.fault is None:
                opinion = "" if choice.value is None else f" (expects {choice.value:+.2f})"
                move = self.game.write_move(position, choice.move)
                click.echo(f"{self.name} plays {move}{opinion}", err=True)
        return choices


def _game(name: str, size: str | None, rules: tuple[str, ...]) -> CompiledGame:
    from understudy.games import find_game

    switches = {}
    for rule in rules:
        key, equals, value = rule.partition("=")
        if not equals:
            raise BadOption(f"--rule {rule!r} is not of the form name=value")
        switches[key] = value
    return find_game(name, None if size is None else _size(size), switches)


def _size(text: str) -> tuple[int, int]:
    numbers = text.lower().split("x")
    if len(numbers) not in (1, 2) or not all(
        number.isascii() and number.isdigit() and len(number) < 4 for number in numbers
    ):
        raise BadOption(f"--size {text!r} is not a board size; write 6, or 6x5 for rows x columns")
    return int(numbers[0]), int(numbers[-1])


def _position(game: CompiledGame, text: str | None) -> Any:
    return game.start() if text is None else game.read(text)


def _settings(game: CompiledGame, players: list[str], terms: dict[str, Any]) -> dict[str, Any]:
    """Return the arguments of a match; players are made once here so that a wrong name fails before the first game."""
    from understudy.backends import Local
    from understudy.match import Terms
    from understudy.players import close, make_player

    for player in players:
        close(make_player(player, game))
    workers = 1 if any(player.startswith("human") for player in players) else terms.pop("workers")
    terms.pop("workers", None)
    settings = {key: terms.pop(key) for key in ("seed", "opening_plies")}
    if settings["opening_plies"] is None:
        settings["opening_plies"] = game.conventions.opening_plies
    return settings | {"backend": Local(workers), "terms": Terms(**terms)}


@contextlib.contextmanager
def _compiling() -> Iterator[None]:
    """Say so when kernels are compiled for the first time, which takes a while."""
    from understudy.kernels import compiled_before

    if not compiled_before():
        click.echo("compiling the rules; this happens once and takes some seconds", err=True)
    yield


@contextlib.contextmanager
def _progress(total: int, what: str) -> Iterator[Callable[[int], None]]:
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TextColumn("games"),
        TimeRemainingColumn(),
    )
    with _compiling(), Progress(*columns, console=Console(stderr=True)) as bar:
        task = bar.add_task(what, total=total)
        yield lambda games: bar.advance(task, games)


def _print_json(value: Any) -> None:
    click.echo(json.dumps(value))


def _print_games(listed: list[dict[str, Any]]) -> None:
    import textwrap

    for row in listed:
        rules = [f"{name}={'|'.join(settings)}" for name, settings in row["rules"].items()]
        named = [name for name in row["evaluators"] if not name.endswith("_jumps")]
        counted = ["and each with _jumps: openings counted by jumps"] if len(named) < len(row["evaluators"]) else []
        facts = {
            "sizes": [row["sizes"]],
            "switches": rules,
            "parts of a move": row["parts"],
            "evaluators": named + counted,
        }
        click.echo(f"{row['game']}: {row['title']}")
        for heading, words in facts.items():
            if words:
                click.echo(
                    textwrap.fill(", ".join(words), 100, initial_indent=f"  {heading:<16}", subsequent_indent=" " * 18)
                )


def _write_file(path: str, text: str) -> None:
    """Write a file whole or not at all."""
    partial = Path(f"{path}.partial")
    try:
        partial.write_text(text, encoding="utf-8")
        partial.replace(path)
    except OSError as error:
        partial.unlink(missing_ok=True)
        raise FileError(f"cannot write {path!r}: {error.strerror}") from None
    click.echo(f"wrote {path}", err=True)
