"""Endings that turn up in matches: who had a won one by the engine, and whether it was won (Sabatelli 2017, 8.2.3).

The source takes positions in which all pieces but the kings are worth 16 together at most, that a tablebase knows, and
that a deep evaluation puts beyond 6 pawns. Here the engine's opinion stands alone, whatever tables there are: a game
has one such ending, from the first position that is so.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from understudy.games.chess.inputs.planes import WORTHS
from understudy.games.chess.judges.quality import Judged
from understudy.judges.measures import share

MOST_PIECES = 16
"""What all pieces but the kings are worth together, at most, by the source's own numbers (`WORTHS`)."""
WON = 6.0
"""Pawns beyond which the source calls such an ending won."""
LETTERS = dict(zip("pnbrq", WORTHS.tolist(), strict=False))


class MatchEnding(NamedTuple):
    """The won ending of a game."""

    game: str
    player: str
    """Who has it."""
    fen: str
    pawns: float
    """What the engine says of it, for whoever has it."""
    won: bool
    moves: int
    """Moves of the player from there to the end of the game."""


def pieces_worth(fen: str) -> int:
    """Return what all pieces but the kings are worth together."""
    return sum(LETTERS.get(letter, 0) for letter in fen.split()[0].lower())


def find_endings(games: Sequence[Judged]) -> list[MatchEnding]:
    """Return the won ending of each game that has one."""
    return [ending for game in games if (ending := _find_ending(game)) is not None]


def _find_ending(game: Judged) -> MatchEnding | None:
    for place, (step, pawns) in enumerate(zip(game.record.steps, game.pawns, strict=True)):
        if abs(pawns) > WON and pieces_worth(step.after) <= MOST_PIECES:
            record, white = game.record, pawns > 0
            later = [one for one in record.steps[place + 1 :] if one.ply % 2 == white]
            won = record.result == ("1-0" if white else "0-1")
            player = record.white if white else record.black
            return MatchEnding(record.name, player, step.after, abs(pawns), won, len(later))
    return None


def endings_json(endings: Sequence[MatchEnding], players: Sequence[str]) -> dict[str, Any]:
    """Return how many endings each player had and won, and every ending, as plain data."""
    had = {player: [one.won for one in endings if one.player == player] for player in players}
    return {
        "players": {player: share(sum(won), len(won))._asdict() for player, won in had.items()},
        "endings": [one._asdict() for one in endings],
    }
