"""Players as contenders: choosers for whole matches inside a kernel that choose exactly as the players they name."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from understudy.config import build, check_range
from understudy.errors import BadOption, UnknownName
from understudy.games import CompiledGame
from understudy.players.basic import NoOptions
from understudy.players.evolved import evaluator_of, load_evolved
from understudy.players.network import StudentPlayerOptions
from understudy.players.searcher import TIES, SearcherOptions, StochasticOptions
from understudy.players.student_files import student_file
from understudy.players.text import check_obeyed, split_options
from understudy.search.choosers import Anyone, Guessing, Looking
from understudy.search.evaluators import find_evaluator

DEEPEST = 8
KINDS = "random, stochastic:depth=..., searcher:evaluator=...,depth=..."


def make_contender(text: str, game: CompiledGame) -> Any:
    """Return the chooser that *text* names: `random`, `stochastic:depth=3` or `searcher:depth=5,evaluator=aloa`."""
    name, options = split_options(text, "path" if text.startswith("student:") else None)
    place = f"player {name!r}"
    if name == "random":
        build(NoOptions, options, place=place)
        return Anyone()
    if name == "stochastic":
        return Guessing(_depth(text, build(StochasticOptions, options, place=place).depth))
    if name == "student":
        return _student(text, options, game)
    if name != "searcher":
        raise BadOption(f"player {text!r} cannot play inside a kernel; these can: {KINDS}")
    chosen = build(SearcherOptions, options, place=place)
    plain = SearcherOptions(evaluator=chosen.evaluator, depth=chosen.depth, ties=chosen.ties)
    if chosen != plain or chosen.evaluator == "perceptron":
        raise BadOption(f"player {text!r} plays inside a kernel, where depth, ties and evaluator alone can be chosen")
    if chosen.ties not in TIES:
        raise UnknownName("ties of searcher", chosen.ties, TIES)
    evaluator = find_evaluator(game.name, chosen.evaluator)
    return Looking(evaluator, _depth(text, 4 if chosen.depth is None else chosen.depth), int(chosen.ties == "random"))


def _student(text: str, options: Mapping[str, str], game: CompiledGame) -> Looking:
    chosen = build(StudentPlayerOptions, options, place="player 'student'")
    asked = replace(chosen, path=StudentPlayerOptions.path)
    check_obeyed(asked, ("depth",), name=text, does="looks a number of plies ahead inside a kernel")
    evolved = load_evolved(student_file(chosen.path))
    depth = evolved.depth if chosen.depth is None else chosen.depth
    return Looking(evaluator_of(game, evolved, text), _depth(text, depth))


def _depth(text: str, depth: int) -> int:
    check_range(f"{text}: depth", depth, 1, DEEPEST)
    return depth
