"""Students that imitate moves part by part: an ONNX file and nothing else.

Such a student chooses by itself: the best class at each place of its order, legal or not, and an illegal choice loses
the game. With `check=legal` each place takes the best class that the rules still allow, and corrections are counted;
`check=original` falls back as the authors of a paper did (`checking.py`).

A student that also learned what positions are worth does two things more. It remembers the game: a position that comes
again is a draw, which it avoids where it is ahead and takes where it is behind (`memory.py`). And with `depth=1` it
looks at what every legal move leads to, and chooses by what that is worth and by how much it likes the move, together.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from understudy.config import check_range
from understudy.errors import BadOption
from understudy.games import CompiledGame
from understudy.games.batches import OPEN, joined, size, stacked
from understudy.games.images import turn_boards
from understudy.games.layout import find_encoder
from understudy.games.parts import moves_of, order_places
from understudy.players.checking import NONE, ORIGINAL, Checked, check_check, decide_parts, make_choices
from understudy.players.looking import Limits, outcome_value, repeating, search
from understudy.players.memory import AHEAD, Memory, use_memory
from understudy.players.names import PlayerKind
from understudy.players.parts import in_part_order, proposals, think_by_parts, weigh_moves
from understudy.players.student_files import check_board, load_session, run_session, student_file
from understudy.protocols import Choice, Move
from understudy.search.evaluators import find_evaluator
from understudy.search.workspace import WIN, named
from understudy.thoughts import Thought, Weighed

WORTHS = "worths"
"""The output of a network that says what positions are worth."""
LIKING = 0.02
"""What a move is worth more, of two from lost to won, for each factor of e by which it is liked more: where positions
are worth the same to the network the choice is the network's own. Chosen by games that grade nobody."""
ROWS = 8192
"""Positions scored at once: enough for speed, little enough to stay in the processor's cache."""


@dataclass(frozen=True, kw_only=True)
class StudentPlayerOptions:
    """Which student, and how it plays."""

    path: str = "morris"
    """The name of a student that ships, a run folder, or an ONNX file."""
    check: str = "none"
    """`none`: an illegal first choice stands; `legal`: the best that the rules allow; `original`: what the check of a
    paper's authors lets through, which may end in a dead end."""
    order: str = ""
    """Which order of the cascade, where a run has trained several."""
    best: int = 1
    """Choose the likeliest move made of so many best classes of each part, and tell them all; 1: part by part."""
    depth: int | None = None
    """Plies that a student which values boards looks ahead, its network judging at the end; else as it says itself."""
    time: float | None = None
    """Seconds for a move, of a student that values positions: its network then judges the leaves of a search."""
    nodes: int | None = None
    """Positions that such a search may visit for a move."""
    quiescence: bool | None = None
    """Of such a student of chess: play captures out before asking; if not said, wherever it looks beyond one ply."""
    classes: str = "mean"
    """Of a student of chess that learned classes: a move is worth the `mean` of its classes, or the `likeliest` one."""
    remember: bool = True
    """Of a student that values boards: avoid draws by repetition where it is ahead, take them where it is behind."""
    symmetries: bool = False
    """Average the opinion over all images of the board; a symmetric network has no use for it."""
    generation: int | None = None
    """Play as the champion of this generation did, where a run of an evolution has kept it."""


def _shown(columns: NDArray[Any], given: NDArray[np.int64], rows: slice) -> dict[str, NDArray[Any]]:
    return {"inputs": columns[rows].astype(np.float32), "given": given[rows]}


