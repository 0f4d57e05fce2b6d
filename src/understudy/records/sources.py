"""Where records come from, in the words that stand beside each row: who was watched, and against whom."""

from __future__ import annotations

from typing import NamedTuple

SELF = "self"
"""The opponent that is the teacher itself."""


class Watched(NamedTuple):
    """Who made records; empty where a source does not tell."""

    teacher: str
    opponent: str


def write_source(kind: str, teacher: str, apprentice: str, opponent: str) -> str:
    """Return the source of what a teacher chose, or would have chosen for an *apprentice*, in games of some kind."""
    return f"{kind} {' for '.join(filter(None, (teacher, apprentice)))} v {opponent}"


def read_source(source: str) -> Watched:
    """Return the players that a source such as `regular searcher:nodes=20000 for student:x v random` names."""
    players, versus, opponent = source.partition(" ")[2].partition(" v ")
    return Watched(players.partition(" for ")[0], opponent) if versus else Watched("", "")
