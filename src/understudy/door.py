"""The door: the few functions that a notebook or a script needs. `import understudy as us` has them all.

Each has a default for everything that has a sensible one, and imports what it needs when it is called.
"""

from __future__ import annotations

import contextlib
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from understudy.errors import BadOption
from understudy.faces import Game, Player
from understudy.results import Match, Records, Run, Tournament, Verdicts

if TYPE_CHECKING:
    from understudy.lab.experiments import Listed
    from understudy.protocols import Backend

Size = int | str | tuple[int, int]
"""6, "6x5" or (6, 5): rows and columns."""
PAUSE = 0.2
"""Seconds between two lines of progress in a notebook: people read no faster."""


def games() -> list[str]:
    """Return the names of all games.

    >>> import understudy as us
    >>> us.games()[:4]
    ['morris', 'konane', 'lines_of_action', 'chess']
    """
    from understudy.games import game_names

    return game_names()


def game(name: str, size: Size | None = None, **rules: str) -> Game:
    """Return a game, on a board of another size than the usual one if *size* is given, with *rules* switched.

    >>> import understudy as us
    >>> konane = us.game("konane", size=4)
    >>> konane.start()
    4 O X O X
    3 X O X O
    2 O X O X
    1 X O X O
      a b c d
    black to move
    WBWB/BWBW/WBWB/BWBW B
    >>> konane.start().play("a1", "b1").moves
    [a3-a1]
    """
    from understudy.games import find_game

    return Game(find_game(name, _read_size(size), rules))


def player(name: str, game: Game | str, *, seed: int = 0) -> Player:
    """Return a player of *game*, named as on the command line; all its randomness comes from *seed*.

    >>> import understudy as us
    >>> morris = us.game("morris")
    >>> student = us.player("student:morris", morris)
    >>> thought = student.think(morris.start())
    >>> thought.kind, [part.part for part in thought.parts]
    ('probability', ['from', 'to', 'remove'])
    >>> student.choose(morris.start()) in morris.start().moves
    True
    """
    return Player(name, _game(game), seed=seed)


def match(
    game: Game | str,
    first: str | Player,
    second: str | Player,
    *,
    games: int = 10,
    seed: int = 0,
    opening_plies: int | None = None,
    ply_limit: int | None = None,
    repetition: int | None = None,
    move_seconds: float | None = None,
    backend: Backend | None = None,
    progress: bool | None = None,
) -> Match:
    """Let two players play; both colours of each opening, so that an even number of games is fair.

    Games begin with a few random plies, each game's own number unless *opening_plies* says another. *progress* shows a
    bar; unless told, in a terminal and in a notebook.

    >>> import understudy as us
    >>> us.match("morris", "searcher:depth=2", "random", games=4)
    searcher:depth=2 - random: 4 wins, 0 draws, 0 losses
    100.0% of the points, 95 % interval 51.0% to 100.0%, Elo difference +∞ (+7 to +∞)
    4 games, 4 different; from 2 different pairs: too few to trust
    ended by removing (2), suffocating (2)
    """
    from understudy.judges.tournament import play_match

    face, names = _game(game), (_name(first), _name(second))
    terms = {"ply_limit": ply_limit, "repetition": repetition, "move_seconds": move_seconds}
    settings = _settings(face, names, seed, opening_plies, terms, backend)
    with _counting(games, " - ".join(names), show=progress) as count:
        return Match(face, play_match(face.compiled, names, games=games, progress=count, **settings))


