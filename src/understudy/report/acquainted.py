"""Members of a stable whom a student knows from its records: they grade less than strangers do, so it is said."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TypeAlias

from understudy.errors import UnderstudyError
from understudy.games import CompiledGame
from understudy.players import read_player
from understudy.players.names import split_options
from understudy.records.sources import SELF, Watched, read_source, write_source
from understudy.records.store import count_sources
from understudy.report.boards import game_of
from understudy.report.sources import Run

RECORDS = "records.parquet"
"""What the records of a run folder are called."""
TABLES = "tables"
"""The option of a search that changes nothing before an endgame."""
Described: TypeAlias = tuple[str, frozenset[tuple[str, str]]]
"""A player's name, and those of its options that are not as they are if nobody says anything."""


def tell_acquainted(run: Run) -> list[str]:
    """Return a sentence for each member of the stable that taught the student, or that its teacher was watched with."""
    stable = run.gaming.get("stable") or {}
    if not stable:
        return []
    game, met = game_of(run), _list_watched(run)
    members = {_describe(text, game): f"{name} ({text})" for name, text in stable.items()}
    watched = [_describe(one.teacher, game) for one in met if one.teacher]
    teachers = _list_members(watched, members)
    opponents = _list_members((_describe(one.opponent, game) for one in met), members)
    alike = {_without_tables(one) for one in watched}
    near = [name for key, name in members.items() if _without_tables(key) in alike and name not in teachers]
    grades = "is a member of the stable that grades the student here, and"
    return [
        *(f"{name} {grades} was its teacher." for name in teachers),
        *(f"{name} {grades} plays as its teacher did but for endgame tables." for name in near),
        *(f"{name} {grades} played its teacher in the records." for name in opponents if name not in teachers + near),
    ]


def _list_watched(run: Run) -> list[Watched]:
    """Return who made the records: by their own sources, and by what the experiment asked for."""
    sources = [*_list_sources(run)]
    plan = run.experiment.get("watch")
    if isinstance(plan, Mapping) and plan.get("teacher"):
        opponents = plan.get("opponents") or [SELF]
        sources += [write_source("watched", str(plan["teacher"]), "", str(opponent)) for opponent in opponents]
    return [read_source(str(source)) for source in sources]


def _list_sources(run: Run) -> Iterable[str]:
    """Return the sources that the analysis tells; folders of before do not, so their records are asked."""
    told: Iterable[str] | None = run.analysis.get("sources")
    path = run.folder / RECORDS
    return told if told is not None else count_sources(path) if path.is_file() else ()


def _list_members(players: Iterable[Described], members: Mapping[Described, str]) -> list[str]:
    """Return the members among some players, each once."""
    return list(dict.fromkeys(members[player] for player in players if player in members))


def _without_tables(player: Described) -> Described:
    return player[0], frozenset(option for option in player[1] if option[0] != TABLES)


def _describe(player: str, game: CompiledGame | None) -> Described:
    """Return what a player is, in whatever words: options in any order, those left out that say what is usual."""
    try:
        return _settle(player, game) if game is not None else _read(player)
    except UnderstudyError:  # somebody that another program knew, or a file that is not here any more
        return player, frozenset()


def _settle(player: str, game: CompiledGame) -> Described:
    name, options = read_player(player, game)
    usual = vars(type(options)())
    chosen = {key: value for key, value in vars(options).items() if value != usual[key]}
    if chosen.get("evaluator") == game.kind.usual_evaluator:
        del chosen["evaluator"]
    return name, frozenset((key, str(value)) for key, value in chosen.items())


def _read(player: str) -> Described:
    name, options = split_options(player)
    return name, frozenset(options.items())
