"""Commands of the laboratory: experiments, watch, train, run, report, tune."""

from __future__ import annotations

import contextlib
import json
from collections.abc import Callable, Iterator
from itertools import groupby
from pathlib import Path
from shlex import quote
from typing import TYPE_CHECKING, Any, TypeVar

import click

from understudy.cli.attending import attended
from understudy.cli.completing import complete_experiments
from understudy.cli.console import Where, backend_options, compiling, json_option, opened, print_json
from understudy.cli.fetching import fetch_missing
from understudy.errors import BadOption

if TYPE_CHECKING:
    from understudy.lab.experiments import Listed
    from understudy.lab.run import Progress

F = TypeVar("F", bound=Callable[..., Any])


def _experiment_options(command: F) -> F:
    """Add what tells an experiment and where it runs."""
    command = click.option("--set", "changes", multiple=True, metavar="SECTION.KEY=VALUE",
                           help="Change a key, for all variations and in the short form, too; may be given more than "
                                "once. Without a VALUE the key is unset: its default counts.")(command)  # fmt: skip
    command = click.option("--quick", is_flag=True, help="Take the experiment's short form.")(command)
    command = click.option("--run", "folder", type=click.Path(file_okay=False), metavar="FOLDER",
                           help="Where the run is kept; runs/NAME if not said.")(command)  # fmt: skip
    return click.argument("file", metavar="EXPERIMENT", type=click.Path(), shell_complete=complete_experiments)(command)


@click.command()
@json_option
def experiments(as_json: bool) -> None:
    """List the experiments that ship.

    Any of them is done by its name: `understudy run konane_4x4`, or its short form with --quick.
    """
    from understudy.lab.experiments import list_experiments

    listed = list(list_experiments())
    if as_json:
        print_json([entry._asdict() for entry in listed])
        return
    width = max(len(entry.name) for entry in listed)
    for study, entries in groupby(listed, key=lambda entry: entry.study):
        several = list(entries)
        click.echo(f"\n{study}{_without_data(several)}")
        for entry in several:
            short = "" if entry.quick_minutes is None else f": {_cost(entry.quick_minutes)}"
            notes = [_cost(entry.minutes), *([f"--quick{short}"] if entry.quick else []), _data(entry)]
            click.echo(f"  {entry.name:<{width}}  {entry.title}\n  {'':<{width}}  {', '.join(notes)}")


def _cost(minutes: float | None) -> str:
    if minutes is None:
        return "time not measured"
    return f"{minutes / 60:.0f} hours" if minutes > 120 else f"{minutes:.0f} minutes" if minutes >= 2 else "a minute"


def _without_data(entries: list[Listed]) -> str:
    """Return which experiments of a study need nothing but what they make themselves, unless all do."""
    names = [entry.name for entry in entries if not entry.data]
    return "" if len(names) == len(entries) else f" (from nothing: {', '.join(names)})"


def _data(entry: Listed) -> str:
    """Return what an experiment needs, whether it is there, and how to get it."""
    from understudy.fetch.sources import fetch_command

    many = f"{entry.data[0]} and {len(entry.data) - 1} more" if len(entry.data) > 2 else " and ".join(entry.data)
    if entry.ready:
        return f"has {many}" if entry.data else "needs no data"
    command = fetch_command(entry.data)
    return f"needs {many}" + (f" (`{command}`)" if command else "")


@click.command()
@_experiment_options
@click.option("--teacher", metavar="PLAYER", help="Of a game: who is watched.")
@click.option("--opponent", "opponents", multiple=True, metavar="PLAYER",
              help="Of a game: whom it meets; 'self' for itself; may be given more than once.")  # fmt: skip
