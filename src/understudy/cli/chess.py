"""Commands that judge players of chess: suite, ladder, quality, technique."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from understudy.cli.completing import complete_players
from understudy.cli.console import Where, backend_options, counted, json_option, opened, print_json
from understudy.errors import BadOption

if TYPE_CHECKING:
    from understudy.games.chess.judges.quality import GameRecord
    from understudy.games.chess.records.opinions import Analysis
    from understudy.protocols import Backend

F = TypeVar("F", bound=Callable[..., Any])

SEED = click.option("--seed", type=click.IntRange(0), default=0, show_default=True, metavar="K",
                    help="All randomness comes from it.")  # fmt: skip


def limit_options(command: F) -> F:
    """Add how long an engine may think about a position."""
    for option in reversed(
        (
            click.option("--depth", type=click.IntRange(1, 245), metavar="N", help="Plies the engine looks ahead."),
            click.option("--nodes", type=click.IntRange(1), metavar="N", help="Nodes it may search."),
            click.option("--time", type=click.FloatRange(0.001), metavar="S", help="Seconds it may think."),
        )
    ):
        command = option(command)
    return command


@click.command()
@click.argument("player", metavar="PLAYER", shell_complete=complete_players)
@click.argument("file", metavar="SUITE")
@click.option("--engine", metavar="ENGINE", help="Let this engine say what each move costs, such as stockfish.")
@limit_options
@SEED
@backend_options
@json_option
def suite(player: str, file: str, engine: str | None, seed: int, where: Where, as_json: bool, **limits: Any) -> None:
    """Let a player of chess answer a suite of test positions.

    SUITE is a file of EPD with best moves (bm), moves to avoid (am) or graded moves (c0), or one that ships: ccr25 (the
    positions of Sabatelli's Table 8.1) or kaufman25. The engine looks 16 plies ahead unless a limit is given.
    """
    from understudy.games.chess.judges.epd import load_suite
    from understudy.games.chess.judges.suites import run_suite, suite_json
    from understudy.games.chess.judges.tables import suite_text, thesis_text
    from understudy.studies.sabatelli.table81 import thesis_json, thesis_moves

    if engine is None and any(limits.values()):
        raise BadOption("--depth, --nodes and --time limit an engine: they need --engine")
    _check_player(player)
    loaded = load_suite(file)
    analysis = None if engine is None else _analysis(engine, limits, depth=16)
    thesis = loaded.name == "ccr25"
    also = thesis_moves(loaded.items) if thesis else None
    total = len(loaded.items) if engine is None else None
    with opened(where) as backend, counted(total, player, unit="positions") as progress:
        verdict = run_suite(player, loaded, backend=backend, seed=seed, analysis=analysis, also=also, progress=progress)
    facts = suite_json(verdict) | ({"thesis": thesis_json(verdict)} if thesis else {})
    if as_json:
        print_json(facts)
    else:
        click.echo(suite_text(facts) + (f"\n\n{thesis_text(facts['thesis'])}" if thesis else ""))


@click.command()
@click.argument("player", metavar="PLAYER", shell_complete=complete_players)
@click.option("--engine", default="stockfish", show_default=True, metavar="ENGINE",
              help="Who stands on the rungs: an engine with the option UCI_Elo.")  # fmt: skip
@click.option("--games", type=click.IntRange(2, 1_000_000), default=100, show_default=True, metavar="N",
              help="Games in all, an even number; both colours of each opening.")  # fmt: skip
@click.option("--step", type=click.IntRange(1, 2000), default=150, show_default=True, metavar="N",
              help="Points from rung to rung.")  # fmt: skip
@limit_options
@click.option("--openings", metavar="BOOK", help="sabatelli, or a file of FEN, EPD or PGN, zipped or not.")
@click.option("--opening-plies", type=click.IntRange(0, 40), metavar="N", help="Random plies, if there is no book.")
@SEED
@backend_options
@json_option
def ladder(
    player: str,
    engine: str,
    games: int,
    step: int,
    openings: str | None,
    opening_plies: int | None,
    seed: int,
    where: Where,
    as_json: bool,
    **limits: Any,
) -> None:
    """Rate a player of chess on a ladder of an engine's strengths.

    The engine thinks 0.05 s a move unless a limit is given. Below the weakest that Stockfish can be stand players of
    ours, whose ratings were found by games. Ctrl-C ends the games and rates by those played.
    """
    from understudy.games import find_game
    from understudy.games.chess.judges.ladder import Ladder, climb, ladder_json
    from understudy.games.chess.judges.openings import load_book, random_book
    from understudy.games.chess.judges.tables import ladder_text

    if openings is not None and opening_plies is not None:
        raise BadOption("--openings and --opening-plies exclude each other: a book has no random plies")
    _check_player(player)
    game = find_game("chess")
    plies = game.conventions.opening_plies if opening_plies is None else opening_plies
    if openings is None:
        book = random_book(game, most=games // 2, plies=plies, seed=seed)
    else:
        book = load_book(openings, most=games // 2, seed=seed)
    rungs = Ladder(engine=engine, step=step, **(limits if any(limits.values()) else {}))
    with opened(where) as backend, counted(games, player) as progress:
        climbed = climb(player, rungs, book, games=games, backend=backend, seed=seed, progress=progress)
    facts = ladder_json(climbed)
    if as_json:
        print_json(facts)
    else:
        click.echo(ladder_text(facts))
    if climbed.stopped:
        raise KeyboardInterrupt


@click.command()
@click.argument("games_or_players", metavar="FILE | PLAYER PLAYER", nargs=-1, required=True)
@click.option("--games", type=click.IntRange(1, 1_000_000), default=6, show_default=True, metavar="N",
              help="The first N games of the file, or games to play.")  # fmt: skip
@click.option("--openings", default="sabatelli", show_default=True, metavar="BOOK", help="Where players begin.")
@click.option("--engine", default="stockfish", show_default=True, metavar="ENGINE", help="Who judges.")
@limit_options
@SEED
@backend_options
@json_option
def quality(
    games_or_players: tuple[str, ...],
    games: int,
    openings: str,
    engine: str,
    seed: int,
    where: Where,
    as_json: bool,
    **limits: Any,
) -> None:
    """Tell how well games of chess were played.

    An engine tells its opinion after every ply, looking 14 plies ahead unless a limit is given. The games are those of
    a FILE (PGN, plain or bz2, or Parquet records), or two players play them first.
    """
    from understudy.games.chess.judges.quality import all_positions, judge_games, quality_json
    from understudy.games.chess.judges.tables import quality_text

    analysis = _analysis(engine, limits, depth=14)
    with opened(where) as backend:
        told = _told(games_or_players, games, openings, seed, backend)
        with counted(len(all_positions(told)), "looking", unit="positions") as progress:
            name, judged = judge_games(told, analysis, backend=backend, progress=progress)
    facts = quality_json(name, judged)
    if as_json:
        print_json(facts)
    else:
        click.echo(quality_text(facts))


@click.command()
@click.argument("player", metavar="PLAYER", shell_complete=complete_players)
@click.option("--tablebases", required=True, type=click.Path(file_okay=False), metavar="FOLDER",
              help="Where the Syzygy tables are (.rtbw and .rtbz).")  # fmt: skip
@click.option("--sample", type=click.IntRange(1, 100_000), default=5, show_default=True, metavar="N",
              help="Won positions of each ending.")  # fmt: skip
@click.option("--ending", "endings", multiple=True, metavar="NAME",
              help="Such as KBNvK; may be given several times; if not said, fifteen of up to four pieces.")  # fmt: skip
@SEED
@backend_options
@json_option
def technique(
    player: str, tablebases: str, sample: int, endings: tuple[str, ...], seed: int, where: Where, as_json: bool
) -> None:
    """Let a player of chess win endings that are won.

    Positions are drawn at random, the player moves, and a tablebase defends perfectly; what was not won is listed.
    """
    from understudy.games.chess.judges.endgames import endgames_json, known_endings, play_endgames
    from understudy.games.chess.judges.tables import endgames_text

    _check_player(player)
    folder = Path(tablebases)
    known = known_endings(folder, endings)
    with opened(where) as backend, counted(sample * len(known), player) as progress:
        played = play_endgames(
            player, folder, backend=backend, sample=sample, endings=known, seed=seed, progress=progress
        )
    facts = endgames_json(player, played)
    if as_json:
        print_json(facts)
    else:
        click.echo(endgames_text(facts))


def _analysis(engine: str, limits: dict[str, Any], *, depth: int) -> Analysis:
    """Return how an engine judges; *depth* plies ahead where no limit is given."""
    from understudy.games.chess.records.opinions import Analysis

    return Analysis(engine, **(limits if any(limits.values()) else {"depth": depth}))


def _check_player(player: str) -> None:
    """Make the player once, so that a wrong name fails before anything starts."""
    from understudy.games import find_game
    from understudy.players import close, make_player

    close(make_player(player, find_game("chess")))


def _told(sources: tuple[str, ...], games: int, openings: str, seed: int, backend: Backend) -> list[GameRecord]:
    """Return the games of a file, or those that two players play now."""
    from understudy.games.chess.judges.openings import load_book, play_openings
    from understudy.games.chess.judges.quality import load_games, of_meeting

    if len(sources) > 2:
        raise BadOption(f"quality looks at one file, or at the games of two players, not at {len(sources)} things")
    if len(sources) == 2:
        first, second = sources
        for player in sources:
            _check_player(player)
        book = load_book(openings, most=(games + 1) // 2, seed=seed)
        with counted(games, f"{first} - {second}") as progress:
            return of_meeting(
                play_openings((first, second), book, games=games, seed=seed, backend=backend, progress=progress)
            )
    told, faults = load_games(Path(sources[0]), most=games)
    for fault in faults[:20]:
        click.echo(fault, err=True)
    if faults:
        click.echo(f"{len(faults)} broken games were skipped", err=True)
    return told
