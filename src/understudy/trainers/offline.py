"""Offline learning (Miller 2010, figure 2): a network is fitted to a table of positions by plain back-propagation.

No momentum, no decay: after each pattern, or small batch, every weight moves by the rate times the gradient of half
the squared error, summed over the batch, as the source's program did it pattern by pattern. The rate falls in steps.
The gradient is written out, layer by layer: networks are so small that recording a graph would cost five times as much.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor
from torch.nn import functional

from understudy.config import check_range
from understudy.errors import BadOption, FileError, understood
from understudy.games.batches import size, taken
from understudy.games.boards import SCRATCH, Boards
from understudy.networks.students import ValueNetwork
from understudy.records.examples import orbit_names
from understudy.records.tables import Tabled
from understudy.tensors import load_arrays, save_arrays
from understudy.trainers.objectives import Valued

ROWS = 65_536
"""Boards looked at together in an examination."""


@dataclass(frozen=True, kw_only=True)
class FittingOptions:
    """The `[training]` section of an offline experiment."""

    rates: tuple[float, ...] = (0.2, 0.05, 0.01)
    """Learning rates, one after another."""
    cycles: int = 100
    """How often all positions are shown at each rate."""
    batch: int = 1
    """Patterns between two changes of the weights."""
    images: bool = False
    """Show a position in one of its images, another by chance in each cycle."""
    seed: int = 0


class Cycle(NamedTuple):
    """What is known after all positions were shown once more."""

    cycle: int
    rate: float
    learned: float
    """Mean squared error on the positions that are learned from."""
    held_out: float
    """And on those that are not."""


@dataclass
class Fit:
    """A network being fitted, and how it went so far."""

    network: ValueNetwork
    cycles: list[Cycle] = field(default_factory=list)


def check_fitting(options: FittingOptions) -> None:
    """Raise unless every option has a value it can take."""
    if not options.rates:
        raise BadOption("training.rates must hold at least one learning rate, not none")
    for rate in options.rates:
        check_range("training.rates", rate, 1e-9, 100)
    for name, low, high in (("cycles", 1, 10**6), ("batch", 1, 10**7), ("seed", 0, 2**31)):
        check_range(f"training.{name}", getattr(options, name), low, high)


def fit(
    state: Fit, shown: Callable[[int], Valued], learned: Valued, held_out: Valued, options: FittingOptions
) -> Iterator[Cycle]:
    """Yield after each cycle until all are done; *shown* says what is seen in each, *learned* how it is examined."""
    while len(state.cycles) < options.cycles * len(options.rates):
        cycle = len(state.cycles)
        rate = options.rates[cycle // options.cycles]
        show_all(state.network, shown(cycle), rate, batch=options.batch, seed=[options.seed, cycle])
        state.cycles.append(Cycle(cycle, rate, error(state.network, learned), error(state.network, held_out)))
        yield state.cycles[-1]


def show_all(network: ValueNetwork, lesson: Valued, rate: float, *, batch: int, seed: list[int]) -> None:
    """Show every pattern once, in random order."""
    order = torch.from_numpy(np.random.default_rng(seed).permutation(len(lesson.values)))
    inputs, values = lesson.inputs[order], lesson.values[order, None]
    with torch.inference_mode():
        for row in range(0, len(order), batch):
            learn(network, inputs[row : row + batch], values[row : row + batch], rate)


def learn(network: ValueNetwork, inputs: Tensor, values: Tensor, rate: float) -> None:
    """Take one step: forward, then back from the last layer to the first, changing each layer's weights on the way."""
    layers: list[Any] = list(network.layers)
    outputs = [inputs]
    for layer in layers[:-1]:
        outputs.append(network.units(functional.linear(outputs[-1], layer.weight, layer.bias)))
    answer = torch.sigmoid(functional.linear(outputs[-1], layers[-1].weight, layers[-1].bias))
    blame = (answer - values) * answer * (1 - answer)
    for place in range(len(layers) - 1, -1, -1):
        layer, below = layers[place], outputs[place]
        passed = torch.mm(blame, layer.weight) * network.slope(below) if place else blame
        layer.weight.addmm_(blame.T, below, alpha=-rate)
        layer.bias.sub_(blame.sum(0), alpha=rate)
        blame = passed


def error(network: ValueNetwork, examination: Valued) -> float:
    """Return the mean squared error; nan of nothing."""
    return float(squares(network, examination).mean())


def squares(network: ValueNetwork, examination: Valued) -> Tensor:
    """Return the squared error on each board."""
    return (answers(network, examination) - examination.values).square()


