"""NNMM text: the papers' files come back byte for byte, and every bad line is named."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.conftest import random_line
from understudy.errors import FileError, NotationError
from understudy.games import batches, find_game
from understudy.games.batches import NO_MOVE
from understudy.games.morris.text import load_nnmm, save_nnmm
from understudy.records import load_any, lone_pairs

MORRIS = find_game("morris")
PAIR = "EMOOMMOOEEOOMOOOOEEOMEOO1156-d5b2"
SLIDE = "OMOMOOOMMOMOEOOEEMMOOMEO0084-b6d6d3"
STATE = "OOOOOMOEOMMOOEOEOOOOOOOO6633"


def written(path: Path, *lines: str, end: str = "\r\n") -> Path:
    path.write_bytes("".join(line + end for line in lines).encode("latin-1"))
    return path


@pytest.mark.parametrize("name", ["DATASET.complete.txt", "DATASET.gaming.txt", "STATES.complete.txt"])
def test_the_papers_files_byte_for_byte(shared: Path, tmp_path: Path, name: str) -> None:
    path = shared / "data" / "nnmm" / name
    records, complaints = load_nnmm(path)
    assert complaints == []
    assert len(records) == {"D": 100_154, "S": 121_731}[name[0]] - (457 if "gaming" in name else 0)
    save_nnmm(records, tmp_path / name)
    assert (tmp_path / name).read_bytes() == path.read_bytes()
    for row in range(0, len(records), 5003):
        line = path.read_bytes().split(b"\r\n")[row].decode()
        position = batches.unstacked(batches.taken(records.positions, [row]))[0]
        assert MORRIS.write(position) == line[:28]
        if name[0] == "D":
            assert MORRIS.write_move(position, int(records.moves[row])) == line[29:]
        else:
            assert records.moves[row] == NO_MOVE


def test_pairs_and_positions_may_stand_in_one_file(tmp_path: Path) -> None:
    path = written(tmp_path / "mixed.txt", PAIR, STATE, SLIDE)
    records, _ = load_any(path)
    assert records.moves.tolist()[1] == NO_MOVE
    texts = [
        MORRIS.write_move(position, move)
        for position, move in zip(batches.unstacked(records.positions), records.moves.tolist(), strict=True)
        if move != NO_MOVE
    ]
    assert texts == ["d5b2", "b6d6d3"]
    assert set(records.sources) == {"mixed.txt"}
    save_nnmm(records, tmp_path / "again.txt")
    assert (tmp_path / "again.txt").read_bytes() == path.read_bytes()


@pytest.mark.parametrize("text", [f"{PAIR}\n{STATE}\n", f"{PAIR}\r\n{STATE}", f"{PAIR}\n{STATE}\r\n\r\n\n"])
def test_ends_of_lines_may_differ(tmp_path: Path, text: str) -> None:
    (tmp_path / "a.data").write_bytes(text.encode())
    records, complaints = load_any(tmp_path / "a.data")
    assert (len(records), complaints) == (2, [])


MALFORMED = [
    ("", "expected 24 letters"),
    ("hello", "expected 24 letters"),
    (STATE[:27], "expected 24 letters"),
    (STATE.replace("E", "X"), "expected 24 letters"),
    (STATE.replace("M", "O", 1), "the letters have 2"),
    (STATE[:24] + "7733", "more than 9 stones"),
    (STATE[:24] + "6533-a1", None),
    (STATE[:24] + "5633", "cannot occur"),
    (STATE[:24] + "6433", "cannot occur"),
    (STATE + "-", "expected cells"),
    (STATE + "-a1a4a7", "is placing"),
    (STATE + "-a2", "expected cells"),
    (STATE + "-z9", "expected cells"),
    (STATE + "-a", "expected cells"),
    (STATE + "a7", "no line of NNMM text|expected 24 letters"),
    (STATE + "-a1" * 40, "no line of NNMM text"),
    (SLIDE[:28] + "-b6", "is moving"),
    (SLIDE[:28] + "-b6d6d3a1", "expected cells|no line of NNMM text"),
    ("\xff\0" * 14, "expected 24 letters|no line of NNMM text"),
]


@pytest.mark.parametrize(("line", "reason"), MALFORMED)
def test_malformed_lines_are_named(tmp_path: Path, line: str, reason: str | None) -> None:
    path = written(tmp_path / "bad.txt", PAIR, line, STATE)
    if reason is None:
        assert len(load_nnmm(path)[0]) == 3
        return
    with pytest.raises(FileError, match=rf"bad.txt, line 2: .*({reason})"):
        load_any(path)
    records, complaints = load_any(path, on_error="skip")
    assert len(records) == 2
    assert [(complaint.file, complaint.line) for complaint in complaints] == [(str(path), 2)]


def test_refusing_tells_how_many_more(tmp_path: Path) -> None:
    path = written(tmp_path / "bad.txt", PAIR, "x", "y", "z")
    with pytest.raises(FileError, match=r"line 2: .* \(2 more like it\)"):
        load_nnmm(path)


def test_whether_a_move_is_legal_is_not_asked(tmp_path: Path) -> None:
    occupied = STATE + "-f6"
    assert occupied[5] == "M"
    records, complaints = load_nnmm(written(tmp_path / "a.txt", occupied, "MEEEOOOOOOOOOOOOOOOOOOOO1113-d6"))
    assert (len(records), complaints) == (2, [])


def test_files_without_a_single_good_line(tmp_path: Path) -> None:
    with pytest.raises(FileError, match="no line that can be read"):
        load_any(written(tmp_path / "a.txt", "hello", "world"), on_error="skip")
    (tmp_path / "empty.txt").write_bytes(b"")
    with pytest.raises(FileError, match="has no line"):
        load_any(tmp_path / "empty.txt")
    (tmp_path / "picture.png").write_bytes(b"\x89PNG\0\0\n\n")
    with pytest.raises(FileError, match="neither Parquet nor NNMM"):
        load_any(tmp_path / "picture.png")


def test_nnmm_text_is_for_morris(tmp_path: Path) -> None:
    konane = find_game("konane")
    with pytest.raises(FileError, match="records of morris 7x7, not of konane"):
        load_any(written(tmp_path / "a.txt", PAIR), konane)
    pairs = lone_pairs(konane, batches.stacked([konane.start()]), np.array([0], np.int32), source="")
    with pytest.raises(FileError, match="NNMM text is for morris"):
        save_nnmm(pairs, tmp_path / "b.txt")


def test_random_games_in_both_directions(tmp_path: Path) -> None:
    line = [pair for seed in range(20) for pair in random_line(MORRIS, 120, seed)]
    moves = np.array([move for _, move in line], np.int32)
    pairs = lone_pairs(MORRIS, batches.stacked([position for position, _ in line]), moves, source="")
    save_nnmm(pairs, tmp_path / "a.txt")
    expected = [f"{MORRIS.write(position)}-{MORRIS.write_move(position, move)}" for position, move in line]
    assert (tmp_path / "a.txt").read_bytes().decode().split("\r\n") == [*expected, ""]
    read, _ = load_nnmm(tmp_path / "a.txt")
    assert read.moves.tolist() == moves.tolist()
    assert read.positions.mine.tolist() == pairs.positions.mine.tolist()


@settings(max_examples=150)
@given(
    head=st.one_of(st.just(STATE), st.just(SLIDE[:28]), st.text("OMExo019 ", max_size=30)),
    tail=st.one_of(st.none(), st.text("abdg147-A ", max_size=8)),
)
def test_fast_and_slow_reader_agree(tmp_path_factory: pytest.TempPathFactory, head: str, tail: str | None) -> None:
    line = head if tail is None else f"{head}-{tail}"
    path = written(tmp_path_factory.mktemp("text") / "a.txt", line, PAIR)
    try:
        position = MORRIS.read(head)
        expected = NO_MOVE if tail is None else MORRIS.notation.read_move(position, tail)
    except NotationError:
        with pytest.raises(FileError, match="line 1"):
            load_nnmm(path)
        return
    records, _ = load_nnmm(path)
    assert records.moves[0] == expected
    assert batches.unstacked(records.positions)[0] == position
