"""The Konane students that ship: they are there, have a card, say what they learned, and play as well as it says."""

from __future__ import annotations

import pytest

from understudy.backends import Local
from understudy.games import find_game
from understudy.judges.tournament import play_match
from understudy.judges.value_kept import exam_positions, grade_positions, value_kept
from understudy.players import make_player
from understudy.players.student_files import SHIPPED, load_session

SHIPPING = sorted(path for path in SHIPPED.glob("konane_[0-9].onnx"))


@pytest.mark.parametrize("path", SHIPPING, ids=lambda path: path.stem)
def test_a_student_that_ships(path: object) -> None:
    name = getattr(path, "stem", "")
    side = int(name.removeprefix("konane_"))
    facts = load_session(SHIPPED / f"{name}.onnx")[1]
    assert facts["game"] == "konane" and facts["size"] == f"{side}x{side}"
    card = (SHIPPED / f"{name}.md").read_text(encoding="utf-8")
    assert f"\n# student:{name}\n" in card and str(facts["experiment"]) in card
    game = find_game("konane", (side, side))
    meeting = play_match(game, (f"student:{name}", "random"), games=50, seed=3, backend=Local(1), opening_plies=0)
    wins = meeting.score()[0]
    assert wins >= 44  # 4x4 cannot be won more often than 97 in 100


def test_konane_4_keeps_every_value() -> None:
    game = find_game("konane", (4, 4))
    verdict = value_kept(make_player("student:konane_4", game), grade_positions(game, exam_positions(game)))
    assert verdict["value_kept"].value == 1.0


def test_konane_6_keeps_most_values_of_late_positions() -> None:
    """Late ones alone: early ones take minutes to solve."""
    game = find_game("konane", (6, 6))
    positions = exam_positions(game, limit=3000, seed=7)
    late = type(positions)(*(field[positions.ply >= 14] for field in positions))
    verdict = value_kept(make_player("student:konane_6", game), grade_positions(game, late))
    assert (verdict["value_kept.critical"].value or 0.0) > 0.85


def test_all_three_sizes_ship() -> None:
    assert [path.stem for path in SHIPPING] == ["konane_4", "konane_6", "konane_8"]
