"""Every move has one number, whatever its game."""

from __future__ import annotations

from copy import deepcopy

import numpy as np
import pytest

from tests.conftest import random_line
from understudy.adapters.actions import Actions, choose_game
from understudy.errors import BadOption, IllegalMove, UnknownName
from understudy.games import CompiledGame, find_game, rules


def test_numbers_have_no_gaps_and_are_the_parts_read_as_digits(any_game: CompiledGame) -> None:
    actions = Actions(any_game)
    assert actions.count == np.prod(any_game.part_sizes) == len(set(actions.codes.tolist()))
    for position, move in random_line(any_game, 60, seed=3):
        action = actions.action(move)
        assert actions.move(action) == move
        assert action == np.ravel_multi_index(any_game.parts(move), any_game.part_sizes)
        legal = actions.legal(position)
        assert legal == sorted(legal) and {actions.move(number) for number in legal} == set(any_game.moves(position))
        assert np.flatnonzero(actions.mask(position)).tolist() == legal


def test_each_side_sees_the_features_by_its_own_eyes(any_game: CompiledGame) -> None:
    actions = Actions(any_game)
    for position, _ in random_line(any_game, 20, seed=5):
        mover = position.ply % 2
        out = np.zeros(any_game.feature_count, np.int32)
        held = set(out[: rules.features(position, out)].tolist())
        assert set(np.flatnonzero(actions.features(position, mover)).tolist()) == held
        other = rules.turn(position)
        assert (actions.features(position, 1 - mover) == actions.features(other, other.ply % 2)).all()


def test_a_number_that_no_move_has(any_game: CompiledGame) -> None:
    actions = Actions(any_game)
    for number in (-1, actions.count):
        with pytest.raises(IllegalMove, match=f"no action {number}; they are 0 to {actions.count - 1}"):
            actions.move(number)


def test_a_copy_is_the_table_itself() -> None:
    actions = Actions(find_game("konane", (4, 4)))
    assert deepcopy([actions])[0] is actions


@pytest.mark.parametrize("size", [6, "6", "6x6", (6, 6)])
def test_ways_to_write_a_size(size: int | str | tuple[int, int]) -> None:
    assert choose_game("konane", size, {}) is find_game("konane", (6, 6))


def test_bad_names_sizes_and_rules_are_one_sentence() -> None:
    with pytest.raises(UnknownName, match="no game 'konan'; did you mean 'konane'"):
        choose_game("konan", None, {})
    with pytest.raises(BadOption, match="99x99"):
        choose_game("konane", 99, {})
    with pytest.raises(BadOption, match="size 'large' is not a board size"):
        choose_game("konane", "large", {})
    with pytest.raises(BadOption, match="chess has no rule 'bold'"):
        choose_game("chess", None, {"bold": "yes"})
    with pytest.raises(BadOption, match="konane has its size and rules already"):
        choose_game(find_game("konane"), 6, {})
