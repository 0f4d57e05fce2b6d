"""Games of people held out by player and year: who is on which side, that no game crosses, and what is refused."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from understudy.errors import BadOption, FileError, UnknownName
from understudy.games import find_game
from understudy.games.chess.records.pgn_records import load_parted
from understudy.lab.experiments import make_experiment
from understudy.lab.kinds.imitation import prepare_records
from understudy.lab.run import Run
from understudy.records.examples import split_examples
from understudy.records.people import (
    FAMILIAR,
    LEFT_OUT,
    SIDES,
    TEST,
    TRAIN,
    VALIDATION,
    HoldOut,
    check_sides,
    choose_side,
    draw,
    spell,
)
from understudy.records.store import load

CHESS = find_game("chess")
HOLD_OUT = HoldOut(players=0.3, year=2021)
NAMES = [f"Player{number}, {letter}" for number in range(40) for letter in "AB"]


def is_held_out(name: str, hold_out: HoldOut = HOLD_OUT) -> bool:
    return draw(spell(name).encode(), hold_out.seed, 0) < hold_out.players


STRANGE = [name for name in NAMES if is_held_out(name)]
COMMON = [name for name in NAMES if not is_held_out(name)]


def game(white: str, black: str, date: str, moves: str, **tags: str) -> str:
    lines = [f'[{key} "{value}"]' for key, value in {"White": white, "Black": black, "Date": date, **tags}.items()]
    return "\n".join([*lines, "", f"{moves} 1-0", ""]) + "\n"


def line_of(number: int) -> str:
    """Return a short game that no other number below 1024 has: knights go out and home, a pawn of each side moves."""
    files, cells = "abcdefgh", "acfh"
    white, black = files[number % 8], files[number // 8 % 8]
    return f"1. Nf3 Nf6 2. Ng1 Ng8 3. {white}4 {black}5 4. N{cells[number // 64 % 4]}3 N{cells[number // 256]}6"


def write(path: Path, games: Sequence[str]) -> Path:
    path.write_text("\n".join(games))
    return path


@pytest.fixture
def collection(tmp_path: Path) -> Path:
    """Four hundred games: of common and of strange players, before and after the year."""
    rng, games = np.random.default_rng(0), []
    for number in range(400):
        white, black = (NAMES[place] for place in rng.integers(0, len(NAMES), 2))
        games.append(game(white, black, f"{2010 + number % 14}.05.06", line_of(number)))
    return write(tmp_path / "games.pgn", games)


def test_players_are_drawn_by_their_names_alone() -> None:
    assert 0.1 < len(STRANGE) / len(NAMES) < 0.5
    assert spell("Carlsen, Magnus") == spell("carlsen,M") == "carlsen,m" and spell("DrNykterstein") == "drnykterstein,"
    other = HoldOut(players=0.3, year=2021, seed=1)
    assert [is_held_out(name) for name in NAMES] != [is_held_out(name, other) for name in NAMES]


@pytest.mark.parametrize(
    ("players", "date", "sides"),
    [
        (COMMON[:2], "2020.12.31", {TRAIN}),
        (STRANGE[:2], "2021.01.01", {TEST}),
        ([COMMON[0], STRANGE[0]], "2022.??.??", {TEST}),
        ([STRANGE[0], COMMON[0]], "2019.01.01", {VALIDATION, LEFT_OUT}),
        (COMMON[:2], "2021.01.01", {VALIDATION, LEFT_OUT}),
        (COMMON[:2], "????.??.??", {LEFT_OUT}),
        (["?", COMMON[0]], "2019.01.01", {LEFT_OUT}),
    ],
)
def test_a_game_is_learned_from_or_graded_or_neither(players: list[str], date: str, sides: set[int]) -> None:
    drawn = {choose_side(HOLD_OUT, players, date, bytes([number])) for number in range(200)}
    assert drawn == sides


def test_no_player_and_no_year_is_on_both_sides(collection: Path) -> None:
    records, games = load_parted([collection], HOLD_OUT, "refuse")
    assert records.sides is not None and sum(games.values()) == 400
    assert games["train"] > 30 and games["test"] > 10 and games["left out"] > 50
    rows = np.bincount(records.sides, minlength=4)
    assert rows[TRAIN] == 8 * games["train"] and rows[TEST] + rows[FAMILIAR] == 8 * games["test"]


def test_familiar_positions_are_those_of_training_games(collection: Path) -> None:
    records, _ = load_parted([collection], HOLD_OUT, "refuse")
    sides = split_examples(records, split="people", seed=0)
    learned = {tuple(row[:9]) for row in zip(*sides["train"].positions, strict=True)}
    graded = [tuple(row[:9]) in learned for row in zip(*sides["test"].positions, strict=True)]
    assert len(sides["fresh"].moves) == graded.count(False) > 0
    assert not any(tuple(row[:9]) in learned for row in zip(*sides["fresh"].positions, strict=True))


def test_a_game_that_is_told_twice_counts_once(tmp_path: Path) -> None:
    old = game(COMMON[0], COMMON[1], "2019.01.01", line_of(1))
    graded = game(STRANGE[0], COMMON[1], "2022.01.01", line_of(2))
    copies = [
        game("Somebody, Else", COMMON[2], "2022.02.02", line_of(1)),  # spelled otherwise, dated otherwise
        game(COMMON[3], COMMON[4], "2011.01.01", line_of(2)),  # graded above: must not be learned from
        game(STRANGE[1], STRANGE[2], "2023.01.01", line_of(1)),
    ]
    first, second = write(tmp_path / "a.pgn", [old, graded]), write(tmp_path / "b.pgn", copies)
    records, games = load_parted([first, second], HOLD_OUT, "refuse")
    assert games["train"] == games["test"] == 1 and games.get("repeated", 0) >= 2
    assert len(records) == 16 and set(records.sources.tolist()) == {"a.pgn"}


def test_a_share_of_games_is_drawn_by_their_moves(collection: Path) -> None:
    half = HoldOut(players=0.3, year=2021, share=0.5)
    records, games = load_parted([collection], half, "refuse")
    again, _ = load_parted([collection], half, "refuse")
    assert 120 < games["not drawn"] < 280 and np.array_equal(records.moves, again.moves)
    only, _ = load_parted([collection], HOLD_OUT, "refuse", (TEST,))
    assert only.sides is not None and set(only.sides.tolist()) == {TEST}


def test_collections_that_date_games_otherwise(tmp_path: Path) -> None:
    undated = game(COMMON[0], COMMON[1], "????.??.??", line_of(3), UTCDate="2013.01.01")
    _, games = load_parted([write(tmp_path / "a.pgn", [undated])], HOLD_OUT, "refuse")
    assert games == {"train": 1}


def settings(file: str = "games.pgn", **changes: Any) -> dict[str, Any]:
    records = {"files": [file], "held_out_players": 0.3, "held_out_from": 2021, **changes}
    return {
        "experiment": {"game": "chess"},
        "records": {key: value for key, value in records.items() if value is not None},
        "examples": {"split": "people"},
    }


def prepare(chosen: dict[str, Any], folder: Path) -> Run[Any]:
    place = folder / "run"
    place.mkdir()
    run = Run(make_experiment("test", chosen, folder=folder), place)
    prepare_records(run)
    return run


def test_a_run_keeps_the_sides(collection: Path) -> None:
    run = prepare(settings(), collection.parent)
    kept = load(run.folder / "records.parquet")
    assert kept.sides is not None
    counted = run.load("sides.json")
    assert counted["positions"] == dict(zip(SIDES, np.bincount(kept.sides, minlength=4).tolist(), strict=True))
    assert sum(counted["games"].values()) == 400


@pytest.mark.parametrize(
    ("changes", "fault"),
    [
        (
            {"held_out_from": 1990},
            "no game is left to learn from when 0.3 of the players are held out from the year 1990",
        ),
        (
            {"held_out_from": 2050},
            "no game is left to grade when 0.3 of the players are held out from the year 2050 on",
        ),
    ],
)
def test_a_year_that_leaves_nothing_is_refused(collection: Path, changes: dict[str, Any], fault: str) -> None:
    with pytest.raises(BadOption, match=fault):
        prepare(settings(**changes), collection.parent)
    assert not (collection.parent / "run" / "records.parquet").exists()


def test_a_variant_among_people_s_games_is_refused(tmp_path: Path) -> None:
    odd = game(COMMON[0], COMMON[1], "2019.01.01", line_of(3), Variant="Atomic")
    write(tmp_path / "games.pgn", [odd])
    with pytest.raises(FileError, match="it is a game of 'Atomic', not of chess"):
        prepare(settings(), tmp_path)


@pytest.mark.parametrize(
    ("chosen", "fault"),
    [
        (settings(held_out_from=None), "records.held_out_players needs records.held_out_from too"),
        (settings(held_out_players=None), "records.held_out_from needs records.held_out_players too"),
        (settings("records.parquet"), "records.held_out_players: .* and 'records.parquet' is not PGN"),
        (settings(limit=5), "records.limit cuts a file off"),
        (settings(held_out_players=0.95), "records.held_out_players must be from 0.001 to 0.9, not 0.95"),
        (settings() | {"examples": {}}, "'people' goes with records.held_out_players"),
        (settings(held_out_players=None, held_out_from=None), "'people' goes with records.held_out_players"),
        (settings() | {"experiment": {"game": "konane"}}, "held out of games in PGN, and konane has none"),
        (settings() | {"experiment": {"game": "morris"}}, "held out of games in PGN, and morris has none"),
        (settings(share=0.5, held_out_players=None, held_out_from=None), "records.share needs records.held_out_player"),
        (settings(files=[]) | {"watch": {"teacher": "random"}}, r"and \[watch\] is not PGN"),
    ],
)
def test_options_that_do_not_go_together_are_refused_before_anything_is_read(
    chosen: dict[str, Any], fault: str, tmp_path: Path
) -> None:
    with pytest.raises((BadOption, UnknownName), match=fault):
        make_experiment("test", chosen, folder=tmp_path)


def test_records_without_sides_have_no_people() -> None:
    from tests.records.test_store import some_records

    with pytest.raises(
        BadOption, match="the split 'people' needs records of PGN games with players and years held out"
    ):
        split_examples(some_records(CHESS), split="people", seed=0)
    with pytest.raises(BadOption, match="no game is left to judge on"):
        check_sides({"train": 3}, HOLD_OUT, {TEST: "judge on"})
