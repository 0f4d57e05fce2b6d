"""Whether a student knows the rules well enough to finish its games: an illegal first choice loses at once.

Judge a player without a check of its own, or there is nothing to see.
"""

from __future__ import annotations

from collections.abc import Callable

from understudy.games import CompiledGame
from understudy.judges.measures import Verdict, share
from understudy.judges.tournament import play_match
from understudy.match import Terms
from understudy.protocols import Backend


def strict(
    game: CompiledGame,
    player: str,
    opponent: str,
    *,
    games: int,
    seed: int,
    backend: Backend,
    opening_plies: int | None = None,
    terms: Terms = Terms(),
    progress: Callable[[int], None] = lambda games: None,
) -> Verdict:
    """Return the shares of games that *player* finished without an illegal choice and won, and of points scored."""
    meeting = play_match(
        game,
        (player, opponent),
        games=games,
        seed=seed,
        backend=backend,
        opening_plies=game.conventions.opening_plies if opening_plies is None else opening_plies,
        terms=terms,
        progress=progress,
    )
    wins, draws, _ = meeting.score()
    ended = zip(meeting.results, meeting.games, strict=True)
    broken = sum(result < 0 and played.reason == "illegal move" for result, played in ended)
    return {
        "strict.finished_legally": share(games - broken, games),
        "strict.won": share(wins, games),
        "strict.points": share(wins + draws / 2, games),
    }
