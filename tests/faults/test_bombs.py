"""Small files that hold gigabytes: each is refused in one sentence, and nobody's memory is filled."""

from __future__ import annotations

import bz2
import gzip
import io
import json
import re
import tracemalloc
import zipfile
import zlib
from base64 import b85encode
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner

from understudy.cli import commands
from understudy.errors import FileError
from understudy.games import find_game
from understudy.players import make_player
from understudy.unpacking import content, inner_name, pieces

pa = pytest.importorskip("pyarrow")
import pyarrow.parquet as pq  # noqa: E402

from understudy.games.chess.judges.quality import load_games  # noqa: E402
from understudy.games.chess.records.pgn import PgnReader  # noqa: E402
from understudy.games.chess.records.positions import load_positions  # noqa: E402
from understudy.records.examples import read_marks, sketch_of  # noqa: E402
from understudy.records.store import load  # noqa: E402
from understudy.records.tables import load_table  # noqa: E402
from understudy.tensors import load_arrays  # noqa: E402

FREE = 1 << 20
"""Here any packed file may hold so much: the bombs of tests are small, so that nobody waits for them."""
LINE = b"rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1\n"
BLOCK = LINE * (1 << 12)
BLOCKS = 4 * FREE // len(BLOCK)


@pytest.fixture(autouse=True)
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("understudy.unpacking.FREE", FREE)
    monkeypatch.setattr("understudy.unpacking.RATIO", 20)


@contextmanager
def bounded(most: int) -> Iterator[None]:
    """Fail where Python took more than *most* bytes."""
    tracemalloc.start()
    try:
        yield
        taken = tracemalloc.get_traced_memory()[1]
        assert taken < most, f"{taken >> 10} kB"
    finally:
        tracemalloc.stop()


def write_zip(path: Path, packer: int = zipfile.ZIP_DEFLATED) -> None:
    with zipfile.ZipFile(path, "w", packer) as archive, archive.open("book.epd", "w") as file:
        for _ in range(BLOCKS):
            file.write(BLOCK)


def write_zstd(path: Path) -> None:
    with pa.CompressedOutputStream(pa.OSFile(str(path), "wb"), "zstd") as file:
        for _ in range(BLOCKS):
            file.write(BLOCK)


def write_with(opening: Callable[..., Any]) -> Callable[[Path], None]:
    def write(path: Path) -> None:
        with opening(path, "wb") as file:
            for _ in range(BLOCKS):
                file.write(BLOCK)

    return write


PACKED = {"bz2": write_with(bz2.open), "gz": write_with(gzip.open), "zst": write_zstd, "zip": write_zip}


@pytest.mark.parametrize("kind", PACKED)
def test_what_unpacks_to_too_much_is_refused_wherever_it_is_read(tmp_path: Path, kind: str) -> None:
    path = tmp_path / f"bomb.epd.{kind}"
    PACKED[kind](path)
    assert path.stat().st_size < FREE // 10
    for read in (content, load_positions, lambda path: load_games(path, most=1), lambda path: list(PgnReader(path))):
        with pytest.raises(FileError, match=r"bomb.*more than \d+ MB when it is unpacked.*in parts") as caught:
            read(path)
        assert "\n" not in str(caught.value)


@pytest.mark.parametrize("packer", [zipfile.ZIP_DEFLATED, zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA])
def test_a_command_says_it_in_one_sentence(tmp_path: Path, packer: int) -> None:
    path = tmp_path / "bomb.zip"
    write_zip(path, packer)
    words = ["match", "chess", "random", "random", "--openings", str(path), "--games", "2"]
    done = CliRunner().invoke(commands, words)
    assert isinstance(done.exception, FileError) and "unpack" in str(done.exception)


