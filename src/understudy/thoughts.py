"""What a player thinks of a position, in one form for the terminal, notebooks, pages, reports and programs.

A number never stands without its meaning: `kind` says what the numbers of a thought are. Moves that the rules forbid
are marked and never mixed in with the others.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple

from understudy.errors import UnderstudyError
from understudy.protocols import NOTHING as NOTHING
from understudy.protocols import Choice, Game, Move

if TYPE_CHECKING:  # whoever imports the package loads this, and no game
    from understudy.games import CompiledGame

KINDS = {
    "probability": "how likely the player takes a move, from 0 to 1",
    "value": "the result that the player expects for the side to move, from -1 (lost) to 1 (won)",
    "order": "which moves the player prefers, on a scale of its own; more is better",
}
"""What the numbers of a thought mean."""
SHOWN = 8
"""Moves that a person is shown; `moves` holds all."""
NOTICED = 0.001
"""Illegal moves that are less likely than this are not shown to a person."""
BAR = 20
"""Letters of the bar that stands for the whole of a scale."""


class Weighed(NamedTuple):
    """A move, and what the player thinks of it."""

    move: Move
    number: float | None
    """On the scale of the thought's kind; None where the player has no opinion of this move."""
    legal: bool = True
    note: str = ""
    """The same in the player's own words, such as `+0.35 pawns` or `wins in 3 plies`."""


class PartThought(NamedTuple):
    """What a player that chooses part by part thinks of one part of a move, the parts before it being chosen."""

    part: str
    cells: Mapping[str, float]
    """The probability of each cell, and of `NOTHING` where a move may lack this part."""
    illegal: float
    """The share of it on what no legal move has here."""
    choice: str
    """What the player chose for this part."""


class Line(NamedTuple):
    """Moves that a player expects to be played, and what that leads to."""

    moves: tuple[Move, ...]
    value: float | None
    """For the side to move before the first of them, from -1 to 1."""
    depth: int = 0
    """Plies that were looked ahead to find it."""
    plies: int | None = None
    """Until the game's proven end, negative if it will be lost; None where no end is seen."""


@dataclass(frozen=True, kw_only=True, repr=False)
class Thought:
    """What a player thinks of a position."""

    player: str
    game: CompiledGame
    position: Any
    choice: Choice
    kind: str
    """What the numbers are; `KINDS` says it in words."""
    value: float | None = None
    """The result that it expects for the side to move, from -1 to 1; None if it does not say."""
    moves: tuple[Weighed, ...] = ()
    """The legal moves, the best first, then illegal ones that it thinks of, the likeliest first."""
    parts: tuple[PartThought, ...] = ()
    """In the order in which the player chooses them."""
    lines: tuple[Line, ...] = ()
    """The lines of play that it holds best, best first."""
    course: tuple[Line, ...] = ()
    """What it held best at each depth, the shallowest first."""
    truths: Mapping[Move, str] = field(default_factory=dict)
    """What moves are truly worth, in words, where that is known at once: not what the player thinks."""
    inputs: Mapping[str, float] = field(default_factory=dict)
    """What a network sees, by name: how much the expected result rests on it."""
    depth: int | None = None
    nodes: int | None = None
    seconds: float | None = None
    note: str = ""
    """What else a reader must know to understand the numbers."""

    @property
    def line(self) -> tuple[Move, ...]:
        """The moves that it expects, beginning with its own."""
        return self.lines[0].moves if self.lines else ()

    @property
    def plies(self) -> int | None:
        """Until the game's proven end, negative if it will be lost; None where no end is seen."""
        return self.lines[0].plies if self.lines else None

    @property
    def meaning(self) -> str:
        """What the numbers are, in words."""
        return KINDS[self.kind]

    @property
    def illegal(self) -> float | None:
        """The share of a player's mind that is on moves which the rules forbid; None unless it tells probabilities."""
        if self.kind != "probability":
            return None
        return max(0.0, 1.0 - sum(weighed.number or 0.0 for weighed in self.moves if weighed.legal))

    @property
    def legal(self) -> bool:
        """Whether the rules allow what it chose."""
        return all(weighed.legal for weighed in self.moves if weighed.move == self.choice.move)

    def write(self, move: Move) -> str:
        """Return a move of this position as text."""
        return write_choice(self.game, self.position, move)

    def write_line(self, line: Line) -> list[str]:
        """Return the moves of a line as text."""
        position, texts = self.position, []
        for move in line.moves:
            texts.append(self.game.write_move(position, move))
            position = self.game.play(position, move)
        return texts

    def to_json(self) -> dict[str, Any]:
        """Return all of it for programs."""
        return {
            "player": self.player, "game": self.game.name, "position": self.game.write(self.position),
            "kind": self.kind, "meaning": self.meaning, "choice": self.write(self.choice.move), "legal": self.legal,
            "value": self.value,
            "moves": [{"move": self.write(move), "number": number, "legal": legal, "note": note,
                       "truth": self.truths.get(move, "")} for move, number, legal, note in self.moves],
            "parts": [{"part": part, "cells": dict(cells), "illegal": illegal, "choice": choice}
                      for part, cells, illegal, choice in self.parts],
            "illegal": self.illegal, "line": self.write_line(self.lines[0]) if self.lines else [],
            "lines": [self._line_json(line) for line in self.lines],
            "course": [self._line_json(line) for line in self.course], "inputs": dict(self.inputs),
            "depth": self.depth, "nodes": self.nodes, "seconds": self.seconds, "note": self.note,
        }  # fmt: skip

    def _line_json(self, line: Line) -> dict[str, Any]:
        return {"moves": self.write_line(line), "value": line.value, "depth": line.depth, "plies": line.plies}

    def __repr__(self) -> str:
        return "\n".join(_paragraphs(self))

    def _repr_html_(self) -> str:
        """Return it as a notebook shows it."""
        from understudy.pictures import picture_thought  # pictures need thoughts; players need no pictures

        return picture_thought(self)


