"""What every game promises. A new game in the table is tested here before its author writes a test."""

from __future__ import annotations

import hashlib
import pickle
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.conftest import VARIANTS, random_line, run_interpreted, variant_name
from understudy.errors import BadOption, IllegalMove, NotationError, UnderstudyError, UnknownName
from understudy.games import GAMES, CompiledGame, find_game, rules
from understudy.games.drawing import draw_svg, draw_text
from understudy.games.kind import ONGOING


def lines(game: CompiledGame, games: int = 6, plies: int = 60) -> list[tuple[Any, int]]:
    return [pair for seed in range(games) for pair in random_line(game, plies, seed)]


def test_moves_are_ascending_distinct_and_small(game: CompiledGame) -> None:
    for position, _ in lines(game):
        moves = game.moves(position)
        assert moves == sorted(set(moves))
        assert moves[0] >= 0
        assert moves[-1] < 65535
        assert len(moves) <= game.most_moves


def test_counting_agrees_with_listing(game: CompiledGame) -> None:
    out = np.zeros(game.most_moves, np.int32)
    for position, _ in lines(game):
        assert rules.count(position) == rules.moves(position, out)
        assert rules.movable(position) == (rules.count(position) > 0)


def test_play_changes_sides_and_counts_plies(game: CompiledGame) -> None:
    for position, move in lines(game, 2):
        before = pickle.dumps(position)
        after = game.play(position, move)
        assert after.ply == position.ply + 1
        assert pickle.dumps(position) == before
        assert type(after) is type(position)


def test_an_illegal_move_is_refused(game: CompiledGame) -> None:
    for position, _ in lines(game, 1):
        legal = set(game.moves(position))
        illegal = next(code for code in range(65536) if code not in legal)
        with pytest.raises(IllegalMove, match=game.name):
            game.play(position, illegal)


def test_positions_and_moves_round_trip_through_text(game: CompiledGame) -> None:
    for position, move in lines(game):
        again = game.read(game.write(position))
        assert game.key(again) == game.key(position)
        assert game.write(again) == game.write(position)
        assert game.read_move(position, game.write_move(position, move)) == move
    texts = [game.write_move(position, move) for position, _ in lines(game, 1) for move in game.moves(position)[:1]]
    assert all(text.strip() == text and text for text in texts)


def test_move_texts_are_distinct(game: CompiledGame) -> None:
    for position, _ in lines(game, 2, 30):
        texts = [game.write_move(position, move) for move in game.moves(position)]
        assert len(set(texts)) == len(texts)


def test_parts_identify_a_move(game: CompiledGame) -> None:
    for position, _ in lines(game):
        moves = game.moves(position)
        parts = [game.parts(move) for move in moves]
        assert len(set(parts)) == len(parts)
        assert [game.notation.joined(numbers) for numbers in parts] == moves
        for numbers in parts:
            assert len(numbers) == len(game.part_names) == len(game.part_sizes)
            assert all(0 <= number < size for number, size in zip(numbers, game.part_sizes, strict=True))


def test_symmetries_keep_legality_and_outcome(game: CompiledGame) -> None:
    for position, move in lines(game, 3, 40)[::3]:
        images = game.symmetries(position, move)
        assert images[0] == (position, move)
        for image, moved in images:
            assert moved in game.moves(image)
            assert len(game.moves(image)) == len(game.moves(position))
            assert game.outcome(game.play(image, moved)) == game.outcome(game.play(position, move))


def test_keys_agree_with_placements(game: CompiledGame) -> None:
    texts: dict[int, str] = {}
    for position, _ in lines(game, 20, 40):
        placement = repr(position._replace(ply=0, **({"clock": 0} if hasattr(position, "clock") else {})))
        assert texts.setdefault(game.key(position), placement) == placement
    assert len(set(texts.values())) == len(texts)


def test_random_games_end(game: CompiledGame) -> None:
    limit = 3000
    ended = 0
    for seed in range(3):
        line = random_line(game, limit, seed)
        last = game.play(*line[-1])
        if len(line) < limit:
            ended += 1
            assert game.outcome(last) is not None
            assert game.moves(last) == []
            assert game.reason(last)
    assert ended > 0


def test_positions_pickle_and_hash(game: CompiledGame) -> None:
    for position, _ in lines(game, 1):
        assert pickle.loads(pickle.dumps(position)) == position
        assert hash(position) == hash(rules.sealed(position))
    assert pickle.loads(pickle.dumps(game)) == game


def test_turning_twice_gives_the_position_back(game: CompiledGame) -> None:
    for position, _ in lines(game, 2):
        twice = rules.turn(rules.turn(position))
        keep = {"ply": 0, **({"passant": 0, "clock": 0} if hasattr(position, "passant") else {})}
        assert twice._replace(**keep) == position._replace(**keep)


