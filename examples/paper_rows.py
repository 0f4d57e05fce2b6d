"""Rows of docs/reproduced/STUDY.toml: what a paper prints, where ours stands, and how one stands to the other.

A row says `where` in the paper, `what`, and what it prints: `paper`, a number or the path of one in the study's numbers
(`paper.py`, or `[paper]` of the experiment that repeats it), or a `claim` in words. Ours is the `figure` of a
measurement, or stands `at` a path of the result of a `run` or of what a `measurement` printed; claims take several such
paths, whose numbers must lie in that `order`, the largest first, or be `alike`, `within` ten points if nothing else is
said. What nobody can compare says `why`, and what is too weak to decide why it is `unsure`. `each` repeats a row for
every value of {name}, or for every table of such values.
"""

from __future__ import annotations

import itertools
import json
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from importlib import import_module
from math import sqrt
from typing import Any, NamedTuple

from figures import DOCS, load_kept, load_table
from paper_verdicts import UNLIKE, UNSURE, Ours, judge, judge_likeness, judge_order

from understudy.config import load_toml
from understudy.judges.measures import Z95
from understudy.judges.pairs import TRUSTED
from understudy.lab.experiments import shipped
from understudy.papers import STUDIES, find_paper
from understudy.report.comparing import is_harmless

KEYS = {
    "where", "what", "paper", "claim", "figure", "measurement", "run", "at", "order", "alike", "why", "each",
    "form", "better", "sample", "unsure", "near", "exact", "part", "percent", "within",
}  # fmt: skip


class RowError(ValueError):
    """A row that says something wrong, in a sentence."""


class Row(NamedTuple):
    """One line of a page."""

    entry: Mapping[str, Any]
    printed: float | None
    """What the paper prints; None where it only claims something."""
    ours: tuple[Ours, ...]
    """One number, or those of a claim; none where nobody has measured it yet."""
    source: str
    """The run or measurement that has ours or will have it; empty where nobody can compare."""
    verdict: str
    reason: str = ""


def load_rows(study: str) -> list[Row]:
    """Return the rows of a study, repeated ones one by one."""
    sheet = load_sheet(study)
    return [make_row(study, entry, sheet.get("near", 0.0)) for entry in _spread(sheet["row"])]


@cache
def load_sheet(study: str) -> dict[str, Any]:
    """Return what stands in a study's file."""
    return tomllib.loads((DOCS / "reproduced" / f"{study}.toml").read_text(encoding="utf-8"))


def _spread(entries: Sequence[Mapping[str, Any]]) -> Iterator[dict[str, Any]]:
    for entry in entries:
        each = entry.get("each", {})
        if isinstance(each, Mapping):
            each = [dict(zip(each, values, strict=True)) for values in itertools.product(*each.values())]
        for names in each:
            yield {key: _fill(value, names) for key, value in entry.items() if key != "each"}


def _fill(value: Any, names: Mapping[str, Any]) -> Any:
    """Return a value of a row with {name} replaced wherever it stands; where it stands alone, by the value itself."""
    if isinstance(value, str):
        alone = value.removeprefix("{").removesuffix("}")
        return names[alone] if f"{{{alone}}}" == value and alone in names else _replace(value, names)
    if isinstance(value, list):
        return [_fill(one, names) for one in value]
    if isinstance(value, dict):
        return {key: _fill(one, names) for key, one in value.items()}
    return value


def _replace(text: str, names: Mapping[str, Any]) -> str:
    for name, value in names.items():
        text = text.replace(f"{{{name}}}", str(value))
    return text


def make_row(study: str, entry: Mapping[str, Any], near: float) -> Row:
    """Return a row with its numbers and its verdict."""
    place = f"{study}.toml, {entry.get('where')!r}, {entry.get('what')!r}"
    if unknown := set(entry) - KEYS:
        raise RowError(f"{place}: a row has no {sorted(unknown)[0]!r}")
    if ("paper" in entry) == ("claim" in entry):
        raise RowError(f"{place}: a row has either 'paper' or 'claim'")
    source = _source(entry, place)
    printed = _printed(study, entry, place) if "paper" in entry else None
    ours = _ours(entry)
    if why := entry.get("why") or _otherwise(entry):
        return Row(entry, printed, ours, source, UNLIKE, why)
    if reason := entry.get("unsure"):
        return Row(entry, printed, ours, source, UNSURE, reason)
    if not ours:
        reason = "not measured yet" if _find_source(entry) is None else "its result does not hold this number"
        return Row(entry, printed, ours, source, UNSURE, reason)
    verdict, reason = _judge_claim(entry, ours) if printed is None else _judge_number(entry, printed, ours[0], near)
    return Row(entry, printed, ours, source, verdict, reason)


def _judge_number(entry: Mapping[str, Any], printed: float, ours: Ours, near: float) -> tuple[str, str]:
    said = {name: entry[name] for name in ("better", "sample", "exact") if name in entry}
    share = entry.get("form", "share") == "share"
    return judge(printed, ours, share=share, near=entry.get("near", near), **said)


def _judge_claim(entry: Mapping[str, Any], ours: Sequence[Ours]) -> tuple[str, str]:
    if entry.get("exact"):
        ours = [one._replace(low=one.value, high=one.value) for one in ours]
    if "alike" in entry:
        return judge_likeness(ours, *([entry["within"]] if "within" in entry else []))
    return judge_order(ours)


