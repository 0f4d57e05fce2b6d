"""Records become examples: symmetric expansion, three ways to keep test data apart, a sketch of what was learned.

`expanded` is what the papers did: expand every record by symmetry, then split the rows. Nearly every test row then has
a twin among the training rows, and what is measured is partly memory. `orbit` gives whole classes of symmetric
positions to one side, and expands the training side alone: the honest way. The share by which a student is better on
`expanded` is the leak. `people` takes the sides that whoever gathered the records chose, by player and year; nothing is
expanded, for there are millions.

A sketch is small enough for a student's file: a mark of 40 bits for each class of symmetric positions, the beginning of
the class's name, mixed. So a position that was learned from is never missed, and one that was not is taken for one with
a chance of classes / 2^40: 85 000 classes mistake one position in 13 million. Sorted, compressed and written as text a
mark takes about four bytes.
"""

from __future__ import annotations

import binascii
import zlib
from base64 import b85decode, b85encode
from collections.abc import Callable, Mapping
from functools import partial
from typing import Any, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from understudy.errors import BadOption, UnknownName
from understudy.games import CompiledGame
from understudy.games.batches import NO_MOVE, size, taken
from understudy.games.images import expand, name_orbits
from understudy.records import people
from understudy.records.store import Records
from understudy.records.weighed import Weighed

SPLITS = ("all", "expanded", "orbit", "people", "orbit_once")
"""Ways to keep test data apart; `all` keeps none. `orbit_once` is `orbit` with the first record of each class alone:
the papers' rows have positions twice, some with two moves (M-28)."""
SIDES = ("train", "validation", "test")
FRESH = "fresh"
"""A further side of the split `people`: those test rows whose positions occur in no game that was learned from."""
VALIDATION, TEST = 0.05, 0.10
"""Shares of the sides, those of the papers."""


WEIGHED_IN = ("none", "proper")
"""Expansions that carry several moves of a position; those of papers know one."""
SOFTEST = 8
"""Weighed moves that an example keeps: those beyond get next to nothing of a teacher's probability."""


class Fold(NamedTuple):
    """One of several equal parts of all classes: it is tested on while the others are learned from."""

    number: int
    """From 0."""
    among: int


FOLDED = ("orbit", "orbit_once")
"""Splits that can be folded."""


class Examples(NamedTuple):
    """Positions to learn from or to be examined on, with the teacher's moves."""

    game: CompiledGame
    positions: Any
    moves: NDArray[np.int32]
    origins: NDArray[np.int64]
    """The record that each example is an image of."""
    weighed: Weighed | None = None
    """What the teacher thinks of the best moves, where records have that."""

    def taken(self, index: Any) -> Examples:
        """Return the rows that *index* names."""
        weighed = None if self.weighed is None else self.weighed.taken(index)
        return Examples(self.game, taken(self.positions, index), self.moves[index], self.origins[index], weighed)


Expansion: TypeAlias = Callable[[Any, NDArray[np.int32]], tuple[Any, NDArray[np.int32], NDArray[np.int64]]]


def find_expansion(game: CompiledGame, name: str) -> Expansion:
    """Return how records of a game become examples: as they are, in all their images, or in ways of the game's own."""
    expansions = find_expansions(game)
    if name not in expansions:
        raise UnknownName(f"expansion of {game.name}", name, expansions)
    return expansions[name]


def find_expansions(game: CompiledGame) -> dict[str, Expansion]:
    """Return all ways in which records of a game become examples, by name."""
    return {"none": _none, "proper": partial(expand, game), **(game.at_once("EXPANSIONS") or {})}


def choose_expansion(game: CompiledGame) -> str:
    """Return how rows are expanded that students are judged on: as the authors of a paper did where there is one."""
    return "authors" if "authors" in find_expansions(game) else "none"


def check_split(game: CompiledGame, split: str, place: str = "examples.split") -> None:
    """Raise unless records of a game can be split so; *place* names the split for errors."""
    if split not in SPLITS:
        raise UnknownName(place, split, SPLITS)
    if split == "expanded" and "authors" not in find_expansions(game):
        raise BadOption(f"{place}: 'expanded' is how the authors of a paper split records, and {game.name} has none")


