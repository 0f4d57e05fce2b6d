"""What an evolution writes down as it goes: lines for generations, tables of matches; and how they are read again."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from understudy.files import load_json, save_text


def loaded(path: Path) -> Any:
    """Return what a JSON file says; nothing if there is none."""
    return load_json(path) if path.exists() else {}


def add_rows(path: Path, keys: list[str], rows: list[list[int]]) -> None:
    """Add rows to a JSON file of nested tables."""
    table = whole = loaded(path)
    for key in keys[:-1]:
        table = table.setdefault(key, {})
    table[keys[-1]] = rows
    save_text(path, json.dumps(whole, separators=(",", ":")) + "\n")


def forget(folder: Path, student: str, generation: int) -> None:
    """Drop what is told of generations that were noted but not kept: they are played again."""
    _forget_measures(folder / "monitor.json", student, generation)
    path = folder / "generations.jsonl"
    if not path.exists():
        return
    lines = path.read_text(encoding="utf-8").splitlines(keepends=True)
    kept = [line for line in lines if not _later(line, student, generation)]
    if len(kept) < len(lines):
        save_text(path, "".join(kept))


def _forget_measures(path: Path, student: str, generation: int) -> None:
    measured = loaded(path)
    if student not in measured:
        return
    measured[student] = {
        opponent: {number: rows for number, rows in met.items() if int(number) <= generation}
        for opponent, met in measured[student].items()
    }
    save_text(path, json.dumps(measured, separators=(",", ":")) + "\n")


def _later(line: str, student: str, generation: int) -> bool:
    try:
        entry = json.loads(line)
        return bool(entry["student"] == student and entry["generation"] > generation)
    except (ValueError, KeyError, TypeError):
        return True  # half a line, left by a kill