def _source(entry: Mapping[str, Any], place: str) -> str:
    """Return the run or measurement that a row names, which there must be."""
    if "figure" in entry:
        name, _, key = entry["figure"].partition(".")
        if key not in list_measurements().get(name, {}).get("figures", {}):
            raise RowError(f"{place}: docs/measurements.toml has no figure {entry['figure']!r}")
        return str(name)
    if "measurement" in entry:
        if entry["measurement"] not in list_measurements():
            raise RowError(f"{place}: docs/measurements.toml has no measurement {entry['measurement']!r}")
        return str(entry["measurement"])
    if "run" in entry:
        if entry["run"] not in shipped():
            raise RowError(f"{place}: no experiment is called {entry['run']!r}")
        return str(entry["run"])
    if "why" not in entry:
        raise RowError(f"{place}: it says neither where ours stands nor why nobody can compare")
    return ""


def _otherwise(entry: Mapping[str, Any]) -> str:
    """Return what keeps a run from being what its experiment's file describes."""
    result = load_result(entry["run"]) if "run" in entry else None
    changed = {} if result is None else {key: one for key, one in result["changed"].items() if not is_harmless(key)}
    return f"run with {', '.join(f'{key} = {value}' for key, value in changed.items())}" if changed else ""


def _printed(study: str, entry: Mapping[str, Any], place: str) -> float:
    paper = entry["paper"]
    if not isinstance(paper, list):
        return float(paper)
    found = _follow(_printed_by(study, entry.get("run", "")), paper)
    if isinstance(found, bool) or not isinstance(found, int | float):
        raise RowError(f"{place}: no number is printed at {paper}")
    return round(float(found) / 100, 6) if entry.get("percent") else float(found)


@cache
def _printed_by(study: str, run: str) -> dict[str, Any]:
    """Return the numbers of a paper: those of the study's module by their names, and those of an experiment."""
    module = find_paper(study).numbers
    names = vars(import_module(f"{STUDIES[study]}.{module}")) if module else {}
    return {**names, **(load_toml(shipped()[run]).get("paper", {}) if run else {})}


def _ours(entry: Mapping[str, Any]) -> tuple[Ours, ...]:
    """Return our numbers; none where nobody has measured all of them."""
    if "figure" in entry:
        name, _, key = entry["figure"].partition(".")
        kept = measured().get(name)
        return (read_ours(kept["figures"][key]),) if kept is not None else ()
    paths = entry.get("order", entry.get("alike", [entry["at"]] if "at" in entry else []))
    found = _find_source(entry)
    # A number that stands in the row itself, such as the half of all games, has no chance in it.
    ends = [
        _follow(found, path) if isinstance(path, list) else {"value": path, "low": path, "high": path} for path in paths
    ]
    return () if any(map(_is_empty, ends)) else tuple(map(read_ours, ends))


def _is_empty(end: Any) -> bool:
    """Tell whether a path leads to nothing, or to a measure of an empty sample."""
    return end is None or (isinstance(end, Mapping) and end.get("value", end.get("mean")) is None)


def _find_source(entry: Mapping[str, Any]) -> dict[str, Any] | None:
    """Return what a run or a measurement has told; None where nobody has done it."""
    if "measurement" in entry:
        kept = measured().get(entry["measurement"])
        return None if kept is None else dict(kept["output"])
    return load_result(entry["run"]) if "run" in entry else None


@cache
def list_measurements() -> dict[str, Any]:
    """Return the table of measurements, read once."""
    return dict(load_table()["measurement"])


@cache
def measured() -> dict[str, Any]:
    """Return what is kept of measurements, read once."""
    return load_kept()


@cache
def load_result(run: str) -> dict[str, Any] | None:
    """Return the result of a run as its experiment's file describes it; None where there is none yet."""
    path = DOCS / "results" / f"{run}.json"
    if not path.exists():
        return None
    result: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    return None if result["quick"] or result["experiment"] != run else result


def _follow(value: Any, path: Sequence[Any]) -> Any:
    """Return what stands at the end of a path: of a list the first entry that says the same as a step."""
    for step in path:
        if isinstance(step, Mapping):
            value = next((one for one in value or () if step.items() <= one.items()), None)
        elif isinstance(value, Mapping):
            value = value.get(tuple(step) if isinstance(step, list) else step)
        elif isinstance(value, list | tuple) and isinstance(step, int):
            value = value[step]
        else:
            value = getattr(value, str(step), None)
            value = value() if callable(value) else value
    return value


def read_ours(found: Any) -> Ours:
    """Return a number of a result in any of the forms in which results keep numbers."""
    if not isinstance(found, Mapping):
        return Ours(float(found))
    if "deviation" in found:
        half = Z95 * (found["deviation"] or 0.0) / sqrt(found["sample"])
        return Ours(found["mean"], found["mean"] - half, found["mean"] + half, found["sample"])
    different, pairs = found.get("different"), found.get("pairs")
    enough = pairs if pairs is not None else None if different is None else different // 2
    trusted = found.get("trusted", enough is None or enough >= TRUSTED)
    sample = found.get("sample", found.get("games"))
    return Ours(found["value"], found.get("low"), found.get("high"), sample, different, trusted)
