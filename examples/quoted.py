"""Figures with intervals that pages quote, and those that stand in docs/results: `python examples/quoted.py`.

A quoted figure is written `63.6 % (58.1 to 68.8)` or `1315 Elo (open to 1385)`, in tables without the unit. It stands
in docs/results if some number with an interval there is the same to as many digits, as per cent or as it is.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

from figures import DOCS

NUMBER = r"[-+−]?\d[\d ]*(?:\.\d+)?"
QUOTED = re.compile(
    rf"(?P<value>{NUMBER})(?P<unit> %| Elo)?\**:? \((?P<low>{NUMBER}|open) to (?P<high>{NUMBER}|open)\)"
)
FENCED = re.compile(r"(?ms)^ *```.*?^ *```[ ]*$")
BOUNDS = (("low", "high"), ("least", "most"))


class Quoted(NamedTuple):
    """A figure as it is written."""

    value: str
    low: str
    high: str


def main() -> None:
    """Tell of every page which of its figures stand nowhere."""
    for page in list_pages():
        for quoted in find_unknown(page.read_text(encoding="utf-8")):
            print(f"{page.relative_to(DOCS.parent)}: {quoted.value} ({quoted.low} to {quoted.high})")


def list_pages() -> list[Path]:
    """Return the README and all pages of the docs."""
    return [DOCS.parent / "README.md", *sorted(DOCS.rglob("*.md"))]


def find_unknown(text: str) -> list[Quoted]:
    """Return the figures of a page that stand nowhere in docs/results."""
    return [quoted for quoted in find_quoted(text) if not stands(quoted)]


def find_quoted(text: str) -> Iterator[Quoted]:
    """Yield the figures with intervals of a page; what a program printed is between fences and is no figure of ours."""
    for found in QUOTED.finditer(FENCED.sub("", text)):
        yield Quoted(*(_tidy(found[part]) for part in ("value", "low", "high")))


def _tidy(number: str) -> str:
    return number.replace(" ", "").replace("−", "-").removeprefix("+")


def stands(quoted: Quoted) -> bool:
    """Tell whether a figure stands in docs/results, to as many digits as are quoted."""
    digits = tuple(len(part.partition(".")[2]) for part in quoted)
    return quoted in write_all(digits)


@cache
def write_all(digits: tuple[int, ...]) -> frozenset[Quoted]:
    """Return all figures of docs/results, as per cent and as they are, with so many digits behind the point."""
    return frozenset(
        Quoted(*(_write(number, scale, some) for number, some in zip(numbers, digits, strict=True)))
        for numbers in list_results()
        for scale in (1, 100)
    )


def _write(number: float | None, scale: int, digits: int) -> str:
    return "open" if number is None else f"{scale * number:.{digits}f}"


@cache
def list_results() -> frozenset[tuple[float | None, ...]]:
    """Return every number with an interval that stands in docs/results."""
    files = sorted((DOCS / "results").rglob("*.json"))
    return frozenset(one for file in files for one in _walk(json.loads(file.read_text(encoding="utf-8"))))


def _walk(value: Any) -> Iterator[tuple[float | None, ...]]:
    if isinstance(value, Mapping):
        yield from _take(value)
        value = list(value.values())
    for part in value if isinstance(value, list) else ():
        yield from _walk(part)


def _take(entry: Mapping[str, Any]) -> Iterator[tuple[float | None, ...]]:
    """Yield the numbers with intervals that an entry of a result has, by whatever names it has them."""
    centres = [entry[name] for name in ("value", "mean", "elo", "share") if isinstance(entry.get(name), int | float)]
    spans = [(entry[low], entry[high]) for low, high in BOUNDS if low in entry and high in entry]
    if isinstance(entry.get("interval"), list):
        spans.append(tuple(entry["interval"]))
    found = [(centre, *span) for centre in centres for span in spans]
    named = [name.removesuffix("_low") for name in entry if name.endswith("_low") and f"{name[:-4]}_high" in entry]
    found += [(entry[name], entry[f"{name}_low"], entry[f"{name}_high"]) for name in named if name in entry]
    yield from (one for one in found if all(part is None or isinstance(part, int | float) for part in one))


if __name__ == "__main__":
    main()
