"""What positions of records are worth to the side to move, from -1 lost to 1 won, by whom one asks.

A teacher says what it expects, a game how it ended, a solver the truth. Positions of one game hang together, so whole
games are kept apart: no position of a game that grades a student was learned from, and none of its images either.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from understudy.errors import BadOption, UnknownName
from understudy.games import CompiledGame
from understudy.games.batches import NO_MOVE
from understudy.games.images import draw_images
from understudy.games.rows import play_rows
from understudy.players.looking import HASTE
from understudy.records.examples import SIDES, orbit_names
from understudy.records.store import UNKNOWN, Records
from understudy.solve import check_decidable, shared_decider

SEARCH, OUTCOME, TEMPORAL, PERFECT, WEIGHED = "search", "outcome", "td", "perfect", "weighed"
WAYS = (SEARCH, OUTCOME, TEMPORAL, PERFECT, WEIGHED)
"""What can be learned: the teacher's value, how the game ended, that by way of positions between (TD), the truth, or
what every move leads to that the teacher has weighed."""
VALIDATION, TEST = 0.1, 0.1
"""Shares of the games: more than of rows elsewhere, because one game says little."""
FEWEST = 10
"""Games without which no tenth of them can be kept apart."""

Worths = NDArray[np.float32]
"""What each record is worth to the side to move; nan where nobody knows."""


def check_way(game: CompiledGame, way: str, place: str = "examples.learn") -> None:
    """Raise unless positions of *game* can be valued this way; *place* names where it stands."""
    if way not in WAYS:
        raise UnknownName(place, way, WAYS)
    if way != PERFECT:
        return
    if game.kind.solver is None and game.kind.truth is not None:
        raise BadOption(
            f"{place}: of {game.name} the truth is known in endings alone, not in whole games; learn 'search', "
            "'outcome' or 'td'"
        )
    check_decidable(game)


def worths_of(records: Records, way: str) -> Worths:
    """Return what each record is worth; what is learned by way of the positions between is how the game ended."""
    if way in (SEARCH, WEIGHED):
        return records.values.astype(np.float32)
    if way == PERFECT:
        wins = shared_decider(records.game).solve(records.positions)
        return np.where(wins, 1.0, -1.0).astype(np.float32)
    return np.where(records.results == UNKNOWN, np.nan, records.results).astype(np.float32)


def known_worths(records: Records) -> dict[str, Worths]:
    """Return every way in which some of the records are valued, by name; `td` is not one beside `outcome`."""
    ways = [way for way in (SEARCH, OUTCOME) if not np.isnan(worths_of(records, way)).all()]
    return {way: worths_of(records, way) for way in ways} | _truths(records)


def _truths(records: Records) -> dict[str, Worths]:
    try:
        check_decidable(records.game)
    except BadOption:
        return {}
    return {PERFECT: worths_of(records, PERFECT)}


def check_worths(records: Records, way: str) -> None:
    """Raise unless there is enough to learn this way."""
    if way == WEIGHED and not has_weighed(records):
        raise BadOption(f"examples.learn = {way!r}: these records do not tell what moves are worth; watch.weighed")
    worths = worths_of(records, way)
    known = ~np.isnan(worths)
    lack = "values of the teacher" if way in (SEARCH, WEIGHED) else "results of games"
    if not known.any():
        raise BadOption(f"examples.learn = {way!r}: the {len(records)} records hold no {lack}")
    games = len(np.unique(records.games[known]))
    if games < FEWEST:
        raise BadOption(
            f"examples.learn = {way!r}: the records hold {lack} in {games} games, and at least {FEWEST} are needed to "
            "keep some of them apart"
        )
    if np.ptp(worths[known]) == 0:
        raise BadOption(
            f"examples.learn = {way!r}: all {known.sum()} positions are worth {worths[known][0]:g}, so there is "
            "nothing to learn"
        )


def has_weighed(records: Records) -> bool:
    """Tell whether a teacher has weighed the moves of some records."""
    return records.weighed is not None and bool((records.weighed.moves != NO_MOVE).any())


def follow_weighed(records: Records, *, seed: int) -> tuple[Any, Worths]:
    """Return what all weighed moves lead to, each in one image drawn by chance, and what it is worth there.

    There are some fifteen of a record: all images of all of them would teach little more and take a lot of room.
    """
    assert records.weighed is not None
    rows, places = np.nonzero(records.weighed.moves != NO_MOVE)
    worths = -records.weighed.worths[rows, places]  # what is good for one side is bad for the other
    open_ended = np.abs(worths) < 1.0 - 1.5 * HASTE  # the next move has not ended the game: no search asks about ends
    rows, places, worths = rows[open_ended], places[open_ended], worths[open_ended]
    after = play_rows(records.positions, rows, records.weighed.moves[rows, places])
    return draw_images(records.game, after, np.random.default_rng([seed, 0x1A6E])), worths


def split_games(records: Records, *, seed: int) -> dict[str, NDArray[np.int64]]:
    """Return the rows of each side: whole games, drawn by the seed; held-out positions that were learned from go."""
    games, numbers = np.unique(records.games, return_inverse=True)
    order = np.random.default_rng([seed, 0x6A3E]).permutation(len(games))
    validation, test = max(1, int(len(games) * VALIDATION)), max(1, int(len(games) * TEST))
    cut = np.split(order, [len(games) - validation - test, len(games) - test])
    sides = {side: np.flatnonzero(np.isin(numbers, part)) for side, part in zip(SIDES, cut, strict=True)}
    names = orbit_names(records.game, records.positions)
    learned = names[sides["train"]]
    return {side: rows if side == "train" else rows[~np.isin(names[rows], learned)] for side, rows in sides.items()}
