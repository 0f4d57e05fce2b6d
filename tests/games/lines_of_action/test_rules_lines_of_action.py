"""Lines of Action against published counts, a slow second implementation, real games and the rule book."""

from __future__ import annotations

import csv
import random
from contextlib import suppress
from itertools import islice, pairwise

import numba
import numpy as np
import pytest

from tests.conftest import SHARED
from understudy.errors import BadOption, IllegalMove, NotationError, UnknownName
from understudy.games import find_game, rules
from understudy.games.game import CompiledGame
from understudy.games.kind import ONGOING
from understudy.games.lines_of_action import notation as lines_of_action_notation
from understudy.games.lines_of_action import rules as lines_of_action
from understudy.games.lines_of_action.notation import PASS, LinesOfAction
from understudy.kernels import interpreted
from understudy.protocols import Outcome

GAMES_FILE = SHARED / "data" / "lines_of_action" / "loa_ericcjoyce_clean.csv"
PERFT = {8: (36, 1244, 44_952, 1_563_208, 55_963_132), 4: (12, 120, 1012, 7460, 54_700, 389_872)}


def made(size: int = 8, **switches: str) -> CompiledGame:
    return find_game("lines_of_action", (size, size), switches)


@pytest.mark.parametrize("size", PERFT)
def test_perft(size: int) -> None:
    out = np.empty((7, lines_of_action.MOST_MOVES), np.int32)
    expected = PERFT[size][:2] if interpreted() else PERFT[size]
    counts = tuple(rules.perft(made(size).start(), depth, out) for depth in range(1, len(expected) + 1))
    assert counts == expected


def test_shortest_known_game() -> None:
    game = made()
    line = ["d1-b3", "h5-g4", "b1-b4", "g4xg1", "b4-e7", "a3xc1", "b3-e6", "h3xf1", "e1-e5"]
    position = game.start()
    for text in line:
        assert game.outcome(position) is None
        move = game.read_move(position, text)
        assert game.write_move(position, move) == text
        position = game.play(position, move)
    assert game.outcome(position) is Outcome.LOSS, "White is to move and Black has connected"
    assert game.reason(position) == "connection"
    assert game.moves(position) == []


# A slow implementation from the rules alone: a dictionary of stones, one step at a time.

Stones = dict[tuple[int, int], str]


def slow_moves(stones: Stones, side: str, size: int) -> set[tuple[tuple[int, int], tuple[int, int]]]:
    legal = set()
    for (x, y), colour in stones.items():
        for dx, dy in ((1, 0), (0, 1), (1, 1), (1, -1), (-1, 0), (0, -1), (-1, -1), (-1, 1)):
            if colour != side:
                continue
            on_line = [(a, b) for a, b in stones if (a - x) * dy == (b - y) * dx]
            way = [(x + dx * step, y + dy * step) for step in range(1, len(on_line) + 1)]
            inside = all(0 <= a < size and 0 <= b < size for a, b in way)
            if inside and all(stones.get(cell, side) == side for cell in way[:-1]) and stones.get(way[-1]) != side:
                legal.add(((x, y), way[-1]))
    return legal


def slow_connected(stones: Stones, side: str) -> bool:
    groups: list[set[tuple[int, int]]] = []
    for x, y in (cell for cell, colour in stones.items() if colour == side):
        near = {(x + dx, y + dy) for dx in (-1, 0, 1) for dy in (-1, 0, 1)}
        joined = [group for group in groups if group & near]
        groups = [group for group in groups if not group & near] + [set().union({(x, y)}, *joined)]
    return len(groups) == 1


def slow_outcome(stones: Stones, side: str) -> int:
    other = "W" if side == "B" else "B"
    if slow_connected(stones, other):
        return -1
    return 1 if slow_connected(stones, side) else ONGOING


def slow_start(size: int) -> Stones:
    inner = range(1, size - 1)
    return {(x, y): "B" for x in inner for y in (0, size - 1)} | {(x, y): "W" for y in inner for x in (0, size - 1)}


