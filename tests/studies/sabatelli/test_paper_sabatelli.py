"""What the chess thesis prints: the order of its combinations."""

from __future__ import annotations

import pytest

from understudy.games.chess.learning.labels import parameters
from understudy.games.chess.learning.networks import make_network
from understudy.lab.experiments import load_experiment, shipped
from understudy.studies.sabatelli.paper import LABELS, PRINTED


def test_the_order_of_each_data_set_follows_from_the_printed_numbers() -> None:
    def short(dataset: str) -> list[str]:
        return [name.removesuffix(f"_{dataset}") for name in LABELS.order_of(dataset)]

    ends = "cnn_algebraic"
    assert short("1") == ["cnn_features", "mlp_bitmap", "cnn_bitmap", "mlp_algebraic", ends]
    assert short("2") == short("3") == ["cnn_features", "mlp_bitmap", "mlp_algebraic", "cnn_bitmap", ends]
    assert short("4")[:3] == ["cnn_features", "mlp_bitmap", "mlp_algebraic"]
    assert LABELS.order_of("win") == []
    assert LABELS.lead_of("cnn_features_4", "mlp_bitmap_4") == pytest.approx(0.0001)


def test_students_called_as_the_thesiss_networks_are_those_networks() -> None:
    lessons = {one.name: one for one in load_experiment(shipped()["chess_sabatelli"]).lessons}
    for name, printed in PRINTED.items():
        lesson = lessons[name]
        network = make_network(lesson.network, planes=lesson.inputs.planes, outputs=lesson.dataset.outputs)
        facts = {"dataset": lesson.target.dataset, "parameters": parameters(network)}
        assert LABELS.belongs(name, facts) == printed, name
        assert LABELS.belongs(name, facts | {"parameters": 1000}) is None, "a toy of the same name"
        assert LABELS.belongs(name, facts | {"dataset": "win"}) is None
