"""Pages that set each paper beside ours, table by table: docs/reproduced.md and docs/reproduced/STUDY.md.

Rows and their verdicts come from `paper_rows`; no verdict and no figure of ours is typed.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby
from typing import Any

from figures import DOCS
from paper_rows import Row, list_measurements, load_result, load_rows, load_sheet, measured
from paper_verdicts import REPRODUCED, VERDICTS, Ours

from understudy.config import load_toml
from understudy.lab.experiments import shipped
from understudy.papers import STUDIES
from understudy.report.comparing import about_of

MADE = "Made by `python examples/make_results.py` from docs/reproduced/{study}.toml and docs/results."
HEADS = (
    "| where | what | the paper | ours, 95 % interval | counted | verdict | measured by |\n"
    "|---|---|---|---|---|---|---|"
)
LAST = """## How ours were made

What is not measured yet is measured by its command. When the result is here, the verdict changes by itself."""
INTRO = """# What was reproduced

Every table and figure of the four papers with a row for each number: theirs, ours, the verdict, and the command. Each
paper has its page. Like this one it is made by `python examples/make_results.py`.

{counts}

## The rule

One rule in code gives every verdict (`examples/paper_verdicts.py`), from the 95 % interval of the difference:

- *reproduced*: the interval holds 0. How far numbers are rounded is no difference, nor is a margin where a page says
  so. Numbers without chance in them are compared as they are.
- *better* and *not reproduced*: the interval does not hold 0, and ours is the better or the worse. Where neither is
  better, as of a player against itself, every difference is *not reproduced*.
- *cannot tell*: ours is not measured yet; or it is too weak to decide, as one short training is; or fewer than 30 pairs
  of games differ; or the interval is so wide that it holds 0 and ten points of per cent, too (of numbers that are no
  shares: a tenth).
- *not comparable*: another game, size or setting, or nothing that can be measured. The row says why.

