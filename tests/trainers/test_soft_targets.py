"""Soft targets say what they should, worths are of what moves lead to, and a network learns both."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import torch

from understudy.backends import Local
from understudy.errors import BadOption
from understudy.games import find_game
from understudy.games.batches import NO_MOVE, unstacked
from understudy.games.layout import find_encoder
from understudy.networks import build_units
from understudy.networks.students import StudentOptions
from understudy.records.examples import split_examples
from understudy.records.store import Records
from understudy.records.watch import Watch, watch
from understudy.trainers.fitting import Epoch, TrainingOptions, begin
from understudy.trainers.objectives import make_lesson, show_worths, train_moves
from understudy.trainers.weighed import find_target, make_soft, make_worths

MORRIS = find_game("morris")
NETWORK = {"kind": "residual", "symmetric": True, "width": 50, "hidden": 50, "blocks": 1}
OPTIONS = TrainingOptions(
    optimiser="adamw", learning_rate=0.003, beta1=0.9, batch=64, epochs=25, patience=25, images="one", legality=1.0,
    smooth_over="legal", temperature=0.1, worth=1.0,
)  # fmt: skip
ORDER = (1, 0, 2)


@pytest.fixture(scope="module")
def records(tmp_path_factory: pytest.TempPathFactory) -> Records:
    plan = Watch(
        teacher="searcher:depth=2", apprentice="random", opponents=("self",), regular=12, opening_plies=4,
        ply_limit=40, weighed=40,
    )  # fmt: skip
    return watch(MORRIS, plan, tmp_path_factory.mktemp("weighed"), backend=Local(1))


def test_targets_add_up_to_the_favour_of_moves(records: Records) -> None:
    """The product over the places of what they ask for is the share of the drawn move, whichever is drawn."""
    soft = make_soft(split_examples(records, split="orbit", seed=0)["train"], ORDER, temperature=0.1, legal=True)
    targets = soft.draw(torch.arange(200))
    product = torch.ones(200)
    for place in range(3):
        target = find_target(targets, place, 25)
        torch.testing.assert_close(target.sum(dim=1), torch.ones(200))
        product *= target.gather(1, targets.parts[:, place, None])[:, 0]
    alike = (targets.others == targets.parts[:, None]).all(dim=2)
    torch.testing.assert_close(product, (targets.shares * alike).sum(dim=1))


def test_a_low_temperature_is_the_teachers_choice(records: Records) -> None:
    shown = split_examples(records, split="orbit", seed=0)["train"]
    assert shown.weighed is not None
    sole = shown.weighed.worths[:, 0] > shown.weighed.worths[:, 1] + 0.01
    soft = make_soft(shown.taken(sole), ORDER, temperature=1e-4, legal=False)
    assert (soft.shares[:, 0] > 0.999).all()


def test_worths_are_of_what_moves_lead_to(records: Records) -> None:
    worths = make_worths(records)
    assert records.weighed is not None
    pairs = [(row, move) for row, moves in enumerate(records.weighed.moves) for move in moves if move != NO_MOVE]
    assert len(worths.values) == len(pairs)
    positions, after = unstacked(records.positions), unstacked(worths.positions)
    for place in range(0, len(pairs), 211):
        row, move = pairs[place]
        assert after[place] == MORRIS.play(positions[row], int(move))
    assert float(worths.values.min()) >= 0.0 and float(worths.values.max()) <= 1.0


def test_a_network_learns_choices_and_worths(records: Records) -> None:
    sides = split_examples(records, split="orbit", seed=0)
    encoder = find_encoder(MORRIS, "rawest")
    networks = dict.fromkeys(MORRIS.part_names, NETWORK)
    unit = build_units(MORRIS, StudentOptions(design="whole", order="FTR", value=True), networks)[0]
    shown = make_lesson(sides["train"], encoder, ORDER, legal=True, temperature=OPTIONS.temperature)
    asked = make_lesson(sides["validation"], encoder, ORDER, legal=True)
    worths = show_worths(make_worths(records), encoder)
    epochs = [e for e in train_moves(begin(unit, OPTIONS), shown, asked, OPTIONS, worths) if isinstance(e, Epoch)]
    assert epochs[-1].train_loss < 0.8 * epochs[0].train_loss
    with torch.no_grad():
        rows = torch.arange(len(worths[1]))
        told = unit.value(unit.hidden(worths[0][rows].float()))[:, 0].sigmoid()  # type: ignore[operator]
    assert np.corrcoef(told.numpy(), worths[1].numpy())[0, 1] > 0.5


def test_choices_alone_teach_nothing_soft(records: Records, tmp_path: Path) -> None:
    plain = split_examples(replace(records, weighed=None), split="orbit", seed=0)["train"]
    with pytest.raises(BadOption, match=r"watch\.weighed"):
        make_soft(plain, ORDER, temperature=0.1, legal=False)
    with pytest.raises(BadOption, match=r"watch\.weighed"):
        make_worths(replace(records, weighed=None))
