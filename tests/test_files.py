"""Files that are written whole or not at all: whoever may read one of them may read all, as the umask says."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from understudy.errors import FileError
from understudy.files import replaced, replacing, save_file, save_json, save_text
from understudy.networks.files import save_layers
from understudy.networks.students import ValueNetwork, ValueOptions
from understudy.search.evaluators.perceptron import random_perceptron, save_perceptron
from understudy.tensors import save_arrays
from understudy.trainers.checkpoints import save_checkpoint
from understudy.trainers.fitting import TrainingOptions, begin

NETWORK = ValueNetwork(3, ValueOptions(hidden=(2,)))


def write_open(path: Path) -> None:
    with replaced(path) as file:
        file.write(b"x")


def write_onnx(path: Path) -> None:
    save_layers(path, NETWORK.plain_layers(), {})


def write_checkpoint(path: Path) -> None:
    save_checkpoint(path, begin(NETWORK, TrainingOptions()), "x")


def write_perceptron(path: Path) -> None:
    save_perceptron(random_perceptron(4, 3, rng=np.random.default_rng(0)), path)


WRITERS: dict[str, Callable[[Path], Any]] = {
    "text": lambda path: save_text(path, "x"),
    "json": lambda path: save_json(path, {}),
    "bytes": write_open,
    "arrays": lambda path: save_arrays(path, {"a": np.zeros(2)}, {}),
    "checkpoint": write_checkpoint,
    "onnx": write_onnx,
    "perceptron": write_perceptron,
}


@pytest.fixture(params=[0o022, 0o077, 0o002], ids=oct)
def umask(request: pytest.FixtureRequest) -> Iterator[int]:
    before = os.umask(request.param)
    yield request.param
    os.umask(before)


@pytest.mark.skipif(os.name == "nt", reason="Windows has no such modes")
@pytest.mark.parametrize("name", WRITERS)
def test_files_have_the_mode_that_the_umask_gives(name: str, umask: int, tmp_path: Path) -> None:
    for _ in range(2):  # the second time it takes the place of the first
        WRITERS[name](tmp_path / "file")
        assert (tmp_path / "file").stat().st_mode & 0o777 == 0o666 & ~umask
    assert [path.name for path in tmp_path.iterdir()] == ["file"], "nothing is left beside it"


@pytest.mark.parametrize("name", WRITERS)
def test_no_library_makes_temporary_files_of_its_own(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A kill would leave them behind, and nobody could tell whose they are."""

    def refuse(*_: Any, **__: Any) -> None:
        raise AssertionError("safetensors writes a file")

    for module in ("safetensors.numpy", "safetensors.torch"):
        monkeypatch.setattr(f"{module}.serialize_file", refuse)
    WRITERS[name](tmp_path / "file")
    assert [path.name for path in tmp_path.iterdir()] == ["file"]


@pytest.mark.skipif(os.name == "nt", reason="Windows can sync files alone")
@pytest.mark.parametrize("name", WRITERS)
def test_a_file_is_on_the_disk_before_it_has_its_name_and_its_folder_after(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A power cut leaves the old file or the new one: neither half of it nor none."""
    steps: list[str] = []
    rename = os.replace
    monkeypatch.setattr("understudy.files.sync", lambda path: steps.append("folder" if path == tmp_path else "file"))
    monkeypatch.setattr("understudy.files.os.replace", lambda *ends: (steps.append("name"), rename(*ends)))
    WRITERS[name](tmp_path / "file")
    assert steps == ["file", "name", "folder"]


def test_names_that_begin_alike_are_written_side_by_side(tmp_path: Path) -> None:
    one, other = (tmp_path / ("n" * 60 + end) for end in "ab")
    with replacing(one) as first, replacing(other) as second:
        first.write_text("1")
        second.write_text("2")
    assert (one.read_text(), other.read_text()) == ("1", "2") and len(list(tmp_path.iterdir())) == 2


def test_what_fails_leaves_the_old_file_and_nothing_else(tmp_path: Path) -> None:
    save_text(tmp_path / "file", "old")

    def fail(path: Path) -> None:
        path.write_text("half")
        raise OSError("no room")

    with pytest.raises(FileError, match=r"cannot write .*file': no room"):
        save_file(tmp_path / "file", fail)
    assert (tmp_path / "file").read_text() == "old" and len(list(tmp_path.iterdir())) == 1
    with pytest.raises(FileError, match=r"cannot write .*nowhere.*: No such file or directory"):
        save_text(tmp_path / "nowhere" / "file", "x")
