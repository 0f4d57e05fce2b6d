"""Watching: a teacher plays, and what it chose is kept.

The work is cut into tasks by the plan alone, so that any number of workers keeps the same records. Each finished task
is a file of its own; who is killed and started again goes on with the tasks that have none.
"""

from __future__ import annotations

import dataclasses
import hashlib
import json
from collections.abc import Callable, Iterator
from contextlib import nullcontext
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple, Protocol, cast

import numpy as np

from understudy.config import LARGEST, check_range, read_threads
from understudy.errors import BadOption, FileError
from understudy.files import make_folder
from understudy.games import CompiledGame, find_game
from understudy.games.batches import stacked
from understudy.locks import locked
from understudy.match import Opening, Played, Terms, play_games, random_openings
from understudy.players import close, make_player, prepare
from understudy.protocols import Backend, Choice, Move, Player
from understudy.records.columns import nothing
from understudy.records.examples import distinct
from understudy.records.sources import SELF, write_source
from understudy.records.starts import draw_starts, start_kinds
from understudy.records.store import UNKNOWN, Records, joined, load, load_notes, save
from understudy.records.weighed import make_weighed

KINDS = ("regular", "custom", "random", "endgames")
"""Of starts. The place of a kind is part of the seed of its games: another order would play others."""
GAMES = 32
"""Games of a task, played in step."""
MOST_WEIGHED = 256
"""Moves of a position that are kept with their worth: no position of our games has more that anybody would miss."""
ROWS = "rows"
"""What notes say of how many records were written."""
MOST_GAMES = 10**8
"""Of a kind: the list of their tasks still fits into the memory."""


@dataclass(frozen=True, kw_only=True)
class Watch:
    """Who is watched, against whom, in how many games from which starts."""

    teacher: str = "searcher:nodes=20000"
    apprentice: str = ""
    """Who plays in the teacher's place, if anybody: the teacher then tells what it would have chosen there instead."""
    opponents: tuple[str, ...] = (SELF, "searcher:nodes=2000", "random")
    """They share the games of each kind evenly; `self` is the teacher, and then both sides are watched."""
    regular: int = 100
    """Games from the start after random plies."""
    custom: int = 0
    """Games from unequal starts; the teacher has either side of each."""
    random: int = 0
    """Games from random starts."""
    endgames: int = 0
    """Games from endgames whose truth is known, in which it matters what is chosen; none of those kept for exams."""
    opening_plies: int = 2
    ply_limit: int = 100
    seed: int = 0
    weighed: int = 0
    """So many moves are kept with what each is worth to the teacher, the best first; 0: its choice alone."""

    @property
    def games(self) -> int:
        """How many games are watched."""
        return sum(int(getattr(self, kind)) for kind in KINDS)

    def __post_init__(self) -> None:
        for name, low, high in (
            *((kind, 0, MOST_GAMES) for kind in KINDS), ("opening_plies", 0, 1000), ("ply_limit", 1, 1 << 31),
            ("seed", 0, LARGEST - 1), ("weighed", 0, MOST_WEIGHED),
        ):  # fmt: skip
            check_range(f"watch: {name}", getattr(self, name), low, high)


@dataclass(frozen=True, kw_only=True)
class WatchTask:
    """Some games of one kind against one opponent: names and numbers only, so that any worker can play it."""

    game: str
    size: tuple[int, int]
    switches: tuple[tuple[str, str], ...]
    plan: Watch
    kind: str
    opponent: int
    """Its place in the plan."""
    first: int
    """Number of the first game among those of its kind and opponent."""
    games: int
    number: int
    """Number of the first game among all."""


def watch(
    game: CompiledGame,
    plan: Watch,
    folder: Path,
    *,
    backend: Backend,
    progress: Callable[[int], None] = lambda games: None,
    enough: Callable[[], bool] = lambda: False,
) -> Records:
    """Play what *plan* asks for, or what is left of it, and return what was kept; *progress* hears of played games.

    As soon as there is *enough*, what was played by then is all: some games of every kind against every opponent.
    """
    whole = folder / "records.parquet"
    with locked(whole) if folder.is_dir() else nullcontext():  # whoever comes second hears of it first
        check_watch(game, plan)
    make_folder(folder / "records")
    with locked(whole):
        tasks = list(watch_tasks(game, plan))
        name = fingerprint(game, plan)
        shards = [folder / "records" / f"{place:05}.parquet" for place in range(len(tasks))]
        if whole.exists():
            _check_plan(whole, name)
            progress(sum(task.games for task in tasks))
        else:
            places = _play(tasks, shards, name, backend=backend, progress=progress, enough=enough)
            records = distinct(joined([_load_shard(shards[place]) for place in places], renumber=False))
            save(records, whole, notes={"plan": name, ROWS: str(len(records))})
        kept = _load_shard(whole)
        _clear(folder / "records", shards)  # once all of it is seen to be there
        return kept


