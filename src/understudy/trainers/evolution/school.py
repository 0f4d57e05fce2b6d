"""School before evolution: a network learns from how games ended, its teacher's first and then its own.

Round by round the network plays itself, looking a few plies ahead, and PyTorch moves its weights towards the
outcomes of the latest rounds' games. The weights are those of a chromosome, so evolution can go on from there. Every
game teaches some thirty positions; a tournament teaches a chromosome one bit.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from understudy.backends.shared import Shared
from understudy.games import find_kind
from understudy.games.kind import ONGOING
from understudy.games.rules import count, moves, outcome, play
from understudy.kernels import kernel
from understudy.protocols import Backend
from understudy.search.choosers import Room, choose
from understudy.search.evaluators.chromosome import Plan
from understudy.search.evaluators.perceptron import MOST_COUNTED
from understudy.search.memory import below
from understudy.trainers.evolution.arena import Stage, contender_of, ready_for
from understudy.trainers.evolution.breeding import Alleles, usual_weights
from understudy.trainers.evolution.evolver import CHUNK, SchoolOptions

THOUSAND = 1000


@dataclass(frozen=True, kw_only=True, eq=False)
class Practice:
    """Games of a player against itself."""

    stage: Stage
    player: str | Alleles | Shared[Alleles]
    """By name, or a chromosome."""
    games: int
    opening_plies: int
    """At most so many random plies, at least two, come before the player chooses."""
    chance: int
    """Of a thousand later moves so many are random too."""
    seed: tuple[int, ...]


class Practised(NamedTuple):
    """Positions that were played, as the side to move saw them, and how their games ended for it: -1, 0 or 1."""

    mine: NDArray[np.uint64]
    theirs: NDArray[np.uint64]
    results: NDArray[np.int8]


def play_practice(task: Practice) -> Practised:
    """Play the games of a task."""
    stage, rng = task.stage, np.random.default_rng(task.seed)
    ready, player = ready_for(stage, rng), contender_of(stage, task.player, rng)
    most = task.games * stage.limit
    kept = Practised(np.zeros(most, np.uint64), np.zeros(most, np.uint64), np.zeros(most, np.int8))
    filled = 0
    for _ in range(task.games):
        opening = int(rng.integers(2, max(task.opening_plies, 2) + 1))
        filled = practised(ready.game.start(), player, opening, task.chance, stage.limit, ready.room, kept, filled)
    return Practised(kept.mine[:filled], kept.theirs[:filled], kept.results[:filled])


@kernel
def practised(
    start: Any, player: Any, opening: int, chance: int, limit: int, room: Room, kept: Practised, filled: int
) -> int:
    """Play a game and write its positions from *filled* on; return how many are then there in all."""
    position, plies, first = start, 0, filled
    result = outcome(position, count(position))
    while result == ONGOING and plies < limit:
        if plies < opening or below(room.random_state, THOUSAND) < chance:
            place = below(room.random_state, moves(position, room.codes))
        else:
            place = choose(player, position, room)
        position = play(position, room.codes[place])
        plies += 1
        result = outcome(position, count(position))
        if result == ONGOING and plies > opening:
            kept.mine[filled], kept.theirs[filled] = position.mine, position.theirs
            kept.results[filled] = position.ply & 1
            filled += 1
    ending = 0 if result == ONGOING else result
    for row in range(first, filled):
        kept.results[row] = ending if kept.results[row] == position.ply & 1 else -ending
    return filled


def practise(
    stage: Stage, options: SchoolOptions, alleles: Alleles | None, number: int, *, backend: Backend
) -> Iterator[Practised]:
    """Yield the games of round *number*, in parts: the teacher's at first, then those of the network so far."""
    games = options.games * (2 if number == 0 else 1)
    player = options.teacher if alleles is None else Shared(alleles)
    tasks = [
        Practice(
            stage=stage, player=player, games=min(CHUNK, games - first),
            opening_plies=options.opening_plies, chance=options.chance, seed=(options.seed, 0x5C0, number, first),
        )
        for first in range(0, games, CHUNK)
    ]  # fmt: skip
    return iter(backend.map(play_practice, tasks))


def joined(parts: Sequence[Practised]) -> Practised:
    """Return the positions of several parts as one."""
    return Practised._make(np.concatenate(fields) for fields in zip(*parts, strict=True))


