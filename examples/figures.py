"""Figures of docs/measurements.toml as people read them: a number with its interval, and whether it is what was wanted.

What was measured is in docs/results/measured/NAME.json; words, forms and goals are in the table.
"""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

DOCS = Path(__file__).parents[1] / "docs"


class Form(NamedTuple):
    """How figures of a kind are written."""

    write: Callable[[float], str]
    unit: str = ""
    gap: str = ""
    """The unit of a difference, where that is another."""


def write_plain(number: float) -> str:
    """Return a number to three digits, a large one with all that it has before the point."""
    return f"{number:.0f}" if abs(number) >= 1000 else f"{number:.3g}"


def write_share(number: float) -> str:
    """Return a share as per cent; one that is not quite all of it does not look as if it were."""
    return f"{100 * number:.2f}" if 0.9995 <= number < 1 else f"{100 * number:.1f}"


FORMS = {
    "share": Form(write_share, " %", " points"),
    "elo": Form(lambda number: f"{number:.0f}", " Elo", " points"),
    "times": Form(lambda number: f"{number:.0f}", " times", ""),
    "seconds": Form(lambda number: f"{number:.1f}", " s", " s"),
    "number": Form(write_plain),
    "count": Form(lambda number: f"{number:.15g}"),
}


class Figure(NamedTuple):
    """One figure: what the table says of it, and what was measured."""

    entry: dict[str, Any]
    numbers: dict[str, float | None]

    @property
    def form(self) -> Form:
        """How it is written."""
        return FORMS[self.entry["form"]]

    def write(self, *, interval: bool = True) -> str:
        """Return the figure with its unit and interval; a count with what it is counted of."""
        value, low, high = (self.numbers.get(role) for role in ("value", "low", "high"))
        if value is None:
            return "-"
        if self.entry["form"] == "count":
            return f"{value:.15g} of {self.numbers['games']:.15g}"
        bounds = [self.form.write(bound) if bound is not None else "open" for bound in (low, high)]
        shown = f" ({bounds[0]} to {bounds[1]})" if interval and (low, high) != (None, None) else ""
        return f"{self.form.write(value)}{self.form.unit}{shown}"

    def write_sample(self) -> str:
        """Return how much was counted, and how much of it differs."""
        games, different = self.numbers.get("games"), self.numbers.get("different")
        if games is None or (self.entry["form"] == "count" and different is None):
            return ""
        return f"{games:.15g}" if different is None else f"{games:.15g}, {different:.15g} different"

    def write_goal(self) -> str:
        """Return what is wanted, without a unit where a number says enough."""
        goal = self.entry.get("least", self.entry.get("most"))
        if goal is None:
            return ""
        unit = " %" if self.entry["form"] == "share" else ""
        shown = self.form.write(goal).removesuffix(".0") if self.entry["form"] != "count" else f"{goal:.15g}"
        return f"at least {shown}{unit}" if "least" in self.entry else f"at most {shown}{unit}"

    def judge(self) -> str:
        """Return `met` or `missed by`; where the interval reaches to the other side of the goal it is said."""
        goal, value = self.entry.get("least", self.entry.get("most")), self.numbers.get("value")
        if goal is None or value is None:
            return ""
        above = "least" in self.entry
        near, far = (self.numbers.get(role) for role in (("low", "high") if above else ("high", "low")))
        if value >= goal if above else value <= goal:
            unsure = near is not None and (near < goal if above else near > goal)
            return "met, but the interval reaches across" if unsure else "met"
        unsure = far is not None and (far >= goal if above else far <= goal)
        by = f"missed by {self.form.write(abs(goal - value))}{self.form.gap}"
        return f"{by}, which the interval spans" if unsure else by

    def write_change(self) -> str:
        """Return what the docs told before, where that was another figure."""
        was, value = self.entry.get("was"), self.numbers.get("value")
        same = {self.write(), self.write(interval=False)}
        if was is not None and value is not None and re.fullmatch(r"[\d.]+", was):
            same.add(f"{value:.{len(was.partition('.')[2])}f}")  # to as many digits as were told
        return "" if was is None or was in same else f"was {was}"


def load_figures() -> dict[str, dict[str, Figure]]:
    """Return the figures of every measurement that has been made, in the order of the table."""
    table, figures = load_table()["measurement"], {}
    for name, kept in load_kept().items():
        if kept["command"] != table[name]["command"]:
            raise ValueError(f"{name} was measured by another command: python examples/measure.py {name}")
        figures[name] = {
            key: Figure(entry, kept["figures"][key])
            for key, entry in table[name]["figures"].items()
            if key in kept["figures"]
        }
    return figures


def load_table() -> dict[str, Any]:
    """Return the table of measurements."""
    return tomllib.loads((DOCS / "measurements.toml").read_text(encoding="utf-8"))


def load_kept() -> dict[str, Any]:
    """Return what is kept of each measurement that has been made, in the order of the table."""
    files = {name: DOCS / "results" / "measured" / f"{name}.json" for name in load_table()["measurement"]}
    return {name: json.loads(file.read_text(encoding="utf-8")) for name, file in files.items() if file.exists()}


def fill_readme(readme: str) -> str:
    """Return the README with its table of figures written anew between the two marks."""
    table = "\n".join(write_readme_rows(load_table()["readme"], load_figures()))
    pattern = r"(<!-- figures: .*? -->\n)(.*?)(<!-- end of figures -->)"
    if not re.search(pattern, readme, re.DOTALL):
        raise ValueError("the README has no marks between which its figures could stand")
    return re.sub(pattern, lambda found: f"{found[1]}{table}\n{found[3]}", readme, flags=re.DOTALL)


def write_readme_rows(rows: list[dict[str, Any]], figures: dict[str, dict[str, Figure]]) -> list[str]:
    """Return the lines of the README's table; a row waits until all that it tells has been measured."""

    def write(found: re.Match[str]) -> str:
        return figures[found[1]][found[2]].write(interval=not found[3])

    lines = ["| what | measured, with 95 % interval | wanted |", "|---|---|---|"]
    for row in rows:
        places = re.findall(r"\{(\w+)\.", row["measured"])
        if any(place not in figures for place in places):
            continue
        wanted = [figures[name][key] for name, key in (place.split(".") for place in row["wanted"])]
        measured = re.sub(r"\{(\w+)\.(\w+)(!?)\}", write, row["measured"])
        lines.append(f"| {row['what']} | {measured} | {write_wanted(wanted)} |")
    return lines


def write_wanted(wanted: list[Figure]) -> str:
    """Return what was wanted of some figures, and which of them missed it."""
    goals = [figure.write_goal() for figure in wanted]
    first = goals[0].rpartition(" ")[0]  # "at least", said once where it is said of all
    goals = [goal.removeprefix(first).strip() if place and first else goal for place, goal in enumerate(goals)]
    verdicts = [figure.judge() for figure in wanted if figure.judge().startswith("missed")]
    return ", ".join(goals) + (f": {verdicts[0]}" if verdicts else "")
