"""Labels: what an engine says of positions, asked by many workers and written as it comes.

The positions are first put into one table in a folder beside the target (`OUT.parts`), then cut into tasks in their
order. Finished tasks become parts in that folder; who is stopped and started again goes on after the last part. In
the end the parts are joined into the target. A label depends on its position alone, so any number of workers gives
the same table.
"""

from __future__ import annotations

import hashlib
import json
import shutil
import time
from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from understudy.errors import FileError, understood
from understudy.files import load_json, make_folder, save_json
from understudy.games.chess.records.opinions import (
    Judge,
    LabelResult,
    LabelTask,
    check_results,
    close_analysts,
    label_task,
    make_analyst,
)
from understudy.games.chess.records.positions import COLUMNS, LABELS, is_parquet, load_facts, writing
from understudy.locks import locked
from understudy.protocols import Backend
from understudy.records.files import read_parquet, save_parquet
from understudy.sums import check_sum
from understudy.unpacking import refuse

CHUNK = 32
"""Positions of a task: a fraction of a second at depth 8, little beside PART_SECONDS."""
PART_SECONDS = 5.0
"""A part is written after so long: this much work at most is lost by a kill, and none by Ctrl-C."""
PATTERN = "part_*.parquet"
READ = 1 << 14
"""Rows that are read at once: a megabyte or two of text."""


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


@dataclass(frozen=True, kw_only=True)
class Labelled:
    """What became of positions that were to be labelled."""

    rows: int
    """Rows of the table."""
    before: int
    """Positions that an earlier run had settled."""
    aside: tuple[Aside, ...]
    """Positions for which the engine failed twice."""
    seconds: float


def label_positions(
    prepare: Callable[[Path], None],
    target: Path,
    judge: Judge,
    *,
    identify: Callable[[], dict[str, Any]],
    backend: Backend,
    progress: Callable[[int, int], None] = lambda done, total: None,
) -> Labelled:
    """Label the positions of the table that *prepare* writes, or what is left of them, and write *target*.

    What *identify* returns tells these positions from others; *progress* hears how many more were settled, and of how
    many.
    """
    make_folder(target.parent)
    with locked(target):
        return _label_all(prepare, target, judge, _plan(judge, identify()), backend=backend, progress=progress)


def _label_all(
    prepare: Callable[[Path], None],
    target: Path,
    judge: Judge,
    plan: dict[str, Any],
    *,
    backend: Backend,
    progress: Callable[[int, int], None],
) -> Labelled:
    """Label what is left of the positions, and join the parts; the lock of the target is held."""
    folder = target.with_name(f"{target.name}.parts")
    _check_target(target, folder, plan)
    table = _prepared(folder, plan, prepare)
    parts = finished_parts(folder)
    total, before = pq.read_metadata(table).num_rows, sum(part.settled for part in parts)
    progress(before, total)
    began = time.monotonic()
    try:
        hear = partial(_tell, progress, total)
        parts += _label(table, judge, first=before, folder=folder, backend=backend, hear=hear)
    finally:
        close_analysts()
    facts = load_facts(table) | {name: plan[name] for name in ("engine", "limit")} | {"plan": fingerprint(plan)}
    aside = join_parts(parts, target, facts=facts, settled=total)
    shutil.rmtree(folder, ignore_errors=True)
    return Labelled(rows=total - len(aside), before=before, aside=tuple(aside), seconds=time.monotonic() - began)


def _tell(progress: Callable[[int, int], None], total: int, done: int) -> None:
    progress(done, total)


def file_identity(path: Path) -> dict[str, str]:
    """Return what tells a file from others: its name and a hash of its content."""
    digest = hashlib.sha256()
    try:
        with open(path, "rb") as file:
            while piece := file.read(1 << 20):
                digest.update(piece)
    except OSError as error:
        raise FileError(f"{path} cannot be read: {error.strerror or error}") from None
    return {"file": Path(path).name, "hash": digest.hexdigest()[:32]}


def fingerprint(plan: dict[str, Any]) -> str:
    """Return a name for what is labelled and how: other plans have others."""
    return hashlib.sha256(json.dumps(plan, sort_keys=True).encode()).hexdigest()[:16]


def _plan(judge: Judge, identity: dict[str, Any]) -> dict[str, Any]:
    """Return what is labelled and how; the engine is asked for its name, so a missing one is heard of at once."""
    analyst = make_analyst(judge)
    try:
        return {"positions": json.loads(json.dumps(identity)), "engine": analyst.name, "limit": analyst.limit}
    finally:
        analyst.close()


def _check_target(target: Path, folder: Path, plan: dict[str, Any]) -> None:
    """Raise if the target is there, or was begun in another way."""
    if target.exists():
        same = is_parquet(target) and load_facts(target).get("plan") == fingerprint(plan)
        state = "holds these labels already" if same else "is there already, with something else in it"
        raise FileError(f"{target} {state}; choose another name, or delete it first")
    if (folder / "plan.json").exists() and (begun := load_json(folder / "plan.json")) != plan:
        raise FileError(f"{folder} was begun with {_difference(begun, plan)}; choose another name, or delete it first")


def _difference(begun: Any, plan: dict[str, Any]) -> str:
    """Return in words how a plan that was begun differs from this one."""
    old = begun if isinstance(begun, dict) else {}
    for name in ("engine", "limit"):
        if old.get(name) != plan[name]:
            return f"another {name} ({old.get(name)!r}, not {plan[name]!r})"
    return "other positions (another file, or other options of sampling)"