class Pupil(nn.Module):
    """The network of a chromosome, ready to learn: its weights are the alleles."""

    def __init__(self, plan: Plan, alleles: Alleles) -> None:
        super().__init__()
        inputs = plan.inputs
        self.plan = plan
        self.alleles = nn.Parameter(torch.tensor(alleles, dtype=torch.float32))
        self.linear = torch.tensor(inputs.linear.T, dtype=torch.float32)
        self.empty = torch.tensor(inputs.empty, dtype=torch.float32)
        self.places = torch.tensor(inputs.counted, dtype=torch.int64)

    def forward(self, mine: Tensor, theirs: Tensor, numbers: Tensor) -> Tensor:
        """Return what the network adds up for positions: stones of either side [n, 64], numbers about both [n, 2w]."""
        width = self.plan.inputs.width
        turned = torch.cat([numbers[:, width:], numbers[:, :width]], 1)
        seen = self._view(torch.cat([mine, theirs], 1), numbers)
        return seen - self._view(torch.cat([theirs, mine], 1), turned) if self.plan.both else seen

    def _view(self, stones: Tensor, numbers: Tensor) -> Tensor:
        table = self.alleles[:-1].reshape(self.plan.rows + 2, self.plan.hidden)
        weights, count = table[torch.from_numpy(self.plan.classes)], len(self.plan.inputs.linear)
        sums = stones @ (self.linear @ weights[:count]) + self.empty @ weights[:count] + table[-1]
        if len(self.places):
            sums = sums + numbers[:, self.places] @ weights[count:]
        return torch.tanh(sums) @ table[-2] + self.alleles[-1]


def first_alleles(plan: Plan, seed: int) -> Alleles:
    """Return small random weights to start from."""
    return np.random.default_rng([seed, 0x5C1]).normal(0, 0.5, plan.length) * usual_weights(plan.fan_in())


def learn(plan: Plan, alleles: Alleles, played: Practised, options: SchoolOptions, *, number: int, stage: Stage) -> Any:
    """Return the alleles after a round of lessons, and the mean squared error of its last pass."""
    rng = np.random.default_rng([options.seed, 0x5C2, number])
    pupil = Pupil(plan, alleles)
    batch = max(1, min(options.batch, len(played.results)))
    steps = options.passes * (len(played.results) // batch)
    fitter = torch.optim.Adam(pupil.parameters(), options.rate)
    pace = torch.optim.lr_scheduler.OneCycleLR(fitter, options.rate, total_steps=max(steps, 10) + 1, pct_start=0.1)
    errors: list[float] = []
    for _ in range(options.passes):
        order = rng.permutation(len(played.results))
        errors = []
        for first in range(0, len(order) - batch + 1, batch):
            mine, theirs, numbers, results = _lesson(plan, played, order[first : first + batch], stage, rng)
            error = ((torch.tanh(pupil(mine, theirs, numbers)) - results) ** 2).mean()
            fitter.zero_grad()
            error.backward()  # type: ignore[no-untyped-call]
            fitter.step()
            pace.step()
            errors.append(error.item())
    learned: Alleles = pupil.alleles.detach().numpy().astype(np.float64)
    return learned, float(np.mean(errors)) if errors else None


def _lesson(
    plan: Plan, played: Practised, rows: NDArray[np.int64], stage: Stage, rng: np.random.Generator
) -> tuple[Tensor, Tensor, Tensor, Tensor]:
    """Return some positions as the network sees them, all turned by one symmetry of the board."""
    own, size = find_kind(stage.game).load("network_inputs"), stage.size[0]
    mine, theirs = played.mine[rows], played.theirs[rows]
    numbers = np.zeros((len(rows), MOST_COUNTED), np.float32)
    if plan.inputs.kinds:
        own.count_all(mine, theirs, size, plan.inputs.kinds, numbers)
    turned = own.turns(size)[int(rng.integers(8))][:64]
    shown = (torch.from_numpy(_bits(stones)[:, turned]) for stones in (mine, theirs))
    results = torch.from_numpy(played.results[rows].astype(np.float32))
    return (*shown, torch.from_numpy(numbers[:, : 2 * plan.inputs.width]), results)  # type: ignore[return-value]


def _bits(stones: NDArray[np.uint64]) -> NDArray[np.float32]:
    bits: NDArray[np.float32] = ((stones[:, None] >> np.arange(64, dtype=np.uint64)) & np.uint64(1)).astype(np.float32)
    return bits
