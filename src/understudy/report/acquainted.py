"""Members of a stable whom a student knows from its records: they grade less than strangers do, so it is said."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from understudy.records.sources import SELF, Watched, read_source, write_source
from understudy.report.sources import Run


def tell_acquainted(run: Run) -> list[str]:
    """Return a sentence for each member of the stable that taught the student, or that its teacher was watched with."""
    members = {_describe(text): f"{name} ({text})" for name, text in (run.gaming.get("stable") or {}).items()}
    met = _list_watched(run)
    teachers = _list_members((one.teacher for one in met), members)
    opponents = _list_members((one.opponent for one in met), members)
    return [
        *(f"{name} is a member of the stable that grades the student here, and was its teacher." for name in teachers),
        *(
            f"{name} is a member of the stable that grades the student here, and played its teacher in the records."
            for name in opponents
            if name not in teachers
        ),
    ]


def _list_watched(run: Run) -> list[Watched]:
    """Return who made the records: by their own sources, and by what the experiment asked for."""
    sources = [*(run.analysis.get("sources") or {})]
    plan = run.experiment.get("watch")
    if isinstance(plan, Mapping) and plan.get("teacher"):
        opponents = plan.get("opponents") or [SELF]
        sources += [write_source("watched", str(plan["teacher"]), "", str(opponent)) for opponent in opponents]
    return [read_source(str(source)) for source in sources]


def _list_members(players: Iterable[str], members: dict[tuple[str, ...], str]) -> list[str]:
    """Return the members among some players, each once."""
    return list(dict.fromkeys(members[key] for text in players if (key := _describe(text)) in members))


def _describe(player: str) -> tuple[str, ...]:
    """Return a player's name and options, in whatever order they were written."""
    name, _, options = str(player).partition(":")
    return (name, *sorted(option.strip() for option in options.split(",")))
