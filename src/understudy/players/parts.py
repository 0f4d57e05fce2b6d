"""Players that choose a move part by part: what judges ask of them, the check of legality, the moves they like best.

Their networks decide in cascade, each seeing what the earlier ones chose. Because a chooser of parts may choose
nonsense, `checked_parts` takes from each network the best class that still leads to a legal move; `proposals` combines
the best classes of each network to whole moves.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from understudy.errors import BadOption, UnknownName
from understudy.games import CompiledGame
from understudy.games.batches import OPEN, size, stacked, taken
from understudy.games.legality import part_rules
from understudy.games.parts import moves_of, name_classes
from understudy.protocols import Choice, Move
from understudy.thoughts import PartThought, Thought, Weighed

PROPOSED = 3
"""Classes of each part that are combined to find the likeliest illegal moves: up to 27, as in the thesis's hybrid."""


class PartScorer(Protocol):
    """A cascade of networks, one for each part of a move; parts are numbered as in the game's `part_names`."""

    @property
    def name(self) -> str: ...

    @property
    def game(self) -> CompiledGame: ...

    @property
    def order(self) -> tuple[int, ...]:
        """Which part each network decides: (0, 1, 2) for TFR."""
        ...

    def score_parts(
        self, batch: Any, given: NDArray[np.int64] | None = None
    ) -> tuple[NDArray[np.float32], NDArray[np.int64]]:
        """Return log-probabilities [n, parts, classes] in cascade order, and the parts chosen [n, parts] in the game's.

        *given* [n, parts - 1] holds what all networks but the last must be taken to have chosen, OPEN where they choose
        themselves; what the parts hold there is up to the player. Of equal scores the lowest class is chosen.
        """
        ...


def checked_parts(scorer: PartScorer, batch: Any) -> tuple[NDArray[np.int64], NDArray[np.bool_]]:
    """Return legal parts [n, parts], and which networks had to be corrected [n, parts], in cascade order.

    Each network's best class that still leads to a legal move counts; later networks are asked again where an earlier
    one was corrected. Where no move is legal the networks' own choice stays.
    """
    rules = part_rules(scorer.game)
    scores, parts = scorer.score_parts(batch)
    chosen = parts[:, list(scorer.order)]
    corrected = np.zeros_like(chosen, np.bool_)
    last = len(scorer.order) - 1
    for place in range(last + 1):
        open_classes = rules.unpacked(rules.allowed(batch, order=scorer.order, given=chosen[:, :place]))
        own = np.take_along_axis(open_classes, chosen[:, place, None], axis=1)[:, 0]
        corrected[:, place] = wrong = ~own & open_classes.any(axis=1)
        best = np.where(open_classes[wrong], scores[wrong, place], -np.inf).argmax(axis=1)
        chosen[wrong, place] = best
        if place < last and wrong.any():
            scores[wrong], chosen[wrong] = _asked_again(scorer, taken(batch, wrong), chosen[wrong, : place + 1])
    return in_part_order(chosen, scorer.order), corrected


def _asked_again(
    scorer: PartScorer, batch: Any, settled: NDArray[np.int64]
) -> tuple[NDArray[np.float32], NDArray[np.int64]]:
    """Return scores and choices in cascade order once the first choices are settled."""
    scores, parts = scorer.score_parts(batch, _given(scorer, settled))
    again = parts[:, list(scorer.order)]
    again[:, : settled.shape[1]] = settled
    return scores, again


