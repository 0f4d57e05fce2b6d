"""What a player makes of the game so far: a position that comes again is a draw, which only who is behind wants.

No position is judged for this: the rules alone say what would be a draw, at once or by the other side's next move.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from understudy.games import CompiledGame
from understudy.players.looking import repeating
from understudy.protocols import Move
from understudy.search.workspace import named

AHEAD = 0.1
"""From this worth on, of 1 for won, a draw is less than what a player hopes for; as far below, it is more."""
FAINT = 0.02
"""A move that is liked less is not played only because the other side could not draw after it: it may lose."""


class Memory:
    """The positions of a game that would be a draw if they came again, seen from where it stands."""

    def __init__(self, game: CompiledGame, past: Sequence[Any], position: Any) -> None:
        self.game, self.position = game, position
        self.drawn = set(repeating(game, [*past, position])) if past else set()

    def draws(self, move: Move) -> bool:
        """Tell whether a move brings a draw about at once."""
        return self._is_drawn(self.game.play(self.position, move))

    def lets_draw(self, move: Move) -> bool:
        """Tell whether the other side can answer a move with a draw."""
        after = self.game.play(self.position, move)
        if self.game.outcome(after) is not None:
            return False
        return any(self._is_drawn(self.game.play(after, reply)) for reply in self.game.moves(after))

    def _is_drawn(self, position: Any) -> bool:
        return int(named(position)) in self.drawn


def use_memory(memory: Memory, chosen: Move, worth: float, weigh: Callable[[list[Move]], Mapping[Move, float]]) -> Move:
    """Return the move to play instead of *chosen*, or itself: no draw for who is ahead, a draw for who is behind.

    *weigh* tells how much each of some moves is liked, from 0 to 1.
    """
    legal = memory.game.moves(memory.position) if memory.drawn and abs(worth) > AHEAD else []
    if chosen not in legal:
        return chosen
    if worth < 0:
        return _most_liked([move for move in legal if memory.draws(move)], weigh, chosen)
    return _keep_on(memory, chosen, legal, weigh)


def _keep_on(
    memory: Memory, chosen: Move, legal: list[Move], weigh: Callable[[list[Move]], Mapping[Move, float]]
) -> Move:
    """Return a move after which the game goes on; of those that nobody can answer with a draw one that is liked."""
    if not memory.draws(chosen) and not memory.lets_draw(chosen):
        return chosen
    going_on = [move for move in legal if not memory.draws(move)]
    liked = weigh(going_on) if going_on else {}
    for move in sorted(going_on, key=lambda move: -liked[move]):
        if liked[move] < FAINT:
            break
        if not memory.lets_draw(move):
            return move
    return chosen if chosen in going_on else _most_liked(going_on, lambda moves: liked, chosen)


def _most_liked(moves: Iterable[Move], weigh: Callable[[list[Move]], Mapping[Move, float]], otherwise: Move) -> Move:
    some = list(moves)
    if not some:
        return otherwise
    liked = weigh(some)
    return max(some, key=lambda move: liked[move])
