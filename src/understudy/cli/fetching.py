"""The command that brings data which others publish to this machine."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator, Sequence
from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from understudy.cli.console import json_option, print_json

if TYPE_CHECKING:
    from understudy.fetch.download import Progress
    from understudy.fetch.origins import Origin
    from understudy.fetch.sources import Source
    from understudy.lab.settings import Experiment


@click.command()
@click.argument("names", metavar="[NAME]...", nargs=-1)
@click.option("--list", "only_list", is_flag=True, help="List what there is, or what the names mean; fetch nothing.")
@click.option("--from", "origin", metavar="FOLDER|URL",
              help="Take copies from a folder, or from a mirror with the same names below its address.")  # fmt: skip
@click.option("--to", "folder", type=click.Path(file_okay=False), metavar="FOLDER",
              help="Where data is kept: UNDERSTUDY_DATA, or the user's cache, if not said.")  # fmt: skip
@click.option("--again", is_flag=True, help="Replace files that are there and are not what they should be.")
@click.option("--timeout", type=click.FloatRange(0.1, 3600), default=30.0, show_default=True, metavar="S",
              help="Seconds after which a host that says nothing is asked again, a few times.")  # fmt: skip
@json_option
def fetch(
    names: tuple[str, ...], only_list: bool, origin: str | None, folder: str | None, again: bool, timeout: float,
    as_json: bool,
) -> None:  # fmt: skip
    """Bring data that others publish to this machine.

    Every file is checked by its SHA-256 before it gets its name.

    A NAME is a file or a group of files: nnmm, nnmm/matches, openings, syzygy/3-4, games/lichess_2013-01 (or any later
    month). Without one, all that there is is listed. What is there is not fetched again; what was stopped goes on.
    """
    from understudy.fetch.download import Patience
    from understudy.fetch.origins import read_origin
    from understudy.fetch.sources import all_sources, find_sources
    from understudy.files import data_folder, data_place

    sources = find_sources(names) if names else all_sources()
    if only_list or not names:
        _print_list(sources, data_place() if folder is None else Path(folder), as_json=as_json)
        return
    place = data_folder() if folder is None else Path(folder)
    kept = fetch_into(sources, place, read_origin(origin, Patience(timeout)), again=again)
    if as_json:
        print_json(kept)


def fetch_into(sources: Sequence[Source], place: Path, origin: Origin, *, again: bool = False) -> list[dict[str, Any]]:
    """Fetch sources while bars show it; say of each what became of it."""
    from understudy.fetch.keeping import fetch as bring

    kept = []
    with _bars() as follow:
        for one in bring(sources, place, origin, again=again, follow=follow):
            kept.append(one._asdict())
            what = "fetched" if one.fetched else "there already"
            click.echo(f"{one.name}: {what}, {_written_size(one.size)}, in {one.path}", err=True)
    return kept


def fetch_missing(experiment: Experiment) -> None:
    """Fetch the data that an experiment names and that is not there; nothing comes if a part of it is not to be had."""
    from understudy.fetch.download import Patience
    from understudy.fetch.origins import Publishers
    from understudy.fetch.sources import check_file, fetch_command, find_sources, locate
    from understudy.files import DATA, data_folder
    from understudy.lab.experiments import files_of

    names = [name for name in files_of(experiment.settings) if name.startswith(DATA)]
    missing = [name for name in names if not locate(name, Path()).is_file()]
    for name in missing:
        if not fetch_command([name]):
            check_file(name, Path(), needed_by=f"experiment {experiment.name!r}")
    if missing:
        fetch_into(find_sources(missing), data_folder(), Publishers(Patience()))


def _print_list(sources: Sequence[Source], place: Path, *, as_json: bool) -> None:
    if as_json:
        print_json([_entry(source, place) for source in sources])
        return
    for (study, about), several in groupby(sources, key=lambda source: (source.study, source.about)):
        files = list(several)
        there = sum((place / source.name).is_file() for source in files)
        sizes = [source.size for source in files]
        size = "size not known" if None in sizes else _written_size(sum(size or 0 for size in sizes))
        many = files[0].name if len(files) == 1 else f"{len(files)} files"
        state = "there" if there == len(files) else f"{there} of them there" if there else "not there"
        click.echo(
            f"{', '.join(files[0].groups)}\n    {about} ({study})\n    {many}, {size}, {files[0].licence}, {state}"
        )
    click.echo(f"\nThey are kept in {place}; `understudy fetch NAME` brings them there.")


def _entry(source: Source, place: Path) -> dict[str, Any]:
    path = place / source.name
    return {
        "name": source.name, "groups": source.groups, "study": source.study, "about": source.about,
        "licence": source.licence, "size": source.size, "sha256": source.sha256 or None, "address": source.address,
        "path": str(path), "there": path.is_file(),
    }  # fmt: skip


def _written_size(size: int) -> str:
    for unit, worth in (("GB", 10**9), ("MB", 10**6), ("kB", 10**3)):
        if size >= worth:
            return f"{size / worth:.1f} {unit}"
    return f"{size} bytes"


@contextlib.contextmanager
def _bars() -> Iterator[Callable[[Source], Progress]]:
    """Show a bar for each file that comes, to a person alone."""
    from rich.console import Console
    from rich.progress import BarColumn, DownloadColumn, TextColumn, TimeRemainingColumn
    from rich.progress import Progress as Bars

    console = Console(stderr=True)
    columns = (TextColumn("{task.description}"), BarColumn(), DownloadColumn(), TimeRemainingColumn())
    with Bars(*columns, console=console, disable=not console.is_terminal, transient=True) as bars:

        def follow(source: Source) -> Progress:
            task = bars.add_task(source.name, total=source.size)

            def show(done: int, total: int | None) -> None:
                bars.update(task, completed=done, total=total, visible=done != total)

            return show

        yield follow
