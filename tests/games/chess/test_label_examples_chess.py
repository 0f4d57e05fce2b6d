"""Labelled positions as examples: games stay on one side, copies of games are found, sources that grade."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.conftest import random_line
from understudy.errors import BadOption, FileError
from understudy.games import find_game
from understudy.games.batches import size, stacked, unstacked
from understudy.games.chess.notation import to_uci
from understudy.games.chess.records.examples import (
    GRADED,
    LEARNED,
    LOOKED_AT,
    NOBODYS,
    THEORY,
    Examples,
    load_examples,
    sides_of,
)
from understudy.games.chess.records.positions import PositionTable, save_positions

CHESS = find_game("chess")


def table_of(seeds: range, *, source: str = "club", first: int = 12, last: int = 60, labelled: bool = True) -> Any:
    """Return a table of random games, one a seed; labels are their ply."""
    lines = {seed: random_line(CHESS, last, seed)[first::3] for seed in seeds}
    rows = [(number, position) for number, line in enumerate(lines.values(), 1) for position, _ in line]
    positions = stacked([position for _, position in rows])
    count = len(rows)
    labels: dict[str, Any] = {
        "kind": np.full(count, "cp"), "score": np.asarray(positions.ply, np.int32), "best": np.full(count, "a1a2"),
    }  # fmt: skip
    return PositionTable(
        positions=positions, game=np.array([number for number, _ in rows], np.int32),
        ply=np.asarray(positions.ply, np.int16), source=np.full(count, source), result=np.full(count, "1-0"),
        facts={"engine": "Fake 1", "limit": "depth 3"}, **(labels if labelled else {}),
    )  # fmt: skip


def saved(folder: Path, name: str, table: PositionTable) -> Path:
    save_positions(table, folder / f"{name}.parquet")
    return folder / f"{name}.parquet"


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    """Two files; games 20 to 29 are in both, in the second only after the opening and under other numbers."""
    folder = tmp_path_factory.mktemp("examples")
    one, other = table_of(range(30)), table_of(range(20, 60), source="net", first=THEORY + 3)
    return [saved(folder, "one", one), saved(folder, "other", other)]


@pytest.fixture(scope="module")
def examples(files: list[Path]) -> Examples:
    return load_examples(files)


def test_rows_of_all_files(files: list[Path], examples: Examples) -> None:
    assert len(examples) == size(examples.positions) == len(examples.groups) == len(examples.sources)
    assert examples.pawns == pytest.approx(np.asarray(examples.positions.ply) / 100)
    white = np.asarray(examples.positions.ply) % 2 == 0
    assert white.any() and not white.all() and np.array_equal(examples.results, np.where(white, 1.0, 0.0))
    assert examples.engines == ("one.parquet: Fake 1 at depth 3", "other.parquet: Fake 1 at depth 3")
    assert examples.quiet.any() and not examples.quiet.all()
    some = examples.some(np.array([5, 3]))
    assert unstacked(some.positions)[1].ply == examples.positions.ply[3] and some.engines == examples.engines


def test_copies_of_a_game_are_one_game(files: list[Path], examples: Examples) -> None:
    alone = [load_examples([file]) for file in files]
    games = [len(np.unique(one.groups)) for one in alone]
    assert games == [30, 40] and len(np.unique(examples.groups)) == 60
    masks: Any = examples.positions.mine
    for seed in range(20, 30):
        late = [int(position.mine) for position, _ in random_line(CHESS, 60, seed)[THEORY + 3 :: 3]]
        rows = np.isin(masks, np.array(late, np.uint64))
        assert set(examples.sources[rows].tolist()) == {"club", "net"} and len(np.unique(examples.groups[rows])) == 1


def test_an_opening_in_common_unites_nobody(tmp_path: Path) -> None:
    early = table_of(range(4), first=0, last=THEORY)
    assert len(np.unique(early.positions.mine[early.ply == 0])) == 1
    assert len(np.unique(load_examples([saved(tmp_path, "early", early)]).groups)) == 4


@pytest.mark.parametrize("seed", range(3))
def test_no_game_stands_on_both_sides(seed: int, examples: Examples) -> None:
    sides = sides_of(examples, split="game", seed=seed)
    for group in np.unique(examples.groups):
        assert len(np.unique(sides[examples.groups == group])) == 1
    games = [len(np.unique(examples.groups[sides == side])) for side in (LEARNED, LOOKED_AT, GRADED)]
    assert games == [48, 6, 6]
    assert not np.array_equal(sides, sides_of(examples, split="game", seed=seed + 1))
    assert np.array_equal(sides, sides_of(examples, split="game", seed=seed))


def test_a_split_by_position_tears_games_apart(examples: Examples) -> None:
    sides = sides_of(examples, split="position", seed=0)
    torn = [group for group in np.unique(examples.groups) if len(np.unique(sides[examples.groups == group])) > 1]
    assert len(torn) > 50
    shares = np.bincount(sides, minlength=3) / len(sides)
    assert shares == pytest.approx([0.8, 0.1, 0.1], abs=0.01)


@pytest.mark.parametrize("seed", range(4))
def test_only_named_sources_grade(seed: int, examples: Examples) -> None:
    sides = sides_of(examples, split="game", seed=seed, graded=("club",))
    assert set(sides[examples.sources == "net"].tolist()) <= {LEARNED, NOBODYS}
    assert set(sides[examples.sources == "club"].tolist()) == {LEARNED, LOOKED_AT, GRADED}
    for side in (LOOKED_AT, GRADED):  # nothing of a game that grades is learned from, in whatever source
        asked = examples.groups[sides == side]
        assert not np.isin(examples.groups[sides == LEARNED], asked).any()
    plain = sides_of(examples, split="game", seed=seed)
    assert np.array_equal(sides[examples.sources == "club"], plain[examples.sources == "club"])


def test_sources_that_grade_must_be_there(examples: Examples) -> None:
    with pytest.raises(BadOption, match=r"no position comes from 'clubs', only from \['club', 'net'\]"):
        sides_of(examples, split="game", seed=0, graded=("clubs",))


def test_whole_games_are_left_out(files: list[Path], examples: Examples) -> None:
    few = load_examples(files, most=200, seed=3)
    assert 150 < len(few) <= 200
    sizes = {int(group): int((examples.groups == group).sum()) for group in np.unique(examples.groups)}
    kept = np.unique(few.groups)
    assert all(int((few.groups == group).sum()) == sizes[int(group)] for group in kept)
    assert set(few.groups.tolist()) != set(load_examples(files, most=200, seed=4).groups.tolist())
    assert len(load_examples(files, most=len(examples))) == len(examples)


def test_a_game_that_is_too_long_is_left_out_alone(tmp_path: Path) -> None:
    table = table_of(range(12))
    uneven = replace(table, game=np.where(table.game <= 6, 1, table.game).astype(np.int32))
    path = saved(tmp_path, "uneven", uneven)
    for seed in range(8):
        assert 24 < len(load_examples([path], most=36, seed=seed)) <= 36


def test_positions_without_labels_are_refused(files: list[Path], tmp_path: Path) -> None:
    bare = saved(tmp_path, "bare", table_of(range(3), labelled=False))
    with pytest.raises(BadOption, match=r"bare.parquet' holds positions without labels; `understudy label`") as caught:
        load_examples([files[0], bare])
    assert "\n" not in str(caught.value)
    with pytest.raises(FileError, match=r"missing\.parquet"):
        load_examples([tmp_path / "missing.parquet"])


def test_answers_are_worth_as_much_to_the_other_side(tmp_path: Path) -> None:
    line = [pair for seed in range(12) for pair in random_line(CHESS, 300, seed)]
    table = table_of(range(1))
    best = [str(to_uci(position, move)) for position, move in line]
    best[3], best[5], best[7], best[9] = "", "zz", "a1a1", "h9h1"
    count = len(line)
    positions = stacked([position for position, _ in line])
    full = replace(
        table, positions=positions, game=np.ones(count, np.int32), ply=np.asarray(positions.ply, np.int16),
        source=np.full(count, "club"), result=np.full(count, "1-0"), kind=np.full(count, "cp"),
        score=np.arange(count, dtype=np.int32), best=np.array(best),
    )  # fmt: skip
    examples = load_examples([saved(tmp_path, "full", full)])
    both = examples.and_answers()
    expected = [
        (CHESS.play(position, move), -row / 100)
        for row, (position, move) in enumerate(line)
        if row not in (3, 5, 7, 9) and CHESS.outcome(CHESS.play(position, move)) is None
    ]
    assert len(both) == count + len(expected) and any(move & 7 for _, move in line)
    assert unstacked(both.positions)[count:] == [position for position, _ in expected]
    np.testing.assert_allclose(both.pawns[count:], np.clip([value for _, value in expected], -20, 20))
    white = np.asarray(both.positions.ply) % 2 == 0
    assert (both.results == white).all() and both.pawns[:count].tolist() == examples.pawns.tolist()
