"""The rules of all games behind one set of names: the type of a position picks the kernels.

Each function looks its kernel up in a table, in Python by the position's class and in compiled code by its type while
it compiles, so that one search serves every game at the speed of a search written for it, and nothing is compiled
twice because of a function passed as an argument.
"""

from __future__ import annotations

from functools import cache
from types import ModuleType
from typing import Any, TypeVar, get_type_hints

import numpy as np
from numba.extending import overload
from numpy.typing import NDArray

from understudy.games.kind import ONGOING, kind_of
from understudy.kernels import kernel

P = TypeVar("P", bound=Any)


class Rules(dict[type, ModuleType]):
    """The module of kernels for each type of position, looked up once where the type comes from."""

    def __missing__(self, kind: type) -> ModuleType:
        self[kind] = kind_of(kind).rules[kind]
        return self[kind]


RULES = Rules()


def moves(position: Any, out: NDArray[np.int32]) -> int:
    """Write the codes of all legal moves to *out*, ascending; return how many."""
    return int(RULES[type(position)].moves(position, out))


def count(position: Any) -> int:
    """Return how many moves are legal, without listing them."""
    return int(RULES[type(position)].count(position))


def movable(position: Any) -> bool:
    """Tell whether the side to move has a move."""
    return bool(RULES[type(position)].movable(position))


def play(position: P, move: int) -> P:
    """Return the position after a legal *move*, seen by the other side."""
    after: P = RULES[type(position)].play(position, move)
    return sealed(after)


def outcome(position: Any, count: int) -> int:
    """Return ONGOING, or -1, 0, 1 for the side to move; *count* tells how many moves there are."""
    return int(RULES[type(position)].outcome(position, count))


def turn(position: P) -> P:
    """Return the same stones seen by the other side, as if the side to move had passed."""
    turned: P = RULES[type(position)].turn(position)
    return sealed(turned)


def key(position: Any) -> np.uint64:
    """Return 64 bits equal for equal placements seen by the side to move, whatever the ply."""
    return np.uint64(RULES[type(position)].key(position))


def features(position: Any, out: NDArray[np.int32]) -> int:
    """Write the indices of the binary features that hold, for networks; return how many."""
    return int(RULES[type(position)].features(position, out))


def changes(position: Any, move: int, gone: NDArray[np.int32], come: NDArray[np.int32]) -> tuple[int, int]:
    """Write the features that *move* takes away and brings, seen by who moves; only some games have this."""
    left, entered = RULES[type(position)].changes(position, move, gone, come)
    return int(left), int(entered)


def mirrored(position: Any, feature: int) -> int:
    """Return under which number the other side sees a feature; only games that tell `changes` have this."""
    return int(RULES[type(position)].mirrored(feature))


def tells_changes(kind: type) -> bool:
    """Tell whether positions of this type say what a move changes, so that networks can keep their sums."""
    return hasattr(RULES[kind], "changes")


def promise(position: Any, move: int) -> int:
    """Return how early a search should try *move*, by the look of it; 0 for most."""
    return int(RULES[type(position)].promise(position, move))


def captures(position: Any, out: NDArray[np.int32]) -> int:
    """Write the moves that a quiescence search looks at, ascending; only games with captures in flight have them."""
    return int(RULES[type(position)].captures(position, out))


def in_check(position: Any) -> bool:
    """Tell whether the side to move must answer a threat before anything is quiet."""
    return bool(RULES[type(position)].in_check(position))


def exchange(position: Any, move: int, least: int) -> bool:
    """Tell whether *move* and the captures after it on its cell win *least* centipawns or more."""
    return bool(RULES[type(position)].exchange(position, move, least))


def may_pass(position: Any) -> bool:
    """Tell whether a search may believe that moving is better than passing."""
    return bool(RULES[type(position)].may_pass(position))


def lifeless(position: Any) -> bool:
    """Tell whether the position is a draw by itself, if the side to move is not mated."""
    return bool(RULES[type(position)].lifeless(position))


