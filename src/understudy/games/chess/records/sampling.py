"""Positions sampled from games, each placement once, written to a table while the games are read.

A million positions take about a minute: games are played again by kernels, and no position becomes an object of
Python. What chance decides comes from one seed in the order of the games, so a sample can be made again.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from understudy.config import check_range
from understudy.errors import BadOption, FileError
from understudy.games import CompiledGame, find_game
from understudy.games.batches import joined, stacked, taken, unstacked
from understudy.games.chess.batches import KeySet, placement_keys, positions_at, quiet, strayed, successors
from understudy.games.chess.inputs.planes import typed
from understudy.games.chess.position import Chess
from understudy.games.chess.records.pgn import Broken, Games, PgnReader
from understudy.games.chess.records.positions import PositionTable, writing
from understudy.games.chess.records.wanted import Wanted
from understudy.players import make_player
from understudy.protocols import Player
from understudy.records.store import UNKNOWN, Records

STRAY = "+stray"
"""What is added to the source of positions after a random move."""
PLAYED_ON = "+played"
"""What is added to the source of positions that a player has reached from those of the games."""
SUCCESSORS = "+successors"
"""What is added to the source where all that one move leads to was taken instead."""


@dataclass(frozen=True, kw_only=True)
class Sampling:
    """Which positions of a game are taken: those in which somebody moved, so never the end of a game."""

    per_game: int = 10
    """At most so many, picked at random; 0: all."""
    from_ply: int = 8
    to_ply: int | None = None
    """The last ply that may be taken."""
    every: int = 1
    """Only every so many plies, counted from the first."""
    quiet: bool = False
    """Only positions without check, promotion or winning capture."""
    stray: float = 0.0
    """Share of positions in which a random move is played first, so that blunders occur too."""
    play_on: str = ""
    """A player that goes on from each position; what it reaches is taken as well."""
    play_on_plies: int = 4
    """How far it goes on."""
    successors: int | None = None
    """Instead of each position so many of those that one move leads to, picked at random; 0: all. A player that looks
    one ply ahead compares them."""
    most: int | None = None
    """Stop after so many positions."""
    seed: int = 0


@dataclass(frozen=True, kw_only=True)
class Sampled:
    """What became of a file of games."""

    games: int
    unwanted: int
    positions: int
    doubles: int
    """Positions that were there before."""
    broken: tuple[Broken, ...]


RANGES = {"per_game": (0, 10_000), "from_ply": (0, 20_000), "to_ply": (0, 20_000), "every": (1, 20_000),
          "stray": (0, 1), "play_on_plies": (1, 400), "successors": (0, 1000), "most": (1, 1 << 31),
          "seed": (0, 1 << 62)}  # fmt: skip


def check_sampling(options: Sampling) -> None:
    """Raise unless a sample can be taken so."""
    for name, (low, high) in RANGES.items():
        check_range(f"sampling: {name}", getattr(options, name), low, high)
    if not options.play_on and options.play_on_plies != Sampling.play_on_plies:
        raise BadOption(f"sampling: play_on_plies {options.play_on_plies} needs a player that goes on (play_on)")


def sample_pgn(
    path: Path,
    target: Path,
    options: Sampling = Sampling(),
    *,
    wanted: Wanted = Wanted(),
    source: str | None = None,
    progress: Callable[[int], None] = lambda positions: None,
) -> Sampled:
    """Write positions of the wanted games of a PGN file to a table; *progress* hears of each lot."""
    check_sampling(options)
    reader, sampler = PgnReader(path, wanted), Sampler(options)
    name = source or Path(path).name.partition(".")[0]
    facts = {"sampling": _options_text(options), "wanted": _options_text(wanted), "games": Path(path).name}
    with writing(target, labelled=False, facts=facts) as writer:
        for games in reader:
            table = sampler.from_games(games, name)
            writer.add(table)
            progress(len(table))
            if sampler.full:
                break
        if writer.rows == 0:
            raise FileError(f"{path} gives no positions: {_why(reader)}")
    return Sampled(games=reader.met, unwanted=reader.unwanted, positions=sampler.taken, doubles=sampler.doubles,
                   broken=tuple(reader.broken))  # fmt: skip


def sample_records(records: Records, options: Sampling = Sampling()) -> PositionTable:
    """Return positions sampled from records of chess, as `watch` keeps them."""
    check_sampling(options)
    return Sampler(options).from_records(records)


def _options_text(options: Any) -> str:
    """Return the options that are set, for metadata."""
    plain = type(options)()
    changed = {name: value for name, value in dataclasses.asdict(options).items() if value != getattr(plain, name)}
    return ", ".join(f"{name} {value}" for name, value in changed.items()) or "as usual"


def _why(reader: PgnReader) -> str:
    lost = f"{reader.met} games, {reader.unwanted} of them not wanted, {len(reader.broken)} broken"
    return f"{lost} ({reader.broken[0].reason})" if reader.broken else lost


class Sampler:
    """Someone who takes positions from games as they come and remembers those that were taken."""

    def __init__(self, options: Sampling) -> None:
        self.options, self.keys = options, KeySet()
        self.picks, self.moves = (np.random.default_rng([options.seed, stream]) for stream in (0x91C, 0x57A))
        self.taken, self.doubles = 0, 0
        self.onward = _onward(options)

    @property
    def full(self) -> bool:
        """Tell whether there are as many positions as were asked for."""
        return self.options.most is not None and self.taken >= self.options.most

    def from_games(self, games: Games, source: str) -> PositionTable:
        """Return positions of games of a collection."""
        lengths = np.diff(games.ends)
        places = np.arange(games.ends[-1])
        owner = np.repeat(np.arange(len(games)), lengths)
        plies = places - games.ends[owner] + np.asarray(games.starts.ply)[owner]
        picked = self._picked(owner, plies, lambda rows: positions_at(games.starts, games.moves, games.ends, rows))
        positions = positions_at(games.starts, games.moves, games.ends, picked)
        numbers, results = games.numbers[owner[picked]], np.array(games.results or [""])[owner[picked]]
        return self._table(positions, numbers, np.full(len(picked), source), results)

    def from_records(self, records: Records) -> PositionTable:
        """Return positions in which somebody's choice was recorded."""
        plies = np.asarray(records.plies, np.int64)
        batch: Any = records.positions
        picked = self._picked(records.games, plies, lambda rows: taken(batch, rows))
        results = _white_results(records.results[picked], plies[picked])
        sources = records.sources[picked].astype(np.str_)
        return self._table(taken(batch, picked), records.games[picked] + 1, sources, results)

    def _picked(
        self, owner: NDArray[Any], plies: NDArray[np.int64], positions: Callable[[NDArray[np.int64]], Chess]
    ) -> NDArray[np.int64]:
        """Return which places are taken, ascending; *owner* tells the game of each."""
        options = self.options
        chance = self.picks.random(len(owner))
        last = np.inf if options.to_ply is None else options.to_ply
        fit = (plies >= options.from_ply) & (plies <= last) & ((plies - options.from_ply) % options.every == 0)
        rows = np.flatnonzero(fit)
        if options.quiet and len(rows):
            rows = rows[quiet(positions(rows))]
        return _limited(rows, owner[rows], chance[rows], options.per_game) if options.per_game else rows

    @staticmethod
    def _gone_on(onward: PlayingOn, positions: Chess, good: NDArray[np.bool_]) -> tuple[NDArray[np.int64], Chess]:
        """Return positions and what a player reaches from the good ones, and the row that each began at."""
        reached, origins = onward.reached(taken(positions, good))
        rows = np.concatenate([np.arange(len(good)), np.flatnonzero(good)[origins]])
        return rows, joined([typed(positions), reached])

    def _followed(self, positions: Chess, good: NDArray[np.bool_], most: int) -> tuple[NDArray[np.int64], Chess]:
        """Return what one move leads to from good positions, at most so many of each, and the row each came from."""
        reached, origins = successors(taken(positions, good))
        picked = np.arange(len(origins))
        if most:
            picked = _limited(picked, origins, self.moves.random(len(origins)), most)
        return np.flatnonzero(good)[origins[picked]], taken(reached, picked)

    def _table(
        self, positions: Chess, games: NDArray[np.int64], sources: NDArray[np.str_], results: NDArray[np.str_]
    ) -> PositionTable:
        """Return a table of what is new among positions, some of them after a random move."""
        astray = self.moves.random(len(games)) < self.options.stray
        chance = self.moves.random(len(games))
        good = np.ones(len(games), np.bool_)
        if astray.any():
            positions, good = _mixed(positions, astray, chance)
            sources = np.where(astray, np.char.add(sources, STRAY), sources)
        if self.onward is not None:
            rows, positions = self._gone_on(self.onward, positions, good)
            games, results = games[rows], results[rows]
            sources = np.concatenate([sources, np.char.add(sources[rows[len(sources) :]], PLAYED_ON)])
            good = np.concatenate([good, np.ones(len(rows) - len(good), np.bool_)])
        if self.options.successors is not None:
            rows, positions = self._followed(positions, good, self.options.successors)
            games, results, sources = games[rows], results[rows], np.char.add(sources[rows], SUCCESSORS)
            good = np.ones(len(rows), np.bool_)
        good[good] = self.keys.fresh(placement_keys(taken(positions, good)))
        self.doubles += int((~good).sum())
        kept = np.flatnonzero(good)
        if self.options.most is not None:
            kept = kept[: self.options.most - self.taken]
        self.taken += len(kept)
        rows = taken(positions, kept)
        return PositionTable(positions=rows, game=games[kept].astype(np.int32), ply=np.asarray(rows.ply, np.int16),
                             source=sources[kept], result=results[kept])  # fmt: skip


