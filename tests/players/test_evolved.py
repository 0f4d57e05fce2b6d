"""Students that are evaluators inside the search, as players and inside kernels: what they choose and refuse."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from safetensors.numpy import save_file

from tests.conftest import random_line
from understudy.cli import main
from understudy.errors import BadOption, FileError, UnderstudyError, UnknownName
from understudy.games import find_game
from understudy.players import make_player
from understudy.players.choosers import make_chooser
from understudy.players.evolved import load_evolved, save_evolved
from understudy.search.choosers import Looking, choose, make_room
from understudy.search.evaluators.chromosome import NetworkOptions, make_plan
from understudy.tensors import save_arrays

FIVE = find_game("lines_of_action", (5, 5))
NETWORK = NetworkOptions(inputs=("sides", "quads", "shape", "threats", "turn"), hidden=5, both=True)
FACTS = {"game": "lines_of_action", "size": "5x5", "depth": 3}
LENGTH = make_plan(FIVE, NETWORK).length
ALLELES = np.random.default_rng(1).normal(0, 0.3, LENGTH)


@pytest.fixture
def student(tmp_path: Path) -> Path:
    path = tmp_path / "student.safetensors"
    save_evolved(path, ALLELES, network=NETWORK, facts=FACTS)
    return path


def positions() -> list[Any]:
    return [position for seed in range(3) for position, _ in random_line(FIVE, 30, seed)[::5] if FIVE.moves(position)]


def test_a_student_survives_its_file(student: Path) -> None:
    evolved = load_evolved(student)
    assert evolved.network == NETWORK and np.array_equal(evolved.alleles, ALLELES)
    assert evolved.facts["game"] == "lines_of_action" and evolved.depth == 3
    assert [path.name for path in student.parent.iterdir()] == [student.name]


def test_a_student_plays_three_plies_unless_told(student: Path) -> None:
    room = make_room(FIVE.most_moves, np.random.default_rng(0))
    asked, found = positions(), {}
    for text, depth in (("", 3), (",depth=1", 1), (",depth=2", 2), (",depth=3", 3)):
        player = make_player(f"student:{student}{text}", FIVE)
        found[text] = [choice.move for choice in player.choose(asked)]
        chooser = make_chooser(f"student:{student}{text}", FIVE)
        assert isinstance(chooser, Looking) and chooser.depth == depth
        assert [room.codes[choose(chooser, position, room)] for position in asked] == found[text]
    assert found[""] == found[",depth=3"] and len({tuple(moves) for moves in found.values()}) == 3


def test_a_run_folder_is_a_student(student: Path) -> None:
    one, other = (make_player(f"student:{place}", FIVE) for place in (student, student.parent))
    assert one.choose(positions()) == other.choose(positions())


def test_a_student_says_how_far_it_looks(tmp_path: Path) -> None:
    path = tmp_path / "student.safetensors"
    save_evolved(path, ALLELES, network=NETWORK, facts={**FACTS, "depth": 1})
    shallow = make_player(f"student:{path}", FIVE)
    save_evolved(path, ALLELES, network=NETWORK, facts=FACTS)
    assert shallow.choose(positions()) == make_player(f"student:{path},depth=1", FIVE).choose(positions())


REFUSED: list[tuple[str, Any, str]] = [
    ("student:{}", find_game("lines_of_action"), "has learned lines_of_action on 5x5, not on 8x8"),
    ("student:{}", find_game("konane", (4, 4)), "has learned lines_of_action, not konane"),
    ("student:{},best=3", FIVE, "can be chosen, not best"),
    ("student:{},check=legal", FIVE, "can be chosen, not check"),
    ("student:{},symmetries=true", FIVE, "can be chosen, not symmetries"),
    ("student:{},depth=0", FIVE, "depth must be from 1 to"),
    ("student:{},depth=99", FIVE, "depth must be from 1 to"),
    ("student:{},deep=3", FIVE, "no option of player 'student' 'deep'; did you mean 'depth'?"),
]


@pytest.mark.parametrize("make", [make_player, make_chooser])
@pytest.mark.parametrize(("text", "game", "message"), REFUSED)
def test_what_a_student_refuses(student: Path, make: Callable[..., Any], text: str, game: Any, message: str) -> None:
    with pytest.raises((BadOption, UnknownName)) as caught:
        make(text.format(student), game)
    assert message in str(caught.value)


def test_the_clock_is_for_players_alone(student: Path) -> None:
    """Inside a kernel a student looks a number of plies ahead."""
    for option in ("time=0.1", "nodes=100", "quiescence=true"):
        with pytest.raises(BadOption, match=f"depth can be chosen, not {option.partition('=')[0]}"):
            make_chooser(f"student:{student},{option}", FIVE)
    assert make_player(f"student:{student},nodes=100", FIVE).choose(positions()[:2])


def chosen(**changes: Any) -> dict[str, Any]:
    network: dict[str, Any] = {"inputs": list(NETWORK.inputs), "hidden": 5, "both": True}
    return {**FACTS, "kind": "evaluator", "network": {**network, **changes}}


BROKEN: list[tuple[dict[str, Any], dict[str, Any], str]] = [
    ({"alleles": ALLELES[1:]}, chosen(), f"of {LENGTH - 1} alleles does not fit a network of {LENGTH} weights"),
    ({"alleles": ALLELES.reshape(-1, 1)}, chosen(), "does not fit a network"),
    ({"alleles": ALLELES * np.inf}, chosen(), "not finite"),
    ({"weights": ALLELES}, chosen(), "is no evolved student"),
    ({"alleles": ALLELES}, {**chosen(), "network": 3}, "is no evolved student"),
    ({"alleles": ALLELES}, {**chosen(), "depth": "deep"}, "is no evolved student"),
    ({"alleles": ALLELES}, {**chosen(), "depth": 77}, "depth must be from 1 to"),
    ({"alleles": ALLELES}, {**chosen(), "size": None}, "has learned lines_of_action on None, not on 5x5"),
    ({"alleles": ALLELES}, chosen(hidden=6), "does not fit a network"),
    ({"alleles": ALLELES}, chosen(hidden=-1), "network.hidden must be from 1"),
    ({"alleles": ALLELES}, chosen(hidden="many"), "hidden must be a whole number, not 'many'"),
    ({"alleles": ALLELES}, chosen(inputs=["sides", "everything"]), "no input of lines_of_action 'everything'"),
    ({"alleles": ALLELES}, chosen(colour="red"), "no option of the student"),
]  # fmt: skip


@pytest.mark.parametrize(("arrays", "facts", "message"), BROKEN)
def test_a_file_with_nonsense_is_one_sentence(
    tmp_path: Path, arrays: dict[str, Any], facts: dict[str, Any], message: str
) -> None:
    path = tmp_path / "x.safetensors"
    save_arrays(path, arrays, facts)
    for make in (make_player, make_chooser):
        with pytest.raises(UnderstudyError) as caught:
            make(f"student:{path}", FIVE)
        assert message in str(caught.value) and "\n" not in str(caught.value)


@pytest.mark.parametrize("content", [b"", b"nonsense", b"\x02\0\0\0\0\0\0\0{}", b"\xff" * 64])
def test_a_file_of_garbage_exits_with_2(
    tmp_path: Path, content: bytes, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "student.safetensors"
    path.write_bytes(content)
    monkeypatch.setattr(sys, "argv", ["understudy", "match", "lines_of_action", f"student:{path}", "random"])
    with pytest.raises(SystemExit) as caught:
        main()
    said = capsys.readouterr().err
    assert caught.value.code == 2 and said.startswith("understudy: ") and said.count("\n") == 1


@pytest.mark.parametrize("facts", ["[]", "3", "null", '"evaluator"'])
def test_facts_that_are_no_table(tmp_path: Path, facts: str) -> None:
    path = tmp_path / "student.safetensors"
    save_file({"alleles": ALLELES}, path, metadata={"understudy": facts})
    with pytest.raises(FileError, match="facts are no table"):
        make_player(f"student:{path}", FIVE)


@settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow])
@given(edits=st.lists(st.tuples(st.integers(0, 600), st.integers(0, 255)), max_size=4), cut=st.integers(0, 40))
def test_no_bytes_break_the_reader_of_students(tmp_path: Path, edits: list[tuple[int, int]], cut: int) -> None:
    path = tmp_path / "student.safetensors"
    save_evolved(path, ALLELES, network=NETWORK, facts=FACTS)
    content = bytearray(path.read_bytes())
    for place, byte in edits:
        content[place % len(content)] = byte
    path.write_bytes(content[: len(content) - cut])
    try:
        make_chooser(f"student:{path}", FIVE)
    except UnderstudyError as error:
        assert "\n" not in str(error)


def test_the_command_line_plays_a_student(
    student: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    arguments = ["match", "lines_of_action", f"student:{student}", "random", "--size", "5", "--games", "4", "--json"]
    monkeypatch.setattr(sys, "argv", ["understudy", *arguments])
    main()
    answer = json.loads(capsys.readouterr().out)
    assert answer["wins"] + answer["draws"] + answer["losses"] == 4
