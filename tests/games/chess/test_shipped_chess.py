"""The student of chess that ships: what its file says, and that it plays as its card says."""

from __future__ import annotations

import pytest

from understudy.backends import Local
from understudy.errors import BadOption
from understudy.games import find_game
from understudy.judges.tournament import play_match
from understudy.players import make_player
from understudy.players.student_files import SHIPPED, usual_opponent
from understudy.tensors import load_facts

NAME = "student:chess"
GAME = find_game("chess")


def test_its_file_and_its_card_agree() -> None:
    facts = load_facts(SHIPPED / "chess.safetensors")
    card = (SHIPPED / "chess.md").read_text(encoding="utf-8")
    assert facts["experiment"] == "chess_best" and facts["dataset"] == "far"
    for number in (facts["learned_from"], facts["parameters"]):
        assert f"{number:,}".replace(",", " ") in card


def test_it_looks_one_ply_ahead_and_is_whom_one_plays() -> None:
    assert make_player(NAME, GAME).limits.depth == 1  # type: ignore[attr-defined]
    assert usual_opponent(GAME) == NAME
    with pytest.raises(BadOption, match="not check"):
        make_player(f"{NAME},check=legal", GAME)


@pytest.mark.parametrize(
    ("fen", "best"),
    [
        ("6k1/5ppp/8/8/8/8/5PPP/3R2K1 w - - 0 1", "Rd8#"),
        ("3r2k1/5ppp/8/8/8/8/5PPP/6K1 b - - 0 1", "Rd1#"),
        ("r1bqkbnr/pppp1ppp/2n5/4p2Q/2B1P3/8/PPPP1PPP/RNB1K1NR w KQkq - 0 4", "Qxf7#"),
        ("rnb1kbnr/pppp1ppp/8/4p1q1/4P3/3P4/PPP2PPP/RNBQKBNR w KQkq - 1 3", "Bxg5"),
    ],
)
def test_it_takes_mates_and_queens(fen: str, best: str) -> None:
    position = GAME.read(fen)
    assert GAME.write_move(position, make_player(NAME, GAME).choose([position])[0].move) == best


def test_it_beats_random_play() -> None:
    won, _, lost = play_match(GAME, (NAME, "random"), games=10, seed=3, backend=Local(1), opening_plies=2).score()
    assert lost == 0 and won >= 8