def watch_tasks(game: CompiledGame, plan: Watch) -> Iterator[WatchTask]:
    """Cut a plan into tasks, by what it says alone."""
    number = 0
    for kind in KINDS:
        for place in range(len(plan.opponents)):
            shared, more = divmod(getattr(plan, kind), len(plan.opponents))
            share = shared + (place < more)
            for first in range(0, share, GAMES):
                games = min(GAMES, share - first)
                yield WatchTask(
                    game=game.name,
                    size=game.size,
                    switches=game.switches,
                    plan=plan,
                    kind=kind,
                    opponent=place,
                    first=first,
                    games=games,
                    number=number,
                )
                number += games


def watch_task(task: WatchTask) -> Records:
    """Play the games of one task with players made for it alone, and return what the teacher chose."""
    game, plan = find_game(task.game, task.size, dict(task.switches)), task.plan
    opponent = plan.opponents[task.opponent]
    leader = plan.apprentice or plan.teacher
    names = (leader, leader if opponent == SELF else opponent, plan.teacher)
    key = [plan.seed, KINDS.index(task.kind), task.opponent, task.first]
    players = [make_player(text, game, seed=[*key, side]) for side, text in enumerate(names)]
    openings = _openings(game, task)
    try:
        for player in players:
            prepare(player)
        played = play_games(game, (players[0], players[1]), openings, Terms(ply_limit=plan.ply_limit))
        rows = [
            row
            for place, (one, (_, swapped)) in enumerate(zip(played, openings, strict=True))
            for row in keep_choices(
                game, one, number=task.number + place, side=None if opponent == SELF else int(swapped)
            )
        ]
        if plan.weighed:
            rows = weigh(cast(Weigher, players[2]), rows, corrected=bool(plan.apprentice))
        elif plan.apprentice:
            rows = correct(players[2], rows)
    finally:
        for player in players:
            close(player)
    source = write_source(task.kind, plan.teacher, plan.apprentice, opponent)
    return records_of(game, rows, source, weighed=plan.weighed)


def _play(
    tasks: list[WatchTask],
    shards: list[Path],
    name: str,
    *,
    backend: Backend,
    progress: Callable[[int], None],
    enough: Callable[[], bool],
) -> list[int]:
    """Play the tasks that have no file yet, and give them one; return which have one in the end.

    The first of every opponent come first.
    """
    done = [place for place, shard in enumerate(shards) if _done(shard, name)]
    left = sorted({*range(len(tasks))} - {*done}, key=lambda place: (tasks[place].first, place))
    progress(sum(tasks[place].games for place in done))
    if enough() and done:
        return done
    for place, records in zip(left, backend.map(watch_task, [tasks[place] for place in left]), strict=True):
        save(records, shards[place], notes={"plan": name, ROWS: str(len(records))})
        done.append(place)
        progress(tasks[place].games)
        if enough():
            break
    return sorted(done)


def fingerprint(game: CompiledGame, plan: Watch) -> str:
    """Return a name for what would be watched: other plans have others."""
    settings = {name: value for name, value in dataclasses.asdict(plan).items() if value != ""}
    for name in ("endgames", "weighed"):
        if not settings[name]:  # older records were watched by plans that did not know of it
            del settings[name]
    facts = [game.name, game.size, game.switches, settings, GAMES]
    return hashlib.sha256(json.dumps(facts, sort_keys=True).encode()).hexdigest()[:16]


