"""Searchers that are told how long to think, and when to stop."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager

from tests.conftest import LONG, wait_until
from understudy.games import find_game
from understudy.players import make_player
from understudy.players.looking import Halt, Limits
from understudy.players.searcher import DEEPEST, Searcher
from understudy.search.workspace import NODES, Workspace

CHESS = find_game("chess")


def searcher(text: str = "searcher") -> Searcher:
    player = make_player(text, CHESS, seed=1)
    assert isinstance(player, Searcher)
    player.prepare()
    return player


def test_a_thought_is_the_choice_and_what_it_took() -> None:
    player = searcher("searcher:depth=3")
    thought = player.think_aloud(CHESS.start(), lines=1)
    assert thought.choice == player.choose([CHESS.start()])[0]
    assert thought.depth == 3 and thought.nodes > 100 and thought.plies is None
    deeper = player.think_aloud(CHESS.start(), limits=Limits(4), lines=1)
    assert deeper.depth == 4 and deeper.nodes > thought.nodes
    assert player.think_aloud(CHESS.start(), limits=Limits(DEEPEST, 500), lines=1).nodes <= 2 * 500


def test_a_proven_end_is_counted_in_plies() -> None:
    player = searcher()
    for fen, plies in (
        ("7k/8/6K1/8/8/8/8/1R6 w - - 0 1", 1),
        ("7k/8/8/8/8/8/R7/1R4K1 w - - 0 1", 3),
        ("k7/8/1K6/8/8/8/8/7R b - - 0 1", -2),
    ):
        assert player.think(CHESS.read(fen)).plies == plies


class Watched(Halt):
    """A bell that lets others see how far the search has come."""

    @contextmanager
    def watching(self, workspace: Workspace) -> Iterator[None]:
        with super().watching(workspace):
            self.tally = workspace["tally"]
            yield

    def ring_after(self, nodes: int) -> None:
        wait_until(lambda: hasattr(self, "tally") and self.tally[NODES] > nodes)
        self.ring()


def test_a_search_can_be_halted_before_and_while_it_runs() -> None:
    player, endless = searcher(), Limits(DEEPEST, seconds=LONG)
    halt = Halt()
    halt.ring()
    early = player.think_aloud(CHESS.start(), limits=endless, halt=halt)
    assert early.depth == 1 and early.choice.move == player.think_aloud(CHESS.start(), limits=Limits(1)).choice.move
    third, bell = player.think_aloud(CHESS.start(), limits=Limits(3, seconds=LONG)), Watched()
    threading.Thread(target=bell.ring_after, args=(third.nodes,)).start()
    began = time.monotonic()
    thought = player.think_aloud(CHESS.start(), limits=endless, halt=bell)
    assert time.monotonic() - began < LONG
    assert thought.depth >= third.depth == 3 and thought.choice.move in CHESS.moves(CHESS.start())
    bell.ring()  # nobody listens any more
    assert player.think_aloud(CHESS.start(), limits=Limits(3)).depth == 3


def test_a_thought_knows_the_positions_before() -> None:
    player, line, position = searcher("searcher:depth=2"), [], CHESS.read("7k/8/8/8/8/8/1q6/R6K w - - 0 1")
    for text in ("Rg1", "Qa2", "Ra1", "Qb2", "Rg1", "Qa2", "Ra1"):
        line.append(position)
        position = CHESS.play(position, CHESS.read_move(position, text))
    assert player.think(position, line).choice == player.choose([position], [line])[0]
