"""Suites: whether a player finds the moves that a test wants, and what its other moves cost.

The cost is Sabatelli's delta-cp: what the position after the test's move is worth, less what it is worth after the
player's move, in pawns, seen by the mover, a mate being 20. It may be negative, so its mean is told with and without
what was won, and beside it the loss in expected points, which a lead of ten pawns hardly changes.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from statistics import mean, median
from typing import Any, NamedTuple

from understudy.games import CompiledGame, find_game
from understudy.games.chess.datasets import DRAW_BAND
from understudy.games.chess.judges.baselines import baselines, is_solved
from understudy.games.chess.judges.epd import Item, Suite
from understudy.games.chess.records.opinions import Analysis, engine_name, expectation, in_pawns, labelled
from understudy.judges.measures import Measure, share
from understudy.players import close, make_player, prepare
from understudy.players.basic import NO_MOVE
from understudy.protocols import Backend, Move

CHUNK = 16
"""Positions of a task: few, so that workers end together."""


class Answer(NamedTuple):
    """What the player chose; NO_MOVE with a reason where it failed."""

    move: Move
    fault: str | None = None


class Cost(NamedTuple):
    """What a move costs against a better one."""

    against: str
    """The move it is held against."""
    source: str
    """`key` if the suite names that move, `engine` if only the engine does."""
    pawns_against: float
    pawns: float
    """What the position is worth after the player's move, for the player."""

    @property
    def delta(self) -> float:
        return self.pawns_against - self.pawns

    @property
    def expected_loss(self) -> float:
        """Share of a point that the move costs, at least 0."""
        return max(0.0, expectation(self.pawns_against) - expectation(self.pawns))


class Row(NamedTuple):
    """One position of a suite, answered."""

    item: Item
    answer: Answer
    solved: bool
    points: float | None
    """The grade of the move, where moves are graded."""
    cost: Cost | None


@dataclass(frozen=True, kw_only=True)
class SuiteVerdict:
    """A suite answered by one player."""

    suite: str
    player: str
    rows: tuple[Row, ...]
    judged_by: str | None
    """The engine and its limit."""
    pawns: Mapping[str, float]
    """What positions are worth for their movers, by FEN."""


def run_suite(
    player: str,
    suite: Suite,
    *,
    backend: Backend,
    seed: int = 0,
    analysis: Analysis | None = None,
    also: Mapping[str, Sequence[Move]] | None = None,
    progress: Callable[[int], None] = lambda positions: None,
) -> SuiteVerdict:
    """Let *player* answer *suite*; an *analysis* tells what its moves cost, and prices the moves *also* (by FEN)."""
    game = find_game("chess")
    named = None if analysis is None else f"{engine_name(analysis)}, {analysis.words()}"
    answers = answer(player, suite.items, backend=backend, seed=seed, progress=progress)
    references: list[tuple[Move, ...]] = [item.best for item in suite.items]
    pawns: dict[str, float] = {}
    if analysis is not None:
        references = _references(game, suite.items, analysis, backend, progress)
        pawns = _priced(game, suite.items, answers, references, also or {}, analysis, backend, progress)
    rows = [_row(game, *one, pawns) for one in zip(suite.items, answers, references, strict=True)]
    return SuiteVerdict(suite=suite.name, player=player, rows=tuple(rows), judged_by=named, pawns=pawns)


class SuiteTask(NamedTuple):
    """Some positions for one player."""

    player: str
    positions: tuple[str, ...]
    seed: tuple[int, ...]


def answer(
    player: str,
    items: Sequence[Item],
    *,
    backend: Backend,
    seed: int = 0,
    progress: Callable[[int], None] = lambda positions: None,
) -> list[Answer]:
    """Return what *player* plays in each position, the same for any number of workers."""
    tasks = [
        SuiteTask(player, tuple(item.fen for item in items[first : first + CHUNK]), (seed, first))
        for first in range(0, len(items), CHUNK)
    ]
    answers: list[Answer] = []
    for part in backend.map(suite_task, tasks):
        answers += part
        progress(len(part))
    return answers


def suite_task(task: SuiteTask) -> list[Answer]:
    """Let a player made for this task choose in its positions."""
    game = find_game("chess")
    positions = [game.read(fen) for fen in task.positions]
    player = make_player(task.player, game, seed=list(task.seed))
    try:
        prepare(player)
        choices = player.choose(positions)
    finally:
        close(player)
    return [
        Answer(NO_MOVE, choice.fault or "illegal move")
        if choice.fault is not None or choice.move not in game.moves(position)
        else Answer(choice.move)
        for position, choice in zip(positions, choices, strict=True)
    ]


def suite_json(verdict: SuiteVerdict) -> dict[str, Any]:
    """Return a suite's verdict as plain data: the measures, and a row for each position, ready to plot."""
    return {
        "suite": verdict.suite,
        "player": verdict.player,
        "engine": verdict.judged_by,
        "measures": {name: measure._asdict() for name, measure in measures(verdict.rows).items()},
        "points": _points(verdict.rows),
        "baselines": {name: got._asdict() for name, got in baselines([row.item for row in verdict.rows]).items()},
        "faults": sum(row.answer.fault is not None for row in verdict.rows),
        "cost": None if verdict.judged_by is None else costs([row.cost for row in verdict.rows if row.cost]),
        "positions": [_row_json(row) for row in verdict.rows],
    }


