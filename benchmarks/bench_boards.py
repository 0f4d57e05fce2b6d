"""Students of chess labels: learning against a bare PyTorch loop on ready-made tensors, one-ply choices, searching.

Ours encodes each batch when its turn comes, the bare loop finds its tensors ready. Both take turns, and the middle one
of the ratios of neighbours counts: what else runs on the machine then costs both alike.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
import torch
from torch import nn

from benchmarks.standings import random_standing
from benchmarks.table import Line, best_rate
from understudy.games import find_game
from understudy.games.batches import stacked
from understudy.games.chess.inputs.planes import typed
from understudy.games.chess.inputs.standings import ROWS
from understudy.games.chess.learning.labels import Labelled, save_board_student, shown, suffix_of, train_labels
from understudy.games.chess.learning.networks import Sums, make_network
from understudy.lab.experiments import load_experiment, shipped
from understudy.lab.options.labels import Lesson
from understudy.players import make_player
from understudy.players.looking import Limits, search
from understudy.search.evaluators import quiescent
from understudy.trainers.fitting import Epoch, begin

EXPERIMENT = shipped()["chess_sabatelli"]
LEARNED = {"mlp_bitmap_1": 6_400, "cnn_bitmap_1": 6_400, "standings": 65_536}
"""Examples of an epoch."""
PLAYED = ("standings", "mlp_bitmap_1")
REPEATS = 5
HIDDEN, STAGES, NODES = 256, (4,), 100_000
OVERHEAD = 1 / 1.15
"""Learning may take 15 % longer than the bare loop."""


def lines() -> Iterator[Line]:
    lessons = {lesson.name: lesson for lesson in load_experiment(EXPERIMENT).lessons}
    for name, count in LEARNED.items():
        yield _learning(lessons[name], count)
    yield _summing(lessons["standings"])
    for name in PLAYED:
        yield from _choosing(lessons[name])
    yield from _searching()


def _positions(count: int) -> list[Any]:
    """Return positions of random games, some of them twice if many are asked for."""
    game, rng, found = find_game("chess"), np.random.default_rng(0), list[Any]()
    while len(found) < min(count, 4096):
        position = game.start()
        for _ in range(80):
            moves = game.moves(position)
            if not moves:
                break
            found.append(position)
            position = game.play(position, moves[rng.integers(len(moves))])
    return (found * (count // len(found) + 1))[:count]


def _network(lesson: Lesson) -> nn.Module:
    torch.manual_seed(0)
    return make_network(lesson.network, planes=lesson.inputs.planes, outputs=lesson.dataset.outputs)


def _learning(lesson: Lesson, count: int) -> Line:
    batch = typed(stacked(_positions(count)))
    classes = lesson.dataset.classes
    targets = torch.randint(classes, (count,)) if classes else torch.rand(count)
    labelled = Labelled(batch, targets, lesson.inputs, lesson.dataset)
    pairs = [_pair(lesson, labelled, ours_first=turn % 2 == 0) for turn in range(REPEATS + 1)][1:]
    ours, bare = sorted(pairs, key=lambda pair: pair[0] / pair[1])[REPEATS // 2]
    return Line(f"learning labels, {lesson.name}", ours, "examples a second", "a bare PyTorch loop", bare, OVERHEAD)


def _pair(lesson: Lesson, labelled: Labelled, *, ours_first: bool) -> tuple[float, float]:
    if ours_first:
        ours = _ours(lesson, labelled)
        return ours, _bare(lesson, labelled)
    bare = _bare(lesson, labelled)
    return _ours(lesson, labelled), bare


def _ours(lesson: Lesson, labelled: Labelled) -> float:
    options = replace(lesson.training, epochs=1, minutes=None, validation_rows=1)
    events = list(train_labels(begin(_network(lesson), options), labelled, labelled, options))
    return next(event.examples_per_second for event in events if isinstance(event, Epoch))


def _bare(lesson: Lesson, labelled: Labelled) -> float:
    """Return the rate of a loop that does nothing but learn, on data that lies ready."""
    network, size = _network(lesson).train(), lesson.training.batch
    optimiser = begin(network, lesson.training).optimiser
    firsts = range(0, len(labelled) - size + 1, size)
    ready = [shown(labelled.positions, np.arange(first, first + size), lesson.inputs) for first in firsts]
    began = time.perf_counter()
    for first, inputs in zip(firsts, ready, strict=True):
        targets, said = labelled.targets[first : first + size], network(inputs)
        if lesson.dataset.classes:
            loss = nn.functional.cross_entropy(said, targets)
        else:
            loss = nn.functional.binary_cross_entropy_with_logits(said[:, 0], targets)
        optimiser.zero_grad(set_to_none=True)
        loss.backward()  # type: ignore[no-untyped-call]
        optimiser.step()
    return len(ready) * size / (time.perf_counter() - began)


def _summing(lesson: Lesson) -> Line:
    """Add up rows and give gradients back, by our kernels and by PyTorch's bag of embeddings."""
    count = 4096
    present = shown(typed(stacked(_positions(count))), np.arange(count), lesson.inputs)
    gradients, bag = torch.randn(count, HIDDEN), nn.EmbeddingBag(ROWS + 1, HIDDEN, mode="sum", padding_idx=ROWS)
    weights = bag.weight.detach()[:ROWS].clone().requires_grad_()

    def ours() -> float:
        (Sums.apply(present, weights, ROWS) * gradients).sum().backward()  # type: ignore[no-untyped-call]
        return float(count)

    def theirs() -> float:
        (bag(present) * gradients).sum().backward()
        return float(count)

    rates = [best_rate(work, repeats=REPEATS) for work in (ours, theirs)]
    return Line(
        f"sums of rows, {HIDDEN} units, and back", rates[0], "positions a second", "PyTorch's bag", rates[1], 2.0
    )


