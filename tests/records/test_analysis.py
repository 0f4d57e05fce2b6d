"""What records are made of: by hand on a few, and against the published figures on the papers' data."""

from __future__ import annotations

import json
from dataclasses import asdict
from functools import cache
from pathlib import Path

import numpy as np
import pytest

from tests.conftest import MORRIS_LINES, random_line
from understudy.errors import BadOption, UnknownName
from understudy.games import CompiledGame, find_game
from understudy.games.batches import stacked, unstacked
from understudy.games.morris.legality import impossible, legal_counts
from understudy.records import load_any, lone_pairs
from understudy.records.analysis import Analysis, analyse, analysis_text
from understudy.records.columns import nothing
from understudy.records.starts import draw_starts

MORRIS = find_game("morris")


@cache
def published(folder: Path, name: str, *, authors_removal: bool) -> Analysis:
    records, _ = load_any(folder / "data" / "nnmm" / f"{name}.complete.txt")
    return analyse(records, expansion="authors", authors_removal=authors_removal)


def test_composition_of_the_papers_data(shared: Path) -> None:
    analysis = published(shared, "DATASET", authors_removal=True)
    assert (analysis.raw_rows, analysis.rows, analysis.moved) == (100_154, 1_628_673, 1_628_673)
    assert analysis.phases == {"1": 302_429, "2": 1_043_644, "3": 282_600}
    assert (analysis.distinct_positions, analysis.distinct_pairs, analysis.distinct_moves) == (
        1_620_719,
        1_623_993,
        11_658,
    )
    assert [round(analysis.parts[name].entropy, 3) for name in ("to", "from", "remove")] == [4.533, 4.406, 1.999]
    assert [round(analysis.removals[phase] / analysis.phases[phase], 3) for phase in "123"] == [0.202, 0.290, 0.206]
    assert [round(analysis.parts[name].constant, 4) for name in ("to", "from", "remove")] == [0.0621, 0.1857, 0.7410]
    assert analysis.parts["from"].counts[0] == analysis.phases["1"]


def test_legal_moves_of_the_papers_data(shared: Path) -> None:
    """The published means are by the authors' removals; what else was published is the same by the plain rules."""
    for authors, means in ((True, (18.099, 22.355)), (False, (18.116, 22.366))):
        pairs = published(shared, "DATASET", authors_removal=authors)
        states = published(shared, "STATES", authors_removal=authors)
        assert (round(pairs.legal.mean, 3), round(states.legal.mean, 3)) == means
        assert [(one.legal.least, one.legal.most) for one in (pairs, states)] == [(1, 58), (1, 58)]
        assert (pairs.legal.single, states.legal.single) == (7_776, 528)
        assert pairs.shares is not None
        assert states.shares is not None
        assert (pairs.shares.never, states.shares.never) == (1_968, 1_920)
        assert (len(pairs.shares.often), len(states.shares.often)) == (52, 64)
        both = set(pairs.shares.often) & set(states.shares.often)
        assert len(both) == 32
        assert {removed for _, _, removed in both} == {0}
        assert (round(pairs.shares.highest, 4), round(states.shares.highest, 4)) == (0.1221, 0.1146)
        assert round(pairs.shares.mean * 15_000, 3) == means[0]
    assert states.phases == {"1": 87_507, "2": 1_367_172, "3": 630_934}
    assert (states.rows, states.distinct_positions, states.moved) == (2_085_613, 2_077_589, 0)
    assert states.parts == {}


def test_impossible_moves() -> None:
    """Counted again from the lines themselves, as the papers tell them."""
    cells = MORRIS.board.cells
    lines = {cell: [set(line) - {cell} for line in MORRIS_LINES if cell in line] for cell in cells}
    counts = impossible()
    assert counts.sum() == 1920
    total = 0
    for to in cells:
        one, other = lines[to]
        for origin in ("", *cells):
            for removed in ("", *cells):
                across = (origin in one and removed in other) or (origin in other and removed in one)
                never = to in (origin, removed) or (origin == removed != "") or across
                numbers = tuple(cells.index(cell) + 1 if cell else 0 for cell in (to, origin, removed))
                assert counts[MORRIS.notation.joined(numbers)] == never
                total += never
    assert total == 1920


