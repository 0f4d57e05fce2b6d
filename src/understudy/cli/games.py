"""Commands about the games themselves: list, count, show."""

from __future__ import annotations

import json
from typing import Any

import click

from understudy.cli.console import compiling, find, game_options, json_option, position_of, print_json, write_file


@click.command()
@json_option
def games(as_json: bool) -> None:
    """List the games, their sizes, switches and evaluators."""
    from understudy.games import find_game, game_names, outside_games

    listed = []
    for name in game_names():
        game = find_game(name)
        shape = "x".join(map(str, game.size))
        listed.append({"game": name, "title": game.title, "size": shape, "sizes": game.variant.sizes,
                       "rules": {key: list(values) for key, values in game.variant.switches.items()},
                       "parts": list(game.part_names), "evaluators": list(game.kind.evaluators)})  # fmt: skip
    for fault in outside_games()[1].values():
        click.echo(f"left out: {fault}", err=True)
    if as_json:
        print_json({"games": listed})
    else:
        _print_games(listed)


@click.command()
@game_options
@click.option("--depth", type=click.IntRange(1, 40), required=True, metavar="N", help="Plies.")
@click.option("--position", metavar="TEXT", help="Count from here instead of the start.")
@json_option
def perft(name: str, size: str | None, rules: tuple[str, ...], depth: int, position: str | None, as_json: bool) -> None:
    """Count move sequences of every length up to a depth.

    Equal counts are the proof of a move generator.
    """
    import time

    import numpy as np

    from understudy.games.rules import perft as count_leaves

    game = find(name, size, rules)
    root = position_of(game, position)
    out = np.zeros((depth, game.most_moves), np.int32)
    with compiling():
        count_leaves(root, 1, out)
    nodes: list[int] = []
    began = time.perf_counter()
    for length in range(1, depth + 1):
        nodes.append(int(count_leaves(root, length, out)))
        if not as_json:
            click.echo(f"{length:>3} {nodes[-1]:>16,}".replace(",", " "))
    seconds = time.perf_counter() - began
    if as_json:
        print_json({"game": name, "depth": depth, "nodes": nodes, "seconds": seconds})
    else:
        click.echo(f"{seconds:.3f} s, {sum(nodes) / seconds / 1e6:.1f} million leaf nodes a second")


@click.command()
@game_options
@click.option("--position", metavar="TEXT", help="Instead of the start.")
@json_option
def moves(name: str, size: str | None, rules: tuple[str, ...], position: str | None, as_json: bool) -> None:
    """List the legal moves of a position.

    If the game is over, tell how it ended for the side to move.
    """
    game = find(name, size, rules)
    root = position_of(game, position)
    with compiling():
        outcome = game.outcome(root)
    texts = [game.write_move(root, move) for move in game.moves(root)]
    if as_json:
        print_json({"moves": texts, "outcome": None if outcome is None else int(outcome)})
    elif outcome is None:
        click.echo(" ".join(texts))
    else:
        click.echo(f"{outcome.name.lower()} for {game.colours[root.ply % 2]}, to move: {game.reason(root)}")


@click.command()
@game_options
@click.option("--position", metavar="TEXT", help="Instead of the start.")
@click.option("--svg", is_flag=True, help="Draw a picture instead of text.")
@click.option("--output", type=click.Path(dir_okay=False), metavar="FILE", help="Write there instead of printing.")
@json_option
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
    from understudy.games.drawing import draw_svg, draw_text

    game = find(name, size, rules)
    root = position_of(game, position)
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
        write_file(output, text)


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
