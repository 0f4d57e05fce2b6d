"""Chess endings of three and four pieces, solved: how many plies best play takes to mate, from every placement.

No file is needed: the tables are made by looking back from the mates (`retrograde.py`), those that captures and
promotions lead to first. Castling and the fifty-move rule are left out, and so is pawn against pawn, where a capture in
passing would need more than the cells of the pieces.

Positions of solved endings can be kept as a labelled table: how many moves best play takes to mate, and a best move.
Each ending is a part in a folder beside the target (`OUT.parts`) until all are there; who is stopped and started again
goes on with the endings that are missing.
"""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator, Sequence
from itertools import combinations_with_replacement
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from understudy.errors import BadOption, FileError
from understudy.files import load_json, make_folder, save_json
from understudy.games.chess.position import Chess, board
from understudy.games.chess.retrograde import FORBIDDEN, MATERIALS, NOBODY, Drawn, Table, begin, sample, settle, worth
from understudy.locks import locked

if TYPE_CHECKING:
    from understudy.games.chess.records.positions import PositionTable

LETTERS = "PNBRQ"
OTHERS = 5
"""Added to the number of a piece of the side that does not move."""

Material = tuple[int, int]
"""Numbers of the pieces besides the kings, seen by the mover; see `retrograde.py`."""

SOURCE = "endings"
"""What the table calls the games that these positions are not of."""
BY = {"engine": "Understudy's tables of endings", "limit": "distance to mate"}
"""Who labelled them, and how, in the words of other tables."""
CELLS = np.array(board().cells)
PROMOTIONS = np.array(["", "n", "b", "r", "q"])
"""How UCI writes the last three bits of a move's code."""


def every_ending() -> list[str]:
    """Return the names of all endings that can be solved, the side with more first."""
    alone = [f"K{letter}vK" for letter in reversed(LETTERS)]
    pairs = list(combinations_with_replacement(reversed(LETTERS), 2))
    return alone + [f"K{a}{b}vK" for a, b in pairs] + [f"K{a}vK{b}" for a, b in pairs if (a, b) != ("P", "P")]


def material_of(ending: str) -> Material:
    """Return the pieces of an ending such as KQvKR, its first side to move."""
    if ending not in every_ending():
        raise BadOption(f"{ending!r} is no ending that can be solved; these can: {', '.join(every_ending())}")
    strong, weak = ending.split("v")
    return _material([LETTERS.index(one) for one in strong[1:]] + [OTHERS + LETTERS.index(one) for one in weak[1:]])


