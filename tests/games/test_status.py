"""What the board does not show, in words."""

from __future__ import annotations

import pytest

from understudy.games import find_game


@pytest.mark.parametrize(
    ("name", "position", "words"),
    [
        ("morris", "OOOOOOOOOOOOOOOOOOOOOOOO9900", "in hand: white 9, black 9"),
        ("morris", "EOOOOOOOOOOOOOOOOOOOOOOO9801", "in hand: white 8, black 9"),
        ("morris", "MMMEEEEOOOOOOOOOOOOOOOOO0034", "three stones left, may fly: white"),
        ("morris", "MMMEEEOOOOOOOOOOOOOOOOOO0033", "three stones left, may fly: white and black"),
        ("morris", "MMMMEEEEOOOOOOOOOOOOOOOO0044", ""),
        ("chess", "4k3/8/8/8/8/8/4P3/4K3 w - - 3 40", ""),
        ("chess", "4k3/8/8/8/8/8/4R3/4K3 b - - 3 40", "check"),
        ("chess", "4k3/8/8/8/8/8/4R3/4K3 b - - 45 40", "check, 22 of fifty moves without a capture or a pawn's move"),
    ],
)
def test_status(name: str, position: str, words: str) -> None:
    game = find_game(name)
    assert game.status(game.read(position)) == words


@pytest.mark.parametrize("name", ["konane", "lines_of_action"])
def test_most_boards_show_everything(name: str) -> None:
    game = find_game(name)
    assert game.status(game.start()) == ""


@pytest.mark.parametrize(
    ("name", "position", "meaning"),
    [
        ("morris", "MMEEEEOOOOOOOOOOOOOOOOOO0024", "only two stones are left"),
        ("morris", "MEMOOOOOOEOOOOEOOOOOOMEM0044", "no move is left"),
        ("lines_of_action", "......../......../......../..BB..../......../......../W.W...../........ W", "one group"),
        ("chess", "k7/1Q6/1K6/8/8/8/8/8 b - - 0 1", ""),
    ],
)
def test_reasons_have_a_meaning_where_the_word_does_not_tell(name: str, position: str, meaning: str) -> None:
    game = find_game(name)
    ended = game.read(position)
    assert game.outcome(ended) == -1
    told = game.explain(game.reason(ended))
    assert meaning in told and bool(meaning) == bool(told)


def test_konane_ends_in_one_way() -> None:
    game = find_game("konane")
    assert list(game.notation.REASONS) == [game.kernels.reason(game.start())]
