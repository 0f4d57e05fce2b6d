"""Disks that are full, may only be read, or take no large file: one sentence, and the old file is still whole."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from pathlib import Path

import pytest

from tests.faults.kept import KEPT, Kept, refusal
from tests.tiny import tiny
from understudy import lab
from understudy.backends import Local
from understudy.files import save_text
from understudy.games.morris.solving.making import make_tables
from understudy.games.morris.solving.tables import Tables
from understudy.lab.run import append_line
from understudy.locks import locked
from understudy.serve.store import Store

resource = pytest.importorskip("resource", reason="Windows has no such limits")

SMALL, LARGE = 20, 15_000
ROOM = 64 << 10
"""Bytes of the small disk, and the largest file: more than a small file, less than a large one."""
GROWING = [kept for kept in KEPT if kept.name not in ("pupil.safetensors", "progress.jsonl") and "3v3" not in kept.name]
"""Files that can be written larger; a pupil's has the size of its network, a journal grows by lines, and tables of an
endgame are two files."""
ENVIRONMENT = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}


@contextmanager
def limited(size: int) -> Iterator[None]:
    """Let no file become larger than so many bytes."""
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)


def call(*words: str) -> bool:
    return subprocess.run(words, capture_output=True, check=False).returncode == 0


@pytest.fixture
def disk(tmp_path: Path) -> Iterator[Path]:
    """Give a folder that is a small disk of its own, where this user may make one."""
    place = tmp_path / "disk"
    place.mkdir()
    if not call("mount", "-t", "tmpfs", "-o", f"size={ROOM}", "tmpfs", str(place)):
        pytest.skip("this user may mount nothing")
    yield place
    assert call("umount", "--lazy", str(place))  # whoever still has a file open there loses it later


def check_refused(kept: Kept, place: Path, reason: str) -> None:
    """Write a file that is too large over a small one."""
    path = place / kept.name
    said = refusal(lambda: kept.write(path, LARGE))
    assert f"cannot write '{place}" in said and said.endswith(reason), said


@pytest.mark.parametrize("kept", GROWING, ids=lambda kept: kept.name)
def test_a_limit_on_the_size_of_files(kept: Kept, tmp_path: Path) -> None:
    path = tmp_path / kept.name
    kept.write(path, SMALL)
    before = path.read_bytes()
    with limited(ROOM // 4):
        check_refused(kept, tmp_path, "File too large")
    assert list(tmp_path.iterdir()) == [path], "nothing is left beside it"
    assert path.read_bytes() == before
    kept.read(path)


@pytest.mark.parametrize("kept", GROWING, ids=lambda kept: kept.name)
def test_a_full_disk(kept: Kept, disk: Path) -> None:
    path = disk / kept.name
    kept.write(path, SMALL)
    before = path.read_bytes()
    check_refused(kept, disk, "No space left on device")
    assert list(disk.iterdir()) == [path], "nothing is left beside it"
    assert path.read_bytes() == before
    kept.read(path)


def test_a_full_disk_leaves_endgames_that_are_solved(tmp_path: Path) -> None:
    make_tables(tmp_path, (3, 3), backend=Local(1))
    before = {path.name: path.read_bytes() for path in tmp_path.iterdir()}
    with limited(2 * ROOM):  # less than 4v3 takes
        assert "File too large" in refusal(lambda: make_tables(tmp_path, (4, 3), backend=Local(1)))
    assert before.items() <= {path.name: path.read_bytes() for path in tmp_path.iterdir()}.items()
    assert Tables(tmp_path).every() == [(3, 3)]
    make_tables(tmp_path, (4, 3), backend=Local(1))
    assert len(Tables(tmp_path).every()) == 3


def test_no_half_of_a_line_is_left(disk: Path, tmp_path: Path) -> None:
    for place, reason in ((disk, "No space left on device"), (tmp_path, "File too large")):
        path = place / "progress.jsonl"
        append_line(path, {"epoch": 0})
        with limited(ROOM // 4) if place == tmp_path else nullcontext():
            assert refusal(lambda path=path: append_line(path, {"text": "x" * (2 * ROOM)})).endswith(reason)
        assert [json.loads(line) for line in path.read_text().splitlines()] == [{"epoch": 0}]


@pytest.mark.parametrize("kept", KEPT, ids=lambda kept: kept.name)
def test_a_disk_that_may_only_be_read(kept: Kept, disk: Path) -> None:
    assert call("mount", "-o", "remount,size=32m", str(disk))  # whole tables of an endgame are larger than the rest
    path = disk / kept.name
    kept.write(path, SMALL)
    before = path.read_bytes()
    assert call("mount", "-o", "remount,ro", str(disk))
    said = refusal(lambda: save_text(path, "x") if kept.name == "progress.jsonl" else kept.write(path, SMALL))
    assert said.startswith("cannot write '") and said.endswith(": Read-only file system"), said
    assert path.read_bytes() == before
    if kept.name != "part.parquet":  # which the test has to rename
        kept.read(path)


def test_who_would_write_on_such_a_disk_is_told_so_and_readers_never_lock(disk: Path) -> None:
    experiment, folder = tiny("evaluators", evaluators__depths=[1]), disk / "run"
    folder.mkdir()
    assert call("mount", "-o", "remount,ro", str(disk))
    assert refusal(lambda: lab.run(experiment, folder)) == f"cannot write '{folder}': Read-only file system"
    assert refusal(lambda: locked(disk / "t.parquet").__enter__()).endswith("t.parquet': Read-only file system")


def test_a_run_on_a_full_disk_is_one_sentence_and_goes_on_when_there_is_room(disk: Path) -> None:
    experiment, folder = tiny("evaluators", evaluators__depths=[1]), disk / "run"
    (disk / "ballast").write_bytes(bytes(ROOM // 2))
    said = refusal(lambda: lab.run(experiment, folder))
    assert said.startswith(f"cannot write '{folder}") and said.endswith(": No space left on device"), said
    assert not list(folder.rglob("*.tmp"))
    (disk / "ballast").unlink()
    assert call("mount", "-o", "remount,size=32m", str(disk))
    assert lab.run(experiment, folder).exists()


def test_games_of_the_page_on_a_full_disk(disk: Path) -> None:
    store = Store(disk / "games.sqlite")
    store.save("a", {"moves": ["x"]})
    assert refusal(lambda: store.save("b", {"moves": ["x" * (2 * ROOM)]})).startswith(
        f"cannot keep the game in '{disk}"
    )
    assert store.load("a") == {"moves": ["x"]} and store.load("b") is None
    store.close()
    assert call("mount", "-o", "remount,ro", str(disk))
    assert refusal(lambda: Store(disk / "games.sqlite")) == f"cannot write '{disk}/games.sqlite': Read-only file system"


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="this system has no disk that is always full")
def test_what_is_printed_to_a_full_disk() -> None:
    with open("/dev/full", "w") as full:
        done = subprocess.run([sys.executable, "-m", "understudy", "games"], stdout=full, stderr=subprocess.PIPE,
                              text=True, env=ENVIRONMENT, check=False)  # fmt: skip
    assert done.returncode == 2
    assert done.stderr == "understudy: cannot read or write what it prints: No space left on device\n"