def can_select(kind: type) -> bool:
    """Tell whether positions of this type say what a selective search must know."""
    return hasattr(RULES[kind], "exchange")


def sealed(position: P) -> P:
    """Return *position* with numbers of the types that kernels expect: compiled code hands back plain Python ints."""
    kind: Any = type(position)
    same: P = kind(*(cast(field) for cast, field in zip(_casts(kind), position, strict=True)))
    return same


@cache
def _casts(kind: type) -> tuple[Any, ...]:
    return tuple(_cast(hint) for hint in get_type_hints(kind).values())


def _cast(hint: Any) -> Any:
    words: tuple[Any, ...] = getattr(hint, "__args__", ())
    return (lambda field: tuple(np.uint64(word) for word in field)) if words else hint


@overload(moves, strict=False)
def _moves(position: Any, out: Any) -> Any:
    chosen = RULES[position.instance_class].moves
    return lambda position, out: chosen(position, out)


@overload(count, strict=False)
def _count(position: Any) -> Any:
    chosen = RULES[position.instance_class].count
    return lambda position: chosen(position)


@overload(movable, strict=False)
def _movable(position: Any) -> Any:
    chosen = RULES[position.instance_class].movable
    return lambda position: chosen(position)


@overload(play, strict=False)
def _play(position: Any, move: Any) -> Any:
    chosen = RULES[position.instance_class].play
    return lambda position, move: chosen(position, move)


@overload(outcome, strict=False)
def _outcome(position: Any, count: Any) -> Any:
    chosen = RULES[position.instance_class].outcome
    return lambda position, count: chosen(position, count)


@overload(turn, strict=False)
def _turn(position: Any) -> Any:
    chosen = RULES[position.instance_class].turn
    return lambda position: chosen(position)


@overload(key, strict=False)
def _key(position: Any) -> Any:
    chosen = RULES[position.instance_class].key
    return lambda position: chosen(position)


@overload(features, strict=False)
def _features(position: Any, out: Any) -> Any:
    chosen = RULES[position.instance_class].features
    return lambda position, out: chosen(position, out)


@overload(changes, strict=False)
def _changes(position: Any, move: Any, gone: Any, come: Any) -> Any:
    chosen = RULES[position.instance_class].changes
    return lambda position, move, gone, come: chosen(position, move, gone, come)


@overload(mirrored, strict=False)
def _mirrored(position: Any, feature: Any) -> Any:
    chosen = RULES[position.instance_class].mirrored
    return lambda position, feature: chosen(feature)


@overload(promise, strict=False)
def _promise(position: Any, move: Any) -> Any:
    chosen = RULES[position.instance_class].promise
    return lambda position, move: chosen(position, move)


@overload(captures, strict=False)
def _captures(position: Any, out: Any) -> Any:
    chosen = RULES[position.instance_class].captures
    return lambda position, out: chosen(position, out)


@overload(in_check, strict=False)
def _in_check(position: Any) -> Any:
    chosen = RULES[position.instance_class].in_check
    return lambda position: chosen(position)


@overload(exchange, strict=False)
def _exchange(position: Any, move: Any, least: Any) -> Any:
    chosen = RULES[position.instance_class].exchange
    return lambda position, move, least: chosen(position, move, least)


@overload(may_pass, strict=False)
def _may_pass(position: Any) -> Any:
    chosen = RULES[position.instance_class].may_pass
    return lambda position: chosen(position)


@overload(lifeless, strict=False)
def _lifeless(position: Any) -> Any:
    chosen = RULES[position.instance_class].lifeless
    return lambda position: chosen(position)


@kernel
def perft(position: Any, depth: int, out: NDArray[np.int32]) -> int:
    """Count the move sequences of length *depth*; *out* is [depth, moves]; a finished game is not extended."""
    if depth == 1:
        total = count(position)
        return total if outcome(position, total) == ONGOING else 0
    width = moves(position, out[depth - 1])
    if outcome(position, width) != ONGOING:
        return 0
    total = 0
    for i in range(width):
        total += perft(play(position, out[depth - 1, i]), depth - 1, out)
    return total
