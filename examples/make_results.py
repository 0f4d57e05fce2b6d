"""Write docs/results.md from the results of finished runs in docs/results: `python examples/make_results.py`.

The files are made by `understudy report --all --results docs/results`; no figure of the page is typed by hand.
"""

from __future__ import annotations

import json
from itertools import groupby
from pathlib import Path
from typing import Any

from understudy.judges.pairs import TRUSTED

DOCS = Path(__file__).parents[1] / "docs"
INTRO = """# Results

Runs as they ended, made from [results/*.json](results) by `python examples/make_results.py`. A run is repeated by its
command; how a number is counted, and when it may stand beside a paper's, is told in [reports.md](reports.md). What was
measured in other ways is in [measured.md](measured.md).

Shares of games are those of all games; their intervals come from the different pairs among them, both colours of one
opening. The experiments that repeat Thompson's begin at the plain start, as the source did, and on a small board few of
ten thousand games differ."""


def main() -> None:
    """Write the page."""
    (DOCS / "results.md").write_text(make_page(), encoding="utf-8")


def make_page() -> str:
    """Return the page: a section for each study, a table for each of its runs."""
    results = [json.loads(path.read_text(encoding="utf-8")) for path in sorted((DOCS / "results").glob("*.json"))]
    results.sort(key=lambda result: (result["study"] or "", result["experiment"]))
    parts = [INTRO]
    for study, group in groupby(results, key=lambda result: result["study"] or "our own"):
        parts += [f"## {study}", *(part for result in group for part in write_result(result))]
    return "\n\n".join(parts) + "\n"


def write_result(result: dict[str, Any]) -> list[str]:
    """Return one run as paragraphs."""
    seconds = sum(step["cpu_seconds"] for step in result["cost"].get("steps", {}).values())
    facts = f"`{result['command']}` · {seconds / 60:.0f} minutes of one core · version {result['version']}"
    rows = ["| who | measure | ours | paper |", "|---|---|---|---|"]
    rows += [
        f"| {row['what']} | {row['measure']} | {write_number(row)} | {write_paper(row)} |" for row in result["headline"]
    ]
    return [f"### {result['title']}", facts, "\n".join(rows)]


def write_number(row: dict[str, Any]) -> str:
    """Return a value with its interval; shares as per cent."""
    value, low, high = row["value"], row.get("low"), row.get("high")
    if value is None:
        return "-"
    share = row["share"]
    show = (lambda number: f"{100 * number:.1f}") if share else (lambda number: f"{number:.4g}")
    interval = "" if low is None or high is None else f" ({show(low)} to {show(high)})"
    return f"{show(value)}{' %' if share else ''}{interval}{write_sample(row)}"


def write_sample(row: dict[str, Any]) -> str:
    """Return how much stands behind a number; of games how many differ, where that is known."""
    if not row.get("sample"):
        return ""
    if row.get("different") is None:
        return f", {row['sample']} counted"
    few = row.get("pairs") is not None and row["pairs"] < TRUSTED
    return f", {row['sample']} games, {row['different']} different{': too few to trust' if few else ''}"


def write_paper(row: dict[str, Any]) -> str:
    """Return what the paper says, and how ours stands to it."""
    paper, verdict = row.get("paper"), row.get("verdict") or ""
    if paper is None:
        return verdict
    return f"{100 * paper:.1f} %: {verdict}" if row["share"] else f"{paper:g}: {verdict}"


if __name__ == "__main__":
    main()
