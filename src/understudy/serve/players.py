"""Whom a page may name: players that read no files and start no programs, and students of known places.

With trust everything is allowed that the command line allows. `student:runs/NAME` is a student of the server's own
folder of runs, wherever that lies.
"""

from __future__ import annotations

import ast
import dataclasses
import inspect
import re
import textwrap
import threading
import types
from collections import OrderedDict
from itertools import pairwise
from pathlib import Path
from typing import Any, cast, get_args, get_type_hints

import numpy as np

from understudy.config import check_range
from understudy.errors import BadOption, FileError, UnderstudyError
from understudy.games import CompiledGame
from understudy.players import PLAYERS, close, find_player, prepare_thoughts, read_player
from understudy.players.names import PlayerKind
from understudy.players.student_files import SHIPPED, SUFFIXES
from understudy.protocols import Player
from understudy.serve.answers import OptionForm, PlayerForm

HUMAN = "human"
RUNS = "runs/"
RUN_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.-]{0,100}")

SAFE = {
    "random": "takes every legal move with the same chance",
    "stochastic": "takes wins and avoids losses within its depth, and otherwise plays by chance",
    "searcher": "looks ahead and takes the best that its evaluator sees",
    "perfect": "knows what every move is worth",
    "student": "learned by watching",
    "hybrid": "a student proposes, a search decides",
}
"""Players that a page may name, and what they do."""
PATHS = {"searcher": ("weights", "tables"), "perfect": ("tables",), "student": ("path",), "hybrid": ("path",)}
"""Their options that name files: a page may name students that ship and students of runs, nothing else."""
MOST = {"time": 30.0, "nodes": 50_000_000, "hidden": 200, "best": 10}
"""How much of a machine one page may ask for at once."""
DEEPEST = {"searcher": 40, "stochastic": 5, "student": 6, "hybrid": 6}
"""Plies. Searches hear when they take too long; of the others so many end within seconds."""
KEPT = 6
"""Players that each thinking thread keeps ready; making one may take a tenth of a second."""


class Roster:
    """Makes players for a page, and tells which there are."""

    def __init__(self, runs: Path, *, trust: bool = False) -> None:
        self.runs, self.trust = runs, trust
        self._kept = threading.local()

    def check(self, text: str, game: CompiledGame) -> None:
        """Raise unless *text* names a player of *game* that a page may name."""
        if text != HUMAN:
            close(self.make(text, game))

    def make(self, text: str, game: CompiledGame, *, seed: Any = 0) -> Player:
        """Return a new player."""
        if text.partition(":")[0] == HUMAN:
            raise BadOption("a person cannot be asked here: 'human' is whoever sits at the page")
        if not self.trust:
            _check_named(text.partition(":")[0])
        name, options = read_player(text, game)
        if not self.trust:
            _check_safe(name, options)
        chosen = self._placed(name, options)
        kind = find_player(name, game)
        return cast(Player, kind.player(game, chosen, name=text, rng=np.random.default_rng(seed)))

    def keep(self, text: str, game: CompiledGame) -> Player:
        """Return a player that this thread keeps ready, so that it is not made again for every move."""
        kept: OrderedDict[tuple[str, int], Player] = self._kept.__dict__.setdefault("players", OrderedDict())
        key = text, id(game)
        if key not in kept:
            kept[key] = self.make(text, game, seed=np.random.SeedSequence().entropy)
            prepare_thoughts(kept[key])
            if len(kept) > KEPT:
                close(kept.popitem(last=False)[1])
        kept.move_to_end(key)
        return kept[key]

    def _placed(self, name: str, options: Any) -> Any:
        """Return options whose path lies where the server keeps students; only those that ship and those of runs."""
        path = getattr(options, "path", None)
        if path is None or (self.trust and not str(path).startswith(RUNS)):
            return options
        if str(path).startswith(RUNS):
            return dataclasses.replace(options, path=str(self.find_run(str(path).removeprefix(RUNS))))
        if not any((SHIPPED / f"{path}{suffix}").is_file() for suffix in SUFFIXES) or "/" in str(path):
            known = ", ".join(sorted(file.stem for suffix in SUFFIXES for file in SHIPPED.glob(f"*{suffix}")))
            raise FileError(f"there is no student {path!r}; those that ship: {known}; those of runs: {RUNS}NAME")
        return options

    def find_run(self, name: str) -> Path:
        """Return the folder of a run; nothing outside the folder of runs is ever named."""
        if not is_run(self.runs, name):
            raise FileError(f"there is no run {name!r} in {str(self.runs)!r}")
        return self.runs / name


