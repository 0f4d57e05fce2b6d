"""Compiled code, which is machine code, is loaded only from folders that are this user's alone."""

from __future__ import annotations

import errno
import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from understudy import kernels

PROGRAM = "from understudy import kernels; print(kernels.CACHE, flush=True)"
TWICE = f"import subprocess, sys; {PROGRAM}; subprocess.run([sys.executable, '-c', {PROGRAM!r}], check=True)"

pytestmark = pytest.mark.skipif(os.name == "nt", reason="folders have no such owners on Windows")
Run = Callable[[], tuple[int, str]]


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with a cache and with temporary files, which kernels are kept in from now on."""
    (tmp_path / "tmp").mkdir()
    monkeypatch.setenv(kernels.PLACE, "")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "tmp"))
    return tmp_path


@pytest.fixture
def run(home: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]) -> Run:
    """Return what does as a new process does: it tells how many kernels were compiled, and what was said."""

    def run_once() -> tuple[int, str]:
        for remembered in (kernels.trusted, kernels.private_folder, kernels._tell):
            remembered.cache_clear()
        compiled: list[int] = []
        monkeypatch.setattr(kernels, "CACHE", kernels._cache_folder())
        monkeypatch.setattr(kernels, "ANNOUNCE", lambda: compiled.append(1))

        @kernels.kernel
        def double(number: Any) -> Any:
            return number + number

        assert double(2) == 4
        return len(compiled), capfd.readouterr().err

    return run_once


@pytest.fixture
def filled(home: Path, run: Run) -> Path:
    """A cache with a kernel in it."""
    assert run() == (1, "") and run() == (0, "")
    return home


def kept(home: Path) -> Path:
    return home / "cache" / "understudy" / "kernels"


def file_of(home: Path) -> Path:
    return max(kept(home).glob("*/*.nbi"))


def open_all(home: Path) -> None:
    """Make folders as they were made before they were private: others may look into them."""
    for folder in (kept(home), *kept(home).iterdir()):
        folder.chmod(0o755)


def widen_file(home: Path) -> None:
    open_all(home)
    file_of(home).chmod(0o666)


def link_folder(home: Path) -> None:
    folder = file_of(home).parent
    folder.rename(home / "elsewhere")
    folder.symlink_to(home / "elsewhere")


def link_file(home: Path) -> None:
    path = file_of(home)
    path.rename(home / "code")
    path.symlink_to(home / "code")


SPOILED: dict[str, tuple[Callable[[Path], object], str]] = {
    "others write": (lambda home: kept(home).chmod(0o777), r"others can write to: it has the mode 0777"),
    "a group writes": (lambda home: kept(home).chmod(0o770), r"others can write to: it has the mode 0770"),
    "others write below": (lambda home: file_of(home).parent.chmod(0o777), r"others can write to: it has"),
    "others write a file": (widen_file, r"others can write to: '.*nbi' has the mode 0666"),
    "a link": (link_folder, r"link to elsewhere"),
    "a link in it": (link_file, r"link to elsewhere \('.*nbi'\)"),
    "everybody above": (lambda home: (home / "cache").chmod(0o777), r"lies in '.*cache', where everybody can replace"),
}


@pytest.mark.parametrize("spoiled", SPOILED)
def test_what_others_could_have_written_is_not_loaded(filled: Path, run: Run, spoiled: str) -> None:
    spoil, reason = SPOILED[spoiled]
    spoil(filled)
    compiled, said = run()
    assert compiled == 1 and re.search(reason, said) and said.count("\n") == 1 and "compiled anew into" in said
    other = filled / "tmp" / f"understudy-{os.geteuid()}"
    assert other.stat().st_mode & 0o777 == 0o700 and list(other.glob("*/*.nbi"))
    assert os.environ[kernels.PLACE] == str(other)
    assert run() == (0, "")  # where processes that this one starts would look


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() != 0, reason="only root can give files away")
@pytest.mark.parametrize("whole", [True, False])
def test_what_belongs_to_others_is_not_loaded(filled: Path, run: Run, whole: bool) -> None:
    os.chown(kept(filled) if whole else file_of(filled), 12_345, -1)
    compiled, said = run()
    assert compiled == 1 and "is of user 12345" in said


def test_a_folder_with_the_sticky_bit_above_is_fine(filled: Path, run: Run) -> None:
    (filled / "cache").chmod(0o1777)
    assert run() == (0, "")


def test_the_modes_of_a_wide_umask_do_no_harm(home: Path, run: Run) -> None:
    before = os.umask(0)
    try:
        assert run() == (1, "")
    finally:
        os.umask(before)
    for folder in (home / "cache", kept(home), file_of(home).parent):
        assert folder.stat().st_mode & 0o777 == 0o700
    assert file_of(home).stat().st_mode & 0o777 == 0o666
    assert run() == (0, "")


def test_a_squatted_temporary_folder_is_not_used_either(filled: Path, run: Run) -> None:
    kept(filled).chmod(0o777)
    squatted = filled / "tmp" / f"understudy-{os.geteuid()}"
    squatted.mkdir()
    squatted.chmod(0o777)
    compiled, said = run()
    own = Path(os.environ[kernels.PLACE])
    assert compiled == 1 and "compiled anew into" in said and own != squatted and own.stat().st_mode & 0o777 == 0o700
    assert list(squatted.iterdir()) == []
    shutil.rmtree(own)


def test_the_variable_names_the_place(home: Path, run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(kernels.PLACE, str(home / "mine"))
    assert run() == (1, "") and run() == (0, "")
    assert not kept(home).exists() and list((home / "mine").glob("*/*.nbi"))


@pytest.mark.parametrize("suffix", ["nbi", "nbc"])
@pytest.mark.parametrize("left", [0, 20])
def test_files_that_a_disk_has_cut_off_are_made_anew(filled: Path, run: Run, suffix: str, left: int) -> None:
    for path in kept(filled).glob(f"*/*.{suffix}"):
        path.write_bytes(path.read_bytes()[:left])
    assert run() == (1, "") and run() == (0, "")


def test_what_cannot_be_kept_is_compiled_all_the_same(home: Path, run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*arguments: object) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr("numba.core.caching.IndexDataCacheFile.save", fail)
    compiled, said = run()
    assert compiled == 1 and said.count("\n") == 1 and "cannot be kept" in said and "No space left" in said


def test_a_process_says_it_once_for_all_that_it_starts(home: Path) -> None:
    kernels.make_private(kept(home))
    kept(home).chmod(0o777)
    paths = os.pathsep.join(path for path in sys.path if path)
    environment = {**os.environ, "TMPDIR": str(home / "tmp"), "PYTHONPATH": paths}
    done = subprocess.run([sys.executable, "-c", TWICE], capture_output=True, text=True, env=environment, check=True)
    assert done.stdout.split() == [str(home / "tmp" / f"understudy-{os.geteuid()}")] * 2
    assert done.stderr.count("\n") == 1 and "not loaded from" in done.stderr
