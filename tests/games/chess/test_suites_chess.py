"""Suites: reading EPD, the ones that ship, what counts as solved, and what moves cost."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.games.chess.chess_engines import counter
from understudy.backends import Local
from understudy.errors import BadOption, EngineError, FileError
from understudy.games import find_game
from understudy.games.chess.judges.epd import Item, Suite, load_suite, read_item
from understudy.games.chess.judges.suites import answer, costs, price, run_suite, suite_json
from understudy.games.chess.judges.tables import suite_text, thesis_text
from understudy.games.chess.records.opinions import Analysis, expectation, in_pawns, labelled
from understudy.studies.sabatelli.table81 import TABLE, thesis_json, thesis_moves

CHESS = find_game("chess")
QUEEN_HANGS = "4k3/8/8/3q4/4P3/8/8/4K3 w - -"


def read(line: str) -> Item:
    return read_item(CHESS, line, place="x.epd, line 1", number=1)


def texts(item: Item, moves: tuple[int, ...]) -> list[str]:
    return [CHESS.write_move(item.position, move) for move in moves]


@pytest.mark.parametrize(("name", "best", "avoid", "black"), [("ccr25", 18, 8, 12), ("kaufman25", 23, 2, 9)])
def test_the_suites_that_ship_are_whole(name: str, best: int, avoid: int, black: int) -> None:
    suite = load_suite(name)
    assert len({item.fen for item in suite.items}) == len({item.name for item in suite.items}) == 25
    assert sum(bool(item.best) for item in suite.items) == best
    assert sum(bool(item.avoid) for item in suite.items) == avoid
    assert sum(item.position.ply % 2 for item in suite.items) == black


def test_a_line_may_have_several_moves_grades_and_counters() -> None:
    several = read('r1b2rk1/2q1b1pp/p2ppn2/1p6/3QP3/1BN1B3/PPP3PP/R4RK1 w - - bm Nd5 a4; am Qxd6; id "BK.05";')
    assert (several.name, texts(several, several.best)) == ("BK.05", ["Nd5", "a4"])
    assert texts(several, several.avoid) == ["Qxd6"]
    graded = read('8/4P3/8/8/8/k7/8/K7 w - - 0 1 c0 "e8=Q=10, e8=R=5, Kb1=1"; id "a; b"')
    assert graded.name == "a; b"
    assert texts(graded, graded.best) == ["e8=Q"]
    assert sorted(graded.grades.values()) == [1, 5, 10]
    lists = read(f'{QUEEN_HANGS} c0 "a remark, no grades"; c8 "10 2"; c9 "e4d5 e4e5";')
    assert (lists.name, texts(lists, tuple(lists.grades)), list(lists.grades.values())) == (
        "1",
        ["exd5", "e5"],
        [10, 2],
    )


@pytest.mark.parametrize(
    ("line", "fault"),
    [
        (f'{QUEEN_HANGS} id "x";', "there is no best move"),
        (f'{QUEEN_HANGS} bm Nf3; id "x";', "'Nf3' is not a legal move"),
        (f'{QUEEN_HANGS} am e4e6; id "x";', "'e4e6' is not a legal move"),
        (f'{QUEEN_HANGS} bm e2e; id "x";', "expected SAN"),
        (f'{QUEEN_HANGS} c8 "1 2"; c9 "e4d5"; id "x";', "c8 should hold a grade for each of 1 moves"),
        ('4k3/8/8/3q4/4P3/8/8/8 w - - bm e5; id "x";', "white has no king"),
        (f'{QUEEN_HANGS} bm exd5; id "x', "cannot read the operation"),
        ("hello", "is not EPD"),
    ],
)
def test_a_bad_line_is_named(tmp_path: Path, line: str, fault: str) -> None:
    file = tmp_path / "bad.epd"
    file.write_text(f"# a remark\n\n{QUEEN_HANGS} bm exd5;\n{line}\n")
    with pytest.raises(FileError) as caught:
        load_suite(str(file))
    message = str(caught.value)
    assert fault in message
    assert f"{file}, line 4" in message
    assert ("id 'x'" in message) == ('id "x";' in line)
    assert "\n" not in message


def test_files_that_are_no_suites(tmp_path: Path) -> None:
    with pytest.raises(FileError, match="neither a file, nor one that ships \\(ccr25, kaufman25\\)"):
        load_suite("ccr26")
    with pytest.raises(FileError, match="No such file"):
        load_suite(str(tmp_path / "none.epd"))
    (tmp_path / "empty.epd").write_text("\n")
    with pytest.raises(FileError, match="holds no positions"):
        load_suite(str(tmp_path / "empty.epd"))


def test_best_avoided_and_graded_moves_are_counted() -> None:
    lines = [
        f"{QUEEN_HANGS} bm exd5;",
        f"{QUEEN_HANGS} am exd5;",
        f"{QUEEN_HANGS} bm e5; am exd5;",
        f'{QUEEN_HANGS} c0 "exd5=7, e5=10";',
        f"{QUEEN_HANGS} bm e5 exd5;",
    ]
    verdict = run_suite("searcher:depth=1", Suite("s", tuple(map(read, lines))), backend=Local(1))
    facts = suite_json(verdict)
    assert [row["move"] for row in facts["positions"]] == ["exd5"] * 5
    assert [row["solved"] for row in facts["positions"]] == [True, False, False, False, True]
    assert facts["points"] == {"earned": 7, "most": 10, "positions": 1}
    assert facts["measures"]["solved"]["value"] == 2 / 5
    assert (facts["measures"]["best_moves"]["value"], facts["measures"]["best_moves"]["sample"]) == (2 / 4, 4)
    assert (facts["measures"]["avoided"]["value"], facts["measures"]["avoided"]["sample"]) == (0, 2)
    assert facts["cost"] is None
    assert "solved: 2 of 5" in suite_text(facts)


def test_delta_is_against_the_best_of_the_keys_or_the_engine(tmp_path: Path) -> None:
    lines = [
        f"{QUEEN_HANGS} bm Kf1;",
        f"{QUEEN_HANGS} bm Kf1 exd5;",
        f"{QUEEN_HANGS} am Kf1;",
        "7k/5Q2/6K1/8/8/8/8/8 w - - bm Qg7#;",
        "7k/8/4Q1K1/8/8/8/8/8 w - - bm Qf7;",
    ]
    analysis = Analysis(counter(tmp_path), depth=1)
    facts = suite_json(
        run_suite("searcher:depth=2", Suite("s", tuple(map(read, lines))), backend=Local(2), analysis=analysis)
    )
    rows = facts["positions"]
    assert facts["engine"] == "Counter 1, depth 1"
    assert [row["move"] for row in rows][:3] == ["exd5"] * 3
    # Material alone: a pawn up after exd5, eight down after a move of the king.
    assert [(row["delta"], row["pawns"], row["source"]) for row in rows[:3]] == [
        (-9, 1, "key"), (0, 1, "key"), (-9, 1, "engine"),
    ]  # fmt: skip
    assert [row["pawns"] for row in rows[3:]] == [20, 20]
    # Qf7 leaves no move: a draw, and the player mates instead.
    assert [(row["against"], row["delta"]) for row in rows[3:]] == [("Qg7#", 0), ("Qf7", -20)]
    assert facts["cost"]["positions"] == 5
    assert facts["cost"]["against_engine"] == 1
    assert facts["cost"]["mean_delta"] == pytest.approx(-38 / 5)
    assert facts["cost"]["mean_loss"] == 0
    assert facts["cost"]["median_delta"] == -9
    assert facts["cost"]["after_move"] == {"winning": 2, "draw": 3, "losing": 0}
    assert facts["cost"]["after_test_move"] == {"winning": 1, "draw": 2, "losing": 2}
    assert "against the engine's own" in suite_text(facts)


def test_losing_moves_and_lost_chances_are_counted(tmp_path: Path) -> None:
    item = read("4k3/8/8/3q4/2B1P3/8/8/4K3 w - - bm Bxd5;")
    quiet = (CHESS.read_move(item.position, "Kf1"),)
    analysis = Analysis(counter(tmp_path), depth=1)
    verdict = run_suite(
        "searcher:depth=1", Suite("s", (item._replace(best=quiet),)), backend=Local(1), analysis=analysis
    )
    cost = verdict.rows[0].cost
    assert cost is not None
    swapped = cost._replace(pawns=cost.pawns_against, pawns_against=cost.pawns)
    prices = costs([swapped])
    assert (prices["losing_moves"], prices["wins_thrown_away"]) == (1, 1)
    assert prices["mean_expected_loss"] == pytest.approx(expectation(4) - expectation(-5))


def test_positions_that_are_over_need_no_engine() -> None:
    mated = "rnb1kbnr/pppp1ppp/8/4p3/6Pq/5P2/PPPPP2P/RNBQKBNR w KQkq - 1 3"
    stalemate, bare = "7k/5Q2/6K1/8/8/8/8/8 b - - 0 1", "8/8/8/8/8/k7/8/K6B b - - 0 1"
    labels = labelled([mated, stalemate, bare], Analysis("no such engine", depth=1), backend=Local(1))
    assert in_pawns(labels) == {mated: -20, stalemate: 0, bare: 0}
    assert (expectation(20), expectation(0), expectation(-20)) == (1, 0.5, 0)


def test_engines_that_are_missing_or_unlimited() -> None:
    suite = load_suite("kaufman25")
    with pytest.raises(EngineError, match="no engine 'stokfish'"):
        run_suite("random", suite, backend=Local(1), analysis=Analysis("stokfish", depth=4))
    with pytest.raises(BadOption, match="needs a limit"):
        run_suite("random", suite, backend=Local(1), analysis=Analysis("stockfish"))


def test_a_player_that_fails_has_no_move(tmp_path: Path) -> None:
    suite = Suite("s", (read(f"{QUEEN_HANGS} bm exd5;"), read(f"{QUEEN_HANGS} am exd5;")))
    facts = suite_json(run_suite(f"engine:{counter(tmp_path, 'crash')}", suite, backend=Local(1)))
    assert [(row["move"], row["fault"], row["solved"]) for row in facts["positions"]] == [
        (None, "engine crash", False)
    ] * 2
    assert facts["faults"] == 2


def test_the_same_answers_for_any_number_of_workers() -> None:
    items = load_suite("kaufman25").items
    assert answer("random", items, backend=Local(1), seed=3) == answer("random", items, backend=Local(3), seed=3)
    assert answer("random", items, backend=Local(1), seed=3) != answer("random", items, backend=Local(1), seed=4)


def test_the_thesis_stands_beside_ours(tmp_path: Path) -> None:
    suite = load_suite("ccr25")
    plain = thesis_json(run_suite("random", suite, backend=Local(1)))
    assert [row["row"] for row in plain["rows"]] == list(range(1, 26))
    assert {row.item for row in TABLE} == {item.name for item in suite.items} - {"CCR22"}
    assert plain["illegal"] == {"mlp": 2, "cnn": 7}
    assert [row["row"] for row in plain["rows"] if not row["cnn_legal"]] == [10, 11, 12, 13, 15, 17, 22]
    assert [row["row"] for row in plain["rows"] if row["mlp_best"]] == [3, 6]
    assert plain["printed"]["mlp"]["mean_delta"] == pytest.approx(2.34)
    assert plain["printed"]["cnn"]["mean_delta"] == pytest.approx(1.6764)
    assert plain["recomputed"] == {"mlp": None, "cnn": None, "ours": None}
    assert "Qc2*" in thesis_text(plain)
    analysis = Analysis(counter(tmp_path), depth=1)
    verdict = run_suite("random", suite, backend=Local(2), analysis=analysis, also=thesis_moves(suite.items))
    priced = thesis_json(verdict)["recomputed"]
    assert (priced["mlp"]["positions"], priced["cnn"]["positions"], priced["ours"]["positions"]) == (23, 18, 25)


def test_stockfish_prices_the_thesis_as_the_thesis_did(stockfish: str) -> None:
    suite = load_suite("ccr25")
    kept = Suite("ccr25", tuple(item for item in suite.items if item.name in ("CCR03", "CCR21")))
    also = thesis_moves(suite.items)
    verdict = run_suite("random", kept, backend=Local(2), analysis=Analysis(stockfish, depth=10), also=also)
    assert verdict.judged_by is not None
    assert "Stockfish" in verdict.judged_by
    item = kept.items[1]
    worse, better = (CHESS.read_move(item.position, text) for text in ("Kxe6", "dxe6"))
    cost = price(CHESS, item.position, worse, [better], verdict.pawns, source="key")
    assert cost is not None
    assert cost.pawns == -20
    assert cost.delta > 10
