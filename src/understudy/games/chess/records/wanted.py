"""Which games of a collection are wanted: by ratings, result, length and opening."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from understudy.errors import BadOption
from understudy.games.batches import stacked
from understudy.games.chess.pgn_text import RESULTS, read_movetexts
from understudy.games.chess.position import START
from understudy.games.chess.san import FAULTS


@dataclass(frozen=True, kw_only=True)
class Wanted:
    """What wanted games have in common; a game whose tags do not tell is not wanted where they are asked."""

    rating_from: int | None = None
    """Both players' ratings are at least this."""
    rating_to: int | None = None
    results: tuple[str, ...] = ()
    """Any of these; all if none is named."""
    plies_from: int = 0
    plies_to: int | None = None
    openings: tuple[str, ...] = ()
    """Each the beginning of an ECO code (`B9`) or first moves (`e4 c5 Nf3`); all games if none is named."""


class Sieve:
    """What tells wanted games from others, its openings read once."""

    def __init__(self, wanted: Wanted) -> None:
        for result in wanted.results:
            if result not in RESULTS:
                raise BadOption(f"no game ends with {result!r}; results are {', '.join(RESULTS)}")
        self.wanted = wanted
        self.codes = tuple(text for text in wanted.openings if _is_eco(text))
        self.lines = [first_moves(text) for text in wanted.openings if not _is_eco(text)]

    def rated(self, tags: Mapping[str, str]) -> bool:
        """Tell whether both players' ratings are wanted."""
        low, high = self.wanted.rating_from, self.wanted.rating_to
        if low is None and high is None:
            return True
        ratings = [tags.get(name, "") for name in ("WhiteElo", "BlackElo")]
        if not all(rating.isascii() and rating.isdigit() for rating in ratings):
            return False
        return all((low is None or low <= int(rating)) and (high is None or int(rating) <= high) for rating in ratings)

    def played(self, tags: Mapping[str, str], moves: NDArray[np.int32], result: str) -> bool:
        """Tell whether length, result and opening of a game are wanted."""
        wanted = self.wanted
        if len(moves) < wanted.plies_from or (wanted.plies_to is not None and len(moves) > wanted.plies_to):
            return False
        if wanted.results and result not in wanted.results:
            return False
        return not wanted.openings or self._opened(tags, moves)

    def _opened(self, tags: Mapping[str, str], moves: NDArray[np.int32]) -> bool:
        if self.codes and tags.get("ECO", "").startswith(self.codes):
            return True
        return "FEN" not in tags and any(np.array_equal(moves[: len(line)], line) for line in self.lines)


def _is_eco(text: str) -> bool:
    return re.fullmatch(r"[A-E]\d{0,2}", text) is not None


def first_moves(text: str) -> NDArray[np.int32]:
    """Return the codes of moves in SAN from the start of a game."""
    letters = np.frombuffer(text.encode() + b" ", np.uint8)
    start, outcomes = stacked([START]), np.zeros((1, 4), np.int64)
    codes = np.zeros(len(letters), np.int32)
    masks, numbers = np.stack(start[:7]), np.stack(start[7:])
    read_movetexts(letters, np.array([[0, len(letters)]]), masks, numbers, codes, outcomes)
    total, fault, place, _ = outcomes[0].tolist()
    if fault or total == 0:
        word = text.encode()[place:].split()[:1]
        reason = f"{word[0].decode()!r} {FAULTS[fault]}" if word and fault else "it names no move"
        raise BadOption(f"opening {text!r} is neither an ECO code such as B90 nor moves such as 'e4 c5': {reason}")
    return codes[:total]
