"""What model hubs read above the model cards of students that ship: made of the students' files and of docs/results.

`python examples/make_results.py` writes it. A hub shows the licence, the tags and the results of a card; people read
what stands below. Nobody types a figure here: each comes from a measurement of docs/measurements.toml.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import yaml
from figures import Figure, load_figures, load_table

from understudy.players.student_files import SHIPPED, SUFFIXES, student_facts

HEAD = re.compile(r"\A---\n.*?\n---\n\n?", re.DOTALL)
STUDENT = "student:"
LICENSE = "gpl-3.0"
"""As hubs call the licence of the package; they have no name for "or later"."""
GAMES = {"morris": "nine-mens-morris", "lines_of_action": "lines-of-action"}
"""Tags of games whose name in the package is no tag."""
GRADED = ("match", "ladder", "technique")
"""Commands that grade the first player they name; of others a figure counts if its place names the student."""
USUAL = {"match": "points", "ladder": "elo"}
"""What the figures of a shape are that stand where the shape says."""
DIGITS = 4
"""Of a figure in a card: more than any interval tells apart."""


def list_cards() -> list[Path]:
    """Return the cards of the students that ship."""
    return sorted(SHIPPED.glob("*.md"))


def write_card(path: Path) -> str:
    """Return a card with what hubs read written anew above it."""
    head = yaml.safe_dump(describe(path.stem), sort_keys=False, allow_unicode=True, width=1000)
    return f"---\n{head}---\n\n{HEAD.sub('', path.read_text(encoding='utf-8'))}"


def describe(name: str) -> dict[str, Any]:
    """Return what hubs are told of a student."""
    (file,) = [file for suffix in SUFFIXES if (file := SHIPPED / f"{name}{suffix}").exists()]
    facts = student_facts(file)
    way, task = find_way(facts)
    tags = ["board-games", GAMES.get(facts["game"], facts["game"]), way, file.suffix.removeprefix(".")]
    told: dict[str, Any] = {"license": LICENSE, "library_name": "understudy", "tags": tags}
    told |= {"pipeline_tag": task} if task else {}
    results = list(list_results(name))
    return told | ({"model-index": [{"name": name, "results": results}]} if results else {})


def find_way(facts: Any) -> tuple[str, str]:
    """Return the tag of how a student learned, and the task under which hubs list it, where one fits."""
    if "order" in facts:
        return "imitation-learning", ""
    if "td" in (facts.get("learned"), facts.get("method")) or facts.get("method") == "temporal":
        return "temporal-difference-learning", "reinforcement-learning"
    return "value-network", ""


def list_results(name: str) -> Iterator[dict[str, Any]]:
    """Yield the measurements that grade a student, in the form of a model index."""
    table = load_table()["measurement"]
    for measured, figures in load_figures().items():
        entry = table[measured]
        own = [figure for figure in figures.values() if names_of(entry["command"], figure) == name]
        kept = [figure for figure in own if figure.entry["form"] in ("share", "elo")]
        if kept:
            yield {
                "task": {"type": "game-playing", "name": entry["what"].replace("`", "")},
                "dataset": {"type": "understudy", "name": measured, "args": {"command": entry["command"]}},
                "metrics": [write_metric(figure) for figure in kept],
            }


def names_of(command: str, figure: Figure) -> str | None:
    """Return the student that a figure is of; None if it is of somebody else."""
    place = [*figure.entry.get("at", ()), *figure.entry.get("value", ())]
    words = shlex.split(command)
    players = [word for word in words if word.partition(":")[0] in ("student", "random", "searcher", "perfect", "nnmm")]
    graded = [word for word in place if str(word) in players] or (players[:1] if words[1] in GRADED else [])
    named = graded[0] if graded else ""
    return named.removeprefix(STUDENT).partition(",")[0] if named.startswith(STUDENT) else None


def write_metric(figure: Figure) -> dict[str, Any]:
    """Return a figure as a model index has it: its value, and beside it the interval and what it is counted of."""
    numbers = {key: round(value, DIGITS) for key, value in figure.numbers.items() if value is not None}
    place = [*figure.entry.get("at", ()), *figure.entry.get("value", ())]
    kind = str(place[-1]) if place else USUAL[figure.entry["shape"]]
    beside = {key: numbers[key] for key in ("low", "high", "games", "different") if key in numbers}
    return {"type": kind, "name": figure.entry["says"].replace("`", ""), "value": numbers["value"], "args": beside}
