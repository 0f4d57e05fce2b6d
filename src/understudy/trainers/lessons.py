"""Examples as tensors, and the order in which an epoch shows them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from understudy.games.layout import Encoder
from understudy.records.examples import Examples


@dataclass(frozen=True)
class Lesson:
    """What a network is shown: inputs [rows, columns], the teacher's parts in the cascade's order [rows, parts]."""

    inputs: Tensor
    parts: Tensor
    legal: Tensor | None
    """Which classes the rules allow at each place after the teacher's earlier parts [rows, parts]: bits of a number."""
    starts: NDArray[np.int64]
    """The first row of each record; rows of a record lie together."""
    classes: int
    """How many there are of each part."""

    def __len__(self) -> int:
        return len(self.parts)


class Batch(NamedTuple):
    """Some rows of a lesson, as networks take them."""

    inputs: Tensor
    parts: Tensor
    legal: Tensor | None


def make_lesson(examples: Examples, encoder: Encoder, order: tuple[int, ...], *, legal: bool) -> Lesson:
    """Return examples as tensors; *legal* asks for the masks that a legality term in the loss needs."""
    grouped = examples.taken(np.argsort(examples.origins, kind="stable"))
    parts = grouped.game.batches.parts_of(grouped.moves)[:, order]
    masks = torch.from_numpy(_masks(grouped, parts, order)) if legal else None
    new = np.concatenate([[True], np.diff(grouped.origins) != 0])
    return Lesson(
        inputs=torch.from_numpy(encoder.encode(grouped.positions)),
        parts=torch.from_numpy(parts),
        legal=masks,
        starts=np.flatnonzero(new),
        classes=encoder.layout.classes.count,
    )


def shuffled(lesson: Lesson, *, images: str, rng: np.random.Generator) -> Tensor:
    """Return the rows of one epoch in random order: all of them, or one image of each record."""
    if images == "all":
        return torch.from_numpy(rng.permutation(len(lesson)))
    lengths = np.diff(np.append(lesson.starts, len(lesson)))
    rows = lesson.starts + (rng.random(len(lengths)) * lengths).astype(np.int64)
    return torch.from_numpy(rng.permutation(rows))


def batches(lesson: Lesson, rows: Tensor, size: int) -> Iterator[Batch]:
    """Yield the rows in batches; a short rest makes the last one."""
    for first in range(0, len(rows), size):
        chosen = rows[first : first + size]
        yield Batch(
            lesson.inputs[chosen].float(),
            lesson.parts[chosen],
            None if lesson.legal is None else spread(lesson.legal[chosen], lesson.classes),
        )


def spread(masks: Tensor, classes: int) -> Tensor:
    """Return bits as truths [..., classes]."""
    return (masks[..., None] >> torch.arange(classes)) & 1 == 1


def _masks(examples: Examples, parts: NDArray[np.int64], order: tuple[int, ...]) -> NDArray[np.int64]:
    """Return the classes allowed at each place after the teacher's earlier parts, as bits [rows, parts]."""
    masks = np.empty(parts.shape, np.int64)
    for place in range(len(order)):
        masks[:, place] = examples.game.legality.allowed(examples.positions, order=order, given=parts[:, :place])
    return masks