def _onward(options: Sampling) -> PlayingOn | None:
    """Return who goes on from the positions, if anybody does."""
    if not options.play_on:
        return None
    return PlayingOn(options.play_on, plies=options.play_on_plies, seed=options.seed)


def _limited(rows: NDArray[np.int64], owner: NDArray[Any], chance: NDArray[np.float64], most: int) -> NDArray[np.int64]:
    """Return at most so many rows of each owner, those with the least chance, in their order."""
    order = np.lexsort((chance, owner))
    sorted_owner = owner[order]
    begins = np.flatnonzero(np.concatenate([[True], sorted_owner[1:] != sorted_owner[:-1]])) if len(rows) else rows
    rank = np.arange(len(rows)) - np.repeat(begins, np.diff(np.append(begins, len(rows))))
    return np.sort(rows[order[rank < most]])


def _mixed(positions: Chess, astray: NDArray[np.bool_], chance: NDArray[np.float64]) -> tuple[Chess, NDArray[np.bool_]]:
    """Return positions, those *astray* after a random move, and where games go on."""
    order = np.concatenate([np.flatnonzero(~astray), np.flatnonzero(astray)])
    moved, goes_on = strayed(taken(positions, astray), chance[astray])
    back = np.argsort(order)
    good = np.concatenate([np.ones(int((~astray).sum()), np.bool_), goes_on])
    return taken(joined([taken(positions, ~astray), moved]), back), good[back]


