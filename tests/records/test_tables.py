"""Tables of positions as Parquet: there and back, and files that are none."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from click.testing import CliRunner

from tests.conftest import random_line
from understudy.cli import commands
from understudy.errors import FileError
from understudy.games import find_game
from understudy.games.batches import stacked, unstacked
from understudy.games.lines_of_action.batches import finished, keys, orbit_keys
from understudy.records.examples import orbit_names
from understudy.records.store import load
from understudy.records.tables import Tabled, is_table, load_table, save_table, table_facts

FIVE = find_game("lines_of_action", (5, 5), {"no_move": "loss"})


def small(rows: int = 20) -> Tabled:
    rng = np.random.default_rng(2)
    positions = [position for position, _ in random_line(FIVE, rows, 3)]
    count = len(positions)
    return Tabled(
        game=FIVE, positions=stacked(positions), values=rng.random(count), visits=rng.integers(1, 9, count),
        games=7, results=np.array([[1, 0, 3], [2, 1, 0]]), luck=(1 << 64) - 5,
    )  # fmt: skip


def test_there_and_back(tmp_path: Path) -> None:
    table = small()
    save_table(table, tmp_path / "t.parquet", notes={"step": 0.1})
    again, notes = load_table(tmp_path / "t.parquet")
    assert notes == {"step": 0.1} and is_table(tmp_path / "t.parquet")
    assert (again.game.name, again.game.size, again.game.switches) == (FIVE.name, FIVE.size, FIVE.switches)
    assert unstacked(again.positions) == unstacked(table.positions)
    assert np.array_equal(again.values, table.values) and np.array_equal(again.visits, table.visits)
    assert (again.games, again.luck, again.results.tolist()) == (7, (1 << 64) - 5, [[1, 0, 3], [2, 1, 0]])
    assert table_facts(again, notes)["won"] == 3


def test_batches_say_what_the_rules_say() -> None:
    line = [position for seed in range(6) for position, _ in random_line(FIVE, 60, seed)]
    line += [FIVE.play(*random_line(FIVE, 60, seed)[-1]) for seed in range(6)]
    batch = stacked(line)
    assert keys(batch).tolist() == [FIVE.key(position) for position in line]
    assert finished(batch).tolist() == [FIVE.outcome(position) is not None for position in line]
    turned = [[image for image, _ in FIVE.symmetries(position, 0)] for position in line]
    assert all(len(set(orbit_keys(stacked(images)).tolist())) == 1 for images in turned)
    least = [min(FIVE.key(image) for image in images) for images in turned]
    assert orbit_names(FIVE, batch).tolist() == least


def test_the_command_tells_what_is_in_a_table(tmp_path: Path) -> None:
    save_table(small(), tmp_path / "t.parquet", notes={"step": 0.1})
    output = CliRunner().invoke(commands, ["data", str(tmp_path / "t.parquet")])
    assert output.exit_code == 0
    assert "positions of lines_of_action 5x5 from 7 games (3 won, 1 drawn, 3 lost by who sampled)" in output.output
    json = CliRunner().invoke(commands, ["data", str(tmp_path / "t.parquet"), "--json"])
    assert '"games": 7' in json.output and '"size": "5x5"' in json.output
    with pytest.raises(FileError, match="not of records"):
        load(tmp_path / "t.parquet")


def rewritten(path: Path, change: Any) -> None:
    pq.write_table(change(pq.read_table(path)), path)


def test_files_that_are_no_tables(tmp_path: Path) -> None:
    path = tmp_path / "t.parquet"
    with pytest.raises(FileError, match="cannot be read"):
        load_table(path)
    path.write_bytes(b"PAR1 nonsense")
    with pytest.raises(FileError, match="cannot be read"):
        load_table(path)
    assert not is_table(path)
    pq.write_table(pa.table({"mine": [1]}), path)
    with pytest.raises(FileError, match="not a table of positions"):
        load_table(path)
    for change, message in (
        (lambda rows: rows.drop_columns("value"), "has no column 'value'"),
        (lambda rows: rows.set_column(4, "visits", pa.array(["x"] * len(rows))), "'visits' must hold int64"),
        (lambda rows: rows.set_column(3, "value", pa.array([1.5] * len(rows))), "row 1: value 1.5 with"),
        (lambda rows: rows.set_column(4, "visits", pa.array([0] * len(rows))), "with 0 visits is no row"),
    ):
        save_table(small(), path)
        rewritten(path, change)
        with pytest.raises(FileError, match=message):
            load_table(path)
