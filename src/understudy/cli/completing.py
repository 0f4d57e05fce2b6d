"""What a shell offers after TAB: names of games, players and experiments, told by folders so that nothing is loaded."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from click.shell_completion import CompletionItem

PACKAGE = Path(__file__).parent.parent
KINDS_OF_PLAYERS = (
    "random", "stochastic", "searcher", "human", "engine", "perfect", "student", "hybrid", "council", "nnmm", "socket",
    "openspiel",
)  # fmt: skip
"""The names in the table of players, which takes half a second to load; a test compares them."""


def complete_games(context: click.Context, parameter: click.Parameter, typed: str) -> list[CompletionItem]:
    """Return the games whose names begin with what was typed."""
    ours = [path.parent.name for path in sorted(PACKAGE.glob("games/*/__init__.py"))]
    return _beginning([*ours, *_brought("understudy.games")], typed)


def complete_players(context: click.Context, parameter: click.Parameter, typed: str) -> list[CompletionItem]:
    """Return the players, and the students that ship, whose names begin with what was typed."""
    return _beginning([*_players(), *_brought("understudy.players")], typed)


def complete_experiments(context: click.Context, parameter: click.Parameter, typed: str) -> list[CompletionItem]:
    """Return the experiments that ship whose names begin with what was typed, or else files."""
    from click.shell_completion import CompletionItem

    names = sorted(path.stem for path in PACKAGE.glob("studies/*/experiments/*.toml"))
    return _beginning(names, typed) or [CompletionItem(typed, type="file")]


def _players() -> Iterator[str]:
    """Yield kinds of players; a student's file is part of its name."""
    yield from (name for name in KINDS_OF_PLAYERS if name != "student")
    for suffix in ("onnx", "safetensors"):
        yield from (f"student:{path.stem}" for path in sorted(PACKAGE.glob(f"students/*.{suffix}")))


def _brought(group: str) -> Iterator[str]:
    """Yield the names that other packages bring."""
    from importlib.metadata import entry_points  # a quarter of what `--help` would load, which needs none of it

    yield from entry_points(group=group).names


def _beginning(names: list[str], typed: str) -> list[CompletionItem]:
    from click.shell_completion import CompletionItem

    return [CompletionItem(name) for name in names if name.startswith(typed)]
