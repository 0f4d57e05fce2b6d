"""Games of PGN files, read as a stream: plain, or packed by gzip, bzip2 or zstd; never a whole file in memory.

Blocks of text are cut into games and their moves read by kernels, so that tags are all that Python looks at. A broken
game is passed over, counted and named; the games after it are none the worse.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from understudy.errors import FileError, NotationError
from understudy.games.batches import stacked, taken, unstacked
from understudy.games.chess.fen import read_fens
from understudy.games.chess.pgn_text import RESULTS, read_movetexts, split_games
from understudy.games.chess.position import START, Chess
from understudy.games.chess.records.wanted import Sieve, Wanted
from understudy.games.chess.san import FAULTS
from understudy.records.files import shown
from understudy.unpacking import Damage, pieces

BLOCK = 1 << 22
"""Bytes that are read at once: some thousand games, so that kernels are called seldom."""
BOM = b"\xef\xbb\xbf"
"""How some programs begin files in UTF-8."""
LONGEST = 1 << 26
"""Bytes that a game may have; where there is no end by then, the file is no PGN."""
STANDARD = ("", "standard", "chess", "normal", "from position", "fromposition")
"""What the tag Variant may say."""

_TAG = re.compile(rb'^\s*\[\s*(\w+)\s+"((?:[^"\\\n]|\\.)*)"', re.MULTILINE)


class Broken(NamedTuple):
    """A game that cannot be read, or a file whose end is missing."""

    file: str
    game: int
    line: int
    players: str
    reason: str

    def __str__(self) -> str:
        return f"{self.file}, game {self.game} (line {self.line}, {self.players}): {self.reason}"


@dataclass(frozen=True, eq=False, kw_only=True)
class Games:
    """Some games of a file, one after another."""

    numbers: NDArray[np.int64]
    """Places in the file, from 1."""
    tags: list[dict[str, str]]
    starts: Chess
    """A batch."""
    moves: NDArray[np.int32]
    """Codes, game after game."""
    ends: NDArray[np.int64]
    """Where the moves of each game begin, and where the last one's end."""
    results: list[str]

    def __len__(self) -> int:
        return len(self.results)


class Game(NamedTuple):
    """One game."""

    number: int
    tags: dict[str, str]
    start: Chess
    moves: list[int]
    result: str


class _Block(NamedTuple):
    """What the kernels tell of a block: where games stand in it, their moves, what is wrong with them."""

    spans: NDArray[np.int64]
    codes: NDArray[np.int32]
    ends: NDArray[np.int64]
    faults: NDArray[np.int64]
    places: NDArray[np.int64]
    results: NDArray[np.int64]


class PgnReader:
    """The wanted games of one file, block by block, and what was met on the way; iterate it once."""

    def __init__(self, path: Path, wanted: Wanted = Wanted(), *, block: int = BLOCK) -> None:
        self.path, self.block, self.sieve = Path(path), block, Sieve(wanted)
        self.met = 0
        """Games so far."""
        self.unwanted = 0
        self.broken: list[Broken] = []

    def __iter__(self) -> Iterator[Games]:
        rest, line = b"", 1
        try:
            for piece in pieces(self.path, self.block):
                rest = piece.removeprefix(BOM) if self.met == 0 and not rest else rest + piece
                games, used, line = self._read(rest, line, whole=False)
                rest = rest[used:]
                if len(rest) > LONGEST:
                    raise FileError(f"{self.path} is no PGN: game {self.met + 1} does not end within 64 MB")
                yield games
        except Damage as damage:
            if self.met == 0 and not rest:
                raise FileError(f"{self.path} cannot be read: {damage}") from None
            self.broken.append(Broken(str(self.path), self.met + 1, line, "the last that is left", str(damage)))
            rest = b""
        yield self._read(rest, line, whole=True)[0]
        if self.met == 0:
            raise FileError(f"{self.path} holds no games")

    def _read(self, text: bytes, line: int, *, whole: bool) -> tuple[Games, int, int]:
        """Return the wanted games that end within *text*, how much of it was used, and the line that comes next."""
        spans = np.zeros((text.count(b"\n") + 2, 4), np.int64)
        count, used, line = split_games(np.frombuffer(text, np.uint8), line, whole, spans)
        tags = [read_tags(text[start:begun]) for start, begun in spans[:count, :2].tolist()]
        rated = np.array([self.sieve.rated(tag_set) for tag_set in tags], np.bool_)
        numbers = np.arange(self.met + 1, self.met + 1 + count)
        self.met += count
        self.unwanted += int((~rated).sum())
        kept = [tag_set for tag_set, wanted in zip(tags, rated.tolist(), strict=True) if wanted]
        return self._played(text, spans[:count][rated], kept, numbers[rated]), used, line

    def _played(
        self, text: bytes, spans: NDArray[np.int64], tags: list[dict[str, str]], numbers: NDArray[np.int64]
    ) -> Games:
        """Read the moves of games; leave out the broken ones, and those whose moves are not wanted."""
        starts, odd = _starts(tags)
        block = _moves(text, spans, starts)
        results = [_result(one, ending) for one, ending in zip(tags, block.results.tolist(), strict=True)]
        for row in np.flatnonzero(block.faults).tolist():
            odd.setdefault(row, _fault(text, block, starts, row))
        kept = np.ones(len(tags), np.bool_)
        for row, one in enumerate(tags):
            if row in odd:
                self._note(text, block, row, tags=one, number=int(numbers[row]), reason=odd[row])
                kept[row] = False
            elif not self.sieve.played(one, block.codes[block.ends[row] : block.ends[row + 1]], results[row]):
                self.unwanted += 1
                kept[row] = False
        return _chosen(kept, block, starts, numbers=numbers, tags=tags, results=results)

    def _note(self, text: bytes, block: _Block, row: int, *, tags: Mapping[str, str], number: int, reason: str) -> None:
        start, _, _, line = block.spans[row].tolist()
        if block.faults[row]:
            line += text.count(b"\n", start, int(block.places[row]))
        self.broken.append(Broken(str(self.path), number, line, players(tags), reason))


