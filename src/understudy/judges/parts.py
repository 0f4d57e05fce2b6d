"""Judges of moves that are chosen part by part: as the teacher's, legal, and legal before illegal in the ranking.

A judge is a function from a chunk of what was seen to a tally. What is legal, and how moves fall into parts, is said by
the game of the batch (`legality` and `batches` of its record).
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from understudy.games.batches import NO_MOVE, taken
from understudy.games.bits import popcount
from understudy.games.kind import kind_of
from understudy.judges.measures import Sums, Tally, counted, summed
from understudy.kernels import kernel

RULES = {"": False, "authors.": True}
"""Prefix of a measure's name, and whether it goes by the checker behind the published figures instead of the rules."""


class Seen(NamedTuple):
    """A chunk of positions with a student's choices; parts are in the game's order, other things in cascade order."""

    batch: Any
    parts: NDArray[np.int64]
    """[n, parts]: what was chosen."""
    truth: NDArray[np.int64]
    """[n, parts]: what the teacher played."""
    answered: NDArray[np.bool_]
    """[n]: where the teacher played at all."""
    order: tuple[int, ...]
    scores: NDArray[np.float32] | None = None
    """[n, parts, classes]: how each class was preferred, after the student's own earlier choices."""
    masks: tuple[NDArray[np.uint32], NDArray[np.uint32]] | None = None
    """[n, parts] twice, by the rules and by the authors' checker: what may follow the student's own earlier choices."""
    given: NDArray[np.int64] | None = None
    """[n, parts]: what was chosen after the teacher's earlier choices."""
    probable: bool = False
    """Whether the scores are logarithms of probabilities."""

    @property
    def rules(self) -> Any:
        """The module in which the game of the batch says which parts of a move are legal."""
        return kind_of(type(self.batch)).load("legality")

    @property
    def phases(self) -> NDArray[np.int64]:
        """The phase of the side to move."""
        phases: NDArray[np.int64] = self.rules.phases(self.batch.mine, self.batch.hand)
        return phases


def see(batch: Any, moves: NDArray[np.int32], parts: NDArray[np.int64], order: tuple[int, ...]) -> Seen:
    """Return what was chosen beside what the teacher played."""
    return Seen(batch, parts, kind_of(type(batch)).load("batches").parts_of(moves), moves != NO_MOVE, order)


def with_scores(seen: Seen, scores: NDArray[np.float32], *, probable: bool) -> Seen:
    """Return *seen* with scores, and with what the rules allow after the choices made."""
    batch, order, rules = seen.batch, seen.order, seen.rules
    chosen = seen.parts[:, list(order)]

    def mask(place: int, legacy: bool) -> NDArray[np.uint32]:
        earlier = chosen[:, :place]
        masks: NDArray[np.uint32] = rules.allowed(batch, order=order, given=earlier, legacy=legacy)
        return masks

    places = range(len(order))
    plain, authors = (np.stack([mask(place, legacy) for place in places], axis=1) for legacy in RULES.values())
    return seen._replace(scores=scores, masks=(plain, authors), probable=probable)


def rows_of(seen: Seen, rows: NDArray[Any]) -> Seen:
    """Return the same without scores for some rows."""
    return Seen(taken(seen.batch, rows), seen.parts[rows], seen.truth[rows], seen.answered[rows], seen.order)


def accuracy(seen: Seen) -> Tally:
    """Return how often a student chooses what the teacher played, where that is known.

    Either the student's networks feed each other as in play, and the whole move and its parts are compared, or each
    network is told the teacher's earlier parts (`accuracy.given`), as it was in training.
    """
    rows, truth, rules = seen.answered, seen.truth[seen.answered], seen.rules
    right = seen.parts[rows] == truth
    whole, phases = right.all(axis=1), seen.phases[rows]
    tally = {"accuracy.whole": counted(whole)}
    tally |= {f"accuracy.{part}": counted(right[:, i]) for i, part in enumerate(rules.PARTS)}
    for i in (rules.FROM, rules.REMOVE):  # the parts that a move may lack: to name none is easy, and most moves do
        tally[f"accuracy.{rules.PARTS[i]}_nonzero"] = counted(right[truth[:, i] != 0, i])
    tally |= {f"accuracy.phase{phase}": counted(whole[phases == phase]) for phase in (1, 2, 3)}
    if seen.given is not None:
        given = seen.given[rows] == truth
        tally |= {f"accuracy.given.{part}": counted(given[:, i]) for i, part in enumerate(rules.PARTS)}
    return tally


def legality(seen: Seen) -> Tally:
    """Return how often the first choice is legal: part by part, in their relations, and as a whole.

    Everything is counted twice, by the rules and (`legality.authors`) by the checker behind the published figures.
    `legality.illegal_mass` asks more than the first choice: how much probability lies on classes that lead nowhere.
    """
    tally: Tally = {}
    for prefix, legacy in RULES.items():
        tally |= {f"legality.{prefix}{name}": sums for name, sums in _legal_choices(seen, legacy).items()}
    return tally | (_illegal_mass(seen) if seen.probable else {})