def tournament(
    game: Game | str,
    players: Sequence[str | Player],
    *,
    games: int = 10,
    seed: int = 0,
    opening_plies: int | None = None,
    ply_limit: int | None = None,
    repetition: int | None = None,
    move_seconds: float | None = None,
    backend: Backend | None = None,
    progress: bool | None = None,
) -> Tournament:
    """Let every player meet every other in *games* games; the table has Elo ratings.

    >>> import understudy as us
    >>> table = us.tournament(us.game("konane", size=4), ["perfect", "random"], games=20)
    >>> [row["player"] for row in table.table]
    ['perfect', 'random']
    """
    from understudy.judges.tournament import round_robin

    face, names = _game(game), tuple(map(_name, players))
    if len(names) < 2:
        raise BadOption(f"a tournament needs at least two players, not {len(names)}")
    terms = {"ply_limit": ply_limit, "repetition": repetition, "move_seconds": move_seconds}
    settings = _settings(face, names, seed, opening_plies, terms, backend)
    with _counting(games * len(names) * (len(names) - 1) // 2, face.title, show=progress) as count:
        return Tournament(face, round_robin(face.compiled, names, games=games, progress=count, **settings))


def experiments() -> list[Listed]:
    """Return the experiments that ship, with what is known of each.

    >>> import understudy as us
    >>> any(one.name == "konane_4x4" and one.quick for one in us.experiments())
    True
    """
    from understudy.lab.experiments import list_experiments

    return list(list_experiments())


def run(
    experiment: str | Path,
    *,
    quick: bool = False,
    folder: str | Path | None = None,
    changes: Sequence[str] = (),
    backend: Backend | None = None,
    progress: bool | None = None,
) -> Run:
    """Do an experiment that ships, or one of a TOML file: watch, learn, judge, report.

    *quick* takes its short form, *changes* are written as for `--set`: `["training.epochs=2"]`. It is kept in *folder*,
    `runs/NAME` unless told; one that was stopped goes on where it was, one that is done is not done again.

    >>> import understudy as us
    >>> done = us.run("konane_4x4", quick=True, folder=getfixture("tmp_path"))     # doctest: +SKIP
    >>> done.student.choose(us.game("konane", size=4).start())                     # doctest: +SKIP
    a1
    """
    from understudy import lab
    from understudy.lab.experiments import find_experiment, load_experiment
    from understudy.lab.run import LOCAL

    loaded = load_experiment(find_experiment(str(experiment)), tuple(changes), quick=quick)
    place = Path("runs") / loaded.name if folder is None else Path(folder)
    with _showing(show=progress) as show:
        lab.run(loaded, place, show=show, backend=backend or LOCAL)
    return Run(loaded, place)


def load_records(path: str | Path) -> Records:
    """Return the records of a Parquet file, or of a text file in a form that some game has.

    >>> import understudy as us
    >>> records = us.load_records("runs/morris_quick/records.parquet")            # doctest: +SKIP
    >>> records.to_pandas()                                                       # doctest: +SKIP
    """
    from understudy.records.store import load_any

    return Records(load_any(Path(path))[0])


def judge(
    player: str | Player | Sequence[str | Player],
    records: Records | str | Path | None = None,
    *,
    judges: Sequence[str] = (),
    game: Game | str | None = None,
    limit: int | None = None,
    split: str = "all",
    part: str | None = None,
    seed: int = 0,
) -> Verdicts:
    """Grade players on records, or without records against perfect play on a board that can be solved.

    >>> import understudy as us
    >>> verdict = us.judge("random", game=us.game("konane", size=4), limit=200)
    >>> 0.2 < verdict["random"]["value_kept"].value < 1.0
    True
    """
    from understudy.judges.students import JUDGES, choose_examples, grade
    from understudy.players import close, make_player

    names = [_name(one) for one in ([player] if isinstance(player, str | Player) else player)]
    if records is None:
        return _judge_truth(names, judges, game, limit, seed)
    rows = (records if isinstance(records, Records) else load_records(records)).rows
    if game is not None and _game(game).compiled is not rows.game:
        raise BadOption(f"these are records of {Game(rows.game)!r}, not of {_game(game)!r}")
    made = [make_player(name, rows.game) for name in names]
    examples = choose_examples(rows, split=split, part=part, seed=seed, limit=limit)
    verdicts = {one.name: grade(one, rows.game, examples, judges=judges or tuple(JUDGES)) for one in made}
    for one in made:
        close(one)
    return Verdicts(verdicts)


def _judge_truth(
    names: Sequence[str], judges: Sequence[str], game: Game | str | None, limit: int | None, seed: int
) -> Verdicts:
    """Return how often each player keeps what a position is worth."""
    from understudy.judges.value_kept import make_exam, value_kept
    from understudy.players import close, make_player
    from understudy.solve import check_known

    if game is None or set(judges) - {"value_kept"}:
        wanted = next(iter(set(judges) - {"value_kept"}), "value_kept")
        raise BadOption(f"the judge {wanted!r} needs {'a game' if wanted == 'value_kept' else 'records'}")
    board = _game(game).compiled
    check_known(board)
    made = [make_player(name, board, seed=seed) for name in names]
    exam = make_exam(board, limit=limit, seed=seed)
    verdicts = {one.name: value_kept(one, exam) for one in made}
    for one in made:
        close(one)
    return Verdicts(verdicts)


def _read_size(size: Size | None) -> tuple[int, int] | None:
    from understudy.games.kind import read_size

    if size is None or isinstance(size, tuple):
        return size
    return read_size(str(size), "size")


def _game(game: Game | str) -> Game:
    from understudy.games import find_game

    return game if isinstance(game, Game) else Game(find_game(game))


def _name(player: str | Player) -> str:
    return player.name if isinstance(player, Player) else player


def _settings(
    game: Game,
    players: Sequence[str],
    seed: int,
    opening_plies: int | None,
    terms: dict[str, Any],
    backend: Backend | None,
) -> dict[str, Any]:
    """Return the arguments of a match; players are made once here, so that a wrong name fails before games begin."""
    from understudy.lab.run import LOCAL
    from understudy.match import Terms
    from understudy.players import close, make_player

    for name in players:
        close(make_player(name, game.compiled))
    plies = game.compiled.conventions.opening_plies if opening_plies is None else opening_plies
    return {"seed": seed, "opening_plies": plies, "terms": Terms(**terms), "backend": backend or LOCAL}


def _looks_on(show: bool | None) -> bool:
    """Tell whether somebody looks on: told so, or at a terminal, or in a notebook."""
    return show if show is not None else sys.stderr.isatty() or _in_notebook()


def _in_notebook() -> bool:
    """Tell whether this runs in the kernel of a notebook; one that is merely imported does not count."""
    shell = sys.modules["IPython"].get_ipython() if "IPython" in sys.modules else None
    return shell is not None and hasattr(shell, "kernel")


@contextlib.contextmanager
def _counting(total: int, what: str, *, show: bool | None) -> Iterator[Callable[[int], None]]:
    """Give whatever shows how many of *total* games are played."""
    from understudy.cli.console import counted

    if not _looks_on(show):
        yield lambda games: None
    elif _in_notebook():
        with _line_of_text() as write:
            played = 0

            def count(games: int) -> None:
                nonlocal played
                played += games
                write(f"{what}: {played} of {total} games")

            yield count
    else:
        with counted(total, what) as count_all:
            yield count_all


@contextlib.contextmanager
def _showing(*, show: bool | None) -> Iterator[Callable[[Any], None]]:
    """Give whatever shows what a run is doing."""
    from understudy.cli.learning import bars
    from understudy.lab.run import keep_quiet

    if not _looks_on(show):
        yield keep_quiet
    elif _in_notebook():
        with _line_of_text() as write:
            yield lambda progress: write(f"{progress.task}: {progress.done:.0%} {progress.note}")
    else:
        with bars() as progress_bars:
            yield progress_bars


@contextlib.contextmanager
def _line_of_text() -> Iterator[Callable[[str], None]]:
    """Give a line below a notebook's cell that is written anew each time, a few times a second, and gone in the end.

    Bars of the terminal would need a package of widgets there.
    """
    from importlib import import_module

    display: Any = import_module("IPython.display").display  # it has no types
    handle, written = display({"text/plain": "..."}, raw=True, display_id=True), 0.0

    def write(text: str) -> None:
        nonlocal written
        if time.monotonic() - written > PAUSE:
            written = time.monotonic()
            handle.update({"text/plain": text}, raw=True)

    try:
        yield write
    finally:
        handle.update({"text/plain": ""}, raw=True)
