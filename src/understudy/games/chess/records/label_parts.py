"""Parts of a table that is being labelled: files of finished rows, whole or not there, joined in the end."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from understudy.files import replacing
from understudy.games.chess.records.label_tasks import Said
from understudy.games.chess.records.positions import COLUMNS, LABELS, load_facts, writing
from understudy.records.files import refuse

PATTERN = "part_*.parquet"


class Aside(NamedTuple):
    """A position without a label, and why."""

    fen: str
    game: int
    ply: int
    reason: str

    def __str__(self) -> str:
        return f"{self.fen} (game {self.game}, ply {self.ply}): {self.reason}"


class Part(NamedTuple):
    """A file with the labels of some rows of the table."""

    path: Path
    first: int
    settled: int
    """Rows that it settles, those set aside too."""
    aside: tuple[Aside, ...]


def save_part(folder: Path, first: int, rows: pa.Table, said: Sequence[Said]) -> Part:
    """Write the rows from *first* on with what was said of them; rows without a label are only noted."""
    known = np.array([one.label is not None for one in said], np.bool_)
    labels = [one.label for one in said if one.label is not None]
    aside = tuple(
        Aside(row["fen"], row["game"], row["ply"], said[place].fault)
        for place, row in zip(np.flatnonzero(~known).tolist(), rows.filter(~known).to_pylist(), strict=True)
    )
    columns = {name: pa.array([label[place] for label in labels], pa.int32() if name == "score" else pa.string())
               for place, name in enumerate(LABELS)}  # fmt: skip
    table = pa.table({**{name: rows.filter(known)[name] for name in COLUMNS}, **columns})
    notes = {"first": str(first), "count": str(len(said)), "aside": json.dumps(aside)}
    path = folder / f"part_{first:010}.parquet"
    schema = pa.schema(COLUMNS | LABELS, metadata=notes)
    with replacing(path) as temporary:
        pq.write_table(table.cast(schema), temporary, compression="zstd")
    return Part(path, first, len(said), aside)


def finished_parts(folder: Path) -> list[Part]:
    """Return the parts that earlier runs have left, as far as there is no gap."""
    parts: list[Part] = []
    for path in sorted(folder.glob(PATTERN)):
        facts = load_facts(path)
        part = Part(path, int(facts["first"]), int(facts["count"]), _read_aside(facts["aside"]))
        if part.first != sum(one.settled for one in parts):
            break
        parts.append(part)
    return parts


def join_parts(parts: Sequence[Part], target: Path, *, facts: Mapping[str, str]) -> list[Aside]:
    """Write all parts as one table; return what was set aside, which its metadata tell too."""
    aside = [one for part in parts for one in part.aside]
    notes = {**facts, "aside": json.dumps(aside)} if aside else dict(facts)
    notes["rows"] = str(sum(part.settled for part in parts) - len(aside))
    with writing(target, labelled=True, facts=notes) as writer:
        for part in parts:
            try:
                rows = pq.read_table(part.path)
            except (pa.ArrowException, OSError) as error:
                refuse(part.path, error)
            writer.add_rows(rows)
    return aside


def _read_aside(text: str) -> tuple[Aside, ...]:
    return tuple(Aside(*one) for one in json.loads(text))
