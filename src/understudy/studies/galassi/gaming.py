"""The gaming test: players meet a stable of symbolic programs, as Table 6.11 of the Morris thesis does.

The thesis had sixteen programs of students, which are not public. A stable stands in for them (`stables.py` has two):
players of different character, from one that draws lots to one that looks far ahead. Every player plays every member
with both colours; players also meet each other and themselves, which is shown but not counted, so that totals compare.
A finished test can be written as text and as JSON.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from typing import Any, NamedTuple

from understudy.backends import Local
from understudy.errors import BadOption
from understudy.games import CompiledGame, find_game
from understudy.judges.measures import share
from understudy.judges.pairs import Pairs, add_pairs, find_repeated, measure_points, write_sample
from understudy.judges.tournament import play_match
from understudy.lab.run import Run, Step
from understudy.match import ILLEGAL, Played
from understudy.players import close, make_player
from understudy.protocols import Backend
from understudy.studies.galassi.stables import ONCE, STABLE, name_stable, stable_facts

SEED = 20_000
"""Of the games of a run's student: far from those that anybody was trained on."""
LETTERS = {1: "W", 0: "D", -1: "L"}
"""Of results, in the order of `_KINDS`."""


class GamingGame(NamedTuple):
    """One game from the tested player's side."""

    colour: str
    result: int
    reason: str
    plies: int
    repeated: bool = False
    """Whether the same game was played before in its encounter: then it tells nothing new."""


class Encounter(NamedTuple):
    """All games of a player against one opponent."""

    player: str
    opponent: str
    kind: str
    """`stable`, `player`, or `itself`; only the first counts."""
    games: tuple[GamingGame, ...]
    pairs: Pairs
    """Its different pairs, both colours of an opening."""
    corrections: Mapping[str, int] | None = None
    """Of a player whose choices are checked: how often its first choice of each part was not legal."""


class GamingTable(NamedTuple):
    """A finished gaming test."""

    game: str
    colours: tuple[str, str]
    players: tuple[str, ...]
    stable: Mapping[str, str]
    seed: int
    encounters: tuple[Encounter, ...]

    def counted(self, player: str, colour: str | None = None) -> list[GamingGame]:
        """Return the games of *player* against the stable, with one colour or both."""
        games = [game for met in self.encounters if met.player == player and met.kind == "stable" for game in met.games]
        return [game for game in games if colour in (None, game.colour)]

    def totals(self, player: str) -> dict[str, tuple[int, int, int]]:
        """Return wins, draws and losses against the stable: `all`, and with each colour."""
        sides = {"all": None, self.colours[0]: self.colours[0], self.colours[1]: self.colours[1]}
        return {name: _score(self.counted(player, colour)) for name, colour in sides.items()}

    def pairs(self, player: str) -> Pairs:
        """Return the different pairs of *player* against the stable."""
        return add_pairs(met.pairs for met in self.encounters if met.player == player and met.kind == "stable")

    def measures(self, player: str) -> dict[str, dict[str, Any]]:
        """Return shares with their 95 % intervals, as `verdicts.json` holds them; a draw is half a point.

        Points with both colours have the interval of different pairs, all others that of different games.
        """
        games = [game for game in self.counted(player) if not game.repeated]
        sides = {colour: _score([game for game in games if game.colour == colour]) for colour in self.colours}
        measures = {"points": measure_points(self.pairs(player))}
        measures |= {f"points_{colour}": share(_points(score), sum(score)) for colour, score in sides.items()}
        measures |= {kind: share(number, len(games)) for kind, number in zip(_KINDS, _score(games), strict=True)}
        return {f"gaming.{name}": {**measure._asdict(), "value": measure.value or 0.0}
                for name, measure in measures.items()}  # fmt: skip

    def corrections(self, player: str) -> dict[str, int] | None:
        """Return how often a checked player's first choice of each part was corrected against the stable."""
        met = [one for one in self.encounters if one.player == player and one.kind == "stable"]
        counted = [one.corrections for one in met if one.corrections is not None]
        return {part: sum(one[part] for one in counted) for part in counted[0]} if counted else None

    def reasons(self, player: str) -> dict[str, dict[str, int]]:
        """Return how often *player* won, drew and lost for which reason against the stable."""
        games = self.counted(player)
        return {
            kind: dict(Counter(game.reason for game in games if game.result == result).most_common())
            for kind, result in zip(_KINDS, LETTERS, strict=True)
        }

    def columns(self) -> list[str]:
        """Return the titles of the table's columns: the opponent, then each player with each colour."""
        return ["opponent", *(f"{player} as {colour}" for player in self.players for colour in self.colours)]

    def rows(self) -> list[list[str]]:
        """Return the table: the stable from top to bottom, the players themselves, and the totals."""
        opponents = [*self.stable, *self.players]
        rows = [[name, *self._cells(name)] for name in opponents]
        totals = [self.totals(player)[colour] for player in self.players for colour in self.colours]
        return [*(row for row in rows if any(row[1:])), ["stable: W-D-L", *("-".join(map(str, t)) for t in totals)]]

    def _cells(self, opponent: str) -> list[str]:
        met = {(one.player, one.opponent): one.games for one in self.encounters}
        return [
            _cell([game for game in met.get((player, opponent), ()) if game.colour == colour])
            for player in self.players
            for colour in self.colours
        ]


