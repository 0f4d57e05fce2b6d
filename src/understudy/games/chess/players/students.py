"""Students that learned an engine's labels of positions: one ply, every successor valued in one batch.

After Sabatelli (2017), section 8.1: all successors are valued and the best is played, nothing deeper. A successor is
seen by the other side, so its value is turned round. What the rules decide is never asked: a mate is taken, and a
successor that is a draw by stalemate, repetition, the clock or too few pieces is worth nothing; nor is one that was
there before, so that someone who is winning goes on.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from understudy.config import build
from understudy.errors import BadOption, FileError, UnknownName
from understudy.games import CompiledGame
from understudy.games.batches import size, stacked
from understudy.games.chess.batches import DRAW, rule_successors
from understudy.games.chess.batches import MATE as WON
from understudy.games.chess.datasets import CLIP, WIDTH, find_dataset, likeliest_pawns, pawns_of
from understudy.games.chess.evaluators import FIELDS, Standing, standing
from understudy.games.chess.inputs.planes import ChessInputs, encode, encode_successors
from understudy.games.chess.inputs.standings import MOST, encode_standings
from understudy.games.rows import typed
from understudy.players.looking import repeated
from understudy.players.network import StudentPlayerOptions
from understudy.players.searcher import Searcher
from understudy.players.student_files import check_board, load_session, run_session
from understudy.players.students import LIMITS, SEARCHES, Way, looking
from understudy.protocols import Choice, Move
from understudy.search.evaluators import quiescent
from understudy.tensors import load_arrays, load_facts
from understudy.thoughts import Thought, Weighed

LABELS = "labels"
"""What the file of such a student says of itself."""
MATE = 2 * CLIP
"""What a mate is worth, in pawns: more than any network says."""
ROWS = 256
"""Boards valued at once; what the layers of more say does not fit into a core's cache."""
VALUED = {"mean": pawns_of, "likeliest": likeliest_pawns}
"""What the classes of a position are worth together, by the option `classes`."""
AGAIN = 1
"""A position that was there this often counts as a draw: the other side's next move may bring it back once more."""


class BoardStudent:
    """A network that says how many pawns a position is worth, as a player."""

    def __init__(
        self, game: CompiledGame, session: Any, facts: Mapping[str, Any], *, name: str, rng: np.random.Generator,
        classes: str = "mean",
    ) -> None:  # fmt: skip
        check_board(facts, game, name)
        self.name, self.game, self.rng, self.session = name, game, rng, session
        self.inputs: ChessInputs = build(ChessInputs, facts.get("inputs", {}), place=f"the student {name!r}")
        self.dataset = find_dataset(str(facts.get("dataset")), int(facts.get("bins", 0)))
        self._value = find_way_to_value(classes, bool(self.dataset.classes), name)
        _check_shapes(session, self.inputs.planes, self.dataset.outputs, name)
        self._codes = np.zeros(game.most_moves, np.int32)
        self._names, self._ends = np.zeros(game.most_moves, np.uint64), np.zeros(game.most_moves, np.int8)
        self._planes = np.zeros((game.most_moves, self.inputs.planes, 64), np.float32)

    def choose(self, positions: Sequence[Any], histories: Sequence[Sequence[Any]] | None = None) -> list[Choice]:
        """Choose in all positions at once."""
        pasts = histories if histories is not None else [()] * len(positions)
        moves, boards = zip(*(self._successors(position) for position in positions), strict=True)
        values = -self._valued(np.concatenate(boards))
        if self.inputs.perspective == "white":  # such a network speaks for White, whoever is to move
            values *= np.repeat(
                [1 if position.ply % 2 else -1 for position in positions], [len(codes) for codes in moves]
            )
        choices, first = [], 0
        for position, past, codes in zip(positions, pasts, moves, strict=True):
            own = values[first : first + len(codes)]
            first += len(codes)
            choices.append(self._best(self._ruled(position, past, codes, own)))
        return choices

    def prepare(self) -> None:
        """Have the kernels compiled and the session warm before any clock runs."""
        self.choose([self.game.start()])

    def think(self, position: Any, past: Sequence[Any] = ()) -> Thought:
        """Return what every legal move is worth, also in pawns, which is what the network learned to say."""
        choice = self.choose([position], [past])[0]
        pawns = choice.scores or {}
        ranked = sorted(pawns, key=lambda move: (move != choice.move, -pawns[move]))
        return Thought(
            player=self.name, game=self.game, position=position, kind="value", choice=choice, value=choice.value,
            moves=tuple(Weighed(move, _expected(pawns[move]), note=_write_pawns(pawns[move])) for move in ranked),
            depth=1,
        )  # fmt: skip

    def value(self, positions: Sequence[Any]) -> NDArray[np.float64]:
        """Return what the network says of positions themselves, in pawns for their movers."""
        planes = encode(stacked(positions), self.inputs).reshape(len(positions), self.inputs.planes, 64)
        values = self._valued(planes.astype(np.float32))
        turned = self.inputs.perspective == "white"
        return np.where([turned and position.ply % 2 == 1 for position in positions], -values, values)

    def _successors(self, position: Any) -> tuple[NDArray[np.int32], NDArray[np.float32]]:
        count = encode_successors(position, self._codes, self.inputs.plan, self._planes)
        return self._codes[:count].copy(), self._planes[:count].copy()

    def _valued(self, boards: NDArray[np.float32]) -> NDArray[np.float64]:
        """Return what the network says of boards [boards, planes, 64], in pawns."""
        planes = boards.reshape(len(boards), self.inputs.planes, 8, 8)
        parts = (planes[row : row + ROWS] for row in range(0, len(planes), ROWS))
        outputs = [run_session(self.session, {"inputs": part}, self.name)[0] for part in parts]
        return self._value(self.dataset, np.concatenate(outputs))

    def _ruled(
        self, position: Any, past: Sequence[Any], codes: NDArray[np.int32], valued: NDArray[np.float64]
    ) -> dict[Move, float]:
        """Return the value of each move, by the rules where they decide."""
        names, ends = self._names[: len(codes)], self._ends[: len(codes)]
        rule_successors(position, codes, names, ends)
        again = np.isin(names, np.array(repeated(self.game, [*past, position], again=AGAIN), np.uint64))
        values = np.select([ends == WON, (ends == DRAW) | again], [MATE, 0.0], valued)
        return dict(zip(codes.tolist(), values.tolist(), strict=True))

    def _best(self, values: dict[Move, float]) -> Choice:
        """Return the most valued move, of equals one by chance."""
        highest = max(values.values())
        best = [move for move, value in values.items() if value == highest]
        move = best[0] if len(best) == 1 else best[self.rng.integers(len(best))]
        return Choice(move, _expected(highest), values)


