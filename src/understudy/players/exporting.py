"""Students as ONNX files for other programs: `understudy export student:NAME --output FILE.onnx`.

Most students are ONNX files already, and are copied. Those whose network runs inside the search are written as a graph
that is shown what kernels of the game count (`feed_student`); docs/onnx.md tells what that is.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from numpy.typing import NDArray

from understudy.config import build
from understudy.errors import BadOption
from understudy.files import save_file
from understudy.games import CompiledGame, find_game
from understudy.games.batches import stacked
from understudy.games.kind import read_size
from understudy.players.graphs import EXPORTED
from understudy.players.names import check_obeyed, split_options
from understudy.players.network import StudentPlayerOptions
from understudy.players.student_files import student_facts
from understudy.players.students import Way, find_file, find_way

CHOOSE = ("path", "order", "generation")
"""The options of `student:` that say which network it is; all others say how it plays."""


def export_student(name: str, out: Path) -> None:
    """Write the network of the student called *name* as an ONNX file, with what its own file says of it."""
    path = _find(name)
    if path.suffix == ".onnx":
        whole = path.read_bytes()
        save_file(out, lambda partial: partial.write_bytes(whole))
        return
    game, way = _look(path, name)
    from understudy.networks.files import save_model  # only who exports needs the package onnx

    assert way.graph is not None
    graph = way.graph(game, path)
    graph.metadata_props.add(key=EXPORTED.decode(), value=name)
    save_model(out, graph, student_facts(path))


def feed_student(name: str, positions: Sequence[Any]) -> dict[str, NDArray[Any]]:
    """Return what the exported graph of the student called *name* is given of positions, input by input."""
    path = _find(name)
    if path.suffix == ".onnx":
        raise BadOption(f"{name!r} is an ONNX file already; docs/onnx.md tells what it is given")
    game, way = _look(path, name)
    assert way.feed is not None
    return way.feed(game, path, stacked(positions))


def _find(name: str) -> Path:
    """Return the file of a student; options that no network has are refused."""
    kind, chosen = split_options(name, "path")
    if kind != "student":
        raise BadOption(f"{name!r} is no student: only `student:NAME` is written as ONNX")
    options = build(StudentPlayerOptions, chosen, place="player 'student'")
    check_obeyed(options, CHOOSE, name=name, does="is written as a network, however it plays")
    return find_file(options, name)


def _look(path: Path, name: str) -> tuple[CompiledGame, Way]:
    """Return the game of a student kept as weights, and how its network becomes a graph."""
    facts, way = student_facts(path), find_way(path)
    if way.graph is None or way.feed is None:
        raise BadOption(f"the student {name!r} {way.does}: a snapshot of a training is not written as ONNX")
    size = read_size(str(facts.get("size")), f"the student {str(path)!r}: size")
    return find_game(str(facts.get("game")), size), way