@click.option("--games", "regular", type=click.IntRange(1), metavar="N", help="Of a game: how many are played.")
@click.option("--opening-plies", type=click.IntRange(0, 40), metavar="N", help="Of a game: random plies before each.")
@click.option("--ply-limit", type=click.IntRange(1), metavar="N", help="Of a game: one this long is a draw.")
@click.option("--seed", type=click.IntRange(0), metavar="K", help="Of a game: all randomness comes from it.")
@backend_options
def watch(file: str, folder: str | None, quick: bool, changes: tuple[str, ...], where: Where, **plan: Any) -> None:
    """Let a teacher play, and keep what it chose.

    The teacher is that of an experiment, or with the name of a game instead of a file the one that --teacher names:
    `watch chess --teacher engine:stockfish,nodes=5000 --opponent self --games 100`. A run that was stopped goes on
    where it was.
    """
    from understudy import lab

    said = {name: value for name, value in plan.items() if value is not None and value != ()}
    if _is_game(file):
        if changes or quick:
            raise BadOption(f"{'--set' if changes else '--quick'} is for the file of an experiment; {file!r} is a game")
        _watch_game(file, folder, said, where=where)
        return
    if said:
        name = {"regular": "games", "opponents": "opponent"}.get(min(said), min(said)).replace("_", "-")
        raise BadOption(f"--{name} is for watching a game; the file of an experiment says it itself")
    experiment, place = _opened(file, folder, changes, quick=quick)
    with opened(where) as backend, compiling(), bars() as show:
        records = lab.watch(experiment, place, show=show, backend=backend)
    click.echo(f"{len(records)} records in {place / 'records.parquet'}")


def _is_game(name: str) -> bool:
    from understudy.games import game_names

    return name in game_names() and not Path(name).exists()


def _watch_game(name: str, folder: str | None, said: dict[str, Any], *, where: Where) -> None:
    """Let players meet outside any experiment."""
    from understudy.cli.console import counted
    from understudy.games import find_game
    from understudy.records.watch import Watch
    from understudy.records.watch import watch as keep

    place = Path(folder) if folder is not None else Path("runs") / f"watch_{name}"
    game = find_game(name)
    plan = Watch(**({"opponents": ("self",)} | dict(game.kind.watching) | said))
    with opened(where) as backend, counted(plan.regular, f"watching {plan.teacher}") as progress:
        records = keep(game, plan, place, backend=backend, progress=progress)
    click.echo(f"{len(records)} records in {place / 'records.parquet'}")


@click.command()
@_experiment_options
@backend_options
def train(file: str, folder: str | None, quick: bool, changes: tuple[str, ...], where: Where) -> None:
    """Train the students of an experiment.

    A run that was stopped goes on from its last epoch.
    """
    from understudy import lab

    experiment, place = _opened(file, folder, changes, quick=quick)
    with opened(where) as backend, compiling(), bars() as show:
        lab.train(experiment, place, show=show, backend=backend)
    click.echo(f"trained {', '.join(lesson.name for lesson in experiment.lessons)} in {place}")


@click.command()
@_experiment_options
@click.option("--fetch", "fetching", is_flag=True, help="First fetch what data is missing, if somebody publishes it.")
@backend_options
def run(file: str, folder: str | None, quick: bool, changes: tuple[str, ...], fetching: bool, where: Where) -> None:
    """Do a whole experiment: watch, learn, judge, report.

    EXPERIMENT is the name of one that ships (`understudy experiments` lists them) or the path of a TOML file. A run
    that was stopped goes on where it was.
    """
    from understudy import lab
    from understudy.lab.run import play_command
    from understudy.players.student_files import SUFFIXES

    experiment, place = _opened(file, folder, changes, quick=quick)
    if fetching:
        fetch_missing(experiment)
    with opened(where) as backend, compiling(), bars() as show:
        report = lab.run(experiment, place, show=show, backend=backend)
    for line in lab.summary(experiment, place):
        click.echo(line)
    click.echo(f"\nThe report: {report}")
    if any((place / f"student{suffix}").exists() for suffix in SUFFIXES):
        check = ",check=legal" if experiment.about.kind == "imitation" else ""
        click.echo(f"Play against the student: {play_command(experiment.about, f'student:{place}{check}')}")
        runs = "" if str(place.parent) == "runs" else f" --runs {quote(str(place.parent))}"
        click.echo(f"Or in the browser, with what it thinks: understudy serve{runs}")


@click.command()
@click.argument("folder", metavar="[RUN]", required=False, type=click.Path(file_okay=False))
@click.option("--all", "everything", is_flag=True, help="One page over all runs instead.")
@click.option("--runs", "runs", default="runs", show_default=True, type=click.Path(file_okay=False), metavar="FOLDER",
              help="With --all: where the runs lie.")  # fmt: skip
@click.option("--output", type=click.Path(dir_okay=False), metavar="FILE.html",
              help="With --all: the page; index.html among the runs if not said.")  # fmt: skip
@click.option("--json", "table", type=click.Path(dir_okay=False), metavar="FILE",
              help="With --all: write the results of all finished runs there, too.")  # fmt: skip
