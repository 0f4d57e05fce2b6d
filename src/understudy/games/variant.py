"""One game in one size: what a game's module says of itself, besides its kernels and its notation."""

from __future__ import annotations

from collections.abc import Collection, Mapping
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


def check_rules(game: str, rules: Mapping[str, str], switches: Mapping[str, Collection[str]]) -> None:
    """Raise if *rules* names a switch that the game does not have, or a setting that the switch does not have."""
    for name, setting in rules.items():
        if not switches:
            raise BadOption(f"{game} has no rule {name!r}: its rules have no switches")
        if name not in switches:
            raise UnknownName(f"rule of {game}", name, switches)
        if setting not in switches[name]:
            raise UnknownName(f"setting of the {game} rule {name!r}", setting, switches[name])


def read_size(text: str, place: str = "--size") -> tuple[int, int]:
    """Return rows and columns of a written size; *place* names where it stands, for errors."""
    numbers = text.lower().split("x")
    if len(numbers) not in (1, 2) or not all(
        number.isascii() and number.isdigit() and len(number) < 4 for number in numbers
    ):
        raise BadOption(f"{place} {text!r} is not a board size; write 6, or 6x5 for rows x columns")
    return int(numbers[0]), int(numbers[-1])