class Student:
    """A network that learned by watching, as a player."""

    def __init__(
        self, game: CompiledGame, options: StudentPlayerOptions, *, name: str, rng: np.random.Generator
    ) -> None:
        check_range(f"{name}: best", options.best, 1, max(game.part_sizes))
        check_check(game, options.check, "check of a student")
        if options.check == ORIGINAL and (options.best > 1 or options.depth):
            raise BadOption(
                f"player {name!r}: check=original decides part by part; it goes with neither best nor depth"
            )
        self.name, self.game, self.options = name, game, options
        self.path = student_file(options.path, options.order)
        self.session, self.facts = load_session(self.path)
        # Files of before do not name the board: they are of Morris, which has one.
        check_board({"size": f"{game.size[0]}x{game.size[1]}"} | dict(self.facts), game, name)
        if "order" not in self.facts:
            raise BadOption(f"player {name!r} values boards; it does not choose moves part by part, as is asked here")
        self.encoder = find_encoder(game, self.facts["encoder"])
        self.order = order_places(game.part_names, self.facts["order"])
        self.valued = any(output.name == WORTHS for output in self.session.get_outputs())
        for option, chosen in (("depth", options.depth is not None), ("remember", not options.remember)):
            if chosen and not self.valued:
                raise BadOption(f"player {name!r} has not learned what positions are worth, so {option} is not for it")
        check_range(f"{name}: depth", options.depth, 0, 1)
        self.corrections = np.zeros(len(self.order), np.int64)
        """How often the check changed the choice at each place."""

    def choose(self, positions: Sequence[Any], histories: Sequence[Sequence[Any]] | None = None) -> list[Choice]:
        """Choose in all positions at once."""
        pasts = histories if histories is not None else [()] * len(positions)
        if self.options.depth:
            return self._look_ahead(positions, pasts)
        batch = stacked(positions)
        choices = make_choices(self.game, self._decide(batch))
        if self.options.best > 1:
            liked = proposals(self, batch, self.options.best)
            choices = [self._likeliest(*found) for found in zip(positions, liked, choices, strict=True)]
        return self._remember(positions, pasts, choices) if self.valued else choices

    def _remember(
        self, positions: Sequence[Any], pasts: Sequence[Sequence[Any]], choices: list[Choice]
    ) -> list[Choice]:
        """Return the choices with what positions are worth: no draw where one is ahead, a draw where one is behind."""
        worths = self.value_positions(stacked(positions)).tolist()
        return [
            self._go_on(position, past, choice, worth)
            for position, past, choice, worth in zip(positions, pasts, choices, worths, strict=True)
        ]

    def _go_on(self, position: Any, past: Sequence[Any], choice: Choice, worth: float) -> Choice:
        """Return the choice that the game so far asks for, with what the position is worth."""
        memory = Memory(self.game, past if self.options.remember else (), position)
        move = use_memory(memory, choice.move, worth, lambda moves: weigh_moves(self, position, moves))
        return choice._replace(move=move, value=worth)

    def _look_ahead(self, positions: Sequence[Any], pasts: Sequence[Sequence[Any]]) -> list[Choice]:
        """Choose by what every move leads to, all asked at once."""
        moves = [self.game.moves(position) for position in positions]
        after = [
            self.game.play(position, move) for position, some in zip(positions, moves, strict=True) for move in some
        ]
        worths = iter((-self.value_positions(stacked(after))).tolist())
        reached = iter(after)
        return [
            self._weigh(position, past, {move: (next(reached), next(worths)) for move in some})
            for position, past, some in zip(positions, pasts, moves, strict=True)
        ]

    def _weigh(self, position: Any, past: Sequence[Any], reached: Mapping[Move, tuple[Any, float]]) -> Choice:
        """Return the move that is worth most, those liked more a little more; ends and draws are known by the rules."""
        memory = Memory(self.game, past if self.options.remember else (), position)
        liked = weigh_moves(self, position, list(reached))
        scores = {move: self._settle(memory, move, after, worth) for move, (after, worth) in reached.items()}
        best = max(scores, key=lambda move: scores[move] + LIKING * float(np.log(max(liked[move], 1e-9))))
        return Choice(best, scores[best], scores)

    def _settle(self, memory: Memory, move: Move, after: Any, worth: float) -> float:
        """Return what a move is worth by the rules, where they say so, and at most a draw where it may end in one."""
        outcome = self.game.outcome(after)
        if outcome is not None:
            return -float(outcome)
        if memory.drawn and memory.draws(move):
            return 0.0
        return min(worth, 0.0) if worth > AHEAD and memory.drawn and memory.lets_draw(move) else worth

    def value_positions(self, batch: Any) -> NDArray[np.float32]:
        """Return what each position is worth to the side to move, from -1 to 1."""
        columns, given = self.encoder.encode(batch), np.full((size(batch), len(self.order) - 1), OPEN, np.int64)
        told = [
            run_session(self.session, _shown(columns, given, slice(a, a + ROWS)), self.path)[2]
            for a in range(0, len(columns), ROWS)
        ]
        return np.concatenate(told)

    def think(self, position: Any, past: Sequence[Any] = ()) -> Thought:
        """Return the probabilities of all cells for each part, and of whole moves."""
        first = int(moves_of(self.game, self.score_parts(stacked([position]))[1])[0])
        choice = self.choose([position])[0]
        note = "" if choice.move == first else f"by itself it would play {self._name_move(position, first)}"
        return think_by_parts(self, position, choice, note=note)

    def _name_move(self, position: Any, move: Move) -> str:
        legal = move in self.game.moves(position)
        return self.game.write_move(position, move) + ("" if legal else ", which the rules forbid")

    def _decide(self, batch: Any) -> Checked:
        """Return the parts chosen one after another, corrected if there is a check."""
        checked = decide_parts(self, batch, self.options.check)
        self.corrections += checked.corrected.sum(axis=0)
        return checked

    def _likeliest(self, position: Any, liked: Mapping[Move, float], decided: Choice) -> Choice:
        """Return the likeliest of the proposed moves, of those the rules allow if there is a check."""
        scores = {move: float(np.exp(score)) for move, score in liked.items()}
        if self.options.check == NONE:
            return Choice(next(iter(scores)), scores=scores)
        legal = set(self.game.moves(position))
        return Choice(next((move for move in scores if move in legal), decided.move), scores=scores)

    def prepare(self) -> None:
        """Run once before any clock does."""
        self.score_parts(stacked([self.game.start()]))

    def score_parts(
        self, batch: Any, given: NDArray[np.int64] | None = None
    ) -> tuple[NDArray[np.float32], NDArray[np.int64]]:
        """Return log-probabilities at each place [positions, parts, classes], and the parts chosen [positions, parts].

        *given* [positions, parts - 1] holds choices that count as made at all places but the last, OPEN where they are
        free.
        """
        free = np.full((size(batch), len(self.order) - 1), OPEN, np.int64) if given is None else given
        scores, choices = self._averaged(batch, free) if self.options.symmetries else self._run(batch, free)
        return scores, in_part_order(choices, self.order)

    def _run(self, batch: Any, given: NDArray[np.int64]) -> tuple[NDArray[np.float32], NDArray[np.int64]]:
        columns = self.encoder.encode(batch)
        found = [
            run_session(self.session, _shown(columns, given, slice(a, a + ROWS)), self.path)
            for a in range(0, len(columns), ROWS)
        ]
        return np.concatenate([part[0] for part in found]), np.concatenate([part[1] for part in found])

    def _averaged(self, batch: Any, given: NDArray[np.int64]) -> tuple[NDArray[np.float32], NDArray[np.int64]]:
        """Decide place after place by the mean opinion on all images."""
        chosen, scores, choices = given.copy(), [], []
        for place in range(len(self.order)):
            scores.append(self._mean(batch, chosen, place))
            choices.append(scores[-1].argmax(axis=1))
            if place < given.shape[1]:
                chosen[:, place] = np.where(given[:, place] == OPEN, choices[-1], given[:, place])
        return np.stack(scores, axis=1), np.stack(choices, axis=1)

    def _mean(self, batch: Any, given: NDArray[np.int64], place: int) -> NDArray[np.float32]:
        sizes = [self.game.part_sizes[part] for part in self.order]
        turned = turn_boards(self.game, batch)[: len(self.encoder.layout.classes.images)]
        earlier = [self.encoder.images(size) for size in sizes[:-1]]
        told = np.concatenate([_turn_given(given, [moved[turn] for moved in earlier]) for turn in range(len(turned))])
        scores = self._run(joined(turned), told)[0][:, place].reshape(len(turned), len(given), -1)
        back = np.exp(scores)
        for turn, classes in enumerate(self.encoder.images(sizes[place])):
            back[turn][:, : sizes[place]] = back[turn][:, classes]
        mean: NDArray[np.float32] = np.log(np.maximum(back.mean(axis=0), 1e-30)).astype(np.float32)
        return mean


