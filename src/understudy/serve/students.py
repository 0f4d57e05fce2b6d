"""The students of a game: those that ship, and those that stand in run folders."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from understudy.errors import UnderstudyError
from understudy.games import CompiledGame
from understudy.players.generations import list_generations
from understudy.players.student_files import SHIPPED, SUFFIXES, student_facts, usual_opponent
from understudy.serve.answers import StudentRow
from understudy.serve.players import RUNS, Roster, is_run
from understudy.serve.views import write_size

MOST = 200
"""Run folders that are looked through, the newest first."""


def list_students(game: CompiledGame, roster: Roster) -> list[StudentRow]:
    """Return who has learned *game* on this board, those that ship first."""
    places = [(path.stem, path, "ships") for path in _list_shipped()]
    for folder in _list_runs(roster.runs):
        files = sorted(file for suffix in SUFFIXES for file in folder.glob(f"student{suffix}"))
        places += [(f"{RUNS}{folder.name}", path, f"{RUNS}{folder.name}") for path in files]
    return [row for name, path, place in places if (row := _describe(game, roster, name, path, place))]


def _list_shipped() -> list[Path]:
    return sorted(path for suffix in SUFFIXES for path in SHIPPED.glob(f"*{suffix}"))


def _list_runs(runs: Path) -> Iterator[Path]:
    folders = [path for path in runs.iterdir() if is_run(runs, path.name)] if runs.is_dir() else []
    yield from sorted(folders, key=lambda path: -path.stat().st_mtime)[:MOST]


def _describe(game: CompiledGame, roster: Roster, name: str, path: Path, place: str) -> StudentRow | None:
    """Return a student of this game and board; None for others, and for files that cannot be read."""
    try:
        facts = student_facts(path)
        if facts.get("game") != game.name or facts.get("size", write_size(game)) != write_size(game):
            return None
        player = _name_player(game, name, facts)
        roster.check(player, game)
    except UnderstudyError:
        return None
    generations = list_generations(path.parent).get(str(facts.get("name")), []) if place != "ships" else []
    title = _read_title(path) if place == "ships" else str(facts.get("experiment") or name)
    return StudentRow(player=player, title=title, place=place, about=_say(facts), generations=generations)


def _name_player(game: CompiledGame, name: str, facts: Mapping[str, Any]) -> str:
    """Return how a student is named as a player; the rules check one that chooses part by part."""
    usual = usual_opponent(game)
    if usual.removeprefix("student:").partition(",")[0] == name:
        return usual
    return f"student:{name}" + (",check=legal" if "order" in facts else "")


def _read_title(path: Path) -> str:
    """Return the heading of a student's model card, which stands below what model hubs read."""
    card = path.with_suffix(".md")
    lines = card.read_text(encoding="utf-8").splitlines() if card.is_file() else []
    heading = next((line for line in lines if line.startswith("# ")), "")
    return heading.removeprefix("# ").strip() or path.stem


def _say(facts: Mapping[str, Any]) -> str:
    weights = facts.get("weights")
    return f"{weights:,} weights".replace(",", "\u202f") if isinstance(weights, int) else ""
