"""Counts of faults: added up over tests and processes, with what did not hold."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.faults.tally import FILE, add_up, tally


def test_what_was_tried_and_did_not_hold_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(FILE, str(tmp_path / "counted.jsonl"))
    with tally("kills") as kills, kills.timed():
        pass
    with pytest.raises(ValueError, match="lost"), tally("kills") as kills, kills.timed():
        raise ValueError("lost")
    with tally("flips") as flips:
        flips.tried = flips.held = 24
    totals = add_up(tmp_path / "counted.jsonl")
    assert (totals["kills"]["tried"], totals["kills"]["held"], totals["kills"]["lost"]) == (2, 1, 1)
    assert totals["flips"] == {"what": "flips", "tried": 24, "held": 24, "seconds": 0.0, "lost": 0}
