"""Images of many positions at once, and encoders that know where their columns go: in every game."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from tests.conftest import random_line
from understudy.games import CompiledGame, find_game
from understudy.games.batches import NO_MOVE, stacked, taken, unstacked
from understudy.games.images import expand, name_orbits, permute_moves, turn_boards
from understudy.games.layout import Encoder, find_encoder, find_encoders
from understudy.records.examples import find_expansion, orbit_names


def lines(game: CompiledGame, games: int = 3, plies: int = 60) -> tuple[Any, np.ndarray[Any, Any]]:
    pairs = [pair for seed in range(games) for pair in random_line(game, plies, seed)]
    return stacked([position for position, _ in pairs]), np.array([move for _, move in pairs], np.int32)


def name(game: CompiledGame, position: Any) -> Any:
    return position._replace(ply=0), game.key(position)


def test_images_are_those_of_one_position_after_another(any_game: CompiledGame) -> None:
    batch, moves = lines(any_game)
    positions, codes, origins = expand(any_game, batch, moves)
    assert (np.diff(origins) >= 0).all()
    images = list(zip(unstacked(positions), codes.tolist(), strict=True))
    for row, (position, move) in enumerate(zip(unstacked(batch), moves.tolist(), strict=True)):
        mine = [images[at] for at in np.flatnonzero(origins == row)]
        assert mine[0] == (position, move), "the row itself comes first"
        expected = set(any_game.symmetries(position, move))
        assert len(mine) == len(expected) and set(mine) == expected


def test_orbits_have_one_name(any_game: CompiledGame) -> None:
    batch, moves = lines(any_game, 2)
    names = name_orbits(any_game, batch)
    for row, position in enumerate(unstacked(batch)):
        keys = [any_game.key(image) for image, _ in any_game.symmetries(position, int(moves[row]))]
        assert int(names[row]) == min(keys)
    positions, _, origins = expand(any_game, batch, moves)
    assert (name_orbits(any_game, positions) == names[origins]).all()
    assert (orbit_names(any_game, positions) == orbit_names(any_game, batch)[origins]).all()


def test_no_rows_have_no_images(any_game: CompiledGame) -> None:
    batch, moves = lines(any_game, 1)
    nothing = taken(batch, slice(0, 0))
    positions, codes, origins = expand(any_game, nothing, moves[:0])
    for encoder in find_encoders(any_game).values():
        assert encoder.encode(nothing).shape == (0, encoder.layout.width)
    assert len(positions.ply) == len(codes) == len(origins) == len(name_orbits(any_game, nothing)) == 0


def test_where_nobody_moved_nobody_does() -> None:
    game = find_game("konane", (4, 4))
    moves = np.array([NO_MOVE, 0, NO_MOVE], np.int32)
    turned = permute_moves(game, moves, game.notation.symmetries(game.start())[1])
    assert turned[[0, 2]].tolist() == [NO_MOVE, NO_MOVE] and turned[1] != NO_MOVE


def test_the_general_expansion_of_morris_is_its_own() -> None:
    game = find_game("morris")
    batch, moves = lines(game, 12, 80)
    own, generic = find_expansion(game, "proper")(batch, moves), expand(game, batch, moves)
    assert own[2].tolist() == generic[2].tolist()
    for row in range(0, len(moves), 7):
        sides = [
            {(repr(at), int(move)) for at, move in zip(unstacked(taken(one[0], rows)), one[1][rows], strict=True)}
            for one in (own, generic)
            for rows in [one[2] == row]
        ]
        assert sides[0] == sides[1]


def columns_of(encoder: Encoder) -> dict[tuple[int, int], int]:
    layout = encoder.layout
    pairs = zip(layout.about.tolist(), layout.channels.tolist(), strict=True)
    return {pair: place for place, pair in enumerate(pairs)}


def test_a_symmetry_only_moves_columns(any_game: CompiledGame) -> None:
    batch, _ = lines(any_game, 2)
    for encoder in find_encoders(any_game).values():
        shown = encoder.encode(batch)
        assert shown.shape == (len(batch.ply), encoder.layout.width) and shown.dtype == np.int8
        if not encoder.symmetric:
            continue
        columns, moved = columns_of(encoder), encoder.layout.classes.images
        boards = turn_boards(any_game, batch)
        assert len(boards) == len(moved)
        for board, classes in zip(boards, moved, strict=True):
            target = [columns[int(classes[about]), channel] for about, channel in columns]
            assert (encoder.encode(board)[:, target] == shown).all()


def test_classes_of_parts_move_as_moves_do(any_game: CompiledGame) -> None:
    batch, moves = lines(any_game, 2)
    encoder = find_encoder(any_game, "")
    images = [encoder.images(size) for size in any_game.part_sizes]
    count = len(encoder.layout.classes.images)
    for position, move in zip(unstacked(batch), moves.tolist(), strict=True):
        parts = any_game.parts(move)
        for turn, (_, image) in enumerate(any_game.symmetries(position, move)[:count]):
            if any(parts) or any_game.name != "lines_of_action":  # a pass is from a1 to a1 on every image of a board
                assert [moved[turn, part] for moved, part in zip(images, parts, strict=True)] == list(
                    any_game.parts(image)
                )


def test_chess_as_a_bitmap_is_seen_by_the_mover() -> None:
    game = find_game("chess")
    texts = ["4k3/8/8/8/3pP3/8/8/R3K3 b Q e3 0 1", "4k2r/8/8/8/8/8/8/4K3 w k - 0 1"]
    shown = find_encoder(game, "bitmap").encode(stacked([game.read(text) for text in texts]))
    assert shown.shape == (2, 12 * 64 + 4 + 8)
    planes = {(int(at) // 64, int(at) % 64) for at in np.flatnonzero(shown[0, :768])}
    # As Black sees it: its pawn on d5, its king on e1; White's pawn on e5, rook on a8, king on e8.
    assert planes == {(0, 35), (5, 4), (6, 36), (9, 56), (11, 60)}
    assert shown[0, 768:772].tolist() == [0, 0, 0, 1] and np.flatnonzero(shown[0, 772:]).tolist() == [4]
    assert shown[1, 768:772].tolist() == [0, 0, 1, 0] and not shown[1, 772:].any()


def test_cells_of_small_boards() -> None:
    konane, lines_of_action = find_game("konane", (4, 4)), find_game("lines_of_action", (5, 5))
    shown = find_encoder(konane, "").encode(stacked([konane.start()]))[0]
    assert shown[:16].reshape(4, 4)[0].tolist() == [1, 0, 1, 0] and shown[32:].sum() == 0
    shown = find_encoder(lines_of_action, "cells").encode(stacked([lines_of_action.start()]))[0].reshape(3, 8, 8)
    assert shown.sum(axis=(1, 2)).tolist() == [6, 6, 13] and not shown[:, 5:].any() and not shown[:, :, 5:].any()


@pytest.mark.parametrize("name", ["konane", "lines_of_action", "chess"])
def test_every_game_shows_its_features(name: str) -> None:
    game = find_game(name)
    encoder = find_encoder(game, "features")
    assert encoder.encode(stacked([game.start()])).shape == (1, game.feature_count) and not encoder.symmetric
