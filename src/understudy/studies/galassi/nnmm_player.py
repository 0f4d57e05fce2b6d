"""The networks of Neural Nine Men's Morris as their authors published them: `nnmm:FOLDER/TFR`.

Three files `TFR_TO.npz`, `TFR_FROM.npz`, `TFR_REMOVE.npz` hold four layers each; the three letters tell the order in
which the networks decide, or the authors' texts beside them do (`nnmm_files.py`). The published networks are one
residual block (the further blocks of the papers were never wired). Nothing follows the sum of that block but a linear
layer, so its second half is folded into the output, at two thirds of the work. The authors computed in float64; we do
so only where float32 finds two classes nearly equal, which gives the same choices in half the time.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from understudy.errors import BadOption
from understudy.games import CompiledGame
from understudy.games.batches import OPEN, size, stacked, taken
from understudy.games.morris.legality import CLASSES
from understudy.players.checking import check_check, decide_parts, make_choices
from understudy.players.names import PlayerKind
from understudy.players.parts import in_part_order, think_by_parts
from understudy.protocols import Choice
from understudy.studies.galassi.nnmm_files import find_cascade, load_layers
from understudy.thoughts import Thought

CHUNK = 8192
"""Rows at a time: enough for BLAS, and the arrays between layers are still reused rather than mapped anew."""
CLOSE = 0.01
"""Classes whose log-probabilities differ by less are told apart in float64; float32 errs by less than 0.001."""


Array = NDArray[Any]


@dataclass(frozen=True, kw_only=True)
class NnmmOptions:
    """Where the weights are, and whether a choice is checked."""

    path: str = ""
    """A folder and the beginning of its files' names, such as weights/TFR; it ends in the three letters of the order
    unless the authors' texts stand beside the files."""
    check: str = "none"
    """`none`: play what the networks say, legal or not; `legal`: take the best class that leads to a legal move;
    `original`: as the authors' program did, which may end in a dead end."""


class Network(NamedTuple):
    """One network, its output layer folded back into the layers before it."""

    board: Array
    """[inputs, 200]: 90 inputs in what is published, other widths where a sidecar says so."""
    earlier: Array
    """[25 for each earlier network, 200]"""
    bias: Array
    middle: Array
    """[200, 300]"""
    middle_bias: Array
    across: Array
    """[200, 25]: around the block"""
    through: Array
    """[300, 25]: through the block"""
    output_bias: Array


class Nnmm:
    """Three published networks in cascade."""

    def __init__(self, game: CompiledGame, options: NnmmOptions, *, name: str, rng: np.random.Generator) -> None:
        if game.name != "morris":
            raise BadOption(f"{name}: these networks play morris, not {game.name}")
        check_check(game, options.check, f"check of {name!r}")
        self.name, self.game, self.check = name, game, options.check
        cascade = find_cascade(options.path, name)
        self.order, self.encoder, self.sidecars = cascade.order, cascade.encoder, cascade.sidecars
        width = self.encoder.layout.width
        self.exact = [fold_network(load_layers(cascade, part), width) for part in self.order]
        self.quick = [Network(*(array.astype(np.float32) for array in network)) for network in self.exact]
        self.corrections = np.zeros(3, np.int64)
        """How often each network's choice was not legal and another was taken."""

    def choose(self, positions: Sequence[Any], histories: Sequence[Sequence[Any]] | None = None) -> list[Choice]:
        """Choose a move in each position; without the check it may be none that the rules allow."""
        checked = decide_parts(self, stacked(positions), self.check)
        self.corrections += checked.corrected.sum(axis=0)
        return make_choices(self.game, checked)

    def think(self, position: Any, past: Sequence[Any] = ()) -> Thought:
        """Return the probabilities of all cells for each part, and of whole moves."""
        return think_by_parts(self, position, self.choose([position])[0])

    def score_parts(
        self, batch: Any, given: NDArray[np.int64] | None = None
    ) -> tuple[NDArray[np.float32], NDArray[np.int64]]:
        """Return log-probabilities [n, 3, 25] in cascade order, and the chosen TO, FROM, REMOVE [n, 3]."""
        rows = size(batch)
        scores, chosen = np.empty((rows, 3, CLASSES), np.float32), np.empty((rows, 3), np.int64)
        earlier = np.full((rows, 2), OPEN) if given is None else given
        for first in range(0, rows, CHUNK):
            part = slice(first, first + CHUNK)
            scores[part], chosen[part] = self._score(self.show(taken(batch, part)), earlier[part])
        return scores, in_part_order(chosen, self.order)

    def show(self, batch: Any) -> Array:
        """Return the bits of each position as the first layers see them."""
        return self.encoder.encode(batch).astype(np.float32)

    def _score(self, board: Array, given: NDArray[np.int64]) -> tuple[Array, NDArray[np.int64]]:
        """Return scores and choices in cascade order, all choices as float64 makes them."""
        scores, chosen = run_cascade(self.quick, board, given)
        best = scores.max(axis=2, keepdims=True)
        doubtful = ((scores > best - CLOSE).sum(axis=2) > 1).any(axis=1)
        if doubtful.any():
            scores[doubtful], chosen[doubtful] = run_cascade(self.exact, board[doubtful], given[doubtful])
        return scores, chosen


def run_cascade(networks: Sequence[Network], board: Array, given: NDArray[np.int64]) -> tuple[Array, NDArray[np.int64]]:
    """Return scores and choices of *networks* in their order; each sees what the earlier ones chose or were given."""
    kind = networks[0].board.dtype
    scores, chosen = np.empty((len(board), 3, CLASSES), kind), np.empty((len(board), 3), np.int64)
    for place, network in enumerate(networks):
        scores[:, place] = log_probabilities(network, board.astype(kind, copy=False), chosen[:, :place])
        chosen[:, place] = scores[:, place].argmax(axis=1)
        if place < 2:
            chosen[:, place] = np.where(given[:, place] == OPEN, chosen[:, place], given[:, place])
    return scores, chosen


def log_probabilities(network: Network, board: Array, seen: NDArray[np.int64]) -> Array:
    """Return the log-probability of each class [n, 25]; *seen* holds the earlier choices, to the network one-hots."""
    first = board @ network.board
    first += network.bias
    for place, choice in enumerate(seen.T):
        first += network.earlier[place * CLASSES + choice]
    logits = first @ network.across
    np.maximum(first, 0, out=first)
    middle = first @ network.middle
    middle += network.middle_bias
    logits += np.maximum(middle, 0, out=middle) @ network.through
    logits += network.output_bias
    logits -= logits.max(axis=1, keepdims=True)
    logits -= np.log(np.exp(logits).sum(axis=1, keepdims=True))
    return logits


def fold_network(layers: Sequence[Array], inputs: int) -> Network:
    """Return the network of eight arrays, of which the first sees *inputs* columns of the board."""
    first, bias, middle, middle_bias, last, last_bias, output, output_bias = layers
    return Network(
        board=first[:inputs],
        earlier=first[inputs:],
        bias=bias,
        middle=middle,
        middle_bias=middle_bias,
        across=output,
        through=last @ output,
        output_bias=last_bias @ output + output_bias,
    )


NNMM = PlayerKind(Nnmm, NnmmOptions, "path")
