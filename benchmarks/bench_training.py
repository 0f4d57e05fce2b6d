"""Learning: examples a second against a bare PyTorch loop on the same network, and how fast a student chooses."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
import torch
from torch import nn

from benchmarks.table import Line, best_rate
from understudy.games import find_game
from understudy.games.batches import size, taken, unstacked
from understudy.games.layout import find_encoder
from understudy.networks import build_units
from understudy.networks.files import save_student
from understudy.networks.students import StudentOptions
from understudy.players import make_player
from understudy.records.examples import all_examples
from understudy.records.starts import reachable
from understudy.records.store import lone_pairs
from understudy.trainers.fitting import Epoch, TrainingOptions, begin
from understudy.trainers.objectives import Lesson, make_lesson, train_moves

BATCH, BATCHES = 4096, 8
PAPERS: dict[str, Any] = {"kind": "residual", "width": 200, "hidden": 300, "blocks": 10}
TIED: dict[str, Any] = {"kind": "residual", "width": 300, "hidden": 300, "blocks": 3, "symmetric": True}


def lines() -> Iterator[Line]:
    lesson = _lesson()
    for name, network in (("papers' ten blocks", PAPERS), ("tied, three blocks", TIED)):
        bare, ours = _bare(network, lesson), _ours(network, lesson)
        yield Line(f"training, {name}", ours, "examples a second", "a bare PyTorch loop", bare, 0.85)
    for name in ("morris",):
        yield Line(
            f"student:{name}, batches of 8192",
            _choices(f"student:{name}"),
            "positions a second",
            "the goal of 20 000",
            20_000,
        )
    untrained = dict.fromkeys(("to", "from", "remove"), TIED)
    with TemporaryDirectory() as folder:
        encoder = find_encoder(find_game("morris"), "rawest")
        facts = {"game": "morris", "encoder": "rawest", "columns": encoder.layout.width, "order": "TFR"}
        save_student(Path(folder), "student", build_units(find_game("morris"), StudentOptions(), untrained), facts)
        yield Line(
            "a cascade of tied three blocks",
            _choices(f"student:{folder}"),
            "positions a second",
            "the goal of 20 000",
            20_000,
        )


def _lesson() -> Lesson:
    """Return random positions with random legal moves: speed does not ask whether they are good."""
    game, rng = find_game("morris"), np.random.default_rng(0)
    positions = reachable(game, 4096, rng)
    rows = rng.integers(0, size(positions), BATCH * BATCHES)
    moves = np.full(len(rows), 625, np.int32)
    examples = all_examples(lone_pairs(game, taken(positions, rows), moves, source=""), expansion="none")
    return make_lesson(examples, find_encoder(find_game("morris"), "rawest"), (0, 1, 2), legal=False)


def _unit(network: dict[str, Any]) -> Any:
    return build_units(find_game("morris"), StudentOptions(), dict.fromkeys(("to", "from", "remove"), network))[0]


def _bare(network: dict[str, Any], lesson: Lesson) -> float:
    """Return the rate of a loop that does nothing but learn, on data that lies ready."""
    unit = _unit(network).train()
    optimiser = torch.optim.Adam(unit.parameters(), lr=1e-4)
    ready = [
        (lesson.inputs[a : a + BATCH].float(), lesson.parts[a : a + BATCH, 0]) for a in range(0, len(lesson), BATCH)
    ]

    def work() -> float:
        for inputs, parts in ready:
            loss = nn.functional.cross_entropy(unit.network(inputs), parts)
            optimiser.zero_grad(set_to_none=True)
            loss.backward()
            optimiser.step()
        return float(len(lesson))

    return best_rate(work)


def _ours(network: dict[str, Any], lesson: Lesson) -> float:
    options = TrainingOptions(batch=BATCH, epochs=5, learning_rate=1e-4)
    events = train_moves(
        begin(_unit(network), options),
        lesson,
        replace(lesson, inputs=lesson.inputs[:1], parts=lesson.parts[:1]),
        options,
    )
    return max(event.examples_per_second for event in events if isinstance(event, Epoch))


def _choices(name: str) -> float:
    game = find_game("morris")
    player: Any = make_player(name, game)
    positions = unstacked(reachable(game, 2048, np.random.default_rng(1))) * 16
    player.prepare()
    return best_rate(lambda: float(len(player.choose(positions))), repeats=3)
