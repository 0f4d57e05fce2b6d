"""How many of the rows that a student is judged on it has learned from."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np

from understudy.games import CompiledGame
from understudy.records.examples import orbit_names
from understudy.records.sketches import BITS, mark, read_marks

WORTH_SAYING = 0.01
"""Rows counted by mistake from which on they are told."""


class Leak(NamedTuple):
    """What a student knows of the rows that it is judged on."""

    rows: int
    seen: int | None
    """Rows that it learned from, or from images of them; None where that cannot be told."""
    mistaken: float = 0.0
    """How many of them are to be expected by mistake."""
    whole: bool = True
    """Whether all that it learned from is known; else there may be more."""


def leak_of(facts: Mapping[str, Any], game: CompiledGame, positions: Any) -> Leak:
    """Return what a student knows of *positions*, by what its file says that it learned from."""
    sketch = facts.get("learned_from")
    names, marks = orbit_names(game, positions), read_marks(sketch)
    if marks is None or not isinstance(sketch, Mapping):
        return Leak(len(names), None)
    seen, whole = int(np.isin(mark(names), marks).sum()), bool(sketch.get("whole"))
    if not seen and not whole:
        return Leak(len(names), None, whole=False)
    return Leak(len(names), seen, (len(names) - seen) * len(marks) / 2**BITS, whole)


def leak_text(player: str, leak: Leak) -> str:
    """Return a leak as one line."""
    rows = f"these {_counted(leak.rows)} rows"
    if leak.seen is None:
        whose = "what it learned from" if leak.whole else "all that it learned from"
        return f"note: {player} does not say {whose}; whether it knows some of {rows} cannot be told"
    if leak.seen == 0:
        return f"note: {player} has learned from none of {rows}"
    least = "" if leak.whole else "at least "
    doubt = f" (about {leak.mistaken:.2g} of them by mistake)" if leak.mistaken >= WORTH_SAYING else ""
    told = f"note: {player} has learned from {least}{_counted(leak.seen)} of {rows}{doubt}, or from images of them"
    return f"{told}: what it scores there is partly memory"


def _counted(number: int) -> str:
    return f"{number:,}".replace(",", " ") if number >= 10_000 else str(number)
