"""Every player says what it thinks in one form; what it says is true of what it plays."""

from __future__ import annotations

import json
import math
import threading
from typing import Any

import numpy as np
import pytest

from understudy.errors import BadOption
from understudy.games import CompiledGame, find_game
from understudy.games.batches import stacked
from understudy.players import close, make_player, think
from understudy.players.looking import Halt, outcome_value, repeating, search_all
from understudy.players.parts import PartScorer
from understudy.search.evaluators import find_evaluator
from understudy.thoughts import KINDS, Thought, Weighed

THINKERS = [
    ("morris", None, "random", "probability"),
    ("morris", None, "student:morris", "probability"),
    ("morris", None, "student:morris,check=legal,best=3", "probability"),
    ("morris", None, "hybrid:morris,depth=2", "value"),
    ("morris", None, "council:morris+morris", "probability"),
    ("morris", None, "searcher:depth=3", "value"),
    ("morris", None, "searcher:depth=2,method=minimax", "value"),
    ("morris", None, "searcher:nodes=3000", "value"),
    ("morris", None, "stochastic:depth=2", "order"),
    ("konane", (4, 4), "perfect", "value"),
    ("lines_of_action", (4, 4), "perfect", "value"),
    ("lines_of_action", (5, 5), "perfect", "value"),
    ("konane", (4, 4), "student:konane_4", "value"),
    ("konane", (6, 6), "student:konane_6", "value"),
    ("konane", None, "student:konane_8,nodes=3000", "value"),
    ("lines_of_action", None, "student:lines_of_action,depth=1", "value"),
    ("chess", None, "student:chess", "value"),
]
"""A game, a size, a player, and what its numbers are."""


def reach(game: CompiledGame, plies: int, seed: int = 1) -> list[Any]:
    """Return the positions of a random game, the last one still going on."""
    rng, past = np.random.default_rng(seed), [game.start()]
    while len(past) <= plies:
        moves = game.moves(past[-1])
        past.append(game.play(past[-1], moves[rng.integers(len(moves))]))
        if game.outcome(past[-1]) is not None:
            past = [game.start()]
    return past


def thought_of(name: str, game: CompiledGame, position: Any) -> Thought:
    player = make_player(name, game)
    try:
        return think(player, game, position)
    finally:
        close(player)


@pytest.mark.parametrize(("game", "size", "name", "kind"), THINKERS)
def test_a_thought_speaks_of_all_legal_moves_and_of_no_other_unmarked(
    game: str, size: tuple[int, int] | None, name: str, kind: str
) -> None:
    board = find_game(game, size)
    position = reach(board, 4)[-1]
    thought = thought_of(name, board, position)
    legal = board.moves(position)
    assert thought.kind == kind and thought.meaning == KINDS[kind]
    assert sorted(one.move for one in thought.moves if one.legal) == legal
    assert not {one.move for one in thought.moves if not one.legal} & set(legal)
    assert thought.legal == (thought.choice.move in legal)
    assert thought.seconds is not None and thought.seconds > 0
    low = 0.0 if kind == "probability" else -1.0
    assert all(low <= one.number <= 1.0 for one in thought.moves if one.number is not None)


@pytest.mark.parametrize(("game", "size", "name", "kind"), THINKERS)
def test_thoughts_are_plain_json_and_text(game: str, size: tuple[int, int] | None, name: str, kind: str) -> None:
    board = find_game(game, size)
    thought = thought_of(name, board, reach(board, 4)[-1])
    told = json.loads(json.dumps(thought.to_json()))
    assert {"player", "kind", "choice", "value", "moves", "parts", "line", "depth", "nodes"} <= told.keys()
    assert told["choice"] == thought.write(thought.choice.move)
    assert all(part.keys() >= {"part", "cells", "illegal"} for part in told["parts"])
    assert str(thought).startswith(f"{name} chooses {told['choice']}")


@pytest.mark.parametrize("name", [name for game, _, name, kind in THINKERS if game == "morris" and kind != "order"])
def test_a_player_thinks_of_the_move_that_it_plays(name: str) -> None:
    game = find_game("morris")
    for seed in range(3):
        position = reach(game, 12, seed)[-1]
        assert thought_of(name, game, position).choice.move == make_player(name, game).choose([position])[0].move


