"""Positions of solved chess endings as a labelled table: how many moves best play takes to mate, and a best move.

Each ending is a part in a folder beside the target (`OUT.parts`) until all are there; who is stopped and started again
goes on with the endings that are missing.
"""

from __future__ import annotations

import shutil
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from understudy.errors import FileError
from understudy.files import load_json, make_folder, save_json
from understudy.games.chess.endings import Endings
from understudy.games.chess.position import board
from understudy.games.chess.records.positions import PositionTable, load_positions, save_positions, writing
from understudy.games.chess.retrograde import Drawn

SOURCE = "endings"
"""What the table calls the games that these positions are not of."""
BY = {"engine": "Understudy's tables of endings", "limit": "distance to mate"}
"""Who labelled them, and how, in the words of other tables."""
CELLS = np.array(board().cells)
PROMOTIONS = np.array(["", "n", "b", "r", "q"])


def keep_endings(
    names: Sequence[str],
    target: Path,
    *,
    sample: int,
    seed: int = 0,
    progress: Callable[[int], None] = lambda endings: None,
) -> int:
    """Solve endings and write *sample* random positions of each to a table; return how many there are.

    The few that no move can lead to, such as some double checks, are left out. *progress* hears of each ending.
    """
    folder = _begun(target, {"endings": list(names), "sample": sample, "seed": seed})
    endings = Endings(names)
    for place, name in enumerate(names):
        path = folder / f"{name}.parquet"
        if not path.exists():
            endings.solve(name)
            drawn = endings.draw(name, sample, np.random.default_rng([seed, place]))
            save_positions(labelled(drawn, first=1 + place * sample), path)
        progress(1)
    with writing(target, labelled=True, facts=BY | {"sampling": f"{sample} of each ending, seed {seed}"}) as writer:
        for name in names:
            writer.add(load_positions(folder / f"{name}.parquet"))
    shutil.rmtree(folder, ignore_errors=True)
    return writer.rows


def _begun(target: Path, plan: dict[str, Any]) -> Path:
    """Return the folder of the parts; a target that is there, or was begun otherwise, is not touched."""
    folder = target.with_name(f"{target.name}.parts")
    if target.exists():
        raise FileError(f"{target} is there already; choose another name, or delete it first")
    if (folder / "plan.json").exists() and load_json(folder / "plan.json") != plan:
        raise FileError(f"{folder} was begun with other endings, --sample or --seed; choose another name, or delete it")
    make_folder(folder)
    save_json(folder / "plan.json", plan)
    return folder


def labelled(drawn: Drawn, *, first: int = 1) -> PositionTable:
    """Return positions with their distance to mate as labels; each counts as a game of its own, from *first* on."""
    worths = drawn.worths.astype(np.int32)
    moves = np.where(worths > 0, (worths + 1) // 2, -(-worths // 2))
    return PositionTable(
        positions=drawn.positions,
        game=np.arange(first, first + len(worths), dtype=np.int32),
        ply=np.asarray(drawn.positions.ply, np.int16),
        source=np.full(len(worths), SOURCE),
        result=np.full(len(worths), "*"),
        kind=np.where(worths == 0, "cp", "mate"),
        score=moves,
        best=_uci(drawn.best.astype(np.int64), np.asarray(drawn.positions.ply)),
        facts=dict(BY),
    )


def _uci(codes: NDArray[np.int64], plies: NDArray[np.int64]) -> NDArray[np.str_]:
    """Return moves as engines write them; codes have the cells as the mover sees them."""
    turned = np.where(plies % 2 == 1, 56, 0)
    return np.char.add(
        np.char.add(CELLS[(codes >> 9) ^ turned], CELLS[((codes >> 3) & 63) ^ turned]), PROMOTIONS[codes & 7]
    )