def _legal_choices(seen: Seen, legacy: bool) -> Tally:
    batch, phases, rules = seen.batch, seen.phases, seen.rules
    flags = rules.grade(batch.mine, batch.theirs, batch.hand, seen.parts, legacy=legacy)
    wholes = rules.whole(flags)
    removing = seen.parts[:, rules.REMOVE] != 0
    tally = {name: counted(flags[:, i]) for i, name in enumerate(rules.FLAGS)}
    tally |= {name: counted(held) for name, held in wholes.items()}
    tally["whole_from_phase2"] = counted(wholes["whole_from"][phases == 2])
    tally["chosen_remove"] = counted(wholes["whole_remove"][removing])
    tally["whole_chosen_remove"] = counted(wholes["whole"][removing])
    return tally | {f"phase{phase}": counted(wholes["whole"][phases == phase]) for phase in (1, 2, 3)}


def _illegal_mass(seen: Seen) -> Tally:
    """Return the probability each network puts on classes that lead nowhere, where its own earlier choices do not."""
    assert seen.scores is not None and seen.masks is not None
    tally: Tally = {}
    for place, part in enumerate(seen.order):
        masks = seen.masks[0][:, place]
        rows = masks != 0
        odds = np.exp(seen.scores[rows, place].astype(np.float64))
        wrong = (odds * ~seen.rules.unpacked(masks[rows])).sum(axis=1) / odds.sum(axis=1)
        tally[f"legality.illegal_mass.{seen.rules.PARTS[part]}"] = summed(wrong)
    return tally


POINTS = 25
"""Points of recall at which the papers read precision."""
RECALLS = tuple(f"{k / POINTS:.2f}" for k in range(1, POINTS + 1))
"""The points of recall by name, those of the papers: 0.04 to 1.00."""


def reliability(seen: Seen) -> Tally:
    """Return how far down its ranking each network keeps legal classes before illegal ones; nothing without scores.

    As the authors do it, a row counts for a network if the earlier networks' own choices lead to a legal move and its
    own first choice is not "none". A student that wrongly chooses none so escapes; `reliability.by_truth` therefore
    counts the rows where the rules leave something other than none. `reliability.authors` goes by their checker.
    """
    tally: Tally = {}
    if seen.scores is None or seen.masks is None:
        return tally
    names = seen.rules.PARTS
    for place, part in enumerate(seen.order):
        order, chose = rank_classes(seen.scores[:, place]), seen.parts[:, part] != 0
        for prefix, both in zip(RULES, seen.masks, strict=True):
            masks = both[:, place]
            tally |= _precisions(f"{prefix}{names[part]}", order, masks, (masks != 0) & chose)
        masks = seen.masks[0][:, place]
        tally |= _precisions(f"by_truth.{names[part]}", order, masks, masks > 1)
    return tally


def _precisions(name: str, order: NDArray[np.uint8], masks: NDArray[np.uint32], kept: NDArray[np.bool_]) -> Tally:
    sample, sums = int(np.count_nonzero(kept)), sum_precisions(order, masks, kept)
    named = zip(RECALLS, sums.T.tolist(), strict=True)
    return {f"reliability.{name}.{recall}": Sums(total, squares, sample) for recall, (total, squares) in named}


def rank_classes(scores: Any) -> NDArray[np.uint8]:
    """Return the classes [n, classes] by falling score; of equal ones the lowest class first."""
    order = np.empty(scores.shape, np.uint8)
    _rank(np.ascontiguousarray(scores, np.float32), order)
    return order


def sum_precisions(order: NDArray[np.uint8], masks: NDArray[np.uint32], kept: Any) -> NDArray[np.float64]:
    """Return sums of precisions and of their squares [2, POINTS] over the rows kept, which all have a legal class.

    The precision when the j-th legal class is reached is j divided by its rank; with l legal classes the recall is then
    j / l. The papers read precision at recalls k / 25, each time at the smallest j that reaches it.
    """
    sums = np.zeros((2, POINTS))
    _sum_precisions(order, np.ascontiguousarray(masks, np.uint32), np.ascontiguousarray(kept, np.bool_), sums)
    return sums


@kernel
def _rank(scores: NDArray[np.float32], out: NDArray[np.uint8]) -> None:
    for row in range(len(scores)):
        for kind in range(scores.shape[1]):
            place = kind
            while place > 0 and scores[row, out[row, place - 1]] < scores[row, kind]:
                out[row, place] = out[row, place - 1]
                place -= 1
            out[row, place] = kind


@kernel
def _sum_precisions(
    order: NDArray[np.uint8], masks: NDArray[np.uint32], kept: NDArray[np.bool_], sums: NDArray[np.float64]
) -> None:
    for row in range(len(order)):
        if not kept[row]:
            continue
        mask, point, reached = np.int64(masks[row]), 1, 0
        legal = popcount(np.uint64(masks[row]))
        for place in range(order.shape[1]):
            if (mask >> np.int64(order[row, place])) & 1 == 0:
                continue
            reached += 1
            precision = reached / (place + 1)
            while point <= POINTS and point * legal <= reached * POINTS:
                sums[0, point - 1] += precision
                sums[1, point - 1] += precision * precision
                point += 1