def read_games(path: Path, wanted: Wanted = Wanted()) -> Iterator[Game]:
    """Yield the wanted games of a file one by one; broken ones are passed over."""
    for block in PgnReader(path, wanted):
        starts, ends = unstacked(block.starts), block.ends.tolist()
        for row, number in enumerate(block.numbers.tolist()):
            codes = block.moves[ends[row] : ends[row + 1]].tolist()
            yield Game(number, block.tags[row], starts[row], codes, block.results[row])


def read_tags(text: bytes) -> dict[str, str]:
    """Return the tags of a game by name."""
    return {name.decode("ascii", "replace"): _text(value) for name, value in _TAG.findall(text)}


def players(tags: Mapping[str, str]) -> str:
    """Return who played, white first."""
    return f"{tags.get('White', '?')} - {tags.get('Black', '?')}"


def _text(value: bytes) -> str:
    """Return the value of a tag; old collections are not in UTF-8."""
    if b"\\" in value:
        value = re.sub(rb"\\(.)", rb"\1", value)
    try:
        return value.decode("utf-8")
    except UnicodeDecodeError:
        return value.decode("latin-1")


def _starts(tags: Sequence[Mapping[str, str]]) -> tuple[Chess, dict[int, str]]:
    """Return where games start, and why some of them cannot be played."""
    first = stacked([START])
    starts = Chess._make(np.repeat(field, len(tags)) for field in first)
    odd = {}
    for row, tag_set in enumerate(tags):
        if (variant := tag_set.get("Variant", "")).lower() not in STANDARD:
            odd[row] = f"it is a game of {shown(variant)}, not of chess"
        elif "FEN" in tag_set and (fault := _set_start(starts, row, tag_set["FEN"])) is not None:
            odd[row] = fault
    return starts, odd


def _set_start(starts: Chess, row: int, fen: str) -> str | None:
    """Put the position of a tag among the starts, or return what is wrong with it."""
    batch, good = read_fens([fen])
    for field, value in zip(starts, batch, strict=True):
        array: Any = field
        array[row] = value[0]  # type: ignore[index]
    if good[0]:
        return None
    from understudy.games.chess import notation as chess_notation

    try:
        chess_notation.read(fen, START)
    except NotationError as error:
        return str(error)
    return f"chess position {fen!r} cannot be read"


def _moves(text: bytes, spans: NDArray[np.int64], starts: Chess) -> _Block:
    codes, outcomes = np.zeros(len(text) // 2 + 1, np.int32), np.zeros((len(spans), 4), np.int64)
    masks, numbers = np.stack(starts[:7]), np.stack(starts[7:])
    read_movetexts(np.frombuffer(text, np.uint8), spans[:, 1:3].copy(), masks, numbers, codes, outcomes)
    ends = np.concatenate([np.zeros(1, np.int64), outcomes[:, 0]])
    return _Block(spans, codes, ends, outcomes[:, 1], outcomes[:, 2], outcomes[:, 3])


def _fault(text: bytes, block: _Block, starts: Chess, row: int) -> str:
    """Return what is wrong with the moves of a game."""
    plies: Any = starts.ply
    ply = int(plies[row] + block.ends[row + 1] - block.ends[row])
    place = int(block.places[row])
    word = re.match(rb"[^\s{}();$!?]+|.", text[place : place + 40], re.DOTALL)
    number = f"{ply // 2 + 1}{'.' if ply % 2 == 0 else '...'}"
    return f"move {number} {shown(word[0] if word else b'')} {FAULTS[block.faults[row]]}"


def _result(tags: Mapping[str, str], played: int) -> str:
    """Return the result that a game's tags tell, or else its moves."""
    tagged = tags.get("Result", "*")
    if tagged in RESULTS[1:] or played < 0:
        return tagged if tagged in RESULTS else "*"
    return RESULTS[played]


def _chosen(
    kept: NDArray[np.bool_],
    block: _Block,
    starts: Chess,
    *,
    numbers: NDArray[np.int64],
    tags: list[dict[str, str]],
    results: list[str],
) -> Games:
    lengths = np.diff(block.ends)
    moves = block.codes[: block.ends[-1]][np.repeat(kept, lengths)]
    rows = np.flatnonzero(kept).tolist()
    return Games(
        numbers=numbers[kept],
        tags=[tags[row] for row in rows],
        starts=taken(starts, kept),
        moves=moves,
        ends=np.concatenate([np.zeros(1, np.int64), np.cumsum(lengths[kept])]),
        results=[results[row] for row in rows],
    )
