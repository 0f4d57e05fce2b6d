"""Students as ONNX files for other programs: their graphs say what the networks say that play."""

from __future__ import annotations

import math
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.conftest import ROOT, random_line
from understudy.errors import BadOption, FileError
from understudy.games import find_game
from understudy.games.chess.inputs.standings import ROWS
from understudy.games.chess.players.students import standing_evaluator
from understudy.players import make_player
from understudy.players.evolved import evaluator_of, load_evolved, save_evolved
from understudy.players.exporting import export_student, feed_student
from understudy.players.student_files import SHIPPED
from understudy.search.evaluators import value
from understudy.search.evaluators.chromosome import NetworkOptions, make_plan
from understudy.tensors import save_arrays

onnxruntime = pytest.importorskip("onnxruntime")
pytest.importorskip("onnx")
GAMES = {
    "chess": "chess", "lines_of_action": "lines_of_action", "lines_of_action_evolved": "lines_of_action",
    "morris_inside": "morris", "morris_td": "morris",
}  # fmt: skip
"""The students that ship as weights, and what they play."""
CLOSE = 5e-6
"""The search adds whole numbers and takes a quotient of polynomials for tanh: both differ in the seventh digit."""


def network_of(path: Path, game: Any) -> Any:
    if game.name == "chess":
        return standing_evaluator(path, game, str(path))
    return evaluator_of(game, load_evolved(path), str(path))


def draw_positions(game: Any) -> list[Any]:
    """Return positions of random games: with hands full and empty, with many pieces and few."""
    return [position for seed in range(6) for position, _ in random_line(game, 150, seed)][::3]


def ask(file: Path, feed: dict[str, Any]) -> Any:
    return onnxruntime.InferenceSession(str(file)).run(None, feed)[0]


def expect(evaluator: Any, positions: list[Any]) -> Any:
    return np.array([math.tanh(float(value(evaluator, position, True)) / evaluator.scale) for position in positions])


def test_every_student_that_ships_as_weights_is_tried() -> None:
    assert sorted(GAMES) == sorted(path.stem for path in SHIPPED.glob("*.safetensors"))


@pytest.mark.parametrize("name", GAMES)
def test_a_graph_says_what_the_network_says_that_plays(name: str, tmp_path: Path) -> None:
    game, file = find_game(GAMES[name]), tmp_path / "student.onnx"
    export_student(f"student:{name}", file)
    positions = [position for position in draw_positions(game) if name != "chess" or position.clock < 100]
    said = ask(file, feed_student(f"student:{name}", positions))
    wanted = expect(network_of(SHIPPED / f"{name}.safetensors", game), positions)
    assert said.shape == wanted.shape and np.abs(said - wanted).max() < CLOSE
    assert wanted.std() > 0.1 and len(positions) > 100
    one = ask(file, feed_student(f"student:{name}", positions[:1]))
    assert abs(one[0] - said[0]) < CLOSE


@pytest.mark.parametrize("both", [False, True])
@pytest.mark.parametrize("inputs", [("features",), ("board", "nonads"), ("quads", "turn", "threats")])
def test_students_of_runs_are_written_too(inputs: tuple[str, ...], both: bool, tmp_path: Path) -> None:
    game = find_game("lines_of_action", (5, 5))
    network = NetworkOptions(inputs=inputs, hidden=3, both=both)
    alleles = np.random.default_rng(4).normal(0, 0.4, make_plan(game, network).length)
    path, file = tmp_path / "student.safetensors", tmp_path / "out.onnx"
    save_evolved(path, alleles, network=network, facts={"game": "lines_of_action", "size": "5x5"})
    export_student(f"student:{tmp_path}", file)
    positions = draw_positions(game)
    said = ask(file, feed_student(f"student:{tmp_path}", positions))
    assert np.abs(said - expect(network_of(path, game), positions)).max() < CLOSE


def test_a_student_that_is_onnx_already_is_copied(tmp_path: Path) -> None:
    export_student("student:konane_4", tmp_path / "out.onnx")
    assert (tmp_path / "out.onnx").read_bytes() == (SHIPPED / "konane_4.onnx").read_bytes()
    with pytest.raises(BadOption, match="is an ONNX file already"):
        feed_student("student:konane_4", [find_game("konane", (4, 4)).start()])


def test_a_graph_for_others_is_no_player_here(tmp_path: Path) -> None:
    export_student("student:morris_td", tmp_path / "out.onnx")
    with pytest.raises(
        FileError, match="was written for other programs; play 'student:morris_td', of which it was made"
    ):
        make_player(f"student:{tmp_path / 'out.onnx'}", find_game("morris"))


def test_what_is_no_network_inside_the_search_is_refused(tmp_path: Path) -> None:
    with pytest.raises(BadOption, match=r"'searcher:depth=2' is no student"):
        export_student("searcher:depth=2", tmp_path / "out.onnx")
    with pytest.raises(BadOption, match="is written as a network, however it plays"):
        export_student("student:chess,time=1", tmp_path / "out.onnx")
    snapshot = tmp_path / "student.safetensors"
    facts = {"game": "konane", "size": "4x4", "kind": "single", "sizes": [2, 1]}
    save_arrays(snapshot, {"weights": np.zeros(3, np.float32)}, facts)
    with pytest.raises(BadOption, match="a snapshot of a training is not written as ONNX"):
        export_student(f"student:{snapshot}", tmp_path / "out.onnx")
    assert not (tmp_path / "out.onnx").exists()


def test_the_python_of_the_page_works(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (code,) = re.findall(r"```python\n(.*?)```", (ROOT / "docs" / "onnx.md").read_text(encoding="utf-8"), re.DOTALL)
    names: dict[str, Any] = {}
    exec(code, names)
    assert names["value"].shape == (2,) and abs(names["value"]).max() <= 1


def test_the_page_tells_how_lists_are_filled_up() -> None:
    page = (ROOT / "docs" / "onnx.md").read_text(encoding="utf-8")
    for title, fill in (
        ("Lines of Action", find_game("lines_of_action").feature_count),
        ("Nine Men's Morris", find_game("morris").feature_count),
        ("chess (`standings`)", ROWS),
    ):
        (row,) = [line for line in page.splitlines() if line.startswith(f"| {title} |")]
        assert row.endswith(f"| {fill} |")


def test_features_are_numbered_as_the_page_says() -> None:
    """Cells of Morris run ring by ring, hands are as many numbers as stones; cells of Lines of Action row by row."""
    morris, lines = find_game("morris"), find_game("lines_of_action")
    position = morris.start()
    for text in ("a7", "g4", "d7", "c5"):
        position = morris.play(position, morris.read_move(position, text))
    own = {0, 1, *range(48, 48 + 7)}
    other = {24 + 3, 24 + 16, *range(57, 57 + 7)}
    assert set(feed_student("student:morris_td", [position])["mine"][0].tolist()) == own | other
    black = {1, 2, 3, 4, 5, 6, *range(57, 63)}
    white = {8 * row + column for row in range(1, 7) for column in (0, 7)}
    feed = feed_student("student:lines_of_action", [lines.start()])
    assert set(feed["mine"][0].tolist()) == black | {64 + cell for cell in white}
    assert set(feed["theirs"][0].tolist()) == white | {64 + cell for cell in black}
