"""The match that a sequential test ends: `understudy match --sprt`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import click

from understudy.cli.console import Where, counted, match_settings, print_json
from understudy.errors import BadOption

if TYPE_CHECKING:
    from understudy.games import CompiledGame


class Asked(NamedTuple):
    """What a person wants tested, as it was typed."""

    hypotheses: str
    alpha: float
    beta: float
    games: int | None
    """The most; None: as many as it takes."""
    openings: str | None


def match_until(
    game: CompiledGame, players: tuple[str, str], asked: Asked, where: Where, terms: dict[str, Any], *, as_json: bool
) -> None:
    """Play pairs until one of two hypotheses is accepted, and print the match and the answer."""
    from understudy.cli.playing import read_book
    from understudy.judges.sprt import MOST_GAMES, expected_games, play_sprt, read_hypotheses
    from understudy.judges.tables import meeting_json, meeting_text

    hypotheses = read_hypotheses(asked.hypotheses, alpha=asked.alpha, beta=asked.beta)
    most = MOST_GAMES if asked.games is None else asked.games
    if most < 2:
        raise BadOption(f"--sprt plays pairs of games, so --games must be at least 2, not {most}")
    book = read_book(game, asked.openings, most, terms)
    title = f"{' - '.join(players)}, some {expected_games(hypotheses):.0f} expected:"
    with match_settings(game, list(players), where, terms) as settings, counted(asked.games, title) as progress:
        meeting, trial = play_sprt(game, players, hypotheses, most=most, book=book, progress=progress, **settings)
    if as_json:
        print_json(meeting_json(game, meeting) | {"sprt": trial.describe()})
    else:
        click.echo(f"{meeting_text(meeting)}\n{trial.write()}")
