"""Students that imitate moves and value positions: they look one ply ahead, and remember the game."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import torch

from understudy.errors import BadOption
from understudy.games import find_game
from understudy.networks import build_units
from understudy.networks.files import save_student
from understudy.networks.students import StudentOptions, Whole
from understudy.players import make_player
from understudy.players.looking import repeating
from understudy.players.memory import Memory, use_memory
from understudy.search.workspace import named

MORRIS = find_game("morris")
NETWORK = {"kind": "residual", "symmetric": True, "width": 50, "hidden": 50, "blocks": 1}
FACTS = {"game": "morris", "encoder": "rawest", "columns": 90, "order": "FTR"}


def make_student(folder: Path, *, value: bool, bias: float = 0.0) -> str:
    """Write an untrained student, which says the same of every position if *bias* is large."""
    torch.manual_seed(1)
    networks = dict.fromkeys(MORRIS.part_names, NETWORK)
    units = build_units(MORRIS, StudentOptions(design="whole", order="FTR", value=value), networks)
    if value:
        unit = units[0]
        assert isinstance(unit, Whole) and unit.value is not None
        torch.nn.init.constant_(unit.value[-1].bias, bias)  # type: ignore[index]
    save_student(folder, "student", units, FACTS)
    return f"student:{folder}"


def test_what_looks_ahead_takes_a_win(tmp_path: Path) -> None:
    name = make_student(tmp_path, value=True)
    player = make_player(f"{name},depth=1", MORRIS)
    rng, seen = np.random.default_rng(3), 0
    for _ in range(60):
        position = MORRIS.start()
        while (moves := MORRIS.moves(position)) and MORRIS.outcome(position) is None:
            winning = [move for move in moves if (MORRIS.outcome(MORRIS.play(position, move)) or 0) < 0]
            if winning:
                seen += 1
                assert player.choose([position])[0].move in winning
            position = MORRIS.play(position, moves[rng.integers(len(moves))])
            if position.ply > 300:
                break
    assert seen > 20


def test_who_is_ahead_avoids_a_draw_and_who_is_behind_takes_it(tmp_path: Path) -> None:
    """A network that holds every position for won leaves its first choice where that would be a draw."""
    hopeful, careless = (
        make_player(f"{make_student(tmp_path / str(bias), value=True, bias=bias)},check=legal", MORRIS)
        for bias in (9.0, -9.0)
    )
    forgetful = make_player(f"student:{tmp_path / '9.0'},check=legal,remember=false", MORRIS)
    rng, changed = np.random.default_rng(5), 0
    for _ in range(40):
        past = [MORRIS.start()]
        for _ in range(30):
            moves = MORRIS.moves(past[-1])
            if not moves or MORRIS.outcome(past[-1]) is not None:
                break
            past.append(MORRIS.play(past[-1], moves[rng.integers(len(moves))]))
        position = past.pop()
        if not MORRIS.moves(position) or MORRIS.outcome(position) is not None:
            continue
        liked = forgetful.choose([position], [past])[0]
        seen = [*past, MORRIS.play(position, liked.move)]  # as if that position had been there before
        drawn = set(repeating(MORRIS, [*seen, position]))
        other = hopeful.choose([position], [seen])[0]
        taken = careless.choose([position], [seen])[0].move
        assert int(named(MORRIS.play(position, taken))) in drawn  # who is behind takes the draw
        changed += other.move != liked.move
        assert forgetful.choose([position], [seen])[0].move == liked.move
        assert other.move == liked.move or int(named(MORRIS.play(position, other.move))) not in drawn
    assert changed > 10


def test_who_values_nothing_cannot_look_ahead(tmp_path: Path) -> None:
    name = make_student(tmp_path, value=False)
    with pytest.raises(BadOption, match="has not learned what positions are worth"):
        make_player(f"{name},depth=1", MORRIS)
    with pytest.raises(BadOption, match="depth"):
        make_player(f"{make_student(tmp_path / 'v', value=True)},depth=2", MORRIS)


def test_nobody_ahead_lets_the_other_side_repeat() -> None:
    """Two slides there and back: a third would let the other side bring the first position about again."""
    start = MORRIS.read("MMOOOOOOOMMOOEEOOOOOEEOO0044")
    move = MORRIS.moves(start)[0]
    after = MORRIS.play(start, move)
    reply = MORRIS.play(after, MORRIS.moves(after)[0])
    assert not Memory(MORRIS, (), start).drawn
    memory = Memory(MORRIS, [reply], start)  # as if what that reply leads to had been there before
    assert memory.lets_draw(move) and not memory.draws(move)

    def play(worth: float, liking: float) -> int:
        return use_memory(memory, move, worth, lambda some: dict.fromkeys(some, liking))

    assert play(0.9, 0.5) != move and not memory.lets_draw(play(0.9, 0.5))
    assert play(0.9, 0.001) == move  # what is liked that little may lose
    assert play(-0.9, 0.5) == play(0.05, 0.5) == move
