"""How well games were played: an engine's opinion after every ply (Figures 8.5 to 8.7 of Sabatelli's thesis).

For each side: what its moves lost on average, and how often a won position, of more than 1.5 pawns, was let go.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

from understudy.games.chess.datasets import DRAW_BAND
from understudy.games.chess.judges.game_files import Step, Told
from understudy.games.chess.judges.opinions import Analysis, engine_name, expectation, in_pawns, labelled
from understudy.protocols import Backend

LOSS_CLIP = 10.0
"""Beyond so many pawns nothing more can be lost: who mates later than it could has lost nothing."""


class Side(NamedTuple):
    """How one side of a game moved."""

    moves: int
    lost: float
    """Pawns lost by all its moves together."""
    expected_loss: float
    """Points lost in expectation, by all its moves together."""
    missed_wins: int

    @property
    def average(self) -> float | None:
        """Centipawns lost by a move."""
        return 100 * self.lost / self.moves if self.moves else None


class Judged(NamedTuple):
    """A game with the engine's opinion."""

    told: Told
    plies: tuple[int, ...]
    pawns: tuple[float, ...]
    """What the position after each ply is worth for White."""
    white: Side
    black: Side


def judge_games(
    games: Sequence[Told],
    analysis: Analysis,
    *,
    backend: Backend,
    progress: Callable[[int], None] = lambda positions: None,
) -> tuple[str, list[Judged]]:
    """Return who judged, and the games with an engine's opinion after every ply."""
    name = f"{engine_name(analysis)}, {analysis.words()}"
    pawns = in_pawns(labelled(all_positions(games), analysis, backend=backend, progress=progress))
    return name, [_judged(told, pawns) for told in games]


def all_positions(games: Sequence[Told]) -> list[str]:
    """Return every position that has to be looked at, once."""
    return list(dict.fromkeys(fen for told in games for step in told.steps for fen in (step.before, step.after)))


def quality_json(name: str, games: Sequence[Judged]) -> dict[str, Any]:
    """Return the games as plain data, with a curve for each, and what each player's moves lost in all its games."""
    return {
        "engine": name,
        "band": DRAW_BAND,
        "players": {player: _side_json(side) for player, side in by_player(games).items()},
        "games": [_game_json(game) for game in games],
    }


def by_player(games: Sequence[Judged]) -> dict[str, Side]:
    """Return how each player moved in all games together."""
    players: dict[str, Side] = {}
    for game in games:
        for player, side in ((game.told.white, game.white), (game.told.black, game.black)):
            so_far = players.get(player, Side(0, 0.0, 0.0, 0))
            players[player] = Side._make(a + b for a, b in zip(so_far, side, strict=True))
    return players


def _judged(told: Told, pawns: Mapping[str, float]) -> Judged:
    sides = [[step for step in told.steps if step.ply % 2 == parity] for parity in (1, 0)]
    curve = tuple(round(pawns[step.after] * (-1 if step.ply % 2 else 1), 2) for step in told.steps)
    white, black = (_side(steps, pawns) for steps in sides)
    return Judged(told, tuple(step.ply for step in told.steps), curve, white, black)


def _side(steps: Sequence[Step], pawns: Mapping[str, float]) -> Side:
    pairs = [(pawns[step.before], -pawns[step.after]) for step in steps]
    return Side(
        len(pairs),
        sum(max(0.0, _clipped(before) - _clipped(after)) for before, after in pairs),
        sum(max(0.0, expectation(before) - expectation(after)) for before, after in pairs),
        sum(after <= DRAW_BAND < before for before, after in pairs),
    )


def _clipped(worth: float) -> float:
    return max(-LOSS_CLIP, min(LOSS_CLIP, worth))


def _side_json(side: Side) -> dict[str, Any]:
    mean = side.expected_loss / side.moves if side.moves else None
    return {
        "moves": side.moves,
        "average_centipawn_loss": side.average,
        "mean_expected_loss": mean,
        "missed_wins": side.missed_wins,
    }


def _game_json(game: Judged) -> dict[str, Any]:
    told = game.told
    return {
        "game": told.name,
        "white": told.white,
        "black": told.black,
        "result": told.result,
        "white_moves": _side_json(game.white),
        "black_moves": _side_json(game.black),
        "plies": list(game.plies),
        "pawns": list(game.pawns),
    }
