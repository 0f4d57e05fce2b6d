"""Players as choosers: those that can live inside a kernel, for whole games without Python.

A name means the same player here as everywhere else; what a kernel cannot do is refused.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from understudy.config import check_range
from understudy.errors import BadOption
from understudy.games import CompiledGame
from understudy.players import read_player
from understudy.players.basic import NoOptions
from understudy.players.evolved import evaluator_of, load_evolved
from understudy.players.names import check_obeyed, plain_name
from understudy.players.network import StudentPlayerOptions
from understudy.players.searcher import SearcherOptions, StochasticOptions, find_limits
from understudy.players.student_files import student_file
from understudy.search.choosers import Anyone, Guessing, Looking, Minimax
from understudy.search.evaluators import find_evaluator

DEEPEST = 8
"""Plies; whole games of deeper searches are for players."""


def make_chooser(text: str, game: CompiledGame) -> Any:
    """Return the chooser that *text* names: `random`, `stochastic:depth=3`, `searcher:evaluator=q,depth=2`."""
    name, options = read_player(text, game)
    if name not in CHOOSERS:
        raise BadOption(f"player {text!r} cannot play inside a kernel; these can: {', '.join(CHOOSERS)}")
    return CHOOSERS[name](text, options, game)


def make_plain_chooser(text: str, game: CompiledGame, *, place: str) -> Any:
    """Return the chooser that *text* names where a searcher must be plain minimax; *place* is where the name stands.

    A teacher is asked what every move is worth, and NegaScout knows it of the best alone. And before names said how a
    searcher looks it was plain minimax here: a file of that time must not name another player without a word.
    """
    chooser = make_chooser(text, game)
    if isinstance(chooser, Looking) and text.startswith("searcher"):
        raise BadOption(
            f"{place}: {text!r} is NegaScout, and here searchers are plain minimax, which values every move and takes "
            f"one of equals by chance; write {plain_name(text)!r}"
        )
    return chooser


def _random(text: str, options: NoOptions, game: CompiledGame) -> Anyone:
    return Anyone()


def _stochastic(text: str, options: StochasticOptions, game: CompiledGame) -> Guessing:
    return Guessing(_checked(text, options.depth))


def _searcher(text: str, options: SearcherOptions, game: CompiledGame) -> Looking | Minimax:
    check_obeyed(options, ("evaluator", "depth", "method", "ties"), name=text, does="plays inside a kernel")
    if options.evaluator == "perceptron":
        raise BadOption(f"player {text!r} plays inside a kernel, where there is no evaluator=perceptron")
    check_range(f"{text}: depth", options.depth, 1, DEEPEST)
    evaluator, depth = find_evaluator(game.name, options.evaluator), find_limits(options, text).depth
    if options.method != "minimax":
        return Looking(evaluator, depth, int(options.ties == "random"))
    if options.ties != "random":
        raise BadOption(
            f"player {text!r} plays inside a kernel, where plain minimax takes one of equals by chance; "
            f"write ties=random, not ties={options.ties}"
        )
    return Minimax(evaluator, depth)


def _student(text: str, options: StudentPlayerOptions, game: CompiledGame) -> Looking:
    chosen = replace(options, path=StudentPlayerOptions.path)
    check_obeyed(chosen, ("depth",), name=text, does="looks a number of plies ahead inside a kernel")
    path = student_file(options.path)
    if path.suffix != ".safetensors":
        raise BadOption(f"player {text!r} cannot play inside a kernel; of students only evolved networks can")
    evolved = load_evolved(path)
    depth = evolved.depth if options.depth is None else options.depth
    return Looking(evaluator_of(game, evolved, text), _checked(text, depth))


def _checked(text: str, depth: int) -> int:
    check_range(f"{text}: depth", depth, 1, DEEPEST)
    return depth


CHOOSERS: dict[str, Callable[..., Any]] = {
    "random": _random,
    "stochastic": _stochastic,
    "searcher": _searcher,
    "student": _student,
}
"""What makes a chooser of the players that can live inside a kernel."""
