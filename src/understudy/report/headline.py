"""The beginning of a report: what was asked, what came out, and one table with intervals, a paper's numbers beside."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from understudy.papers import find_paper
from understudy.report.blocks import Block, Cell, Section, Table, Text, cells, headed, lasting, number
from understudy.report.comparing import USUAL, about_of, changed_in, is_short
from understudy.report.findings import Finding, write_finding
from understudy.report.naming import shorten
from understudy.report.sources import Run

TITLE = "In short"

SENTENCE = re.compile(r"(?<=[.?!])\s+(?=[A-Z`'\"])")
"""Between two sentences: a number with a point, or `et al. (2018)`, is not the end of one."""

VERDICTS = ("met", "missed", "cannot tell")
"""How verdicts begin on a paper's number that may be compared."""

UNTAUGHT = ("teacher", "baseline")
"""Roles of those who did not learn, told beside their names."""

INTERVALS = (
    "In brackets 95 % intervals; n is how many games, positions or rows were counted. Of games it is told how many are "
    "different: intervals are those of different pairs, both colours of one opening."
)


def headline_section(run: Run, findings: Sequence[Finding]) -> Section | None:
    """Return what was asked and what came out; None where an experiment neither says anything nor has anything."""
    shown, note = shorten_names(findings)
    sentences = [sentence for sentence in (_asked(run), _outcome(run, shown), _standing(run, findings)) if sentence]
    if not sentences:
        return None
    blocks: list[Block] = [Text(" ".join(sentences))]
    blocks += [headline_table(shown, known=run.comparison.reason, note=note)] if findings else []
    return Section(TITLE, tuple(blocks))


def shorten_names(findings: Sequence[Finding]) -> tuple[list[Finding], str]:
    """Return findings with the names of players as short as tells them apart, and a sentence on what was left out."""
    opponents = [finding.measure.rpartition(" against ")[2].partition(" that ")[0] for finding in findings]
    names, note = shorten([*(finding.what for finding in findings), *opponents])
    shown = []
    for finding, opponent in zip(findings, opponents, strict=True):
        measure = finding.measure.replace(opponent, names[opponent])
        shown.append(finding._replace(what=names[finding.what], measure=measure))
    return shown, note


def _asked(run: Run) -> str:
    """Return the question of an experiment, or the first sentence of what it says of itself."""
    tables = (about_of(run.experiment), run.experiment)
    texts = [str(table[key]).strip() for key in ("question", "description") for table in tables if table.get(key)]
    return SENTENCE.split(" ".join(texts[0].split()))[0] if texts else ""


def _outcome(run: Run, findings: Sequence[Finding]) -> str:
    """Return the first measure of one student in a sentence, beside who did not learn.

    It is the one that other games or positions chose, where a run did so: the best of several is so by luck, too.
    """
    first = [finding for finding in findings if finding.measure == findings[0].measure]
    learned = [finding for finding in first if finding.role == "student"] or first
    if not learned:
        return ""
    chosen = [finding for finding in learned if finding.what == run.picked.get("kept")]
    best = chosen[0] if chosen else (min if learned[0].fewer else max)(learned, key=lambda finding: finding.value)
    among = _among(best, len(learned), chosen=bool(chosen))
    others = {finding.role: finding for finding in reversed(first) if finding not in learned}.values()
    beside = "".join(f"; {_name(finding)}: {finding.ours.text}" for finding in others)
    return f"{headed(best.measure)}: {best.what} {write_finding(best)}{among}{beside}."


def _among(best: Finding, learned: int, *, chosen: bool) -> str:
    """Return among how many somebody is named, and by what."""
    if learned < 2 or best.role != "student":
        return ""
    return f", chosen among {learned} by other games" if chosen else f", the best of {learned}"


def _name(finding: Finding) -> str:
    return f"its {finding.role}" if finding.role == "teacher" else finding.what


