"""Glimpses: what a student chooses in six fixed positions, written down again and again while it learns.

`glimpses.json` holds the positions of each student, `glimpses.jsonl` a line for each moment: after an epoch, at a
generation that is measured, at a snapshot. Nobody learns from them, and nothing of a training depends on them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from understudy.games import CompiledGame
from understudy.lab.run import Run
from understudy.protocols import Choice, Move, Player
from understudy.sums import read_sound
from understudy.thoughts import write_choice

SCENES, GLIMPSES = "glimpses.json", "glimpses.jsonl"
COUNT = 6
"""Positions that are shown: two rows of three boards fit on a screen."""
SEED = 0x61136
"""Tells the chance that draws these positions from all other."""
GAMES, PLIES = 40, 120
"""Random games that positions are drawn from, and how long they are at most."""


class Scene(NamedTuple):
    """A position that a student is shown again and again."""

    position: Any
    teacher: Move | None = None
    """What the teacher chose in it, where there is one."""
    parts: tuple[str, ...] = ()
    """Which parts the teacher's move has, such as a stone to take."""


def draw_random(game: CompiledGame) -> list[Scene]:
    """Return positions of random games in which there is something to choose, from early to late."""
    rng, positions = np.random.default_rng(SEED), []
    for _ in range(GAMES):
        position = game.start()
        for _ in range(PLIES):
            moves = game.moves(position)
            if not moves:
                break
            positions += [position] * (len(moves) > 1 and position.ply > 0)
            position = game.play(position, moves[rng.integers(len(moves))])
    positions.sort(key=lambda position: int(position.ply))
    return [Scene(position) for position in spread_evenly(positions, min(COUNT, len(positions)))]


def spread_evenly(items: Sequence[Any], count: int) -> list[Any]:
    """Return so many items that lie evenly among all, none of them at an end."""
    return [items[int((place + 0.5) * len(items) / count)] for place in range(count)]


class Glimpses:
    """The glimpses of one student in a run folder: its scenes, and a line for each moment at which it was looked at."""

    def __init__(self, run: Run[Any], student: str, scenes: Sequence[Scene]) -> None:
        self.run, self.student, self.scenes = run, student, list(scenes)

    def keep_scenes(self) -> None:
        """Write the scenes down beside those of other students."""
        game = self.run.experiment.game
        shown = [_write_scene(game, scene) for scene in self.scenes]
        self.run.save(SCENES, self.run.load(SCENES) | {self.student: shown})

    def forget_after(self, at: int, *, network: str = "") -> None:
        """Drop what was seen later than *at*, since that is learned again.

        At 0 a training begins anew: what is there of an earlier one is dropped, too.
        """
        self.run.forget_lines(lambda row: self._is_mine(row, network) and (at == 0 or row["at"] > at), GLIMPSES)

    def misses(self, at: int, *, network: str = "") -> bool:
        """Tell whether nobody has looked at this moment."""
        return not any(self._is_mine(row, network) and row["at"] == at for row in read_rows(self.run.folder))

    def _is_mine(self, row: Mapping[str, Any], network: str) -> bool:
        return bool(row["student"] == self.student and row.get("network", "") == network)

    def add(self, at: int, axis: str, choices: Sequence[Mapping[str, Any]], **more: Any) -> None:
        """Write down one moment: how far the student is on an axis such as `epoch`, and what it chooses."""
        self.run.log({"student": self.student, "at": at, "axis": axis, **more, "choices": choices}, GLIMPSES)

    def look_at_player(self, player: Player, at: int, axis: str) -> None:
        """Write down what a player that never breaks the rules chooses, and what it expects of it."""
        game, choices = self.run.experiment.game, player.choose([scene.position for scene in self.scenes])
        pairs = zip(self.scenes, choices, strict=True)
        self.add(at, axis, [_write_choice(game, scene.position, choice) for scene, choice in pairs])


def _write_scene(game: CompiledGame, scene: Scene) -> dict[str, Any]:
    teacher = None if scene.teacher is None else write_choice(game, scene.position, scene.teacher)
    return {"position": game.write(scene.position), "teacher": teacher, "parts": list(scene.parts)}


def _write_choice(game: CompiledGame, position: Any, choice: Choice) -> dict[str, Any]:
    value = None if choice.value is None else round(choice.value, 4)
    return {"move": game.write_move(position, choice.move), "legal": True, "value": value}


def read_rows(folder: Path) -> list[dict[str, Any]]:
    """Return the glimpses of a run folder, without lines that were changed and half a line that a kill left."""
    path = folder / GLIMPSES
    lines = path.read_bytes().splitlines() if path.exists() else []
    return [row for line in lines if _is_whole(row := read_sound(line, path))]


def _is_whole(row: Any) -> bool:
    return isinstance(row, dict) and isinstance(row.get("student"), str) and isinstance(row.get("at"), int)
