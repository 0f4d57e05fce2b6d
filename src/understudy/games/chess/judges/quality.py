"""How well games were played: an engine's opinion after every ply (Figures 8.5 to 8.7 of Sabatelli's thesis).

Games come from PGN, from records, or were just played, and are looked at ply by ply.
For each side: what its moves lost on average, and how often a won position, of more than 1.5 pawns, was let go.
"""

from __future__ import annotations

import io
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from understudy.errors import FileError
from understudy.games import CompiledGame, find_game
from understudy.games.chess.datasets import DRAW_BAND
from understudy.games.chess.records.opinions import Analysis, engine_name, expectation, in_pawns, labelled
from understudy.judges.tournament import Meeting
from understudy.protocols import Backend
from understudy.unpacking import content, read_start

PARQUET = b"PAR1"
"""The first bytes of every Parquet file."""
LOSS_CLIP = 10.0
"""Beyond so many pawns nothing more can be lost: who mates later than it could has lost nothing. Chosen by hand."""
RESULTS = {1: "1-0", 0: "1/2-1/2", -1: "0-1"}


class Step(NamedTuple):
    """One move: the position before and after it."""

    ply: int
    """Plies played since the start of the game, this one included; odd if White moved."""
    before: str
    after: str


class GameRecord(NamedTuple):
    """A game as it was told."""

    name: str
    """Where it stands in its file."""
    white: str
    black: str
    result: str
    steps: tuple[Step, ...]
    """Those that are known: records may leave some out."""


def load_games(path: Path, *, most: int) -> tuple[list[GameRecord], list[str]]:
    """Return the first games of a file of PGN (plain or packed) or Parquet records, and what was wrong with others."""
    games, faults = (_of_records if read_start(path) == PARQUET else _of_pgn)(path, most)
    if not games:
        more = f"; {faults[0]}" if faults else ""
        raise FileError(f"{str(path)!r} holds no game of chess that can be played through{more}")
    return games, faults


def of_meeting(meeting: Meeting) -> list[GameRecord]:
    """Return the games of a match."""
    game = find_game("chess")
    return [
        GameRecord(
            f"game {number + 1}",
            meeting.players[number % 2],
            meeting.players[1 - number % 2],
            RESULTS[played.result],
            tuple(_steps(game, game.start() if played.start is None else played.start, played.moves)),
        )
        for number, played in enumerate(meeting.games)
    ]


def _steps(game: CompiledGame, position: Any, moves: Iterable[int]) -> Iterator[Step]:
    for move in moves:
        follower = game.play(position, move)
        yield Step(position.ply + 1, game.write(position), game.write(follower))
        position = follower


def _of_pgn(path: Path, most: int) -> tuple[list[GameRecord], list[str]]:
    from understudy.games.chess.exports import next_game

    games: list[GameRecord] = []
    faults: list[str] = []
    text = io.StringIO(content(path).decode("utf-8-sig", "replace"))  # names in old PGN are not always UTF-8
    number = 0
    while len(games) < most and (read := next_game(text)) is not None:
        number += 1
        if fault := _fault(read):
            faults.append(f"{path}, game {number}: {fault}")
        else:
            games.append(_read_through(f"game {number}", read))
    return games, faults


def _fault(read: Any) -> str | None:
    if read.errors:
        return str(read.errors[0])
    if read.headers.get("Variant", "Standard").lower() not in ("standard", "chess", "from position"):
        return f"it is {read.headers['Variant']}, not chess"
    return None if read.next() else "it has no moves"


def _read_through(name: str, read: Any) -> GameRecord:
    steps, board = [], read.board()
    for move in read.mainline_moves():
        before = board.fen()
        board.push(move)
        steps.append(Step(board.ply(), before, board.fen()))
    headers = read.headers
    return GameRecord(
        name, headers.get("White", "?"), headers.get("Black", "?"), headers.get("Result", "*"), tuple(steps)
    )


def _of_records(path: Path, most: int) -> tuple[list[GameRecord], list[str]]:
    from understudy.records.store import load

    records = load(path)
    if records.game.name != "chess":
        raise FileError(f"{str(path)!r} holds games of {records.game.name}, not chess")
    numbers = np.unique(records.games)[:most]
    return [_of_rows(records.taken(records.games == number), int(number)) for number in numbers], []


def _of_rows(rows: Any, number: int) -> GameRecord:
    """Return the game that some rows of records tell."""
    from understudy.games.batches import unstacked

    steps = [
        next(_steps(rows.game, position, (move,)))
        for position, move in zip(unstacked(rows.positions), rows.moves.tolist(), strict=True)
        if move in rows.game.moves(position)
    ]
    sign = 1 if int(rows.plies[0]) % 2 == 0 else -1
    result = RESULTS.get(sign * int(rows.results[0]), "*")
    source = str(rows.sources[0])
    return GameRecord(f"game {number}", source, source, result, tuple(sorted(steps)))


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

    record: GameRecord
    plies: tuple[int, ...]
    pawns: tuple[float, ...]
    """What the position after each ply is worth for White."""
    white: Side
    black: Side


def judge_games(
    games: Sequence[GameRecord],
    analysis: Analysis,
    *,
    backend: Backend,
    progress: Callable[[int], None] = lambda positions: None,
) -> tuple[str, list[Judged]]:
    """Return who judged, and the games with an engine's opinion after every ply."""
    name = f"{engine_name(analysis)}, {analysis.words()}"
    pawns = in_pawns(labelled(all_positions(games), analysis, backend=backend, progress=progress))
    return name, [_judge(game, pawns) for game in games]


def all_positions(games: Sequence[GameRecord]) -> list[str]:
    """Return every position that has to be looked at, once."""
    return list(dict.fromkeys(fen for game in games for step in game.steps for fen in (step.before, step.after)))


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
        for player, side in ((game.record.white, game.white), (game.record.black, game.black)):
            so_far = players.get(player, Side(0, 0.0, 0.0, 0))
            players[player] = Side._make(a + b for a, b in zip(so_far, side, strict=True))
    return players


def _judge(record: GameRecord, pawns: Mapping[str, float]) -> Judged:
    sides = [[step for step in record.steps if step.ply % 2 == parity] for parity in (1, 0)]
    curve = tuple(round(pawns[step.after] * (-1 if step.ply % 2 else 1), 2) for step in record.steps)
    white, black = (_side(steps, pawns) for steps in sides)
    return Judged(record, tuple(step.ply for step in record.steps), curve, white, black)


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
    record = game.record
    return {
        "game": record.name,
        "white": record.white,
        "black": record.black,
        "result": record.result,
        "white_moves": _side_json(game.white),
        "black_moves": _side_json(game.black),
        "plies": list(game.plies),
        "pawns": list(game.pawns),
    }
