"""Won endings: whether a player wins what theory says is won, and how long it takes.

The defender is a Syzygy tablebase and makes the win take as long as it can. It needs no luck to hold what the player
gives away, so every failure is the player's own.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from statistics import median
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from understudy.errors import BadOption, FileError
from understudy.games import CompiledGame, find_game
from understudy.judges.measures import Measure, share
from understudy.match import Opening, Played, play_games
from understudy.players import close, make_player, prepare
from understudy.protocols import Backend, Choice, Move

if TYPE_CHECKING:
    import chess
    import chess.syzygy

ENDINGS = (
    "KQvK", "KRvK", "KPvK", "KBBvK", "KBNvK", "KBPvK", "KNPvK", "KPPvK",
    "KQvKR", "KQvKB", "KQvKN", "KQvKP", "KRvKB", "KRvKN", "KRvKP",
)  # fmt: skip
"""What is played if nothing is said: the endings of up to four pieces that take some skill."""
CHUNK = 8
"""Positions of a task: few, so that workers end together."""
HOW = {"insufficient material": "lost its piece"}
"""Draws in the words of whoever should have won."""
WHERE = "https://tablebase.lichess.ovh/tables/standard/"
"""Where messages send people for tables."""
WON = 2
"""A win that the fifty-move rule does not spoil, as Syzygy counts."""
TRIES = 20_000
"""Random placements, for each position wanted, after which an ending is taken to have no won ones. Chosen by hand."""


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


@contextlib.contextmanager
def opened_tables(folder: Path) -> Iterator[chess.syzygy.Tablebase]:
    """Open the tables of a folder; a table that turns out to be missing is named."""
    import chess.syzygy

    if not any(folder.glob("*.rtbw")):
        raise FileError(
            f"there are no Syzygy tables in {str(folder)!r}: the endings need pairs of files such as KQvK.rtbw and "
            f"KQvK.rtbz, which {WHERE} has"
        )
    try:
        with chess.syzygy.open_tablebase(str(folder)) as tables:
            yield tables
    except chess.syzygy.MissingTableError as error:
        raise FileError(f"the table {_named(error)} is missing in {str(folder)!r}; {WHERE} has it") from None
    except (OSError, AssertionError, IndexError, ValueError) as error:
        if isinstance(error, FileError | BadOption):
            raise
        raise FileError(f"a table in {str(folder)!r} cannot be read: {error or type(error).__name__}") from None


def _named(error: Exception) -> str:
    """Return the name of a missing table as its file has it, the larger side first."""
    sides = str(error.args[0]).split()[-1].split("v")
    return "v".join(sorted(sides, key=len, reverse=True))


def check_table(folder: Path, ending: str) -> None:
    """Raise unless a folder has both files of an ending."""
    pieces(ending)
    for suffix in ("rtbw", "rtbz"):
        if not (folder / f"{ending}.{suffix}").exists():
            raise FileError(f"there is no table {ending}.{suffix} in {str(folder)!r}; {WHERE} has it")


def pieces(ending: str) -> tuple[str, str]:
    """Return the pieces of both sides of an ending such as KRvKB, kings first."""
    strong, _, weak = ending.partition("v")
    sound = all(side[:1] == "K" and set(side[1:]) <= set("QRBNP") for side in (strong, weak))
    if not sound or not 3 <= len(strong + weak) <= 7:
        raise BadOption(f"{ending!r} is no ending; endings are written like KQvKR, with three to seven pieces")
    return strong, weak


def won_positions(
    tables: chess.syzygy.Tablebase, ending: str, count: int, rng: np.random.Generator
) -> list[chess.Board]:
    """Return random positions that the first side of an ending wins, with it to move; it is White as often as Black."""
    boards: list[chess.Board] = []
    for _ in range(TRIES * max(count, 1)):
        if len(boards) == count:
            return boards
        board = place_pieces(ending, rng)
        if board is not None and tables.probe_wdl(board) == WON:
            boards.append(board)
    raise BadOption(f"no won position of {ending} was found among {TRIES * count} random ones")


def place_pieces(ending: str, rng: np.random.Generator) -> chess.Board | None:
    """Return a random placement with the first side to move, or None if the rules forbid it."""
    import chess

    strong, weak = pieces(ending)
    cells = rng.permutation(64)[: len(strong + weak)].tolist()
    colour = bool(rng.integers(2))
    board = chess.Board(None)
    for place, (letter, cell) in enumerate(zip(strong + weak, cells, strict=True)):
        kind = chess.PIECE_SYMBOLS.index(letter.lower())
        board.set_piece_at(cell, chess.Piece(kind, colour if place < len(strong) else not colour))
    board.turn = colour
    return board if board.is_valid() and any(board.legal_moves) else None


class Defender:
    """A player that knows the tables: it saves what can be saved, and otherwise loses as late as possible."""

    name = "tablebase"

    def __init__(self, tables: chess.syzygy.Tablebase, rng: np.random.Generator) -> None:
        self.tables, self.rng = tables, rng

    def choose(self, positions: Sequence[Any], histories: Sequence[Sequence[Any]] | None = None) -> list[Choice]:
        """Choose a move in each position."""
        return [Choice(self._choose(position)) for position in positions]

    def _choose(self, position: Any) -> Move:
        from understudy.games.chess.notation import from_uci, to_board

        board = to_board(position)
        moves = list(board.legal_moves)
        worst = [self._after(board, move) for move in moves]
        best = min(worst)
        equal = [move for move, worth in zip(moves, worst, strict=True) if worth == best]
        if best == WON and len(equal) > 1:
            lengths = [self._length(board, move) for move in equal]
            equal = [move for move, length in zip(equal, lengths, strict=True) if length == max(lengths)]
        return from_uci(position, equal[self.rng.integers(len(equal))])

    def _after(self, board: chess.Board, move: chess.Move) -> int:
        """Return what the other side has after a move: 2 a win, 0 a draw, -2 a loss."""
        board.push(move)
        worth = self.tables.probe_wdl(board)
        board.pop()
        return int(worth)

    def _length(self, board: chess.Board, move: chess.Move) -> int:
        """Return how near the fifty-move rule comes after a move, before the other side makes progress."""
        board.push(move)
        length = self.tables.probe_dtz(board) + board.halfmove_clock
        board.pop()
        return int(length)
