"""What results.md and konane.md show of students that learned while they played: a picture and a table for each run.

The picture has what was won while they learned and what their snapshots win; lines are the means of all trainings,
bands from the least to the most. The table has the sets of weights that games graded, a row for each student.
"""

from __future__ import annotations

import re
from typing import Any

from figures import DOCS

from understudy.report.naming import shorten
from understudy.report.plots import Curve, draw_named, stand_alone

HEADS = {"chosen": "chosen", "last": "last", "best hundred": "best hundred", "teacher": "teacher"}
NOTE = (
    "Trainings: {trainings}. Games won in per cent with 95 % intervals from different pairs; chosen: the best snapshot "
    "of all trainings by other games; last: the mean of all trainings. * too few games differ to trust."
)
MARK = re.compile(r"(<!-- run (\w+) -->\n)(.*?)(<!-- end -->)", re.DOTALL)
"""Where a page has the picture and the table of a run."""


def write_learned(result: dict[str, Any], *, folder: str = "pictures") -> list[str]:
    """Return the picture and the table of a run as paragraphs; nothing of a run in which nobody learned so."""
    if "learned" not in result:
        return []
    title = result["title"]
    picture = f"![{title}: while learning, and by snapshots]({folder}/{result['experiment']}.svg)"
    trainings = sorted({one["trainings"] for one in result["learned"].values() if "trainings" in one})
    return [picture, *_write_table(result), NOTE.format(trainings=" to ".join(map(str, trainings)))]


def draw_learned(result: dict[str, Any]) -> None:
    """Write the picture of a run, if it has one."""
    if panels := _draw_panels(result.get("learned", {})):
        path = DOCS / "pictures" / f"{result['experiment']}.svg"
        path.write_text(stand_alone(panels), encoding="utf-8")


def fill_page(page: str, results: list[dict[str, Any]]) -> str:
    """Return a page with the pictures and tables of runs written anew between their marks."""
    known = {result["experiment"]: result for result in results}

    def fill(found: re.Match[str]) -> str:
        if found[2] not in known:
            raise ValueError(f"the page wants the run {found[2]!r}, which has no result")
        body = "\n\n".join(write_learned(known[found[2]]))
        return f"{found[1]}\n{body}\n\n{found[4]}"

    return MARK.sub(fill, page)


def _draw_panels(learned: dict[str, Any]) -> dict[str, str]:
    """Return the drawings by what they show."""
    students = {name: one for name, one in learned.items() if "snapshots" in one}
    if not students:
        return {}
    panels = {}
    curves = [(name, one["curve"]["games"], one["curve"]) for name, one in students.items() if "curve" in one]
    if curves:
        panels["won of the last hundred games while learning"] = _draw(curves)
    opponents = list(next(iter(students.values()))["snapshots"]["won"])
    names, _ = shorten(opponents)
    for opponent in opponents[:2]:
        panels[f"snapshots against {names[opponent]}"] = _draw(
            [(name, one["snapshots"]["games"], {"mean": one["snapshots"]["won"][opponent]})
             for name, one in students.items()]
        )  # fmt: skip
    fields = [(name, one["snapshots"]) for name, one in students.items() if "field" in one["snapshots"]]
    if fields:
        rivals = fields[0][1]["rivals"]
        panels[f"snapshots against {rivals[0]} to {rivals[-1]} in the mean"] = _draw(
            [(name, one["games"], {"mean": one["field"]}) for name, one in fields]
        )
    return panels


def _draw(lines: list[tuple[str, list[int], dict[str, list[float]]]]) -> str:
    curves = [
        Curve(name, games, shares["mean"], shares.get("least", shares["mean"]), shares.get("most", shares["mean"]), at)
        for at, (name, games, shares) in enumerate(lines)
    ]
    return draw_named(curves, across="games")


def _write_table(result: dict[str, Any]) -> list[str]:
    """Return a row for each student and one for each teacher: what each set of weights wins against whom."""
    learned = result["learned"]
    opponents = list(next(iter(next(iter(learned.values()))["sets"].values())))
    names, shared = shorten([*learned, *opponents])
    rows = [
        f"| student | best 100 while learning | {' | '.join(f'v {names[one]}' for one in opponents)} |",
        f"|---|{'---|' * (1 + len(opponents))}",
    ]
    for name, one in learned.items():
        best = f"{100 * one['best']:.0f}" if "best" in one else ""
        cells = [_write_sets(one["sets"], opponent) for opponent in opponents]
        called = names[name] if "snapshots" in one else f"teacher {names[name]}"
        rows.append(f"| {called} | {best} | {' | '.join(cells)} |")
    return ["\n".join(rows), *([shared] if shared else [])]


def _write_sets(sets: dict[str, Any], opponent: str) -> str:
    """Return what is won by each set of weights, the first with its interval."""
    parts = []
    for place, which in enumerate(one for one in HEADS if one in sets):
        won = sets[which][opponent]
        interval = f" ({100 * won['low']:.1f} to {100 * won['high']:.1f})" if place == 0 else ""
        label = "" if which == "teacher" else f"{HEADS[which]} "
        parts.append(f"{label}{100 * won['value']:.1f}{interval}{'' if won['trusted'] else ' *'}")
    return "<br>".join(parts)
