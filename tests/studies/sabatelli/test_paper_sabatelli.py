"""What the chess thesis prints: the order of its combinations."""

from __future__ import annotations

import pytest

from understudy.studies.sabatelli.paper import LABELS


def test_the_order_of_each_data_set_follows_from_the_printed_numbers() -> None:
    def short(dataset: str) -> list[str]:
        return [name.removesuffix(f"_{dataset}") for name in LABELS.order_of(dataset)]

    ends = "cnn_algebraic"
    assert short("1") == ["cnn_features", "mlp_bitmap", "cnn_bitmap", "mlp_algebraic", ends]
    assert short("2") == short("3") == ["cnn_features", "mlp_bitmap", "mlp_algebraic", "cnn_bitmap", ends]
    assert short("4")[:3] == ["cnn_features", "mlp_bitmap", "mlp_algebraic"]
    assert LABELS.order_of("win") == []
    assert LABELS.lead_of("cnn_features_4", "mlp_bitmap_4") == pytest.approx(0.0001)
