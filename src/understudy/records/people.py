"""Games of people held out by player and year: who was never learned from, in years nobody learned from.

Players are drawn by a hash of their names, so that a player is on the same side in every file, whatever else is in it.
Games in which a held-out player plays from the year on are graded; games without any, and before that year, are learned
from. Of the rest, one in `VALIDATED` games chooses between networks, and the others are left out: they have a player
or a year in common with what is graded. A game that occurs twice counts once, by its moves: collections overlap and
spell names differently, and one that is learned from is not graded.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import cache
from typing import Any

from understudy.config import check_range
from understudy.errors import BadOption

TRAIN, VALIDATION, TEST, FAMILIAR = range(4)
SIDES = ("train", "validation", "test", "familiar")
"""Of a row; `familiar` ones belong to games that are graded, but their position also occurs in one learned from."""
LEFT_OUT = -1
VALIDATED = 50
"""One in so many of the games that are neither learned from nor graded."""


@dataclass(frozen=True, kw_only=True)
class HoldOut:
    """What is held out: a share of all players, from a year on."""

    players: float
    year: int
    seed: int = 0
    share: float = 1.0
    """Of all games, drawn by their moves: so many are looked at."""

    def facts(self) -> dict[str, Any]:
        """Return it as plain data, for a student's file."""
        return asdict(self)


def check_hold_out(hold_out: HoldOut, place: str = "records") -> None:
    """Raise unless every number has a value it can take; *place* names their section for errors."""
    check_range(f"{place}.held_out_players", hold_out.players, 0.001, 0.9)
    check_range(f"{place}.held_out_from", hold_out.year, 1, 9999)
    check_range(f"{place}.held_out_seed", hold_out.seed, 0, 1 << 31)
    check_range(f"{place}.share", hold_out.share, 0.0001, 1)


def check_sides(games: Mapping[str, int], hold_out: HoldOut, needed: Mapping[int, str]) -> None:
    """Raise unless there are games on every side that is *needed*, with the reason why."""
    for side, reason in needed.items():
        if not games.get(SIDES[side]):
            raise BadOption(
                f"no game is left to {reason} when {hold_out.players:.3g} of the players are held out from the year "
                f"{hold_out.year} on ({sum(games.values())} games were read)"
            )


def choose_side(hold_out: HoldOut, players: Sequence[str], date: str, name: bytes) -> int:
    """Return the side of a game by its players, its date (`2021.03.04`) and its *name*, the same for equal moves.

    Where nobody knows who played or when, a game is neither learned from nor graded.
    """
    year = int(date[:4]) if date[:4].isascii() and date[:4].isdigit() else None
    strangers = [_is_held_out(player, hold_out.players, hold_out.seed) for player in players]
    if year is None or any(not player.strip(" ?") for player in players):
        return LEFT_OUT
    if not any(strangers) and year < hold_out.year:
        return TRAIN
    if any(strangers) and year >= hold_out.year:
        return TEST
    return VALIDATION if draw(name, hold_out.seed, 1) < 1 / VALIDATED else LEFT_OUT


@cache
def _is_held_out(player: str, share: float, seed: int) -> bool:
    return draw(spell(player).encode(), seed, 0) < share


def spell(player: str) -> str:
    """Return the name of a player as collections agree on it: `Carlsen, Magnus` and `Carlsen,M` are `carlsen,m`."""
    family, _, given = player.casefold().partition(",")
    return f"{' '.join(family.split())},{given.strip()[:1]}"


def draw(name: bytes, seed: int, purpose: int) -> float:
    """Return a number from 0 to 1 that a name alone decides, another one for each seed and purpose."""
    digest = hashlib.blake2b(name, digest_size=8, salt=f"{purpose}:{seed}".encode()[:16]).digest()
    return int.from_bytes(digest, "big") / 2**64


def name_game(moves: bytes) -> bytes:
    """Return a short name for a game, the same for equal moves."""
    return hashlib.blake2b(moves, digest_size=12).digest()
