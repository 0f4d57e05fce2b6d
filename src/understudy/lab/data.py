"""Where data lies that experiments name: `data:nnmm/DATASET.complete.txt` is wherever this user keeps data."""

from __future__ import annotations

import os
from pathlib import Path

from understudy.errors import FileError
from understudy.files import cache_home

DATA = "data:"
"""What the name of a file begins with that lies wherever this user keeps data."""


def data_folder() -> Path:
    """Return where this user keeps data: the folder that UNDERSTUDY_DATA names, or one in the user's cache."""
    if path := os.environ.get("UNDERSTUDY_DATA"):
        return Path(path)
    return cache_home() / "understudy" / "data"


def locate(name: str, folder: Path) -> Path:
    """Return where a file lies that an experiment names; *folder* is where relative names start."""
    return data_folder() / name.removeprefix(DATA) if name.startswith(DATA) else folder / name


def check_file(name: str, folder: Path, *, needed_by: str) -> Path:
    """Return where a file lies, or raise: one sentence that says where it is looked for."""
    path = locate(name, folder)
    if path.is_file():
        return path
    if not name.startswith(DATA):
        raise FileError(f"{needed_by} needs {str(path)!r}, and there is no such file")
    raise FileError(
        f"{needed_by} needs the data {name.removeprefix(DATA)!r}, and it is not in {str(data_folder())!r}; put it "
        "there, or let the variable UNDERSTUDY_DATA name the folder that holds it"
    )