@pytest.mark.parametrize("size", lines_of_action_notation.SIZES)
def test_random_games_agree_with_the_slow_rules(size: int) -> None:
    chance, out = random.Random(size), np.empty(lines_of_action.MOST_MOVES, np.int32)
    endings = set()
    for _ in range(25):
        position, stones, ply = made(size).start(), slow_start(size), 0
        while True:
            side = "BW"[ply % 2]
            codes = out[: rules.moves(position, out)].tolist()
            expected = {(8 * y + x) << 6 | 8 * b + a for (x, y), (a, b) in slow_moves(stones, side, size)} or {PASS}
            assert codes == sorted(expected)
            assert rules.count(position) == len(codes)
            assert rules.movable(position)
            assert rules.outcome(position, len(codes)) == slow_outcome(stones, side)
            if rules.outcome(position, len(codes)) != ONGOING or ply >= 150:
                endings.add(rules.outcome(position, len(codes)))
                break
            move = chance.choice(codes)
            if move != PASS:
                origin, to = ((cell % 8, cell // 8) for cell in (move >> 6, move & 63))
                stones[to] = stones.pop(origin)
            position, ply = rules.play(position, move), ply + 1
            assert position.ply == ply
    assert -1 in endings


@pytest.mark.parametrize("size", lines_of_action_notation.SIZES)
def test_random_placements_agree_with_the_slow_rules(size: int) -> None:
    chance, out = random.Random(size), np.empty(lines_of_action.MOST_MOVES, np.int32)
    cells = [(x, y) for x in range(size) for y in range(size)]
    for _ in range(400):
        black, white = chance.randint(1, 2 * size - 4), chance.randint(1, 2 * size - 4)
        chosen = chance.sample(cells, black + white)
        stones = {cell: "B" if i < black else "W" for i, cell in enumerate(chosen)}
        mine, theirs = (
            np.uint64(sum(1 << 8 * y + x for (x, y), stone in stones.items() if stone == colour)) for colour in "BW"
        )
        position = LinesOfAction(mine, theirs, size, lines_of_action.STUCK_LOSES, 0)
        codes = out[: rules.moves(position, out)].tolist()
        expected = {(8 * y + x) << 6 | 8 * b + a for (x, y), (a, b) in slow_moves(stones, "B", size)}
        assert codes == sorted(expected)
        assert rules.count(position) == len(codes)
        assert rules.movable(position) == bool(codes)
        assert lines_of_action.connected(mine) == slow_connected(stones, "B")
        if codes:
            assert rules.outcome(position, len(codes)) == slow_outcome(stones, "B")


def test_real_games() -> None:
    if not GAMES_FILE.exists():
        pytest.skip(f"no file {GAMES_FILE}")
    results = {"1-0": 1, "0-1": -1, "1/2-1/2": ONGOING}
    game = made()
    with GAMES_FILE.open(newline="") as file:
        for row in islice(csv.DictReader(file), 0, None, 26):
            position, texts = game.start(), row["moves"].split()
            for text in texts:
                move = lines_of_action_notation.read_move(position, text)
                assert move in game.moves(position), f"{text} in {game.write(position)}"
                position = rules.play(position, move)
            result = rules.outcome(position, rules.count(position))
            first = result if result == ONGOING or position.ply % 2 == 0 else -result
            assert first == results[row["result_black_first"]], row["moves"]
            assert len(texts) == int(row["plies"])


# Rule book.


def test_start() -> None:
    assert made(4).write(made(4).start()) == ".BB./W..W/W..W/.BB. B"
    assert made(8).write(made(8).start()) == ".BBBBBB./" + "W......W/" * 6 + ".BBBBBB. B"


def test_own_stones_are_jumped_enemy_stones_are_not() -> None:
    game = made(5)
    assert "a1-c1" in texts(game, game.read("....B/...../W...W/...../BB... B"))
    assert "a1-c1" not in texts(game, game.read("....B/...../....W/...../BW... B"))
    assert "a1-d1" not in texts(game, game.read("....B/...../W...W/...../BB.B. B")), "an own stone is on d1"
    assert "a1xd1" in texts(game, game.read("....B/...../....W/...../BB.W. B"))


def texts(game: CompiledGame, position: LinesOfAction) -> list[str]:
    return [game.write_move(position, move) for move in game.moves(position)]


def test_single_stone_is_connected() -> None:
    position = made().read("......../......../..W...W./......../...B..../......../......../........ B")
    assert made().outcome(position) is Outcome.WIN
    assert made().reason(position) == "connection"


@pytest.mark.parametrize(("setting", "expected"), [("win", Outcome.LOSS), ("draw", Outcome.DRAW)])
def test_capture_that_connects_both_sides(setting: str, expected: Outcome) -> None:
    game = made(4, both_connected=setting)
    before = game.read("..../.BBW/.W../.W.B B")
    assert game.outcome(before) is None
    after = game.play(before, game.read_move(before, "d1xd3"))
    assert game.write(after) == "..../.BBB/.W../.W.. W"
    assert game.outcome(after) is expected
    assert game.reason(after) == "connection"


@pytest.mark.parametrize("setting", ["win", "draw"])
def test_capture_that_connects_only_the_enemy_loses(setting: str) -> None:
    game = made(4, both_connected=setting)
    before = game.read("B..B/..../...W/BW.. B")
    assert game.outcome(before) is None
    after = game.play(before, game.read_move(before, "d4xd2"))
    assert game.outcome(after) is Outcome.WIN
    assert game.reason(after) == "connection"


STUCK = "...WB/...../..W.W/W...W/BW... B"
"""On each line of a1 and of e5 that leads into the board are two or three stones, and an enemy is in the way."""


def test_side_without_a_move() -> None:
    passing, losing = made(5), made(5, no_move="loss")
    position = passing.read(STUCK)
    assert passing.moves(position) == [PASS]
    assert rules.count(position) == 1
    assert rules.movable(position)
    assert passing.write_move(position, PASS) == "pass"
    after = passing.play(position, passing.read_move(position, "Pass"))
    assert (after.mine, after.theirs, after.ply) == (position.theirs, position.mine, position.ply + 1)
    lost = losing.read(STUCK)
    assert losing.moves(lost) == []
    assert rules.count(lost) == 0
    assert not rules.movable(lost)
    assert losing.outcome(lost) is Outcome.LOSS
    assert losing.reason(lost) == "no move"


def test_small_board_is_won_in_three_plies() -> None:
    start = made(4).start()
    assert [solved(start, depth) for depth in (1, 2, 3)] == [0, 0, 1]


def solved(position: LinesOfAction, depth: int) -> int:
    """Return 1 or -1 if the side to move wins or loses within *depth* plies, else 0."""
    out = np.empty(lines_of_action.MOST_MOVES, np.int32)
    width = rules.moves(position, out)
    result = rules.outcome(position, width)
    if result != ONGOING or depth == 0:
        return 0 if result == ONGOING else result
    return max(-solved(rules.play(position, int(move)), depth - 1) for move in out[:width])


@pytest.mark.skipif(interpreted(), reason="takes minutes when kernels are interpreted")
@pytest.mark.parametrize("setting", ["win", "draw"])
def test_five_by_five_is_won_in_eleven_plies(setting: str) -> None:
    start = made(5, both_connected=setting).start()
    keys, bounds = np.zeros(1 << TABLE_BITS, np.uint64), np.zeros((1 << TABLE_BITS, 2), np.int64)
    out = np.empty((12, lines_of_action.MOST_MOVES), np.int32)
    assert [wins(start, depth, True, out, keys, bounds) for depth in range(12)] == [False] * 11 + [True]


TABLE_BITS = 20


@numba.njit
def wins(position, depth, attacking, out, keys, bounds):  # type: ignore[no-untyped-def]
    """Tell whether the attacker, to move or not, can force a win within *depth* plies.

    *bounds* keep, for a key, the largest depth known to fail and the smallest known to succeed.
    """
    width = rules.moves(position, out[depth])
    result = rules.outcome(position, width)
    if result != ONGOING or depth == 0:
        return result == (1 if attacking else -1)
    key = rules.key(position) if attacking else ~rules.key(position)
    place = np.int64(key >> np.uint64(64 - TABLE_BITS))
    if keys[place] != key:
        keys[place], bounds[place, 0], bounds[place, 1] = key, 0, 99
    if bounds[place, 0] >= depth or bounds[place, 1] <= depth:
        return bounds[place, 1] <= depth
    decided = not attacking
    for i in range(width):
        if wins(rules.play(position, out[depth, i]), depth - 1, not attacking, out, keys, bounds) == attacking:
            decided = attacking
            break
    if keys[place] != key:
        keys[place], bounds[place, 0], bounds[place, 1] = key, 0, 99
    bounds[place, 1 if decided else 0] = depth
    return decided


# Notation, parts, symmetries, variants.


@pytest.mark.parametrize("size", lines_of_action_notation.SIZES)
def test_notation_round_trips(size: int) -> None:
    game, chance = made(size), random.Random(size)
    position = game.start()
    for _ in range(60):
        again = game.read(game.write(position))
        assert again == position._replace(ply=position.ply % 2)
        codes = game.moves(position)
        if not codes:
            break
        for move in codes:
            text = game.write_move(position, move)
            assert game.read_move(position, text) == move
            assert game.read_move(position, f" {text.upper()} ") == move
            assert lines_of_action_notation.joined(game.parts(move)) == move
            if move != PASS:
                assert game.read_move(position, text.replace("-", "").replace("x", "")) == move
                assert ("x" in text) == (rules.promise(position, move) == 1)
        position = game.play(position, chance.choice(codes))


@pytest.mark.parametrize(
    "text",
    [
        "",
        "B",
        ".BB./W..W/W..W/.BB.",
        ".BB./W..W/W..W/.BB. X",
        ".BB./W..W/W..W/.BB.  B",
        ".BB./W..W/W..W B",
        ".BB./W..W/W..W/.BB./.... B",
        ".BB./W..W/W..W/.BBx B",
        ".BBB/W..W/W..W/.BB. B",
        ".BB./WW.W/W..W/.BB. B",
        "..../W..W/W..W/.... B",
        ".BB./..../..../.BB. W",
        "/// B",
        ".BB./W..W/W..W/.BB. B\nB",
        ".bb./w..w/w..w/.bb. b",
        "٤" * 8,
        "\0",
    ],
)
def test_bad_positions(text: str) -> None:
    with pytest.raises(NotationError, match="lines_of_action position"):
        made(4).read(text)


@pytest.mark.parametrize(
    "text", ["", "a1", "b1-", "b1--b3", "b1-e1", "i1-b2", "b1-b9", "b1b1", "passe", "b1-b3-b4", "1b-3b"]
)
def test_bad_moves(text: str) -> None:
    with pytest.raises(NotationError, match="lines_of_action move"):
        made(4).read_move(made(4).start(), text)


def test_random_text_raises_nothing_else() -> None:
    chance = random.Random(1)
    for _ in range(3000):
        text = "".join(chance.choice("BW./ x-a1b2pas") for _ in range(chance.randint(0, 24)))
        for attempt in (made(4).read, lambda text: made(4).read_move(made(4).start(), text)):
            with suppress(NotationError, IllegalMove):
                attempt(text)


def test_illegal_moves_are_refused() -> None:
    game = made()
    for text in ("d1-d2", "a2-c2", "pass", "d4-d5"):
        with pytest.raises(IllegalMove):
            game.read_move(game.start(), text)
    with pytest.raises(IllegalMove):
        game.play(game.start(), PASS)


@pytest.mark.parametrize("size", lines_of_action_notation.SIZES)
def test_symmetries_preserve_legality(size: int) -> None:
    game, chance = made(size), random.Random(size)
    position = game.start()
    for _ in range(25):
        codes = game.moves(position)
        if not codes:
            break
        for permutation in lines_of_action_notation.symmetries(position):
            image = lines_of_action_notation.permuted(position, permutation)
            assert game.moves(image) == sorted(
                lines_of_action_notation.permuted_move(move, permutation) for move in codes
            )
            assert sorted(permutation) == list(range(64))
        pairs = game.symmetries(position, codes[0])
        assert pairs[0] == (position, codes[0])
        assert len(pairs) == 8
        position = game.play(position, chance.choice(codes))


def test_symmetries_are_a_group_of_eight() -> None:
    for size in lines_of_action_notation.SIZES:
        images = {tuple(row) for row in lines_of_action_notation.SYMMETRIES[size].tolist()}
        assert len(images) == 8
        assert all(tuple(a[b] for b in other) in images for a in images for other in images)
    assert lines_of_action_notation.permuted_move(PASS, lines_of_action_notation.SYMMETRIES[8][3]) == PASS


def test_features_and_keys() -> None:
    out = np.empty(lines_of_action.FEATURES, np.int32)
    position = made(4).start()
    assert out[: rules.features(position, out)].tolist() == [1, 2, 25, 26, 72, 75, 80, 83]
    assert rules.key(position) == rules.key(position._replace(ply=2))
    turned = rules.turn(position)
    assert (turned.mine, turned.theirs, turned.ply) == (position.theirs, position.mine, 1)
    assert rules.key(turned) != rules.key(position)


def test_keys_differ_over_a_game_tree() -> None:
    game = made(5)
    seen = {game.key(game.start()): game.start()[:2]}
    layer = [game.start()]
    for _ in range(3):
        layer = [game.play(position, move) for position in layer for move in game.moves(position)]
        for position in layer:
            assert seen.setdefault(game.key(position), position[:2]) == position[:2]


def test_board_and_stones() -> None:
    game = made(5)
    assert game.board.cells[:6] == ("a1", "b1", "c1", "d1", "e1", "a2")
    assert game.board.places[6] == (1.0, 1.0)
    assert game.board.lines == ()
    assert game.stones(game.start())[:6] == ("", "black", "black", "black", "", "white")
    after = game.play(game.start(), game.moves(game.start())[0])
    assert game.stones(after).count("black") == 6
    assert game.colours == ("black", "white")


def test_variants() -> None:
    assert made().conventions[:2] == (3, 100)
    assert lines_of_action.variant(None, {}).size == (8, 8)
    assert [
        made(6, both_connected=b, no_move=n).start().switches for n in ("pass", "loss") for b in ("win", "draw")
    ] == [0, 1, 2, 3]
    for size in ((3, 3), (9, 9), (8, 7), (0, 0)):
        with pytest.raises(BadOption):
            find_game("lines_of_action", size)
    with pytest.raises(UnknownName):
        made(8, both_connected="loss")
    with pytest.raises(UnknownName):
        made(8, kings="yes")


def test_codes_ascend_and_fit() -> None:
    game = made()
    for first in game.moves(game.start()):
        codes = game.moves(game.play(game.start(), first))
        assert all(a < b for a, b in pairwise(codes))
        assert max(codes) < 4096
