"""A faster way through layers that are tied by symmetry: their matrix falls apart into small blocks.

A matrix that commutes with the symmetries of a board is, seen from the right basis of the board's places, a row of
small blocks, each of which stands there once or several times alike (Schur's lemma). Two changes of basis and the
blocks together take a quarter of the multiplications of the whole matrix where each place has 16 channels, less where
it has more; what comes out is the same but for rounding.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from understudy.games.layout import Classes

CLOSE = 1e-6
"""Numbers of a basis nearer than that are the same: they come from 64-bit eigenvectors of small matrices."""
WORTH_IT = 0.6
"""Blocks are used where they take at most this share of the multiplications: copies eat up smaller gains."""


class Block(NamedTuple):
    """What the matrix is on some columns of the basis: one small matrix, *copies* times."""

    size: int
    copies: int
    """Its columns lie copy by copy, those of the blocks one after another."""
    shares: Tensor
    """[relations, size * size]: the small matrix that each relation of places contributes."""


@dataclass(frozen=True, eq=False)
class Modes:
    """The basis in which matrices that are tied by a board's symmetries are blocks."""

    basis: Tensor
    """[places, columns], orthonormal."""
    blocks: tuple[Block, ...]

    def multiply(self, inputs: Tensor, weight: Tensor) -> Tensor:
        """Return inputs [rows, places * channels] times the matrix that *weight* [relations, out, in] stands for."""
        relations, outs, ins = weight.shape
        places = len(self.basis)
        seen = torch.matmul(self.basis.T, inputs.reshape(-1, places, ins))
        columns = torch.split(seen, [block.size * block.copies for block in self.blocks], dim=1)
        parts = [
            _multiply(block, mine, weight.reshape(relations, -1), outs)
            for block, mine in zip(self.blocks, columns, strict=True)
        ]
        return torch.matmul(self.basis, torch.cat(parts, dim=1)).reshape(-1, places * outs)

    def cost(self, outs: int, ins: int) -> float:
        """Return the share of the whole matrix's multiplications that the blocks take."""
        places = len(self.basis)
        small = sum(block.size**2 * block.copies for block in self.blocks)
        return (places**2 * (outs + ins) + small * outs * ins) / (places**2 * outs * ins)


def _multiply(block: Block, seen: Tensor, weight: Tensor, outs: int) -> Tensor:
    """Return some columns of the basis [rows, columns, in] times their block of the matrix."""
    _, width, ins = seen.shape  # the number of rows is named nowhere: an exported graph takes any
    small = (block.shares.T @ weight).view(block.size, block.size, outs, ins).permute(0, 2, 1, 3)
    small = small.reshape(block.size * outs, block.size * ins)
    return (seen.reshape(-1, block.size * ins) @ small.T).view(-1, width, outs)


@cache
def find_modes(classes: Classes) -> Modes | None:
    """Return the basis for a board's places; None where its symmetries do not allow it (rotations without mirrors)."""
    rng, relation = np.random.default_rng(0), classes.relation
    count = int(relation.max()) + 1

    def draw() -> NDArray[np.float64]:
        matrix: NDArray[np.float64] = rng.normal(size=count)[relation]
        return matrix

    spaces, link = _eigenspaces(draw()), draw()
    families: list[list[NDArray[np.float64]]] = []
    for space in spaces:
        family = next((known for known in families if _linked(known[0], space, link)), None)
        if family is None:
            families.append([space])
        else:
            family.append(_align(space, link, family[0]))
    basis = np.concatenate([np.stack(family, axis=2).reshape(len(relation), -1) for family in families], axis=1)
    if not _falls_apart(families, basis, draw()):
        return None
    return Modes(torch.tensor(basis, dtype=torch.float32), _make_blocks(families, relation, count))


def _eigenspaces(matrix: NDArray[np.float64]) -> list[NDArray[np.float64]]:
    """Return bases of the spaces that a drawn matrix, made symmetric, stretches alike: no symmetry parts them."""
    values, vectors = np.linalg.eigh(matrix + matrix.T)
    cuts = np.flatnonzero(np.diff(values) > CLOSE) + 1
    return np.split(vectors, cuts, axis=1)


def _linked(first: NDArray[np.float64], second: NDArray[np.float64], link: NDArray[np.float64]) -> bool:
    """Tell whether symmetries act alike on two spaces: then a drawn matrix carries one into the other."""
    return first.shape == second.shape and bool(np.abs(second.T @ link @ first).max() > CLOSE)


def _align(space: NDArray[np.float64], link: NDArray[np.float64], pattern: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the basis of a space on which symmetries act by the same numbers as on the pattern's."""
    carried: NDArray[np.float64] = space @ (space.T @ (link @ pattern))
    carried /= np.linalg.norm(carried, axis=0)
    return carried


def _falls_apart(
    families: list[list[NDArray[np.float64]]], basis: NDArray[np.float64], matrix: NDArray[np.float64]
) -> bool:
    """Tell whether a drawn matrix consists of blocks, alike in all copies."""
    seen, first = basis.T @ matrix @ basis, 0
    if np.abs(basis.T @ basis - np.eye(len(basis))).max() > CLOSE:
        return False
    for family in families:
        copies, size = family[0].shape[1], len(family)
        last = first + copies * size
        block = seen[first:last, first:last]
        seen[first:last, first:last] -= np.kron(np.eye(copies), block[:size, :size])
        first = last
    return bool(np.abs(seen).max() < CLOSE)


def _make_blocks(
    families: list[list[NDArray[np.float64]]], relation: NDArray[np.int64], count: int
) -> tuple[Block, ...]:
    made = []
    for family in families:
        columns = np.stack([space[:, 0] for space in family], axis=1)
        shares = np.stack([columns.T @ (relation == number) @ columns for number in range(count)])
        copies, size = family[0].shape[1], len(family)
        made.append(Block(size, copies, torch.tensor(shares.reshape(count, -1), dtype=torch.float32)))
    return tuple(made)
