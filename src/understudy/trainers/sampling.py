"""Offline sampling (Miller 2010, appendix C): games are played, and what each position met is worth goes into a memory.

Each game is walked backwards. V(s) is what a position is worth to who has just moved, 0 lost, 0.5 tie, 1 won; a new
position is neutral, 0.5. The next position is the other side's, so its value turns into one minus it:

    G(last) = the result for who moved last, and where the rules ended the game V(last) = G(last)
    V(s)   <- V(s) + step * (G(s) - V(s))
    G(s)    = 0.5 + discount * (0.5 - R),  R = trace * G(next) + (1 - trace) * V(next)

`discount` draws what is far from the end towards neutral. `trace` is the lambda of TD(lambda): 0 learns from the next
position alone, as the source does, 1 from the result. A `step` of 0 is 1 / visits: V is then the mean of all G.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from understudy.config import check_range
from understudy.errors import BadOption, UnknownName
from understudy.games import CompiledGame
from understudy.games.kind import ONGOING
from understudy.games.rules import count, outcome, play
from understudy.kernels import kernel
from understudy.players.choosers import make_plain_chooser
from understudy.records.tables import Tabled
from understudy.search.choosers import Anyone, Recalling, Room, choose, make_room
from understudy.search.memory import NEUTRAL, Memory, enlarged, find_row, index, make_memory

NEEDED = {
    "keys": "what names them", "orbit_keys": "what names all their images", "images": "their images",
    "finished": "whether the game is over",
}  # fmt: skip
"""What the batches of a game must tell of many positions: names for the memory, images and endings for who learns."""
REMEMBERED = ("mine", "theirs", "ply")
"""What a memory keeps of a position; all else must stay as it is at the start of a game."""
SAMPLERS = ("table", "random")
SELF = "self"


@dataclass(frozen=True, kw_only=True)
class SamplingOptions:
    """The `[sampling]` section of an offline experiment."""

    games: int = 10_000
    snapshot: int = 1_000
    """Games between two files of the table."""
    sampler: str = "table"
    """Who plays: `table` takes the successor that the table values most, `random` any."""
    opponent: str = "searcher:depth=2,evaluator=aloa,method=minimax,ties=random"
    """Whom it plays: a searcher by plain minimax, `random`, or `self`."""
    explore: float = 0.1
    """The share of random moves of `table`."""
    step: float = 0.1
    """How far a value moves towards its target; 0 for 1 / visits."""
    discount: float = 0.9
    trace: float = 0.0
    """Lambda of TD(lambda)."""
    ply_limit: int = 100
    """A game this long is a tie."""
    seed: int = 0


class Rule(NamedTuple):
    """How values change."""

    step: float
    discount: float
    trace: float


class Sampler:
    """Who plays and remembers; its table says all that is needed to go on later."""

    def __init__(self, game: CompiledGame, options: SamplingOptions) -> None:
        check_sampling(game, options)
        self.game, self.options, self.played = game, options, 0
        self.memory = make_memory()
        self.room = make_room(game.most_moves, np.random.default_rng([options.seed, 0x5A3F]))
        self.results = np.zeros((2, 3), np.int64)
        """Games [as first or second player; lost, drawn, won] of who samples."""

    def play_until(self, games: int) -> None:
        """Play until *games* are played in all."""
        options = self.options
        rule, rows = Rule(options.step, options.discount, options.trace), np.zeros(options.ply_limit + 1, np.int64)
        while self.played < games:
            if self.memory.room < len(rows):
                self.memory = enlarged(self.memory)
            start, players = self.game.start(), self._players()
            self.played = play_and_remember(
                start, *players, self.memory, rule, rows, self.results, self.played, games, self.room
            )  # fmt: skip

    def table(self) -> Tabled:
        """Return what is remembered so far."""
        memory, rows = self.memory, int(self.memory.filled[0])
        fields = {"mine": memory.mine[:rows].copy(), "theirs": memory.theirs[:rows].copy(),
                  "ply": memory.plies[:rows].copy()}  # fmt: skip
        first = self.game.start()
        positions = first._make(
            fields.get(name, np.full(rows, value)) for name, value in zip(first._fields, first, strict=True)
        )
        return Tabled(
            game=self.game, positions=positions, values=memory.values[:rows].copy(), visits=memory.visits[:rows].copy(),
            games=self.played, results=self.results.copy(), luck=int(self.room.random_state[0]),
        )  # fmt: skip

    def resume(self, table: Tabled) -> None:
        """Go on where a table was written."""
        rows = len(table.values)
        memory = self.memory = make_memory(max(12, rows.bit_length()))
        memory.mine[:rows], memory.theirs[:rows] = table.positions.mine, table.positions.theirs
        memory.plies[:rows], memory.values[:rows], memory.visits[:rows] = (
            table.positions.ply, table.values, table.visits
        )  # fmt: skip
        memory.filled[0] = rows
        memory.keys[:rows] = table.keys()
        index(memory)
        self.played, self.results = table.games, table.results.copy()
        self.room.random_state[0] = np.uint64(table.luck)

    def _players(self) -> tuple[Any, Any]:
        options = self.options
        client = Anyone() if options.sampler == "random" else Recalling(self.memory, options.explore)
        return client, client if options.opponent == SELF else make_opponent(self.game, options.opponent)


def check_sampling(game: CompiledGame, options: SamplingOptions) -> None:
    """Raise unless games of *game* can be sampled with these options."""
    if (lack := lacking(game)) is not None:
        raise BadOption(f"experiment.game: positions of {game.name} cannot be sampled offline: {lack}")
    if options.sampler not in SAMPLERS:
        raise UnknownName("sampling.sampler", options.sampler, SAMPLERS)
    for name, low, high in (
        ("games", 1, 10**8), ("snapshot", 1, 10**8), ("explore", 0, 1), ("step", 0, 1), ("discount", 0, 1),
        ("trace", 0, 1), ("ply_limit", 1, 10_000), ("seed", 0, 2**31),
    ):  # fmt: skip
        check_range(f"sampling.{name}", getattr(options, name), low, high)
    if options.opponent != SELF:
        make_opponent(game, options.opponent)


def lacking(game: CompiledGame) -> str | None:
    """Return what a game lacks for its positions to be sampled; None if they can be."""
    start = game.start()
    after = game.play(start, game.moves(start)[0])
    changing = [
        name for name in start._fields if name not in REMEMBERED and getattr(start, name) != getattr(after, name)
    ]
    if changing:
        return f"a table keeps the stones of both sides, and positions have {' and '.join(changing)} besides"
    missing = [words for name, words in NEEDED.items() if not game.at_once(name)]
    return f"it does not tell of many positions at once {', nor '.join(missing)}" if missing else None


def make_opponent(game: CompiledGame, text: str) -> Any:
    """Return whom the sampler plays."""
    return make_plain_chooser(text, game, place="sampling.opponent")


@kernel
def play_and_remember(
    start: Any,
    client: Any,
    opponent: Any,
    memory: Memory,
    rule: Rule,
    rows: NDArray[np.int64],
    results: NDArray[np.int64],
    played: int,
    until: int,
    room: Room,
) -> int:
    """Play games until *until* are played or the memory might be too small for one more; return how many are.

    *rows* has a place for each position of a game of the greatest length. *client* moves first in even games.
    """
    limit = len(rows) - 1
    while played < until and len(memory.keys) - memory.filled[0] > limit:
        second, position = played & 1, start
        rows[0] = find_row(memory, position)
        result, plies = outcome(position, count(position)), 0
        while result == ONGOING and plies < limit:
            if position.ply & 1 == second:
                place = choose(client, position, room)
            else:
                place = choose(opponent, position, room)
            position = play(position, room.codes[place])
            plies += 1
            rows[plies] = find_row(memory, position)
            result = outcome(position, count(position))
        over = result != ONGOING
        lost = result if over else 0
        walk_back(memory, rows, plies, 0.5 - 0.5 * lost, over, rule)
        results[second, 1 + (lost if position.ply & 1 == second else -lost)] += 1
        played += 1
    return played


@kernel
def walk_back(memory: Memory, rows: NDArray[np.int64], plies: int, final: float, over: bool, rule: Rule) -> None:
    """Change the value of every position of a game, the last one first; *final* is the result for who moved last."""
    target = final
    for ply in range(plies, -1, -1):
        row = rows[ply]
        memory.visits[row] += 1
        step = rule.step if rule.step > 0.0 else 1.0 / memory.visits[row]
        if ply == plies and over:
            memory.values[row] = final
        else:
            memory.values[row] += step * (target - memory.values[row])
        follows = rule.trace * target + (1.0 - rule.trace) * memory.values[row]
        target = NEUTRAL + rule.discount * (NEUTRAL - follows)
