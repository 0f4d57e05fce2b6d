"""Records: positions with the move that was chosen in them, what the teacher thought, and how the game ended.

They are kept as Parquet with positions and moves as text, so that people and other programs can read them, or packed
as numbers where there are millions; the name of the game, its size and its switches stand in the metadata.
"""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from numpy.typing import NDArray

from understudy.errors import FileError, UnderstudyError, understood
from understudy.games import CompiledGame, batches, find_game, find_kind, game_names
from understudy.games.batches import NO_MOVE
from understudy.games.kind import GameKind
from understudy.games.parts import part_table
from understudy.records.columns import read_columns, write_columns
from understudy.records.files import Complaint, check_on_error, open_parquet, read_bytes, save_parquet, settle
from understudy.records.packed import MOVE, is_packed, pack_moves, pack_positions, read_packed
from understudy.records.people import SIDES
from understudy.records.weighed import COLUMNS as WEIGHED
from understudy.records.weighed import Weighed, join_weighed, read_weighed, write_weighed
from understudy.unpacking import read_start, refuse

FORMAT = 1
"""Of files of records; it changes when files of before can no longer be read."""
UNKNOWN = 2
"""Stands for the result of a game that has none."""

COLUMNS: dict[str, pa.DataType] = {
    "position": pa.string(),
    "move": pa.string(),
    "value": pa.float32(),
    "result": pa.int8(),
    "game": pa.int64(),
    "ply": pa.int32(),
    "source": pa.string(),
}
"""As docs/records.md describes them."""
MAGIC = b"PAR1"
"""How every Parquet file begins."""
_NOTES = b"understudy"
"""Where our facts stand in the metadata of a file."""


@dataclass(frozen=True, eq=False)
class Records:
    """What was played, one position a row."""

    game: CompiledGame
    positions: Any
    """A batch."""
    moves: NDArray[np.int32]
    """Codes; NO_MOVE where nobody moved."""
    values: NDArray[np.float32]
    """The teacher's value for the side to move; nan where it gave none."""
    results: NDArray[np.int8]
    """Result of the game for the side to move; UNKNOWN where there is none."""
    games: NDArray[np.int64]
    """Number of the game a row comes from; a lone pair is a game of its own."""
    plies: NDArray[np.int32]
    sources: NDArray[Any]
    """Where a row comes from, such as `regular searcher:nodes=20000 v random`; of millions of rows as objects, which
    share their letters."""
    sides: NDArray[np.int8] | None = None
    """Which of SIDES each row is on, where whoever gathered the records has parted them; None where nobody has."""
    weighed: Weighed | None = None
    """What the teacher thinks of many moves, where it was asked."""

    def __len__(self) -> int:
        return len(self.moves)

    def taken(self, index: Any) -> Records:
        """Return the rows that *index* names: numbers, a mask or a slice."""
        columns = {name: getattr(self, name)[index] for name in _COLUMN_FIELDS}
        columns["sides"] = None if self.sides is None else self.sides[index]
        columns["weighed"] = None if self.weighed is None else self.weighed.taken(index)
        return dataclasses.replace(self, positions=batches.taken(self.positions, index), **columns)


class TextFormat(NamedTuple):
    """Text files in which others keep records of a game: what they are called, how one is known, and its reader."""

    title: str
    fits: Callable[[Path, bytes], bool]
    """Asked for a file's path and content."""
    load: Callable[..., tuple[Records, list[Complaint]]]
    """Takes a path, `on_error` and `limit`, and returns records and complaints as `load_any` does."""
    load_parted: Callable[..., tuple[Records, dict[str, int]]] | None = None
    """Takes paths, a `HoldOut`, `on_error` and the sides that are wanted; returns records with sides, and how many
    games are on which; None where such files do not tell who played and when."""


_COLUMN_FIELDS = ("moves", "values", "results", "games", "plies", "sources")
"""Of records, all that are plain arrays: a row of each for every position."""


def joined(parts: Sequence[Records], *, renumber: bool = True) -> Records:
    """Return all rows in order; games get new numbers, lest two of them share one, unless told not to."""
    shifts = np.cumsum([0, *(part.games.max() + 1 if renumber and len(part) else 0 for part in parts[:-1])])
    columns: dict[str, Any] = {name: np.concatenate([getattr(part, name) for part in parts]) for name in _COLUMN_FIELDS}
    columns["games"] = np.concatenate([part.games + shift for part, shift in zip(parts, shifts, strict=True)])
    sides = [part.sides for part in parts if part.sides is not None]
    columns["sides"] = np.concatenate(sides) if len(sides) == len(parts) else None
    columns["weighed"] = join_weighed([part.weighed for part in parts], [len(part) for part in parts])
    return dataclasses.replace(parts[0], positions=batches.joined([part.positions for part in parts]), **columns)


