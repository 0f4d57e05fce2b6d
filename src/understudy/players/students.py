"""The player `student:NAME_OR_RUN`: what its file says decides how it plays."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from understudy.config import check_range
from understudy.errors import BadOption, FileError
from understudy.games import CompiledGame
from understudy.games.konane import CELLS as MOST_CELLS
from understudy.players.evolved import KIND as EVOLVED
from understudy.players.evolved import check_plain, evaluator_of, load_evolved
from understudy.players.network import Student, StudentPlayerOptions
from understudy.players.searcher import Searcher, SearcherOptions
from understudy.players.student_files import load_session, student_file
from understudy.players.values import Score, ValueStudent, layered
from understudy.search.evaluators.sigmoid import layers, weight_count
from understudy.tensors import load_arrays, load_facts

VALUE_KINDS = ("single", "comparison")
"""Students that value boards, one by one or in pairs; all others imitate moves part by part."""


def make_student(
    game: CompiledGame, options: StudentPlayerOptions, *, name: str, rng: np.random.Generator
) -> Student | ValueStudent | Searcher:
    """Return the student of a file as a player."""
    path = student_file(options.path, options.order)
    if path.suffix == ".safetensors" and load_facts(path, "student").get("kind") == EVOLVED:
        return _searching(game, path, options, name=name, rng=rng)
    if path.suffix == ".safetensors":
        score, facts = load_snapshot(path)
    else:
        session, facts = load_session(path)
        if facts.get("kind") not in VALUE_KINDS:
            return Student(game, options, name=name, rng=rng)
        score = _running(session)
    if options.order or options.best != 1:
        raise BadOption(f"player {name!r} values boards; order and best are for students that choose part by part")
    if options.symmetries and facts["kind"] == "comparison":
        raise BadOption(f"player {name!r} compares boards; symmetries are for students that value one board at a time")
    own = 1 if options.symmetries else int(facts.get("depth", 1))
    depth = own if options.depth is None else options.depth
    _check_depth(game, facts, depth, name=name, symmetries=options.symmetries)
    return ValueStudent(game, score, facts, name=name, rng=rng, symmetries=options.symmetries, depth=depth)


def _searching(
    game: CompiledGame, path: Path, options: StudentPlayerOptions, *, name: str, rng: np.random.Generator
) -> Searcher:
    """Return a student whose network judges the leaves of a search."""
    check_plain(options, name)
    evolved = load_evolved(path)
    chosen = SearcherOptions(depth=evolved.depth if options.depth is None else options.depth)
    return Searcher(game, chosen, name=name, rng=rng, evaluator=evaluator_of(game, evolved, name))


def _check_depth(game: CompiledGame, facts: Mapping[str, Any], depth: int, *, name: str, symmetries: bool) -> None:
    check_range(f"{name}: depth", depth, 1, 6)
    plain = facts["kind"] == "single" and not symmetries and len(game.board.cells) <= MOST_CELLS
    if depth > 1 and not (plain and game.name == "konane"):
        raise BadOption(
            f"player {name!r}: depth above 1 is for students that value one board at a time, without symmetries, "
            f"on konane boards of at most {MOST_CELLS} cells"
        )


def _running(session: Any) -> Score:
    def score(inputs: Any) -> Any:
        return session.run(None, {"inputs": inputs})[0]

    return score


def load_snapshot(path: Path) -> tuple[Score, Mapping[str, Any]]:
    """Return a snapshot of a training as a network, and what its file says of it."""
    arrays, facts = load_arrays(path, "snapshot")
    weights = arrays.get("weights", np.zeros(0, np.float32))
    sizes = facts.get("sizes")
    if not sizes or facts.get("kind") not in VALUE_KINDS or weights.shape != (weight_count(sizes),):
        raise FileError(f"{str(path)!r} holds weights, but is no snapshot: it does not say what it has learned")
    return layered(layers(sizes, weights)), facts
