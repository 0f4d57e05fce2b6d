"""The sections on a series that a round robin graded: methods by games, a figure, then each game by itself."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from understudy.report.blocks import Cell, Plot, Plots, Section, Table, Text, cells, decimal, headed, measured, number
from understudy.report.findings import Finding
from understudy.report.plots import Interval, draw_rated
from understudy.report.sources import Run

STRICT, CHECKED, ANCHOR = "strict", "checked", "anchor"
"""How somebody plays, as the grader has it."""
NONE = "–"

HOW = (
    "Elo points with 95 % intervals, counted within each game from {zero}. All students of a game and the anchors met "
    "each other in one round robin, both colours of each opening; openings, drawn anew, make the intervals, and pairs "
    "of games that repeat others count once. Who imitates plays as it is: an illegal first choice loses. Below that, "
    "the same student with its choices checked: its best legal move counts."
)
BUDGET = (
    "Each student had {minutes} minutes of one core for watching and learning, told by the time of the core, so that a "
    "busy machine cheats nobody; what it really took is in the tables below. Results by time are not repeated bit for "
    "bit."
)
LEGAL = (
    "Legal choices: of first choices in positions of games that nobody watched. Legal games: those of the round robin "
    "that its own illegal choice did not end. All others choose among legal moves only. Value kept: choices that keep "
    "what the position is worth. {truth}"
)


def robin_sections(run: Run) -> list[Section]:
    """Return the table of methods by games with its figure, and one of each game."""
    games = _games(run)
    if not games:
        return []
    whole: list[Any] = [Text(HOW.format(zero=run.graded.get("zero")))]
    if run.graded.get("budget"):
        whole.append(Text(BUDGET.format(minutes=number(run.graded["budget"]))))
    whole += [_matrix(run, games), *_reasons(run), _figure(games)]
    return [Section("Methods by games", tuple(whole)), *(_detail(name, game) for name, game in games.items())]


def _games(run: Run) -> Mapping[str, Any]:
    games = run.graded.get("games", {})
    return games if isinstance(games, Mapping) else {}


def _matrix(run: Run, games: Mapping[str, Any]) -> Table:
    """Return Elo points, a row for each method and a column for each game; who did not learn stands below."""
    rows: list[tuple[Cell, ...]] = []
    for method, title in run.graded.get("methods", {}).items():
        for form in (STRICT, CHECKED, ""):
            players = [_find(game, method, form) for game in games.values()]
            if any(players):
                name = Cell(headed(title) + (", checked" if form == CHECKED else ""))
                rows.append((name, *(_elo(row) for row in players)))
        if not any(row["method"] == method for game in games.values() for row in game["players"]):
            rows.append((Cell(headed(title)), *cells(*[NONE] * len(games))))
    rows.append((Cell("Who did not learn"),))
    anchors = [row["name"] for row in next(iter(games.values()))["players"] if row["form"] == ANCHOR]
    rows += [(Cell(name), *(_elo(_named(game, name)) for game in games.values())) for name in anchors]
    return Table((Cell("method"), *cells(*map(headed, games))), tuple(rows), "Elo points within each game.", dense=True)


def _find(game: Mapping[str, Any], method: str, form: str) -> Mapping[str, Any] | None:
    fitting = [row for row in game["players"] if row["method"] == method and row["form"] == form]
    return fitting[0] if fitting else None


def _named(game: Mapping[str, Any], name: str) -> Mapping[str, Any] | None:
    return next((row for row in game["players"] if row["name"] == name), None)


def _elo(row: Mapping[str, Any] | None) -> Cell:
    if row is None:
        return Cell(NONE)
    aside = f"({decimal(row['low'], 0)} to {decimal(row['high'], 0)})"
    return Cell(decimal(row["elo"], 0), aside if row["low"] < row["high"] else "from here")


def _reasons(run: Run) -> Iterator[Text]:
    """Yield why some cells are empty."""
    sentences = [f"{cell.replace('_', ' ')}: {reason}" for cell, reason in run.graded.get("absent", {}).items()]
    if sentences:
        yield Text(f"What is not there: {'; '.join(sentences)}.")


def _figure(games: Mapping[str, Any]) -> Plots:
    """Return a drawing for each game: everybody's points with their intervals, the strongest at the top."""
    plots = [Plot(draw_game(game), headed(name)) for name, game in games.items()]
    return Plots(tuple(plots), "Students are filled, players that did not learn are hollow and grey.")