def _choosing(lesson: Lesson) -> Iterator[Line]:
    game = find_game("chess")
    with TemporaryDirectory() as folder:
        network = _network(lesson)
        path = Path(folder) / f"student.{suffix_of(network)}"
        facts = {"game": "chess", "size": "8x8", "kind": "labels", "inputs": vars(lesson.inputs),
                 "dataset": lesson.dataset.name}  # fmt: skip
        save_board_student(path, network, facts, planes=lesson.inputs.planes, outputs=lesson.dataset.outputs)
        player: Any = make_player(f"student:{path}", game)
        player.prepare()
        asked = [position for position in _positions(2048)[::8] if game.moves(position)][:192]
        single = best_rate(lambda: float(sum(len(player.choose([position])) for position in asked)), repeats=3)
        yield Line(f"student {lesson.name}, one board", single, "choices a second", "the goal of 200", 200)
        parts = [asked[first : first + 64] for first in range(0, len(asked), 64)]
        many = best_rate(lambda: float(sum(len(player.choose(part)) for part in parts)), repeats=3)
        yield Line(f"student {lesson.name}, 64 boards", many, "choices a second", "the goal of 2000", 2000)


def _searching() -> Iterator[Line]:
    """Search with a network of standings; a random one plays captures out as nobody would, but costs the same."""
    game, plain = find_game("chess"), random_standing(HIDDEN, rng=np.random.default_rng(0), stages=STAGES)
    start = game.read("r1bqkbnr/pppp1ppp/2n5/4p3/2B1P3/5N2/PPPP1PPP/RNBQK2R b KQkq - 3 3")
    for name, evaluator in (("", plain), (", captures played out", quiescent(plain))):
        search(game, start, evaluator, limits=Limits(1, nodes=1000))
        rate = best_rate(lambda judge=evaluator: float(_nodes(game, start, judge)), repeats=3)  # type: ignore[misc]
        yield Line(f"search, standings of {HIDDEN} units{name}", rate, "nodes a second", "a hundred thousand", 100_000)


def _nodes(game: Any, position: Any, evaluator: Any) -> int:
    return search(game, position, evaluator, limits=Limits(40, nodes=NODES)).nodes