def test_packed_files_of_an_honest_size_are_read(tmp_path: Path) -> None:
    text = LINE * 1000
    for name, data in (("a.epd.gz", gzip.compress(text)), ("a.epd.bz2", bz2.compress(text)), ("a.epd", text)):
        (tmp_path / name).write_bytes(data)
        assert content(tmp_path / name) == text and inner_name(tmp_path / name) == "a.epd"
    with zipfile.ZipFile(tmp_path / "b.zip", "w") as archive:
        archive.writestr("inside.epd", text)
    assert b"".join(pieces(tmp_path / "b.zip", 1000)) == text and inner_name(tmp_path / "b.zip") == "inside.epd"


def test_zips_that_cannot_be_read_are_one_sentence(tmp_path: Path) -> None:
    path, buffer = tmp_path / "x.zip", io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("a", BLOCK)
    whole = buffer.getvalue()
    spoiled = bytearray(whole)
    spoiled[60] ^= 0xFF
    locked = bytearray(whole)
    locked[6] |= 1
    locked[whole.index(b"PK\x01\x02") + 8] |= 1
    for data in (whole[:-30], bytes(spoiled), bytes(locked), b"PK\x03\x04" + bytes(50), b"PK\x05\x06" + bytes(18)):
        path.write_bytes(data)
        with pytest.raises(FileError, match=r"x\.zip") as caught:
            content(path)
        assert "\n" not in str(caught.value)


@pytest.mark.parametrize("start", [b"\x28\xb5\x2f\xfd", b"\x1f\x8b", b"BZh"], ids=["zstd", "gzip", "bzip2"])
@pytest.mark.parametrize("name", ["x.parquet", "x.csv", "x.txt", "x.pgn"])
def test_what_only_begins_as_packed_files_do_is_one_sentence(tmp_path: Path, name: str, start: bytes) -> None:
    path = tmp_path / name
    path.write_bytes(start + b"fen,cp\n" * 9)
    with pytest.raises(FileError, match=re.escape(name)) as caught:
        load_positions(path)
    assert "\n" not in str(caught.value)


ROWS = 2_000_000


def repeat(value: Any, kind: Any, rows: int = ROWS) -> Any:
    """Return a column in which one value stands many times: in a file it takes some bytes."""
    return pa.DictionaryArray.from_arrays(pa.array(np.zeros(rows, np.int8)), pa.array([value], kind))


@pytest.mark.parametrize("read", [load_positions, load_table, load])
def test_rows_that_are_only_counted_are_refused_before_they_are_read(tmp_path: Path, read: Any) -> None:
    path = tmp_path / "bomb.parquet"
    text = repeat(LINE.decode().strip(), pa.string())
    pq.write_table(pa.table({"fen": text, "position": text, "move": text}), path)
    assert path.stat().st_size < 1 << 16
    before = pa.total_allocated_bytes()
    with pytest.raises(FileError, match=r"bomb\.parquet.*more than \d+ MB"):
        read(path)
    assert pa.total_allocated_bytes() - before < 1 << 20


def test_one_long_text_that_is_repeated_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "bomb.parquet"
    pq.write_table(pa.table({"fen": repeat("x" * (1 << 18), pa.string(), 1_000)}), path, compression="zstd")
    assert path.stat().st_size < 1 << 16
    with pytest.raises(FileError, match=r"bomb\.parquet.*more than \d+ MB"):
        load_positions(path)


def test_pages_that_unpack_to_too_much_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "bomb.parquet"
    columns = {"fen": pa.array(["x" * (1 << 16)] * 100), "game": pa.array(range(100), pa.int32())}
    pq.write_table(pa.table(columns), path, compression="zstd", use_dictionary=False)
    assert path.stat().st_size < 1 << 18
    with pytest.raises(FileError, match=r"bomb\.parquet.*more than \d+ MB"):
        load_positions(path)


