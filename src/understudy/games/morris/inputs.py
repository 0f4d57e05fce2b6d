"""Nine Men's Morris as inputs: the thesis's 114 bits, the paper's 90, and their kin.

`raw` is the thesis's table 5.1, `rawest` the paper's table I, `rawer` stands between them in the authors' code,
`integer` is the thesis's table 5.2, and `augmented` adds what the thesis's section 7.1 wishes for: full lines and
cells that close a mill. `patterns` goes further: mills, closing cells and room to move of both sides, cell by cell, so
that it serves networks that are tied by symmetry. All are seen by the side to move; cells have the papers' order.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from understudy.games.game import CompiledGame
from understudy.games.layout import Classes, Encoder, Layout, cells, facts, joined
from understudy.games.morris.legality import phases
from understudy.games.morris.lines import LINES, occupied
from understudy.games.morris.notation import NUMBER, STONES, SYMMETRIES
from understudy.games.morris.patterns import CHANNELS, show_patterns


def _unary(numbers: NDArray[Any], width: int) -> NDArray[np.int8]:
    return (np.arange(width) < np.asarray(numbers)[:, None]).astype(np.int8)


def _rawest(batch: Any) -> NDArray[np.int8]:
    mine, theirs = occupied(batch.mine), occupied(batch.theirs)
    hands = _unary(batch.hand, STONES), _unary(batch.their_hand, STONES)
    return np.concatenate([mine, theirs, 1 - mine - theirs, *hands], axis=1)


def _phase_bits(batch: Any) -> list[NDArray[np.int8]]:
    return [_unary(side, 3) for side in _phases(batch)]


def _phases(batch: Any) -> list[NDArray[np.int64]]:
    """Return both sides' phases; a side with fewer than three stones is shown as flying."""
    sides = (batch.mine, batch.hand), (batch.theirs, batch.their_hand)
    return [np.minimum(phases(mask, hand), 3) for mask, hand in sides]


def _rawer(batch: Any) -> NDArray[np.int8]:
    return np.concatenate([_rawest(batch), *_phase_bits(batch)], axis=1)


def _raw(batch: Any) -> NDArray[np.int8]:
    stones = [_unary(np.bitwise_count(mask), STONES) for mask in (batch.mine, batch.theirs)]
    return np.concatenate([_rawest(batch), *stones, *_phase_bits(batch)], axis=1)


def _integer(batch: Any) -> NDArray[np.int8]:
    counts = [batch.hand, batch.their_hand, np.bitwise_count(batch.mine), np.bitwise_count(batch.theirs)]
    numbers = np.stack([*counts, *_phases(batch)], axis=1).astype(np.int8)
    return np.concatenate([occupied(batch.mine) - occupied(batch.theirs), numbers], axis=1)


def _augmented(batch: Any) -> NDArray[np.int8]:
    mine, theirs = occupied(batch.mine), occupied(batch.theirs)
    empty = 1 - mine - theirs
    full = [side[:, LINES].sum(axis=2) == 3 for side in (mine, theirs, empty)]
    closing = [_closing(mine) * empty, _closing(theirs) * empty]
    return np.concatenate([_rawest(batch), *full, *closing], axis=1).astype(np.int8)


def _patterns(batch: Any) -> NDArray[np.int8]:
    return np.concatenate([_raw(batch), show_patterns(batch)], axis=1)


def _closing(side: NDArray[np.int8]) -> NDArray[np.int8]:
    """Return the cells whose two companions in some line are all of *side*."""
    closing = np.zeros_like(side)
    in_line = side[:, LINES].sum(axis=2)
    for line, members in enumerate(LINES):
        for cell in members:
            closing[:, cell] |= in_line[:, line] - side[:, cell] == 2
    return closing


def _class_images() -> NDArray[np.int64]:
    """Return where each symmetry sends each class of a part [16, 25]: cells by the papers' numbers, 0 for none."""
    numbers = np.array(NUMBER)
    moved = np.zeros((len(SYMMETRIES), len(NUMBER)), np.int64)
    moved[:, numbers[1:]] = numbers[SYMMETRIES + 1]
    return moved


_CLASSES = Classes(_class_images())

_CELLS: Layout = cells(_CLASSES)
_RAWEST: Layout = joined([_CELLS, _CELLS, _CELLS, facts(_CLASSES, 2 * STONES)])

RAWEST = Encoder("rawest", _RAWEST, _rawest)
RAWER = Encoder("rawer", joined([_RAWEST, facts(_CLASSES, 6)]), _rawer)
RAW = Encoder("raw", joined([_RAWEST, facts(_CLASSES, 2 * STONES + 6)]), _raw)
INTEGER = Encoder("integer", joined([_CELLS, facts(_CLASSES, 6)]), _integer, one_hot=False, symmetric=False)
AUGMENTED = Encoder(
    "augmented", joined([_RAWEST, facts(_CLASSES, 3 * len(LINES)), _CELLS, _CELLS]), _augmented, symmetric=False
)
PATTERNS = Encoder("patterns", joined([RAW.layout, *[_CELLS] * (2 * CHANNELS)]), _patterns)

ENCODERS = {encoder.name: encoder for encoder in (RAWEST, RAWER, RAW, INTEGER, AUGMENTED, PATTERNS)}
"""How students that imitate moves may see a position."""


def make_encoders(game: CompiledGame) -> dict[str, Encoder]:
    """Return the encoders of the one board that Morris has."""
    return ENCODERS
