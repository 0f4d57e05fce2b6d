"""Table 8.1 of Sabatelli's thesis beside ours: what its two networks played in `ccr25`, as printed and as it is.

The table holds 25 rows: CCR17 stands in it twice (d3 and d4) and CCR22 not at all. Nine of the printed moves cannot be
played in their positions, and the means that the text states follow from no reading of the columns; so the columns are
added up anew, and with an engine every legal move is priced anew. In row 7 the best move `Re8` fits both rooks, in row
14 it is printed in German.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from statistics import mean, median
from typing import Any, NamedTuple

from understudy.errors import UnderstudyError
from understudy.games import CompiledGame, find_game
from understudy.games.chess.judges.epd import Item
from understudy.games.chess.judges.suites import Cost, Row, SuiteVerdict, costs, price
from understudy.papers import Answers
from understudy.players.basic import NO_MOVE
from understudy.protocols import Move

STATED = {"mlp": 1.56, "cnn": 1.55}
"""The mean delta-cp that the text states."""


class Printed(NamedTuple):
    """A row of the table."""

    number: int
    item: str
    best: str
    """All moves that the printed one may mean."""
    mlp: str
    mlp_delta: float
    cnn: str
    cnn_delta: float


TABLE = (
    Printed(1, "CCR01", "Qb3", "Nf3", 0.0, "Bb5+", 0.21),
    Printed(2, "CCR02", "e6", "Bd7", 0.8, "h5", 0.7),
    Printed(3, "CCR03", "Nh6", "Nh6", 0.0, "Nh6", 0.0),
    Printed(4, "CCR04", "b4", "Qc2", 0.8, "Be2", 1.0),
    Printed(5, "CCR05", "e5", "e6", 0.3, "h5", 1.2),
    Printed(6, "CCR06", "Bxc3", "Bxc3", 0.0, "Bxc3", 0.0),
    Printed(7, "CCR07", "Rfe8 Rae8", "Bc4", 0.1, "Bb5", 0.1),
    Printed(8, "CCR08", "d5", "Qd2", 0.9, "b4", 1.0),
    Printed(9, "CCR09", "Nd4", "Ne7", 0.3, "Na5", 0.0),
    Printed(10, "CCR10", "a4", "a3", 0.1, "Nbd2", 3.6),
    Printed(11, "CCR11", "d5", "h5", 1.2, "Nb1", 1.9),
    Printed(12, "CCR12", "Bxf7", "Nf3", 4.2, "h6", 2.0),
    Printed(13, "CCR13", "c5", "Nxe4", 1.7, "Qd2", 4.8),
    Printed(14, "CCR14", "Qf6", "f5", 5.9, "Nxe4", 0.3),
    Printed(15, "CCR15", "exf6", "Bd4", 4.6, "f6", 0.2),
    Printed(16, "CCR16", "d5", "Rb8", 0.6, "Nd2", 0.6),
    Printed(17, "CCR17", "d3", "c4", 0.8, "a5", 1.4),
    Printed(18, "CCR17", "d4", "Qe1", 1.4, "Nxc3", 1.1),
    Printed(19, "CCR18", "Bxf6", "h3", 4.2, "Ne6", 4.6),
    Printed(20, "CCR19", "Bxe6", "Bd2", 1.7, "Bf4", 1.5),
    Printed(21, "CCR20", "Ndb5", "Rb1", 1.4, "Qd2", 1.6),
    Printed(22, "CCR21", "dxe6", "Kxe6", 20.0, "Rg1", 4.0),
    Printed(23, "CCR23", "Bxh7+", "Nh4", 5.7, "g3", 4.5),
    Printed(24, "CCR24", "Bb5+", "b4", 1.2, "Rb1", 0.8),
    Printed(25, "CCR25", "Nxc6", "bxc6", 0.6, "Bh3", 4.8),
)


def thesis_moves(items: Sequence[Item]) -> dict[str, list[Move]]:
    """Return the legal moves of the table by the FEN of their position, for an engine to price."""
    game, by_name = find_game("chess"), {item.name: item for item in items}
    moves: dict[str, list[Move]] = {}
    for row in TABLE:
        item = by_name[row.item]
        texts = [*row.best.split(), row.mlp, row.cnn]
        legal = [_legal(game, item, text) for text in texts]
        moves.setdefault(item.fen, []).extend(move for move in legal if move is not None)
    return moves


def thesis_json(verdict: SuiteVerdict) -> dict[str, Any]:
    """Return the table with our player's column, each move held against the best move that the thesis prints."""
    game, by_name = find_game("chess"), {row.item.name: row for row in verdict.rows}
    lines = [_line(game, printed, by_name[printed.item], verdict.pawns) for printed in TABLE]
    return {
        "rows": [{name: _plain(value) for name, value in line.items()} for line in lines],
        "best_moves": {who: sum(line[f"{who}_best"] for line in lines) for who in ("mlp", "cnn", "ours")},
        "illegal": {who: sum(not line[f"{who}_legal"] for line in lines) for who in ("mlp", "cnn")},
        "stated_mean": STATED,
        "printed": {who: _printed([line[f"{who}_delta"] for line in lines]) for who in STATED},
        "recomputed": {who: _costs(line[f"{who}_cost"] for line in lines) for who in ("mlp", "cnn", "ours")},
    }


def _line(game: CompiledGame, printed: Printed, row: Row, pawns: Mapping[str, float]) -> dict[str, Any]:
    item = row.item
    best = [move for text in printed.best.split() if (move := _legal(game, item, text)) is not None]
    line: dict[str, Any] = {"row": printed.number, "id": item.name, "best": printed.best}
    moves = {"mlp": _legal(game, item, printed.mlp), "cnn": _legal(game, item, printed.cnn)}
    moves["ours"] = None if row.answer.move == NO_MOVE else row.answer.move
    texts = {"mlp": printed.mlp, "cnn": printed.cnn}
    texts["ours"] = "" if moves["ours"] is None else game.write_move(item.position, moves["ours"])
    for who, move in moves.items():
        cost = None if move is None else price(game, item.position, move, best, pawns, source="key")
        line |= {who: texts[who], f"{who}_legal": move is not None, f"{who}_best": move in best, f"{who}_cost": cost}
    return line | {"mlp_delta": printed.mlp_delta, "cnn_delta": printed.cnn_delta}


def _legal(game: CompiledGame, item: Item, text: str) -> Move | None:
    try:
        return game.read_move(item.position, text)
    except UnderstudyError:
        return None


def _printed(deltas: Sequence[float]) -> dict[str, float]:
    return {"mean_delta": mean(deltas), "median_delta": median(deltas)}


def _costs(line_costs: Any) -> dict[str, Any] | None:
    priced = [cost for cost in line_costs if cost is not None]
    return costs(priced) if priced else None


def _plain(value: Any) -> Any:
    return {"pawns": value.pawns, "delta": value.delta} if isinstance(value, Cost) else value


TEST = Answers(thesis_moves, thesis_json)