def _standing(run: Run, findings: Sequence[Finding]) -> str:
    """Return how many of a paper's numbers are met, why none may be compared, or in which form the run was done."""
    if run.comparison.refusal:
        return run.comparison.refusal
    judged = [finding.verdict for finding in findings if finding.verdict.startswith(VERDICTS)]
    if judged and run.comparison.study:
        return _count_met(judged, find_paper(run.comparison.study).name)
    if is_short(run.experiment):
        return "This is the short form of the experiment."
    return "Some settings were changed by hand." if changed_in(run.experiment) else ""


def _count_met(verdicts: Sequence[str], name: str) -> str:
    """Return how many of a paper's numbers are met, and of how many nobody can tell."""
    met, unsure = verdicts.count("met"), sum(verdict.startswith(VERDICTS[-1]) for verdict in verdicts)
    if len(verdicts) == 1:
        how = "cannot be judged" if unsure else "is met" if met else "is missed"
        return f"The one number of {name} in this table {how}."
    how = "all are" if met == len(verdicts) else f"{number(met) if met else 'none'} {'is' if met < 2 else 'are'}"
    rest = f", of {number(unsure)} too few games differ to tell" if unsure else ""
    return f"Of {number(len(verdicts))} numbers of {name} in this table {how} met{rest}."


def headline_table(findings: Sequence[Finding], *, known: str = "", note: str = "") -> Table:
    """Return all findings, under a heading for each measure; where there is one of each, its measure names it.

    A reason that is *known* already, because a sentence above tells it, is not repeated in each row.
    """
    shown = {"ours": True, "n": any(finding.sample is not None for finding in findings)}
    shown["paper"] = any(finding.paper is not None for finding in findings)
    shown["verdict"] = any(finding.verdict for finding in findings)
    measures = list(dict.fromkeys(finding.measure for finding in findings))
    rows: list[tuple[Cell, ...]] = []
    for measure in measures:
        same = [finding for finding in findings if finding.measure == measure]
        if len(measures) == len(findings):
            names = [Cell(headed(measure), "" if same[0].what == "student" else same[0].what)]
        else:
            rows.append((Cell(headed(measure)),))
            names = [_named(finding) for finding in same]
        numbers = [[cell for cell, wanted in zip(_numbers(finding, known), shown.values(), strict=True) if wanted]
                   for finding in same]  # fmt: skip
        rows += [(name, *row) for name, row in zip(names, numbers, strict=True)]
    columns = cells("", *(title for title, wanted in shown.items() if wanted))
    return Table(columns, tuple(rows), f"{INTERVALS} {note}".strip(), headline=True)


def _named(finding: Finding) -> Cell:
    return Cell(finding.what, finding.role if finding.role in UNTAUGHT and finding.role not in finding.what else "")


def _numbers(finding: Finding, known: str) -> tuple[Cell, ...]:
    counted = Cell(finding.counted, "" if finding.trusted else "too few to trust")
    return finding.ours, counted, finding.theirs, _verdict(finding, known)


def _verdict(finding: Finding, known: str) -> Cell:
    """Return a verdict in its colour; a reason stands beside it, more quietly."""
    word, because, reason = finding.verdict.partition(" because ")
    aside = f"{because}{reason}".strip() if reason != known else ""
    return Cell(word, aside, marked=word.startswith("missed"), good=word == "met")


def facts_of(run: Run) -> list[str]:
    """Return the line below a title: kind, game and board, students, cost, version."""
    about = about_of(run.experiment)
    board = f"{about['game']} {about.get('size', '')}".strip().replace("_", " ") if about.get("game") else ""
    facts = [
        str(about.get("kind", USUAL["kind"])) if about else "",
        board,
        str(about.get("study", "")),
        write_cost(run.cost),
    ]
    version = str(run.cost.get("understudy", ""))
    return [fact for fact in (*facts, f"Understudy {version}" if version else "") if fact]


def write_cost(cost: Mapping[str, Any]) -> str:
    """Return what a run took by the clock; nothing where nobody measured it."""
    steps = [step for step in cost.get("steps", {}).values() if isinstance(step, Mapping)]
    if not steps:
        return ""
    return lasting(sum(float(step.get("wall_seconds", 0.0)) for step in steps))
