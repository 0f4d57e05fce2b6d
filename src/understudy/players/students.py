"""The player `student:NAME_OR_RUN`: what its file says decides how it plays."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from understudy.config import check_range
from understudy.errors import BadOption, FileError
from understudy.games import CompiledGame
from understudy.games.chess.players.students import AGAIN, BoardStudent, standing_evaluator
from understudy.games.chess.players.students import KIND as LABELS
from understudy.games.konane.rules import CELLS as MOST_CELLS
from understudy.players.evolved import KIND as EVOLVED
from understudy.players.evolved import check_searching, evaluator_of, load_evolved
from understudy.players.network import Student, StudentPlayerOptions
from understudy.players.searcher import Searcher, SearcherOptions
from understudy.players.student_files import load_session, student_file
from understudy.players.values import Score, ValueStudent, layered
from understudy.search.evaluators.quiescent import quiescent
from understudy.search.evaluators.sigmoid import layers, weight_count
from understudy.tensors import load_arrays, load_facts

VALUE_KINDS = ("single", "comparison")
"""Students that value boards, one by one or in pairs; all others imitate moves part by part."""


def make_student(
    game: CompiledGame, options: StudentPlayerOptions, *, name: str, rng: np.random.Generator
) -> Student | ValueStudent | BoardStudent | Searcher:
    """Return the student of a file as a player."""
    path = student_file(options.path, options.order)
    if path.suffix == ".safetensors":
        kind = load_facts(path, "student").get("kind")
        if kind in SEARCHING:
            check_searching(options, name)
            return SEARCHING[kind](game, path, options, name=name, rng=rng)
        score, facts = load_snapshot(path)
    else:
        session, facts = load_session(path)
        if facts.get("kind") == LABELS:
            _check_one_ply(options, name)
            return BoardStudent(game, session, facts, name=name, rng=rng)
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


def _evolved(
    game: CompiledGame, path: Path, options: StudentPlayerOptions, *, name: str, rng: np.random.Generator
) -> Searcher:
    """Return a student whose network judges the leaves of a search."""
    if options.quiescence is not None:
        raise BadOption(f"player {name!r}: quiescence is for students of chess")
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


SEARCHING = {EVOLVED: _evolved, LABELS: _standing}
"""Students whose network runs inside the search, by what their files say of themselves."""


def _looking(options: StudentPlayerOptions, depth: int) -> SearcherOptions:
    """Return how far a student looks: as it is told, else *depth* plies."""
    told = options.depth, options.time, options.nodes
    own = depth if told == (None, None, None) else options.depth
    return SearcherOptions(depth=own, time=options.time, nodes=options.nodes)


def _check_one_ply(options: StudentPlayerOptions, name: str) -> None:
    usual = StudentPlayerOptions(path=options.path, depth=1 if options.depth == 1 else None)
    if odd := [key for key, value in vars(options).items() if value != getattr(usual, key)]:
        raise BadOption(f"player {name!r} looks one ply ahead and no further; {odd[0]} cannot be chosen")


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
