"""Mistakes in every game: exactly the illegal choices make one, and each makes one; against the list of legal moves."""

from __future__ import annotations

import hashlib
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from tests.conftest import VARIANTS, random_line, run_interpreted
from understudy.errors import BadOption, UnknownName
from understudy.games import CompiledGame, find_game
from understudy.games.batches import stacked
from understudy.games.mistakes import FINE, FINISHED, Mistakes, OwnMistakes, mistakes_of
from understudy.games.parts import moves_of, parts_of
from understudy.judges.parts import legality, mistakes, see
from understudy.judges.students import judge_player
from understudy.players import make_player


def wild_parts(game: CompiledGame, moves: list[int], seed: int = 1) -> NDArray[np.int64]:
    """Return parts most of which are those of legal moves: so every part is wrong by itself in some rows."""
    rng = np.random.default_rng(seed)
    wild = np.stack([rng.integers(0, size, len(moves)) for size in game.part_sizes], axis=1)
    legal = parts_of(game, np.array(moves, np.int32))
    return np.where(rng.random(wild.shape) < 0.7, legal, wild)


def drawn(game: CompiledGame, games: int = 4, plies: int = 60) -> tuple[list[Any], NDArray[np.int64]]:
    """Return positions of random games with choices that are partly nonsense."""
    pairs = [pair for seed in range(games) for pair in random_line(game, plies, seed)]
    return [position for position, _ in pairs], wild_parts(game, [move for _, move in pairs])


def test_exactly_the_illegal_choices_are_mistakes(any_game: CompiledGame) -> None:
    positions, parts = drawn(any_game)
    moves, kinds = moves_of(any_game, parts).tolist(), mistakes_of(any_game)
    legal = np.array([move in any_game.moves(position) for position, move in zip(positions, moves, strict=True)])
    made = kinds.classify(stacked(positions), parts)
    assert ((made == FINE) == legal).all() and 0.05 < legal.mean() < 0.95
    assert made.max() < list(kinds.meanings).index(FINISHED), "these games go on"
    # What blames finds nothing in legal moves either: it does not lean on the list of them.
    assert (kinds.blame(stacked(positions), parts)[legal] == FINE).all()
    assert len(set(made.tolist())) > 3


def test_every_game_of_ours_names_its_own(game: CompiledGame) -> None:
    kinds = mistakes_of(game)
    assert isinstance(kinds, OwnMistakes) and list(kinds.meanings)[-1] == FINISHED
    assert all(name.isidentifier() and meaning for name, meaning in kinds.meanings.items())


def test_a_game_of_another_package_has_those_of_its_parts(outside: None) -> None:
    game = find_game("hexapawn")
    kinds = mistakes_of(game)
    assert type(kinds) is Mistakes
    assert list(kinds.meanings) == ["from", "to", "to_from", "finished"]
    assert kinds.meanings["to_from"] == "legal moves have this TO, but none with this FROM"
    # White's pawns are on a1 to e1 (0 to 4) and go up by one row of five.
    choices = np.array([[12, 5], [0, 20], [0, 6], [0, 5]])
    made = kinds.classify(stacked([game.start()] * 4), choices)
    assert [[*kinds.meanings, "fine"][kind] for kind in made] == ["from", "to", "to_from", "fine"]
    with pytest.raises(BadOption, match="hexapawn has no mistakes of its own"):
        game.kind.load("mistakes")


def test_generic_mistakes_of_three_parts_are_the_first_that_does_not_fit() -> None:
    game = find_game("chess")
    kinds = Mistakes(game)
    assert list(kinds.meanings) == ["from", "to", "to_from", "promotion", "promotion_to_from", "finished"]
    positions, parts = drawn(game)
    made = kinds.classify(stacked(positions), parts)
    for position, chosen, kind in zip(positions, parts.tolist(), made.tolist(), strict=True):
        legal = [list(game.parts(move)) for move in game.moves(position)]
        fits = [
            any(one[0] == chosen[0] for one in legal), any(one[1] == chosen[1] for one in legal),
            any(one[:2] == chosen[:2] for one in legal), any(one[2] == chosen[2] for one in legal), chosen in legal,
        ]  # fmt: skip
        assert kind == (FINE if all(fits) else fits.index(False))


def test_a_move_after_the_end_is_its_own_mistake() -> None:
    game = find_game("lines_of_action", (5, 5))
    position, rng = game.start(), np.random.default_rng(3)
    while moves := game.moves(position):
        before, move = position, moves[rng.integers(len(moves))]
        position = game.play(position, move)
    kinds = mistakes_of(game)
    names = list(kinds.meanings)
    every = np.array(np.unravel_index(np.arange(64 * 64), (64, 64))).T
    made = kinds.classify(stacked([position] * len(every)), every)
    assert names.index(FINISHED) in made and (made != FINE).all()
    assert (kinds.classify(stacked([before]), np.array([game.parts(move)])) == FINE).all()


def test_shares_of_mistakes_add_up_to_what_is_illegal(any_game: CompiledGame) -> None:
    positions, parts = drawn(any_game, 2)
    nobody = np.full(len(positions), -1, np.int32)
    seen = see(any_game, stacked(positions), nobody, parts, tuple(range(parts.shape[1])))
    tally, legal = mistakes(seen), legality(seen)["legality.whole"]
    assert sum(sums.total for sums in tally.values()) == legal.sample - legal.total
    assert {sums.sample for sums in tally.values()} == {len(positions)}
    assert list(tally) == [f"mistakes.{name}" for name in mistakes_of(any_game).meanings]


def test_a_player_that_obeys_the_rules_makes_none() -> None:
    game = find_game("konane", (4, 4))
    positions, _ = drawn(game, 2)
    verdict = judge_player(make_player("random", game), game, stacked(positions), judges=("mistakes",))
    assert verdict and all(measure.value == 0 for measure in verdict.values())
    with pytest.raises(UnknownName, match=r"judge 'mistake'.*mistakes"):
        judge_player(make_player("random", game), game, stacked(positions), judges=("mistake",))


def digest(variants: list[Any]) -> str:
    state = hashlib.sha256()
    for variant in variants:
        game = find_game(*variant)
        positions, parts = drawn(game, 1, 12)
        state.update(mistakes_of(game).classify(stacked(positions), parts).tobytes())
        state.update(Mistakes(game).classify(stacked(positions), parts).tobytes())
    return state.hexdigest()


def test_kernels_answer_alike_compiled_and_interpreted() -> None:
    assert run_interpreted("test_mistakes", f"digest({VARIANTS!r})") == digest(VARIANTS)