def test_weights_that_unpack_to_too_much_are_refused(tmp_path: Path) -> None:
    np.savez_compressed(tmp_path / "bomb.npz", arr_0=np.zeros(16 * FREE // 8))
    (tmp_path / "bomb.npz").rename(tmp_path / "TFR_TO.npz")
    with bounded(8 * FREE), pytest.raises(FileError, match=r"TFR.*more than \d+ MB"):
        make_player(f"nnmm:{tmp_path / 'TFR'}", find_game("morris"))


def test_marks_that_unpack_to_too_much_are_none(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("understudy.records.examples.MOST_MARKS", FREE)
    sketch = sketch_of(np.arange(100, dtype=np.uint64))
    assert read_marks(sketch) is not None
    bomb = b85encode(zlib.compress(bytes(16 * FREE), 9)).decode()
    with bounded(8 * FREE):
        assert read_marks({**sketch, "marks": bomb}) is None
    assert read_marks({**sketch, "marks": sketch["marks"][:-5]}) is None


@pytest.mark.parametrize(
    "header",
    [
        {"a": {"dtype": "F32", "shape": [1 << 40], "data_offsets": [0, 1 << 42]}},
        {"a": {"dtype": "F32", "shape": [1 << 62, 1 << 62], "data_offsets": [0, 4]}},
        {f"t{number}": {"dtype": "F32", "shape": [4], "data_offsets": [0, 16]} for number in range(1000)},
    ],
)
def test_weights_that_declare_more_than_there_is_are_one_sentence(tmp_path: Path, header: dict[str, Any]) -> None:
    text = json.dumps(header).encode()
    for length in (len(text), 1 << 60):
        (tmp_path / "bomb.safetensors").write_bytes(length.to_bytes(8, "little") + text + bytes(16))
        with pytest.raises(FileError, match=r"bomb\.safetensors"):
            load_arrays(tmp_path / "bomb.safetensors")


def graph_of(*nodes: tuple[str, list[str], list[str], dict[str, Any]], **weights: Any) -> bytes:
    """Return a student's file with this graph, from `inputs` to `values`."""
    onnx = pytest.importorskip("onnx")
    helper = onnx.helper
    made = [helper.make_node(kind, inputs, outputs, **options) for kind, inputs, outputs, options in nodes]
    known = [onnx.numpy_helper.from_array(np.asarray(array), name) for name, array in weights.items()]
    given = helper.make_tensor_value_info("inputs", onnx.TensorProto.FLOAT, ["boards", 96])
    said = helper.make_tensor_value_info("values", onnx.TensorProto.FLOAT, ["boards", 1])
    graph = helper.make_graph(made, "student", [given], [said], known)
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 18)], ir_version=9)
    facts = {"game": "konane", "size": "4x4", "kind": "single", "sizes": [96, 1], "representation": "T"}
    model.metadata_props.add(key="understudy", value=json.dumps(facts))
    return bytes(model.SerializeToString())