def _turn_given(given: NDArray[np.int64], moved: Sequence[NDArray[np.int64]]) -> NDArray[np.int64]:
    """Return choices that count as made as a turned board has them; what is open stays open."""
    columns = [np.where(column == OPEN, OPEN, classes[column]) for column, classes in zip(given.T, moved, strict=True)]
    return np.stack(columns, axis=1)


@dataclass(frozen=True, kw_only=True)
class HybridOptions:
    """Which student proposes, how many classes of each network, and how far the search looks."""

    path: str = "morris"
    order: str = ""
    best: int = 3
    """The best classes of each network that are combined: 3 make up to 27 moves (the thesis's number)."""
    depth: int = 3
    """Plies that the search looks ahead, the proposed move among them."""
    evaluator: str = ""


class Hybrid:
    """A student that thinks twice."""

    def __init__(self, game: CompiledGame, options: HybridOptions, *, name: str, rng: np.random.Generator) -> None:
        check_range(f"{name}: best", options.best, 1, max(game.part_sizes))
        check_range(f"{name}: depth", options.depth, 2, 20)
        self.name, self.game, self.options = name, game, options
        chosen = StudentPlayerOptions(path=options.path, order=options.order)
        self.student = Student(game, chosen, name=name, rng=rng)
        self.evaluator = find_evaluator(game.name, options.evaluator)

    def choose(self, positions: Sequence[Any], histories: Sequence[Sequence[Any]] | None = None) -> list[Choice]:
        """Let the network propose in all positions at once, then search each."""
        pasts = histories if histories is not None else [()] * len(positions)
        proposed = proposals(self.student, stacked(positions), self.options.best)
        return [self._decide(*found) for found in zip(positions, proposed, pasts, strict=True)]

    def prepare(self) -> None:
        """Have everything loaded before any clock runs."""
        self.choose([self.game.start()])

    def think(self, position: Any, past: Sequence[Any] = ()) -> Thought:
        """Return what the search says of the moves that the network proposes, and what the network says of each part.

        Moves that were not proposed come after them, without a number.
        """
        choice = self.choose([position], [past])[0]
        values = choice.scores or {}
        ranked = sorted(values, key=lambda move: (move != choice.move, -values[move]))
        others = [move for move in self.game.moves(position) if move not in values]
        return Thought(
            player=self.name, game=self.game, position=position, kind="value", choice=choice, value=choice.value,
            moves=tuple(Weighed(move, values.get(move)) for move in (*ranked, *others)),
            parts=think_by_parts(self.student, position, choice).parts, depth=self.options.depth,
            note="the search looks only at moves that the network proposes",
        )  # fmt: skip

    def _decide(self, position: Any, ranked: Mapping[Move, float], past: Sequence[Any]) -> Choice:
        legal = set(self.game.moves(position))
        candidates = [move for move in ranked if move in legal] or sorted(legal)
        drawn = set(repeating(self.game, [*past, position]))
        scores = {move: self._value(position, move, drawn, [*past, position]) for move in candidates}
        best = max(candidates, key=lambda move: scores[move])  # the first of equals: the network's preference
        return Choice(best, scores[best], scores)

    def _value(self, position: Any, move: Move, drawn: set[int], past: list[Any]) -> float:
        after = self.game.play(position, move)
        outcome = self.game.outcome(after)
        if outcome is not None:
            return -outcome_value(int(outcome) * WIN, self.evaluator.scale)
        if int(named(after)) in drawn:
            return 0.0
        found = search(
            self.game,
            after,
            self.evaluator,
            limits=Limits(self.options.depth - 1),
            drawn=repeating(self.game, [*past, after]),
        )
        return -outcome_value(found.value, self.evaluator.scale)


HYBRID = PlayerKind(Hybrid, HybridOptions, "path")
