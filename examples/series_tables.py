"""What results.md shows of a series: methods by games as one table and one picture, from the results of its run."""

from __future__ import annotations

from typing import Any

from figures import DOCS

from understudy.report.plots import stand_alone
from understudy.report.series.robin import ANCHOR, CHECKED, STRICT, draw_game

NOTE = (
    "Elo points within each game from `{zero}`, with 95 % intervals; L: legal first choices in positions of games that "
    "nobody watched (all others choose among legal moves only); V: choices that keep the value of the position, where "
    "the truth is known; minutes of one core that watching and learning took."
)
FORMS = {STRICT: "", CHECKED: ", checked", "": ""}


def write_series(result: dict[str, Any]) -> list[str]:
    """Return what a grader players as paragraphs; nothing of a run without one."""
    graded = result.get("graded", {})
    if graded.get("grade") != "robin":
        return []
    return [f"![Elo points by game]({picture_of(result)})", *_write_robin(graded)]


def picture_of(result: dict[str, Any]) -> str:
    """Return where the picture of a series lies, from the docs."""
    return f"pictures/{result['experiment']}.svg"


def draw_series(result: dict[str, Any]) -> None:
    """Write the picture of a series, if it has one."""
    graded = result.get("graded", {})
    if graded.get("grade") == "robin":
        panels = {name: draw_game(game) for name, game in graded["games"].items()}
        (DOCS / picture_of(result)).write_text(stand_alone(panels), encoding="utf-8")


def _write_robin(graded: dict[str, Any]) -> list[str]:
    """Return methods by games: Elo points, legal first choices, value kept, and minutes of a core."""
    games = graded["games"]
    rows = [f"| method | {' | '.join(games)} |", f"|---|{'---|' * len(games)}"]
    for method, title in graded["methods"].items():
        for form, how in FORMS.items():
            players = [_find(game, method=method, form=form) for game in games.values()]
            if any(players):
                rows.append(f"| {title}{how} | {' | '.join(map(_write, players))} |")
    anchors = [row["name"] for row in next(iter(games.values()))["players"] if row["form"] == ANCHOR]
    for name in anchors:
        players = [_find(game, name=name) for game in games.values()]
        rows += [f"| `{name}` | {' | '.join(map(_write, players))} |"]
    lacking = [f"{name.replace('_', ' ')}: {reason}." for name, reason in graded["absent"].items()]
    unknown = [f"{name}: {game['unknown']}." for name, game in games.items() if game["unknown"]]
    return ["\n".join(rows), " ".join([NOTE.format(zero=graded["zero"]), *lacking, *unknown])]


def _find(game: dict[str, Any], **wanted: str) -> dict[str, Any] | None:
    rows = (row for row in game["players"] if all(row[key] == value for key, value in wanted.items()))
    return next(rows, None)


def _write(row: dict[str, Any] | None) -> str:
    if row is None:
        return "–"
    lines = [f"{row['elo']:.0f} ({row['low']:.0f} to {row['high']:.0f})"]
    for letter, measure in (("L", "legality.whole"), ("V", "value_kept")):
        value = row["measures"].get(measure, {}).get("value")
        lines += [] if value is None else [f"{letter} {100 * value:.1f} %"]
    lines += [f"{row['paid_seconds'] / 60:.1f} min"] if "paid_seconds" in row else []
    return "<br>".join(lines)
