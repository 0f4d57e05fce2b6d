"""The command `judge`: players graded on stored records."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from understudy.cli.console import compiling
from understudy.errors import BadOption

if TYPE_CHECKING:
    from understudy.judges.measures import Verdict
    from understudy.records.examples import Examples

SHOWN_RECALLS = ("0.04", "0.52", "0.80", "1.00")


@click.command()
@click.argument("players", metavar="PLAYER...", nargs=-1, required=True)
@click.option("--records", "file", required=True, type=click.Path(), metavar="FILE", help="Parquet or NNMM text.")
@click.option("--judge", "judges", multiple=True, type=click.Choice(["accuracy", "legality", "reliability"]),
              help="Which judge; all if not said; may be given several times.")  # fmt: skip
@click.option("--split", type=click.Choice(["all", "expanded", "orbit"]), default="all", show_default=True,
              help="all: every record expanded as the papers' authors did; or one side of a split.")  # fmt: skip
@click.option("--part", type=click.Choice(["train", "validation", "test"]),
              help="Which side of the split; test if not said.")  # fmt: skip
@click.option("--limit", type=click.IntRange(1), metavar="N", help="At most N positions, evenly chosen.")
@click.option("--seed", type=click.IntRange(0), default=0, show_default=True, metavar="K", help="Seed of the split.")
@click.option("--on-error", type=click.Choice(["refuse", "skip"]), default="refuse", show_default=True,
              help="What a malformed line does.")  # fmt: skip
@click.option("--json", "as_json", is_flag=True, help="Print JSON for programs.")
def judge(players: tuple[str, ...], file: str, judges: tuple[str, ...], as_json: bool, **choice: Any) -> None:
    """Grade players on stored records: accuracy, legality, reliability.

    A PLAYER is student:NAME_OR_RUN, nnmm:FOLDER/TFR (the authors' weights), or any other player.
    """
    from understudy.games import find_game
    from understudy.judges.measures import write_verdict
    from understudy.judges.students import JUDGES
    from understudy.players import make_player
    from understudy.records.store import load_any

    if choice["part"] is not None and choice["split"] == "all":
        raise BadOption(f"--part {choice['part']} needs --split expanded or orbit: 'all' has no sides")
    game = find_game("morris")
    made = [make_player(player, game) for player in players]
    records, complaints = load_any(Path(file), game, on_error=choice["on_error"])
    examples = _chosen(records, choice)
    for player in made:
        _warn(player, choice)
    with compiling():
        verdicts = {player.name: _graded(player, game, examples, judges or tuple(JUDGES)) for player in made}
    if as_json:
        click.echo(json.dumps({name: write_verdict(verdict) for name, verdict in verdicts.items()}))
    else:
        click.echo(verdicts_text(verdicts))
    if complaints:
        click.echo(f"{len(complaints)} malformed lines of {file} were skipped", err=True)


def _chosen(records: Any, choice: Mapping[str, Any]) -> Examples:
    """Return the positions to judge on."""
    import numpy as np

    from understudy.records.examples import all_examples, split_examples

    if choice["split"] == "all":
        examples = all_examples(records.positions, records.moves, expansion="authors")
    else:
        sides = split_examples(records.positions, records.moves, split=choice["split"], seed=choice["seed"])
        examples = sides[choice["part"] or "test"]
    rows, limit = len(examples.moves), choice["limit"]
    if limit is None or limit >= rows:
        return examples
    return examples.taken(np.linspace(0, rows - 1, limit).astype(np.int64))


def _graded(player: Any, game: Any, examples: Examples, judges: tuple[str, ...]) -> Verdict:
    from rich.console import Console
    from rich.progress import Progress

    from understudy.judges.students import judge_parts, judge_player

    with Progress(console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task(player.name, total=len(examples.moves))

        def note(rows: int) -> None:
            bar.advance(task, rows)

        if hasattr(player, "score_parts"):
            return judge_parts(player, examples.positions, examples.moves, judges=judges, progress=note)
        return judge_player(player, game, examples.positions, examples.moves, judges=judges, progress=note)


def _warn(player: Any, choice: Mapping[str, Any]) -> None:
    """Say so where a student has learned from what it is examined on."""
    facts = getattr(player, "facts", None)
    if facts is None or choice["split"] == "all" or choice["part"] == "train":
        return
    if (facts.get("split"), facts.get("split_seed")) != (choice["split"], choice["seed"]):
        click.echo(
            f"note: {player.name} learned with split {facts.get('split')}, seed {facts.get('split_seed')}: "
            "it may have learned from these very positions",
            err=True,
        )


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
    return f"{100 * measure.value:.4f} ({100 * measure.low:.2f} to {100 * measure.high:.2f})"
