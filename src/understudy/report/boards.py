"""Cells shown where they are: numbers of cells as heat on the drawn board, and positions with what a student thinks."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from understudy.errors import UnderstudyError
from understudy.games import CompiledGame, find_game
from understudy.games.drawing import draw_svg
from understudy.games.kind import read_size
from understudy.report.blocks import Block, Plot, Plots, Section, Text, headed, percent
from understudy.report.comparing import about_of
from understudy.report.sources import Run

COUNTED = 0.01
"""Shares below this are not written on a cell, where they would be a crowd of zeros."""

WARMEST = 0.4
"""The heat of the cell that is counted most: numbers are written on it and must be read."""

ENDINGS = {
    "right": "as the teacher", "wrong": "otherwise than the teacher", "illegal": "against the rules",
    "kept": "keeps the win", "lost": "gives the win away",
    "agrees": "agrees with", "differs": "differs from", "alike": "as", "apart": "otherwise than",
}  # fmt: skip
"""How a student may choose, as `samples.json` calls it, and in words."""


IMITATED = (
    "Positions held out, drawn by chance. Heat and numbers, in per cent, are what the student thought of one part "
    "of its move: the first in which it left its teacher, else the one it was least sure of. A strong arrow or "
    "ring is its choice, a pale one the teacher's; yellow cells are those of a choice that the rules forbid."
)
KEPT = (
    "Positions of the exam in which a move can lose the win, drawn by chance. A strong arrow is the student's choice; "
    "where that loses, pale ones are the moves that win."
)
VALUED = (
    "Positions that nobody learned from, drawn by chance. A strong arrow or ring is the student's choice; pale are "
    "moves it thinks of next, with what it expects of them."
)
MET = (
    "Positions of games that the student played against an opponent, drawn by chance. A strong arrow or ring is the "
    "student's choice; pale is the opponent's where it would move otherwise, else what the student thinks of next."
)
NOTES = {"kept": KEPT, "lost": KEPT, "agrees": VALUED, "differs": VALUED, "alike": MET, "apart": MET}
"""What stands above samples, by the kinds among them; above all others `IMITATED` does."""


def game_of(run: Run) -> CompiledGame | None:
    """Return the game of a run on its board; None where the experiment names none that there is."""
    about = about_of(run.experiment)
    name, size = str(about.get("game") or run.analysis.get("game", "")), str(about.get("size", ""))
    try:
        return find_game(name, read_size(size) if size else None)
    except UnderstudyError:
        return None


def heat_plot(game: CompiledGame | None, counts: Sequence[float], caption: str) -> Plot | None:
    """Return how often each cell of a board was counted; None where the numbers are not those of its cells.

    There may be one number more than there are cells: then the first counts what has no cell, and is told in words.
    """
    lacking = len(counts) - len(game.board.cells) if game is not None else -1
    if game is None or lacking not in (0, 1) or sum(counts) <= 0:
        return None
    shares = [count / sum(counts) for count in counts]
    cells = dict(enumerate(shares[lacking:]))
    most = max(cells.values()) or 1.0
    svg = draw_svg(
        game.board, [""] * len(game.board.cells), title=caption,
        heat={cell: WARMEST * share / most for cell, share in cells.items()},
        labels={cell: f"{100 * share:.1f}" for cell, share in cells.items() if share >= COUNTED},
    )  # fmt: skip
    none = f"; none: {percent(shares[0])}" if lacking and shares[0] else ""
    return Plot(embed_board(svg), f"{caption}, in per cent{none}")


def embed_board(svg: str) -> str:
    """Return a drawn board as part of a page that has the style of boards once."""
    svg = re.sub(r"<style>.*?</style>\n?", "", svg, count=1, flags=re.DOTALL)
    return re.sub(r' xmlns="[^"]*"| width="\d+" height="\d+"(?= class="us-board)', "", svg, count=2).strip()


def samples_section(run: Run) -> Section | None:
    """Show positions held out with what each student chose, some right, some wrong, some illegal."""
    game, students = game_of(run), run.samples.get("students", {})
    if game is None or not students:
        return None
    kinds = [entry["kind"] for entries in students.values() for entry in entries]
    blocks: list[Block] = [Text(note) for note in dict.fromkeys(NOTES.get(kind, IMITATED) for kind in kinds)]
    for name, entries in students.items():
        plots = [_sample_plot(game, entry) for entry in entries]
        blocks.append(Plots(tuple(plots), name if len(students) > 1 else "", boards=True))
    return Section("Some positions", tuple(blocks))


def _sample_plot(game: CompiledGame, entry: Mapping[str, Any]) -> Plot:
    heat = {game.board.cells.index(cell): float(share) for cell, share in entry["heat"].items()}
    svg = draw_svg(
        game.board, game.stones(game.read(entry["position"])), title=f"{game.name}: {entry['position']}",
        marked=[int(cell) for cell in entry["marked"]], heat=heat or None,
        arrows=[(arrow[0], arrow[1], arrow[2], arrow[3]) for arrow in entry["arrows"]],
        labels={cell: f"{100 * share:.0f}" for cell, share in heat.items() if share >= COUNTED},
    )  # fmt: skip
    return Plot(embed_board(svg), _describe(entry))


def _describe(entry: Mapping[str, Any]) -> str:
    """Return a choice in words: `Otherwise than the teacher: a1-a4 (34.2 %), not d2-d3 (12.1 %)`."""
    if "wins" in entry:
        winners = f"; {' or '.join(entry['wins'])} would win" if entry["kind"] == "lost" else ""
        return f"{headed(ENDINGS[entry['kind']])}: {entry['mover']} {entry['choice']}{winners}"
    if "judge" in entry:
        return _describe_opinion(entry)
    chosen = f"{entry['choice']} ({_weigh(entry, 'share', 'truth')})"
    right = entry["kind"] == "right"
    other = "" if right else f", not {entry['teacher']} ({_weigh(entry, 'teacher_share', 'teacher_truth')})"
    return f"{headed(ENDINGS[entry['kind']])}: {entry['mover']} {chosen}{other}; heat: {entry['part'].upper()}"


def _weigh(entry: Mapping[str, Any], share: str, truth: str) -> str:
    """Return how likely a choice was, and what it truly leads to where that is known."""
    known = entry.get(truth)
    return percent(entry[share]) + (f", in truth it {known}" if known else "")


def _describe_opinion(entry: Mapping[str, Any]) -> str:
    """Return an opinion in words: `Differs from the engine: draw beside winning (+2.1 pawns); White Nf3, then d4`."""
    moves = [[entry["choice"], entry["worth"]], *entry["also"]]
    worths = [f"{move} ({worth})" if worth else str(move) for move, worth in moves]
    judge, chosen = f"{headed(ENDINGS[entry['kind']])} {entry['judge']}", f"{entry['mover']} {worths[0]}"
    if entry["kind"] == "apart":
        return f"{judge}: {chosen}, not {entry['theirs']}"
    thought = chosen + (f", then {' or '.join(worths[1:])}" if worths[1:] else "")
    return f"{judge}: {entry['ours']} beside {entry['theirs']}; {thought}" if "ours" in entry else f"{judge}: {thought}"
