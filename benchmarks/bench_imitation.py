"""Imitation of chess at the scale of millions: examples a second of the whole pipeline beside a bare PyTorch loop.

Both train the network of `chess_human` with the same batches, by seconds of a core: ours takes each batch out of a
million positions at random and encodes it, the bare loop sees one batch that was encoded beforehand, again and again.
They take turns, so that whoever else is at work on the machine slows both.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from typing import Any

import numpy as np
import torch
from torch import nn

from benchmarks.bench_encoders import random_positions
from benchmarks.table import Line
from understudy.config import load_toml
from understudy.fetch.sources import STUDIES
from understudy.games import find_game
from understudy.games.batches import size, taken
from understudy.games.layout import find_encoder
from understudy.networks import build_units
from understudy.networks.students import StudentOptions
from understudy.records.examples import Examples
from understudy.trainers.fitting import TrainingOptions, begin, choose_threads, repeated_exactly
from understudy.trainers.objectives import Batch, Encoded, Lesson, Moves, make_lesson

LEAST = 0.87
"""The pipeline may take 15 % more time than the bare loop."""
ROWS, BATCH, STEPS, TURNS = 1 << 20, 512, 6, 10
EXPERIMENT = STUDIES / "watching" / "experiments" / "chess_human.toml"


def lines() -> Iterator[Line]:
    """Yield the rate of the pipeline with the bare loop's beside it."""
    choose_threads()
    settings = load_toml(EXPERIMENT)
    for precision in ("float32", "bfloat16"):
        ours, bare = measure(settings, precision)
        yield Line(f"learning from chess games, {precision}", ours, "examples a second", "a bare loop", bare, LEAST)


def measure(settings: dict[str, Any], precision: str) -> tuple[float, float]:
    """Return examples a second of the pipeline and of the bare loop, in the best of several turns each."""
    options = TrainingOptions(batch=BATCH, epochs=1, precision=precision, optimiser="adamw", learning_rate=1e-4)
    lesson, rates = make_rows(), ([0.0], [0.0])
    first, second = (_unit(settings) for _ in range(2))
    loops = _learn(first, lesson, options), _learn_bare(second, lesson, options)
    for _ in range(TURNS):
        for loop, seen in zip(loops, rates, strict=True):
            began = time.process_time()
            for _ in range(STEPS):
                next(loop)
            seen.append(STEPS * BATCH / (time.process_time() - began))
    return max(rates[0]), max(rates[1])


def make_rows() -> Lesson:
    """Return a million rows of random games, positions repeated as need be: speed does not ask whether they are new."""
    game, rng = find_game("chess"), np.random.default_rng(0)
    some = random_positions(20_000)
    rows = np.sort(rng.integers(0, size(some), ROWS))
    moves = rng.integers(0, 1 << 12, ROWS).astype(np.int32) << 3  # any cells, no promotion
    examples = Examples(game, taken(some, rows), moves, np.arange(ROWS))
    lesson = make_lesson(examples, find_encoder(game, "bitmap"), (0, 1, 2), legal=False)
    return Lesson(Encoded(find_encoder(game, "bitmap"), examples.positions), lesson.parts, None, lesson.starts, 64)


def _unit(settings: dict[str, Any]) -> Any:
    game = find_game("chess")
    student = StudentOptions(**settings["student"])
    return build_units(game, student, dict.fromkeys(game.part_names, settings["network"]))[0].train()


def _learn(unit: Any, lesson: Lesson, options: TrainingOptions) -> Iterator[None]:
    """Learn as a run does, a batch at a time."""
    moves, learning = Moves(unit, lesson, lesson, options), begin(unit, options)
    with repeated_exactly():
        for batch in moves.batches(0)[1]:
            graded = moves.grade(batch)
            learning.optimiser.zero_grad(set_to_none=True)
            graded.total.backward()  # type: ignore[no-untyped-call]
            learning.optimiser.step()
            yield


def _learn_bare(unit: Any, lesson: Lesson, options: TrainingOptions) -> Iterator[None]:
    """Do nothing but learn, always from the same batch."""
    rows = torch.arange(BATCH)
    batch = Batch(lesson.inputs[rows].float(), lesson.parts[rows], None)
    optimiser, half = begin(unit, options).optimiser, options.precision == "bfloat16"
    while True:
        with torch.autocast("cpu", torch.bfloat16, enabled=half):
            hidden, loss = unit.hidden(batch.inputs), torch.zeros(())
            for place in unit.places:
                before = [batch.parts[:, earlier] for earlier in range(place)]
                logits = unit.logits(place, hidden, before).float()
                loss = loss + nn.functional.cross_entropy(logits, batch.parts[:, place])
        optimiser.zero_grad(set_to_none=True)
        loss.backward()  # type: ignore[no-untyped-call]
        optimiser.step()
        yield