def _prepared(folder: Path, plan: dict[str, Any], prepare: Callable[[Path], None]) -> Path:
    """Return the table of positions that are to be labelled; it is made once."""
    table, begun = folder / "positions.parquet", folder / "plan.json"
    if not begun.exists():  # nobody knows of what plan the parts are, if there are any
        shutil.rmtree(folder, ignore_errors=True)
    make_folder(folder)
    if not (begun.exists() and table.exists()):
        try:
            prepare(table)
        except BaseException:
            if not begun.exists():
                shutil.rmtree(folder, ignore_errors=True)
            raise
        save_json(begun, plan, sealed=True)
    check_sum(table, "table of positions")
    return table


def _label(
    table: Path, judge: Judge, *, first: int, folder: Path, backend: Backend, hear: Callable[[int], None]
) -> Iterator[Part]:
    """Label the rows of a table from *first* on; yield the parts that are written, the last one also after Ctrl-C."""
    chunks = deque[pa.Table]()
    scribe = _Scribe(folder, first)

    def tasks() -> Iterator[LabelTask]:
        for chunk in _chunks(table, first):
            chunks.append(chunk)
            yield LabelTask(judge=judge, fens=tuple(chunk["fen"].to_pylist()))

    try:
        for results in backend.map(label_task, tasks(), check=check_results):
            scribe.add(chunks.popleft(), results)
            hear(len(results))
            if time.monotonic() - scribe.since > PART_SECONDS:
                yield scribe.written()
    except BaseException:
        if scribe.rows:
            scribe.written()
        raise
    if scribe.rows:
        yield scribe.written()


class _Scribe:
    """Who gathers labelled rows and writes them as parts."""

    def __init__(self, folder: Path, first: int) -> None:
        self.folder, self.first, self.since = folder, first, time.monotonic()
        self.rows: list[pa.Table] = []
        self.results: list[LabelResult] = []

    def add(self, rows: pa.Table, results: list[LabelResult]) -> None:
        self.rows.append(rows)
        self.results += results

    def written(self) -> Part:
        """Write what was gathered."""
        part = save_part(self.folder, self.first, pa.concat_tables(self.rows), self.results)
        self.first, self.since = self.first + part.settled, time.monotonic()
        self.rows, self.results = [], []
        return part


def _chunks(table: Path, first: int) -> Iterator[pa.Table]:
    """Yield the rows of a table from *first* on, some dozens at a time."""
    with pq.ParquetFile(table) as file:
        seen = 0
        for batch in file.iter_batches(READ):
            rows = pa.Table.from_batches([batch])
            begin = max(first - seen, 0)
            seen += len(rows)
            for place in range(begin, len(rows), CHUNK):
                yield rows.slice(place, CHUNK)


def save_part(folder: Path, first: int, rows: pa.Table, results: Sequence[LabelResult]) -> Part:
    """Write the rows from *first* on with what was said of them; rows without a label are only noted."""
    labelled = np.array([one.label is not None for one in results], np.bool_)
    labels = [one.label for one in results if one.label is not None]
    aside = tuple(
        Aside(row["fen"], row["game"], row["ply"], results[place].fault)
        for place, row in zip(np.flatnonzero(~labelled).tolist(), rows.filter(~labelled).to_pylist(), strict=True)
    )
    columns = {name: pa.array([label[place] for label in labels], pa.int32() if name == "score" else pa.string())
               for place, name in enumerate(LABELS)}  # fmt: skip
    table = pa.table({**{name: rows.filter(labelled)[name] for name in COLUMNS}, **columns})
    notes = {"first": str(first), "count": str(len(results)), "aside": json.dumps(aside)}
    path = folder / f"part_{first:010}.parquet"
    schema = pa.schema(COLUMNS | LABELS, metadata=notes)
    save_parquet(path, table.cast(schema))
    return Part(path, first, len(results), aside)


def finished_parts(folder: Path) -> list[Part]:
    """Return the parts that earlier runs have left, as far as there is no gap."""
    parts: list[Part] = []
    for path in sorted(folder.glob(PATTERN)):
        check_sum(path, "part")
        facts = load_facts(path)
        with understood(f"the metadata of {str(path)!r}, which should be a part of these labels,"):
            part = Part(path, int(facts["first"]), int(facts["count"]), _read_aside(facts["aside"]))
        if part.first != sum(one.settled for one in parts):
            break
        parts.append(part)
    return parts


def join_parts(parts: Sequence[Part], target: Path, *, facts: Mapping[str, str], settled: int) -> list[Aside]:
    """Write all parts as one table; return what was set aside, which its metadata tell too.

    Together they must have *settled* so many positions, and each must hold the rows that it says.
    """
    aside = [one for part in parts for one in part.aside]
    notes = {**facts, "aside": json.dumps(aside)} if aside else dict(facts)
    notes["rows"] = str(sum(part.settled for part in parts) - len(aside))
    with writing(target, labelled=True, facts=notes) as writer:
        for part in parts:
            rows = read_parquet(part.path)
            _check_count(part.path, len(rows) + len(part.aside), part.settled)
            try:
                limit = pa.array(np.full(len(rows), facts.get("limit", "")), pa.string())
                writer.add_rows(rows.append_column("limit", limit))
            except (pa.ArrowException, KeyError) as error:
                refuse(part.path, error)
        _check_count(target, writer.rows + len(aside), settled)
    return aside


def _check_count(path: Path, count: int, wanted: int) -> None:
    if count != wanted:
        raise FileError(f"{str(path)!r} has {count} positions, not {wanted}; delete it to label these again")


def _read_aside(text: str) -> tuple[Aside, ...]:
    return tuple(Aside(*one) for one in json.loads(text))