def is_run(runs: Path, name: str) -> bool:
    """Tell whether a name is that of a folder which lies in the folder of runs itself, and not behind a link."""
    place = runs / name
    return bool(RUN_NAME.fullmatch(name)) and place.is_dir() and place.resolve().parent == runs.resolve()


def _check_named(name: str) -> None:
    """Raise if a player of ours reads files or starts programs."""
    if name in PLAYERS and name not in SAFE:
        raise BadOption(f"player {name!r} cannot be named from a page: start the server with --trust to allow it")


def _check_safe(name: str, options: Any) -> None:
    """Raise if a player is none of ours, reads files, or takes more than a page may ask for."""
    if name not in SAFE:
        raise BadOption(f"player {name!r} cannot be named from a page: there are: {', '.join(SAFE)}")
    for option in PATHS.get(name, ()):
        if option != "path" and getattr(options, option) not in (None, "", "usual"):
            raise BadOption(f"player {name!r}: {option} names a file; start the server with --trust to allow it")
    for option, most in (*MOST.items(), ("depth", DEEPEST.get(name, 0))):
        check_range(f"player {name!r}: {option}, from a page,", getattr(options, option, None), 0, most)
    if getattr(options, "method", "") == "minimax":
        check_range(f"player {name!r}: depth of minimax, from a page,", options.depth, 0, 4)


def list_players(game: CompiledGame, roster: Roster) -> list[PlayerForm]:
    """Return the players that can play *game*, with their options as a form; students are listed apart."""
    forms = []
    for name, about in SAFE.items():
        if name in ("student", "hybrid") or (name == "perfect" and game.kind.solver is None):  # it knows endgames alone
            continue
        try:
            roster.check(name, game)
        except UnderstudyError:  # it cannot play this game on this board
            continue
        forms.append(PlayerForm(name=name, about=about, options=_list_options(name, find_player(name, game), game)))
    return forms


def _list_options(name: str, kind: PlayerKind, game: CompiledGame) -> list[OptionForm]:
    hints, notes = get_type_hints(kind.options), _read_notes(kind.options)
    return [
        OptionForm(
            name=field.name, kind=_kind_of(hints[field.name], field.name), default=field.default,  # type: ignore[arg-type]
            choices=_choices_of(field.name, game), about=notes.get(field.name, ""),
        )
        for field in dataclasses.fields(kind.options)
        if field.name not in PATHS.get(name, ()) and field.name not in HIDDEN
    ]  # fmt: skip


HIDDEN = ("hidden",)
"""Options that mean something only beside one that a page does not offer."""
CHOICES = {"method": ["negascout", "minimax"], "ties": ["first", "random"]}


def _choices_of(option: str, game: CompiledGame) -> list[str]:
    return ["", *game.kind.evaluators] if option == "evaluator" else CHOICES.get(option, [])


def _kind_of(hint: Any, name: str) -> str:
    kinds = get_args(hint) if isinstance(hint, types.UnionType) else (hint,)
    kind = next(kind for kind in kinds if kind is not types.NoneType)
    if name == "evaluator" or name in CHOICES:
        return "choice"
    return {int: "integer", float: "number", bool: "switch"}.get(kind, "text")


def _read_notes(options: type) -> dict[str, str]:
    """Return the sentence below each field of a class of options, as its source has it."""
    body = cast(ast.ClassDef, ast.parse(textwrap.dedent(inspect.getsource(options))).body[0]).body
    notes: dict[str, str] = {}
    for one, after in pairwise(body):
        says = isinstance(after, ast.Expr) and isinstance(after.value, ast.Constant)
        if isinstance(one, ast.AnnAssign) and isinstance(one.target, ast.Name) and says:
            notes[one.target.id] = " ".join(str(cast(ast.Constant, cast(ast.Expr, after).value).value).split())
    return notes
