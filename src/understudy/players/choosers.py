"""Players as choosers: those that can live inside a kernel, named as everywhere else."""

from __future__ import annotations

from typing import Any

from understudy.config import build, check_range
from understudy.errors import BadOption
from understudy.games import CompiledGame
from understudy.players.searcher import SearcherOptions
from understudy.players.text import split_options
from understudy.search.choosers import Anyone, Minimax
from understudy.search.evaluators import find_evaluator

DEEPEST = 8


def make_chooser(text: str, game: CompiledGame) -> Any:
    """Return the chooser that *text* names: `random`, or `searcher:evaluator=q,depth=2`, always by plain minimax."""
    name, options = split_options(text)
    if name == "random" and not options:
        return Anyone()
    if name != "searcher":
        raise BadOption(f"player {text!r} cannot play inside a kernel; random and searcher:evaluator=...,depth=... can")
    chosen = build(SearcherOptions, options, place=f"player {name!r}")
    if chosen.time is not None or chosen.nodes is not None or chosen.weights is not None:
        raise BadOption(f"player {text!r} plays inside a kernel, where depth and evaluator alone can be chosen")
    depth = chosen.depth or 1
    check_range(f"{text}: depth", depth, 1, DEEPEST)
    return Minimax(find_evaluator(game.name, chosen.evaluator), depth)
