"""The commands of games at this terminal: play one against any player; write a saved one, or a student, for others."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from understudy.cli.completing import complete_games, complete_players
from understudy.cli.console import compiling, find, json_option, print_json, write_file
from understudy.errors import BadOption

if TYPE_CHECKING:
    from understudy.saved import SavedGame

STUDENT = "student:"
"""What the names of players begin with that `export` writes as networks."""


@click.command()
@click.argument("name", metavar="[GAME]", required=False, shell_complete=complete_games)
@click.option("--size", metavar="S", help="Board size: 6, or 6x5 for rows x columns.")
@click.option("--rule", "rules", multiple=True, metavar="NAME=VALUE", help="Set a switch of the rules.")
@click.option("--opponent", metavar="PLAYER", shell_complete=complete_players,
              help="Whom to play; a student that ships with the game, or else searcher:time=1; human: two people "
              "share the terminal.")  # fmt: skip
@click.option("--second", is_flag=True, help="Let the opponent move first.")
@click.option("--position", metavar="TEXT", help="Start from here.")
@click.option("--continue", "file", type=click.Path(dir_okay=False), metavar="FILE", help="Go on with a saved game.")
@click.option("--seed", type=click.IntRange(0), default=0, show_default=True, metavar="K",
              help="All randomness of the opponent comes from it.")  # fmt: skip
def play(file: str | None, opponent: str | None, seed: int, **wanted: Any) -> None:
    """Play against any player, here in the terminal.

    A move is written as text; 'help' lists what else can be said: undo, hint, thoughts, save and more.
    """
    from understudy.cli.sitting import HUMAN, Sitting
    from understudy.cli.terminal import Terminal
    from understudy.players import close, make_player, prepare

    saved = _new_game(opponent, **wanted) if file is None else _saved_game(file, opponent, wanted)
    other = next((name for name in saved.players.values() if name != HUMAN), HUMAN)
    player = None if other == HUMAN else make_player(other, saved.game, seed=seed)
    terminal = Terminal()
    sitting = Sitting(saved, player, terminal, None if file is None else Path(file))
    try:
        _welcome(sitting)
        if player is not None:
            with compiling():
                terminal.attend(lambda: prepare(player), lambda: f"{other} gets ready")
        sitting.play()
    finally:
        if player is not None:
            close(player)


def _new_game(
    opponent: str | None,
    *,
    name: str | None,
    size: str | None,
    rules: tuple[str, ...],
    second: bool,
    position: str | None,
) -> SavedGame:
    """Return a game that has not begun; the person has the side to move unless *second*."""
    from understudy.match import Opening, begin
    from understudy.players import check_position
    from understudy.players.student_files import usual_opponent
    from understudy.saved import SavedGame

    if name is None:
        raise BadOption("play needs a GAME, or --continue FILE")
    game = find(name, size, rules)
    start = None if position is None else game.read(position)
    course = begin(game, Opening((), start))
    check_position(game, course.position)
    person = (course.position.ply + second) % 2
    players = dict.fromkeys(game.colours, "human")
    players[game.colours[1 - person]] = opponent or usual_opponent(game)
    return SavedGame(game, players, course)


def _saved_game(file: str, opponent: str | None, wanted: dict[str, Any]) -> SavedGame:
    """Return the game in a file, against another opponent if one is named."""
    from dataclasses import replace

    from understudy.saved import load_saved

    for option, value in wanted.items():
        if value:
            name = "GAME" if option == "name" else f"--{option.removesuffix('s')}"
            raise BadOption(f"--continue {file!r} tells {name} itself: leave it out")
    saved = load_saved(Path(file))
    if saved.course.played is not None:
        raise BadOption(f"the game in {file!r} is over: {saved.course.played.reason}")
    if "human" not in saved.players.values():
        raise BadOption(f"nobody in {file!r} is a person: one of its players must be 'human'")
    if opponent is None:
        return saved
    people = [colour for colour, name in saved.players.items() if name == "human"]
    return replace(saved, players={**dict.fromkeys(saved.players, opponent), people[0]: "human"})


def _welcome(sitting: Any) -> None:
    """Tell who plays whom, and how."""
    from understudy.cli.wording import word_colour, word_conventions

    game, course = sitting.game, sitting.course
    example = game.write_move(course.position, game.moves(course.position)[0])
    if sitting.person is None:
        sitting.terminal.tell(
            f"{game.title}: two people share this terminal, {word_colour(game, 0)} and {word_colour(game, 1)}."
        )
    else:
        other = sitting.players[game.colours[1 - sitting.person]]
        sitting.terminal.tell(f"{game.title}: you play {word_colour(game, sitting.person)} against {other}.")
    sitting.terminal.tell(f"A move is written like {example}; 'help' tells what else you can say.")
    if conventions := word_conventions(game):
        sitting.terminal.tell(conventions)


@click.command()
@click.argument("file", metavar="FILE", type=click.Path(dir_okay=False))
@click.option("--pgn", is_flag=True, help="As PGN; chess only, and usual there.")
@json_option
@click.option("--output", type=click.Path(dir_okay=False), metavar="FILE", help="Write there instead of printing.")
def export(file: str, pgn: bool, as_json: bool, output: str | None) -> None:
    """Write a saved game, or a student, for other programs.

    Chess is written as PGN unless --json is given, other games as a list of moves. FILE may also be the name of a
    student, such as student:chess: its network is written to --output as ONNX; see docs/onnx.md.
    """
    from understudy.saved import load_saved

    if file.startswith(STUDENT):
        _export_student(file, pgn=pgn, as_json=as_json, output=output)
        return
    if pgn and as_json:
        raise BadOption("--pgn and --json exclude each other")
    saved = load_saved(Path(file))
    if as_json and output is None:
        print_json(saved.to_json())
        return
    if as_json:
        saved.save(Path(str(output)))
        click.echo(f"wrote {output}", err=True)
        return
    text = _export_text(saved, pgn=pgn)
    if output is None:
        click.echo(text, nl=False)
    else:
        write_file(output, text)


def _export_student(name: str, *, pgn: bool, as_json: bool, output: str | None) -> None:
    """Write the network of a student as ONNX."""
    if pgn or as_json:
        raise BadOption(f"{'--pgn' if pgn else '--json'} is for saved games: {name!r} is written as ONNX")
    if output is None:
        raise BadOption(f"{name!r} is written as ONNX, which is not for terminals: add --output FILE.onnx")
    from understudy.players.exporting import export_student

    export_student(name, Path(output))
    click.echo(f"wrote {output}", err=True)


def _export_text(saved: SavedGame, *, pgn: bool) -> str:
    """Return a game as its own format writes it, or as a list of moves."""
    from understudy.saved import list_moves

    if not pgn and saved.game.kind.exports is None:
        return list_moves(saved)
    formats = saved.game.kind.load("exports").EXPORTS
    if "pgn" not in formats:
        raise BadOption(f"--pgn: {saved.game.name} is not written as PGN")
    return str(formats["pgn"](saved))
