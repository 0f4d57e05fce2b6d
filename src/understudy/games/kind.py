"""All that a game says of itself, in one record: the folder of each game makes one and calls it KIND.

Generic rooms never import a game's folder; they ask the record. What not everybody needs (text by way of python-chess,
inputs for networks, a solver) is named as a module and loaded when first asked.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass, field
from importlib import import_module
from types import ModuleType
from typing import Any, NamedTuple

from understudy.errors import BadOption, UnknownName
from understudy.protocols import Board, Conventions

ONGOING = 2
"""What an `outcome` kernel returns while the game goes on."""


class Variant(NamedTuple):
    """The fixed facts of a game in one size and with one setting of its switches."""

    title: str
    first: Any
    """The position a game starts from; its type names the rules, its fields carry size and switches."""
    board: Board
    size: tuple[int, int]
    """Rows and columns."""
    colours: tuple[str, str]
    """Of the first and of the second player."""
    part_names: tuple[str, ...]
    part_sizes: tuple[int, ...]
    conventions: Conventions
    sizes: str = ""
    """Which sizes there are, for people."""
    switches: Mapping[str, Collection[str]] = {}
    """The rules that can be set, and to what; the first setting is the default."""


@dataclass(frozen=True, kw_only=True, eq=False)
class GameKind:
    """A game in all its sizes. Modules are named by their place in the game's folder, such as "notation"."""

    name: str
    folder: str
    """The package that holds the game, as it is imported."""
    variant: Callable[[tuple[int, int] | None, Mapping[str, str]], Variant]
    """Makes the game in a size (None: the usual one) and with its rule switches set."""
    rules: Mapping[type, ModuleType]
    """The module of kernels for each type of position (see docs/architecture.md, "How a game is made")."""
    notation: str = "notation"
    """Text, drawing and symmetries of a position."""
    evaluators: Mapping[str, Any] = field(default_factory=dict)
    """By name."""
    usual_evaluator: str = ""
    """Whom a searcher asks unless told otherwise."""
    twins: Collection[tuple[str, str]] = ()
    """Evaluators that differ by a factor alone: it changes no order of moves, so they are the same player."""
    values: Mapping[type, Callable[..., float]] = field(default_factory=dict)
    """The kernel of each type of evaluator that only this game has."""
    scaled: Callable[..., float] | None = None
    """The kernel that turns what an evaluator says into 0 lost to 1 won, for students that learn it."""
    counted: Callable[..., int] | None = None
    """The kernel that writes numbers which are no sums over stones, for networks inside the search."""
    batches: str | None = None
    """Many positions at once; positions are taken one by one where a function is missing.

    For images of positions: `permute` (a batch under one symmetry), `groups` (which rows have which symmetries),
    `turned` (a batch under each symmetry that the board always has), `orbit_keys`; EXPANSIONS has further ways in which
    records become examples.
    """
    encoders: str | None = None
    """`make_encoders`: how students that imitate moves see a position besides its features."""
    legality: str | None = None
    """`Rules`: what is legal of the parts of moves, where a game says more than its list of moves (`PartRules`)."""
    fallback: str | None = None
    """`find_passing`: which classes of a part a paper's authors let through in play (`check=original`)."""
    mistakes: str | None = None
    """MISTAKES and `blame`: what is wrong with a choice, where a game says more than its moves and parts do."""
    boards: str | None = None
    """How students that value boards see them."""
    datasets: str | None = None
    """DATASETS: how an engine's labels of positions become what students of labels learn."""
    network_inputs: str | None = None
    """What a network inside the search may see besides the features that every game has."""
    students: str | None = None
    """INSIDE and OUTSIDE: kinds of students that only this game knows how to play."""
    solver: str | None = None
    """Perfect play: see `solve.py`."""
    truth: str | None = None
    """`know`: what every move of a position is truly worth, where that is known otherwise than by a solver; `draw`: so
    many positions of which it is known (see `solve.py`)."""
    tables: str | None = None
    """Tables of solved positions: `make_tables`; `open_tables`, those of a folder as one value for searches; `look_up`,
    the kernel that asks them (0: a draw; else one more than the plies to the end, odd lost, even won; -1: unknown)."""
    starts: str | None = None
    """STARTS: how to draw positions of a kind to start from, `custom` or `random`; `wander`: those of random games."""
    watching: Mapping[str, Any] = field(default_factory=dict)
    """How its games are watched unless told otherwise: options of a `Watch`."""
    counts: str | None = None
    """What can be counted of its records beyond what every game has: phases, removals, moves that are never legal."""
    texts: str | None = None
    """The text of many positions and moves at once, where it has a fixed width; else each is read and written alone."""
    text_files: str | None = None
    """FORMAT: the text files in which others keep records of this game."""
    exports: str | None = None
    """EXPORTS: how a saved game is written as programs of others read it, by the name of the format, such as "pgn"."""
    engine: str | None = None
    """ENGINE: how a program that others wrote becomes a player, `engine:PATH`, by the protocol that it speaks."""
    uci: str | None = None
    """`serve`: how our players talk to the programs of others, `understudy uci`."""
    checks: str | None = None
    """`find_faults`: what is wrong with positions that the rules do not know, many at once; else their text tells."""
    tells_turn: bool = True
    """Whether the text of a position tells whose turn it is."""
    illegal_code: int | None = None
    """What its notation makes of text that fits no legal move, where legal moves alone have text; None: any has."""

    def load(self, room: str) -> Any:
        """Return the module that this game names for *room*, a field of this record."""
        name = getattr(self, room)
        if name is None:
            raise BadOption(f"{self.name} {LACKS[room]}")
        return import_module(f"{self.folder}.{name}")


