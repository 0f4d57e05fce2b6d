"""Tables of solved endgames of Morris on disk: who wins, and apart from that in how many plies.

Who wins is five positions to a byte, looked up where the file lies; the plies are packed, and unpacked as a whole when
somebody first asks. A file says of how many stones it is, and carries a sum. What no table knows is told, not guessed.
"""

from __future__ import annotations

import threading
import zlib
from collections.abc import Iterator
from functools import cache, lru_cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from understudy.backends import Local
from understudy.errors import FileError, understood
from understudy.files import data_folder, data_place
from understudy.games.bits import popcount
from understudy.games.morris.notation import FLYING, STONES, Morris
from understudy.games.morris.rules import MOST_MOVES, moves, play
from understudy.games.morris.solving.spaces import (
    Space,
    Stones,
    count_places,
    locate,
    make_space,
    place,
    write_stones,
)
from understudy.kernels import kernel
from understudy.tensors import map_bytes, save_arrays

VERSION = 1
"""Of what files hold; another is refused."""
WHAT = "endgame table"
TRITS = 5
"""Positions in a byte: 3 to the fifth is 243."""
POWERS = np.array([1, 3, 9, 27, 81], np.uint8)
DRAWN, WON, LOST, UNKNOWN = 0, 1, 2, 3
"""What a table says of a position, for the side to move; the last is said where there is no table."""


class Summary(NamedTuple):
    """What is in a table."""

    stones: str
    classes: int
    win: int
    draw: int
    loss: int
    longest: int
    """Plies of the longest win."""
    longest_loss: int


class Moves(NamedTuple):
    """What every move of each position leads to; those of the i-th position stand from `first[i]` to `first[i + 1]`."""

    first: NDArray[np.int64]
    moves: NDArray[np.int32]
    plies: NDArray[np.int32]
    """Of the position after the move, for the other side: as `retrograde.py` counts them; -1 where nobody knows."""


def usual_folder() -> Path:
    """Return where tables lie unless somebody says otherwise."""
    return data_folder() / "morris"


def usual_place() -> Path:
    """Return the same for whoever only looks: there are no tables where the user has no home."""
    return data_place() / "morris"


def table_file(folder: Path, stones: Stones) -> Path:
    """Return the file that tells who wins."""
    return folder / f"morris_{write_stones(stones)}.safetensors"


def plies_file(folder: Path, stones: Stones) -> Path:
    """Return the file that tells in how many plies."""
    return folder / f"morris_{write_stones(stones)}_plies.safetensors"


def save_table(folder: Path, stones: Stones, plies: NDArray[np.uint16]) -> None:
    """Write what was solved of a space: the plies first, for whoever sees the other file may ask for both."""
    halves, summary = plies >> 1, summarise(stones, plies)
    narrow = halves.astype(np.uint8) if int(halves.max()) < 256 else halves
    facts = {"game": "morris", "version": VERSION, **summary._asdict()}
    packed = np.frombuffer(zlib.compress(narrow.tobytes(), 6), np.uint8)
    save_arrays(plies_file(folder, stones), {"plies": packed}, {**facts, "width": narrow.dtype.itemsize})
    save_arrays(table_file(folder, stones), {"values": pack(plies)}, facts)


def summarise(stones: Stones, plies: NDArray[np.uint16]) -> Summary:
    """Return how many positions of a space are won, drawn and lost, and the longest ways to the end."""
    counts = np.bincount(plies)
    wins, losses = counts.copy(), counts.copy()
    wins[1::2], losses[::2], wins[0] = 0, 0, 0
    longest = [int(np.flatnonzero(some)[-1]) - 1 if some.any() else 0 for some in (wins, losses)]
    return Summary(write_stones(stones), len(plies), int(wins.sum()), int(counts[0]), int(losses.sum()), *longest)


