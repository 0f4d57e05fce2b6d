"""Parts of moves in every game: codes and classes, cells and names, and what is legal, against plain lists of moves."""

from __future__ import annotations

import hashlib
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from tests.conftest import VARIANTS, random_line, run_interpreted
from understudy.errors import BadOption
from understudy.games import CompiledGame, find_game
from understudy.games.batches import NO_MOVE, OPEN, stacked
from understudy.games.legality import PartRules, part_rules
from understudy.games.parts import (
    class_cells,
    find_cells,
    find_unfit,
    may_lack,
    moves_of,
    name_classes,
    order_places,
    parts_of,
)
from understudy.games.rows import features_of, keys_of, row_of, typed


def lines(game: CompiledGame, games: int = 3, plies: int = 40) -> list[tuple[Any, int]]:
    return [pair for seed in range(games) for pair in random_line(game, plies, seed)]


def wild_parts(game: CompiledGame, moves: list[int], seed: int = 1) -> NDArray[np.int64]:
    """Return parts half of which are those of legal moves: some choices fit, some fit in part, most are nonsense."""
    rng = np.random.default_rng(seed)
    wild = np.stack([rng.integers(0, size, len(moves)) for size in game.part_sizes], axis=1)
    legal = parts_of(game, np.array(moves, np.int32))
    return np.where(rng.random(wild.shape) < 0.7, legal, wild)


def test_rows_are_the_positions(any_game: CompiledGame) -> None:
    positions = [position for position, _ in lines(any_game)]
    batch = typed(stacked(positions))
    assert [row_of(batch, row) for row in range(len(positions))] == positions
    assert keys_of(batch).tolist() == [any_game.key(position) for position in positions]
    shown = features_of(batch, any_game.feature_count)
    assert shown.sum(axis=1).tolist() == [_count_features(any_game, position) for position in positions]


def _count_features(game: CompiledGame, position: Any) -> int:
    from understudy.games import rules

    return rules.features(position, np.zeros(512, np.int32))


def test_codes_and_parts_are_one_thing(any_game: CompiledGame) -> None:
    moves = np.array([move for position, _ in lines(any_game) for move in any_game.moves(position)], np.int32)
    parts = parts_of(any_game, moves)
    assert parts.tolist() == [list(any_game.parts(move)) for move in moves.tolist()]
    assert (moves_of(any_game, parts) == moves).all()
    assert parts_of(any_game, np.array([NO_MOVE], np.int32)).tolist() == [[0] * len(any_game.part_names)]


def test_classes_name_the_cells_that_a_person_points_at(any_game: CompiledGame) -> None:
    for position, move in lines(any_game, 2):
        path = any_game.path(position, move)
        if path is not None:
            assert find_cells(any_game, position, move) == sorted(set(path.cells))
        for part, size in enumerate(any_game.part_sizes):
            names = name_classes(any_game, position, part)
            cells = class_cells(any_game, position, part)
            assert len(names) == len(cells) == size and len(set(names)) == size
            on_board = {name for name, cell in zip(names, cells, strict=True) if cell is not None}
            assert on_board <= set(any_game.board.cells)
            assert not on_board or on_board == set(any_game.board.cells)


def test_names_of_classes() -> None:
    chess, small = find_game("chess"), find_game("lines_of_action", (5, 5))
    black = chess.play(chess.start(), chess.read_move(chess.start(), "e4"))
    assert name_classes(chess, chess.start(), 0)[:2] == ["a1", "b1"]
    assert name_classes(chess, black, 0)[:2] == ["a8", "b8"]
    assert name_classes(chess, black, 2) == ["none", "knight", "bishop", "rook", "queen"]
    assert name_classes(small, small.start(), 1)[4:9] == ["e1", "f1", "g1", "h1", "a2"]
    assert class_cells(small, small.start(), 1)[4:9] == [4, None, None, None, 5]
    morris = find_game("morris")
    assert name_classes(morris, morris.start(), 2)[:2] == ["none", "a7"]
    assert [may_lack(chess, part) for part in range(3)] == [False, False, True]
    assert [may_lack(morris, part) for part in range(3)] == [True, True, True]


def test_what_is_unfit_is_what_no_legal_move_has(any_game: CompiledGame) -> None:
    for position, move in lines(any_game, 1)[::5]:
        chosen = any_game.parts(move)
        legal = [any_game.parts(one) for one in any_game.moves(position) if any_game.parts(one)[0] == chosen[0]]
        fit = {class_cells(any_game, position, 1)[parts[1]] for parts in legal}
        unfit = set(find_unfit(any_game, position, 1, {0: chosen[0]}))
        assert not fit & unfit
        assert fit | unfit - {None} >= {cell for cell in class_cells(any_game, position, 1) if cell is not None}


