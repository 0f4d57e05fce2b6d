"""What a student remembers of its training rows: exact where it says none, nearly exact where it counts."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pytest

from understudy.games import find_game
from understudy.games.morris.batches import orbit_keys
from understudy.judges.students import Leak, leak_of, leak_text
from understudy.records.examples import BITS, Examples, marks_of, read_marks, sketch_of, split_examples, together
from understudy.records.starts import reachable
from understudy.records.store import lone_pairs

GAME = find_game("morris")
ROWS = 3000


@pytest.fixture(scope="module")
def positions() -> Any:
    return reachable(GAME, ROWS, np.random.default_rng(5))


def split(positions: Any, rows: int) -> dict[str, Examples]:
    some = type(positions)(*(field[:rows] for field in positions))
    records = lone_pairs(GAME, some, np.zeros(rows, np.int32), source="a test")
    return split_examples(records, split="orbit", seed=0)


def test_a_student_of_fewer_records_has_seen_rows_of_the_same_split_of_all(positions: Any) -> None:
    learned, asked = split(positions, 1000)["train"], split(positions, ROWS)["test"]
    names = set(orbit_keys(learned.positions).tolist())
    truth = sum(key in names for key in orbit_keys(asked.positions).tolist())
    leak = leak_of({"learned_from": sketch_of(orbit_keys(learned.positions))}, GAME, asked.positions)
    assert (leak.seen, leak.rows) == (truth, len(asked.moves)) and 0 < truth < len(asked.moves)
    text = leak_text("student:x", leak)
    assert text.startswith(f"note: student:x has learned from {truth} of these {len(asked.moves)} rows")


def test_no_row_that_was_learned_from_is_ever_missed(positions: Any) -> None:
    sides = split(positions, ROWS)
    leak = leak_of({"learned_from": sketch_of(orbit_keys(sides["train"].positions))}, GAME, sides["train"].positions)
    assert leak.seen == leak.rows
    none = leak_of({"learned_from": sketch_of(orbit_keys(sides["train"].positions))}, GAME, sides["test"].positions)
    assert none.seen == 0
    assert leak_text("x", none) == f"note: x has learned from none of these {none.rows} rows"


@pytest.mark.parametrize(
    "facts",
    [{}, {"split": "orbit", "split_seed": 0}, {"learned_from": None}, {"learned_from": {"bits": 40, "marks": "no"}},
     {"learned_from": {"bits": 99, "marks": ""}}, {"learned_from": {"bits": 40, "marks": 7}}],
)  # fmt: skip
def test_who_does_not_say_what_it_learned_from_cannot_be_told_of(positions: Any, facts: dict[str, Any]) -> None:
    leak = leak_of(facts, GAME, positions)
    assert leak.seen is None
    assert leak_text("x", leak) == (
        f"note: x does not say what it learned from; whether it knows some of these {ROWS} rows cannot be told"
    )


def test_a_student_that_went_on_from_another_knows_what_that_one_knew(positions: Any) -> None:
    sides = split(positions, ROWS)
    first, then = (sketch_of(orbit_keys(sides[side].positions)) for side in ("train", "test"))
    for side in ("train", "test"):
        leak = leak_of({"learned_from": together(then, first)}, GAME, sides[side].positions)
        assert leak.seen == leak.rows and leak.whole
    assert leak_of({"learned_from": together(then, first)}, GAME, sides["validation"].positions).seen == 0


def test_a_student_that_went_on_from_one_of_before_knows_at_least_its_own_rows(positions: Any) -> None:
    sides = split(positions, ROWS)
    sketch = together(sketch_of(orbit_keys(sides["test"].positions)), None)
    leak = leak_of({"learned_from": sketch}, GAME, sides["test"].positions)
    assert leak.seen == leak.rows and "has learned from at least" in leak_text("x", leak)
    none = leak_of({"learned_from": sketch}, GAME, sides["validation"].positions)
    assert none.seen is None and "does not say all that it learned from" in leak_text("x", none)
    again = together(sketch_of(orbit_keys(sides["validation"].positions)), sketch)
    assert again["whole"] is False, "what nobody knows stays unknown"


def test_a_sketch_is_small_and_read_as_it_was_written() -> None:
    names = np.random.default_rng(1).integers(0, 2**63, 85_000).astype(np.uint64)
    marks = marks_of(names)
    sketch = sketch_of(names)
    assert len(json.dumps(sketch)) < 4.5 * 85_000 and set(sketch) == {"bits", "marks", "whole"}
    read = read_marks(sketch)
    assert read is not None and np.array_equal(read, marks)
    assert len(marks) == len(np.unique(names)) and int(marks.max()) < 2**BITS


def test_mistakes_are_as_rare_as_is_said_and_are_said() -> None:
    rng = np.random.default_rng(2)
    learned, others = (rng.integers(0, 2**63, 400_000).astype(np.uint64) for _ in range(2))
    few = marks_of(learned) >> np.uint64(12)  # 28 bits: so coarse that mistakes can be counted
    hits = np.isin(marks_of(others) >> np.uint64(12), few).sum()
    assert hits == pytest.approx(len(others) * len(learned) / 2**28, rel=0.15)
    assert "331 of these 10 021 rows (about 0.5 of them by mistake), or" in leak_text("x", Leak(10_021, 331, 0.5))
    assert "mistake" not in leak_text("x", Leak(10_021, 331, 0.0008))


def test_close_names_do_not_collide() -> None:
    names = np.arange(200_000, dtype=np.uint64)
    assert len(marks_of(names)) == len(names)