LACKS = {
    "batches": "cannot look at many positions at once",
    "encoders": "has no inputs for students that imitate moves",
    "legality": "cannot tell which parts of a move are legal",
    "fallback": "has no check of a paper's authors: check=original is for games that have one, such as morris",
    "mistakes": "has no mistakes of its own",
    "boards": "has no inputs for students that value boards",
    "datasets": "has no data sets of an engine's labels",
    "network_inputs": "has no inputs of its own for networks inside the search",
    "students": "has no students of its own",
    "solver": "cannot be solved: it has no solver",
    "truth": "has no truth of its own",
    "tables": "has no tables of solved positions",
    "starts": "has no starts besides the usual one",
    "counts": "has nothing of its own to count",
    "texts": "has no text of a fixed width",
    "text_files": "has no text files of its own",
    "checks": "cannot tell of many positions at once whether the rules know them",
    "engine": "has no engines: no protocol is known in which programs play it",
    "uci": "cannot be served to other programs: no protocol is known in which they play it",
    "exports": "has no format for saved games but JSON and a list of moves",
}
"""What a game cannot do that names no module for it, for people."""


def kind_of(position: type) -> GameKind:
    """Return the game of a type of position: the KIND of the module that defines the type, or of its package."""
    home = sys.modules[position.__module__]
    kind: GameKind = home.KIND if hasattr(home, "KIND") else sys.modules[home.__package__ or ""].KIND
    return kind


def check_rules(game: str, rules: Mapping[str, str], switches: Mapping[str, Collection[str]]) -> None:
    """Raise if *rules* names a switch that the game does not have, or a setting that the switch does not have."""
    for name, setting in rules.items():
        if not switches:
            raise BadOption(f"{game} has no rule {name!r}: its rules have no switches")
        if name not in switches:
            raise UnknownName(f"rule of {game}", name, switches)
        if setting not in switches[name]:
            raise UnknownName(f"setting of the {game} rule {name!r}", setting, switches[name])


def read_rules(settings: Iterable[str], place: str = "--rule") -> dict[str, str]:
    """Return the switches that are written as name=value; *place* names where they stand, for errors."""
    switches = {}
    for setting in settings:
        name, equals, value = setting.partition("=")
        if not equals:
            raise BadOption(f"{place} {setting!r} is not of the form name=value")
        switches[name] = value
    return switches


def read_size(text: str, place: str = "--size") -> tuple[int, int]:
    """Return rows and columns of a written size; *place* names where it stands, for errors."""
    numbers = text.lower().split("x")
    if len(numbers) not in (1, 2) or not all(
        number.isascii() and number.isdigit() and len(number) < 4 for number in numbers
    ):
        raise BadOption(f"{place} {text!r} is not a board size; write 6, or 6x5 for rows x columns")
    return int(numbers[0]), int(numbers[-1])
