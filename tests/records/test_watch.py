"""What a teacher chose is kept: once, completely, and whatever interrupts the watching."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from test_store import assert_same

import understudy.players as players
from understudy.backends import Local
from understudy.errors import BadOption, FileError, UnknownName
from understudy.games import CompiledGame, find_game, find_kind, game_names
from understudy.games.batches import unstacked
from understudy.match import Opening, Played, Terms, play_games
from understudy.players.basic import NoOptions
from understudy.players.names import PlayerKind
from understudy.protocols import Choice
from understudy.records import UNKNOWN, load, save
from understudy.records.examples import orbit_names
from understudy.records.watch import Watch, keep_choices, watch, watch_task, watch_tasks

MORRIS = find_game("morris")
PLAN = Watch(
    teacher="searcher:depth=1",
    opponents=("self", "random"),
    regular=8,
    custom=66,
    random=8,
    opening_plies=3,
    ply_limit=16,
    seed=5,
)


class Killed(BaseException):
    """Stands for a kill."""


class Mortal:
    """A backend that is killed after some tasks."""

    def __init__(self, tasks: int) -> None:
        self.tasks = tasks

    def map(self, task: Callable[[Any], Any], items: Iterable[Any]) -> Iterator[Any]:
        for place, item in enumerate(items):
            if place == self.tasks:
                raise Killed
            yield task(item)


class Counted:
    """A backend that counts its tasks."""

    def __init__(self) -> None:
        self.tasks = 0

    def map(self, task: Callable[[Any], Any], items: Iterable[Any]) -> Iterator[Any]:
        for item in items:
            self.tasks += 1
            yield task(item)


def test_any_number_of_workers_keeps_the_same_records(tmp_path: Path) -> None:
    heard: list[int] = []
    one = watch(MORRIS, PLAN, tmp_path / "one", backend=Local(1), progress=heard.append)
    three = watch(MORRIS, PLAN, tmp_path / "three", backend=Local(3))
    assert_same(one, three)
    assert sum(heard) == 82
    assert [path.name for path in (tmp_path / "one").rglob("*")] == ["records.parquet"]
    assert_same(load(tmp_path / "one" / "records.parquet"), one)


def test_what_is_kept(tmp_path: Path) -> None:
    records = watch(MORRIS, PLAN, tmp_path, backend=Local(2))
    assert len(set(orbit_names(MORRIS, records.positions).tolist())) == len(records)
    expected = {f"{k} searcher:depth=1 v {o}" for k in ("regular", "custom", "random") for o in ("self", "random")}
    assert set(records.sources.tolist()) == expected
    for position, move in zip(unstacked(records.positions), records.moves.tolist(), strict=True):
        assert move in MORRIS.moves(position)
    assert not np.isnan(records.values).any()
    assert set(records.results.tolist()) <= {-1, 0, 1}
    assert records.plies.tolist() == records.positions.ply.tolist()
    assert set(records.games.tolist()) <= set(range(82))


def test_the_teacher_alone_is_watched_and_plays_both_colours() -> None:
    task = next(task for task in watch_tasks(MORRIS, PLAN) if task.kind == "regular" and task.opponent == 1)
    records = watch_task(task)
    for game in np.unique(records.games):
        assert len(set((records.plies[records.games == game] % 2).tolist())) == 1
    assert set((records.plies % 2).tolist()) == {0, 1}
    against_itself = watch_task(next(watch_tasks(MORRIS, PLAN)))
    first = against_itself.plies[against_itself.games == 0].tolist()
    assert first == list(range(len(first)))
    third = against_itself.plies[against_itself.games == 2].tolist()
    assert third[0] == 3  # the opening's plies were given, not chosen


def test_tasks_depend_on_the_plan_alone() -> None:
    tasks = list(watch_tasks(MORRIS, PLAN))
    assert sum(task.games for task in tasks) == 82
    assert [task.number for task in tasks] == np.cumsum([0, *(task.games for task in tasks[:-1])]).tolist()
    assert_same(watch_task(tasks[3]), watch_task(tasks[3]))
    other = watch_task(replace(tasks[3], plan=replace(PLAN, seed=6)))
    assert other.positions.mine.tolist() != watch_task(tasks[3]).positions.mine.tolist()


def test_who_is_killed_goes_on(tmp_path: Path) -> None:
    whole = watch(MORRIS, PLAN, tmp_path / "whole", backend=Local(2))
    tasks = len(list(watch_tasks(MORRIS, PLAN)))
    folder = tmp_path / "killed"
    for survived in (2, 0, 1):
        with pytest.raises(Killed):
            watch(MORRIS, PLAN, folder, backend=Mortal(survived))
    assert sorted(path.name for path in (folder / "records").iterdir()) == [f"0000{n}.parquet" for n in range(3)]
    (folder / "records" / "00001.parquet").write_bytes(b"PAR1 half a file")  # as a crash would leave it
    (folder / "records" / ".00003.parquet.77.tmp").write_bytes(b"half")
    counted, heard = Counted(), []  # type: ignore[var-annotated]
    assert_same(watch(MORRIS, PLAN, folder, backend=counted, progress=heard.append), whole)
    assert counted.tasks == tasks - 2
    assert sum(heard) == 82
    assert [path.name for path in folder.rglob("*")] == ["records.parquet"]
    again = Counted()
    assert_same(watch(MORRIS, PLAN, folder, backend=again), whole)
    assert again.tasks == 0


def test_a_kill_before_the_shards_are_removed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def killed(*_: Any) -> None:
        raise Killed

    with monkeypatch.context() as patch:
        patch.setattr("understudy.records.watch._clear", killed)
        with pytest.raises(Killed):
            watch(MORRIS, PLAN, tmp_path, backend=Local(1))
    assert (tmp_path / "records").exists()
    watch(MORRIS, PLAN, tmp_path, backend=Mortal(0))
    assert [path.name for path in tmp_path.rglob("*")] == ["records.parquet"]


def test_records_of_another_plan_are_left_alone(tmp_path: Path) -> None:
    with pytest.raises(Killed):
        watch(MORRIS, PLAN, tmp_path, backend=Mortal(1))
    with pytest.raises(FileError, match=r"00000.parquet holds records of another plan"):
        watch(MORRIS, replace(PLAN, seed=9), tmp_path, backend=Local(1))
    records = watch(MORRIS, PLAN, tmp_path, backend=Local(1))
    with pytest.raises(FileError, match=r"records.parquet holds records of another plan"):
        watch(MORRIS, replace(PLAN, ply_limit=9), tmp_path, backend=Local(1))
    save(records, tmp_path / "records.parquet")
    with pytest.raises(FileError, match="another plan"):
        watch(MORRIS, PLAN, tmp_path, backend=Local(1))


def test_every_game_can_be_watched(tmp_path: Path) -> None:
    for name, size in (("konane", (4, 4)), ("lines_of_action", (5, 5)), ("chess", None)):
        game = find_game(name, size)
        plan = Watch(teacher="searcher:depth=1", opponents=("random",), regular=4, opening_plies=2, ply_limit=10)
        records = watch(game, plan, tmp_path / name, backend=Local(2))
        assert len(records) > 4
        assert len(set(orbit_names(game, records.positions).tolist())) == len(records)


@pytest.mark.parametrize(
    ("plan", "message"),
    [
        ({"regular": -1}, "regular must be from 0"),
        ({"regular": 0}, "nothing to watch"),
        ({"opponents": ()}, "nothing to watch"),
        ({"ply_limit": 0}, "ply_limit must be from 1"),
        ({"custom": 1}, "konane has no custom starts; custom must be 0"),
        ({"random": 1}, "konane has no random starts; random must be 0"),
    ],
)
def test_plans_that_cannot_be_carried_out(plan: dict[str, Any], message: str, tmp_path: Path) -> None:
    with pytest.raises(BadOption, match=message):
        watch(find_game("konane"), Watch(**plan), tmp_path, backend=Local(1))
    assert list(tmp_path.iterdir()) == []


def test_unknown_players_are_refused_before_anything_is_played(tmp_path: Path) -> None:
    for plan in (Watch(teacher="sercher"), Watch(opponents=("self", "sercher"))):
        with pytest.raises(UnknownName, match="did you mean 'searcher'"):
            watch(MORRIS, plan, tmp_path, backend=Local(1))


class Failing:
    """A teacher that plays first moves and breaks down in the end."""

    def __init__(self, game: CompiledGame, options: NoOptions, *, name: str, rng: np.random.Generator) -> None:
        self.name, self.game = name, game

    def choose(self, positions: Sequence[Any], histories: Any = None) -> list[Choice]:
        return [
            Choice(-1, fault="engine crash") if position.ply >= 6 else Choice(self.game.moves(position)[0])
            for position in positions
        ]


FAILING = PlayerKind(Failing, NoOptions)


def test_games_that_end_by_a_fault_leave_their_records(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(players.PLAYERS, "failing", f"{__name__}:FAILING")
    plan = Watch(teacher="failing", opponents=("random",), regular=4, opening_plies=0)
    records = watch(MORRIS, plan, tmp_path, backend=Local(1))
    assert records.plies.max() == 5
    assert (records.results == UNKNOWN).all()
    assert np.isnan(records.values).all()


def test_a_full_disk_stops_the_watching(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: Any, **__: Any) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("pyarrow.parquet.ParquetWriter.write_table", full)
    with pytest.raises(FileError, match="No space left"):
        watch(MORRIS, PLAN, tmp_path, backend=Local(2))
    assert list((tmp_path / "records").iterdir()) == []
    (tmp_path / "file").write_text("")
    with pytest.raises(FileError, match=r"cannot make the folder .*: Not a directory"):
        watch(MORRIS, PLAN, tmp_path / "file", backend=Local(1))


def test_results_are_seen_by_the_side_to_move() -> None:
    opening = Opening(start=MORRIS.read("MMOMOOOOOOOOOOOOOOOEEEOO0033"))
    teacher = players.make_player("searcher:depth=2", MORRIS), players.make_player("searcher:depth=2", MORRIS)
    played = play_games(MORRIS, teacher, [(opening, False)], Terms(ply_limit=20))[0]
    assert (played.result, played.reason, len(played.moves)) == (1, "removing", 1)
    assert played.start == opening.start
    assert played.values == (1.0,)
    rows = keep_choices(MORRIS, played, number=7, side=None)
    assert [(row.position, row.result, row.value, row.game) for row in rows] == [(opening.start, 1, 1.0, 7)]
    assert keep_choices(MORRIS, played, number=7, side=1) == []
    silent = Played(played.moves, 0, 1, "removing", opening.start, (None,))
    assert np.isnan(keep_choices(MORRIS, silent, number=0, side=0)[0].value)
    odd = Opening(start=opening.start._replace(ply=19))
    played = play_games(MORRIS, teacher, [(odd, False)], Terms(ply_limit=20))[0]
    assert played.result == -1  # the side of the odd plies has won
    assert [row.result for row in keep_choices(MORRIS, played, number=0, side=1)] == [1]


@pytest.mark.parametrize("name", game_names())
def test_how_a_game_is_watched_unless_told_otherwise_is_a_plan(name: str) -> None:
    assert replace(Watch(), **find_kind(name).watching).regular == Watch().regular
