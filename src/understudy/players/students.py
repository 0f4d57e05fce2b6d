"""The player `student:NAME_OR_RUN`: what its file says decides how it plays."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from understudy.config import check_range
from understudy.errors import BadOption, FileError, understood
from understudy.games import GAMES, CompiledGame, find_kind
from understudy.players.evolved import KIND as EVOLVED
from understudy.players.evolved import evaluator_of, explainer_of, export_evolved, feed_evolved, load_evolved
from understudy.players.generations import find_generation
from understudy.players.layers import NotInside, Plain, read_layers
from understudy.players.names import PlayerKind, check_obeyed
from understudy.players.network import Student, StudentPlayerOptions
from understudy.players.searcher import Searcher, SearcherOptions
from understudy.players.student_files import check_board, load_session, run_session, student_facts, student_file
from understudy.players.values import Score, ValueStudent, score_of
from understudy.protocols import Player
from understudy.search.evaluators.layered import layered
from understudy.search.evaluators.sigmoid import layers, weight_count
from understudy.tensors import load_arrays

WORD = 64
"""Cells of a board whose stones fit into one mask, as batches have them."""
VALUE_KINDS = ("single", "comparison")
"""Students that value boards, one by one or in pairs; all others imitate moves part by part."""


class Way(NamedTuple):
    """How a kind of student plays: what makes it a player, what it does in a few words, and which options it obeys."""

    make: Callable[..., Player]
    does: str
    obeys: tuple[str, ...] = ()
    one_ply: bool = False
    """It never looks further, so `depth=1` chooses nothing."""
    graph: Callable[[CompiledGame, Path], Any] | None = None
    """Makes its network an ONNX graph for other programs, if it is not kept as one."""
    feed: Callable[[CompiledGame, Path, Any], dict[str, NDArray[Any]]] | None = None
    """What that graph is given of a batch of positions."""


def make_student(game: CompiledGame, options: StudentPlayerOptions, *, name: str, rng: np.random.Generator) -> Player:
    """Return the student of a file as a player."""
    path = find_file(options, name)
    with understood(f"the student {str(path)!r}"):
        return _make(game, path, options, name=name, rng=rng)


def _make(
    game: CompiledGame, path: Path, options: StudentPlayerOptions, *, name: str, rng: np.random.Generator
) -> Player:
    way = find_way(path)
    depth = None if way.one_ply and options.depth == 1 else options.depth
    # An order is for run folders, whatever kind of student they hold; `student_file` has refused it elsewhere.
    chosen = replace(options, path=StudentPlayerOptions.path, depth=depth, order="")
    check_obeyed(chosen, way.obeys, name=name, does=way.does)
    return way.make(game, path, options, name=name, rng=rng)


def find_file(options: StudentPlayerOptions, name: str) -> Path:
    """Return the file that holds a student, as it is or as it was at a generation that a run has kept."""
    if options.generation is not None and Path(options.path).is_dir():
        return find_generation(options.path, options.order, options.generation, name=name)
    return student_file(options.path, options.order)


def find_way(path: Path) -> Way:
    """Return how the student of a file plays."""
    inside = path.suffix == ".safetensors"
    facts = student_facts(path)
    ways = (INSIDE if inside else OUTSIDE) | _own_ways(str(facts.get("game")), "INSIDE" if inside else "OUTSIDE")
    return ways.get(str(facts.get("kind")), VALUING if inside else IMITATING)


def _own_ways(game: str, table: str) -> dict[str, Way]:
    """Return the kinds of students that only their game knows how to play."""
    kind = find_kind(game) if game in GAMES else None
    ways: dict[str, Way] = getattr(kind.load("students"), table) if kind and kind.students else {}
    return ways


def _imitating(
    game: CompiledGame, path: Path, options: StudentPlayerOptions, *, name: str, rng: np.random.Generator
) -> Student:
    """Return a student that chooses the parts of a move one after another."""
    return Student(game, options, name=name, rng=rng)


def _valuing(
    game: CompiledGame, path: Path, options: StudentPlayerOptions, *, name: str, rng: np.random.Generator
) -> Player:
    """Return a student that values boards one ply ahead or compares them, or one that searches with its network."""
    facts = student_facts(path)
    timed = options.time is not None or options.nodes is not None
    own = 1 if options.symmetries else int(facts.get("depth", 1))
    depth = own if options.depth is None else options.depth
    if (timed or depth > 1) and not options.symmetries:
        try:
            return _inside(game, path, options, own, name=name, rng=rng)
        except NotInside as error:
            if timed:
                raise BadOption(f"player {name!r}: {error}; it can be told a depth, not time or nodes") from None
    if timed:
        raise BadOption(f"player {name!r}: symmetries=true goes with one ply, not with time or nodes")
    score, facts = load_snapshot(path) if path.suffix == ".safetensors" else _load_running(path)
    _check_depth(game, facts, depth, name=name, symmetries=options.symmetries)
    return ValueStudent(game, score, facts, name=name, rng=rng, symmetries=options.symmetries, depth=depth)


def _inside(
    game: CompiledGame, path: Path, options: StudentPlayerOptions, depth: int, *, name: str, rng: np.random.Generator
) -> Searcher:
    """Return a student that looks *depth* plies ahead, or as it is told, its network judging the leaves of a search."""
    facts = student_facts(path)
    check_board(facts, game, name)
    plain = load_layers(path) if path.suffix == ".safetensors" else read_layers(path)
    evaluator = layered(game, plain.layers, representation=facts["representation"], units=plain.units)
    return Searcher(game, looking(options, depth), name=name, rng=rng, evaluator=evaluator)


def _evolved(
    game: CompiledGame, path: Path, options: StudentPlayerOptions, *, name: str, rng: np.random.Generator
) -> Searcher:
    """Return a student whose network judges the leaves of a search."""
    if options.generation is not None and not Path(options.path).is_dir():
        chooses = f"generation={options.generation} chooses among those that a run folder has kept"
        raise BadOption(f"student {options.path!r} is one file; {chooses}")
    evolved = load_evolved(path)
    evaluator = evaluator_of(game, evolved, name)
    explain = explainer_of(game, evolved)
    return Searcher(game, looking(options, evolved.depth), name=name, rng=rng, evaluator=evaluator, explain=explain)


IMITATING = Way(_imitating, "chooses part by part", ("check", "order", "best", "symmetries", "depth", "remember"))
SEARCHES, LIMITS = "searches with its network", ("depth", "time", "nodes")
VALUING = Way(_valuing, "values one board at a time", (*LIMITS, "symmetries"))
COMPARING = Way(_valuing, "compares two boards one ply ahead and looks no further", one_ply=True)

INSIDE = {
    EVOLVED: Way(_evolved, SEARCHES, (*LIMITS, "generation"), graph=export_evolved, feed=feed_evolved),
    "single": VALUING,
    "comparison": COMPARING,
}
"""Students kept as safetensors, by what their files say of themselves; the first run inside the search."""
OUTSIDE = {
    "single": VALUING,
    "comparison": COMPARING,
}
"""Students kept as ONNX files; those that say nothing imitate moves part by part."""


def looking(options: StudentPlayerOptions, depth: int) -> SearcherOptions:
    """Return how far a student looks: as it is told, else *depth* plies."""
    told = options.depth, options.time, options.nodes
    own = depth if told == (None, None, None) else options.depth
    return SearcherOptions(depth=own, time=options.time, nodes=options.nodes)


def _check_depth(game: CompiledGame, facts: Mapping[str, Any], depth: int, *, name: str, symmetries: bool) -> None:
    check_range(f"{name}: depth", depth, 1, 6)
    plain = facts["kind"] == "single" and not symmetries and len(game.board.cells) <= WORD
    if depth > 1 and not (plain and game.at_once("successors")):
        raise BadOption(
            f"player {name!r}: depth above 1 is for students that value one board at a time, without symmetries, "
            f"on boards of at most {WORD} cells in a game that lists the successors of many boards at once"
        )


def _load_running(path: Path) -> tuple[Score, Mapping[str, Any]]:
    session, facts = load_session(path)

    def score(inputs: Any) -> Any:
        values = run_session(session, {"inputs": inputs}, path)[0]
        if not np.isfinite(values).all():
            raise FileError(f"the student {str(path)!r} says of a position what is no number: it is damaged")
        return values

    return score, facts


def load_snapshot(path: Path) -> tuple[Score, Mapping[str, Any]]:
    """Return a snapshot of a training as a function, and what its file says of it."""
    return score_of(load_layers(path).layers), student_facts(path)


def load_layers(path: Path) -> Plain:
    """Return the layers of a snapshot of a training."""
    arrays, facts = load_arrays(path, "snapshot")
    weights = arrays.get("weights", np.zeros(0, np.float32))
    sizes = facts.get("sizes")
    if not sizes or facts.get("kind") not in VALUE_KINDS or weights.shape != (weight_count(sizes),):
        raise FileError(f"{str(path)!r} holds weights, but is no snapshot: it does not say what it has learned")
    return Plain(layers(sizes, weights), "Sigmoid")


STUDENT = PlayerKind(make_student, StudentPlayerOptions, "path")