def _none(batch: Any, moves: NDArray[np.int32]) -> tuple[Any, NDArray[np.int32], NDArray[np.int64]]:
    return batch, moves, np.arange(size(batch))


def all_examples(records: Records, *, expansion: str) -> Examples:
    """Return every record with its images, and with the best moves of those that were weighed."""
    game, expanded = records.game, find_expansion(records.game, expansion)
    if records.weighed is None or expansion not in WEIGHED_IN:
        return Examples(game, *expanded(records.positions, records.moves))
    best = records.weighed.widened(SOFTEST).moves[:, :SOFTEST]
    expanded = partial(expand, game) if expansion == "proper" else expanded
    positions, codes, origins = expanded(records.positions, np.column_stack([records.moves, best]))
    worths = records.weighed.widened(SOFTEST).worths[:, :SOFTEST][origins]
    return Examples(game, positions, codes[:, 0], origins, Weighed(codes[:, 1:], worths))


def split_examples(records: Records, *, split: str, seed: int, fold: Fold | None = None) -> dict[str, Examples]:
    """Return the train, validation and test side of records; seed and *fold* alone decide who goes where."""
    moved = records.moves != NO_MOVE
    answered = records if moved.all() else records.taken(moved)  # millions of rows are not copied for nothing
    if not len(answered):
        raise BadOption("these records hold no moves: there is nothing to learn or to compare with")
    if split == "expanded":
        return _expanded(answered, seed)
    if split in ("orbit", "orbit_once"):
        return _by_orbit(answered, seed, once=split == "orbit_once", fold=fold)
    if split == "people":
        return _by_people(answered)
    raise UnknownName("split", split, SPLITS[1:])


def _expanded(records: Records, seed: int) -> dict[str, Examples]:
    """Split the rows of the authors' expansion: 1 384 373, 81 433 and 162 867 of their 1 628 673."""
    rows = all_examples(records, expansion="authors")
    order = np.random.default_rng([seed, 0x5917]).permutation(len(rows.moves))
    return {side: rows.taken(np.sort(part)) for side, part in zip(SIDES, _cut(order), strict=True)}


def _by_orbit(records: Records, seed: int, *, once: bool, fold: Fold | None) -> dict[str, Examples]:
    """Split the classes of symmetric positions, all their records or the first alone; expand the training side."""
    named = orbit_names(records.game, records.positions)
    names, firsts, classes = np.unique(named, return_index=True, return_inverse=True)
    order = np.random.default_rng([seed, 0x0B17]).permutation(len(names))
    kept = np.isin(np.arange(len(classes)), firsts) if once else np.True_
    parts = _cut(order) if fold is None else _cut_fold(order, fold)
    sides = {side: np.isin(classes, part) & kept for side, part in zip(SIDES, parts, strict=True)}
    return {
        side: _located(records, np.flatnonzero(members), "proper" if side == "train" else "none")
        for side, members in sides.items()
    }


def _by_people(records: Records) -> dict[str, Examples]:
    """Return the sides that records came with; all positions of games that are graded are test rows."""
    if records.sides is None:
        raise BadOption("the split 'people' needs records of PGN games with players and years held out")
    masks = {side: records.sides == place for place, side in enumerate(people.SIDES)}
    rows = {
        "train": masks["train"], "validation": masks["validation"],
        "test": masks["test"] | masks["familiar"], FRESH: masks["test"],
    }  # fmt: skip
    return {side: _located(records, np.flatnonzero(mask), "none") for side, mask in rows.items()}


def _located(records: Records, rows: NDArray[np.int64], expansion: str) -> Examples:
    examples = all_examples(records.taken(rows), expansion=expansion)
    return examples._replace(origins=rows[examples.origins])


def _cut(order: NDArray[np.int64]) -> list[NDArray[np.int64]]:
    """Return train, validation and test: 85, 5 and 10 per cent."""
    validation, test = int(len(order) * VALIDATION), int(len(order) * TEST)
    train = len(order) - validation - test
    return [order[:train], order[train : train + validation], order[train + validation :]]