def _white_results(results: NDArray[np.int8], plies: NDArray[np.int64]) -> NDArray[np.str_]:
    """Return results as PGN has them from results for the side to move."""
    white = np.where(plies % 2 == 1, -results, results)
    names = np.select([results == UNKNOWN, white == 1, white == -1], ["*", "1-0", "0-1"], "1/2-1/2")
    return np.asarray(names)


class Way(NamedTuple):
    """Where a game has gone on: the row that it began at, and its positions since."""

    row: int
    positions: tuple[Any, ...]


class PlayingOn:
    """A player that goes on from positions, moving for both sides."""

    def __init__(self, player: str, *, plies: int, seed: int) -> None:
        self.game: CompiledGame = find_game("chess")
        self.player: Player = make_player(player, self.game, seed=seed)
        self.plies = plies

    def reached(self, positions: Chess) -> tuple[Chess, NDArray[np.int64]]:
        """Return all positions of the next plies in which somebody can move, and the row each began at."""
        ways = [Way(row, (position,)) for row, position in enumerate(unstacked(positions))]
        ways_on: list[Way] = []
        for _ in range(self.plies):
            ways = self._onward(ways)
            ways_on += ways
        rows = np.array([way.row for way in ways_on], np.int64)
        return typed(stacked([way.positions[-1] for way in ways_on]) if ways_on else taken(positions, rows)), rows

    def _onward(self, ways: list[Way]) -> list[Way]:
        """Return the games one ply later, but for those that have ended."""
        if not ways:
            return []
        histories = [way.positions[:-1] for way in ways]
        choices = self.player.choose([way.positions[-1] for way in ways], histories)
        later = []
        for way, choice in zip(ways, choices, strict=True):
            after = self.game.play(way.positions[-1], choice.move)
            if self.game.outcome(after) is None and not self.game.drawn(after):
                later.append(Way(way.row, (*way.positions, after)))
        return later