@pytest.mark.parametrize(("game", "size"), [("morris", None), ("konane", (6, 6)), ("lines_of_action", None)])
def test_a_search_values_every_move_as_plain_minimax_does(game: str, size: tuple[int, int] | None) -> None:
    board = find_game(game, size)
    evaluator = find_evaluator(game, "")
    for plies in (3, 8):
        past = reach(board, plies)
        thought = thought_of("searcher:depth=3", board, past[-1])
        plain = search_all(board, past[-1], evaluator, depth=3, drawn=repeating(board, past[-1:]))
        told = {one.move: one.number for one in thought.moves}
        assert told == {move: outcome_value(value, evaluator.scale) for move, value in plain.items()}


@pytest.mark.parametrize(("game", "size"), [("morris", None), ("konane", (6, 6)), ("lines_of_action", None)])
def test_lines_can_be_played_and_end_in_what_they_promise(game: str, size: tuple[int, int] | None) -> None:
    board, whole = find_game(game, size), 0
    evaluator = find_evaluator(game, "")
    for seed in range(4):
        position = reach(board, 6, seed)[-1]
        thought = thought_of("searcher:depth=3", board, position)
        assert thought.line[0] == thought.choice.move
        assert [line.moves[0] for line in thought.lines] == [one.move for one in thought.moves[:3]]
        for line in thought.lines:
            last = position
            for move in line.moves[:-1]:
                last = board.play(last, move)
            if len(line.moves) == 3 and line.plies is None:
                # What is left after two plies of a line of three is a search of one ply, through the same eyes.
                value = max(search_all(board, last, evaluator, depth=1).values())
                assert outcome_value(value, evaluator.scale) == line.value
                whole += 1
    assert whole >= 6


def test_the_course_of_a_search_is_what_shallower_searches_hold_best() -> None:
    game = find_game("morris")
    position = reach(game, 7)[-1]
    thought = thought_of("searcher:depth=4", game, position)
    assert [line.depth for line in thought.course] == [1, 2, 3, 4]
    for line in thought.course:
        shallow = make_player(f"searcher:depth={line.depth}", game).choose([position])[0]
        assert (line.moves[0], line.value) == (shallow.move, shallow.value)


class Biased:
    """A chooser of parts whose opinions are drawn once for each position and each choice before."""

    def __init__(self, game: CompiledGame, order: tuple[int, ...]) -> None:
        self.name, self.game, self.order = "biased", game, order

    def score_parts(self, batch: Any, given: Any = None) -> tuple[Any, Any]:
        rows, parts, classes = len(batch.mine), len(self.order), self.game.part_sizes[0]
        scores, chosen = np.zeros((rows, parts, classes), np.float32), np.zeros((rows, parts), np.int64)
        for row in range(rows):
            before: list[int] = []
            for place in range(parts):
                opinion = np.random.default_rng([7, *before]).normal(size=classes)
                scores[row, place] = opinion - np.log(np.exp(opinion).sum())
                wanted = -1 if given is None or place == parts - 1 else int(given[row, place])
                before.append(wanted if wanted >= 0 else int(opinion.argmax()))
            chosen[row, list(self.order)] = before
        return scores, chosen


@pytest.mark.parametrize("order", [(0, 1, 2), (1, 0, 2), (2, 1, 0)])
def test_the_shares_of_all_moves_that_can_be_said_add_up_to_one(order: tuple[int, ...]) -> None:
    from understudy.players.parts import think_by_parts, weigh_moves
    from understudy.protocols import Choice

    game = find_game("morris")
    scorer: PartScorer = Biased(game, order)
    position = reach(game, 9)[-1]
    every = [game.batches.moves_of(np.array([[a, b, c]]))[0] for a in range(25) for b in range(25) for c in range(25)]
    shares = weigh_moves(scorer, position, [int(move) for move in every])
    assert math.isclose(sum(shares.values()), 1.0, abs_tol=1e-4)
    chosen = int(game.batches.moves_of(scorer.score_parts(stacked([position]))[1])[0])
    thought = think_by_parts(scorer, position, Choice(chosen))
    legal = sum(shares[move] for move in game.moves(position))
    assert thought.illegal == pytest.approx(1.0 - legal, abs=1e-4)
    assert all(one.number == pytest.approx(shares[one.move], rel=1e-4) for one in thought.moves)
    assert any(not one.legal for one in thought.moves)