def lone_pairs(game: CompiledGame, positions: Any, moves: NDArray[np.int32], *, source: str) -> Records:
    """Return records of positions and moves of which nothing else is known, each a game of its own."""
    count = len(moves)
    return Records(
        game=game,
        positions=positions,
        moves=np.asarray(moves, np.int32),
        values=np.full(count, np.nan, np.float32),
        results=np.full(count, UNKNOWN, np.int8),
        games=np.arange(count, dtype=np.int64),
        plies=np.asarray(positions.ply, np.int32),
        sources=np.full(count, source),
    )


def save(records: Records, path: Path, *, notes: Mapping[str, str] | None = None, packed: bool = False) -> None:
    """Write records as Parquet, with *notes* in its metadata; *packed*: as numbers instead of text."""
    table = make_table(records, notes or {}, packed=packed)
    save_parquet(Path(path), table)


def load(path: Path) -> Records:
    """Return the records of a Parquet file."""
    if read_start(Path(path)) != MAGIC:
        raise FileError(f"{path} is not a Parquet file")
    return _read_table(Path(path), "refuse")[0]


def load_any(
    path: Path, game: CompiledGame | None = None, on_error: str = "refuse", *, limit: int | None = None
) -> tuple[Records, list[Complaint]]:
    """Return the records of a Parquet file or of a game's text, whatever its name says, and what was skipped.

    Of more than *limit* records the first are taken.
    """
    check_on_error(on_error)
    path = Path(path)
    if read_start(path) == MAGIC:
        records, complaints = _read_table(path, on_error)
    else:
        form = find_format(path, read_bytes(path))[1]
        records, complaints = form.load(path, on_error=on_error, limit=limit)
    _check_game(path, records.game, game)
    return records.taken(slice(0, limit)), complaints


def find_format(path: Path, content: bytes) -> tuple[GameKind, TextFormat]:
    """Return the first of all games' own formats that a file fits, and the game."""
    kinds = [kind for name in game_names() if (kind := find_kind(name)).text_files]
    formats: list[tuple[GameKind, TextFormat]] = [(kind, kind.load("text_files").FORMAT) for kind in kinds]
    fitting = next((pair for pair in formats if pair[1].fits(path, content)), None)
    if fitting is None:
        titles = " nor ".join(["Parquet", *(form.title for _, form in formats)])
        raise FileError(f"{path} is not a file of records: neither {titles}")
    return fitting


def load_notes(path: Path) -> dict[str, Any]:
    """Return what stands in the metadata of a Parquet file of records: the game and the notes it was saved with."""
    try:
        metadata = pq.read_metadata(path).metadata or {}
    except (pa.ArrowException, OSError) as error:
        refuse(path, error)
    return _notes(path, metadata)


def make_table(records: Records, notes: Mapping[str, str], *, packed: bool = False) -> pa.Table:
    """Return records as a table of Arrow, positions and moves as text or *packed*, with *notes* in its metadata."""
    game = records.game
    if packed:
        positions, moves = pack_positions(records.positions), pack_moves(records.moves)
    else:
        positions, moves = write_columns(game, records.positions, records.moves)
    names, places = number_sources(records)
    columns = {
        "position": positions,
        "move": moves,
        "value": pa.array(records.values, pa.float32(), mask=np.isnan(records.values)),
        "result": pa.array(records.results, pa.int8(), mask=records.results == UNKNOWN),
        "game": pa.array(records.games, pa.int64()),
        "ply": pa.array(records.plies, pa.int32()),
        "source": pa.DictionaryArray.from_arrays(places, names),
    }
    if records.sides is not None:
        columns["side"] = pa.DictionaryArray.from_arrays(records.sides, list(SIDES))
    if records.weighed is not None:
        columns |= write_weighed(records.weighed)
    facts = {"format": FORMAT, "game": game.name, "size": game.size, "switches": dict(game.switches), "notes": notes}
    return pa.table(columns).replace_schema_metadata({_NOTES: json.dumps(facts)})


