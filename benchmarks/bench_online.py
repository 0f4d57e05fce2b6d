"""Learning while playing: games a second of the compiled loop, against the same loop with PyTorch tensors."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import torch

from benchmarks.table import Line, best_rate
from understudy.games import find_game
from understudy.games.boards import SCRATCH
from understudy.games.konane.inputs import encode
from understudy.games.konane.rules import movable_stones
from understudy.search.evaluators.sigmoid import layers
from understudy.trainers.online.pupils import OnlineOptions, Pupil, PupilOptions

SHAPES = {
    (4, "A"): (10, 200_000, 30.0), (4, "B"): (10, 200_000, 30.0), (4, "C"): (20, 200_000, 30.0),
    (6, "A"): (20, 1_000_000, 900.0), (6, "B"): (20, 1_000_000, 900.0), (6, "C"): (40, 1_000_000, 900.0),
}  # fmt: skip
"""For each board and representation the hidden units, the source's games, and the seconds they may take."""


def lines() -> Iterator[Line]:
    for (side, representation), (hidden, games, seconds) in SHAPES.items():
        rate = _ours(side, representation, hidden)
        name = f"{side}x{side} {representation}, {games // 1000} 000 games"
        yield Line(name, rate, "games a second", f"all of them in {seconds:.0f} s", games / seconds)
    for side, representation in ((4, "C"), (6, "B")):
        hidden = SHAPES[side, representation][0]
        ours, torchs = _ours(side, representation, hidden), _with_torch(side, representation, hidden)
        yield Line(f"{side}x{side} {representation}", ours, "games a second", "the loop with PyTorch", torchs, 100.0)


def _pupil(side: int, representation: str, hidden: int) -> Pupil:
    options = PupilOptions(representation=representation, hidden=(hidden,))
    return Pupil(find_game("konane", (side, side)), options, OnlineOptions(games=10**7))


def _ours(side: int, representation: str, hidden: int) -> float:
    """Return games a second, after the first few thousand: a student that plays better plays longer games."""
    pupil, share = _pupil(side, representation, hidden), 2000 if side == 4 else 500
    pupil.learn_until(5 * share)

    def work() -> float:
        pupil.learn_until(pupil.played + 5 * share)
        return 5.0 * share

    return best_rate(work, repeats=3)


def _with_torch(side: int, representation: str, hidden: int) -> float:
    game, pupil = find_game("konane", (side, side)), _pupil(side, representation, hidden)
    student = _Torch(pupil)
    rng = np.random.default_rng(0)
    number = 0

    def work() -> float:
        nonlocal number
        for _ in range(5):
            student.play(game, number, rng)
            number += 1
        return 5.0

    return best_rate(work, repeats=3)


class _Torch:
    """The thesis's procedure as one would write it with PyTorch: a step for each successor, plain SGD with momentum."""

    def __init__(self, pupil: Pupil) -> None:
        self.representation = pupil.network.representation
        self.inputs = pupil.sizes[0]
        self.network = torch.nn.Sequential()
        for weights, biases in layers(pupil.sizes, pupil.network.weights):
            layer = torch.nn.Linear(*weights.shape)
            with torch.no_grad():
                layer.weight.copy_(torch.from_numpy(weights.T.copy()))
                layer.bias.copy_(torch.from_numpy(biases.copy()))
            self.network.extend([layer, torch.nn.Sigmoid()])
        self.optimiser = torch.optim.SGD(self.network.parameters(), lr=0.01, momentum=0.01)
        self.scratch = np.zeros(SCRATCH, np.int32)

    def play(self, game: Any, number: int, rng: np.random.Generator) -> None:
        position = game.start()
        while moves := game.moves(position):
            place = int(rng.integers(len(moves)))
            if position.ply % 2 == number % 2:
                after = [game.play(position, move) for move in moves]
                boards = self._boards(after)
                with torch.no_grad():
                    place = int(self.network(boards).argmax())
                for board, target in zip(boards, map(self._target, after), strict=True):
                    self.optimiser.zero_grad()
                    (0.5 * (self.network(board) - target) ** 2).sum().backward()
                    self.optimiser.step()
            position = game.play(position, moves[place])

    def _boards(self, positions: list[Any]) -> torch.Tensor:
        out = np.zeros((len(positions), self.inputs), np.float32)
        for row, position in zip(out, positions, strict=True):
            encode(self.representation, position, 1, self.scratch, row)
        return torch.from_numpy(out)

    def _target(self, position: Any) -> float:
        mine, theirs = movable_stones(position, 1), movable_stones(position, 0)
        return mine / (mine + theirs) if theirs else 1.0
