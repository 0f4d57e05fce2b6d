"""The player `student:NAME_OR_RUN`: what its file says decides how it plays."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from understudy.config import check_range
from understudy.errors import BadOption, FileError
from understudy.games import CompiledGame
from understudy.games.chess.players.students import AGAIN, BoardStudent, standing_evaluator
from understudy.games.chess.players.students import KIND as LABELS
from understudy.games.konane.rules import CELLS as MOST_CELLS
from understudy.players.evolved import KIND as EVOLVED
from understudy.players.evolved import evaluator_of, load_evolved
from understudy.players.names import check_obeyed
from understudy.players.network import Student, StudentPlayerOptions
from understudy.players.searcher import Searcher, SearcherOptions
from understudy.players.student_files import load_session, student_file
from understudy.players.values import Score, ValueStudent, layered
from understudy.search.evaluators.quiescent import quiescent
from understudy.search.evaluators.sigmoid import layers, weight_count
from understudy.tensors import load_arrays, load_facts

VALUE_KINDS = ("single", "comparison")
"""Students that value boards, one by one or in pairs; all others imitate moves part by part."""
Made = Student | ValueStudent | BoardStudent | Searcher


class Way(NamedTuple):
    """How a kind of student plays: what makes it a player, what it does in a few words, and which options it obeys."""

    make: Callable[..., Made]
    does: str
    obeys: tuple[str, ...] = ()
    one_ply: bool = False
    """It never looks further, so `depth=1` chooses nothing."""


def make_student(game: CompiledGame, options: StudentPlayerOptions, *, name: str, rng: np.random.Generator) -> Made:
    """Return the student of a file as a player."""
    path = student_file(options.path, options.order)
    way = _find_way(path)
    depth = None if way.one_ply and options.depth == 1 else options.depth
    chosen = replace(options, path=StudentPlayerOptions.path, depth=depth)
    check_obeyed(chosen, way.obeys, name=name, does=way.does)
    return way.make(game, path, options, name=name, rng=rng)


def _find_way(path: Path) -> Way:
    if path.suffix == ".safetensors":
        return INSIDE.get(str(load_facts(path, "student").get("kind")), VALUING)
    return OUTSIDE.get(str(load_session(path)[1].get("kind")), IMITATING)


def _imitating(
    game: CompiledGame, path: Path, options: StudentPlayerOptions, *, name: str, rng: np.random.Generator
) -> Student:
    """Return a student that chooses the parts of a move one after another."""
    return Student(game, options, name=name, rng=rng)


def _valuing(
    game: CompiledGame, path: Path, options: StudentPlayerOptions, *, name: str, rng: np.random.Generator
) -> ValueStudent:
    """Return a student that values boards, or compares them."""
    score, facts = load_snapshot(path) if path.suffix == ".safetensors" else _load_running(path)
    own = 1 if options.symmetries else int(facts.get("depth", 1))
    depth = own if options.depth is None else options.depth
    _check_depth(game, facts, depth, name=name, symmetries=options.symmetries)
    return ValueStudent(game, score, facts, name=name, rng=rng, symmetries=options.symmetries, depth=depth)


def _boards(
    game: CompiledGame, path: Path, options: StudentPlayerOptions, *, name: str, rng: np.random.Generator
) -> BoardStudent:
    """Return a student that learned an engine's labels."""
    session, facts = load_session(path)
    return BoardStudent(game, session, facts, name=name, rng=rng)


def _evolved(
    game: CompiledGame, path: Path, options: StudentPlayerOptions, *, name: str, rng: np.random.Generator
) -> Searcher:
    """Return a student whose network judges the leaves of a search."""
    evolved = load_evolved(path)
    evaluator = evaluator_of(game, evolved, name)
    return Searcher(game, _looking(options, evolved.depth), name=name, rng=rng, evaluator=evaluator)


def _standing(
    game: CompiledGame, path: Path, options: StudentPlayerOptions, *, name: str, rng: np.random.Generator
) -> Searcher:
    """Return a student that sees how pieces stand: one ply, or as far as it is told, captures played out."""
    evaluator: Any = standing_evaluator(path, game, name)
    chosen = _looking(options, 1)
    if chosen.depth != 1 if options.quiescence is None else options.quiescence:
        evaluator = quiescent(evaluator)
    return Searcher(game, chosen, name=name, rng=rng, evaluator=evaluator, again=AGAIN)


IMITATING = Way(_imitating, "chooses part by part", ("check", "order", "best", "symmetries"))
VALUING = Way(_valuing, "values one board at a time", ("depth", "symmetries"))
COMPARING = Way(_valuing, "compares two boards one ply ahead and looks no further", one_ply=True)
SEARCHES, LIMITS = "searches with its network", ("depth", "time", "nodes")

INSIDE = {
    EVOLVED: Way(_evolved, SEARCHES, LIMITS),
    LABELS: Way(_standing, SEARCHES, (*LIMITS, "quiescence")),
    "single": VALUING,
    "comparison": COMPARING,
}
"""Students kept as safetensors, by what their files say of themselves; the first two run inside the search."""
OUTSIDE = {
    LABELS: Way(_boards, "looks one ply ahead and no further", one_ply=True),
    "single": VALUING,
    "comparison": COMPARING,
}
"""Students kept as ONNX files; those that say nothing imitate moves part by part."""


def _looking(options: StudentPlayerOptions, depth: int) -> SearcherOptions:
    """Return how far a student looks: as it is told, else *depth* plies."""
    told = options.depth, options.time, options.nodes
    own = depth if told == (None, None, None) else options.depth
    return SearcherOptions(depth=own, time=options.time, nodes=options.nodes)


def _check_depth(game: CompiledGame, facts: Mapping[str, Any], depth: int, *, name: str, symmetries: bool) -> None:
    check_range(f"{name}: depth", depth, 1, 6)
    plain = facts["kind"] == "single" and not symmetries and len(game.board.cells) <= MOST_CELLS
    if depth > 1 and not (plain and game.name == "konane"):
        raise BadOption(
            f"player {name!r}: depth above 1 is for students that value one board at a time, without symmetries, "
            f"on konane boards of at most {MOST_CELLS} cells"
        )


def _load_running(path: Path) -> tuple[Score, Mapping[str, Any]]:
    session, facts = load_session(path)

    def score(inputs: Any) -> Any:
        return session.run(None, {"inputs": inputs})[0]

    return score, facts


def load_snapshot(path: Path) -> tuple[Score, Mapping[str, Any]]:
    """Return a snapshot of a training as a network, and what its file says of it."""
    arrays, facts = load_arrays(path, "snapshot")
    weights = arrays.get("weights", np.zeros(0, np.float32))
    sizes = facts.get("sizes")
    if not sizes or facts.get("kind") not in VALUE_KINDS or weights.shape != (weight_count(sizes),):
        raise FileError(f"{str(path)!r} holds weights, but is no snapshot: it does not say what it has learned")
    return layered(layers(sizes, weights)), facts
