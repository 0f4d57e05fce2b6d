"""How often a student chooses what the teacher played.

Either the student's networks feed each other as in play, and the whole move and its parts are compared, or each
network is told the teacher's earlier parts (`accuracy.given`), as it was in training.
"""

from __future__ import annotations

from understudy.games.morris.legality import FROM, PARTS, REMOVE
from understudy.judges.measures import Tally, counted
from understudy.judges.parts import Seen


def accuracy(seen: Seen) -> Tally:
    """Return what was right where the teacher's move is known."""
    known, truth = seen.known, seen.truth[seen.known]
    right = seen.parts[known] == truth
    whole, phases = right.all(axis=1), seen.phases[known]
    tally = {"accuracy.whole": counted(whole)}
    tally |= {f"accuracy.{part}": counted(right[:, i]) for i, part in enumerate(PARTS)}
    tally |= {f"accuracy.{PARTS[i]}_nonzero": counted(right[truth[:, i] != 0, i]) for i in (FROM, REMOVE)}
    tally |= {f"accuracy.phase{phase}": counted(whole[phases == phase]) for phase in (1, 2, 3)}
    if seen.told is not None:
        told = seen.told[known] == truth
        tally |= {f"accuracy.given.{part}": counted(told[:, i]) for i, part in enumerate(PARTS)}
    return tally
