"""Commands about stored records: what is in a file, and converting it."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import click

from understudy.errors import BadOption, UnknownName

F = TypeVar("F", bound=Callable[..., Any])


class _FileFirst(click.Group):
    """A group whose first word may be a file: `data FILE` tells what is in it, `data convert IN OUT` converts."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        if args and args[0] not in self.commands and args[0] not in ("-h", "--help"):
            args = ["tell", *args]
        return super().parse_args(ctx, args)


@click.group(cls=_FileFirst, invoke_without_command=False)
def data() -> None:
    """Tell what is in a file of records or games, or convert it.

    `data FILE` tells; `data convert IN OUT` writes Parquet (OUT ends in .parquet) or NNMM text (.txt);
    `data compare LABELS OTHERS` tells how far two tables of chess labels agree.
    """


def _on_error(command: F) -> F:
    return click.option("--on-error", type=click.Choice(["refuse", "skip"]), default="refuse", show_default=True,
                        help="What a malformed line does.")(command)  # fmt: skip


@data.command()
@click.argument("file", type=click.Path())
@click.option("--expand", type=click.Choice(["none", "authors", "proper"]), default="none", show_default=True,
              help="Look at all symmetric images too.")  # fmt: skip
@click.option("--authors-removal", is_flag=True, help="Count legal moves by the authors' own checker.")
@_on_error
@click.option("--json", "as_json", is_flag=True, help="Print JSON for programs.")
def tell(file: str, expand: str, authors_removal: bool, on_error: str, as_json: bool) -> None:
    """Tell what is in a file: records (phases, parts, legal moves), tables of positions, PGN games, CSVs of labels."""
    from understudy.games.chess.records.sources import SURVEYED, kind_of, survey_file, survey_text
    from understudy.records.analysis import analyse, analysis_json, analysis_text
    from understudy.records.store import load_any
    from understudy.records.tables import is_table, load_table, table_facts, table_text

    if is_table(Path(file)):
        table = load_table(Path(file))
        click.echo(json.dumps(table_facts(*table)) if as_json else table_text(*table))
        return
    if kind_of(Path(file)) in SURVEYED:
        survey = survey_file(Path(file))
        click.echo(json.dumps(survey.facts) if as_json else survey_text(survey))
        _print_complaints(list(survey.complaints), "games or rows")
        return
    records, complaints = load_any(Path(file), on_error=on_error)
    analysis = analyse(records, expansion=expand, authors_removal=authors_removal)
    if as_json:
        click.echo(json.dumps(analysis_json(analysis) | {"skipped": len(complaints)}))
        return
    click.echo(analysis_text(analysis))
    _print_complaints([str(complaint) for complaint in complaints])


@data.command()
@click.argument("source", metavar="IN", type=click.Path())
@click.argument("target", metavar="OUT", type=click.Path(dir_okay=False))
@_on_error
def convert(source: str, target: str, on_error: str) -> None:
    """Convert records between Parquet and NNMM text."""
    from understudy.games.morris.text import save_nnmm
    from understudy.records.store import load_any, save

    writers = {".parquet": save, ".txt": save_nnmm}
    suffix = Path(target).suffix
    if suffix not in writers:
        raise UnknownName("kind of file for records", suffix or target, writers)
    if Path(source).resolve() == Path(target).resolve():
        raise BadOption(f"IN and OUT are the same file, {source!r}")
    records, complaints = load_any(Path(source), on_error=on_error)
    writers[suffix](records, Path(target))
    click.echo(f"wrote {len(records)} records to {target}", err=True)
    _print_complaints([str(complaint) for complaint in complaints])


@data.command()
@click.argument("one", metavar="LABELS", type=click.Path())
@click.argument("other", metavar="OTHERS", type=click.Path())
@click.option("--json", "as_json", is_flag=True, help="Print JSON for programs.")
def compare(one: str, other: str, as_json: bool) -> None:
    """Tell how far two tables of chess labels agree on the positions that they share.

    `label LABELS OTHERS --depth 6` labels the same positions once more: nobody can be asked to repeat LABELS much
    better than the engine itself does with less time. The bias is what OTHERS give the side to move beyond LABELS.
    """
    from understudy.games.chess.judges.datasets import agreement, agreement_json, agreement_lines

    found = agreement(Path(one), Path(other))
    click.echo(json.dumps(agreement_json(found)) if as_json else "\n".join(agreement_lines(found)))


def _print_complaints(complaints: list[str], what: str = "malformed lines") -> None:
    for complaint in complaints[:20]:
        click.echo(complaint, err=True)
    if complaints:
        click.echo(f"{len(complaints)} {what} were skipped", err=True)
