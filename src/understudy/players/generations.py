"""Evolved students as they were: the champions that a run kept at some of its generations."""

from __future__ import annotations

import re
from pathlib import Path

from understudy.errors import BadOption, FileError
from understudy.players.evolved import KIND
from understudy.tensors import load_facts

KEPT = re.compile(r"(?P<student>\w+)_(?P<generation>\d{5,})\.safetensors")
"""Files of a run's folder `epochs`."""


def list_generations(folder: Path) -> dict[str, list[int]]:
    """Return which generations of each student a run folder has kept."""
    names = [KEPT.fullmatch(path.name) for path in sorted((folder / "epochs").glob("*.safetensors"))]
    kept: dict[str, list[int]] = {}
    for name in names:
        if name:
            kept.setdefault(name["student"], []).append(int(name["generation"]))
    return kept


def find_generation(path: str, order: str, generation: int, *, name: str) -> Path:
    """Return the file of the champion of a generation; *order* names a student where a run has several."""
    folder = Path(path)
    kept = list_generations(folder) if folder.is_dir() else {}
    if not kept:
        raise BadOption(
            f"player {name!r}: generation={generation} is for run folders of an evolution; {path!r} has none"
        )
    student = order or _best_student(folder, kept, name)
    if student not in kept:
        raise BadOption(f"player {name!r}: the run has no generations of {order!r}; there are: {', '.join(kept)}")
    if generation not in kept[student]:
        there = ", ".join(map(str, kept[student]))
        raise BadOption(f"player {name!r}: generation {generation} of {student} was not kept; there are: {there}")
    file = folder / "epochs" / f"{student}_{generation:05}.safetensors"
    if load_facts(file, "generation").get("kind") != KIND:
        raise FileError(f"player {name!r}: {str(file)!r} is of an older version, which kept no champion in it")
    return file


def _best_student(folder: Path, kept: dict[str, list[int]], name: str) -> str:
    """Return the student that a run is known for; until it is, the only one there is, or else it must be named."""
    if len(kept) == 1:
        return next(iter(kept))
    best = folder / "student.safetensors"
    if not best.exists():
        raise BadOption(f"player {name!r}: say order=NAME, since the run has several students: {', '.join(kept)}")
    return str(load_facts(best, "student").get("name"))