def test_the_parts_of_a_thought_are_told_in_the_order_of_deciding_with_what_is_forbidden() -> None:
    game = find_game("morris")
    position = reach(game, 5)[-1]
    thought = thought_of("student:morris", game, position)
    assert [part.part for part in thought.parts] == ["from", "to", "remove"]
    origin, to, remove = thought.parts
    assert origin.choice == "none" and len(to.cells) == 25
    assert all(math.isclose(sum(part.cells.values()), 1.0, abs_tol=1e-4) for part in thought.parts)
    taken = [cell for cell, stone in zip(game.board.cells, game.stones(position), strict=True) if stone]
    assert to.illegal == pytest.approx(sum(to.cells[cell] for cell in [*taken, "none"]), abs=1e-5)
    assert remove.illegal == pytest.approx(1.0 - remove.cells["none"], abs=1e-5)


def test_a_search_tells_what_it_holds_best_while_it_thinks_and_ends_when_told() -> None:
    game, halt = find_game("morris"), Halt()
    heard: list[Thought] = []
    enough = threading.Event()

    def tell(thought: Thought) -> None:
        heard.append(thought)
        if len(heard) == 3:
            halt.ring()
            enough.set()

    position = reach(game, 9)[-1]
    last = think(make_player("searcher:depth=40", game), game, position, tell=tell, halt=halt)
    assert enough.is_set() and len(heard) >= 3
    nodes = [thought.nodes or 0 for thought in heard]
    assert nodes == sorted(nodes) and nodes[0] > 0
    assert all(thought.line[0] == thought.choice.move for thought in heard)
    assert last.depth is not None and last.depth >= (heard[-1].depth or 0) and last.choice.move in game.moves(position)


def test_whoever_cannot_think_says_so_and_a_wrong_position_is_named() -> None:
    game = find_game("konane", (6, 6))
    with pytest.raises(BadOption, match="'human' is a person"):
        thought_of("human", game, game.start())
    with pytest.raises(BadOption, match="is no position of konane on 6x6"):
        thought_of("random", game, find_game("konane", (8, 8)).start())
    with pytest.raises(BadOption, match="is no position of konane on 6x6"):
        thought_of("random", game, find_game("morris").start())
    position = game.start()
    while game.outcome(position) is None:
        position = game.play(position, game.moves(position)[0])
    with pytest.raises(BadOption, match="the game is over"):
        thought_of("random", game, position)


def test_a_player_from_outside_that_only_chooses_has_a_thought_too() -> None:
    class Plain:
        name = "plain"

        def choose(self, positions: Any, histories: Any = None) -> list[Any]:
            from understudy.protocols import Choice

            return [Choice(game.moves(position)[0], 0.5, {game.moves(position)[0]: 3.0}) for position in positions]

    game = find_game("konane", (4, 4))
    thought = think(Plain(), game, game.start())
    assert thought.kind == "order" and thought.value == 0.5
    assert thought.moves[0] == Weighed(game.moves(game.start())[0], 3.0)
    assert all(one.number is None for one in thought.moves[1:])


def test_a_network_tells_what_its_value_rests_on() -> None:
    from understudy.players.evolved import explainer_of, load_evolved
    from understudy.players.student_files import student_file
    from understudy.search.evaluators import value
    from understudy.search.evaluators.chromosome import express, make_plan

    game = find_game("lines_of_action")
    position = reach(game, 10)[-1]
    evolved = load_evolved(student_file("lines_of_action"))
    resting = thought_of("student:lines_of_action,depth=1", game, position).inputs
    assert list(resting) and set(resting) == set(evolved.network.inputs)
    assert resting == explainer_of(game, evolved)(position)
    # Blind to everything, the network says the same of every position: what its biases add up to.
    plan = make_plan(game, evolved.network)
    blind = express(plan, evolved.alleles, np.zeros(plan.inputs.total, np.bool_))
    assert value(blind, position, True) == value(blind, game.start(), True)
    assert any(abs(share) > 0.01 for share in resting.values())