@click.option("--results", type=click.Path(file_okay=False), metavar="FOLDER",
              help="With --all: write the result of each finished run to a file of its own there, too.")  # fmt: skip
def report(folder: str | None, everything: bool, runs: str, **places: str | None) -> None:
    """Write the report of a run, or one page over all runs.

    The result of a run is its headline as JSON, with the command, the seed, the cost and the version that led to it.
    """
    if everything == (folder is not None):
        raise click.UsageError("name a run, or say --all")
    if folder is not None:
        if given := [name for name, value in places.items() if value is not None]:
            raise click.UsageError(f"--{given[0].replace('table', 'json')} is for --all")
        _report_one(folder)
        return
    _report_all(Path(runs), **{name: None if value is None else Path(value) for name, value in places.items()})


def _report_all(runs: Path, *, output: Path | None, table: Path | None, results: Path | None) -> None:
    from understudy import lab
    from understudy.files import make_folder, save_json

    page = output if output is not None else runs / "index.html"
    found = lab.report_all(runs, page)
    if table is not None:
        save_json(table, list(found.values()))
    if results is not None:
        make_folder(results)
        for name, result in found.items():
            save_json(results / f"{name}.json", result)
    click.echo(f"wrote {page}; {len(found)} finished runs")


def _report_one(folder: str) -> None:
    from understudy import lab
    from understudy.errors import FileError
    from understudy.lab.experiments import load_experiment
    from understudy.lab.run import rename_at_rest

    place = Path(folder)
    if not (place / "experiment.toml").is_file():
        raise FileError(f"{folder!r} is not a run folder: there is no experiment.toml in it")
    if told := rename_at_rest(place):
        click.echo(f"{folder!r}: {told}, which they always were there", err=True)
    experiment = load_experiment(place / "experiment.toml")
    click.echo(f"wrote {lab.report(experiment, place)}")


@click.command()
@_experiment_options
@click.option("--trials", type=click.IntRange(1, 100_000), default=20, show_default=True, metavar="N",
              help="Trials in all; those that were done before count.")  # fmt: skip
@click.option("--json", "as_json", is_flag=True, help="Print JSON for programs.")
def tune(file: str, folder: str | None, quick: bool, changes: tuple[str, ...], trials: int, as_json: bool) -> None:
    """Search for better settings.

    Tries values of the keys in the experiment's [tune] section and keeps all trials in an SQLite file.
    """
    from understudy.lab.tuning import tune as search

    experiment, place = _opened(file, folder, changes, quick=quick)
    if experiment.about.kind != "imitation":
        raise BadOption(f"experiment {experiment.name!r} cannot be tuned: only those of the kind 'imitation' can")
    with compiling(), bars() as show:
        found = search(experiment, place, trials=trials, show=show)
    if as_json:
        click.echo(json.dumps(found._asdict()))
    else:
        click.echo(f"{found.trials} trials; the best has a validation accuracy of {found.accuracy:.2%} with")
        for key, value in found.settings.items():
            click.echo(f"  {key} = {value}")


def _opened(file: str, folder: str | None, changes: tuple[str, ...], *, quick: bool) -> tuple[Any, Path]:
    from understudy.lab.experiments import find_experiment, load_experiment, shipped

    path = find_experiment(file)
    if file in shipped() and path == Path(file):
        click.echo(f"{file!r} is taken for the file of that name here, not for the experiment that ships", err=True)
    experiment = load_experiment(path, changes, quick=quick)
    return experiment, Path(folder) if folder is not None else Path("runs") / experiment.name


@contextlib.contextmanager
def bars() -> Iterator[Callable[[Progress], None]]:
    """Show one bar for each task of a run, with what it says last."""
    from rich.console import Console
    from rich.progress import BarColumn, TaskID, TaskProgressColumn, TextColumn
    from rich.progress import Progress as Bars

    columns = (
        TextColumn("{task.description}"),
        BarColumn(bar_width=16),
        TaskProgressColumn(),
        TextColumn("{task.fields[note]}"),
    )
    with Bars(*columns, console=Console(stderr=True)) as bar:
        tasks: dict[str, TaskID] = {}

        def show(progress: Progress) -> None:
            if progress.task not in tasks:
                tasks[progress.task] = bar.add_task(progress.task, total=1.0, note="")
            note = progress.note or bar.tasks[tasks[progress.task]].fields["note"]
            bar.update(tasks[progress.task], completed=progress.done, note=note)

        with attended(show) as told:
            yield told