def number_sources(records: Records) -> tuple[list[str], NDArray[np.int32]]:
    """Return the names of all sources in order, and the place of each row's among them."""
    texts = pa.array(records.sources, pa.string())
    if isinstance(texts, pa.ChunkedArray):  # Arrow cuts long arrays of NumPy's strings
        texts = texts.combine_chunks()
    coded = texts.dictionary_encode()
    names: list[str] = coded.dictionary.to_pylist()
    order = np.argsort(np.argsort(names)) if names else np.zeros(0, np.int64)
    return sorted(names), order[coded.indices.to_numpy()].astype(np.int32)


def count_sources(path: Path) -> dict[str, int]:
    """Return how many rows of a Parquet file each source has; nothing is read but that."""
    with open_parquet(path) as file:
        if "source" not in file.schema_arrow.names:
            return {}
        counted = file.read(columns=["source"])["source"].cast(pa.string()).value_counts()
    return {str(one["values"]): int(one["counts"]) for one in counted.to_pylist()}


def _read_table(path: Path, on_error: str) -> tuple[Records, list[Complaint]]:
    with open_parquet(path) as file:
        return _read_records(path, file, on_error)


def _read_records(path: Path, file: pq.ParquetFile, on_error: str) -> tuple[Records, list[Complaint]]:
    notes = _notes(path, file.schema_arrow.metadata or {})
    game = _find_game(path, notes)
    parts: list[Records] = []
    complaints: list[Complaint] = []
    for table in _read_groups(path, file):
        first = sum(len(part) for part in parts) + len(complaints)
        records, faults = _records(path, game, _columns(path, table), first)
        parts.append(records)
        complaints += faults
    settle(complaints, on_error)
    return (parts[0] if len(parts) == 1 else joined(parts, renumber=False)), complaints


def _find_game(path: Path, facts: Mapping[str, Any]) -> CompiledGame:
    """Return the game that a file's metadata name."""
    try:
        with understood("its metadata"):
            return find_game(str(facts["game"]), tuple(facts["size"]), facts["switches"])
    except UnderstudyError as error:
        refuse(path, error)


def _read_groups(path: Path, file: pq.ParquetFile) -> Iterator[pa.Table]:
    """Yield a file by its groups of rows: of millions of rows only some are held twice at a time."""
    try:
        if file.num_row_groups == 0:
            yield file.read()
        for group in range(file.num_row_groups):
            yield file.read_row_group(group)
    except (pa.ArrowException, OSError) as error:
        refuse(path, error)


def _notes(path: Path, metadata: Mapping[bytes, bytes]) -> dict[str, Any]:
    """Return our part of the metadata, or raise because the file is not ours."""
    try:
        notes: dict[str, Any] = json.loads(metadata[_NOTES])
        complete = {"format", "game", "size", "switches", "notes"} <= set(notes) and isinstance(notes["notes"], dict)
    except (KeyError, ValueError, TypeError, RecursionError):
        complete = False
    if not complete:
        raise FileError(f"{path} is a Parquet file, but not of records: its metadata do not name a game")
    if notes["format"] != FORMAT:
        raise FileError(f"{path} has format {notes['format']} of records; this version reads format {FORMAT}")
    return notes


def _columns(path: Path, table: pa.Table) -> dict[str, pa.Array]:
    """Return the columns of a table by name, each in one piece and of its type."""
    columns = {}
    for name, kind in _wanted(table).items():
        if name not in table.column_names:
            raise FileError(f"{path} has no column {name!r}; records have {', '.join(COLUMNS)}")
        try:
            columns[name] = pa.concat_arrays(table[name].cast(kind).chunks or [pa.array([], kind)])
        except pa.ArrowException:
            raise FileError(f"{path}: column {name!r} holds {table[name].type}, not {kind}") from None
    return columns


def _wanted(table: pa.Table) -> dict[str, pa.DataType]:
    """Return the columns that records have: positions and moves as text, or both packed; sides where there are some."""
    wanted = dict(COLUMNS)
    if "position" in table.column_names and is_packed(table["position"].type):
        wanted |= {"position": table["position"].type, "move": MOVE}
    wanted |= {"side": pa.string()} if "side" in table.column_names else {}
    return wanted | (WEIGHED if WEIGHED.keys() & set(table.column_names) else {})