Where a paper says how many games stand behind its number, that number is a sample, too, and the interval is that of a
difference of two samples (Newcombe's). A claim in words is *reproduced* if our numbers lie in the order that it claims
and no two intervals overlap; or, where it says "alike", if no two can be ten points apart. Intervals are of the games
or rows that were counted, not of other trainings. How many trainings there were stands at the end of each page."""


def write_pages() -> None:
    """Write the page over all papers and one for each."""
    (DOCS / "reproduced.md").write_text(make_overview(), encoding="utf-8")
    for study in STUDIES:
        (DOCS / "reproduced" / f"{study}.md").write_text(make_page(study), encoding="utf-8")


def make_overview() -> str:
    """Return the page over all papers."""
    lines = [f"| paper | rows | {' | '.join(VERDICTS)} |", f"|---{'|---:' * (1 + len(VERDICTS))}|"]
    for study in STUDIES:
        rows = load_rows(study)
        counted = Counter(row.verdict for row in rows)
        name = f"[{load_sheet(study)['title']}](reproduced/{study}.md)"
        lines.append(f"| {name} | {len(rows)} | {' | '.join(str(counted[one]) for one in VERDICTS)} |")
    return INTRO.replace("{counts}", "\n".join(lines)) + "\n"


def make_page(study: str) -> str:
    """Return the page of one paper: a section for each of its parts, then how ours were made."""
    sheet, rows = load_sheet(study), load_rows(study)
    counted = Counter(row.verdict for row in rows)
    told = ", ".join(f"{counted[one]} {one}" for one in VERDICTS if counted[one])
    parts = [f"# {sheet['title']}: table by table", sheet["about"].strip()]
    parts.append(f"{len(rows)} rows: {told}. What the verdicts mean: [the rule](../reproduced.md#the-rule). "
                 f"{MADE.format(study=study)}")  # fmt: skip
    for part, some in groupby(rows, key=lambda row: row.entry.get("part", "")):
        parts += [*([f"## {part}"] if part else []), "\n".join([HEADS, *_write_rows(list(some))])]
    sources = dict.fromkeys(row.source for row in rows if row.source)
    lines = ["| measured by | command | seed | cost | version |", "|---|---|---|---|---|"]
    lines += [_write_source(source, sheet.get("costs", {})) for source in sources]
    return "\n\n".join([*parts, LAST, "\n".join(lines)]) + "\n"


def _write_rows(rows: Sequence[Row]) -> Iterator[str]:
    """Yield the lines of a table; the place in the paper is told once for neighbours."""
    for before, row in zip([None, *rows], rows, strict=False):
        again = before is not None and before.entry["where"] == row.entry["where"]
        yield f"| {' | '.join(['' if again else row.entry['where'], *_write_cells(row)])} |"


def _write_cells(row: Row) -> tuple[str, ...]:
    share = row.entry.get("form", "share") == "share"
    theirs = row.entry["claim"] if row.printed is None else write_number(row.printed, share=share)
    measured = [one for one in row.ours if one.low is None or one.low != one.high]  # not the half of all games
    ours = "; ".join(write_ours(one, share=share, printed=row.printed) for one in measured)
    counted = write_sample(row.ours[0]) if len(row.ours) == 1 else ""
    source = f"`{row.source}`" if row.source else ""
    return _plain_words(row.entry["what"]), theirs, ours, counted, _write_verdict(row), source


def _write_verdict(row: Row) -> str:
    word = f"**{row.verdict}**" if row.verdict == REPRODUCED else f"*{row.verdict}*"
    return f"{word}: {row.reason}" if row.reason else word


def _plain_words(text: str) -> str:
    """Return a text with the names of measures as words; what stands between backticks is a name and stays one."""
    parts = text.split("`")
    return "`".join(part if place % 2 else part.replace("_", " ") for place, part in enumerate(parts))


def write_number(number: float, *, share: bool) -> str:
    """Return a number of a paper with the digits that it has."""
    return f"{round(100 * number, 2):g} %" if share else f"{number:,.10g}".replace(",", " ")


def write_ours(ours: Ours, *, share: bool, printed: float | None) -> str:
    """Return a number of ours with its interval, a share with as many digits as the printed one has, one at least."""
    digits = 1 if printed is None or round(100 * printed, 1) == round(100 * printed, 2) else 2
    write = (lambda number: f"{100 * number:.{digits}f}") if share else _write_plain
    bounds = ["open" if bound is None else write(bound) for bound in (ours.low, ours.high)]
    interval = "" if (ours.low, ours.high) == (None, None) else f" ({bounds[0]} to {bounds[1]})"
    return f"{write(ours.value)}{' %' if share else ''}{interval}"


def _write_plain(number: float) -> str:
    return f"{number:,.0f}".replace(",", " ") if abs(number) >= 1000 or number == int(number) else f"{number:.4g}"


def write_sample(ours: Ours) -> str:
    """Return how much was counted, and how much of it differs."""
    if ours.sample is None:
        return ""
    different = "" if ours.different is None else f", {_write_plain(ours.different)} different"
    return f"{_write_plain(ours.sample)}{different}"


def _write_source(source: str, costs: Mapping[str, str]) -> str:
    """Return how a number of ours is made: its command, seed, cost and version; or what it will cost."""
    table = list_measurements()
    if source in table:
        kept = measured().get(source)
        cost = f"{kept['cost']['cpu_seconds'] / 60:.1f} minutes of one core" if kept is not None else ""
        command, seed = table[source]["command"], "" if kept is None else kept["seed"]
    else:
        kept = load_result(source)
        cost = _write_cost(kept) if kept is not None else ""
        command, seed = (f"understudy run {source}", "") if kept is None else (kept["command"], _write_seeds(kept))
    if kept is None:
        cost = f"not measured yet: {_expected(source, costs)}"
    version = "" if kept is None else f"{kept['version']}, {kept['commit']}"
    return f"| `{source}` | `{command}` | {'' if seed is None else seed} | {cost} | {version} |"


def _write_cost(result: Mapping[str, Any]) -> str:
    steps = result["cost"].get("steps", {}).values()
    return f"{sum(step['cpu_seconds'] for step in steps) / 60:.0f} minutes of one core"


def _write_seeds(result: Mapping[str, Any]) -> str:
    """Return the first seed of a run, and how many trainings were begun with seeds of their own."""
    trainings = {one["trainings"] for one in result.get("learned", {}).values() if "trainings" in one}
    return f"{result['seed']}, {max(trainings)} trainings" if trainings and max(trainings) > 1 else f"{result['seed']}"


def _expected(source: str, costs: Mapping[str, str]) -> str:
    """Return what something will cost that nobody has done: as its experiment says, or as the page's file reckons."""
    if source in costs:
        return costs[source]
    minutes = about_of(load_toml(shipped()[source])).get("minutes") if source in shipped() else None
    return f"{minutes:g} minutes of two cores, as its file says" if minutes else "its cost is not known"