def test_an_order_that_a_game_does_not_have() -> None:
    assert order_places(("from", "to", "promotion"), "PTF") == (2, 1, 0)
    assert order_places(("from", "to"), "") == (0, 1)
    with pytest.raises(BadOption, match=r"student.order: 'TFR' is not an order of the letters F, T$"):
        order_places(("from", "to"), "TFR")


# Legality against a second implementation: sets of parts of listed moves.


def plain_follow(game: CompiledGame, position: Any, order: tuple[int, ...], chosen: list[int]) -> list[set[int]]:
    legal = [game.parts(move) for move in game.moves(position)]
    sets = []
    for place in range(len(order)):
        fitting = [parts for parts in legal if all(chosen[at] in (OPEN, parts[order[at]]) for at in range(place))]
        sets.append({parts[order[place]] for parts in fitting})
    return sets


def plain_judge(game: CompiledGame, position: Any, chosen: list[int]) -> dict[str, bool]:
    legal, names = [game.parts(move) for move in game.moves(position)], game.part_names
    held = {name: any(parts[at] == chosen[at] for parts in legal) for at, name in enumerate(names)}
    for last in range(1, len(names)):
        together = any(list(parts[: last + 1]) == chosen[: last + 1] for parts in legal)
        held["_".join(reversed(names[: last + 1]))] = together
    return held | {"whole": any(list(parts) == chosen for parts in legal)}


def test_legality_is_what_the_list_of_moves_says(any_game: CompiledGame) -> None:
    pairs = lines(any_game)
    positions, moves = [position for position, _ in pairs], [move for _, move in pairs]
    rules, batch, parts = PartRules(any_game), stacked(positions), wild_parts(any_game, moves)
    held = rules.judge_choices(batch, parts)
    assert 0.05 < held["whole"].mean() < 0.95
    for order in (tuple(range(parts.shape[1])), tuple(reversed(range(parts.shape[1])))):
        chosen = parts[:, list(order)]
        sets = rules.unpacked(rules.follow(batch, order=order, chosen=chosen))
        for row, position in enumerate(positions):
            expected = plain_follow(any_game, position, order, chosen[row].tolist())
            assert [set(np.flatnonzero(flags).tolist()) for flags in sets[row]] == expected
            assert {name: bool(flags[row]) for name, flags in held.items()} == plain_judge(
                any_game, position, parts[row].tolist()
            )
        both = rules.look(batch, order=order, parts=parts)
        assert (rules.unpacked(both[0]) == sets).all()
        assert all((both[1][name] == flags).all() for name, flags in held.items()) and list(both[1]) == list(held)
        for place in range(len(order)):
            one = rules.allowed(batch, order=order, given=chosen[:, :place])
            assert (rules.unpacked(one) == sets[:, place]).all()


def test_nothing_is_legal_when_the_game_is_over() -> None:
    game = find_game("lines_of_action", (5, 5))
    position, rng = game.start(), np.random.default_rng(3)
    while moves := game.moves(position):
        position = game.play(position, moves[rng.integers(len(moves))])
    rules = part_rules(game)
    assert not rules.follow(stacked([position]), order=(0, 1), chosen=np.zeros((1, 2))).any()


def test_the_generic_rules_agree_with_those_of_morris() -> None:
    game = find_game("morris")
    pairs = lines(game, 12, 70)
    batch = stacked([position for position, _ in pairs])
    parts = wild_parts(game, [move for _, move in pairs])
    own, generic = part_rules(game), PartRules(game)
    assert type(own) is not PartRules and own.checkers == {"": False, "authors.": True}
    for order in ((0, 1, 2), (2, 1, 0), (1, 0, 2)):
        chosen = parts[:, list(order)]
        assert (
            own.follow(batch, order=order, chosen=chosen) == generic.follow(batch, order=order, chosen=chosen)
        ).all()
    theirs, ours = own.judge_choices(batch, parts), generic.judge_choices(batch, parts)
    assert (theirs["whole"] == ours["whole"]).all() and 0.05 < ours["whole"].mean() < 0.95
    assert (own.phases(batch)["phase1"] == (batch.hand > 0)).all() and generic.phases(batch) == {}


def digest(variants: list[Any]) -> str:
    state = hashlib.sha256()
    for variant in variants:
        game = find_game(*variant)
        pairs = lines(game, 1, 12)
        batch, rules = stacked([position for position, _ in pairs]), PartRules(game)
        parts = wild_parts(game, [move for _, move in pairs])
        order = tuple(range(parts.shape[1]))
        state.update(rules.follow(batch, order=order, chosen=parts).tobytes())
        state.update(b"".join(flags.tobytes() for flags in rules.judge_choices(batch, parts).values()))
        state.update(features_of(batch, game.feature_count).tobytes() + keys_of(batch).tobytes())
    return state.hexdigest()


def test_kernels_answer_alike_compiled_and_interpreted() -> None:
    assert run_interpreted("test_parts", f"digest({VARIANTS!r})") == digest(VARIANTS)