MANY = np.int64(1 << 30)
COLUMN, ROW = np.ones((1 << 16, 1), np.float32), np.ones((1, 1 << 16), np.float32)
GRAPHS: dict[str, Callable[[], bytes]] = {
    "a constant": lambda: graph_of(
        ("ConstantOfShape", ["n"], ["a"], {}), ("ReduceSum", ["a"], ["values"], {}), n=[MANY]
    ),
    "an expansion": lambda: graph_of(
        ("Expand", ["x", "n"], ["a"], {}), ("ReduceSum", ["a"], ["values"], {}), n=[MANY], x=np.float32([1])
    ),
    "a border": lambda: graph_of(
        ("Pad", ["inputs", "n"], ["a"], {}), ("ReduceSum", ["a"], ["values"], {}), n=[0, 0, 0, MANY]
    ),
    "a product": lambda: graph_of(
        ("MatMul", ["x", "y"], ["a"], {}), ("ReduceSum", ["a"], ["values"], {}), x=COLUMN, y=ROW
    ),
    "a sum": lambda: graph_of(("Add", ["x", "y"], ["a"], {}), ("ReduceSum", ["a"], ["values"], {}), x=COLUMN, y=ROW),
    "places": lambda: graph_of(
        ("Gather", ["x", "i"], ["a"], {}), ("ReduceSum", ["a"], ["values"], {}), x=ROW, i=np.zeros(1 << 14, np.int64)
    ),
    "doubling": lambda: graph_of(
        *(("Concat", [f"a{place}"] * 2, [f"a{place + 1}"], {"axis": 0}) for place in range(30)),
        ("ReduceSum", ["a30"], ["values"], {}), a0=np.float32([1]),
    ),
    "windows": lambda: graph_of(
        ("Conv", ["x", "w"], ["a"], {"pads": [1 << 14] * 4}), ("ReduceSum", ["a"], ["values"], {}),
        x=np.ones((1, 1, 1, 1), np.float32), w=np.ones((1, 1, 1, 1), np.float32),
    ),
    "positions squared": lambda: graph_of(
        ("Transpose", ["inputs"], ["a"], {}), ("MatMul", ["inputs", "a"], ["b"], {}), ("Expand", ["b", "n"], ["c"], {}),
        ("ReduceSum", ["c"], ["values"], {}), n=np.array([64, 1, 1]),
    ),
    "what is given": lambda: graph_of(
        ("Cast", ["inputs"], ["a"], {"to": 7}), ("ConstantOfShape", ["a"], ["values"], {})
    ),
    "a range": lambda: graph_of(
        ("Range", ["x", "n", "i"], ["a"], {}), ("ReduceSum", ["a"], ["values"], {}),
        x=np.int64(0), n=MANY, i=np.int64(1),
    ),
    "chance": lambda: graph_of(
        ("RandomNormal", [], ["a"], {"shape": [1 << 30]}), ("ReduceSum", ["a"], ["values"], {})
    ),
}  # fmt: skip
"""Graphs that fill the memory; the first, of some 200 bytes, took 2.1 GB in one run."""


@pytest.mark.parametrize("kind", GRAPHS)
def test_graphs_that_fill_the_memory_are_refused_before_anything_of_them_runs(kind: str, tmp_path: Path) -> None:
    path = tmp_path / "student.onnx"
    path.write_bytes(GRAPHS[kind]())
    with bounded(8 * FREE), pytest.raises(FileError, match=r"cannot read the student .*student\.onnx'") as caught:
        make_player(f"student:{path}", find_game("konane", (4, 4)))
    assert "\n" not in str(caught.value) and "not sound" not in str(caught.value)


def test_weights_that_lie_elsewhere_are_refused(tmp_path: Path) -> None:
    onnx = pytest.importorskip("onnx")
    model = onnx.load_from_string(graph_of(("MatMul", ["inputs", "x"], ["values"], {}), x=np.ones((96, 1), np.float32)))
    onnx.external_data_helper.set_external_data(model.graph.initializer[0], "../../etc/passwd")
    (tmp_path / "student.onnx").write_bytes(model.SerializeToString())
    with pytest.raises(FileError, match=r"its weights are in another file"):
        make_player(f"student:{tmp_path / 'student.onnx'}", find_game("konane", (4, 4)))


@pytest.mark.parametrize("place", [1, 2, 4, 7])
def test_numbers_where_a_graph_has_names(place: int, tmp_path: Path) -> None:
    """A number of gigabytes where the name of an operator, its domain or its values should be is no room to be made."""
    huge = bytes([place << 3]) + b"\x80\x80\x80\x80\x10"  # 2^32
    node = (b"" if place == 4 else b"\x22\x04Tanh") + (b"" if place == 2 else b"\x12\x01y") + huge
    graph = bytes([1 << 3 | 2, len(node)]) + node
    path = tmp_path / "student.onnx"
    path.write_bytes(bytes([7 << 3 | 2, len(graph)]) + graph)
    with bounded(8 * FREE), pytest.raises(FileError, match="its graph is not sound"):
        make_player(f"student:{path}", find_game("konane", (4, 4)))
