"""A small engine for tests: it counts material one ply deep, plays the first legal move, and can be made to fail."""

from __future__ import annotations

import os
import stat
import sys
from pathlib import Path

import pytest

SCRIPT = """#!{python}
import os, sys
sys.path[:0] = {path!r}
import chess
mood, board = {mood!r}, chess.Board()
WORTH = {{chess.PAWN: 100, chess.KNIGHT: 300, chess.BISHOP: 300, chess.ROOK: 500, chess.QUEEN: 900, chess.KING: 0}}
for line in sys.stdin:
    words = line.split()
    if words[:1] == ["uci"]:
        print("id name Counter 1")
        print("option name Hash type spin default 1 min 1 max 64")
        print("option name Threads type spin default 1 min 1 max 1")
        if mood != "full":
            print("option name UCI_LimitStrength type check default false")
            print("option name UCI_Elo type spin default 1000 min 1000 max 2000")
        print("uciok", flush=True)
    elif words[:1] == ["isready"]:
        print("readyok", flush=True)
    elif words[:1] == ["quit"]:
        break
    elif words[:1] == ["position"]:
        moves = words[words.index("moves") + 1:] if "moves" in words else []
        board = chess.Board(" ".join(words[2:8])) if words[1] == "fen" else chess.Board()
        for move in moves:
            board.push_uci(move)
    elif words[:1] == ["go"]:
        if mood == "crash":
            os._exit(3)
        cp = sum(WORTH[p.piece_type] * (1 if p.color == board.turn else -1) for p in board.piece_map().values())
        best = min(move.uci() for move in board.legal_moves)
        print(f"info depth 1 score cp {{cp}} pv {{best}}")
        print(f"bestmove {{best}}", flush=True)
"""


def counter(folder: Path, mood: str = "sound") -> str:
    """Return the path of the engine."""
    if os.name == "nt":
        pytest.skip("engines of tests are scripts")
    path = folder / f"counter-{mood}"
    path.write_text(SCRIPT.format(python=sys.executable, path=sys.path, mood=mood))
    path.chmod(path.stat().st_mode | stat.S_IXUSR)
    return str(path)