def answers(network: ValueNetwork, examination: Valued) -> Tensor:
    """Return what a network says of each board, from 0 to 1."""
    network.eval()
    with torch.no_grad():
        return torch.cat([torch.sigmoid(network(inputs)) for inputs in torch.split(examination.inputs, ROWS)])


def save_fit(path: Path, state: Fit, fingerprint: str) -> None:
    """Write all that going on needs: the weights and what was measured; plain back-propagation remembers no more."""
    arrays = {f"weights.{name}": weight.detach().numpy() for name, weight in state.network.state_dict().items()}
    save_arrays(path, arrays | {"cycles": np.array(state.cycles).reshape(-1, len(Cycle._fields))},
                {"fingerprint": fingerprint})  # fmt: skip


def load_fit(path: Path, state: Fit, fingerprint: str) -> bool:
    """Put *state* where a file left it; False if there is none for the same training."""
    if not path.exists():
        return False
    arrays, facts = load_arrays(path, "fitted network")
    if facts.get("fingerprint") != fingerprint:
        return False
    own = state.network.state_dict()
    shapes = {f"weights.{name}": tuple(weight.shape) for name, weight in own.items()}
    cycles = arrays.get("cycles", np.zeros(0))
    whole = cycles.ndim == 2 and cycles.shape[1] == len(Cycle._fields) and bool(np.isfinite(cycles[:, 0]).all())
    if not whole or any(name not in arrays or arrays[name].shape != shape for name, shape in shapes.items()):
        raise FileError(f"{str(path)!r} does not hold a fitted network of this shape; delete it to train anew")
    with understood(f"the fitted network {str(path)!r}"):
        state.network.load_state_dict({name: torch.from_numpy(arrays[f"weights.{name}"]) for name in own})
    state.cycles = [Cycle(int(row[0]), *map(float, row[1:])) for row in cycles]
    return True


class Examples(NamedTuple):
    """Positions with what they are worth to who has just moved."""

    turned: Sequence[Any]
    """The batch of positions in each of its images, as it stands first."""
    values: NDArray[np.float32]
    visits: NDArray[np.int64]
    finished: NDArray[np.bool_]


class Sight(NamedTuple):
    """How a network sees boards."""

    boards: Boards
    """The encoders of a game."""
    representation: str
    size: tuple[int, int]

    @property
    def number(self) -> int:
        """The number of the representation."""
        return int(self.boards.find_representation(self.representation, *self.size))

    @property
    def inputs(self) -> int:
        """How many inputs a board has."""
        return int(self.boards.input_count(self.number, *self.size))


def split(table: Tabled, *, held_out: float, finished: bool, visits: int, seed: int) -> tuple[Examples, Examples]:
    """Return what is learned from and what is held out; images of one position are on the same side."""
    over = table.game.batches.finished(table.positions)
    kept = (table.visits >= visits) & (finished | ~over)
    apart = _drawn(orbit_names(table.game, table.positions), seed) < held_out
    return _some(table, over, kept & ~apart), _some(table, over, kept & apart)


def valued(examples: Examples, sight: Sight, *, images: Sequence[int] | None = None) -> Valued:
    """Return examples as a network sees them; with *images*, a seed, each in one of its images by chance."""
    positions = examples.turned[0]
    if images is not None:
        rows = np.arange(size(positions))
        chosen = np.random.default_rng([*images, 0x17A6E]).integers(len(examples.turned), size=len(rows))
        mine, theirs = (np.stack([getattr(batch, side) for batch in examples.turned]) for side in ("mine", "theirs"))
        positions = positions._replace(mine=mine[chosen, rows], theirs=theirs[chosen, rows])
    inputs = np.zeros((size(positions), sight.inputs), np.float32)
    sight.boards.encode_boards(sight.number, positions, np.zeros(SCRATCH, np.int32), inputs)
    return Valued(torch.from_numpy(inputs), torch.from_numpy(examples.values))


def _some(table: Tabled, over: NDArray[np.bool_], rows: NDArray[np.bool_]) -> Examples:
    positions = taken(table.positions, rows)
    return Examples(
        table.game.batches.images(positions), table.values[rows].astype(np.float32), table.visits[rows], over[rows]
    )


def _drawn(names: NDArray[np.uint64], seed: int) -> NDArray[np.float64]:
    """Return a number from 0 to 1 for each name, as good as drawn by chance, the same for the same name and seed."""
    words = (names ^ np.uint64(seed)) * np.uint64(0x9E3779B97F4A7C15)
    return (words ^ (words >> np.uint64(29))).astype(np.float64) / 2.0**64
