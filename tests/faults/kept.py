"""Every kind of file that something is resumed from: how it is written, and how it is read again."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa

from tests.conftest import random_line
from tests.tiny import tiny
from understudy.errors import FileError
from understudy.files import load_json, save_json
from understudy.games import find_game
from understudy.games.batches import stacked
from understudy.games.chess.players.analyst import Label
from understudy.games.chess.records.labelling import finished_parts, save_part
from understudy.games.chess.records.opinions import LabelResult
from understudy.games.chess.records.positions import arrow_rows, load_positions, save_positions
from understudy.games.morris.solving.spaces import count_places
from understudy.games.morris.solving.tables import Tables
from understudy.games.morris.solving.tables import save_table as save_endgames
from understudy.lab.run import append_line, drop_lines
from understudy.networks.files import save_layers
from understudy.networks.students import ValueNetwork, ValueOptions
from understudy.players.student_files import load_session
from understudy.records.store import load, lone_pairs, save
from understudy.records.tables import Tabled, load_table, save_table
from understudy.search.evaluators.perceptron import load_perceptron, random_perceptron, save_perceptron
from understudy.tensors import load_arrays, save_arrays
from understudy.trainers.checkpoints import resume, save_checkpoint
from understudy.trainers.fitting import TrainingOptions, begin
from understudy.trainers.offline import Cycle, Fit, load_fit, save_fit
from understudy.trainers.online.pupils import Pupil


class Kept(NamedTuple):
    """A kind of file."""

    name: str
    write: Callable[[Path, int], object]
    """Given where, and how large: some numbers of its own for each."""
    read: Callable[[Path], object]


def numbers(size: int) -> Any:
    """Return numbers that cannot be packed."""
    return np.random.default_rng(size).integers(0, 1 << 62, size)


def network(size: int) -> Any:
    return ValueNetwork(3, ValueOptions(hidden=(size,)))


def learning(size: int = 20) -> Any:
    return begin(network(size), TrainingOptions())


def fitted(size: int = 20) -> Fit:
    return Fit(network(size), [Cycle(0, 0.1, 0.2, 0.3)])


def perceptron_of(size: int) -> Any:
    return random_perceptron(12, size, rng=np.random.default_rng(size))


def pupil() -> Pupil:
    experiment = tiny("online")
    lesson = experiment.lessons[0]
    return Pupil(experiment.game, lesson.student, lesson.training)


@cache
def lines(size: int) -> Any:
    game = find_game("lines_of_action")
    line = [pair for seed in range(1 + size // 60) for pair in random_line(game, 60, seed)]
    positions, moves = zip(*line, strict=True)
    return lone_pairs(game, stacked(list(positions)), np.array(moves), source="chance")


def table(size: int) -> Tabled:
    records = lines(size)
    count = len(records)
    return Tabled(
        game=records.game, positions=records.positions, values=np.random.default_rng(0).random(count),
        visits=np.ones(count, np.int64), games=4, results=np.zeros((2, 3), np.int64), luck=7,
    )  # fmt: skip


@cache
def chess_rows(size: int) -> Any:
    from tests.games.chess.test_label_examples_chess import table_of

    return table_of(range(1 + size // 60))


def write_part(path: Path, size: int) -> None:
    """Write a part of labels; its name is its own."""
    rows: pa.Table = arrow_rows(chess_rows(size))
    part = save_part(path.parent, 0, rows, [LabelResult(Label("cp", 13, "e2e4"), "")] * len(rows))
    part.path.replace(path)


def read_part(path: Path) -> None:
    place = path.with_name("part_0000000000.parquet")
    path.replace(place)
    try:
        finished_parts(path.parent)
    finally:
        place.replace(path)


def write_journal(path: Path, size: int) -> None:
    path.unlink(missing_ok=True)
    for epoch in range(3):
        append_line(path, {"student": "a", "network": "b", "epoch": epoch, "loss": numbers(1 + size // 100).tolist()})


def write_endgames(path: Path, size: int) -> None:
    """Write tables of all positions with plies by chance; three stones against three are the fewest there are."""
    plies = np.random.default_rng(size).integers(0, 500, count_places((3, 3)))
    save_endgames(path.parent, (3, 3), plies.astype(np.uint16))


def read_endgames(path: Path) -> None:
    Tables(path.parent).plies((3, 3))


KEPT = (
    Kept("checkpoint.safetensors", lambda path, size: save_checkpoint(path, learning(size), "x"),
         lambda path: resume(path, learning(), "x")),
    Kept("evolver.safetensors", lambda path, size: save_arrays(path, {"population": numbers(size)}, {"seconds": 1.5}),
         lambda path: load_arrays(path, "evolution")),
    Kept("pupil.safetensors", lambda path, size: pupil().save(path, "x"), lambda path: pupil().resume(path, "x")),
    Kept("student.onnx", lambda path, size: save_layers(path, network(size).plain_layers(), {"name": "x"}),
         load_session),
    Kept("fit.safetensors", lambda path, size: save_fit(path, fitted(size), "x"),
         lambda path: load_fit(path, fitted(), "x")),
    Kept("perceptron.safetensors", lambda path, size: save_perceptron(perceptron_of(size), path),
         lambda path: load_perceptron(path, 12)),
    Kept("records.parquet", lambda path, size: save(lines(size), path, notes={"plan": "x"}), load),
    Kept("table.parquet", lambda path, size: save_table(table(size), path, notes={"a": 1}), load_table),
    Kept("positions.parquet", lambda path, size: save_positions(replace(chess_rows(size), facts={"a": "b"}), path),
         load_positions),
    Kept("part.parquet", write_part, read_part),
    Kept("morris_3v3.safetensors", write_endgames, lambda path: Tables(path.parent).values((3, 3))),
    Kept("morris_3v3_plies.safetensors", write_endgames, read_endgames),
    Kept("games.json", lambda path, size: save_json(path, {"a": numbers(size).tolist()}, sealed=True), load_json),
    Kept("rows.json", lambda path, size: save_json(path, {"a": numbers(size).tolist()}, indent=None, sealed=True),
         load_json),
    Kept("progress.jsonl", write_journal, lambda path: drop_lines(path, lambda line: False)),
)  # fmt: skip


def refusal(attempt: Callable[[], object]) -> str:
    """Return the one sentence in which something is refused; nothing if it is not."""
    try:
        attempt()
    except FileError as error:
        assert "\n" not in str(error)
        return str(error)
    return ""
