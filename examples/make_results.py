"""Write what is made of docs/results: `python examples/make_results.py`.

That is docs/results.md, docs/reproduced.md with a page for each paper, the table of the README, the tables of the
studies, and what model hubs read above the cards of students that ship.

Results of finished runs are made by `understudy report --all --results docs/results`, single measurements by
`python examples/measure.py`; no figure of the page is typed by hand.
"""

from __future__ import annotations

import json
from itertools import groupby
from typing import Any

from cards import list_cards, write_card
from figures import DOCS, Figure, fill_readme, load_figures, load_kept, load_table
from label_tables import fill_labels
from paper_pages import write_pages
from pupil_tables import draw_learned, fill_page, write_learned
from series_tables import draw_series, write_series

from understudy.judges.pairs import TRUSTED

STUDIES = ("konane.md",)
"""Pages that hold pictures and tables of runs, between marks."""
LABELS = DOCS / "labels.md"
README = DOCS.parent / "README.md"
INTRO = """# Results

Made from `docs/results` by `python examples/make_results.py`: single measurements first, then runs as they ended.
How a number is counted, and when it may stand beside a paper's, is told in [reports.md](reports.md). What the papers
print, table by table, and ours beside it, is in [reproduced.md](reproduced.md). Figures that were not measured again in
this form are in [measured.md](measured.md)."""

MEASURED = """## Measured one by one

Each by the command above its table: `python examples/measure.py NAME` repeats it, and
[measurements.toml](measurements.toml) lists all. Intervals are 95 %, from pairs of different games where games were
played ([judges.md](judges.md)). "was" is what the docs told before, where that was another figure."""

RUNS = """## Runs

A run is repeated by its command.

Shares of games are those of all games; their intervals come from the different pairs among them, both colours of one
opening. The experiments that repeat Thompson's begin at the plain start, as the source did, and on a small board few of
ten thousand games differ."""


def main() -> None:
    """Write the pages, the table, the pictures, the tables of runs in the pages of studies, and the cards."""
    (DOCS / "results.md").write_text(make_page(), encoding="utf-8")
    write_pages()
    for result in load_results():
        draw_series(result)
        draw_learned(result)
    for page in (DOCS / name for name in STUDIES):
        page.write_text(fill_page(page.read_text(encoding="utf-8"), load_results()), encoding="utf-8")
    LABELS.write_text(
        fill_labels(LABELS.read_text(encoding="utf-8"), load_kept().get("chess_labels")), encoding="utf-8"
    )
    README.write_text(fill_readme(README.read_text(encoding="utf-8")), encoding="utf-8")
    for card in list_cards():
        card.write_text(write_card(card), encoding="utf-8")


def make_page() -> str:
    """Return the page: measurements by section, then a section for each study, a table for each of its runs."""
    results = load_results()
    results.sort(key=lambda result: (result["study"] or "", result["experiment"]))
    parts = [INTRO, MEASURED, *write_measurements(), RUNS]
    for study, group in groupby(results, key=lambda result: result["study"] or "our own"):
        parts += [f"### {study}", *(part for result in group for part in write_result(result))]
    return "\n\n".join(parts) + "\n"


def load_results() -> list[dict[str, Any]]:
    """Return the results of runs."""
    return [json.loads(path.read_text(encoding="utf-8")) for path in sorted((DOCS / "results").glob("*.json"))]


def write_measurements() -> list[str]:
    """Return every measurement that has been made as paragraphs, below the heading of its section."""
    table, kept, figures = load_table()["measurement"], load_kept(), load_figures()
    parts: list[str] = []
    for section, names in groupby(figures, key=lambda name: str(table[name]["section"])):
        parts.append(f"### {section}")
        for name in names:
            parts += write_measurement(table[name]["what"], kept[name], list(figures[name].values()))
    return parts


def write_measurement(what: str, kept: dict[str, Any], figures: list[Figure]) -> list[str]:
    """Return one measurement: what it is, what it took and where, a table of its figures."""
    machine, cost = kept["machine"], kept["cost"]
    busy = f", busy with others (load {machine['load']})" if (machine.get("load") or 0) > machine["cores"] else ""
    place = f"{machine['cores']} cores of {machine['processor']}{busy}, Python {machine['python']}"
    took = f"{cost['wall_seconds']:.0f} s, of one core {cost['cpu_seconds']:.0f} s"
    programs = "".join(f" · {version}" for version in kept["programs"].values())
    code = f"version {kept['version']}, commit {kept['commit']}{' and changes' if kept['changed'] else ''}"
    facts = f"`{kept['command']}` · {took} · {code} · {place}{programs}"
    rows = ["| figure | measured | counted | wanted | |", "|---|---|---|---|---|"]
    for figure in figures:
        verdict = "; ".join(filter(None, (figure.judge(), figure.write_change())))
        cells = (figure.entry["says"], figure.write(), figure.write_sample(), figure.write_goal(), verdict)
        rows.append(f"| {' | '.join(cells)} |")
    return [f"**{what[0].upper()}{what[1:]}**", facts, "\n".join(rows)]


def write_result(result: dict[str, Any]) -> list[str]:
    """Return one run as paragraphs."""
    seconds = sum(step["cpu_seconds"] for step in result["cost"].get("steps", {}).values())
    facts = f"`{result['command']}` · {seconds / 60:.0f} minutes of one core · version {result['version']}"
    rows = ["| who | measure | ours | paper |", "|---|---|---|---|"]
    rows += [
        f"| {row['what']} | {row['measure']} | {write_number(row)} | {write_paper(row)} |" for row in result["headline"]
    ]
    return [f"#### {result['title']}", facts, *write_series(result), *write_learned(result), "\n".join(rows)]


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
