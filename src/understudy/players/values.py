"""Students that value boards: they look one ply ahead and take the board they like best, or compare boards in pairs.

With `depth` above 1 a student looks further and asks its network at the end, as Thompson (2005) supposes one could
(the second hypothesis). Students come as ONNX files or as snapshots of a training (safetensors). They learned one game
on one size of board and say so; asked for another, they refuse. Where a student's file says that it leaves finished
games to the rules, a successor in which the game is over is worth its result, whatever the network would say.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from understudy.games import CompiledGame
from understudy.games.batches import size, stacked, taken
from understudy.games.boards import SCRATCH, decided_successors, encode_successors, find_boards
from understudy.players.student_files import check_board
from understudy.protocols import Choice, Move
from understudy.thoughts import Thought, Weighed

ROWS = 16_384
"""Boards scored at once."""

Score = Callable[[NDArray[np.float32]], NDArray[np.float32]]
"""From inputs [boards, inputs] to what a network says of each, 0 to 1."""


class ValueStudent:
    """A network that says what a board is worth, as a player."""

    def __init__(
        self, game: CompiledGame, score: Score, facts: Mapping[str, Any], *, name: str, rng: np.random.Generator,
        symmetries: bool = False, depth: int = 1,
    ) -> None:  # fmt: skip
        rows, columns = game.size
        check_board(facts, game, name)
        self.name, self.game, self.facts, self.rng = name, game, facts, rng
        self.score, self.symmetries, self.depth = score, symmetries, depth
        self.comparing = facts["kind"] == "comparison"
        self.every = facts.get("pairing") == "all"
        self.boards = find_boards(game.name)
        self.representation = self.boards.find_representation(facts["representation"], rows, columns)
        self.width = self.boards.input_count(self.representation, rows, columns)
        self._codes = np.zeros(game.most_moves, np.int32)
        self._decided = np.zeros(game.most_moves, np.float32)
        self._scratch = np.zeros(SCRATCH, np.int32)
        self._rows = np.zeros((game.most_moves, self.width), np.float32)

    def choose(self, positions: Sequence[Any], histories: Sequence[Sequence[Any]] | None = None) -> list[Choice]:
        """Choose in all positions at once."""
        if self.comparing and self.every:
            return [self._best_of_all(position) for position in positions]
        if self.comparing:
            return self._compared([self._successors(position) for position in positions])
        if self.depth > 1:
            return self._searched(positions)
        images = [self._images(position) for position in positions]
        boards = np.concatenate([rows for seen in images for _, rows in seen])
        values = self.score(boards).reshape(-1)
        choices, first = [], 0
        for position, seen in zip(positions, images, strict=True):
            total: dict[Move, float] = {}
            for moves, rows in seen:
                for move, value in zip(moves, values[first : first + len(rows)].tolist(), strict=True):
                    total[move] = total.get(move, 0.0) + value / len(seen)
                first += len(rows)
            choices.append(self._best(total | self._finished(position)))
        return choices

    def prepare(self) -> None:
        """Have the kernel compiled before any clock runs."""
        self.choose([self.game.start()])

    def think(self, position: Any, past: Sequence[Any] = ()) -> Thought:
        """Return what every move is worth; of one that compares boards, against how many others it prefers each."""
        choice = self.choose([position])[0]
        if self.comparing:
            numbers, kind = choice.scores or self._preferred(position), "order"
        else:
            numbers, kind = {move: 2.0 * value - 1.0 for move, value in (choice.scores or {}).items()}, "value"
        ranked = sorted(numbers, key=lambda move: (move != choice.move, -numbers[move]))
        return Thought(
            player=self.name, game=self.game, position=position, kind=kind, choice=choice, value=choice.value,
            moves=tuple(Weighed(move, numbers[move]) for move in ranked), depth=self.depth,
            note=self._note(),
        )  # fmt: skip

    def _note(self) -> str:
        """Return what the numbers of a thought mean, where that needs words."""
        if not self.comparing:
            return ""
        if self.every:
            return "how much it prefers each move to the others, in the mean of both orders"
        return (
            "the share of the other moves to which it prefers each; it plays whichever is left when it compares them "
            "one after another"
        )

    def _preferred(self, position: Any) -> dict[Move, float]:
        """Return against which share of the other moves each move is preferred, all compared with all."""
        moves, said = self._all_pairs(position)
        wins = (said >= 0.5) & ~np.eye(len(moves), dtype=np.bool_)
        return dict(zip(moves, (wins.sum(axis=1) / max(1, len(moves) - 1)).tolist(), strict=True))

    def _all_pairs(self, position: Any) -> tuple[list[Move], NDArray[np.float32]]:
        """Return the moves, and how much the board after each is preferred to that after each other."""
        moves, rows = self._successors(position)
        count = len(moves)
        pairs = np.concatenate([np.repeat(rows, count, axis=0), np.tile(rows, (count, 1))], axis=1)
        return moves, self.score(pairs).reshape(count, count)

    def _best_of_all(self, position: Any) -> Choice:
        """Return the move that is preferred most when all meet all, each pair in both orders."""
        moves, said = self._all_pairs(position)
        both = (said + 1.0 - said.T) / 2.0
        np.fill_diagonal(both, 0.0)
        preferred = both.sum(axis=1, dtype=np.float64) / max(1, len(moves) - 1)
        best = self._best(dict(zip(moves, preferred.tolist(), strict=True)))
        return Choice(best.move, None, best.scores)

    def _searched(self, positions: Sequence[Any]) -> list[Choice]:
        """Choose in all positions by minimax of the network's values: whoever is to move takes what is best for it."""
        successors = self.game.batches.successors
        levels = [successors(stacked(positions))]
        for _ in range(self.depth - 1):
            levels.append(successors(levels[-1].after))
        values = self._valued(levels[-1].after)
        for level in reversed(levels[1:]):
            best = np.zeros(len(level.first) - 1, np.float32)  # without a move the game is lost
            np.maximum.at(best, np.repeat(np.arange(len(best)), np.diff(level.first)), values)
            values = 1.0 - best
        top = levels[0]
        codes, told = top.moves.tolist(), values.tolist()
        return [self._best(dict(zip(codes[a:b], told[a:b], strict=True))) for a, b in pairwise(top.first.tolist())]

    def _valued(self, boards: Any) -> NDArray[np.float32]:
        """Return what the network says of many boards."""
        values = [np.zeros(0, np.float32)]
        for row in range(0, size(boards), ROWS):
            some = taken(boards, slice(row, row + ROWS))
            inputs = np.zeros((size(some), self.width), np.float32)
            self.boards.encode_boards(self.representation, some, self._scratch, inputs)
            values.append(self.score(inputs).reshape(-1))
        return np.concatenate(values)

    def _best(self, scores: dict[Move, float]) -> Choice:
        """Return the most valued move, of equals one by chance."""
        highest = max(scores.values())
        best = [move for move, value in scores.items() if value == highest]
        move = best[0] if len(best) == 1 else best[self.rng.integers(len(best))]
        return Choice(move, 2.0 * highest - 1.0, scores)

    def _finished(self, position: Any) -> dict[Move, float]:
        """Return the moves that end the game with what they bring, if this student leaves them to the rules."""
        if not self.facts.get("finished_by_rules"):
            return {}
        width = decided_successors(position, self._codes, self._decided)
        told = zip(self._codes[:width].tolist(), self._decided[:width].tolist(), strict=True)
        return {move: value for move, value in told if not np.isnan(value)}

    def _images(self, position: Any) -> list[tuple[list[Move], NDArray[np.float32]]]:
        """Return the moves and successors of a position, and of its mirror images under the names of the same moves."""
        moves, rows = self._successors(position)
        if not self.symmetries:
            return [(moves, rows)]
        turned = [self.game.symmetries(position, move) for move in moves]
        found = []
        for image in range(len(turned[0])):
            names = {sent[image][1]: move for sent, move in zip(turned, moves, strict=True)}
            codes, seen = self._successors(turned[0][image][0])
            found.append(([names[code] for code in codes], seen))
        return found

    def _successors(self, position: Any) -> tuple[list[Move], NDArray[np.float32]]:
        width = encode_successors(self.representation, position, self._codes, self._scratch, self._rows)
        return self._codes[:width].tolist(), self._rows[:width].copy()

    def _compared(self, boards: list[tuple[list[Move], NDArray[np.float32]]]) -> list[Choice]:
        """Compare the first board with the second, the better one with the third, and so on; all positions in step."""
        best = np.zeros(len(boards), np.int64)
        for rival in range(1, max(len(moves) for moves, _ in boards)):
            asked = [place for place, (moves, _) in enumerate(boards) if len(moves) > rival]
            pairs = [np.concatenate([boards[place][1][best[place]], boards[place][1][rival]]) for place in asked]
            worse = self.score(np.stack(pairs)).reshape(-1) < 0.5
            best[np.array(asked)[worse]] = rival
        return [Choice(moves[place]) for (moves, _), place in zip(boards, best, strict=True)]


def score_of(layers: Sequence[tuple[NDArray[np.float32], NDArray[np.float32]]]) -> Score:
    """Return a network of sigmoid layers as a function."""

    def score(inputs: NDArray[np.float32]) -> NDArray[np.float32]:
        units = inputs
        for weights, biases in layers:
            units = 1.0 / (1.0 + np.exp(-(units @ weights + biases)))
        return units

    return score
