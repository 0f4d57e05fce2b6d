"""The command `think`: what any player thinks of a position, for people and for programs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from understudy.cli.completing import complete_players
from understudy.cli.console import compiling, find, game_options, json_option, print_json
from understudy.errors import BadOption, UnderstudyError

if TYPE_CHECKING:
    from understudy.games import CompiledGame
    from understudy.match import Course
    from understudy.protocols import Player
    from understudy.thoughts import Thought

FIRST_KEYS = ("player", "kind", "choice", "value", "moves", "parts", "line", "depth", "nodes")
"""What programs read first of a thought, in this order; the rest follows."""


@click.command()
@game_options
@click.argument("player", metavar="PLAYER", shell_complete=complete_players)
@click.option("--position", metavar="TEXT", help="Instead of the start.")
@click.option("--after", metavar="MOVES", help='Play these moves first, such as "e4 e5"; repetitions are known then.')
@click.option("--seed", type=click.IntRange(0), default=0, show_default=True, metavar="K",
              help="All randomness comes from it.")  # fmt: skip
@json_option
def think(
    name: str,
    size: str | None,
    rules: tuple[str, ...],
    player: str,
    position: str | None,
    after: str | None,
    seed: int,
    as_json: bool,
) -> None:
    """Tell what a player thinks of a position.

    The move it chooses, the result it expects, what it thinks of the other moves, and what it expects to follow: as
    far as a player of its kind can tell.
    """
    from understudy.cli.terminal import Terminal, draw
    from understudy.players import check_position, close, make_player

    game = find(name, size, rules)
    course = _course(game, position, after)
    check_position(game, course.position)
    thinker, terminal = make_player(player, game, seed=seed), Terminal()
    try:
        with compiling():
            thought = _think(game, thinker, course, terminal)
    finally:
        close(thinker)
    if as_json:
        told = thought.to_json()
        print_json({key: told[key] for key in FIRST_KEYS} | told)
    else:
        click.echo(f"{draw(game, course, colour=terminal.colour)}\n{game.colours[course.position.ply % 2]} to move\n")
        click.echo(str(thought))


def _course(game: CompiledGame, position: str | None, after: str | None) -> Course:
    """Return the game that leads to the position which is asked about."""
    from understudy.match import Opening, advance, begin

    course = begin(game, Opening((), None if position is None else game.read(position)))
    for text in (after or "").split():
        if course.played is not None:
            raise BadOption(f"--after {after!r}: the game is over before {text!r}: {course.played.reason}")
        try:
            advance(game, course, game.read_move(course.position, text))
        except UnderstudyError as error:
            raise BadOption(f"--after {after!r}: {error}") from None
    if after is not None and course.played is not None:
        raise BadOption(f"--after {after!r}: the game is over: {course.played.reason}")
    return course


def _think(game: CompiledGame, player: Player, course: Course, terminal: Any) -> Thought:
    """Let the player think, and show meanwhile how far it is."""
    from understudy.players import prepare
    from understudy.players import think as ask

    heard: list[str] = [f"{player.name} thinks"]

    def hear(thought: Thought) -> None:
        value = "" if thought.value is None else f" {thought.value:+.2f}"
        line = " ".join(thought.write_line(thought.lines[0])) if thought.lines else ""
        heard[:] = [f"{player.name} thinks: depth {thought.depth}, {thought.nodes:,} nodes,{value} {line}"]

    def work() -> Thought:
        prepare(player)
        return ask(player, game, course.position, course.history, tell=hear)

    told: Thought = terminal.attend(work, lambda: heard[0])
    return told