def _records(
    path: Path, game: CompiledGame, columns: Mapping[str, pa.Array], first: int
) -> tuple[Records, list[Complaint]]:
    """Return the rows that can be read, and what is wrong with the others; *first* rows came before these."""
    for name in ("game", "ply", "source", "side"):
        if name in columns and columns[name].null_count:
            raise FileError(f"{path}: column {name!r} has rows without a value")
    packed = is_packed(columns["position"].type)
    pair = columns["position"], columns["move"]
    text = read_packed(game, *pair, file=str(path)) if packed else read_columns(game, *pair)
    plies, results = _numbers(columns["ply"]), _numbers(columns["result"].fill_null(UNKNOWN))
    faults = _faults(game, text.positions.ply, plies, results) | text.faults
    complaints = [Complaint(str(path), first + row + 1, fault) for row, fault in sorted(faults.items())]
    records = Records(
        game=game,
        positions=text.positions._replace(ply=plies.astype(np.int64)),
        moves=text.moves,
        values=_numbers(columns["value"].fill_null(np.nan)),
        results=results,
        games=_numbers(columns["game"]),
        plies=plies,
        sources=_sources(columns["source"], shared=packed),
        sides=_sides(path, columns["side"]) if "side" in columns else None,
        weighed=_weighed(path, game, columns),
    )
    kept = np.ones(len(records), bool)
    kept[list(faults)] = False
    return (records.taken(kept) if faults else records), complaints


def _weighed(path: Path, game: CompiledGame, columns: Mapping[str, pa.Array]) -> Weighed | None:
    """Return what the teacher thought of many moves, if the table has that."""
    if not WEIGHED.keys() <= columns.keys():
        return None
    weighed = read_weighed(columns["weighed"], columns["worths"])
    codes = part_table(game).parts if weighed is not None else ()
    if weighed is None or ((weighed.moves != NO_MOVE) & ((weighed.moves < 0) | (weighed.moves >= len(codes)))).any():
        raise FileError(f"{path}: columns 'weighed' and 'worths' do not hold a worth for each of some moves")
    return weighed


def _numbers(column: pa.Array) -> NDArray[Any]:
    numbers: NDArray[Any] = column.to_numpy(zero_copy_only=False)
    return numbers.copy()


def _sources(column: pa.StringArray, *, shared: bool) -> NDArray[Any]:
    """Return where rows come from; *shared*: eight bytes a row instead of four a letter."""
    coded = column.dictionary_encode()
    names: NDArray[Any] = np.array(coded.dictionary.to_pylist(), object if shared else np.str_)
    return np.asarray(names[coded.indices.to_numpy()])


def _sides(path: Path, column: pa.StringArray) -> NDArray[np.int8]:
    coded = column.dictionary_encode()
    names: list[str] = coded.dictionary.to_pylist()
    if strange := [name for name in names if name not in SIDES]:
        raise FileError(f"{path}: column 'side' holds {strange[0]!r}; sides are {', '.join(SIDES)}")
    places = np.array([SIDES.index(name) for name in names], np.int8)
    return np.asarray(places[coded.indices.to_numpy()])


def _faults(
    game: CompiledGame, read: NDArray[np.int64], plies: NDArray[np.int32], results: NDArray[np.int8]
) -> dict[int, str]:
    """Return what is wrong with the numbers of each row; not every game's text tells whose turn it is."""
    other = (read - plies) % 2 == 1 if game.kind.tells_turn else np.zeros(len(plies), bool)
    strange = ~np.isin(results, (-1, 0, 1, UNKNOWN))
    return (
        {row: f"ply {plies[row]} does not fit the side to move" for row in np.flatnonzero(other).tolist()}
        | {row: f"ply {plies[row]} is negative" for row in np.flatnonzero(plies < 0).tolist()}
        | {row: f"result {results[row]} is not -1, 0 or 1" for row in np.flatnonzero(strange).tolist()}
    )


def _check_game(path: Path, game: CompiledGame, wanted: CompiledGame | None) -> None:
    if wanted is not None and (game.name, game.size, game.switches) != (wanted.name, wanted.size, wanted.switches):
        raise FileError(f"{path} holds records of {_title(game)}, not of {_title(wanted)}")


def _title(game: CompiledGame) -> str:
    switches = "".join(f" {name}={setting}" for name, setting in game.switches)
    return f"{game.name} {game.size[0]}x{game.size[1]}{switches}"