_KINDS = ("wins", "draws", "losses")


def gaming(
    game: CompiledGame,
    players: Sequence[str],
    *,
    stable: Mapping[str, str] = STABLE,
    games: int = 2,
    seed: int = 0,
    opening_plies: int | None = None,
    backend: Backend = Local(),
    progress: Callable[[int], None] = lambda games: None,
) -> GamingTable:
    """Let each player meet the stable, the others and itself in *games* games, both colours of each opening.

    The first opening is the plain start. Two players without chance or clock repeat their game from it, so more games
    mean more openings, of as many random plies as the game usually has unless *opening_plies* says another number; 0:
    all games begin at the plain start.
    """
    pairings = _pairings(game, players, stable, games, seed)
    if opening_plies is not None:
        pairings = [replace(pairing, opening_plies=opening_plies) for pairing in pairings]
    encounters: list[Encounter] = []
    for met in backend.map(meet, pairings):
        encounters += met
        progress(len(met[0].games))
    order = {name: place for place, name in enumerate([*players, *stable])}
    encounters.sort(key=lambda one: (order[one.player], one.kind != "stable", order[one.opponent]))
    return GamingTable(game.name, game.colours, tuple(players), dict(stable), seed, tuple(encounters))


@dataclass(frozen=True, kw_only=True)
class Pairing:
    """Two players, by name and by text, who meet: plain values, so that any worker can play it."""

    game: str
    size: tuple[int, int]
    switches: tuple[tuple[str, str], ...]
    names: tuple[str, str]
    players: tuple[str, str]
    kind: str
    games: int
    seed: int
    number: int
    opening_plies: int


def _pairings(
    game: CompiledGame, players: Sequence[str], stable: Mapping[str, str], games: int, seed: int
) -> list[Pairing]:
    """Return who meets whom; whoever is of the stable itself meets it as itself."""
    if games < 2 or games % 2:
        raise BadOption(f"a gaming test needs an even number of games for each pair, not {games}")
    if not players or len({*players, *stable}) < len(players) + len(stable):
        raise BadOption("a gaming test needs players, all with names of their own")
    pairs = [
        ((player, name), (player, text), "stable", games)
        for player in players
        for name, text in stable.items()
        if text != player
    ]
    pairs += [(pair, pair, "player", games) for pair in combinations(players, 2)]
    pairs += [((player, player), (player, player), "itself", 1) for player in players]
    fixed = {"game": game.name, "size": game.size, "switches": game.switches, "seed": seed,
             "opening_plies": game.conventions.opening_plies}  # fmt: skip
    return [
        Pairing(names=names, players=texts, kind=kind, games=count, number=number, **fixed)  # type: ignore[arg-type]
        for number, (names, texts, kind, count) in enumerate(pairs)
    ]


def meet(pairing: Pairing) -> list[Encounter]:
    """Play one pairing; two tested players see it from both sides."""
    game = find_game(pairing.game, pairing.size, dict(pairing.switches))
    meeting = play_match(
        game,
        pairing.players,
        games=pairing.games,
        seed=pairing.seed,
        backend=Local(1),
        opening_plies=pairing.opening_plies,
        pairing=pairing.number,
    )
    first, second = pairing.names
    every = zip(meeting.games, meeting.results, find_repeated(meeting.games), strict=True)
    seen = tuple(
        GamingGame(game.colours[place % 2], result, played.reason, len(played.moves), repeated)
        for place, (played, result, repeated) in enumerate(every)
    )
    pairs = meeting.pairs()
    corrections = count_corrections(game, pairing.players[0], meeting.games)
    encounters = [Encounter(first, second, pairing.kind, seen, pairs, corrections)]
    if pairing.kind == "player":
        theirs = tuple(_other(game, one) for one in seen)
        encounters.append(Encounter(second, first, pairing.kind, theirs, pairs.turned()))
    return encounters


def count_corrections(game: CompiledGame, text: str, games: Sequence[Played]) -> dict[str, int] | None:
    """Return how often the first player's first choice of each part was corrected; None unless its choices are checked.

    It is asked again in every position in which it moved: games keep what was played, not what was corrected. Who looks
    ahead weighs whole moves that the rules allow, so there is no first choice that could be corrected.
    """
    if "check=" not in text or "check=none" in text:
        return None
    player: Any = make_player(text, game)
    try:
        if looks_ahead(player):
            return None
        asked = [position for place, one in enumerate(games) for position in _list_own(game, one, place % 2)]
        if asked:
            player.choose(asked)
        return {game.part_names[part]: int(player.corrections[place]) for place, part in enumerate(player.order)}
    finally:
        close(player)


