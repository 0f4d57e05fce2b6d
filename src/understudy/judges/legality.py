"""How often a student's first choice is legal: part by part, in their relations, and as a whole.

Everything is counted twice, by the rules and (`legality.authors`) by the checker behind the published figures.
`legality.illegal_mass` asks more than the first choice: how much probability lies on classes that lead nowhere.
"""

from __future__ import annotations

import numpy as np

from understudy.games.morris.legality import FLAGS, PARTS, REMOVE, grade, unpacked, whole
from understudy.judges.measures import Tally, counted, summed
from understudy.judges.parts import RULES, Seen


def legality(seen: Seen) -> Tally:
    """Return what was legal, and the probability of what is not where there are probabilities."""
    tally: Tally = {}
    for prefix, legacy in RULES.items():
        tally |= {f"legality.{prefix}{name}": sums for name, sums in _legality(seen, legacy).items()}
    return tally | (_illegal_mass(seen) if seen.probable else {})


def _legality(seen: Seen, legacy: bool) -> Tally:
    batch, phases = seen.batch, seen.phases
    flags = grade(batch.mine, batch.theirs, batch.hand, seen.parts, legacy=legacy)
    wholes = whole(flags)
    chosen = seen.parts[:, REMOVE] != 0
    tally = {name: counted(flags[:, i]) for i, name in enumerate(FLAGS)}
    tally |= {name: counted(held) for name, held in wholes.items()}
    tally["whole_from_phase2"] = counted(wholes["whole_from"][phases == 2])
    tally["chosen_remove"] = counted(wholes["whole_remove"][chosen])
    tally["whole_chosen_remove"] = counted(wholes["whole"][chosen])
    return tally | {f"phase{phase}": counted(wholes["whole"][phases == phase]) for phase in (1, 2, 3)}


def _illegal_mass(seen: Seen) -> Tally:
    """Return the probability each network puts on classes that lead nowhere, where its own earlier choices do not."""
    assert seen.scores is not None and seen.masks is not None
    tally: Tally = {}
    for place, part in enumerate(seen.order):
        masks = seen.masks[0][:, place]
        rows = masks != 0
        odds = np.exp(seen.scores[rows, place].astype(np.float64))
        wrong = (odds * ~unpacked(masks[rows])).sum(axis=1) / odds.sum(axis=1)
        tally[f"legality.illegal_mass.{PARTS[part]}"] = summed(wrong)
    return tally
