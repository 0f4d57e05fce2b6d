"""Labels at depth 8 against the same engine processes driven by a bare loop; positions out of PGN; FENs read.

The bare loop writes a question and reads until `bestmove`, and parses nothing. Both take the same positions in turns,
and the middle one of the ratios of neighbours counts: what else runs on the machine then costs both alike.
"""

from __future__ import annotations

import os
import subprocess
import tempfile
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import numpy as np

from benchmarks.table import Line, best_rate
from understudy.backends import Local
from understudy.errors import EngineError
from understudy.games import find_game
from understudy.games.batches import gathered
from understudy.games.chess.fen import read_fens, write_fens
from understudy.games.chess.players.engine import find_engine
from understudy.games.chess.records.labelling import label_positions
from understudy.games.chess.records.opinions import Judge
from understudy.games.chess.records.positions import load_positions
from understudy.games.chess.records.sampling import Sampling, sample_pgn
from understudy.games.chess.records.sources import gather

DATA = Path(__file__).parent.parent.parent / "shared" / "data" / "chess"
LABELLED, GAMES = DATA / "labelled_depth8.parquet", DATA / "human_elo2600plus_97212.pgn.bz2"
POSITIONS, REPEATS, DEPTH = 400, 7, 8
MILLION = 1_000_000
SECONDS = 300
"""A million positions may take so long."""


def lines() -> Iterator[Line]:
    fens = list_fens(POSITIONS)
    try:
        engine = find_engine("stockfish")
    except EngineError as error:
        print(f"labels: {error}")
    else:
        for workers in (1, 2):
            yield _labels(fens, engine, workers)
    if GAMES.exists():
        yield _sampled()
    else:
        print("labels: no collection of games beside the repository, so none is sampled")
    texts = gathered(list_fens(200_000))
    rate = best_rate(lambda: len(read_fens(texts)[1]))
    yield Line("FENs read", rate, "FENs/s", "half a million", 500_000)


def list_fens(count: int) -> list[str]:
    """Return positions of real games, or of random ones where there are none."""
    if LABELLED.exists():
        table = load_positions(LABELLED)
        return write_fens(table.taken(np.linspace(0, len(table) - 1, count).astype(np.int64)).positions)
    game, rng, fens = find_game("chess"), np.random.default_rng(0), list[str]()
    while len(fens) < min(count, 5000):
        position = game.start()
        for _ in range(60):
            moves = game.moves(position)
            if not moves:
                break
            position = game.play(position, moves[rng.integers(len(moves))])
        fens.append(game.write(position))
    return (fens * (count // len(fens) + 1))[:count]


def _labels(fens: list[str], engine: str, workers: int) -> Line:
    pairs = [_pair(fens, engine, workers, ours_first=turn % 2 == 0) for turn in range(REPEATS)]
    rate, other = sorted(pairs, key=lambda pair: pair[0] / pair[1])[REPEATS // 2]
    print(", ".join(f"{one:.0f} against {bare:.0f} a second" for one, bare in pairs))
    what = f"labels at depth {DEPTH}, {workers} worker{'s' if workers > 1 else ''}"
    return Line(what, rate, "positions/s", "a bare loop", other, 0.9)


def _pair(fens: list[str], engine: str, workers: int, *, ours_first: bool) -> tuple[float, float]:
    """Measure both, one right after the other."""
    if ours_first:
        ours = _ours(fens, engine, workers)
        return ours, _bare(fens, engine, workers)
    bare = _bare(fens, engine, workers)
    return _ours(fens, engine, workers), bare


def _ours(fens: list[str], engine: str, workers: int) -> float:
    with tempfile.TemporaryDirectory() as folder:
        book = Path(folder) / "book.fen"
        book.write_text("\n".join(fens))
        done = label_positions(
            lambda table: gather(book, table) and None, Path(folder) / "t.parquet", Judge(engine=engine, depth=DEPTH),
            identify=dict, backend=Local(workers),
        )  # fmt: skip
    return done.rows / done.seconds


def _bare(fens: list[str], engine: str, workers: int) -> float:
    loops = [threading.Thread(target=_loop, args=(fens[worker::workers], engine)) for worker in range(workers)]
    began = time.perf_counter()
    for loop in loops:
        loop.start()
    for loop in loops:
        loop.join()
    return len(fens) / (time.perf_counter() - began)


def _loop(fens: list[str], engine: str) -> None:
    process = subprocess.Popen([engine], stdin=subprocess.PIPE, stdout=subprocess.PIPE, bufsize=0)
    assert process.stdin is not None and process.stdout is not None
    process.stdin.write(b"uci\nsetoption name Threads value 1\nsetoption name Hash value 1\n")
    for fen in fens:
        process.stdin.write(f"ucinewgame\nposition fen {fen}\ngo depth {DEPTH}\n".encode())
        heard = b""
        while b"bestmove" not in heard:
            heard = heard[-16:] + os.read(process.stdout.fileno(), 1 << 16)
    process.kill()
    process.wait()
    process.stdin.close()
    process.stdout.close()


def _sampled() -> Line:
    """Sample a million positions, or what the collection gives, from PGN to Parquet."""
    with tempfile.TemporaryDirectory() as folder:
        options = Sampling(per_game=12, most=MILLION)
        sample_pgn(GAMES, Path(folder) / "warm.parquet", Sampling(most=100))
        began = time.perf_counter()
        sampled = sample_pgn(GAMES, Path(folder) / "t.parquet", options)
        seconds = time.perf_counter() - began
    print(f"{sampled.positions} positions of {sampled.games} games from PGN to Parquet take {seconds:.1f} s")
    return Line(
        "PGN to Parquet", sampled.positions / seconds, "positions/s", "a million in five minutes", MILLION / SECONDS
    )
