"""Experiments of the kind `evaluators`: who should teach? Evaluation functions play random play and one another.

`[paper]` holds the published tables: `[paper.depth_2]` what row wins against column in per cent, `[paper.averages]`
what is printed of each player's averages.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from understudy.config import check_range
from understudy.errors import BadOption, UnknownName
from understudy.games import CompiledGame
from understudy.judges.robins import read_published
from understudy.lab.settings import About, board_of, built, check_sections

LETTERS = "abcdefghijklmnopqr"
COUNTS = ("template", "jumps")
HORIZONS = ("blind", "settled")
DEEPEST = 6

SECTIONS = ("experiment", "quick", "paper", "evaluators")


@dataclass(frozen=True, kw_only=True)
class EvaluatorsOptions:
    """The `[evaluators]` section."""

    names: str = LETTERS
    """Letters of the functions that meet random play; none for nobody."""
    depths: tuple[int, ...] = (1, 2, 3, 4)
    """Plies that minimax looks ahead; both players of a pair look equally far."""
    games: int = 1_000
    """Of each function against random play, at each depth; each side begins half of them."""
    robin: str = "ghijklmnopqr"
    """Letters of the functions that all meet one another; none for nobody."""
    robin_games: int = 1_000
    """Of each pair, at each depth."""
    counts: str = "template"
    """While at most one cell is empty: count removals as the source's program did, or `jumps` even then."""
    horizon: str = "blind"
    """A game that is over where the search ends is left to the function, or `settled` by the rules."""
    seed: int = 0


@dataclass(frozen=True, kw_only=True)
class Experiment:
    """A whole experiment file."""

    name: str
    about: About
    evaluators: EvaluatorsOptions
    paper: Mapping[str, Any] = field(default_factory=dict)
    settings: Mapping[str, Any] = field(default_factory=dict)

    @property
    def game(self) -> CompiledGame:
        """Konane on the experiment's board."""
        return board_of(self.about)


def make_experiment(name: str, settings: Mapping[str, Any], *, folder: Path) -> Experiment:
    """Return the experiment that *settings* describe; every key is checked here, before anything runs."""
    check_sections(settings, SECTIONS)
    about = built(About, settings, "experiment")
    if about.game != "konane":
        raise BadOption(f"experiment.game: evaluators are compared in konane alone so far, not {about.game!r}")
    options = built(EvaluatorsOptions, settings, "evaluators")
    check_options(options)
    paper = settings.get("paper", {})
    read_published(paper)
    experiment = Experiment(name=name, about=about, evaluators=options, paper=paper, settings=settings)
    assert experiment.game.name == about.game  # raises where the board has no such size
    return experiment


def check_options(options: EvaluatorsOptions) -> None:
    """Raise unless everybody named exists and there is something to play."""
    _check_letters("evaluators.names", options.names)
    _check_letters("evaluators.robin", options.robin)
    if not options.names and len(options.robin) < 2:
        raise BadOption("evaluators: nobody plays; evaluators.names or evaluators.robin must hold letters")
    if len(options.robin) == 1:
        raise BadOption(f"evaluators.robin: {options.robin!r} alone has nobody to meet")
    if not options.depths or len(set(options.depths)) < len(options.depths):
        raise BadOption(f"evaluators.depths must hold different numbers, not {list(options.depths)}")
    for depth in options.depths:
        check_range("evaluators.depths", depth, 1, DEEPEST)
    for place, games in (("games", options.games), ("robin_games", options.robin_games)):
        check_range(f"evaluators.{place}", games, 2, 10**8)
        if games % 2:
            raise BadOption(f"evaluators.{place} must be even, since each side begins half of them, not {games}")
    if options.counts not in COUNTS:
        raise UnknownName("evaluators.counts", options.counts, COUNTS)
    if options.horizon not in HORIZONS:
        raise UnknownName("evaluators.horizon", options.horizon, HORIZONS)
    check_range("evaluators.seed", options.seed, 0, 2**63)


def _check_letters(place: str, letters: str) -> None:
    for letter in letters:
        if letter not in LETTERS:
            raise BadOption(f"{place}: there is no evaluation function {letter!r}; there are a to r")
        if letters.count(letter) > 1:
            raise BadOption(f"{place} names {letter!r} twice")
