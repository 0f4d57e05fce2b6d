"""What the Morris thesis printed that no `[paper]` of an experiment holds: Table 6.11, its gaming test."""

from __future__ import annotations

from understudy.report.verdicts import PrintedGames

_REASONS = {"R": "removing", "S": "suffocating", "T": "time"}
_PRINTED = """
1 W-R W-T W-R W-R
2 W-R W-T L-S L-S
3 W-T W-T D L-R
4 D W-S W-S W-S
5 W-S W-S W-S W-S
6 W-S W-R L-R W-R
7 W-S W-S D W-R
8 W-S W-S D W-R
9 W-S W-R W-S D
10 D W-R L-S L-R
11 W-R W-T D W-R
12 W-S W-S W-R D
13 W-S W-S W-S W-R
14 W-R W-S L-S W-R
16 W-S W-R D W-T
17 W-S W-S W-S W-T
DeepMill D - L-R L-R
NNMM - - D -
"""
"""Each program against DeepMill with black and white, and against the networks with black and white (the colour is the
system's); number 15 is DeepMill, the teacher. A system's game against itself is one."""


def _write_cell(text: str) -> str:
    letter, _, reason = text.partition("-")
    return f"{letter} {_REASONS[reason]}" if reason else letter


def _count(column: int) -> str:
    """Return wins, draws and losses of a column; the teacher's row counts for the networks, games with oneself not."""
    names = [line.split()[0] for line in _PRINTED.split("\n") if line]
    letters = [line.split()[column][0] for line in _PRINTED.split("\n") if line]
    own = "DeepMill" if column < 3 else "NNMM"
    counted = [letter for name, letter in zip(names, letters, strict=True) if name not in (own, "NNMM")]
    return "-".join(str(counted.count(letter)) for letter in "WDL")


TABLE_6_11 = PrintedGames(
    "Table 6.11 of the thesis: its teacher and its networks against sixteen students' programs that are not public, "
    "one game with each colour.",
    ("program", "DeepMill as black", "DeepMill as white", "networks as black", "networks as white"),
    (
        *(
            (name, *(_write_cell(cell) if cell != "-" else "" for cell in results))
            for name, *results in (line.split() for line in _PRINTED.split("\n") if line)
        ),
        ("W-D-L", *(_count(column) for column in range(1, 5))),
    ),
)

PUBLISHED = (TABLE_6_11,)
