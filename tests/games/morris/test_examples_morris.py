"""Expansion and splits: the authors' counts, no leak in the honest split, the leak in the other."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.conftest import random_line
from understudy.errors import BadOption, UnknownName
from understudy.games import find_game
from understudy.games.batches import NO_MOVE, size, stacked, taken, unstacked
from understudy.games.morris.batches import authors_images, image, images, keys, moves_of, orbit_keys, parts_of
from understudy.games.morris.notation import SYMMETRIES
from understudy.records.examples import Fold, all_examples, split_examples
from understudy.records.store import Records, load_any, lone_pairs

GAME = find_game("morris")


def pairs(count: int) -> tuple[Any, Any]:
    lines = [pair for seed in range(count) for pair in random_line(GAME, 80, seed)]
    return stacked([position for position, _ in lines]), np.array([move for _, move in lines], np.int32)


def records(batch: Any, moves: Any) -> Records:
    return lone_pairs(GAME, batch, moves, source="random games")


def test_images_are_the_game_s_own_symmetries() -> None:
    batch, moves = pairs(3)
    turned, codes, origins = images(batch, moves)
    for row, (position, move) in enumerate(zip(unstacked(batch), moves, strict=True)):
        mine = np.flatnonzero(origins == row)
        turned_pairs = {
            (GAME.write(p), int(m)) for p, m in zip(unstacked(taken(turned, mine)), codes[mine], strict=True)
        }
        assert turned_pairs == {(GAME.write(p), m) for p, m in GAME.symmetries(position, int(move))}
        assert len(turned_pairs) == len(mine)


def test_orbit_keys_are_equal_for_images_alone() -> None:
    batch, moves = pairs(2)
    turned, _, origins = images(batch, moves)
    assert np.array_equal(orbit_keys(turned), orbit_keys(batch)[origins])
    names = {min(GAME.write(p) for p, _ in GAME.symmetries(position, int(moves[0]))) for position in unstacked(batch)}
    assert len(np.unique(orbit_keys(batch))) == len(names)


def test_parts_and_moves_round_trip() -> None:
    _, moves = pairs(2)
    assert np.array_equal(moves_of(parts_of(moves)), moves)
    assert parts_of(moves)[0].tolist() == list(GAME.parts(int(moves[0])))
    assert parts_of(np.array([NO_MOVE], np.int32)).tolist() == [[0, 0, 0]]
    batch, _ = pairs(1)
    assert (image(batch, np.full(size(batch), NO_MOVE, np.int32), SYMMETRIES[3])[1] == NO_MOVE).all()


def test_the_authors_expansion_has_their_number_of_rows(shared: Path) -> None:
    for name, rows, distinct, classes in (
        ("DATASET", 1_628_673, 1_620_719, 99_746),
        ("STATES", 2_085_613, 2_077_589, 121_200),
    ):
        read = load_any(shared / "data" / "nnmm" / f"{name}.complete.txt", GAME)[0]
        turned, _, _ = authors_images(read.positions, read.moves)
        assert size(turned) == rows
        assert len(np.unique(keys(turned))) == distinct
        assert len(np.unique(orbit_keys(read.positions))) == classes


def test_the_honest_split_leaks_nothing_and_the_other_does() -> None:
    batch, moves = pairs(40)
    sides = split_examples(records(batch, moves), split="orbit", seed=1)
    names = {side: set(orbit_keys(examples.positions).tolist()) for side, examples in sides.items()}
    assert not names["train"] & names["test"] and not names["train"] & names["validation"]
    assert not names["test"] & names["validation"]
    assert set().union(*names.values()) == set(orbit_keys(batch).tolist())
    assert abs(len(names["test"]) / sum(map(len, names.values())) - 0.10) < 0.01
    leaking = split_examples(records(batch, moves), split="expanded", seed=1)
    trained = set(orbit_keys(leaking["train"].positions).tolist())
    assert set(orbit_keys(leaking["test"].positions).tolist()) <= trained
    assert sum(len(side.moves) for side in leaking.values()) == len(authors_images(batch, moves)[1])


def test_the_seed_decides_the_split() -> None:
    batch, moves = pairs(5)
    a, b, c = (
        split_examples(records(batch, moves), split="orbit", seed=seed)["test"].origins.tolist() for seed in (1, 1, 2)
    )
    assert a == b != c


@pytest.mark.parametrize("split", ["orbit", "orbit_once"])
def test_folds_test_every_record_once(split: str) -> None:
    batch, moves = pairs(20)
    known = records(batch, moves)
    classes = len(np.unique(orbit_keys(batch)))
    plain = split_examples(known, split=split, seed=1)
    every = np.sort(np.concatenate([np.unique(side.origins) for side in plain.values()])).tolist()
    tested: list[int] = []
    for number in range(4):
        sides = split_examples(known, split=split, seed=1, fold=Fold(number, 4))
        names = {side: set(orbit_keys(examples.positions).tolist()) for side, examples in sides.items()}
        assert not names["train"] & names["test"] and not names["train"] & names["validation"]
        assert not names["test"] & names["validation"]
        assert len(names["test"]) in (classes // 4, classes // 4 + 1)
        assert len(names["validation"]) == int(classes * 0.05)
        assert sum(map(len, names.values())) == classes
        tested += sides["test"].origins.tolist()
    assert sorted(tested) == every


def test_more_folds_than_classes_are_refused() -> None:
    batch, moves = pairs(1)
    few = records(taken(batch, np.arange(3)), moves[:3])
    with pytest.raises(BadOption, match=r"examples.folds = 4: there are only 3 classes of symmetric positions"):
        split_examples(few, split="orbit", seed=0, fold=Fold(0, 4))


def test_rows_without_moves() -> None:
    batch, moves = pairs(1)
    with pytest.raises(BadOption, match="hold no moves"):
        split_examples(records(batch, np.full_like(moves, NO_MOVE)), split="orbit", seed=0)
    some = np.where(np.arange(len(moves)) % 2, moves, NO_MOVE).astype(np.int32)
    sides = split_examples(records(batch, some), split="orbit", seed=0)
    assert all((side.moves != NO_MOVE).all() for side in sides.values())


def test_a_game_without_authors_says_so() -> None:
    konane = find_game("konane")
    pairs = lone_pairs(
        konane, stacked([konane.start()]), np.array(konane.moves(konane.start())[:1], np.int32), source=""
    )
    with pytest.raises(UnknownName, match="no expansion of konane 'authors'; there are: none, proper"):
        split_examples(pairs, split="expanded", seed=0)
    images = set(konane.symmetries(konane.start(), int(pairs.moves[0])))
    assert len(split_examples(pairs, split="orbit", seed=0)["train"].moves) == len(images)


def test_unknown_names() -> None:
    batch, moves = pairs(1)
    with pytest.raises(UnknownName, match="did you mean 'orbit'"):
        split_examples(records(batch, moves), split="orbits", seed=0)
    with pytest.raises(UnknownName, match="no expansion of morris 'propr'; did you mean 'proper'"):
        all_examples(records(batch, moves), expansion="propr")


def test_one_record_of_each_class_is_enough() -> None:
    batch, moves = pairs(3)
    turned, codes, _ = images(batch, moves)
    sides = split_examples(records(turned, codes), split="orbit_once", seed=1)
    whole = split_examples(records(turned, codes), split="orbit", seed=1)
    kept = np.concatenate([np.unique(side.origins) for side in sides.values()])
    assert len(kept) == len(np.unique(orbit_keys(batch)))
    assert len(np.unique(orbit_keys(taken(turned, kept)))) == len(kept)
    for side, examples in sides.items():
        assert {*examples.origins.tolist()} <= {*whole[side].origins.tolist()}
    pair = np.stack([keys(sides["train"].positions), sides["train"].moves.astype(np.uint64)])
    assert np.unique(pair, axis=1).shape == pair.shape  # no pair twice after expansion
