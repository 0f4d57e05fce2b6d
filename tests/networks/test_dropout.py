"""Units that are left out: as many as asked, made up for by the others, the same for the same seed, none at play."""

from __future__ import annotations

import pytest
import torch

from understudy.networks.dropout import Dropout, draw_kept


@pytest.mark.parametrize("rate", [0.1, 0.5, 0.95])
@pytest.mark.parametrize("kind", [torch.float32, torch.bfloat16])
def test_as_many_units_are_left_out_as_asked(rate: float, kind: torch.dtype) -> None:
    torch.manual_seed(1)
    factors = draw_kept(torch.ones(1001, 333, dtype=kind), rate)
    assert factors.dtype == kind
    assert set(factors.unique().tolist()) == {0.0, factors.max().item()}
    assert (factors == 0).float().mean().item() == pytest.approx(rate, abs=0.005)
    assert factors.double().mean().item() == pytest.approx(1.0, abs=0.1)


def test_units_are_left_out_independently() -> None:
    torch.manual_seed(2)
    left = (draw_kept(torch.ones(4000, 64), 0.5) == 0).double()
    correlations = torch.corrcoef(left.T) - torch.eye(64)
    assert correlations.abs().max().item() < 0.1


def test_the_same_seed_leaves_out_the_same_units_and_another_draw_others() -> None:
    layer, inputs = Dropout(0.3).train(), torch.ones(7, 11)
    torch.manual_seed(3)
    first, second = layer(inputs), layer(inputs)
    torch.manual_seed(3)
    assert torch.equal(layer(inputs), first)
    assert not torch.equal(second, first)


def test_nothing_is_left_out_at_play_and_gradients_go_where_units_are() -> None:
    layer, inputs = Dropout(0.4), torch.randn(50, 20, requires_grad=True)
    assert torch.equal(layer.eval()(inputs), inputs)
    torch.manual_seed(4)
    layer.train()(inputs).sum().backward()
    assert inputs.grad is not None
    assert inputs.grad.unique().tolist() == pytest.approx([0.0, 1 / 0.6])
