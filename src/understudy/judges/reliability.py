"""How far down its ranking a student keeps legal classes before illegal ones: precision at 25 points of recall.

As the authors do it, a row counts for a network if the earlier networks' own choices lead to a legal move and its own
first choice is not "none". A student that wrongly chooses none so escapes; `reliability.by_truth` therefore counts the
rows where the rules leave something other than none. `reliability.authors` goes by the authors' checker.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from understudy.games.morris.legality import PARTS
from understudy.games.morris.reliability import RECALLS, precision_sums, ranked
from understudy.judges.measures import Sums, Tally
from understudy.judges.parts import RULES, Seen


def reliability(seen: Seen) -> Tally:
    """Return precisions of each network where there are scores; nothing without."""
    tally: Tally = {}
    if seen.scores is None or seen.masks is None:
        return tally
    for place, part in enumerate(seen.order):
        order, chose = ranked(seen.scores[:, place]), seen.parts[:, part] != 0
        for prefix, both in zip(RULES, seen.masks, strict=True):
            masks = both[:, place]
            tally |= _precisions(f"{prefix}{PARTS[part]}", order, masks, (masks != 0) & chose)
        masks = seen.masks[0][:, place]
        tally |= _precisions(f"by_truth.{PARTS[part]}", order, masks, masks > 1)
    return tally


def _precisions(name: str, order: NDArray[np.uint8], masks: NDArray[np.uint32], kept: NDArray[np.bool_]) -> Tally:
    sample, sums = int(np.count_nonzero(kept)), precision_sums(order, masks, kept)
    named = zip(RECALLS, sums.T.tolist(), strict=True)
    return {f"reliability.{name}.{recall}": Sums(total, squares, sample) for recall, (total, squares) in named}
