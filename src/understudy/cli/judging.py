"""The command `judge`: players graded on stored records, or against perfect play."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from understudy.cli.completing import complete_players
from understudy.cli.console import compiling, json_option, print_json
from understudy.errors import BadOption

if TYPE_CHECKING:
    from understudy.games import CompiledGame
    from understudy.judges.measures import Verdict
    from understudy.records.examples import Examples
    from understudy.records.files import Complaint
    from understudy.records.store import Records

ON_RECORDS = ("accuracy", "legality", "mistakes", "reliability")
VALUE_KEPT = "value_kept"
WORTH_LOST = "worth_lost"
PLAYED = "moves of the records"
"""Stands beside players where their own positions were asked."""
NUMBERS = ("plies_lost", "worth_lost.mean")
"""Measures that are no shares."""
SHOWN_RECALLS = ("0.04", "0.52", "0.80", "1.00")


@click.command()
@click.argument("players", metavar="PLAYER...", nargs=-1, required=True, shell_complete=complete_players)
@click.option("--records", "file", type=click.Path(), metavar="FILE",
              help="Parquet, NNMM text or PGN; value_kept makes its own positions without it.")  # fmt: skip
@click.option("--judge", "judges", multiple=True, type=click.Choice([*ON_RECORDS, VALUE_KEPT, WORTH_LOST]),
              help="Which judge; all that need records if not said; may be given several times.")  # fmt: skip
@click.option("--game", "name", metavar="GAME", help="For value_kept without records; konane if --size is given.")
@click.option("--size", metavar="S", help="For value_kept: the board, such as 6, or 4x6, of konane.")
@click.option("--stones", metavar="AvB", help="For value_kept of morris: one endgame, such as 4v3; all if not said.")
@click.option("--tables", metavar="FOLDER", help="For value_kept of morris: where its tables lie.")
@click.option("--split", type=click.Choice(["all", "expanded", "orbit", "people", "orbit_once"]), default="all",
              show_default=True,
              help="all: every record (of Morris expanded as its authors did); or one side of a split; people: games "
                   "that the student's file says were held out by player and year.")  # fmt: skip
@click.option("--part", type=click.Choice(["train", "validation", "test", "fresh"]),
              help="Which side of the split; test if not said; fresh: positions no training game has.")  # fmt: skip
@click.option("--limit", type=click.IntRange(1), metavar="N",
              help="At most N positions: of records evenly chosen, for value_kept at random.")  # fmt: skip
@click.option("--seed", type=click.IntRange(0), default=0, show_default=True, metavar="K",
              help="Seed of the split, or of the positions of value_kept.")  # fmt: skip
@click.option("--on-error", type=click.Choice(["refuse", "skip"]), default="refuse", show_default=True,
              help="What a malformed line does.")  # fmt: skip
@json_option
def judge(
    players: tuple[str, ...],
    file: str | None,
    judges: tuple[str, ...],
    name: str | None,
    size: str | None,
    stones: str | None,
    tables: str | None,
    as_json: bool,
    **choice: Any,
) -> None:
    """Grade players: on stored records, or against perfect play.

    Judges on records of any game: accuracy, legality, mistakes (what is wrong with choices that are not legal),
    reliability. A PLAYER is student:NAME_OR_RUN, nnmm:FOLDER/TFR (the authors' weights of Morris), or any other
    player of the game. The judge value_kept asks how often a player keeps what a position is worth: on small boards
    of konane and lines_of_action, and in endgames of morris and chess. With records it takes their positions, and
    judges the moves that were played there, too. The judge worth_lost asks how much less a player's choices are
    worth than the best ones, by what a teacher thought of every move: records watched with watch.weighed.
    """
    from understudy.judges.measures import write_verdict

    board = {"name": name, "size": size, "stones": stones, "tables": tables}
    _check_judges(judges, file, board, choice["part"])
    if VALUE_KEPT in judges:
        verdicts = _against_perfect_play(players, file, board, choice)
    elif WORTH_LOST in judges:
        verdicts = _by_worths(players, str(file), choice)
    else:
        verdicts = _on_records(players, str(file), judges or ON_RECORDS, choice)
    if as_json:
        print_json({name: write_verdict(verdict) for name, verdict in verdicts.items()})
    else:
        click.echo(verdicts_text(verdicts))


def _check_judges(judges: tuple[str, ...], file: str | None, board: Mapping[str, Any], part: str | None) -> None:
    """Raise unless the options go together."""
    others = [name for name in judges if name != VALUE_KEPT]
    if WORTH_LOST in others and len(others) > 1:
        other = next(name for name in others if name != WORTH_LOST)
        raise BadOption(f"--judge worth_lost takes positions as they are, and {other} expands some: judge one by one")
    if VALUE_KEPT in judges and others:
        raise BadOption(
            f"--judge value_kept is about perfect play and {others[0]} about records: judge them one by one"
        )
    if VALUE_KEPT in judges and part is not None:
        raise BadOption(f"--part {part} goes with other judges: value_kept has no sides")
    if VALUE_KEPT in judges and file is None and not board["name"] and not board["size"]:
        raise BadOption("--judge value_kept needs --game, or --size for a konane board such as 6, or --records")
    if VALUE_KEPT not in judges and file is None:
        raise BadOption(f"--judge {others[0] if others else 'accuracy'} needs --records; only value_kept does without")
    for name, given in board.items():
        if given and (VALUE_KEPT not in judges or (file is not None and name != "tables")):
            option = {"name": "game"}.get(name, name)
            raise BadOption(f"--{option} {given} goes with --judge value_kept without records")


def _on_records(
    players: tuple[str, ...], file: str, judges: tuple[str, ...], choice: Mapping[str, Any]
) -> dict[str, Verdict]:
    """Return what the judges of records say of each player."""
    from understudy.judges.students import choose_examples
    from understudy.players import make_player
    from understudy.records.examples import check_split
    from understudy.records.store import load_any

    if choice["part"] is not None and choice["split"] == "all":
        raise BadOption(f"--part {choice['part']} needs --split expanded or orbit: 'all' has no sides")
    if choice["part"] == "fresh" and choice["split"] != "people":
        raise BadOption("--part fresh needs --split people")
    if choice["split"] == "people" and not _is_parquet(Path(file)):
        records, complaints, made = _part_people(Path(file), players, choice)
    else:
        records, complaints = load_any(Path(file), on_error=choice["on_error"])
        check_split(records.game, choice["split"], "--split")
        made = [make_player(player, records.game) for player in players]
    game = records.game
    chosen = {name: choice[name] for name in ("split", "part", "seed", "limit")}
    examples = choose_examples(records, **chosen)
    for player in made:
        _warn(player, game, examples, choice)
    with compiling():
        verdicts = {player.name: _graded(player, game, examples, judges) for player in made}
    if complaints:
        click.echo(f"{len(complaints)} malformed lines of {file} were skipped", err=True)
    return verdicts


def _by_worths(players: tuple[str, ...], file: str, choice: Mapping[str, Any]) -> dict[str, Verdict]:
    """Return how much less the choices of each player are worth than the best ones."""
    from understudy.judges.worth_lost import choose_weighed, judge_worths
    from understudy.players import close, make_player
    from understudy.records.examples import check_split
    from understudy.records.store import load_any

    records, _ = load_any(Path(file), on_error=choice["on_error"])
    check_split(records.game, choice["split"], "--split")
    chosen = choose_weighed(records, **{name: choice[name] for name in ("split", "part", "seed", "limit")})
    made, verdicts = [make_player(player, records.game, seed=choice["seed"]) for player in players], {}
    for player in made:
        with compiling(), _bar(player.name, len(chosen)) as note:
            verdicts[player.name] = judge_worths(player, chosen, note)
        close(player)
    return verdicts


def _part_people(
    file: Path, players: tuple[str, ...], choice: Mapping[str, Any]
) -> tuple[Records, list[Complaint], list[Any]]:
    """Return the games of a file that are on the side asked for, held out as a student's own file says, and players."""
    from understudy.config import build
    from understudy.games import find_game
    from understudy.players import make_player
    from understudy.records import people
    from understudy.records.files import read_bytes
    from understudy.records.store import find_format

    kind, form = find_format(file, read_bytes(file))
    made = [make_player(player, find_game(kind.name)) for player in players]
    plans = [facts["held_out"] for player in made if "held_out" in (facts := getattr(player, "facts", {}))]
    if not plans or form.load_parted is None:
        raise BadOption("--split people needs games in PGN, and a student whose file says whom it held out")
    hold_out, part = build(people.HoldOut, plans[0], place="held_out in the student's file"), choice["part"] or "test"
    side = people.SIDES.index("test" if part == "fresh" else part)
    wanted = range(len(people.SIDES)) if part == "fresh" else (side,)
    records, games = form.load_parted([file], hold_out, choice["on_error"], wanted)
    people.check_sides(games, hold_out, {side: "judge on"})
    return records, [], made


def _is_parquet(path: Path) -> bool:
    from understudy.records.store import MAGIC

    try:
        with path.open("rb") as file:
            return file.read(len(MAGIC)) == MAGIC
    except OSError:
        return False  # whoever reads it says why it cannot be read


def _against_perfect_play(
    players: tuple[str, ...], file: str | None, board: Mapping[str, Any], choice: Mapping[str, Any]
) -> dict[str, Verdict]:
    """Return how often each player keeps the value of a position."""
    from understudy.games.batches import size as rows_of
    from understudy.judges.value_kept import value_kept
    from understudy.players import close

    made, exam, verdicts = _set_exam(players, file, board, choice)
    for player in made:
        with _bar(player.name, rows_of(exam.positions)) as note:
            verdicts[player.name] = value_kept(player, exam, progress=note)
        close(player)
    return verdicts


def _set_exam(
    players: tuple[str, ...], file: str | None, board: Mapping[str, Any], choice: Mapping[str, Any]
) -> tuple[list[Any], Any, dict[str, Verdict]]:
    """Return the players, an exam, and what was judged already: moves of records."""
    from understudy.games import find_game
    from understudy.games.kind import read_size
    from understudy.judges.value_kept import SAMPLE, make_exam
    from understudy.players import make_player
    from understudy.solve import check_known

    if file is not None:
        return _set_exam_of_records(players, file, board, choice)
    stones, tables = board["stones"] or "", board["tables"] or ""
    game = find_game(board["name"] or "konane", None if board["size"] is None else read_size(board["size"]))
    check_known(game, tables, stones)
    made = [make_player(player, game, seed=choice["seed"]) for player in players]
    with compiling(), _bar("positions", choice["limit"] or SAMPLE) as note:
        drawn = {"limit": choice["limit"], "seed": choice["seed"], "stones": stones, "tables": tables}
        exam = make_exam(game, progress=note, **drawn)
    return made, exam, {}


def _set_exam_of_records(
    players: tuple[str, ...], file: str, board: Mapping[str, Any], choice: Mapping[str, Any]
) -> tuple[list[Any], Any, dict[str, Verdict]]:
    """Return an exam of those positions of a file whose truth is known, and how their own moves did."""
    import numpy as np

    from understudy.games.batches import taken
    from understudy.judges.value_kept import grade_positions, judge_moves, select_known
    from understudy.players import make_player
    from understudy.records.store import load_any

    records, _ = load_any(Path(file), on_error=choice["on_error"])
    game, tables = records.game, board["tables"] or ""
    made = [make_player(player, game, seed=choice["seed"]) for player in players]
    rows = select_known(game, records.positions, tables=tables)
    if choice["limit"] is not None and len(rows) > choice["limit"]:
        rows = np.sort(np.random.default_rng(choice["seed"]).permutation(rows)[: choice["limit"]])
    if not len(rows):
        raise BadOption(f"{file} has no position whose truth is known")
    with compiling(), _bar("positions", len(rows)) as note:
        exam = grade_positions(game, taken(records.positions, rows), progress=note, tables=tables)
    click.echo(f"of {len(records.moves)} positions in {file} the truth of {len(rows)} is known", err=True)
    return made, exam, {PLAYED: judge_moves(exam, records.moves[rows])}


@contextlib.contextmanager
def _bar(what: str, total: int) -> Iterator[Callable[[int], None]]:
    """Show how many of *total* positions are done."""
    from rich.console import Console
    from rich.progress import Progress

    with Progress(console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task(what, total=total)
        yield lambda rows: bar.advance(task, rows)


def _graded(player: Any, game: Any, examples: Examples, judges: tuple[str, ...]) -> Verdict:
    from understudy.judges.students import grade

    with _bar(player.name, len(examples.moves)) as note:
        return grade(player, game, examples, judges=judges, progress=note)


def _warn(player: Any, game: CompiledGame, examples: Examples, choice: Mapping[str, Any]) -> None:
    """Say of how many of the rows that a student is examined on it has learned, unless just those were asked for."""
    from understudy.judges.students import leak_of, leak_text

    facts = getattr(player, "facts", None)
    if facts is not None and choice["part"] != "train":
        click.echo(leak_text(player.name, leak_of(facts, game, examples.positions)), err=True)


def verdicts_text(verdicts: Mapping[str, Verdict]) -> str:
    """Return verdicts as a table: a row for each measure, a column for each player."""
    names = [name for name in next(iter(verdicts.values())) if _shown(name)]
    width = max(map(len, names), default=0)
    lines = ["  ".join([" " * width, *(f"{player:>28}" for player in verdicts)])]
    lines += [
        "  ".join([f"{name:<{width}}", *(f"{_cell(verdict, name):>28}" for verdict in verdicts.values())])
        for name in names
    ]
    return "\n".join(lines)


def _shown(name: str) -> bool:
    """Of the 25 recall points four are enough for a table; JSON has all."""
    return not name.startswith("reliability.") or name.endswith(SHOWN_RECALLS)


def _cell(verdict: Verdict, name: str) -> str:
    measure = verdict.get(name)
    if measure is None or measure.value is None:
        return "-"
    if name.startswith(NUMBERS):
        return f"{measure.value:.3f} ({measure.low:.3f} to {measure.high:.3f})"
    return f"{100 * measure.value:.4f} ({100 * measure.low:.2f} to {100 * measure.high:.2f})"
