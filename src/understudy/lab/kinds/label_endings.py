"""What students of labels say of an ending, class by class: Sabatelli (2017), figure 6.4.

The source shows one position without its FEN, two white pawns against a rook: bitmaps made networks say "winning",
algebraic boards "draw". Here positions of an ending are placed by chance, and an engine says which of them are won.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from understudy.games.chess.datasets import classes_of, find_dataset
from understudy.games.chess.judges.endgames import pieces, place_pieces
from understudy.games.chess.judges.match_endings import pieces_worth
from understudy.games.chess.notation import from_board
from understudy.games.chess.players.students import BoardStudent
from understudy.games.chess.records.opinions import Analysis, in_pawns, labelled
from understudy.judges.measures import share
from understudy.lab.options.labels import Experiment
from understudy.lab.run import Run
from understudy.players import make_player

ENDING = "ending.json"
CLASSES = find_dataset("1")
WINNING = 2
COUNTING = "counts material"
"""Who stands beside the students, because it did not learn."""
SEED = 62_000


def ask_about_ending(run: Run[Experiment]) -> None:
    """Keep what every student with a file of its own says of positions of `[judging] ending`."""
    judging = run.experiment.judging
    if not judging.ending or (run.folder / ENDING).exists():
        return
    game, positions = run.experiment.game, _draw(judging.ending, judging.ending_positions)
    run.tell("an ending", 0.0, judging.ending)
    fens = [game.write(position) for position in positions]
    analysis = Analysis(engine=judging.engine, depth=judging.depth)
    worth = in_pawns(labelled(fens, analysis, backend=run.backend))
    theirs = classes_of(CLASSES, np.array([worth[fen] for fen in fens]))
    told, students = {}, run.load("labels.json")["students"]
    for lesson in run.experiment.lessons:
        if students[lesson.name]["suffix"] == "onnx":
            likeliest = ",classes=likeliest" if lesson.dataset.classes else ""
            player = make_player(f"student:{run.folder / f'student_{lesson.name}.onnx'}{likeliest}", game)
            assert isinstance(player, BoardStudent)
            told[lesson.name] = _compare(classes_of(CLASSES, player.value(positions)), theirs)
    counted = np.full(len(fens), count_pieces(judging.ending))
    told[COUNTING] = _compare(classes_of(CLASSES, counted), theirs)
    won = int((theirs == WINNING).sum())
    run.save(ENDING, {"ending": judging.ending, "positions": len(fens), "won": won, "students": told})


def _draw(ending: str, count: int) -> list[Any]:
    """Return positions of an ending placed by chance, its first side to move."""
    rng = np.random.default_rng(SEED)
    drawn: list[Any] = []
    while len(drawn) < count:
        if (board := place_pieces(ending, rng)) is not None:
            drawn.append(from_board(board))
    return drawn


def count_pieces(ending: str) -> float:
    """Return how many pawns the first side of an ending is ahead by its pieces alone."""
    mine, theirs = (pieces_worth(side) for side in pieces(ending))
    return float(mine - theirs)


def _compare(ours: NDArray[np.int64], theirs: NDArray[np.int64]) -> dict[str, Any]:
    """Return what is said of the won positions (losing, draw, winning), and of how many in all it is right."""
    said = np.bincount(ours[theirs == WINNING], minlength=CLASSES.classes).tolist()
    return {"said": said, "right": share(int((ours == theirs).sum()), len(ours))._asdict()}
