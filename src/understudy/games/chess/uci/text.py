"""What the Universal Chess Interface says, as values: positions, limits of a search, and what was thought.

Nothing here raises for a bad limit, because a program that said `go` waits for a move whatever it wrote; what is not
understood comes back as complaints, a sentence each.
"""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from understudy.errors import IllegalMove, NotationError
from understudy.games import CompiledGame
from understudy.protocols import Move

SCALE = 350.0
"""Centipawns at which the expected outcome is tanh(1): the scale of our evaluators of chess."""

MOST_CENTIPAWNS = 9999
"""Programs show scores in little room; beyond, they expect a mate."""

MOVES_LEFT = 30
"""For how many moves a clock must last if nobody says. Chosen by hand; what is left is shared anew at each move."""

NUMBERS = ("depth", "nodes", "movetime", "wtime", "btime", "winc", "binc", "movestogo", "mate")
FLAGS = ("infinite", "ponder")
LARGEST = 1 << 53
"""Numbers are taken for this at most: nothing here lasts longer, and the product of two still fits a float."""


@dataclass(kw_only=True)
class Go:
    """What a `go` asks for; times are milliseconds, None where nothing was said."""

    depth: int | None = None
    nodes: int | None = None
    movetime: int | None = None
    wtime: int | None = None
    btime: int | None = None
    winc: int | None = None
    binc: int | None = None
    movestogo: int | None = None
    mate: int | None = None
    infinite: bool = False
    ponder: bool = False
    searchmoves: list[str] = field(default_factory=list)
    complaints: list[str] = field(default_factory=list)

    def seconds(self, *, white: bool, overhead: int) -> float | None:
        """Return how long to think, None if no clock runs; *overhead* milliseconds are lost on the way to the clock.

        A move gets its part of the time left and three quarters of the increment, never more than four fifths of all:
        chosen by hand, so that some of both is always saved.
        """
        if self.movetime is not None:
            return max(self.movetime - overhead, self.movetime / 2, 1) / 1000
        left, increment = (self.wtime, self.winc) if white else (self.btime, self.binc)
        if left is None:
            return None
        share = left / max(self.movestogo or MOVES_LEFT, 1) + 0.75 * (increment or 0)
        return max(min(share, 0.8 * left) - overhead, 1) / 1000


def read_go(words: Sequence[str]) -> Go:
    """Return what the words after `go` ask for."""
    go, place = Go(), 0
    while place < len(words):
        word = words[place]
        place += 1
        if word in FLAGS:
            setattr(go, word, True)
        elif word in NUMBERS:
            place += _read_number(go, word, words[place] if place < len(words) else "")
        elif word == "searchmoves":
            while place < len(words) and words[place] not in (*NUMBERS, *FLAGS, "searchmoves"):
                go.searchmoves.append(words[place])
                place += 1
        else:
            go.complaints.append(f"go: {word!r} is not known and was left out")
    if go.mate is not None:
        go.complaints.append("go mate: nobody here looks for mates alone, so this was left out")
    return go


def _read_number(go: Go, name: str, text: str) -> int:
    """Set a number of *go*; return how many words it took."""
    if not re.fullmatch("[+-]?[0-9]{1,30}", text):
        go.complaints.append(f"go {name}: {text!r} is not a whole number")
        return int(bool(text) and text not in (*NUMBERS, *FLAGS, "searchmoves"))
    setattr(go, name, max(min(int(text), LARGEST), 1 if name in ("depth", "nodes") else 0))
    return 1


def read_position(game: CompiledGame, words: Sequence[str]) -> tuple[Any, list[Any]]:
    """Return the position that the words after `position` describe, and those before it, oldest first."""
    kind = words[0] if words else ""
    if kind not in ("startpos", "fen"):
        raise NotationError("position: expected 'startpos' or 'fen' and a FEN, then 'moves' and moves if there are any")
    end = words.index("moves") if "moves" in words else len(words)
    if kind == "startpos" and end > 1:
        raise NotationError(f"position startpos: expected 'moves', not {words[1]!r}")
    position, history = game.start() if kind == "startpos" else game.read(" ".join(words[1:end])), []
    for text in words[end + 1 :]:
        history.append(position)
        position = game.play(position, read_uci(game, position, text))
    return position, history


def read_uci(game: CompiledGame, position: Any, text: str) -> Move:
    """Return the code of a legal move written as UCI does, such as `e2e4` or `e7e8q`."""
    if not re.fullmatch("([a-h][1-8]){2}[nbrq]?", text.lower()):
        raise IllegalMove(f"chess: {text!r} is not a move as UCI writes it, such as 'e2e4' or 'e7e8q'")
    return game.read_move(position, text.lower())


def write_uci(game: CompiledGame, position: Any, move: Move) -> str:
    """Return a move as UCI writes it."""
    return str(game.notation.to_uci(position, move).uci())


def score(value: float | None, plies: int | None) -> str:
    """Return an expected outcome, or a game's end in so many plies (negative: lost), as UCI writes scores."""
    if plies is not None:
        return f"score mate {(plies + 1) // 2 if plies > 0 else -(-plies // 2)}"
    return "" if value is None else f"score cp {centipawns(value)}"


def centipawns(value: float) -> int:
    """Return 350 atanh(value), at most 9999 either way: what our evaluators must see to expect this outcome."""
    edge = math.tanh(MOST_CENTIPAWNS / SCALE)
    if abs(value) >= edge or math.isnan(value):
        return 0 if math.isnan(value) else int(math.copysign(MOST_CENTIPAWNS, value))
    return max(-MOST_CENTIPAWNS, min(MOST_CENTIPAWNS, round(SCALE * math.atanh(value))))


def sentence(text: str, most: int = 400) -> str:
    """Return *text* in one line of characters that can be seen, not longer than *most*."""
    line = " ".join("".join(letter if letter.isprintable() or letter.isspace() else "?" for letter in text).split())
    return line if len(line) <= most else line[: most - 3] + "..."