def _given(scorer: PartScorer, settled: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return the first choices as `score_parts` takes them, what comes after them still open."""
    given = np.full((len(settled), len(scorer.order) - 1), OPEN, np.int64)
    given[:, : settled.shape[1]] = settled
    return given


def proposals(scorer: PartScorer, batch: Any, best: int) -> list[dict[Move, float]]:
    """Return the moves made of each network's *best* classes, the likeliest first, with log-probabilities.

    They may be illegal; there are as many as *best* to the power of the parts for each position.
    """
    rows = np.arange(size(batch))
    chosen = np.zeros((len(rows), 0), np.int64)
    likely = np.zeros(len(rows))
    for place in range(len(scorer.order)):
        scores = scorer.score_parts(taken(batch, rows), _given(scorer, chosen))[0][:, place]
        most = min(best, scorer.game.part_sizes[scorer.order[place]])
        classes = np.argsort(-scores, axis=1, kind="stable")[:, :most]
        likely = (likely[:, None] + np.take_along_axis(scores, classes, axis=1)).ravel()
        chosen = np.concatenate([np.repeat(chosen, most, axis=0), classes.reshape(-1, 1)], axis=1)
        rows = np.repeat(rows, most)
    moves = moves_of(scorer.game, in_part_order(chosen, scorer.order))
    return [_ranked(moves[rows == row], likely[rows == row]) for row in range(size(batch))]


def _ranked(moves: NDArray[np.int32], likely: NDArray[np.float64]) -> dict[Move, float]:
    order = np.argsort(-likely, kind="stable")
    return {int(moves[place]): float(likely[place]) for place in order}


def in_part_order(chosen: NDArray[np.int64], order: tuple[int, ...]) -> NDArray[np.int64]:
    """Return parts given in cascade order in the order of the game's `part_names`."""
    parts = np.empty_like(chosen)
    parts[:, list(order)] = chosen
    return parts


def think_by_parts(scorer: PartScorer, position: Any, choice: Choice, *, note: str = "") -> Thought:
    """Return what a chooser of parts thinks: of each part where the earlier ones are as it chose, and of whole moves.

    The probability of a move is the product of those of its parts, each network told the parts before; over all that
    the networks could say these add up to 1, so what legal moves leave is the share of illegal ones.
    """
    game, batch = scorer.game, stacked([position])
    legal = game.moves(position)
    likely = {move: float(np.exp(score)) for move, score in proposals(scorer, batch, PROPOSED)[0].items()}
    shares = weigh_moves(scorer, position, legal)
    known = set(legal)
    illegal = [Weighed(move, share, legal=False) for move, share in likely.items() if move not in known]
    ranked = sorted((Weighed(move, share) for move, share in shares.items()), key=lambda one: -(one.number or 0.0))
    parts = weigh_parts(scorer, position, choice, [game.parts(move) for move in legal])
    return Thought(
        player=scorer.name, game=game, position=position, choice=choice, kind="probability",
        moves=(*ranked, *illegal), parts=parts, note=note,
    )  # fmt: skip


def think_given(scorer: PartScorer, position: Any, given: Mapping[str, str]) -> Thought:
    """Return what it would think if it had chosen the *given* parts of a move, by cell; it chooses the others."""
    game, batch = scorer.game, stacked([position])
    wanted = {_find_part(game, part): cell for part, cell in given.items()}
    chosen = np.zeros((1, 0), np.int64)
    for place, part in enumerate(scorer.order):
        own = scorer.score_parts(batch, _given(scorer, chosen))[0][:, place].argmax(axis=1)[:, None]
        settled = np.array([[_find_class(game, position, part, wanted[part])]]) if part in wanted else own
        chosen = np.concatenate([chosen, settled], axis=1)
    move = int(moves_of(game, in_part_order(chosen, scorer.order))[0])
    told = ", ".join(f"{part} {cell}" for part, cell in given.items())
    return think_by_parts(scorer, position, Choice(move), note=f"as if it had chosen {told}")


def _find_part(game: CompiledGame, name: str) -> int:
    if name not in game.part_names:
        raise UnknownName(f"part of a move of {game.name}", name, game.part_names)
    return game.part_names.index(name)


def _find_class(game: CompiledGame, position: Any, part: int, cell: str) -> int:
    names = name_classes(game, position, part)
    if cell not in names:
        raise BadOption(f"the part {game.part_names[part]!r} of a move of {game.name} cannot be {cell!r}")
    return names.index(cell)


def weigh_moves(scorer: PartScorer, position: Any, moves: Sequence[Move]) -> dict[Move, float]:
    """Return the probability of each move, all asked at once."""
    parts = np.array([scorer.game.parts(move) for move in moves], np.int64)[:, list(scorer.order)]
    scores = scorer.score_parts(stacked([position] * len(moves)), parts[:, :-1])[0]
    chosen = np.take_along_axis(scores, parts[:, :, None], axis=2)[:, :, 0]
    return dict(zip(moves, np.exp(chosen.sum(axis=1)).astype(float).tolist(), strict=True))


def weigh_parts(
    scorer: PartScorer, position: Any, choice: Choice, legal: Sequence[tuple[int, ...]]
) -> tuple[PartThought, ...]:
    """Return the probabilities of each part in cascade order, those before it being what the player chose."""
    game = scorer.game
    chosen = [game.parts(choice.move)[part] for part in scorer.order]
    scores = scorer.score_parts(stacked([position]), np.array([chosen[:-1]], np.int64))[0][0]
    thoughts = []
    for place, part in enumerate(scorer.order):
        names = name_classes(game, position, part)
        shares = np.exp(scores[place, : len(names)]).astype(float)
        fitting = [move for move in legal if all(move[scorer.order[a]] == chosen[a] for a in range(place))]
        allowed = sorted({move[part] for move in fitting})
        cells = dict(zip(names, shares.tolist(), strict=True))
        illegal = max(0.0, float(1.0 - shares[allowed].sum()))
        thoughts.append(PartThought(game.part_names[part], cells, illegal, names[chosen[place]]))
    return tuple(thoughts)