def test_counts_are_those_of_the_rules() -> None:
    positions = draw_starts(MORRIS, "random", 400, np.random.default_rng(2))
    per_position, per_move = legal_counts(stacked(positions))
    moves = [MORRIS.moves(position) for position in positions]
    assert per_position.tolist() == [len(some) for some in moves]
    assert per_move.tolist() == np.bincount(np.concatenate(moves), minlength=15_625).tolist()
    assert not per_move[impossible()].any()


def test_the_authors_never_remove_from_a_mill() -> None:
    milled = MORRIS.read("EEEMMOOOOMOOOOOOOOOOOOOO6633")
    closing = [move for move in MORRIS.moves(milled) if move % 25]
    assert len(closing) == 3
    plain, authors = (legal_counts(stacked([milled]), authors=flag)[0][0] for flag in (False, True))
    assert plain - authors == 3
    mixed = MORRIS.read("EEEMMOOOOMOOOOOOOOOOOOOE5534")
    plain, authors = (legal_counts(stacked([mixed]), authors=flag)[0][0] for flag in (False, True))
    assert plain == authors


def test_every_game(game: CompiledGame) -> None:
    line = random_line(game, 40, 3)
    positions = stacked([position for position, _ in line])
    records = lone_pairs(game, positions, np.array([move for _, move in line], np.int32), source="")
    analysis = analyse(records)
    counts = [len(game.moves(position)) for position in unstacked(positions)]
    assert analysis.rows == analysis.moved == len(line)
    assert (analysis.legal.least, analysis.legal.most) == (min(counts), max(counts))
    assert analysis.legal.mean == pytest.approx(np.mean(counts))
    assert sum(analysis.legal.histogram) == len(line)
    assert analysis.distinct_positions == len({game.key(position) for position, _ in line})
    assert tuple(analysis.parts) == game.part_names
    for place, name in enumerate(game.part_names):
        parts = [game.parts(move)[place] for _, move in line]
        assert analysis.parts[name].counts == tuple(np.bincount(parts, minlength=game.part_sizes[place]).tolist())
    assert json.loads(json.dumps(asdict(analysis)))["rows"] == len(line)
    text = analysis_text(analysis)
    assert "legal moves (plain rules)" in text
    assert all(f"entropy of {name}" in text for name in game.part_names)


def test_text_says_what_was_counted(shared: Path) -> None:
    text = analysis_text(published(shared, "DATASET", authors_removal=True))
    assert "1,628,673 (of 100,154; images: authors)" in text
    assert "legal moves (authors rules)" in text
    assert "mean 18.099" in text
    assert "4.406 bits" in text


def test_real_images_are_counted_once() -> None:
    line = random_line(MORRIS, 30, 4)
    records = lone_pairs(MORRIS, stacked([p for p, _ in line]), np.array([m for _, m in line], np.int32), source="")
    analysis = analyse(records, expansion="proper")
    assert analysis.rows == sum(len(set(MORRIS.symmetries(position, move))) for position, move in line)


def test_what_cannot_be_analysed() -> None:
    konane = find_game("konane")
    pairs = lone_pairs(konane, stacked([konane.start()]), np.array([0], np.int32), source="")
    with pytest.raises(UnknownName, match="no expansion of konane 'authors'; there are: none, proper"):
        analyse(pairs, expansion="authors")
    with pytest.raises(BadOption, match="konane has no authors' removals"):
        analyse(pairs, authors_removal=True)
    with pytest.raises(BadOption, match="nothing to analyse"):
        analyse(lone_pairs(MORRIS, nothing(MORRIS), np.zeros(0, np.int32), source=""))
