"""Commands in which players play each other: match, tournament, gaming."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from understudy.cli.completing import complete_players
from understudy.cli.console import (
    Where,
    backend_options,
    counted,
    find,
    game_options,
    json_option,
    match_options,
    match_settings,
    opened,
    print_json,
    write_file,
)
from understudy.errors import BadOption

if TYPE_CHECKING:
    from understudy.games import CompiledGame
    from understudy.match import Opening


@click.command()
@game_options
@click.argument("first", metavar="PLAYER", shell_complete=complete_players)
@click.argument("second", metavar="PLAYER", shell_complete=complete_players)
@match_options
@click.option("--openings", metavar="BOOK",
              help="Chess only: sabatelli (20 openings in six sets; 40 games if --games is not given), "
              "sabatelli_as_printed, or a file of FEN, EPD or PGN, zipped or not.")  # fmt: skip
@click.option(
    "--sprt",
    metavar="ELO0,ELO1",
    help="Play pairs until one of two differences in Elo is accepted; --games are the most, if given.",
)
@click.option(
    "--alpha",
    type=float,
    default=0.05,
    show_default=True,
    metavar="P",
    help="With --sprt: how often ELO1 may be accepted if ELO0 is true.",
)
@click.option("--beta", type=float, default=0.05, show_default=True, metavar="P",
              help="With --sprt: how often ELO0 may be accepted if ELO1 is true.")  # fmt: skip
@backend_options
@json_option
def match(
    name: str,
    size: str | None,
    rules: tuple[str, ...],
    first: str,
    second: str,
    games: int,
    openings: str | None,
    sprt: str | None,
    alpha: float,
    beta: float,
    as_json: bool,
    where: Where,
    **terms: Any,
) -> None:
    """Let two players play a match.

    The result is told from the first one's side.
    """
    from understudy.cli.sprt import Asked, match_until
    from understudy.judges.tables import meeting_json, meeting_text
    from understudy.judges.tournament import play_match

    game = find(name, size, rules)
    source = click.get_current_context().get_parameter_source("games")
    given = source is not click.core.ParameterSource.DEFAULT
    if sprt is not None:
        asked = Asked(sprt, alpha, beta, games if given else None, openings)
        match_until(game, (first, second), asked, where, terms, as_json=as_json)
        return
    if openings is not None:
        _match_from(game, (first, second), openings, games if given else None, where, terms, as_json)
        return
    with (
        match_settings(game, [first, second], where, terms) as settings,
        counted(games, f"{first} - {second}") as progress,
    ):
        meeting = play_match(game, (first, second), games=games, progress=progress, **settings)
    if as_json:
        print_json(meeting_json(game, meeting))
    else:
        click.echo(meeting_text(meeting))


def _match_from(
    game: CompiledGame,
    players: tuple[str, str],
    openings: str,
    games: int | None,
    where: Where,
    terms: dict[str, Any],
    as_json: bool,
) -> None:
    """Play a match from given openings: both colours of each that ships, or ten games from a file."""
    from understudy.games.chess.judges.openings import BOOKS, book_json, load_book, play_openings
    from understudy.games.chess.judges.tables import book_text

    if game.name != "chess":
        raise BadOption(f"--openings {openings} is for chess, not {game.name}")
    if terms["opening_plies"] is not None:
        raise BadOption("--openings and --opening-plies exclude each other: a book has no random plies")
    games = games or (2 * len(BOOKS[openings]) if openings in BOOKS else 10)
    book = load_book(openings, most=(games + 1) // 2, seed=terms["seed"])
    with match_settings(game, list(players), where, terms) as settings:
        del settings["opening_plies"]
        with counted(games, " - ".join(players)) as progress:
            meeting = play_openings(players, book, games=games, progress=progress, **settings)
    facts = book_json(meeting, book)
    if as_json:
        print_json(facts)
    else:
        click.echo(book_text(facts))


@click.command()
@game_options
@click.argument("players", metavar="PLAYER...", nargs=-1, required=True, shell_complete=complete_players)
@match_options
@backend_options
@click.option("--csv", "csv_file", type=click.Path(dir_okay=False), metavar="FILE", help="Write the table there too.")
@json_option
def tournament(
    name: str,
    size: str | None,
    rules: tuple[str, ...],
    players: tuple[str, ...],
    games: int,
    csv_file: str | None,
    as_json: bool,
    where: Where,
    **terms: Any,
) -> None:
    """Let every player meet every other.

    Prints the cross table with results by colour and Elo ratings.
    """
    from understudy.judges.tables import standings_csv, standings_json, standings_text
    from understudy.judges.tournament import round_robin

    if len(players) < 2:
        raise BadOption(f"a tournament needs at least two players, not {len(players)}")
    game = find(name, size, rules)
    total = games * len(players) * (len(players) - 1) // 2
    with match_settings(game, list(players), where, terms) as settings, counted(total, game.title) as progress:
        standings = round_robin(game, players, games=games, progress=progress, **settings)
    if csv_file is not None:
        write_file(csv_file, standings_csv(standings))
    if as_json:
        print_json(standings_json(game, standings))
    else:
        click.echo(standings_text(game, standings))


@click.command()
@click.argument("players", metavar="PLAYER...", nargs=-1, required=True, shell_complete=complete_players)
@click.option("--rule", "rules", multiple=True, metavar="NAME=VALUE", help="Set a switch, such as repetition=course.")
@click.option(
    "--stable",
    type=click.Choice(["development", "held_out"]),
    default="development",
    show_default=True,
    help="Whom they meet: those of every day, or others, for the last measurement, to be used once.",
)
@click.option("--games", type=click.IntRange(2, 100_000), default=2, show_default=True, metavar="N",
              help="Games against each player of the stable; an even number.")  # fmt: skip
@click.option("--seed", type=click.IntRange(0), default=0, show_default=True, metavar="K")
@click.option("--opening-plies", type=click.IntRange(0, 40), metavar="N",
              help="Random plies of all openings but the first, the plain start; 0: there is no other.")  # fmt: skip
@backend_options
@json_option
def gaming(
    players: tuple[str, ...],
    rules: tuple[str, ...],
    stable: str,
    games: int,
    seed: int,
    opening_plies: int | None,
    where: Where,
    as_json: bool,
) -> None:
    """Let Morris players meet a stable of symbolic ones.

    The papers' gaming test: both colours, every result with its reason.
    """
    from understudy.players import close, make_player
    from understudy.studies.galassi.gaming import gaming as play_stable
    from understudy.studies.galassi.gaming import gaming_json, gaming_text
    from understudy.studies.galassi.stables import find_stable

    game, members = find("morris", None, rules), find_stable(stable)
    for player in players:
        close(make_player(player, game))
    with opened(where) as backend, counted(len(players) * len(members) * games, "the stable") as progress:
        table = play_stable(game, players, stable=members, games=games, seed=seed, opening_plies=opening_plies,
                            backend=backend, progress=progress)  # fmt: skip
    if as_json:
        print_json(gaming_json(table))
    else:
        click.echo(gaming_text(table))


def read_book(game: CompiledGame, openings: str | None, most: int, terms: dict[str, Any]) -> list[Opening]:
    """Return the openings of a book as positions to start from; none where random plies are wanted."""
    from understudy.games.chess.judges.openings import load_book
    from understudy.match import Opening

    if openings is None:
        return []
    if game.name != "chess":
        raise BadOption(f"--openings {openings} is for chess, not {game.name}")
    if terms["opening_plies"] is not None:
        raise BadOption("--openings and --opening-plies exclude each other: a book has no random plies")
    return [Opening(start=game.read(line.fen)) for line in load_book(openings, most=most // 2, seed=terms["seed"])]
