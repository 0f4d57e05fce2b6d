"""DeepMill's evaluator against counts by name, line by line, and on positions made by hand."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from tests.conftest import MORRIS_LINES, random_line
from tests.games.morris.test_evaluators_morris import BESIDE, cells
from understudy.games import find_game, rules
from understudy.games.morris.deepmill import DEEPMILL, DEEPMILL_TERMS, deepmill_value
from understudy.games.morris.notation import CELLS
from understudy.search.evaluators import value

GAME = find_game("morris")
LINES = [set(line) for line in MORRIS_LINES]
THROUGH = {cell: [line for line in LINES if cell in line] for cell in CELLS}


def reached(mine: set[str], empty: set[str]) -> set[str]:
    found: set[str] = set()
    edge = {cell for cell in empty if BESIDE[cell] & mine}
    while edge - found:
        found |= edge
        edge = {cell for cell in empty if BESIDE[cell] & found}
    return found


def terms(mine: set[str], theirs: set[str], hand: int) -> dict[str, int]:
    """Count every term of one side with sets of names."""
    empty = set(CELLS) - mine - theirs

    def pairs(cell: str) -> bool:
        others = [line - {cell} for line in THROUGH[cell]]
        return all(len(two & mine) == 1 and len(two & empty) == 1 for two in others)

    lacking = [min(line & empty) for line in LINES if len(line & mine) == 2 and len(line & empty) == 1]
    return {
        "stones": len(mine) + hand,
        "blocked": -sum(not BESIDE[cell] & empty for cell in mine),
        "potential_threes": sum(pairs(cell) for cell in empty),
        "mills": sum(line <= mine for line in LINES),
        "open_twos": len(lacking),
        "threes": sum(pairs(cell) for cell in mine),
        "degrees": sum(len(BESIDE[cell]) for cell in mine),
        "unblockable": sum(len(BESIDE[cell] & mine) >= 2 and not BESIDE[cell] & theirs for cell in lacking),
        "double_mills": sum(all(line <= mine for line in THROUGH[cell]) for cell in mine),
        "reachable": len(empty) if len(mine) == 3 else len(reached(mine, empty)),
    }


def counts(position: Any) -> tuple[str, dict[str, int]]:
    """Return the phase and each of its terms, mine less theirs."""
    mine, theirs = cells(position.mine), cells(position.theirs)
    placing = position.hand > 0 or position.their_hand > 0
    phase = "placing" if placing else "flying" if min(len(mine), len(theirs)) <= 3 else "sliding"
    own, other = terms(mine, theirs, position.hand), terms(theirs, mine, position.their_hand)
    found = {term: own[term] - other[term] for term in DEEPMILL_TERMS[phase]}
    if phase == "flying":
        found["stones"] = 4 + own["stones"] - 2 * other["stones"]
    return phase, found


def only(phase: str, term: str) -> Any:
    """Return an evaluator that weighs one term."""
    weights = [float(name == term) for name in DEEPMILL_TERMS[phase]]
    none = {name: np.zeros(len(names)) for name, names in DEEPMILL_TERMS.items()}
    return DEEPMILL._replace(**none | {phase: np.array(weights)})


def test_every_term_is_counted_as_by_hand() -> None:
    seen = dict.fromkeys(DEEPMILL_TERMS, 0)
    for seed in range(40):
        for position, _ in random_line(GAME, 100, seed)[::3]:
            phase, expected = counts(position)
            for term, number in expected.items():
                assert value(only(phase, term), position, True) == number, term
            seen[phase] += 1
    assert min(seen.values()) > 30


def make(mine: str, theirs: str, hands: tuple[int, int] = (0, 0)) -> Any:
    """Return the position of stones given by cells."""
    own, other = set(mine.split()), set(theirs.split())
    letters = "".join("M" if cell in own else "E" if cell in other else "O" for cell in CELLS)
    return GAME.read(f"{letters}{hands[0]}{hands[1]}{len(own)}{len(other)}")


@pytest.mark.parametrize(
    ("phase", "term", "mine", "theirs", "hands", "expected"),
    [
        ("placing", "stones", "a7 d7", "b6", (7, 6), 2),  # they have lost two
        ("placing", "blocked", "d7 a4", "a7 g7", (7, 7), 1),  # a7 lies between d7 and a4
        ("placing", "potential_threes", "d7 a4", "c3", (7, 7), 1),  # a7 would make two open twos
        ("placing", "mills", "a7 d7 g7", "b6 d6", (6, 6), 1),
        ("placing", "open_twos", "a7 d7", "b6", (7, 7), 1),
        ("placing", "threes", "a7 d7 a4", "b2", (6, 6), 1),
        ("placing", "degrees", "d6 a7", "a1", (7, 7), 4),  # a crossing has four neighbours, a corner two
        ("sliding", "stones", "a7 d7 g7 b6 f6", "a1 d1 g1 b2", (0, 0), 1),
        ("sliding", "blocked", "d7 a4 b2 f2", "a7 c3 d3 e3", (0, 0), 1),
        (
            "sliding",
            "unblockable",
            "d7 g7 a4 c5",
            "a1 e3 d2 f2",
            (0, 0),
            1,
        ),  # a4 will slide to a7, and nobody can stand there before
        ("sliding", "unblockable", "d7 a7 e5 f6", "g4 e3 d2 f2", (0, 0), 0),  # g4 stands beside g7
        ("sliding", "mills", "a7 d7 g7 c3", "a1 d1 b2 f4", (0, 0), 1),
        ("sliding", "double_mills", "a7 d7 g7 a4 a1", "b6 d6 f4 d2", (0, 0), 1),
        ("sliding", "reachable", "c5 d5 e5 c4", "a4 d7 f2 g1", (0, 0), -1),  # a7 is theirs alone
        ("flying", "stones", "a7 d7 g4 b2", "d1 b6 f6", (0, 0), 2),
        ("flying", "stones", "a7 d7 g4", "d1 b6 f6", (0, 0), 1),
        ("flying", "open_twos", "a7 d7 b4", "d1 g1 c5", (0, 0), 0),
        ("flying", "threes", "a7 d7 a4", "d1 b6 e5", (0, 0), 1),
        ("flying", "reachable", "a7 d7 a4", "d6 b6 e5 g7", (0, 0), 0),  # both reach all: three stones fly
    ],
)
def test_terms_of_positions_made_by_hand(
    phase: str, term: str, mine: str, theirs: str, hands: tuple[int, int], expected: int
) -> None:
    position = make(mine, theirs, hands)
    assert counts(position)[0] == phase
    assert value(only(phase, term), position, True) == expected


def test_the_weights_are_those_of_the_program() -> None:
    position = make("a7 d7 g7 c3", "a1 d1 b2 f4")
    _, found = counts(position)
    weights = dict(zip(DEEPMILL_TERMS["sliding"], DEEPMILL.sliding, strict=True))
    assert weights == {"stones": 43, "blocked": 10, "unblockable": 8, "mills": 11, "double_mills": 8, "reachable": 1}
    assert value(DEEPMILL, position, True) == sum(weights[term] * number for term, number in found.items())


def test_the_value_is_antisymmetric_until_somebody_flies() -> None:
    for position, _ in random_line(GAME, 100, 5):
        if counts(position)[0] != "flying":
            assert value(DEEPMILL, position, True) == -value(DEEPMILL, rules.turn(position), True)


def test_the_kernel_is_its_interpreted_self() -> None:
    for position, _ in random_line(GAME, 100, 7)[::4]:
        assert deepmill_value(DEEPMILL, position, True) == deepmill_value.py_func(DEEPMILL, position, True)


def test_the_value_is_the_same_for_all_images() -> None:
    for position, move in random_line(GAME, 60, 6)[::5]:
        assert len({value(DEEPMILL, image, True) for image, _ in GAME.symmetries(position, move)}) == 1
