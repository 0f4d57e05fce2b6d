"""Judges of moves that are chosen part by part: as the teacher's, legal, what is wrong, legal before illegal.

A judge is a function from a chunk of what was seen to a tally. What is legal, and how moves fall into parts, follows
from the game's moves and parts alone (`games/legality.py`), unless the game has more to say.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from understudy.games import CompiledGame
from understudy.games.batches import NO_MOVE, taken
from understudy.games.bits import NONE, lowest, rest
from understudy.games.legality import Classes, PartRules, part_rules
from understudy.games.mistakes import mistakes_of
from understudy.games.parts import may_lack, parts_of
from understudy.judges.measures import Sums, Tally, counted, summed
from understudy.kernels import kernel


class Seen(NamedTuple):
    """A chunk of positions with a student's choices; parts are in the game's order, other things in cascade order."""

    game: CompiledGame
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
    masks: Mapping[str, Classes] | None = None
    """[n, parts, words] by the prefix of each checker: what may follow the student's own earlier choices."""
    choices: Mapping[str, Mapping[str, NDArray[np.bool_]]] | None = None
    """By the prefix of each checker: what holds of the parts that were chosen."""
    given: NDArray[np.int64] | None = None
    """[n, parts]: what was chosen after the teacher's earlier choices."""
    probable: bool = False
    """Whether the scores are logarithms of probabilities."""

    @property
    def rules(self) -> PartRules:
        """What the game says of the parts of its moves."""
        return part_rules(self.game)


def see(
    game: CompiledGame, batch: Any, moves: NDArray[np.int32], parts: NDArray[np.int64], order: tuple[int, ...]
) -> Seen:
    """Return what was chosen beside what the teacher played."""
    return Seen(game, batch, parts, parts_of(game, moves), moves != NO_MOVE, order)


def with_scores(seen: Seen, scores: NDArray[np.float32], *, probable: bool) -> Seen:
    """Return *seen* with scores, and with what the rules allow after the choices made."""
    looks = {
        prefix: seen.rules.look(seen.batch, order=seen.order, parts=seen.parts, legacy=legacy)
        for prefix, legacy in seen.rules.checkers.items()
    }
    masks, choices = {name: look[0] for name, look in looks.items()}, {name: look[1] for name, look in looks.items()}
    return seen._replace(scores=scores, masks=masks, choices=choices, probable=probable)


def rows_of(seen: Seen, rows: NDArray[Any]) -> Seen:
    """Return the same without scores for some rows."""
    return Seen(seen.game, taken(seen.batch, rows), seen.parts[rows], seen.truth[rows], seen.answered[rows], seen.order)


def accuracy(seen: Seen) -> Tally:
    """Return how often a student chooses what the teacher played, where that is known.

    Either the student's networks feed each other as in play, and the whole move and its parts are compared, or each
    network is told the teacher's earlier parts (`accuracy.given`), as it was in training.
    """
    rows, truth, names = seen.answered, seen.truth[seen.answered], seen.game.part_names
    right = seen.parts[rows] == truth
    whole = right.all(axis=1)
    tally = {"accuracy.whole": counted(whole)}
    tally |= {f"accuracy.{part}": counted(right[:, i]) for i, part in enumerate(names)}
    for i in seen.rules.lacking:  # to name none is easy, and most moves do
        tally[f"accuracy.{names[i]}_nonzero"] = counted(right[truth[:, i] != 0, i])
    tally |= {f"accuracy.{phase}": counted(whole[of[rows]]) for phase, of in seen.rules.phases(seen.batch).items()}
    if seen.given is not None:
        given = seen.given[rows] == truth
        tally |= {f"accuracy.given.{part}": counted(given[:, i]) for i, part in enumerate(names)}
    return tally


def legality(seen: Seen) -> Tally:
    """Return how often the first choice is legal: part by part, in their relations, and as a whole.

    Where a game has several checkers everything is counted by each: by the rules, and for Morris (`legality.authors`)
    by the one behind the published figures. `legality.illegal_mass` asks more than the first choice: how much
    probability lies on classes that lead nowhere.
    """
    tally: Tally = {}
    for prefix, legacy in seen.rules.checkers.items():
        judged = seen.choices[prefix] if seen.choices else None
        choices = judged or seen.rules.judge_choices(seen.batch, seen.parts, legacy=legacy)
        tally |= {f"legality.{prefix}{name}": counted(held) for name, held in choices.items()}
    return tally | (_illegal_mass(seen) if seen.probable else {})


def _illegal_mass(seen: Seen) -> Tally:
    """Return the probability each network puts on classes that lead nowhere, where its own earlier choices do not."""
    assert seen.scores is not None and seen.masks is not None
    tally: Tally = {}
    for place, part in enumerate(seen.order):
        masks = seen.masks[""][:, place]
        rows = masks.any(axis=1)
        odds = np.exp(seen.scores[rows, place].astype(np.float64))
        wrong = (odds * ~seen.rules.unpacked(masks[rows])).sum(axis=1) / odds.sum(axis=1)
        tally[f"legality.illegal_mass.{seen.game.part_names[part]}"] = summed(wrong)
    return tally


