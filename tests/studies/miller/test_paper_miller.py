"""What the Lines of Action thesis prints: its numbers add up, and stand for its own players alone."""

from __future__ import annotations

import numpy as np
import pytest

from understudy.report.evolution.published import OTHER, STUDENT
from understudy.studies.miller.paper import EVOLUTION, MATCHES, OPPONENT


def test_the_thesis_adds_up() -> None:
    ours, theirs = MATCHES[STUDENT, "stochastic"], OPPONENT
    for one, other in OTHER.items():
        whole = 400 if one == "combined" else 200
        assert ours.spreads[one].mean + theirs.spreads[other].mean == pytest.approx(whole)
        assert ours.spreads[one].median + theirs.spreads[other].median == pytest.approx(whole)
        assert ours.spreads[one].deviation == theirs.spreads[other].deviation
    for there in MATCHES.values():
        games = there.records
        if games:
            sums = [a + b for a, b in zip(games["white"][:3], games["black"][:3], strict=True)]
            assert sums == list(games["overall"][:3])
            assert games["combined"].played == there.spreads["combined"].sample
            assert games["overall"].played == there.spreads["overall"].sample


def test_what_the_thesis_tells_of_one_side_is_turned_for_the_other() -> None:
    turned = EVOLUTION.between("searcher:depth=5", "stochastic:depth=3")
    assert turned is not None
    assert turned.name == "ALoA v random heuristic"
    assert turned.spreads["black"].mean == pytest.approx(200 - 30.67)  # the random heuristic's White
    assert turned.spreads["combined"].mean == pytest.approx(400 - 61.95)
    assert np.isnan(turned.spreads["black"].most)
    random = EVOLUTION.between("stochastic", "random_network")
    assert random is not None and random.records["white"][:3] == (581, 22, 17)
    assert EVOLUTION.between("random", "random") is None


def test_players_of_the_thesis_are_told_by_all_that_they_are() -> None:
    assert EVOLUTION.between(STUDENT, "searcher:evaluator=aloa,depth=5") is not None
    assert EVOLUTION.between(STUDENT, "searcher:depth=5") is not None, "ALoA is what a searcher asks by itself"
    assert EVOLUTION.between("random_network", "stochastic") is not None, "three plies unless it is told otherwise"
    for other in ("searcher", "searcher:depth=4", "searcher:depth=5,evaluator=stones", "stochastic:depth=2",
                  "searcher:depth=5,ties=random"):  # fmt: skip
        assert EVOLUTION.between(STUDENT, other) is None, other
