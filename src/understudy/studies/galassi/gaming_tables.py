"""A gaming test as text, JSON and Markdown, and as a step of an experiment that asks for it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from understudy.lab.run import Run, Step
from understudy.studies.galassi.gaming import STABLE, GamingTable, gaming

SEED = 20_000
"""Of the games of a run's student: far from those that anybody was trained on."""


def gaming_text(table: GamingTable) -> str:
    """Return the test for people."""
    lines = [table.columns(), *table.rows()]
    widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
    aligned = ["  ".join(f"{cell:<{width}}" for cell, width in zip(line, widths, strict=True)) for line in lines]
    told = "\n".join(line.rstrip() for line in aligned)
    return "\n".join((told, "", *(summary(table, player) for player in table.players)))


def summary(table: GamingTable, player: str) -> str:
    """Return what *player* achieved against the stable, in a sentence."""
    wins, draws, losses = table.totals(player)["all"]
    points = table.measures(player)["gaming.points"]
    why = "; ".join(
        f"{kind} by " + ", ".join(f"{reason} ({times})" for reason, times in reasons.items())
        for kind, reasons in table.reasons(player).items()
        if reasons
    )
    share = f"{points['value']:.1%} of the points ({points['low']:.1%} to {points['high']:.1%})"
    return f"{player}: {wins} wins, {draws} draws, {losses} losses against the stable, {share}; {why}"


def gaming_json(table: GamingTable) -> dict[str, Any]:
    """Return the test as plain data, as `gaming.json` of a run folder holds it."""
    return {
        "game": table.game,
        "seed": table.seed,
        "stable": dict(table.stable),
        "players": list(table.players),
        "columns": table.columns(),
        "rows": table.rows(),
        "totals": {player: {k: list(v) for k, v in table.totals(player).items()} for player in table.players},
        "reasons": {player: table.reasons(player) for player in table.players},
        "measures": {player: table.measures(player) for player in table.players},
        "encounters": [{**met._asdict(), "games": [game._asdict() for game in met.games]} for met in table.encounters],
    }


def gaming_markdown(table: GamingTable) -> str:
    """Return the test as a Markdown table."""
    columns = table.columns()
    lines = [columns, ["---"] * len(columns), *table.rows()]
    return "\n".join(_markdown_row(line) for line in lines) + "\n"


def _markdown_row(cells: Sequence[str]) -> str:
    return "| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |"


def play_stable(run: Run[Any]) -> None:
    """Let the student of a run meet the stable in as many games as `judging.gaming` says; write `gaming.json`."""
    games = run.experiment.judging.gaming
    played, total = 0, games * len(STABLE) + 1  # and one against itself

    def note(more: int) -> None:
        nonlocal played
        played += more
        run.tell("playing the stable", min(played / total, 1.0), f"{played} of {total} games")

    table = gaming(
        run.experiment.game, [f"student:{run.folder}"], games=games, seed=SEED, backend=run.backend, progress=note
    )
    run.save("gaming.json", gaming_json(table))


TEST = Step("gaming", play_stable)
