"""Glimpses of a run as a page shows them: scenes as positions, choices as drawings over them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np

from understudy.errors import UnderstudyError
from understudy.files import load_json
from understudy.games import CompiledGame
from understudy.games.drawing import Arrow, draw_overlay
from understudy.lab.glimpses import SCENES, draw_random, read_rows
from understudy.pictures.traces import draw_move
from understudy.players import make_player
from understudy.serve.lab_answers import Frame, Scene, SeenChoice, SeenStudent
from understudy.serve.views import describe_place

FRAMES = 60
"""Moments that are sent of a student, evenly among all, the first and the last always: a slider has no more steps."""
DRAWN = 4_096
"""Drawings that are kept: those of a run that is watched are asked for every second."""
SNAPSHOTS = 20
"""Snapshots of a pupil that are asked: each has to be loaded."""
BAD = (AttributeError, LookupError, TypeError, ValueError, UnderstudyError)
"""What reading a file can raise that somebody wrote by hand, or half."""


def show_glimpses(folder: Path, game: CompiledGame) -> list[SeenStudent]:
    """Return the moments of each student; what cannot be read is left out."""
    scenes = load_json(folder / SCENES) if (folder / SCENES).exists() else {}
    rows = read_rows(folder)
    seen = []
    for student, shown in scenes.items() if isinstance(scenes, dict) else ():
        own = [row for row in rows if row["student"] == student]
        try:
            seen.append(_show(game, student, shown, own))
        except BAD:
            continue
    return seen or _ask_snapshots(folder, game)


def _show(game: CompiledGame, student: str, shown: Any, rows: Sequence[Mapping[str, Any]]) -> SeenStudent:
    scenes = [_read_scene(game, scene) for scene in shown]
    frames = [_make_frame(game, student, scenes, row) for row in _thin(rows)]
    return SeenStudent(student=student, scenes=scenes, frames=frames)


def _read_scene(game: CompiledGame, scene: Mapping[str, Any]) -> Scene:
    place = describe_place(game, game.read(str(scene["position"])))
    fields = {name: getattr(place, name) for name in place.__struct_fields__} | {"legal": []}
    teacher = scene.get("teacher")
    return Scene(**fields, teacher=None if teacher is None else str(teacher))


def _make_frame(game: CompiledGame, student: str, scenes: Sequence[Scene], row: Mapping[str, Any]) -> Frame:
    axis, network = str(row.get("axis", "epoch")), str(row.get("network", ""))
    label = f"{axis} {row['at']}" if row["at"] else f"before the first {axis}"
    if network and network != "whole":
        label = f"network {network}, {label}"
    pairs = zip(scenes, row["choices"], strict=True)
    return Frame(label=label, student=student, at=int(row["at"]), legal=row.get("legal"), right=row.get("right"),
                 choices=[_show_choice(game, scene, choice) for scene, choice in pairs])  # fmt: skip


def _thin(rows: Sequence[Any]) -> list[Any]:
    if len(rows) <= FRAMES:
        return list(rows)
    return [rows[int(place)] for place in np.linspace(0, len(rows) - 1, FRAMES)]


def _show_choice(game: CompiledGame, scene: Scene, choice: Mapping[str, Any]) -> SeenChoice:
    move, legal = str(choice["move"]), bool(choice["legal"])
    parts = tuple((str(part["part"]), str(part["choice"])) for part in choice.get("parts", ()))
    illegal = max((float(part["illegal"]) for part in choice.get("parts", ())), default=None)
    return SeenChoice(
        move=move, legal=legal, right=None if scene.teacher is None else move == scene.teacher,
        share=choice.get("share"), value=choice.get("value"), illegal=illegal,
        cells=[cell for _, cell in parts if cell in game.board.cells],
        picture=_draw_legal(game, scene.position, move) if legal else _draw_illegal(game, scene.position, parts),
    )  # fmt: skip


@lru_cache(maxsize=DRAWN)
def _draw_legal(game: CompiledGame, text: str, move: str) -> str:
    position = game.read(text)
    arrows = draw_move(game, position, game.read_move(position, move), 1.0)
    return draw_overlay(game.board, game.stones(position), arrows=arrows)


@lru_cache(maxsize=DRAWN)
def _draw_illegal(game: CompiledGame, text: str, parts: tuple[tuple[str, str], ...]) -> str:
    """Return the parts of a choice that the rules forbid: hatched cells, an arrow if a stone should move, in red."""
    cells = {part: game.board.cells.index(cell) for part, cell in parts if cell in game.board.cells}
    moved = [cells[part] for part in ("from", "to") if part in cells]
    arrows = [Arrow(moved[0], moved[1], 1.0)] if len(set(moved)) == 2 else [Arrow(None, cell, 1.0) for cell in moved]
    arrows += [Arrow(None, cell, 0.6, "×") for part, cell in cells.items() if part not in ("from", "to")]
    drawn = draw_overlay(game.board, game.stones(game.read(text)), arrows=arrows, forbidden=sorted(set(cells.values())))
    return drawn.replace('"us-under"', '"us-under us-wrong"').replace('"us-over"', '"us-over us-wrong"')


def _ask_snapshots(folder: Path, game: CompiledGame) -> list[SeenStudent]:
    """Return what the snapshots of pupils choose: they are students themselves, so nobody had to write it down."""
    pupils = sorted(folder.glob("pupils/*_0/snapshots"))
    return [one for place in pupils if (one := _ask_pupil(place, game)) is not None]


def _ask_pupil(place: Path, game: CompiledGame) -> SeenStudent | None:
    files = sorted(place.glob("*.safetensors"))
    chosen = [files[int(at)] for at in np.linspace(0, len(files) - 1, min(SNAPSHOTS, len(files)))] if files else []
    scenes = draw_random(game)
    shown = [{"position": game.write(scene.position)} for scene in scenes]
    try:
        rows = [_ask_snapshot(file, game, [scene.position for scene in scenes]) for file in chosen]
        return _show(game, place.parent.name.removesuffix("_0"), shown, rows) if rows else None
    except BAD:
        return None


def _ask_snapshot(file: Path, game: CompiledGame, positions: Sequence[Any]) -> dict[str, Any]:
    choices = make_player(f"student:{file}", game).choose(positions)
    pairs = zip(positions, choices, strict=True)
    told = [
        {"move": game.write_move(position, choice.move), "legal": True, "value": choice.value}
        for position, choice in pairs
    ]
    return {"at": int(file.stem), "axis": "game", "choices": told}
