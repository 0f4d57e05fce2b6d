"""Where the rungs of the chess ladder below Stockfish's weakest stand: our own players, placed by games.

Neighbours play each other and the strongest of them play Stockfish at the lowest strength that it knows; ratings are
those of greatest likelihood over all games, counted from Stockfish's. What comes out is the table `LOW` of
`understudy.games.chess.judges.rungs`.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from understudy.backends import Local
from understudy.errors import EngineError
from understudy.games import find_game
from understudy.games.chess.judges.ladder import strengths
from understudy.games.chess.judges.rungs import LOW
from understudy.games.chess.records.opinions import Analysis, engine_name
from understudy.judges.measures import rate
from understudy.judges.tournament import Meeting, play_match

ENGINE = "stockfish"
NODES = 50_000
"""A move of the engine's: as in the measured ladders (docs/results.md)."""
GAMES, ENGINE_GAMES = 100, 40
"""Of each pairing, without the engine and with it: a game with it takes two seconds, the others a tenth."""
MEETING_ENGINE = 2
"""So many of the strongest meet the engine."""
OPENING_PLIES, SEED = 8, 70_000


def lines() -> Iterator[str]:
    try:
        found = facts()
    except EngineError as error:
        yield f"left out: {error}"
        return
    yield f"counted from {found['anchor']} ({found['engine']}) as {found['anchor_elo']}"
    for rung in found["rungs"]:
        placed = "no point" if rung["elo"] is None else f"{rung['elo']:.0f} ({rung['low']:.0f} to {rung['high']:.0f})"
        yield f"{placed:>22}, {rung['games']} games: {rung['player']}"


def facts() -> dict[str, Any]:
    """Return the rating of each rung with its interval, and the games behind it; who took no point has no rating."""
    name, lowest = engine_name(Analysis(ENGINE, depth=1)), strengths(ENGINE)[0]
    anchor = f"engine:{ENGINE},elo={lowest},nodes={NODES}"
    players = ["random", *(rung.player for rung in LOW), anchor]
    meetings = [_meet(players, *pair) for pair in list_pairs(len(players) - 1)]
    points = np.zeros((len(players), len(players)))
    for meeting in meetings:
        one, other = (players.index(player) for player in meeting.players)
        wins, draws, losses = meeting.score()
        points[one, other], points[other, one] = wins + draws / 2, losses + draws / 2
    rated = zip(players, rate(points, zero=len(players) - 1), points, points.T, strict=True)
    return {
        "engine": name, "anchor": anchor, "anchor_elo": lowest,
        "rungs": [
            {"player": player, "points": float(won.sum()), "games": int((won + lost).sum()),
             **{name: lowest + value if won.any() else None for name, value in rating._asdict().items()}}
            for player, rating, won, lost in rated if player != anchor
        ],
        "matches": [{"players": list(meeting.players), "score": list(meeting.score())} for meeting in meetings],
    }  # fmt: skip


def list_pairs(count: int) -> list[tuple[int, int]]:
    """Return who meets whom, by place: neighbours, those with one between them, and the strongest with the engine."""
    neighbours = [(place, place + step) for step in (1, 2) for place in range(count - step)]
    return [*neighbours, *((place, count) for place in range(count - MEETING_ENGINE, count))]


def _meet(players: list[str], one: int, other: int) -> Meeting:
    games = ENGINE_GAMES if other == len(players) - 1 else GAMES
    return play_match(
        find_game("chess"), (players[one], players[other]), games=games, seed=SEED, opening_plies=OPENING_PLIES,
        backend=Local(1), pairing=one * len(players) + other,
    )  # fmt: skip