def mistakes(seen: Seen) -> Tally:
    """Return the share of choices that make each kind of mistake; together they are those that are not legal."""
    rules = seen.choices[""] if seen.choices else seen.rules.judge_choices(seen.batch, seen.parts)
    kinds = mistakes_of(seen.game)
    made = kinds.classify(seen.batch, seen.parts, rules["whole"])
    return {f"mistakes.{name}": counted(made == place) for place, name in enumerate(kinds.meanings)}


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
    for place, part in enumerate(seen.order):
        name, lacks = seen.game.part_names[part], may_lack(seen.game, part)
        chose = (seen.parts[:, part] != 0) | (not lacks)
        for prefix, every in seen.masks.items():
            masks = every[:, place]
            kept = {f"{prefix}{name}": (masks != NONE).any(axis=1) & chose}
            if not prefix:
                kept[f"by_truth.{name}"] = (_without_none(masks, lacks) != NONE).any(axis=1)
            tally |= _precisions(seen.scores[:, place], masks, kept)
    return tally


def _without_none(masks: Classes, lacks: bool) -> Classes:
    """Return sets of classes without the first, where that means none."""
    first = np.zeros(masks.shape[1], np.uint64)
    first[0] = lacks
    return masks & ~first


def _precisions(scores: NDArray[np.float32], masks: Classes, kept: Mapping[str, NDArray[np.bool_]]) -> Tally:
    """Return the precision at each point of recall over the rows *kept*, by what they are called."""
    tally: Tally = {}
    for (name, rows), sums in zip(kept.items(), sum_precisions(scores, masks, list(kept.values())), strict=True):
        named, sample = zip(RECALLS, sums.T.tolist(), strict=True), int(np.count_nonzero(rows))
        tally |= {f"reliability.{name}.{recall}": Sums(total, squares, sample) for recall, (total, squares) in named}
    return tally


def sum_precisions(scores: Any, masks: Any, kept: Any) -> NDArray[np.float64]:
    """Return sums of precisions and of their squares [sets, 2, POINTS] over the rows that each set keeps [sets, n].

    Rows that are kept have a legal class. Classes are ranked by falling score, of equal ones the lowest first. The
    precision when the j-th legal class is reached is j divided by its rank; with l legal classes the recall is then
    j / l. The papers read precision at recalls k / 25, each time at the smallest j that reaches it. *masks* are sets of
    classes [n, words], or [n] where one word is enough.
    """
    rows = np.ascontiguousarray(kept, np.bool_)
    words = np.ascontiguousarray(masks, np.uint64)
    sums = np.zeros((len(rows), 2, POINTS))
    words = words if words.ndim > 1 else words[:, None]
    _sum_precisions(np.ascontiguousarray(scores, np.float32), words, rows, sums)
    return sums


@kernel
def _sum_precisions(
    scores: NDArray[np.float32], masks: NDArray[np.uint64], kept: NDArray[np.bool_], sums: NDArray[np.float64]
) -> None:
    ranks = np.empty(scores.shape[1], np.int64)
    for row in range(len(scores)):
        legal = _rank_legal(scores, masks, row, ranks) if kept[:, row].any() else 0
        point = 1
        for reached in range(1, legal + 1):
            precision = reached / ranks[reached - 1]
            while point <= POINTS and point * legal <= reached * POINTS:
                for chosen in range(len(kept)):
                    if kept[chosen, row]:
                        sums[chosen, 0, point - 1] += precision
                        sums[chosen, 1, point - 1] += precision * precision
                point += 1


@kernel
def _rank_legal(scores: NDArray[np.float32], masks: NDArray[np.uint64], row: int, ranks: NDArray[np.int64]) -> int:
    """Write the ranks of the legal classes, ascending, the best of all classes being 1; return how many there are.

    To sort all classes would take longer: few are legal.
    """
    legal = 0
    for word in range(masks.shape[1]):
        classes = masks[row, word]
        while classes != NONE:
            rank = _count_better(scores, row, 64 * word + lowest(classes)) + 1
            classes = rest(classes)
            place = legal
            while place > 0 and ranks[place - 1] > rank:
                ranks[place] = ranks[place - 1]
                place -= 1
            ranks[place] = rank
            legal += 1
    return legal


@kernel
def _count_better(scores: NDArray[np.float32], row: int, number: int) -> int:
    """Return how many classes are preferred to one; plain loops over numbers of 32 bits, of which many go at once."""
    own, better = scores[row, number], np.uint32(0)
    for other in range(scores.shape[1]):
        better += np.uint32(scores[row, other] > own)
    for other in range(number):
        better += np.uint32(scores[row, other] == own)
    return np.int64(better)  # type: ignore[return-value]