def _cut_fold(order: NDArray[np.int64], fold: Fold) -> list[NDArray[np.int64]]:
    """Return train, validation and test: the fold is the test side, 5 per cent of all validate, the others train."""
    if fold.among > len(order):
        raise BadOption(f"examples.folds = {fold.among}: there are only {len(order)} classes of symmetric positions")
    parts = np.array_split(order, fold.among)
    rest = np.concatenate([part for place, part in enumerate(parts) if place != fold.number])
    train = len(rest) - int(len(order) * VALIDATION)
    return [rest[:train], rest[train:], parts[fold.number]]


def orbit_names(game: CompiledGame, positions: Any) -> NDArray[np.uint64]:
    """Return a number for each position of a batch, equal for all its images."""
    own: Callable[[Any], NDArray[np.uint64]] | None = game.at_once("orbit_keys")
    return own(positions) if own else name_orbits(game, positions)


def distinct(records: Records) -> Records:
    """Return the records without those whose position, or an image of it, came before."""
    _, first = np.unique(orbit_names(records.game, records.positions), return_index=True)
    return records.taken(np.sort(first))


BITS = 40
"""Of a mark, whole bytes: with 32 and 85 000 classes, one row in 50 000 would be taken for one that was learned."""

Names: TypeAlias = NDArray[np.uint64]
"""Of classes, as `orbit_names` gives them."""

SKETCHED = 500_000
"""Rows up to which a student's file keeps a sketch of what was learned: two megabytes of marks."""

MOST_MARKS = 1 << 26
"""Bytes of the marks that are read: of all that students of students have learned, too."""

Sketch: TypeAlias = Mapping[str, Any]
"""As it stands in a student's file: `bits` of a mark, all `marks` as text, and whether this is the `whole` truth."""


def sketch_of(names: Names) -> dict[str, Any]:
    """Return what is kept of the classes that a student learned from."""
    return _sketch(marks_of(names), whole=True)


def together(sketch: Sketch, earlier: Any) -> dict[str, Any]:
    """Return the sketch of a student that went on from an *earlier* one; not the whole truth if that has none."""
    own, before = read_marks(sketch), read_marks(earlier)
    assert own is not None
    if before is None:
        return _sketch(own, whole=False)
    return _sketch(np.union1d(own, before), whole=bool(earlier.get("whole")))


def marks_of(names: Names) -> Names:
    """Return the marks of classes, sorted, each once."""
    return np.unique(mark(names))


def mark(names: Names) -> Names:
    """Return the mark of each class: its name mixed (by splitmix64, one to one), and the first bits of that."""
    mixed = (names ^ (names >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    mixed = (mixed ^ (mixed >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return np.asarray((mixed ^ (mixed >> np.uint64(31))) >> np.uint64(64 - BITS), np.uint64)


def _sketch(marks: Names, *, whole: bool) -> dict[str, Any]:
    # Byte by byte, the first bytes of all marks first: sorted as they are, they hardly take any room.
    planes = marks.astype(">u8").view(np.uint8).reshape(-1, 8)[:, -(BITS // 8) :]
    return {"bits": BITS, "marks": b85encode(zlib.compress(planes.T.tobytes(), 9)).decode(), "whole": whole}


def read_marks(sketch: Any) -> Names | None:
    """Return the marks of a sketch; None where there is none, or none that can be read."""
    if not isinstance(sketch, Mapping) or sketch.get("bits") != BITS or not isinstance(sketch.get("marks"), str):
        return None
    try:
        packer = zlib.decompressobj()
        planes = np.frombuffer(packer.decompress(b85decode(sketch["marks"]), MOST_MARKS), np.uint8)
        planes = planes.reshape(BITS // 8, -1)
    except (ValueError, zlib.error, binascii.Error):
        return None
    if not packer.eof:  # cut off, or far more than anybody keeps
        return None
    marks = np.zeros((planes.shape[1], 8), np.uint8)
    marks[:, -(BITS // 8) :] = planes.T
    return marks.view(">u8").ravel().astype(np.uint64)