def draw_game(game: Mapping[str, Any]) -> str:
    """Return everybody's points in a game."""
    rows = sorted(game["players"], key=lambda row: row["elo"])
    drawn = [Interval(row["name"], row["elo"], row["low"], row["high"], quiet=row["form"] == ANCHOR) for row in rows]
    return draw_rated(drawn, across="Elo points")


def _detail(name: str, game: Mapping[str, Any]) -> Section:
    """Return all measures of a game, those who learned first, the strongest at the top."""
    rows = sorted(game["players"], key=lambda row: (row["form"] == ANCHOR, -row["elo"]))
    table = Table(
        cells("", "Elo", "legal choices", "legal games", "value kept", "where it matters", "core minutes"),
        tuple(_row(row, game) for row in rows), LEGAL.format(truth=_truth(game)), dense=True,
    )  # fmt: skip
    return Section(headed(name), (table,))


def _truth(game: Mapping[str, Any]) -> str:
    if game.get("truth"):
        return f"It is asked in {game['truth']}."
    return f"It is not told here: {game.get('unknown') or 'nobody knows it'}."


def _row(row: Mapping[str, Any], game: Mapping[str, Any]) -> tuple[Cell, ...]:
    measures = row.get("measures", {})
    legal = [measured(measures.get("legality.whole"), decimals=2), measured(row.get("legal_games"))]
    if row["form"] != STRICT:
        legal = [Cell("checked" if row["form"] == CHECKED else "by construction"), Cell("all")]
    kept = [measured(measures.get(name)) if name in measures else Cell(NONE)
            for name in ("value_kept", "value_kept.critical")]  # fmt: skip
    spent = Cell(
        decimal(row["paid_seconds"] / 60, 1 if row["paid_seconds"] > 60 else 2) if "paid_seconds" in row else ""
    )
    name = row["name"] if row["form"] == ANCHOR else headed(row["name"])  # a player's name is as it is typed
    return Cell(name), _elo(row), *legal, *kept, spent


def robin_findings(run: Run) -> Iterator[Finding]:
    """Yield the Elo points of the best in each game, then how legal first choices are, and what value they keep.

    All others are in the table of methods by games.
    """
    for name, game in _games(run).items():
        for place, row in enumerate(_best(game)):
            yield Finding(
                row["name"], f"Elo points in {name}", row["elo"], row["low"], row["high"], row["games"],
                different=row["different"], pairs=row["pairs"], games=True, share=False, decimals=0,
                role="candidate" if place and row["form"] != ANCHOR else _role(row),
            )  # fmt: skip
    for measure, words, decimals in MEASURES:
        for name, game in _games(run).items():
            for row in game["players"] if measure == LEGALITY else _best(game):
                value = row.get("measures", {}).get(measure)
                if value and value["value"] is not None:
                    yield Finding(
                        row["name"], f"{words} in {name}", value["value"], value["low"], value["high"],
                        value["sample"], role=_role(row), decimals=decimals,
                    )  # fmt: skip


def _best(game: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    """Return the best students of a game, and the best of those who did not learn."""
    rows = sorted(game["players"], key=lambda row: -row["elo"])
    anchors = [row for row in rows if row["form"] == ANCHOR]
    return [*[row for row in rows if row["form"] != ANCHOR][:BEST], *anchors[:1]]


BEST = 3
"""Students of each game that a headline names."""
LEGALITY = "legality.whole"

MEASURES: Sequence[tuple[str, str, int]] = (
    (LEGALITY, "legal first choices", 2),
    ("value_kept", "positions whose value is kept", 1),
)
"""What a headline holds besides Elo, how it is called, and decimals that mean something."""


def robin_results(run: Run) -> dict[str, Any]:
    """Return what the results of a run keep: all of it, but from which run folder students were taken."""
    kept = {key: value for key, value in run.graded.items() if key not in ("stamp", "games")}
    rows = {name: [{key: value for key, value in row.items() if key != "player"} for row in game["players"]]
            for name, game in _games(run).items()}  # fmt: skip
    return kept | {"games": {name: {**game, "players": rows[name]} for name, game in _games(run).items()}}


def _role(row: Mapping[str, Any]) -> str:
    return "baseline" if row["form"] == ANCHOR else "student"