def measures(rows: Sequence[Row]) -> dict[str, Measure]:
    """Return how many positions were solved, best moves found and moves to avoid avoided."""
    wanted = [row for row in rows if row.item.best]
    dangers = [row for row in rows if row.item.avoid]
    return {
        "solved": share(sum(row.solved for row in rows), len(rows)),
        "best_moves": share(sum(row.answer.move in row.item.best for row in wanted), len(wanted)),
        "avoided": share(sum(_avoided(row.item, row.answer) for row in dangers), len(dangers)),
    }


def costs(paid: Sequence[Cost]) -> dict[str, Any]:
    """Return means and counts of what moves cost (Table 8.1), and where they lead (Figure 8.3)."""
    deltas = [cost.delta for cost in paid]
    return {
        "positions": len(paid),
        "against_engine": sum(cost.source == "engine" for cost in paid),
        "mean_delta": mean(deltas) if paid else None,
        "mean_loss": mean(max(0.0, delta) for delta in deltas) if paid else None,
        "median_delta": median(deltas) if paid else None,
        "mean_expected_loss": mean(cost.expected_loss for cost in paid) if paid else None,
        "losing_moves": sum(cost.pawns < -DRAW_BAND <= cost.pawns_against for cost in paid),
        "wins_thrown_away": sum(cost.pawns <= DRAW_BAND < cost.pawns_against for cost in paid),
        "after_move": bands(cost.pawns for cost in paid),
        "after_test_move": bands(cost.pawns_against for cost in paid),
    }


def bands(worths: Iterable[float]) -> dict[str, int]:
    """Return how many positions are won, drawn and lost by the thesis's band of 1.5 pawns."""
    listed = list(worths)
    won, lost = sum(worth > DRAW_BAND for worth in listed), sum(worth < -DRAW_BAND for worth in listed)
    return {"winning": won, "draw": len(listed) - won - lost, "losing": lost}


def price(
    game: CompiledGame, position: Any, move: Move, against: Sequence[Move], pawns: Mapping[str, float], *, source: str
) -> Cost | None:
    """Return what *move* costs against the best of others; None where nobody judged them."""
    fens = [game.write(game.play(position, other)) for other in (move, *against)]
    if not against or any(fen not in pawns for fen in fens):
        return None
    worth, *others = (-pawns[fen] for fen in fens)
    highest = max(others)
    return Cost(game.write_move(position, against[others.index(highest)]), source, highest, worth)


def _references(
    game: CompiledGame,
    items: Sequence[Item],
    analysis: Analysis,
    backend: Backend,
    progress: Callable[[int], None],
) -> list[tuple[Move, ...]]:
    """Return the moves to compare with: the suite's best ones, or else the engine's."""
    silent = [item.fen for item in items if not item.best]
    labels = labelled(silent, analysis, backend=backend, progress=progress)
    return [item.best or (game.read_move(item.position, labels[item.fen].best),) for item in items]


def _priced(
    game: CompiledGame,
    items: Sequence[Item],
    answers: Sequence[Answer],
    references: Sequence[tuple[Move, ...]],
    also: Mapping[str, Sequence[Move]],
    analysis: Analysis,
    backend: Backend,
    progress: Callable[[int], None],
) -> dict[str, float]:
    """Return what the positions after all moves in question are worth for who is to move there."""
    fens = []
    for item, one, best in zip(items, answers, references, strict=True):
        moves = {*best, *also.get(item.fen, ()), one.move} - {NO_MOVE}
        fens += [game.write(game.play(item.position, move)) for move in sorted(moves)]
    return in_pawns(labelled(fens, analysis, backend=backend, progress=progress))


def _row(game: CompiledGame, item: Item, one: Answer, best: tuple[Move, ...], pawns: Mapping[str, float]) -> Row:
    points = item.grades.get(one.move, 0.0) if item.grades else None
    cost = None
    if one.move != NO_MOVE and pawns:
        cost = price(game, item.position, one.move, best, pawns, source="key" if item.best else "engine")
    return Row(item, one, one.move != NO_MOVE and is_solved(item, one.move), points, cost)


def _avoided(item: Item, one: Answer) -> bool:
    return one.move != NO_MOVE and one.move not in item.avoid


def _points(rows: Sequence[Row]) -> dict[str, float] | None:
    graded = [row for row in rows if row.points is not None]
    if not graded:
        return None
    most = sum(max(row.item.grades.values()) for row in graded)
    return {"earned": sum(row.points or 0.0 for row in graded), "most": most, "positions": len(graded)}


def _row_json(row: Row) -> dict[str, Any]:
    game, (item, one, cost) = find_game("chess"), (row.item, row.answer, row.cost)
    wanted = {"best": item.best, "avoid": item.avoid}
    written = {name: [game.write_move(item.position, move) for move in moves] for name, moves in wanted.items()}
    move = None if one.move == NO_MOVE else game.write_move(item.position, one.move)
    facts = {"id": item.name, "fen": item.fen, **written, "move": move, "fault": one.fault, "solved": row.solved}
    priced = {} if cost is None else {**cost._asdict(), "delta": cost.delta, "expected_loss": cost.expected_loss}
    return facts | {"points": row.points} | priced
