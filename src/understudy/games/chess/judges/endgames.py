"""Won endings: whether a player wins what theory says is won, and how long it takes.

The defender is a tablebase. It needs no luck to hold what the player gives away, so every failure is the player's own.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from statistics import median
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from understudy.games import CompiledGame, find_game
from understudy.games.chess.judges.tablebases import WON, Defender, check_table, opened_tables, won_positions
from understudy.judges.measures import Measure, share
from understudy.match import Opening, Played, play_games
from understudy.players import close, make_player, prepare
from understudy.protocols import Backend

if TYPE_CHECKING:
    import chess.syzygy

ENDINGS = (
    "KQvK", "KRvK", "KPvK", "KBBvK", "KBNvK", "KBPvK", "KNPvK", "KPPvK",
    "KQvKR", "KQvKB", "KQvKN", "KQvKP", "KRvKB", "KRvKN", "KRvKP",
)  # fmt: skip
"""What is played if nothing is said: the endings of up to four pieces that take some skill."""
CHUNK = 8
"""Positions of a task."""
HOW = {"insufficient material": "lost its piece"}
"""Draws in the words of whoever should have won."""


class Thrown(NamedTuple):
    """The move after which the position was no longer won."""

    fen: str
    move: str
    number: int
    """How many moves of the player it was into the game."""


class Ending(NamedTuple):
    """One won position, played out."""

    ending: str
    fen: str
    won: bool
    reason: str
    """How the game ended."""
    moves: int
    """Moves that the player made."""
    plies_to_progress: int
    """Plies up to the first capture, pawn move or mate."""
    dtz: int
    """What the tablebase says of the same: plies with best play of both sides."""
    thrown: Thrown | None
    """Where the win was given away; None if it never was, or the game was won."""


class EndgameTask(NamedTuple):
    """Some positions of one ending."""

    player: str
    folder: str
    ending: str
    positions: int
    seed: tuple[int, ...]


def play_endgames(
    player: str,
    folder: Path,
    *,
    backend: Backend,
    sample: int = 10,
    endings: Sequence[str] = (),
    seed: int = 0,
    progress: Callable[[int], None] = lambda games: None,
) -> list[Ending]:
    """Let *player* play *sample* won positions of each ending; without names, of those of our list that are there."""
    tasks = [
        EndgameTask(player, str(folder), ending, min(CHUNK, sample - first), (seed, place, first))
        for place, ending in enumerate(known_endings(folder, endings))
        for first in range(0, sample, CHUNK)
    ]
    played: list[Ending] = []
    for part in backend.map(endgame_task, tasks):
        played += part
        progress(len(part))
    return played


def known_endings(folder: Path, wanted: Sequence[str] = ()) -> list[str]:
    """Return the endings that are wanted and whose tables are there; what was named and is missing is an error."""
    with opened_tables(folder):
        pass
    for ending in wanted:
        check_table(folder, ending)
    return list(wanted) or [ending for ending in ENDINGS if (folder / f"{ending}.rtbz").exists()]


def endgame_task(task: EndgameTask) -> list[Ending]:
    """Draw the positions of one task and let a player made for it play them."""
    from understudy.games.chess.notation import from_board

    game = find_game("chess")
    player = make_player(task.player, game, seed=[*task.seed, 0])
    try:
        prepare(player)
        with opened_tables(Path(task.folder)) as tables:
            boards = won_positions(tables, task.ending, task.positions, np.random.default_rng([*task.seed, 1]))
            starts = [(Opening(start=from_board(board)), not board.turn) for board in boards]
            defender = Defender(tables, np.random.default_rng([*task.seed, 2]))
            games = play_games(game, (player, defender), starts)
            return [_ending(game, tables, task.ending, played) for played in games]
    finally:
        close(player)


def conversion(played: Sequence[Ending]) -> Measure:
    """Return the share of won positions that were won."""
    return share(sum(one.won for one in played), len(played))


def endgames_json(player: str, played: Sequence[Ending]) -> dict[str, Any]:
    """Return what became of all positions as plain data: by ending, and every failure."""
    endings = dict.fromkeys(one.ending for one in played)
    return {
        "player": player,
        "converted": conversion(played)._asdict(),
        "endings": [summary(ending, [one for one in played if one.ending == ending]) for ending in endings],
        "failures": [_plain(one) for one in played if not one.won],
        "positions": [_plain(one) for one in played],
    }


def summary(ending: str, played: Sequence[Ending]) -> dict[str, Any]:
    """Return what became of the positions of one ending."""
    won = [one for one in played if one.won]
    return {
        "ending": ending,
        "converted": conversion(played)._asdict(),
        "median_moves": median(one.moves for one in won) if won else None,
        "median_plies_to_progress": median(one.plies_to_progress for one in won) if won else None,
        "median_dtz": median(one.dtz for one in won) if won else None,
    }


def _plain(one: Ending) -> dict[str, Any]:
    return {**one._asdict(), "thrown": one.thrown and one.thrown._asdict()}


def _ending(game: CompiledGame, tables: chess.syzygy.Tablebase, ending: str, played: Played) -> Ending:
    from understudy.games.chess.notation import to_board

    start = played.start
    won = played.result == (1 if start.ply % 2 == 0 else -1)
    return Ending(
        ending,
        game.write(start),
        won,
        HOW.get(played.reason, played.reason),
        (len(played.moves) + 1) // 2,
        _plies_to_progress(game, played),
        int(tables.probe_dtz(to_board(start))),
        None if won else _thrown(game, tables, played),
    )


def _plies_to_progress(game: CompiledGame, played: Played) -> int:
    position = played.start
    for plies, move in enumerate(played.moves, 1):
        position = game.play(position, move)
        if position.clock == 0:
            return plies
    return len(played.moves)


def _thrown(game: CompiledGame, tables: chess.syzygy.Tablebase, played: Played) -> Thrown | None:
    """Return the player's first move after which the tablebase no longer calls the position won."""
    from understudy.games.chess.notation import to_board

    position = played.start
    for plies, move in enumerate(played.moves):
        follower = game.play(position, move)
        if plies % 2 == 0 and tables.probe_wdl(to_board(follower)) > -WON:
            return Thrown(game.write(position), game.write_move(position, move), plies // 2 + 1)
        position = follower
    return None