def find_way_to_value(classes: str, has_classes: bool, name: str) -> Callable[..., NDArray[np.float64]]:
    """Return what makes pawns of a network's outputs."""
    if classes not in VALUED:
        raise UnknownName("classes", classes, VALUED)
    if classes != "mean" and not has_classes:
        raise BadOption(f"player {name!r}: it learned a number, not classes, so it takes no classes={classes}")
    return VALUED[classes]


def _expected(pawns: float) -> float:
    """Return the result that is expected of an advantage."""
    return math.tanh(pawns / (2 * WIDTH))


def _write_pawns(pawns: float) -> str:
    return "mate" if pawns == MATE else f"{pawns:+.2f} pawns"


def _check_shapes(session: Any, planes: int, outputs: int, name: str) -> None:
    """Raise unless a network takes the planes and says the numbers that its file tells of."""
    shapes = [list(face[0].shape[1:]) for face in (session.get_inputs(), session.get_outputs())]
    if shapes != [[planes, 8, 8], [outputs]]:
        raise FileError(
            f"the student {name!r} cannot be read: its network goes from {shapes[0]} to {shapes[1]}, "
            f"its facts say from {[planes, 8, 8]} to {[outputs]}"
        )


def standing_evaluator(path: Path, game: CompiledGame, name: str) -> Standing:
    """Return the network of a student that sees standings as an evaluator, in centipawns."""
    arrays, facts = load_arrays(path, "student")
    check_board(facts, game, name)
    if missing := [field for field in FIELDS if field not in arrays]:
        raise FileError(f"the student {str(path)!r} cannot be read: its weights lack {missing[0]!r}")
    dataset = find_dataset(str(facts.get("dataset")))
    factor, shift = (100.0 * WIDTH, 0.0) if dataset.logistic else (200.0 * CLIP, -100.0 * CLIP)
    return standing(arrays, factor=factor, shift=shift, place=str(path))


class StandingStudent(Searcher):
    """A student that sees how pieces stand: its values are centipawns, as its data set draws them together."""

    def __init__(self, game: CompiledGame, options: Any, facts: Mapping[str, Any], **settings: Any) -> None:
        super().__init__(game, options, **settings)
        self.dataset, self.fingerprint = find_dataset(str(facts.get("dataset"))), str(facts.get("fingerprint"))


def _standing(
    game: CompiledGame, path: Path, options: StudentPlayerOptions, *, name: str, rng: np.random.Generator
) -> Searcher:
    """Return a student that sees how pieces stand: one ply, or as far as it is told, captures played out."""
    evaluator: Any = standing_evaluator(path, game, name)
    chosen = looking(options, 1)
    if chosen.depth != 1 if options.quiescence is None else options.quiescence:
        evaluator = quiescent(evaluator)
    facts = load_facts(path, "student")
    return StandingStudent(game, chosen, facts, name=name, rng=rng, evaluator=evaluator, again=AGAIN)


def _boards(
    game: CompiledGame, path: Path, options: StudentPlayerOptions, *, name: str, rng: np.random.Generator
) -> BoardStudent:
    """Return a student that learned an engine's labels."""
    session, facts = load_session(path)
    return BoardStudent(game, session, facts, name=name, rng=rng, classes=options.classes)


def _export_standing(game: CompiledGame, path: Path) -> Any:
    """Return the network of a student that sees standings as an ONNX graph."""
    from understudy.games.chess.learning.exports import export_standing  # players do without PyTorch, and without onnx

    return export_standing(standing_evaluator(path, game, str(path)))


def _feed_standing(game: CompiledGame, path: Path, batch: Any) -> dict[str, NDArray[Any]]:
    """Return what that graph is given of a batch of positions."""
    present = np.empty((size(batch), MOST), np.int32)
    encode_standings(typed(batch), np.arange(size(batch)), present)
    pieces = np.bitwise_count(np.asarray(batch.mine, np.uint64) | np.asarray(batch.theirs, np.uint64))
    return {"standings": present.astype(np.int64), "pieces": pieces.astype(np.int64)}


INSIDE = {
    LABELS: Way(_standing, SEARCHES, (*LIMITS, "quiescence"), graph=_export_standing, feed=_feed_standing),
}
OUTSIDE = {LABELS: Way(_boards, "looks one ply ahead and no further", ("classes",), one_ply=True)}
"""How these students play, by what their files say of themselves: as safetensors, and as ONNX files."""
