"""Champions of smaller networks as ancestors: widened they say the same; who does not fit is refused."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from understudy.errors import BadOption, UnderstudyError
from understudy.games import find_game
from understudy.players.evolved import save_evolved
from understudy.search.evaluators import value
from understudy.search.evaluators.chromosome import NetworkOptions, express, make_plan
from understudy.trainers.evolution import scales
from understudy.trainers.evolution.ancestors import check_wider, load_ancestor, widen
from understudy.trainers.evolution.arena import Stage, Trial, play_trial
from understudy.trainers.evolution.breeding import usual_weights
from understudy.trainers.evolution.scales import scales_of

EIGHT, FIVE = find_game("lines_of_action"), find_game("lines_of_action", (5, 5))
SMALL = NetworkOptions(inputs=("shape", "turn"), hidden=1, both=True)
TIED = NetworkOptions(inputs=("sides", "mobility"), hidden=2, symmetric=True)


def positions(game: Any, count: int = 60) -> list[Any]:
    """Return positions of random games."""
    rng, reached = np.random.default_rng(5), []
    position = game.start()
    while len(reached) < count:
        moves = game.moves(position)
        if game.outcome(position) is not None or not moves:
            position = game.start()
            continue
        position = game.play(position, moves[rng.integers(len(moves))])
        reached.append(position)
    return reached


@pytest.mark.parametrize("game", [EIGHT, FIVE], ids=["8x8", "5x5"])
@pytest.mark.parametrize(
    ("old", "new"),
    [
        (SMALL, SMALL),
        (SMALL, replace(SMALL, hidden=9)),
        (SMALL, replace(SMALL, inputs=("quads", "threats", "turn", "sides", "shape"))),
        (SMALL, NetworkOptions(inputs=("nonads", "turn", "shape", "sides"), hidden=12, both=True, symmetric=True)),
        (replace(SMALL, both=False), replace(SMALL, both=False, hidden=4, reading="presumed")),
        (TIED, replace(TIED, inputs=("mobility", "nonads", "sides"), hidden=5)),
        (TIED, replace(TIED, symmetric=False, hidden=3)),
        (NetworkOptions(hidden=3), NetworkOptions(inputs=("nonads", "board", "enemy_nonads"), hidden=20)),
    ],
)
def test_a_wider_network_says_the_same(game: Any, old: NetworkOptions, new: NetworkOptions) -> None:
    before, after = make_plan(game, old), make_plan(game, new)
    alleles = np.random.default_rng(3).normal(0, 0.4, before.length)
    wide = widen(game, old, alleles, new, seed=1)
    assert wide.shape == (after.length,)
    one, other = express(before, alleles), express(after, wide)
    said = np.array([[value(network, position, own) for network in (one, other)]
                     for position in positions(game) for own in (True, False)])  # fmt: skip
    assert np.ptp(said[:, 0]) > 0.01 and np.abs(said[:, 0] - said[:, 1]).max() < 1e-5
    if new != old:
        assert not np.array_equal(wide, widen(game, old, alleles, new, seed=2)) or new.hidden == old.hidden
        changed = wide + 0.1 * np.random.default_rng(4).normal(size=wide.shape)
        moved = [value(express(after, changed), position, True) for position in positions(game)]
        assert np.abs(np.array(moved) - said[::2, 0]).max() > 0.01


def test_a_wider_network_plays_the_same_games() -> None:
    alleles = np.random.default_rng(3).normal(0, 0.4, make_plan(FIVE, SMALL).length)
    new = replace(SMALL, inputs=(*SMALL.inputs, "sides", "quads"), hidden=6, symmetric=True)
    games = [
        play_trial(Trial(
            stage=Stage(game="lines_of_action", size=(5, 5), network=network, depth=2), alleles=chromosome,
            opponents=("searcher:depth=2",) * 6, opening_plies=2, judging=True,
        ))
        for network, chromosome in ((SMALL, alleles), (new, widen(FIVE, SMALL, alleles, new, seed=0)))
    ]  # fmt: skip
    assert games[0] == games[1], "the marks of all games too"


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        (SMALL, replace(SMALL, inputs=("shape",)), "the ancestor sees turn, which network.inputs does not name"),
        (TIED, replace(TIED, hidden=1), "the ancestor has 2 hidden units, more than network.hidden = 1"),
        (SMALL, replace(SMALL, both=False), "the ancestor has both = true, network.both is false"),
        (NetworkOptions(), NetworkOptions(reading="presumed"), "has the reading 'signed' of board, network.reading is"),
        (replace(TIED, symmetric=False), TIED, "network.symmetric ties inputs that have different weights"),
        (TIED, replace(TIED, inputs=("sides", "features", "mobility")), "network.symmetric ties inputs"),
    ],
)
def test_what_cannot_say_the_same_is_refused(old: NetworkOptions, new: NetworkOptions, message: str) -> None:
    with pytest.raises(BadOption) as caught:
        check_wider(EIGHT, old, new, "trainer.ancestor")
    assert str(caught.value).startswith("trainer.ancestor: ") and message in str(caught.value)


def kept(path: Path, **changes: Any) -> str:
    """Write a student and return its path."""
    facts = {"game": "lines_of_action", "size": "8x8", "depth": 3} | changes
    save_evolved(path, np.zeros(make_plan(EIGHT, SMALL).length), network=SMALL, facts=facts)
    return str(path)


def test_ancestors_are_found_as_students_are(tmp_path: Path) -> None:
    kept(tmp_path / "student.safetensors")
    for name in (str(tmp_path), str(tmp_path / "student.safetensors")):
        assert load_ancestor(name, EIGHT).network == SMALL
    assert load_ancestor("lines_of_action", EIGHT).network.hidden == 24


def test_who_is_no_ancestor_is_told_in_one_sentence(tmp_path: Path) -> None:
    (tmp_path / "garbage.safetensors").write_bytes(b"garbage")
    save_evolved(tmp_path / "short.safetensors", np.zeros(3), network=SMALL,
                 facts={"game": "lines_of_action", "size": "8x8"})  # fmt: skip
    for name, message in (
        (kept(tmp_path / "a.safetensors", game="konane"), "has learned the game konane, not lines_of_action"),
        (kept(tmp_path / "b.safetensors", size="5x5"), "has learned the size 5x5, not 8x8"),
        ("lines_of_action_imitator", "is no network that evolved"),
        ("nobody_here", "there is no student 'nobody_here'"),
        (str(tmp_path / "garbage.safetensors"), "cannot read"),
        (str(tmp_path / "short.safetensors"), "a chromosome of 3 alleles does not fit a network of"),
    ):
        with pytest.raises(UnderstudyError) as caught:
            load_ancestor(name, EIGHT)
        assert message in str(caught.value) and "\n" not in str(caught.value)
        assert str(caught.value).startswith("trainer.ancestor: ")


# How far mutations move each weight.


@pytest.mark.parametrize("game", ["lines_of_action", "konane", "chess"])
def test_steps_are_shorter_where_inputs_vary_more(game: str) -> None:
    for both in (False, True):
        network = NetworkOptions(inputs=("features", "turn"), hidden=3, both=both)
        board = find_game(game)
        stage = Stage(game=game, size=board.size, network=network)
        plan, usual, scales = stage.plan(), scales_of(stage, scaled=False), scales_of(stage, scaled=True)
        assert np.array_equal(usual, usual_weights(plan.fan_in())) and scales.shape == usual.shape
        assert np.array_equal(scales[-7:], usual[-7:]), "outputs and biases are no inputs"
        spreads = (usual / scales)[: 3 * plan.rows].reshape(-1, 3)
        assert np.allclose(spreads, spreads[:, :1]) and 0.0999 < spreads.min() < spreads.max() < 1.0001
        assert spreads[-1] == pytest.approx(np.ones(3)), "it is always somebody's turn"


def test_spreads_are_those_of_the_inputs() -> None:
    """Counted by hand, from what a network with a single weight says."""
    network = NetworkOptions(inputs=("board", "shape"), hidden=1, both=True, symmetric=True)
    stage = Stage(game="lines_of_action", size=(8, 8), network=network)
    plan = stage.plan()
    spreads = (scales_of(stage, scaled=False) / scales_of(stage, scaled=True))[: plan.rows]
    for row in (0, 4, plan.rows - 8, plan.rows - 1):
        alleles = np.zeros(plan.length)
        alleles[row], alleles[plan.rows] = 1e-3, 1e3  # so small that tanh is a straight line
        one = express(plan, alleles)
        said = np.array([value(one, position, True) for position in scales._random_positions(stage.board())])
        assert max(np.sqrt((said**2).mean()), 0.1) == pytest.approx(spreads[row], rel=0.02)