def write_value(value: float | None) -> str:
    """Return an expected result as people read it."""
    return "?" if value is None else f"{value:+.2f}"


def write_end(plies: int) -> str:
    """Return how a game will end, *plies* from now, negative if it will be lost."""
    return f"{'wins' if plies > 0 else 'loses'} in {abs(plies)} {'ply' if abs(plies) == 1 else 'plies'}"


def write_choice(game: Game, position: Any, move: Move) -> str:
    """Return a move as text, one that the rules forbid too where it has a text."""
    try:
        return game.write_move(position, move)
    except (UnderstudyError, ValueError, IndexError):  # notations differ in what they make of an illegal move
        return f"code {move}"


def _paragraphs(thought: Thought) -> list[str]:
    """Return a thought as lines of text."""
    lines = [_headline(thought)]
    legal = [weighed for weighed in thought.moves if weighed.legal and weighed.number is not None]
    illegal = [weighed for weighed in thought.moves if not weighed.legal and (weighed.number or 0.0) >= NOTICED]
    shown = legal[:SHOWN] + illegal[:SHOWN]
    if shown:
        lines += [f"  {thought.meaning}:", *_rows(thought, shown)]
    lines += [_part_line(part) for part in thought.parts]
    lines += [_line_line(thought, line) for line in thought.lines]
    if thought.inputs:
        resting = sorted(thought.inputs.items(), key=lambda named: -abs(named[1]))
        lines.append("  rests on " + ", ".join(f"{name} {number:+.2f}" for name, number in resting))
    return lines + [f"  {thought.note}"] * bool(thought.note)


def _headline(thought: Thought) -> str:
    chosen = thought.write(thought.choice.move) + ("" if thought.legal else " (illegal)")
    facts = [f"expects {thought.value:+.2f}"] if thought.value is not None else []
    facts += [write_end(thought.plies)] if thought.plies is not None else []
    facts += (
        [f"{thought.illegal:.2%} of its mind on illegal moves"] if thought.parts and thought.illegal is not None else []
    )
    facts += [f"depth {thought.depth}"] if thought.depth is not None else []
    facts += [f"{thought.nodes} nodes"] if thought.nodes is not None else []
    facts += [f"{thought.seconds:.2f} s"] if thought.seconds is not None else []
    return f"{thought.player} chooses {chosen}" + (f": {', '.join(facts)}" if facts else "")


def _rows(thought: Thought, shown: list[Weighed]) -> list[str]:
    texts = [thought.write(weighed.move) for weighed in shown]
    wide = max(map(len, texts))
    return [
        f"    {text:<{wide}}  {_number(thought.kind, weighed.number):>8}  "
        f"{_bar(thought.kind, weighed.number)}{'' if weighed.legal else ' illegal'}{_noted(thought, weighed)}".rstrip()
        for text, weighed in zip(texts, shown, strict=True)
    ]


def _noted(thought: Thought, weighed: Weighed) -> str:
    notes = join_notes(weighed.note, thought.truths.get(weighed.move, ""))
    return f"  {notes}" if notes else ""


def join_notes(note: str, truth: str) -> str:
    """Return what a player says of a move and what is true of it, once where both are the same."""
    return note if truth in ("", note) else f"{note}; in truth it {truth}" if note else f"in truth it {truth}"


def _number(kind: str, number: float | None) -> str:
    if number is None:
        return ""
    return f"{number:.1%}" if kind == "probability" else f"{number:+.3f}"


def _bar(kind: str, number: float | None) -> str:
    """Return a bar for a number that has a scale: from 0 to 1, or from lost to won."""
    if number is None or kind == "order":
        return ""
    share = number if kind == "probability" else (number + 1) / 2
    return f"{'█' * round(BAR * min(max(share, 0.0), 1.0)):<{BAR}}"


def _part_line(part: PartThought) -> str:
    likely = sorted(part.cells.items(), key=lambda cell: -cell[1])[:4]
    told = ", ".join(f"{cell} {share:.1%}" for cell, share in likely)
    return f"  {part.part}: {part.choice} ({told}; {part.illegal:.2%} on what the rules forbid)"


def _line_line(thought: Thought, line: Line) -> str:
    end = f", {write_end(line.plies)}" if line.plies is not None else ""
    return f"  {write_value(line.value)} at depth {line.depth}{end}: {' '.join(thought.write_line(line))}"
