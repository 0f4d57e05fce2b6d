"""How far two tables of labels agree, counted by hand."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner

from tests.games.chess.test_label_examples_chess import saved, table_of
from understudy.cli import commands
from understudy.errors import FileError


def test_agreement_is_counted_where_both_know_a_position(tmp_path: Path) -> None:
    table = table_of(range(3))
    count = len(table)
    score = np.full(count, 100, np.int32)
    other = score.copy()
    other[:5] = 200  # another class of data set 1, a pawn apart
    one = saved(tmp_path, "one", replace(table, score=score))
    backwards = replace(table, score=other).taken(np.arange(count)[::-1][: count - 2])  # two positions less
    two = saved(tmp_path, "two", backwards)
    done = CliRunner().invoke(commands, ["data", "compare", str(one), str(two), "--json"])
    assert done.exit_code == 0, done.output
    measures, shared = json.loads(done.output), count - 2
    assert measures["1"]["accuracy"]["sample"] == shared
    assert measures["1"]["accuracy"]["value"] == pytest.approx(1 - 3 / shared)
    assert measures["4"]["error in pawns"]["value"] == pytest.approx(3 / shared)
    assert measures["4"]["squared error"]["value"] == pytest.approx(3 / shared / 1600)
    # Three of the shared positions are worth a pawn more to the second table; the first always says the same.
    assert (measures["positions"], measures["correlation"]) == (shared, None)
    assert measures["bias"] == measures["pawns_apart"] == pytest.approx(3 / shared)
    assert measures["bias_interval"][0] < measures["bias"] < measures["bias_interval"][1]
    plain = CliRunner().invoke(commands, ["data", "compare", str(one), str(one)])
    assert "data set 1: classes alike 1.0000 (1.0000 to 1.0000)" in plain.output
    assert "correlation: unknown" in plain.output


def test_bias_is_signed_and_correlation_is_pearsons(tmp_path: Path) -> None:
    table = table_of(range(3))
    score = np.arange(len(table), dtype=np.int32)
    one = saved(tmp_path, "one", replace(table, score=score))
    two = saved(tmp_path, "two", replace(table, score=score // 2 - 300))
    less, more = (
        json.loads(CliRunner().invoke(commands, ["data", "compare", *map(str, pair), "--json"]).output)
        for pair in ((one, two), (two, one))
    )
    assert less["bias"] == pytest.approx(float((score // 2 - 300 - score).mean()) / 100)
    assert more["bias"] == pytest.approx(-less["bias"])
    assert less["pawns_apart"] == pytest.approx(-less["bias"])
    expected = pytest.approx(np.corrcoef(score, score // 2)[0, 1])
    assert less["correlation"] == expected and more["correlation"] == expected
    text = CliRunner().invoke(commands, ["data", "compare", str(one), str(two)]).output
    assert f"side to move, in pawns: {less['bias']:+.2f}" in text and "correlation: 1.00" in text


def test_tables_that_cannot_be_compared(tmp_path: Path) -> None:
    one = saved(tmp_path, "one", table_of(range(1)))
    bare = saved(tmp_path, "bare", table_of(range(1), labelled=False))
    strange = saved(tmp_path, "strange", table_of(range(5, 6)))
    for other, message in ((bare, "positions without labels"), (strange, "no position in common")):
        with pytest.raises(FileError, match=message):
            CliRunner().invoke(commands, ["data", "compare", str(one), str(other)], catch_exceptions=False)
