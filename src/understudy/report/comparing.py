"""Whether a paper's numbers may stand beside those of a run: only if its experiment says so, and is the paper's."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from understudy.errors import UnderstudyError
from understudy.games import find_game
from understudy.games.variant import read_size
from understudy.judges.papers import PAPERS, Paper, written


class Comparison(NamedTuple):
    """With whom a run may be compared."""

    study: str = ""
    """The paper whose numbers stand beside ours, by its key; empty for none."""
    refusal: str = ""
    """One sentence that says why a paper's numbers do not, where somebody might look for them."""


def comparison_of(experiment: Mapping[str, Any]) -> Comparison:
    """Return with which paper the run of an experiment may be compared."""
    about = about_of(experiment)
    study = str(about.get("study", ""))
    if study not in PAPERS:
        unnamed = "Published numbers are not set beside ours: the experiment names no study."
        return Comparison(refusal=unnamed if experiment.get("paper") else "")
    paper = PAPERS[study]
    if reason := _another(paper, about):
        return Comparison(refusal=f"The numbers of {paper.name} are not set beside ours: {reason}.")
    return Comparison(study)


def about_of(experiment: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return what an experiment says of itself; nothing where somebody wrote it otherwise."""
    about = experiment.get("experiment")
    return about if isinstance(about, Mapping) else {}


def _another(paper: Paper, about: Mapping[str, Any]) -> str:
    """Return what a run is about if that is not what the paper is about."""
    kind, game = str(about.get("kind", "imitation")), str(about.get("game", "morris"))
    if kind not in paper.boards:
        return f"they are of the kind {' and '.join(paper.boards)}, and this is of the kind {kind}"
    size = _size(game, str(about.get("size", "")))
    if game == paper.game and size in paper.boards[kind]:
        return ""
    *others, last = map(written, paper.boards[kind])
    boards = f"{', '.join(others)} or {last}" if others else last
    return f"they are of {paper.game} on {boards}, and this is {game} on {written(size) if size else 'another board'}"


def _size(game: str, size: str) -> tuple[int, int] | None:
    """Return the board of a game; None where there is no such game or board."""
    try:
        return find_game(game, read_size(size) if size else None).size
    except UnderstudyError:
        return None
