"""Where students are kept: those that ship, those of run folders, single files; one session for each."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path
from typing import Any

from understudy.config import read_threads
from understudy.errors import BadOption, FileError, first_line
from understudy.games import CompiledGame
from understudy.players.graphs import check_graph
from understudy.sums import check_sum
from understudy.tensors import load_facts

SHIPPED = Path(__file__).parent.parent / "students"
SUFFIXES = (".onnx", ".safetensors")
"""Students are ONNX files; those whose network runs inside the search are safetensors."""


def student_file(path: str, order: str = "") -> Path:
    """Return the file of a student that ships, of a run folder, or the file itself."""
    shipped, place = _either(SHIPPED / path), Path(path)
    ships = "/" not in path and os.path.exists(shipped)
    if ships and not order:
        return shipped
    if os.path.isdir(place):
        place = _either(place / (f"student_{order}" if order else "student"))
    elif order and (ships or os.path.isfile(place)):
        raise BadOption(f"student {path!r} is one file; order={order} chooses among the students of a run folder")
    if not os.path.isfile(place):
        known = ", ".join(sorted(file.stem for kind in SUFFIXES for file in SHIPPED.glob(f"*{kind}")))
        raise FileError(f"there is no student {str(place)!r}; those that ship: {known or 'none'}")
    return place


def _either(place: Path) -> Path:
    """Return the file of this name with the ending that there is."""
    files = [Path(f"{place}{suffix}") for suffix in SUFFIXES]  # the root of all folders has no name to change
    return next((file for file in files if os.path.exists(file)), files[0])  # False, not an error, for too long a name


def student_facts(path: Path) -> Mapping[str, Any]:
    """Return what a student's file says of it."""
    return load_facts(path, "student") if path.suffix == ".safetensors" else load_session(path)[1]


def usual_opponent(game: CompiledGame) -> str:
    """Return the student that ships for a game, on boards of this size if it has several; a search if there is none."""
    if (SHIPPED / f"{game.name}.safetensors").exists() and game.size == (8, 8):
        return f"student:{game.name}"
    if (SHIPPED / f"{game.name}.onnx").exists():
        return f"student:{game.name},check=legal,best=3"
    sized = f"{game.name}_{game.size[0]}"
    square = game.size[0] == game.size[1]
    return f"student:{sized}" if square and (SHIPPED / f"{sized}.onnx").exists() else "searcher:time=1"


def check_board(facts: Mapping[str, Any], game: CompiledGame, name: str) -> None:
    """Raise unless a student has learned *game* on this board."""
    learned, size = facts.get("game"), f"{game.size[0]}x{game.size[1]}"
    if learned != game.name:
        raise BadOption(f"player {name!r} has learned {learned}, not {game.name}")
    if facts.get("size") != size:
        raise BadOption(f"player {name!r} has learned {learned} on {facts.get('size')}, not on {size}")


def load_session(path: Path) -> tuple[Any, Mapping[str, Any]]:
    """Return the ONNX session of a student, and what its file says of it."""
    return _loaded(str(path), path.stat().st_mtime_ns)


def run_session(session: Any, inputs: Mapping[str, Any], path: Path | str) -> list[Any]:
    """Return what a network makes of *inputs*; one that wants others is told by its file."""
    try:
        outputs: list[Any] = session.run(None, inputs)
    except Exception as error:  # ONNX Runtime raises classes of its own
        raise FileError(f"the student {str(path)!r} cannot be asked: {first_line(error)}") from None
    return outputs


@lru_cache(maxsize=16)
def _loaded(path: str, stamp: int) -> tuple[Any, Mapping[str, Any]]:
    """Return a student's session and facts; one session serves all players of a process."""
    check_sum(Path(path), "student")
    check_graph(Path(path))
    import onnxruntime  # whoever plays without a student does not wait for it

    options = onnxruntime.SessionOptions()
    options.log_severity_level = 3
    # An arena keeps what the largest batch took, 200 MB and more for each of sixteen sessions; without one judging
    # takes half the time, because fresh pages of the arena cost more than the network.
    options.enable_cpu_mem_arena = False
    options.intra_op_num_threads = read_threads() or 0  # 0: one for each core
    # Threads that spin while they wait would take the cores from searches beside them.
    options.add_session_config_entry("session.intra_op.allow_spinning", "0")
    try:
        session = onnxruntime.InferenceSession(path, options, providers=["CPUExecutionProvider"])
        facts = json.loads(session.get_modelmeta().custom_metadata_map["understudy"])
    except KeyError:
        raise FileError(
            f"{path!r} is an ONNX file, but not of a student: it does not say what it has learned"
        ) from None
    except Exception as error:  # ONNX Runtime raises classes of its own for every way a file can be broken
        raise FileError(f"cannot read the student {path!r}: {first_line(error)}") from None
    if not isinstance(facts, dict):
        raise FileError(f"cannot read the student {path!r}: what it says of itself is no table")
    return session, facts