def _openings(game: CompiledGame, task: WatchTask) -> list[tuple[Opening, bool]]:
    """Return where the games start; all but those against itself the teacher plays with both colours."""
    alone = task.plan.opponents[task.opponent] == SELF
    numbers = range(task.first, task.first + task.games)
    return [
        (_opening(game, task, number if alone else number // 2), not alone and number % 2 == 1) for number in numbers
    ]


def _opening(game: CompiledGame, task: WatchTask, number: int) -> Opening:
    rng = np.random.default_rng([task.plan.seed, 0x57A7, KINDS.index(task.kind), task.opponent, number])
    if task.kind != "regular":
        return Opening(start=draw_starts(game, task.kind, 1, rng)[0])
    # The first of two openings is the start itself.
    return random_openings(game, 2, plies=task.plan.opening_plies, rng=rng)[min(number, 1)]


def check_watch(game: CompiledGame, plan: Watch) -> None:
    """Raise before anything is played if the plan cannot be carried out."""
    read_threads()  # of students that play, which workers load
    if not plan.opponents or plan.games == 0:
        raise BadOption("watch: there is nothing to watch without opponents and games")
    for kind in KINDS[1:]:
        if getattr(plan, kind) and kind not in start_kinds(game):
            raise BadOption(f"watch: {game.name} has no {kind} starts; {kind} must be 0")
    for name in {plan.teacher, plan.apprentice, *plan.opponents} - {SELF, ""}:
        player = make_player(name, game)
        close(player)
        if plan.weighed and name == plan.teacher and not hasattr(player, "weigh_moves"):
            raise BadOption(f"watch: weighed = {plan.weighed}, but the teacher {name!r} tells no move's worth")


def _check_plan(path: Path, name: str) -> None:
    if load_notes(path)["notes"].get("plan") != name:
        raise FileError(f"{path} holds records of another plan; choose another folder, or delete it first")


def _done(shard: Path, name: str) -> bool:
    """Tell whether a task was played before; what a crash left behind is played again."""
    if not shard.exists():
        return False
    try:
        _load_shard(shard)
    except FileError:
        return False
    _check_plan(shard, name)
    return True


def _load_shard(path: Path) -> Records:
    """Return the records of a file; as many must be there as were written, if that is noted."""
    records, wanted = load(path), load_notes(path)["notes"].get(ROWS)
    if wanted not in (None, str(len(records))):
        raise FileError(f"{str(path)!r} has {len(records)} records, not {wanted}; delete it to watch these again")
    return records


def _clear(folder: Path, shards: list[Path]) -> None:
    """Remove the files of tasks, with what a kill left half written."""
    for path in [*shards, *folder.glob(".*.tmp")]:
        path.unlink(missing_ok=True)
    if folder.is_dir() and not any(folder.iterdir()):
        folder.rmdir()


class Weigher(Protocol):
    """A teacher that can be asked about every move."""

    def weigh_moves(self, position: Any) -> dict[Move, float]:
        """Return what every move is worth to the side that moves, from -1 to 1, the best first."""
        ...


class Row(NamedTuple):
    """One choice of a watched player."""

    position: Any
    move: Move
    value: float
    result: int
    game: int
    worths: tuple[tuple[Move, float], ...] = ()
    """Moves with what each is worth to the teacher, the best first."""


def keep_choices(game: CompiledGame, played: Played, *, number: int, side: int | None) -> list[Row]:
    """Return what the player of the even (0) or odd (1) plies chose in a game, or both players; given moves are not."""
    position = game.start() if played.start is None else played.start
    rows = []
    for place, (move, value) in enumerate(zip(played.moves, played.values, strict=True)):
        if place >= played.opening and side in (None, position.ply % 2):
            sign = 1 if position.ply % 2 == 0 else -1
            rows.append(Row(position, move, np.nan if value is None else value, sign * played.result, number))
        position = game.play(position, move)
    # Who broke down or broke the rules has lost, but that says nothing about the positions.
    sound = played.result == 0 or game.outcome(position) is not None
    return rows if sound else [row._replace(result=UNKNOWN) for row in rows]


def correct(teacher: Player, rows: list[Row]) -> list[Row]:
    """Return the same positions with what *teacher* would have chosen; how the games ended tells nothing about that."""
    choices = teacher.choose([row.position for row in rows]) if rows else []
    answers = [
        row._replace(move=choice.move, value=_value(choice), result=UNKNOWN)
        for row, choice in zip(rows, choices, strict=True)
    ]
    return [row for row, choice in zip(answers, choices, strict=True) if choice.fault is None]


def weigh(teacher: Weigher, rows: list[Row], *, corrected: bool) -> list[Row]:
    """Return the same positions with what *teacher* thinks of every move; the best is what it would have chosen.

    Where the rows are *corrected* somebody else has played, and how the games ended tells nothing about the choices.
    """
    answers = []
    for row in rows:
        worths = tuple(teacher.weigh_moves(row.position).items())
        move, value = worths[0]
        result = UNKNOWN if corrected else row.result
        answers.append(row._replace(move=move, value=value, result=result, worths=worths))
    return answers


def _value(choice: Choice) -> float:
    return float("nan") if choice.value is None else choice.value


def records_of(game: CompiledGame, rows: list[Row], source: str, *, weighed: int = 0) -> Records:
    """Return choices as records that come from *source*, with the worth of so many moves."""
    positions = stacked([row.position for row in rows]) if rows else nothing(game)
    return Records(
        game=game,
        positions=positions,
        moves=np.array([row.move for row in rows], np.int32),
        values=np.array([row.value for row in rows], np.float32),
        results=np.array([row.result for row in rows], np.int8),
        games=np.array([row.game for row in rows], np.int64),
        plies=np.asarray(positions.ply, np.int32),
        sources=np.full(len(rows), source),
        weighed=make_weighed([row.worths for row in rows], weighed) if weighed else None,
    )
