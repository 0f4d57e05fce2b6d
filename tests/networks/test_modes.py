"""Layers tied by symmetry as small blocks: the same numbers as the whole matrix, forwards and backwards."""

from __future__ import annotations

import copy

import numpy as np
import pytest
import torch
from torch import nn

from understudy.games import find_game
from understudy.games.layout import Classes, find_encoder, uniform
from understudy.networks.architectures import Tied
from understudy.networks.modes import find_modes

BOARDS = (("morris", None), ("konane", (6, 6)), ("konane", (8, 8)), ("lines_of_action", None))


def classes_of(game: str, size: tuple[int, int] | None) -> Classes:
    return find_encoder(find_game(game, size), "").layout.classes


@pytest.mark.parametrize(("game", "size"), BOARDS)
def test_blocks_multiply_as_the_whole_matrix(game: str, size: tuple[int, int] | None) -> None:
    classes = classes_of(game, size)
    torch.manual_seed(3)
    layer, inputs = Tied(uniform(classes, 12), uniform(classes, 20)), torch.randn(30, classes.count * 12)
    assert layer.modes is not None
    with torch.no_grad():
        layer.bias.normal_()
    ours, whole = layer(inputs), nn.functional.linear(inputs, *layer.written_out())
    assert torch.allclose(ours, whole, atol=1e-4)
    slopes = [torch.autograd.grad(outputs.square().sum(), list(layer.parameters())) for outputs in (ours, whole)]
    for one, other in zip(*slopes, strict=True):
        assert torch.allclose(one, other, rtol=1e-3, atol=1e-3 * float(other.abs().max()))


@pytest.mark.parametrize(("game", "size"), BOARDS)
def test_relations_become_blocks_that_are_alike_in_all_copies(game: str, size: tuple[int, int] | None) -> None:
    classes = classes_of(game, size)
    modes = find_modes(classes)
    assert modes is not None
    basis = modes.basis.double().numpy()
    assert np.allclose(basis.T @ basis, np.eye(classes.count), atol=1e-5)
    # As many numbers in the blocks as there are relations of places: nothing is lost and nothing is free.
    assert sum(block.size**2 for block in modes.blocks) == classes.relation.max() + 1
    assert sum(block.size * block.copies for block in modes.blocks) == classes.count


def test_turns_without_mirrors_have_no_such_basis_and_learn_by_the_whole_matrix() -> None:
    cells = np.arange(1, 5)
    turned = [np.concatenate([[0], np.roll(cells, step)]) for step in range(4)]
    classes = Classes(np.array(turned))
    assert find_modes(classes) is None
    layer = Tied(uniform(classes, 8), uniform(classes, 8))
    assert layer.modes is None
    assert layer(torch.ones(2, 40)).shape == (2, 40)


def test_blocks_are_left_out_where_they_save_little() -> None:
    classes = classes_of("morris", None)
    assert Tied(uniform(classes, 2), uniform(classes, 2)).modes is None


def test_a_copy_of_a_layer_learns_by_itself() -> None:
    classes = classes_of("morris", None)
    layer = Tied(uniform(classes, 16), uniform(classes, 16))
    other = copy.deepcopy(layer)
    with torch.no_grad():
        other.weight.zero_()
    assert layer(torch.ones(1, 400)).abs().sum() > 0
    assert other(torch.ones(1, 400)).abs().sum() == 0
