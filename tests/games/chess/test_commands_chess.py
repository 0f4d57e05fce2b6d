"""The commands of the judges of chess as other programs script them, and what bad input gets."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from tests.games.chess.chess_engines import counter
from understudy.cli import commands
from understudy.errors import UnderstudyError


def call(*arguments: str) -> Any:
    result = CliRunner().invoke(commands, [*arguments, "--json"])
    assert result.exit_code == 0, result.output + repr(result.exception)
    return json.loads(result.stdout)


def answer(*arguments: str) -> str:
    result = CliRunner().invoke(commands, arguments)
    assert result.exit_code == 0, result.output + repr(result.exception)
    return result.stdout


def complaint(*arguments: str) -> str:
    result = CliRunner().invoke(commands, arguments)
    assert isinstance(result.exception, UnderstudyError), result.output
    return str(result.exception)


def test_suite(tmp_path: Path) -> None:
    facts = call("suite", "searcher:depth=1", "kaufman25")
    assert facts["measures"]["solved"]["sample"] == 25 == len(facts["positions"])
    assert "thesis" not in facts
    engine = counter(tmp_path)
    facts = call("suite", "random", "ccr25", "--engine", engine, "--depth", "1", "--workers", "2")
    assert facts["cost"]["positions"] == 25
    assert facts["thesis"]["recomputed"]["ours"]["positions"] == 25
    assert "Table 8.1 of the thesis" in answer("suite", "random", "ccr25")
    (tmp_path / "one.epd").write_text('4k3/8/8/3q4/4P3/8/8/4K3 w - - bm exd5; id "hangs";\n')
    assert "solved: 1 of 1" in answer("suite", "searcher:depth=1", str(tmp_path / "one.epd"))


def test_ladder(tmp_path: Path) -> None:
    facts = call(
        "ladder", "searcher:depth=2", "--engine", counter(tmp_path), "--games", "4", "--step", "1000", "--depth", "1"
    )
    assert facts["games"] == 4
    assert {"elo", "low", "high", "rungs", "place"} <= set(facts)
    assert (facts["lowest_rung"], facts["highest_rung"]) == (1000, 2000)
    text = answer(
        "ladder", "searcher:depth=2", "--engine", counter(tmp_path), "--games", "2", "--openings", "sabatelli"
    )
    assert "95 % interval" in text


def test_match_from_openings() -> None:
    facts = call("match", "chess", "random", "random", "--openings", "sabatelli", "--seed", "3")
    assert len(facts["games"]) == 40
    assert len(facts["sets"]) == 6
    short = call("match", "chess", "random", "random", "--openings", "sabatelli_as_printed", "--games", "3")
    assert len(short["games"]) == 3
    assert "1.e4 e5" in answer("match", "chess", "random", "random", "--openings", "sabatelli", "--games", "2")


def test_quality(tmp_path: Path) -> None:
    engine = counter(tmp_path)
    facts = call("quality", "random", "searcher:depth=1", "--games", "2", "--engine", engine, "--depth", "1")
    assert [len(game["plies"]) for game in facts["games"]] == [len(game["pawns"]) for game in facts["games"]]
    assert set(facts["players"]) == {"random", "searcher:depth=1"}
    (tmp_path / "x.pgn").write_text('[Event "?"]\n\n1. e4 e5 2. Qxf7 *\n\n[Event "?"]\n\n1. e4 d5 2. exd5 *\n')
    result = CliRunner().invoke(commands, ["quality", str(tmp_path / "x.pgn"), "--engine", engine])
    assert result.exit_code == 0
    assert "1 broken games were skipped" in result.stderr
    assert "game 2" in result.stdout


def test_endgames(shared: Path) -> None:
    folder = shared / "data/chess/syzygy"
    if not folder.exists():
        pytest.skip("no tablebases among the shared data")
    facts = call("technique", "random", "--tablebases", str(folder), "--sample", "2", "--ending", "KQvK")
    assert [row["ending"] for row in facts["endings"]] == ["KQvK"]
    assert facts["converted"]["sample"] == 2


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["suite", "random", "ccr25", "--depth", "4"], "they need --engine"),
        (["suite", "rnadom", "ccr25"], "did you mean 'random'?"),
        (["suite", "random", "nothing.epd"], "No such file"),
        (["ladder", "random", "--engine", "stokfish"], "no engine 'stokfish'"),
        (["ladder", "random", "--openings", "sabatelli", "--opening-plies", "2"], "exclude each other"),
        (["match", "konane", "random", "random", "--openings", "sabatelli"], "is for chess, not konane"),
        (["match", "chess", "random", "random", "--openings", "none.epd"], "there are no openings 'none.epd'"),
        (["match", "chess", "random", "random", "--openings", "sabatelli", "--opening-plies", "2"], "exclude"),
        (["quality", "a", "b", "c"], "not at 3 things"),
        (["quality", "none.pgn"], "No such file"),
        (["technique", "random", "--tablebases", "nowhere"], "there are no Syzygy tables in 'nowhere'"),
    ],
)
def test_bad_input_is_one_sentence(arguments: list[str], message: str) -> None:
    text = complaint(*arguments)
    assert message in text
    assert "\n" not in text