def looks_ahead(player: Any) -> bool:
    """Tell whether a player decides by what whole moves lead to, and not part by part."""
    return bool(getattr(getattr(player, "options", None), "depth", None)) or not hasattr(player, "corrections")


def _list_own(game: CompiledGame, played: Played, side: int) -> Iterator[Any]:
    """Yield the positions of a game in which the player of one side chose."""
    position = game.start() if played.start is None else played.start
    for ply, move in enumerate(played.moves):
        if ply >= played.opening and position.ply % 2 == side:
            yield position
        position = game.play(position, move)


def _other(game: CompiledGame, one: GamingGame) -> GamingGame:
    return one._replace(colour=game.colours[one.colour == game.colours[0]], result=-one.result)


def _cell(games: Sequence[GamingGame]) -> str:
    """Return one game as its letter and reason, several as wins, draws and losses."""
    if len(games) == 1:
        return f"{LETTERS[games[0].result]} {games[0].reason}"
    return "-".join(map(str, _score(games))) if games else ""


def _score(games: Sequence[GamingGame]) -> tuple[int, int, int]:
    results = [game.result for game in games]
    return results.count(1), results.count(0), results.count(-1)


def _points(score: tuple[int, int, int]) -> float:
    return score[0] + score[1] / 2


def gaming_text(table: GamingTable) -> str:
    """Return the test for people."""
    lines = [table.columns(), *table.rows()]
    widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
    aligned = ["  ".join(f"{cell:<{width}}" for cell, width in zip(line, widths, strict=True)) for line in lines]
    rows = "\n".join(line.rstrip() for line in aligned)
    once = [ONCE] if name_stable(table.stable) == "held_out" else []
    return "\n".join((rows, "", *(summary(table, player) for player in table.players), *once))


def summary(table: GamingTable, player: str) -> str:
    """Return what *player* achieved against the stable, in a sentence."""
    wins, draws, losses = table.totals(player)["all"]
    points = table.measures(player)["gaming.points"]
    why = "; ".join(
        f"{kind} by " + ", ".join(f"{reason} ({times})" for reason, times in reasons.items())
        for kind, reasons in table.reasons(player).items()
        if reasons
    )
    part = f"{points['value']:.1%} of the points ({points['low']:.1%} to {points['high']:.1%})"
    score = f"{wins} wins, {draws} draws, {losses} losses against the stable"
    pairs = table.pairs(player)
    sample = write_sample(pairs.games, pairs.different, pairs.number)
    corrected = table.corrections(player)
    checked = "" if corrected is None else f"; first choices corrected: {_tell(corrected)}"
    return f"{player}: {score}, {part}, {sample}; {why}{checked}"


def _tell(corrected: Mapping[str, int]) -> str:
    return ", ".join(f"{part} {times}" for part, times in corrected.items())


def gaming_json(table: GamingTable) -> dict[str, Any]:
    """Return the test as plain data, as `gaming.json` of a run folder holds it."""
    return {
        "game": table.game,
        "seed": table.seed,
        **stable_facts(table.stable),
        "players": list(table.players),
        "columns": table.columns(),
        "rows": table.rows(),
        "totals": {player: {k: list(v) for k, v in table.totals(player).items()} for player in table.players},
        "reasons": {player: table.reasons(player) for player in table.players},
        "illegal": {player: table.reasons(player)["losses"].get(ILLEGAL, 0) for player in table.players},
        "corrections": {player: table.corrections(player) for player in table.players},
        "measures": {player: table.measures(player) for player in table.players},
        "encounters": [_encounter_json(met) for met in table.encounters],
    }


def _encounter_json(met: Encounter) -> dict[str, Any]:
    names = {"player": met.player, "opponent": met.opponent, "kind": met.kind}
    return names | {"different": met.pairs.different, "games": [game._asdict() for game in met.games]}


def play_stable(run: Run[Any]) -> None:
    """Let the student of a run meet the stable in as many games as `judging.gaming` says; write `gaming.json`.

    Those whom `judging.gaming_beside` names do the same, and meet the student.
    """
    game, judging = run.experiment.game, run.experiment.judging
    games, players = judging.gaming, [f"student:{run.folder}", *judging.gaming_beside]
    played, total = 0, sum(one.games for one in _pairings(game, players, STABLE, games, SEED))

    def note(more: int) -> None:
        nonlocal played
        played += more
        run.tell("playing the stable", min(played / total, 1.0), f"{played} of {total} games")

    table = gaming(game, players, stable=STABLE, games=games, seed=SEED, backend=run.backend, progress=note)
    run.save("gaming.json", gaming_json(table))


TEST = Step("gaming", play_stable)
"""The test as a step of an experiment that asks for it."""
