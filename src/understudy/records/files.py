"""Files of records: Parquet that does not hold more than it should, and complaints about what stands in files."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from understudy.errors import BadOption, FileError
from understudy.files import replacing
from understudy.sums import BLANK, REMARK, check_sum
from understudy.unpacking import check_unpacked, refuse

ON_ERROR = ("refuse", "skip")
"""What may become of lines that cannot be read."""
LONGEST = 60
"""So much of a line that cannot be read is shown."""


class Complaint(NamedTuple):
    """What is wrong with one line of a file, or one row of a table; both are counted from 1."""

    file: str
    line: int
    reason: str

    def __str__(self) -> str:
        return f"{self.file}, line {self.line}: {self.reason}"


def check_on_error(on_error: str) -> None:
    """Raise unless *on_error* says what to do with lines that cannot be read."""
    if on_error not in ON_ERROR:
        raise BadOption(f"on_error must be one of {', '.join(ON_ERROR)}, not {on_error!r}")


def settle(complaints: Sequence[Complaint], on_error: str) -> None:
    """Raise if there are complaints and they are not to be skipped."""
    if complaints and on_error == "refuse":
        more = f" ({len(complaints) - 1} more like it)" if len(complaints) > 1 else ""
        raise FileError(f"{complaints[0]}{more}")


def read_bytes(path: Path) -> bytes:
    """Return what stands in a file."""
    try:
        return path.read_bytes()
    except OSError as error:
        refuse(path, error)


def shown(text: bytes | str) -> str:
    """Return text for a message: readable and not too long."""
    line = text.decode("ascii", "backslashreplace") if isinstance(text, bytes) else text
    return repr(line if len(line) <= LONGEST else line[:LONGEST] + "...")


VALUE = 8
"""Bytes of a value of a table in memory."""
SUSPECT = 1 << 23
"""Bytes of a Parquet file up to which its texts are measured before they are read: one text, repeated by a number, can
be as long as the file. Longer files would take long, and whoever sends millions of bytes needs no trick."""


@contextmanager
def writing_parquet(path: Path, schema: pa.Schema) -> Iterator[pq.ParquetWriter]:
    """Give a writer of a table that takes its place when it is whole; its sum is among the metadata."""
    with replacing(path, sealed=True) as temporary, pq.ParquetWriter(temporary, schema, compression="zstd") as file:
        yield file
        file.add_key_value_metadata({REMARK: BLANK})


def save_parquet(path: Path, table: pa.Table) -> None:
    """Write a table whole or not at all, with its sum."""
    with writing_parquet(path, table.schema) as file:
        file.write_table(table)


def read_parquet(path: Path) -> pa.Table:
    """Return the table of a file."""
    try:
        with open_parquet(path) as file:
            return file.read()
    except FileError:
        raise
    except (pa.ArrowException, OSError) as error:
        refuse(path, error)


def open_parquet(path: Path) -> pq.ParquetFile:
    """Open a Parquet file that is as it was written, and does not hold more than one of its size should."""
    check_sum(path, "table")
    try:
        file = pq.ParquetFile(path, memory_map=False)
        check_names(path, file.schema_arrow.names)
        check_unpacked(path, _least_memory(file))
        if path.stat().st_size <= SUSPECT:
            check_unpacked(path, _measure_texts(path, file))
    except FileError:
        raise
    except (pa.ArrowException, OSError) as error:
        refuse(path, error)
    return file


def check_names(path: Path, names: Sequence[str]) -> None:
    """Raise if two columns of a table have one name: nobody knows which of them is meant."""
    if twice := next((name for place, name in enumerate(names) if name in names[:place]), None):
        raise FileError(f"{path} has two columns {twice!r}")


def _least_memory(file: pq.ParquetFile) -> int:
    """Return how much a file says to hold: a number tells how often a value is repeated, so rows count as well."""
    about = file.metadata
    pages = sum(about.row_group(number).total_byte_size for number in range(about.num_row_groups))
    return max(int(pages), int(about.num_rows * about.num_columns * VALUE))


def _measure_texts(path: Path, file: pq.ParquetFile) -> int:
    """Return how long all texts of a file are together, each as often as it is repeated, without repeating them."""
    texts, total = [field.name for field in file.schema_arrow if _is_text(field.type)], 0
    with pq.ParquetFile(path, read_dictionary=texts) as coded:
        for name in texts:
            for group in range(coded.num_row_groups):
                for chunk in coded.read_row_group(group, columns=[name])[name].chunks:
                    lengths = pc.take(pc.binary_length(chunk.dictionary), chunk.indices)
                    total += pc.sum(lengths).as_py() or 0
    return total


def _is_text(kind: Any) -> bool:
    inner = kind.value_type if pa.types.is_dictionary(kind) else kind
    return inner in (pa.string(), pa.binary(), pa.large_string(), pa.large_binary())
