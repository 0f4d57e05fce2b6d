"""How good an engine's labels are for what they cost: by depth and nodes, plain and fair, beside depth 13.

The positions come from games that the engine plays here against itself, so anybody with the engine can measure it. A
label's cost is the processor's time, the engine's and ours, so what else runs on the machine hardly counts. A label of
the reference is no truth: an engine that looks deeper differs from it, too.
"""

from __future__ import annotations

import resource
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from understudy.backends import Local
from understudy.errors import EngineError
from understudy.games import find_game
from understudy.games.chess.datasets import CLIP
from understudy.games.chess.fen import write_fens
from understudy.games.chess.judges.datasets import clustered, correlated
from understudy.games.chess.players.analyst import pawns
from understudy.games.chess.records.opinions import Analysis, Judge, LabelTask, close_analysts, engine_name, label_task
from understudy.games.chess.records.sampling import Sampling, sample_records
from understudy.records.watch import Watch, watch

ENGINE = "stockfish"
GAMES, PER_GAME = 80, 5
TEACHER = f"engine:{ENGINE},nodes=2000"
"""Two thousand nodes a move: above any person, and all games in half a minute."""
OPENING_PLIES, LONGEST = 2, 80
"""Random plies at the start, lest all games be the same (after four many are lost already), and the last ply that is
played: people who play well resign by then what is decided."""
STARTS = 4
"""How often an engine is started only to see how long that takes."""
REFERENCE = 13
DEPTHS = (1, 4, 6, 7, 8, 9, 10, 12)
NODES = (1_000, 3_000, 10_000, 30_000)
FAIR = (4, 6, 7, 8, 9, 10)
"""Depths at which labels are made fair, too."""
MOST_BIAS = 0.1
"""Pawns for the mover, in the mean, that labels may have at the depth which is taken if nobody says one: the cheapest
such depth is. Errors fall steadily with the cost and show no place to stop; a bias turns round with every ply, and good
moves often lie less than a tenth of a pawn apart. Chosen by hand, after a look at the table."""


class Quality(NamedTuple):
    """How near labels come to those of the reference, and what one costs."""

    pawns_apart: float
    pawns_apart_low: float
    pawns_apart_high: float
    bias: float
    bias_low: float
    bias_high: float
    correlation: float
    milliseconds: float


class Labels(NamedTuple):
    """What an engine says of all positions, in pawns, and the milliseconds of a processor that one took."""

    pawns: NDArray[np.float64]
    milliseconds: float


def lines() -> Iterator[str]:
    try:
        found = facts()
    except EngineError as error:
        yield f"left out: {error}"
        return
    yield f"{found['positions']} positions of {found['games']} games; {found['engine']}, against depth {REFERENCE}"
    for name, one in found["settings"].items():
        yield (
            f"{name:<16} {one['pawns_apart']:.2f} pawns apart, bias {one['bias']:+.2f} ({one['bias_low']:+.2f} to "
            f"{one['bias_high']:+.2f}), correlation {one['correlation']:.2f}, {one['milliseconds']:.1f} ms"
        )
    yield f"the cheapest depth with a bias of at most {MOST_BIAS} pawns: {found['chosen']}"


def facts() -> dict[str, Any]:
    """Return the quality of each setting by its name, and which depth is the cheapest that is good enough."""
    name = engine_name(Analysis(ENGINE, depth=1))
    fens, games = play_positions()
    starts = [label_all(Judge(engine=ENGINE, depth=1), fens[:1], 0.0).milliseconds for _ in range(STARTS)]
    start = min(starts)  # the first one also loads what is compiled
    reference = label_all(Judge(engine=ENGINE, depth=REFERENCE), fens, start)
    made = {setting: label_all(judge, fens, start) for setting, judge in list_settings().items()}
    settings = {setting: compare(labels, reference, games)._asdict() for setting, labels in made.items()}
    good = [depth for depth in DEPTHS if abs(settings[f"depth {depth}"]["bias"]) <= MOST_BIAS]
    return {
        "engine": name, "positions": len(fens), "games": len(np.unique(games)), "reference": f"depth {REFERENCE}",
        "reference_milliseconds": reference.milliseconds, "settings": settings, "most_bias": MOST_BIAS,
        "chosen": min(good, default=None),
    }  # fmt: skip


def list_settings() -> dict[str, Judge]:
    """Return who labels, by name: what the engine is allowed, and whether labels are fair."""
    depths = {f"depth {depth}": Judge(engine=ENGINE, depth=depth) for depth in DEPTHS}
    nodes = {f"{nodes} nodes": Judge(engine=ENGINE, nodes=nodes) for nodes in NODES}
    return depths | nodes | {f"depth {depth} fair": Judge(engine=ENGINE, depth=depth, fair=True) for depth in FAIR}


def play_positions() -> tuple[list[str], NDArray[np.int64]]:
    """Return positions of games that the engine plays against itself, and the number of each one's game."""
    plan = Watch(teacher=TEACHER, opponents=("self",), regular=GAMES, opening_plies=OPENING_PLIES, ply_limit=LONGEST)
    with tempfile.TemporaryDirectory() as folder:
        records = watch(find_game("chess"), plan, Path(folder), backend=Local(1))
    table = sample_records(records, Sampling(per_game=PER_GAME))
    return write_fens(table.positions), table.game.astype(np.int64)


def label_all(judge: Judge, fens: list[str], start: float) -> Labels:
    """Return the labels of positions; *start* are the milliseconds in which an engine is ready."""
    began = count_seconds()
    try:
        results = label_task(LabelTask(judge=judge, fens=tuple(fens)))
    finally:
        close_analysts()  # what an engine has used is known when it has ended
    told = [pawns(one.label, CLIP) for one in results if one.label is not None]
    if len(told) < len(fens):
        raise EngineError(next(one.fault for one in results if one.label is None))
    return Labels(np.array(told), (1000 * (count_seconds() - began) - start) / len(fens))


def count_seconds() -> float:
    """Return what this process and its ended children have used of a processor."""
    children = resource.getrusage(resource.RUSAGE_CHILDREN)
    return time.process_time() + children.ru_utime + children.ru_stime


def compare(labels: Labels, reference: Labels, games: NDArray[np.int64]) -> Quality:
    """Return how near labels are to the reference; positions of one game hang together."""
    apart = clustered(np.abs(labels.pawns - reference.pawns), games)
    bias = clustered(labels.pawns - reference.pawns, games)
    assert apart.value is not None and bias.value is not None
    return Quality(
        apart.value, apart.low, apart.high, bias.value, bias.low, bias.high,
        correlated(reference.pawns, labels.pawns) or 0.0, labels.milliseconds,
    )  # fmt: skip
