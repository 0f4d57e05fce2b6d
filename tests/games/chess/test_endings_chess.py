"""Solved endings against outside truths: longest mates of the literature, Syzygy's tables, and the rules themselves."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner

from understudy.cli import commands
from understudy.errors import BadOption, FileError
from understudy.games import find_game
from understudy.games.batches import unstacked
from understudy.games.chess.endings import Endings, every_ending, keep_endings, labelled, material_of
from understudy.games.chess.notation import to_board, to_uci
from understudy.games.chess.records.positions import load_positions

CHESS = find_game("chess")
LONGEST = {"KQvK": 10, "KRvK": 16, "KBvK": 0, "KPvK": 28}
"""Moves to mate in the longest won position, as every generator of such tables has found them."""


@pytest.fixture(scope="module")
def solved() -> Endings:
    return solve(*LONGEST)


def solve(*names: str) -> Endings:
    endings = Endings(names)
    for name in names:
        endings.solve(name)
    return endings


def positions_of(endings: Endings, name: str, count: int) -> list[tuple[Any, int]]:
    drawn = endings.draw(name, count, np.random.default_rng(7))
    return list(zip(unstacked(drawn.positions), drawn.worths.tolist(), strict=True))


def longest(endings: Endings, name: str) -> int:
    return (int(endings.worths(name).max()) + 1) // 2


def check_against_rules(endings: Endings, name: str) -> None:
    """Every worth follows from those after the moves."""
    for position, worth in positions_of(endings, name, 300):
        after = [endings.worth(CHESS.play(position, move)) for move in CHESS.moves(position)]
        lost, won = [one for one in after if one < 0], [one for one in after if one > 0]
        if lost:
            assert worth == min(-one for one in lost)
        else:
            assert worth == (-(max(won) + 2) if len(won) == len(after) else 0)


def differing_from_syzygy(endings: Endings, name: str, shared: Path) -> list[tuple[Any, int]]:
    import chess.syzygy

    with chess.syzygy.open_tablebase(str(shared / "data" / "chess" / "syzygy")) as tables:
        return [
            (position, worth)
            for position, worth in positions_of(endings, name, 300)
            if np.sign(tables.probe_wdl(to_board(position))) != np.sign(worth)
        ]


@pytest.mark.parametrize("name", LONGEST)
def test_three_pieces_are_as_long_from_mate_as_is_known(solved: Endings, name: str) -> None:
    assert longest(solved, name) == LONGEST[name]
    assert solved.worths(name, turned=True).max() <= 0
    check_against_rules(solved, name)


@pytest.mark.parametrize("name", LONGEST)
def test_three_pieces_are_won_where_syzygy_says_so(solved: Endings, name: str, shared: Path) -> None:
    assert differing_from_syzygy(solved, name, shared) == []


def test_four_pieces_with_some_on_both_sides(shared: Path) -> None:
    endings = solve("KRvKN")
    assert longest(endings, "KRvKN") == 40
    check_against_rules(endings, "KRvKN")
    assert differing_from_syzygy(endings, "KRvKN", shared) == []


def test_a_table_tells_moves_to_mate_and_a_best_move(solved: Endings) -> None:
    table = labelled(solved.draw("KPvK", 400, np.random.default_rng(3)))
    assert table.kind is not None and table.score is not None and table.best is not None
    for row, position in enumerate(unstacked(table.positions)):
        worth, score = solved.worth(position), int(table.score[row])
        move = next(move for move in CHESS.moves(position) if to_uci(position, move).uci() == table.best[row])
        after = solved.worth(CHESS.play(position, move))
        if worth > 0:
            assert (table.kind[row], score) == ("mate", (worth + 1) // 2) and after == -worth
        elif worth < 0:
            assert (table.kind[row], score) == ("mate", -(-worth // 2)) and after == -worth - 2
        else:
            assert (table.kind[row], score, after) == ("cp", 0, 0)
    assert {"cp", "mate"} == set(table.kind.tolist()) and {0, 1} == set(np.asarray(table.positions.ply).tolist())


def test_a_table_that_was_stopped_goes_on(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    names, target = ["KQvK", "KRvK"], tmp_path / "t.parquet"
    plain = Endings.solve

    def stopped(self: Endings, ending: str) -> None:
        if ending == "KRvK":
            raise KeyboardInterrupt
        plain(self, ending)

    monkeypatch.setattr(Endings, "solve", stopped)
    with pytest.raises(KeyboardInterrupt):
        keep_endings(names, target, sample=50)
    assert not target.exists()
    with pytest.raises(FileError, match="begun with other endings"):
        keep_endings(names, target, sample=60)
    monkeypatch.setattr(Endings, "solve", lambda self, ending: plain(self, ending) if ending == "KRvK" else 1 / 0)
    assert keep_endings(names, target, sample=50) == 100
    monkeypatch.undo()
    keep_endings(names, tmp_path / "again.parquet", sample=50)
    one, other = load_positions(target), load_positions(tmp_path / "again.parquet")
    assert np.array_equal(one.score, other.score) and np.array_equal(one.best, other.best)  # type: ignore[arg-type]
    assert one.facts["engine"] and not list(tmp_path.glob("*.parts"))
    with pytest.raises(FileError, match="is there already"):
        keep_endings(names, target, sample=50)


def test_the_command_tells_and_keeps(tmp_path: Path) -> None:
    facts = json.loads(CliRunner().invoke(commands, ["tablebase", "KQvK", "--json"]).stdout)
    assert facts["KQvK"]["first"]["won"] == 1.0 and facts["KQvK"]["second"]["longest_loss"] == 10
    shown = CliRunner().invoke(commands, ["tablebase", "KRvK"]).stdout
    assert "KRvK" in shown and " 16" in shown
    kept = CliRunner().invoke(commands, ["tablebase", "KQvK", "--keep", str(tmp_path / "q.parquet"), "--sample", "20"])
    assert "wrote 20 labelled positions of 1 endings" in kept.stdout
    assert len(load_positions(tmp_path / "q.parquet")) == 20


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--sample", "5"], "--sample 5 goes with --keep"),
        (["--keep", "x.csv"], "--keep must end in .parquet, not 'x.csv'"),
        (["--keep", "x.parquet", "--json"], "choose one"),
    ],
)
def test_options_that_do_not_go_together(options: list[str], message: str) -> None:
    result = CliRunner().invoke(commands, ["tablebase", "KQvK", *options])
    assert isinstance(result.exception, BadOption) and message in str(result.exception)


@pytest.mark.parametrize("name", ["KPvKP", "KQvKRR", "QvK", "kqvk", ""])
def test_what_cannot_be_solved_is_named(name: str) -> None:
    with pytest.raises(BadOption, match="no ending that can be solved"):
        material_of(name)
    assert name not in every_ending()