def test_features_name_every_stone_once(game: CompiledGame) -> None:
    out = np.zeros(512, np.int32)
    for position, _ in lines(game, 2):
        present = out[: rules.features(position, out)].tolist()
        assert len(set(present)) == len(present)
        assert all(0 <= feature < game.feature_count for feature in present)
        on_board = sum(bool(stone) for stone in game.stones(position))
        assert len(present) - on_board in (0, getattr(position, "hand", 0) + getattr(position, "their_hand", 0))


def test_a_drawing_has_one_mark_for_each_stone(game: CompiledGame) -> None:
    for position, _ in lines(game, 1)[::7]:
        stones = game.stones(position)
        assert len(stones) == len(game.board.cells)
        rows = [
            line.split(maxsplit=1)[1] if " " in line.strip() else line
            for line in draw_text(game.board, stones).splitlines()[:-1]
        ]
        marks = "".join(rows)
        for mark, colour in (("O", "white"), ("X", "black")):
            if game.name != "chess":
                assert marks.count(mark) == stones.count(colour)
        svg = draw_svg(game.board, stones, title="a <test>")
        drawn = svg.count("<g transform") if game.name == "chess" else svg.count('r="17"')
        assert drawn == sum(bool(stone) for stone in stones)
        assert "<test>" not in svg


@pytest.mark.parametrize("variant", VARIANTS, ids=variant_name)
@settings(max_examples=150, suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow])
@given(data=st.data())
def test_no_text_breaks_a_reader(variant: Any, data: st.DataObject) -> None:
    game = find_game(*variant)
    start = game.start()
    good = game.write(start)
    text = data.draw(st.one_of(st.text(max_size=100), _mutations(good)))
    try:
        position = game.read(text)
    except NotationError as error:
        assert "\n" not in str(error)
    else:
        assert game.key(game.read(game.write(position))) == game.key(position)
        game.outcome(position)
        for move in game.moves(position)[:3]:
            game.play(position, move)
    first = game.write_move(start, game.moves(start)[0])
    text = data.draw(st.one_of(st.text(max_size=12), _mutations(first)))
    try:
        assert game.read_move(start, text) in game.moves(start)
    except (NotationError, IllegalMove) as error:
        assert "\n" not in str(error)


def _mutations(text: str) -> st.SearchStrategy[str]:
    """Return texts near a good one: characters replaced, doubled and dropped."""
    edit = st.tuples(
        st.integers(0, max(len(text) - 1, 0)), st.sampled_from([*"/ .-xOMEBW0123456789abKQkqnPp", "", "\n", "é"])
    )

    def apply(edits: list[tuple[int, str]]) -> str:
        letters = list(text)
        for place, letter in edits:
            letters[place] = letter
        return "".join(letters)

    return st.lists(edit, max_size=4).map(apply)


def test_sizes_and_switches_that_do_not_exist_are_refused() -> None:
    for name, size in (
        ("morris", (8, 8)),
        ("chess", (7, 8)),
        ("konane", (9, 9)),
        ("konane", (1, 4)),
        ("lines_of_action", (9, 9)),
        ("lines_of_action", (6, 5)),
    ):
        with pytest.raises(BadOption, match=f"{size[0]}x{size[1]}"):
            find_game(name, size)
    for name in GAMES:
        with pytest.raises(UnderstudyError, match="colour"):
            find_game(name, None, {"colour": "red"})
    with pytest.raises(UnknownName, match="did you mean 'draw'"):
        find_game("lines_of_action", None, {"both_connected": "drew"})
    with pytest.raises(UnknownName, match="did you mean 'konane'"):
        find_game("konani")


def digest(variants: list[Any]) -> str:
    """Return a hash of what every kernel answers over random games."""
    state = hashlib.sha256()
    for variant in variants:
        game = find_game(*variant)
        out = np.zeros(max(game.most_moves, 512), np.int32)
        for seed in range(2):
            for position, move in random_line(game, 30, seed):
                moves = out[: rules.moves(position, out)].tolist()
                answers = [moves, rules.count(position), rules.movable(position), int(rules.key(position))]
                answers += [[rules.promise(position, code) for code in moves], repr(rules.play(position, move))]
                answers += [rules.outcome(position, len(moves)), repr(rules.turn(position))]
                answers += [out[: rules.features(position, out)].tolist()]
                state.update(repr(answers).encode())
    return state.hexdigest()


def test_kernels_answer_alike_compiled_and_interpreted() -> None:
    assert run_interpreted("test_contract", f"digest({VARIANTS!r})") == digest(VARIANTS)


def test_a_game_goes_on_at_its_start(game: CompiledGame) -> None:
    assert rules.outcome(game.start(), rules.count(game.start())) == ONGOING
    assert game.outcome(game.start()) is None
