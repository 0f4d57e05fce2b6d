"""A small program for tests that speaks as Sanmill does: it plays its first word, and can be made to fail."""

from __future__ import annotations

import os
import stat
import sys
from pathlib import Path

import pytest

from tests.conftest import LONG

SCRIPT = """#!{python}
import os, sys, time
LINES = [(line[:2], line[2:4], line[4:]) for line in (
    "a1a4a7 a7d7g7 g1g4g7 a1d1g1 b2b4b6 b6d6f6 f2f4f6 b2d2f2 c3c4c5 c5d5e5 e3e4e5 c3d3e3 a4b4c4 e4f4g4 d1d2d3 d5d6d7"
).split()]
CELLS = sorted(set(sum(LINES, ())))
STEPS = [(a, b) for x, y, z in LINES for a, b in ((x, y), (y, x), (y, z), (z, y))]

class Game:
    def __init__(self, words):
        self.stones, self.hands, self.turn, self.closed = {{}}, [9, 9], 0, ""
        for word in words:
            assert word in self.legal(), word
            self.play(word)
    def owned(self, side):
        return [cell for cell in CELLS if self.stones.get(cell) == side]
    def milled(self, cell, side):
        return any(cell in line and all(self.stones.get(one) == side for one in line) for line in LINES)
    def legal(self):
        mine, theirs = self.owned(self.turn), self.owned(1 - self.turn)
        empty = [cell for cell in CELLS if cell not in self.stones]
        if self.closed:
            free = [cell for cell in theirs if not self.milled(cell, 1 - self.turn)]
            return ["x" + cell for cell in free or theirs]
        if self.hands[self.turn]:
            return empty
        if len(mine) == 3:
            return [a + "-" + b for a in mine for b in empty]
        return [a + "-" + b for a, b in STEPS if a in mine and b in empty]
    def play(self, word):
        if word[0] == "x":
            del self.stones[word[1:]]
            self.turn, self.closed = 1 - self.turn, ""
            return
        if "-" in word:
            del self.stones[word[:2]]
        else:
            self.hands[self.turn] -= 1
        self.stones[word[-2:]] = self.turn
        if self.milled(word[-2:], self.turn):
            self.closed = word[-2:]
        else:
            self.turn = 1 - self.turn

mood, words = {mood!r}, []
log = open({log!r}, "a")
for line in sys.stdin:
    print(line.rstrip(), file=log, flush=True)
    order = line.split()
    if order[:1] == ["uci"]:
        print("id name Miller 1")
        print("option name SkillLevel type spin default 1 min 0 max 30")
        print("option name MoveTime type spin default 1 min 0 max 60")
        print("option name NMoveRule type spin default 100 min 10 max 200")
        print("uciok", flush=True)
    elif order[:1] == ["isready"]:
        print("readyok", flush=True)
    elif order[:1] == ["quit"]:
        break
    elif order[:1] == ["position"]:
        words = order[3:]
    elif order[:1] == ["go"]:
        game = Game(words)
        word = min(game.legal())
        if mood == "crash":
            os._exit(3)
        if mood == "hang":
            time.sleep({hanging})
        if mood == "endless":
            while True: sys.stdout.write("info string " + "x" * 100_000)
        if mood == "illegal":
            word = words[-1] if words else "a1-a4"
        if mood == "unasked":
            word = "xd7"
        if mood == "wrong removal" and game.closed:
            word = "x" + game.closed
        if mood == "no removal" and game.closed:
            word = "d6"
        if mood == "babble":
            word = "\\x00banana"
        if mood == "joined":
            word = word + "xd7"
        if mood == "draw":
            word = "draw"
        if mood == "remark":
            print("info string the bestmove is banana")
        print("info score 3 bestmove" + (" " + word if mood != "mute" else ""), flush=True)
"""
"""It has the rules a second time, written apart from ours, and dies of a word that they forbid. Answers stand behind a
score, as in Sanmill; it plays the first of its words, so that it closes mills soon."""


def write_miller(folder: Path, mood: str = "sound") -> str:
    """Return the path of the program; what it hears is in `heard` beside it."""
    if os.name == "nt":
        pytest.skip("programs of tests are scripts")
    path = folder / f"miller-{mood.replace(' ', '-')}"
    text = SCRIPT.format(python=sys.executable, mood=mood, hanging=LONG, log=str(folder / "heard"))
    path.write_text(text)
    path.chmod(path.stat().st_mode | stat.S_IXUSR)
    return str(path)