def pack(plies: NDArray[np.uint16]) -> NDArray[np.uint8]:
    """Return who wins, five positions to a byte."""
    values = np.zeros(-(-len(plies) // TRITS) * TRITS, np.uint8)
    values[: len(plies)] = np.where(plies & 1, LOST, np.where(plies > 0, WON, DRAWN))
    packed: NDArray[np.uint8] = (values.reshape(-1, TRITS) * POWERS).sum(axis=1, dtype=np.uint8)
    return packed


@kernel
def unpack_one(values: NDArray[np.uint8], number: int) -> int:
    """Return what a packed table says at a place."""
    return int(values[number // TRITS] // POWERS[number % TRITS] % np.uint8(3))


class Tables:
    """The tables in a folder, opened when first asked."""

    def __init__(self, folder: Path | str = "") -> None:
        self.folder = Path(folder) if folder else usual_place()
        self._values: dict[Stones, NDArray[np.uint8]] = {}
        self._plies: dict[Stones, NDArray[np.uint16]] = {}

    def has(self, stones: Stones) -> bool:
        """Tell whether there is a table of a space."""
        return table_file(self.folder, stones).exists()

    def every(self) -> list[Stones]:
        """Return all spaces of which there is a table."""
        counts = range(FLYING, STONES + 1)
        return [(mine, theirs) for mine in counts for theirs in counts if self.has((mine, theirs))]

    def summary(self, stones: Stones) -> Summary:
        """Return what is in a table."""
        facts = self._open(table_file(self.folder, stones), "values", stones)[1]
        with understood(f"the {WHAT} {str(table_file(self.folder, stones))!r}"):
            return Summary(facts["stones"], *(int(facts[name]) for name in Summary._fields[1:]))

    def values(self, stones: Stones) -> NDArray[np.uint8]:
        """Return who wins, packed, as it lies on disk."""
        if stones not in self._values:
            values, facts = self._open(table_file(self.folder, stones), "values", stones)
            self._values[stones] = self._check_length(values, -(-facts["classes"] // TRITS), stones)
        return self._values[stones]

    def plies(self, stones: Stones) -> NDArray[np.uint16]:
        """Return the plies of every place of a space."""
        if stones not in self._plies:
            path = plies_file(self.folder, stones)
            packed, facts = self._open(path, "plies", stones)
            kind = np.dtype(np.uint16 if facts.get("width") == 2 else np.uint8)
            halves = np.frombuffer(_unpack(path, packed, kind.itemsize * facts["classes"]), kind)
            plies = np.zeros(len(halves), np.uint16)
            _join(self.values(stones), halves.astype(np.uint16), plies)
            self._plies[stones] = plies
        return self._plies[stones]

    def _open(self, path: Path, name: str, stones: Stones) -> tuple[NDArray[np.uint8], dict[str, Any]]:
        if not path.exists():
            raise FileError(f"there is no {path.name!r} in {str(self.folder)!r}: {self._cure(stones)} makes it")
        try:
            values, facts = map_bytes(path, name, WHAT)
        except FileError as error:
            raise FileError(f"{error} ({self._cure(stones)} makes it)") from None
        if facts.get("version") != VERSION:
            version = facts.get("version")
            raise FileError(f"the {WHAT} {str(path)!r} is of version {version}, not {VERSION}; delete it, and "
                            f"{self._cure(stones)} makes it again")  # fmt: skip
        if facts.get("stones") != write_stones(stones):
            raise FileError(f"the {WHAT} {str(path)!r} is of {facts.get('stones')}, not of {write_stones(stones)}")
        if facts.get("classes") != count_places(stones):  # kernels look anything up without asking where it ends
            raise FileError(f"the {WHAT} {str(path)!r} tells of {facts.get('classes')} positions, not of all "
                            f"{count_places(stones)}; delete it, and {self._cure(stones)} makes it again")  # fmt: skip
        return values, facts

    def _check_length(self, values: NDArray[np.uint8], length: int, stones: Stones) -> NDArray[np.uint8]:
        if len(values) != length:
            path = str(table_file(self.folder, stones))
            raise FileError(f"the {WHAT} {path!r} holds {len(values)} bytes, not {length}; delete it, and "
                            f"{self._cure(stones)} makes it again")  # fmt: skip
        return values

    def explain_missing(self, stones: Stones) -> str:
        """Return that there is no table of a space, and how to make it."""
        return f"there is no table of {write_stones(stones)} in {str(self.folder)!r}, which {self._cure(stones)} makes"

    def _cure(self, stones: Stones) -> str:
        where = "" if self.folder == usual_place() else f" --tables {self.folder}"
        return f"`understudy solve morris --stones {write_stones(stones)}{where}`"

    def probe(self, batch: Any) -> NDArray[np.uint8]:
        """Return what is known of each position of a batch: WON, DRAWN, LOST, or UNKNOWN."""
        known = np.full(len(batch.mine), UNKNOWN, np.uint8)
        for stones, rows in group(batch):
            if self.has(stones):
                some = known[rows]
                _probe(make_space(stones), self.values(stones), batch.mine[rows], batch.theirs[rows], some)
                known[rows] = some
        return known

    def weigh(self, batch: Any) -> Moves:
        """Return what every move of each position of a batch leads to."""
        mine, theirs = np.ascontiguousarray(batch.mine, np.uint64), np.ascontiguousarray(batch.theirs, np.uint64)
        hands = np.ascontiguousarray(batch.hand, np.int64), np.ascontiguousarray(batch.their_hand, np.int64)
        first = np.zeros(len(mine) + 1, np.int64)
        _count(mine, theirs, *hands, first)
        first = first.cumsum()
        told = Moves(first, np.zeros(first[-1], np.int32), np.full(first[-1], -1, np.int32))
        _list(mine, theirs, *hands, told)
        for stones, rows in group(batch):
            after, fewer = stones[::-1], (stones[1] - 1, stones[0])
            if self.has(after) and (stones[1] == FLYING or self.has(fewer)):
                poorer = (after, np.zeros(0, np.uint16)) if stones[1] == FLYING else (fewer, self.plies(fewer))
                _weigh(mine, theirs, rows, make_space(after), self.plies(after), make_space(poorer[0]), poorer[1], told)
        return told


@lru_cache(maxsize=4)
def shared_tables(folder: str) -> Tables:
    """Return the tables of a folder that everybody in this process shares."""
    return Tables(folder)


def group(batch: Any) -> Iterator[tuple[Stones, NDArray[np.int64]]]:
    """Yield the rows of each space among the positions of a batch that have no stones in hand."""
    mine, theirs = np.bitwise_count(batch.mine).astype(np.int64), np.bitwise_count(batch.theirs).astype(np.int64)
    in_hand = (np.asarray(batch.hand) > 0) | (np.asarray(batch.their_hand) > 0)
    codes = np.where(in_hand | (mine < FLYING) | (theirs < FLYING), -1, 10 * mine + theirs)
    for code in np.unique(codes[codes >= 0]).tolist():
        yield divmod(code, 10), np.flatnonzero(codes == code)


def _unpack(path: Path, packed: NDArray[np.uint8], length: int) -> bytes:
    """Return what is packed; no more is unpacked than a table of this size holds."""
    try:
        content = zlib.decompressobj().decompress(packed.tobytes(), length + 1)
    except zlib.error as error:
        raise FileError(f"cannot read the {WHAT} {str(path)!r}: {error}") from None
    if len(content) != length:
        raise FileError(f"the {WHAT} {str(path)!r} does not hold {length} bytes")
    return content


@kernel
def _join(values: NDArray[np.uint8], halves: NDArray[np.uint16], plies: NDArray[np.uint16]) -> None:
    for row in range(len(plies)):
        plies[row] = 2 * halves[row] + (unpack_one(values, row) == LOST)


@kernel
def _probe(
    space: Space, values: NDArray[np.uint8], mine: NDArray[np.uint64], theirs: NDArray[np.uint64],
    out: NDArray[np.uint8],
) -> None:  # fmt: skip
    for row in range(len(out)):
        out[row] = unpack_one(values, place(space, mine[row], theirs[row]))


@kernel
def _count(
    mine: NDArray[np.uint64], theirs: NDArray[np.uint64], hand: NDArray[np.int64], their_hand: NDArray[np.int64],
    first: NDArray[np.int64],
) -> None:  # fmt: skip
    out = np.zeros(MOST_MOVES, np.int32)
    for row in range(len(mine)):
        first[row + 1] = moves(Morris(mine[row], theirs[row], hand[row], their_hand[row], 0), out)


@kernel
def _list(
    mine: NDArray[np.uint64], theirs: NDArray[np.uint64], hand: NDArray[np.int64], their_hand: NDArray[np.int64],
    told: Moves,
) -> None:  # fmt: skip
    out = np.zeros(MOST_MOVES, np.int32)
    for row in range(len(mine)):
        count = moves(Morris(mine[row], theirs[row], hand[row], their_hand[row], 0), out)
        told.moves[told.first[row] : told.first[row] + count] = out[:count]


@kernel
def _weigh(
    mine: NDArray[np.uint64], theirs: NDArray[np.uint64], rows: NDArray[np.int64],
    space: Space, plies: NDArray[np.uint16], fewer: Space, fewer_plies: NDArray[np.uint16], told: Moves,
) -> None:  # fmt: skip
    """Look every move up: those without a removal lead to *space*, the others to *fewer*, or end the game."""
    for row in rows:
        before = Morris(mine[row], theirs[row], 0, 0, 0)
        for at in range(told.first[row], told.first[row + 1]):
            after = play(before, told.moves[at])
            if popcount(after.mine) < FLYING:
                told.plies[at] = 1
            elif told.moves[at] % 25 > 0:
                told.plies[at] = fewer_plies[place(fewer, after.mine, after.theirs)]
            else:
                told.plies[at] = plies[place(space, after.mine, after.theirs)]


class Atlas(NamedTuple):
    """All tables of a folder as one, for searches: kernels look a position up by the numbers of its stones."""

    space: Space
    starts: NDArray[np.int64]
    """Where the mover's stones of each space begin in `space.canon` [mine, theirs]; -1 where there is no table."""
    plies: NDArray[np.uint16]


USUAL = "usual"
"""Names the folder in which tables lie unless somebody says otherwise."""


BUILT_IN = "flying"
"""Names the tables of 3v3 alone, where all stones fly. They need nothing on the disk: each process makes them for
itself, in some two seconds, so that a player that asks them is the same on every machine."""


def find_tables(folder: str = "") -> Tables:
    """Return the tables of a folder, of the usual one if it is not named; all in this process share them."""
    if folder == BUILT_IN:
        return shared_tables(_make_built_in())
    if folder == USUAL:
        return shared_tables(str(usual_folder()))
    return shared_tables(folder or str(usual_place()))


_making = threading.Lock()


def _make_built_in() -> str:
    """Return a folder with the tables of 3v3, made when first asked and gone with this process."""
    with _making:
        return _built_in().name


@cache
def _built_in() -> TemporaryDirectory[str]:
    # Whoever solves opens tables, too: it can be asked only once this module is there.
    from understudy.games.morris.solving.making import make_tables

    folder = TemporaryDirectory(prefix="understudy_flying_")
    make_tables(Path(folder.name), (FLYING, FLYING), backend=Local(1))
    return folder


def open_tables(folder: str) -> Atlas:
    """Return all tables of a folder as one; searches of this process share it."""
    return _shared_atlas(str(find_tables(folder).folder))


@lru_cache(maxsize=1)
def _shared_atlas(folder: str) -> Atlas:
    return make_atlas(shared_tables(folder))


def make_atlas(tables: Tables) -> Atlas:
    """Return all tables of a folder as one."""
    starts, parts, plies = np.full((STONES + 1, STONES + 1), -1, np.int64), list[Space](), [np.zeros(0, np.uint16)]
    numbers = classes = folds = places = 0
    for stones in tables.every():
        space = make_space(stones)
        starts[stones] = numbers
        fold = np.where(space.fold < 0, -1, space.fold + folds)
        parts.append(
            space._replace(canon=space.canon + np.int32(16 * classes), first=space.first[:-1] + places, fold=fold)
        )
        plies.append(tables.plies(stones))
        numbers, classes = numbers + len(space.canon), classes + len(space.least)
        folds, places = folds + len(space.folded), places + int(space.first[-1])
    if not parts:
        raise FileError(f"there is no table in {str(tables.folder)!r}: `understudy solve morris` makes some")
    return Atlas(Space(*(np.concatenate(arrays) for arrays in zip(*parts, strict=True))), starts, np.concatenate(plies))


@kernel
def look_up(atlas: Atlas, position: Morris) -> int:
    """Return the plies of a position, -1 where no table knows it."""
    if position.hand > 0 or position.their_hand > 0:
        return -1
    mine, theirs = popcount(position.mine), popcount(position.theirs)
    start = atlas.starts[mine, theirs]
    if start < 0:
        return -1
    return int(atlas.plies[locate(atlas.space, start, position.mine, position.theirs)])