class Endings:
    """Endings that are solved one by one, with all those that they lead to."""

    def __init__(self, endings: Sequence[str]) -> None:
        self.endings = {ending: material_of(ending) for ending in endings}
        order = dict.fromkeys(one for material in self.endings.values() for one in _needed(material))
        self.starts = np.full(MATERIALS, -1, np.int64)
        ends = np.cumsum([0, *(_size(material) for material in order)])
        for material, start in zip(order, ends.tolist(), strict=False):
            self.starts[_code(material)] = start
        self.values = np.zeros(ends[-1], np.int8)
        self.solved: set[Material] = set()

    def solve(self, ending: str) -> None:
        """Solve an ending and before it those that it leads to, unless they are solved."""
        for material in _needed(self.endings[ending]):
            if material not in self.solved:
                both = tuple(dict.fromkeys((material, seen_by_others(material))))
                self._solve(both)
                self.solved.update(both)

    def worth(self, position: Chess) -> int:
        """Return the worth of a position of solved endings in plies, as `Drawn` has it."""
        return int(worth(position, self.values, self.starts))

    def worths(self, ending: str, *, turned: bool = False) -> NDArray[np.int8]:
        """Return the worths of all placements that can occur with the first side to move, or *turned*, the second."""
        own = self.endings[ending]
        worths = self._worths(seen_by_others(own) if turned else own)
        return np.asarray(worths[worths != FORBIDDEN])

    def draw(self, ending: str, count: int, rng: np.random.Generator) -> Drawn:
        """Return random positions of an ending in which somebody can move; either side moves, White as often."""
        own = self.endings[ending]
        materials = list(dict.fromkeys((own, seen_by_others(own))))
        shares = [len(part) for part in np.array_split(np.arange(count), len(materials))]
        return _together([self._draw(one, share, rng) for one, share in zip(materials, shares, strict=True)])

    def _solve(self, materials: Sequence[Material]) -> None:
        """Solve an ending as both sides see it; tables that it leads to are there."""
        tables = [Table(*one, self._worths(one), np.zeros(_size(one), np.int8), np.zeros(_size(one), np.uint8))
                  for one in materials]  # fmt: skip
        longest, plies = max(begin(table, self.values, self.starts) for table in tables), 0
        while plies <= longest:
            for place, table in enumerate(tables):
                longest = max(longest, settle(plies, table, tables[place - 1]))
            plies += 1

    def _worths(self, material: Material) -> NDArray[np.int8]:
        start = self.starts[_code(material)]
        return np.asarray(self.values[start : start + _size(material)])

    def _draw(self, material: Material, count: int, rng: np.random.Generator) -> Drawn:
        """Return random positions with one side to move."""
        parts: list[Drawn] = []
        while sum(len(part.worths) for part in parts) < count:
            chosen = rng.integers(_size(material), size=2 * count)
            room = Drawn(np.zeros((7, len(chosen)), np.uint64), np.zeros((4, len(chosen)), np.int64),
                         np.zeros(len(chosen), np.int8), np.zeros(len(chosen), np.int32))  # fmt: skip
            total = sample(*material, chosen, rng.integers(2, size=len(chosen)), self.values, self.starts, room)
            parts.append(room.cut(total))
        return _together(parts).cut(count)


def _together(parts: Sequence[Drawn]) -> Drawn:
    return Drawn._make(np.concatenate(columns, axis=-1) for columns in zip(*parts, strict=True))


def seen_by_others(material: Material) -> Material:
    """Return the same pieces seen by the other side."""
    return _material([(one + OTHERS) % NOBODY for one in material if one != NOBODY])


def _material(numbers: Sequence[int]) -> Material:
    first, second, *_ = [*sorted(numbers), NOBODY, NOBODY]
    return first, second


def _code(material: Material) -> int:
    return material[0] * (NOBODY + 1) + material[1]


def _size(material: Material) -> int:
    return 64**3 if material[1] == NOBODY else 64**4


def _needed(material: Material) -> Iterator[Material]:
    """Yield the endings that a capture or a promotion leads to, then this one, each as both sides see it."""
    for one in _next(material):
        yield from _needed(one)
    yield from (material, seen_by_others(material))


def _next(material: Material) -> Iterator[Material]:
    """Yield what is left of a material after a piece is taken or a pawn promoted, if there is anything left."""
    pieces = [one for one in material if one != NOBODY]
    for place, piece in enumerate(pieces):
        rest = pieces[:place] + pieces[place + 1 :]
        if rest:
            yield _material(rest)
        if piece % OTHERS == 0:
            yield from (_material([*rest, piece + higher]) for higher in range(1, OTHERS))


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
    make_folder(target.parent)
    with locked(target):
        return _keep_all(names, target, sample=sample, seed=seed, progress=progress)


def _keep_all(names: Sequence[str], target: Path, *, sample: int, seed: int, progress: Callable[[int], None]) -> int:
    """Write what is left of the endings, and join them; the lock of the target is held."""
    from understudy.games.chess.records.positions import load_positions, save_positions, writing

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
            table = load_positions(path := folder / f"{name}.parquet")
            if (wanted := table.facts.get("rows")) != str(len(table)):
                raise FileError(f"{str(path)!r} has {len(table)} positions, not {wanted}; delete it to draw them again")
            writer.add(table)
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
    save_json(folder / "plan.json", plan, sealed=True)
    return folder


def labelled(drawn: Drawn, *, first: int = 1) -> PositionTable:
    """Return positions with their distance to mate as labels; each counts as a game of its own, from *first* on."""
    from understudy.games.chess.records.positions import PositionTable  # tables need pyarrow, solving does not

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
