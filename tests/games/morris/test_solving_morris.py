"""Endgames of Morris: numbers without gaps, counts of the outside truths, tables that survive, searches by them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner
from hypothesis import given
from hypothesis import strategies as st

from understudy.backends import Local
from understudy.cli import commands
from understudy.errors import BadOption, FileError
from understudy.games import find_game
from understudy.games.batches import stacked, unstacked
from understudy.games.morris.notation import SYMMETRIES, Morris, permuted
from understudy.games.morris.solving import making
from understudy.games.morris.solving.making import find_pairs, make_tables, summarise_all
from understudy.games.morris.solving.spaces import (
    count_places,
    make_space,
    place,
    position,
    rank,
    read_stones,
    unranked,
)
from understudy.games.morris.solving.tables import (
    DRAWN,
    UNKNOWN,
    WON,
    Tables,
    make_atlas,
    pack,
    plies_file,
    table_file,
    unpack_one,
)
from understudy.games.morris.solving.tables import LOST as LOST_VALUE
from understudy.games.morris.solving.tables import look_up as look_up_plies
from understudy.games.morris.solving.verifying import positions_at, verify
from understudy.players import make_player
from understudy.tensors import load_arrays, save_arrays

TRUTHS = {
    "3v3": (169_626, 140_621, 269, 28_736),
    "4v3": (760_398, 75_397, 681_906, 3_095),
    "3v4": (760_398, 102_281, 658_117, 0),
}
"""Classes, won, drawn and lost, counted by an independent program."""

MORRIS = find_game("morris")


@pytest.fixture(scope="module")
def folder(morris_tables: Path) -> Path:
    return morris_tables


@pytest.fixture(scope="module")
def tables(folder: Path) -> Tables:
    return Tables(folder)


def test_every_number_of_stones_has_as_many_places_as_burnside_counts() -> None:
    for stones in ((3, 3), (3, 4), (4, 3), (4, 4), (5, 3), (3, 6)):
        assert int(make_space(stones).first[-1]) == count_places(stones)


@given(st.data())
def test_a_place_is_that_of_all_images_and_of_no_other_position(data: st.DataObject) -> None:
    stones = data.draw(st.sampled_from([(3, 3), (3, 5), (4, 3), (4, 4)]))
    space = make_space(stones)
    number = data.draw(st.integers(0, int(space.first[-1]) - 1))
    mine, theirs, orbit = position(space, stones[1], number)
    held = Morris(np.uint64(mine), np.uint64(theirs), 0, 0, 18)
    images = [permuted(held, symmetry) for symmetry in SYMMETRIES]
    assert {place(space, image.mine, image.theirs) for image in images} == {number}
    assert len({(int(image.mine), int(image.theirs)) for image in images}) == orbit
    assert (int(mine).bit_count(), int(theirs).bit_count(), int(mine) & int(theirs)) == (*stones, 0)


@given(st.sets(st.integers(0, 23), min_size=1, max_size=9))
def test_sets_of_cells_are_numbered_in_the_order_of_their_masks(cells: set[int]) -> None:
    mask = sum(1 << cell for cell in cells)
    assert int(unranked(rank(np.uint64(mask)), len(cells))) == mask


def test_counts_are_those_of_an_independent_program(folder: Path) -> None:
    told = {one["stones"]: one for one in summarise_all(folder, (4, 3))}
    for stones, counts in TRUTHS.items():
        assert tuple(told[stones][name] for name in ("classes", "win", "draw", "loss")) == counts
    assert told["3v3"]["longest"] == 25


def test_every_entry_is_what_the_rules_make_of_its_moves(tables: Tables) -> None:
    for stones in ((3, 3), (4, 3), (3, 4)):
        assert verify(tables, stones, 100_000) == 0


def test_a_wrong_entry_is_noticed(folder: Path, tmp_path: Path) -> None:
    for file in folder.iterdir():
        (tmp_path / file.name).write_bytes(file.read_bytes())
    broken = Tables(tmp_path)
    broken.plies((3, 3))[np.random.default_rng(0).integers(169_626, size=2000)] = 0
    assert verify(broken, (3, 3), 20_000) > 0


def test_moves_are_weighed_as_the_rules_list_them(tables: Tables) -> None:
    positions = unstacked(positions_at((3, 4), np.arange(0, 700_000, 70_001)))
    told = tables.weigh(stacked(positions))
    for row, held in enumerate(positions):
        part = slice(told.first[row], told.first[row + 1])
        assert told.moves[part].tolist() == MORRIS.moves(held)
        for move, plies in zip(told.moves[part].tolist(), told.plies[part].tolist(), strict=True):
            after = MORRIS.play(held, move)
            assert plies == _ask(tables, after)


def _ask(tables: Tables, held: Any) -> int:
    """Return the plies of a position, found one by one."""
    mine, theirs = int(held.mine).bit_count(), int(held.theirs).bit_count()
    if mine < 3:
        return 1
    return int(tables.plies((mine, theirs))[place(make_space((mine, theirs)), held.mine, held.theirs)])


def test_what_no_table_covers_is_unknown(tables: Tables) -> None:
    placing = MORRIS.start()
    four = unstacked(positions_at((4, 4), np.array([5])))[0]
    three = unstacked(positions_at((3, 3), np.array([0, 7])))
    known = tables.probe(stacked([placing, four, *three]))
    assert known[:2].tolist() == [UNKNOWN, UNKNOWN] and UNKNOWN not in known[2:]
    assert set(tables.weigh(stacked([placing, four])).plies.tolist()) == {-1}


def test_packed_values_are_those_of_the_plies() -> None:
    plies = np.array([0, 1, 2, 3, 4, 0, 57, 58], np.uint16)
    wanted = [DRAWN, LOST_VALUE, WON, LOST_VALUE, WON, DRAWN, LOST_VALUE, WON]
    assert [unpack_one(pack(plies), row) for row in range(len(plies))] == wanted
    assert 8 * len(pack(np.zeros(1_000_000, np.uint16))) <= 2 * 1_000_000


def test_tables_are_opened_without_reading_plies(tables: Tables, folder: Path) -> None:
    assert all(8 * table_file(folder, stones).stat().st_size <= 2 * count_places(stones) for stones in tables.every())
    probed = tables.probe(positions_at((3, 3), np.arange(1000)))
    plies = tables.plies((3, 3))[:1000]
    assert probed.tolist() == np.where(plies & 1, LOST_VALUE, np.where(plies > 0, WON, DRAWN)).tolist()


# Files that are damaged, of another version, cut off, or missing.


@pytest.fixture
def copies(folder: Path, tmp_path: Path) -> Path:
    for file in folder.iterdir():
        (tmp_path / file.name).write_bytes(file.read_bytes())
    return tmp_path


@pytest.mark.parametrize("name", ["table", "plies"])
def test_a_damaged_table_is_named(copies: Path, name: str) -> None:
    file = (table_file if name == "table" else plies_file)(copies, (3, 3))
    content = bytearray(file.read_bytes())
    content[-9] ^= 4
    file.write_bytes(content)
    with pytest.raises(FileError, match=f"{file.name}.*damaged.*understudy solve morris"):
        Tables(copies).plies((3, 3))


def test_a_table_that_is_cut_off_is_named(copies: Path) -> None:
    file = table_file(copies, (3, 3))
    file.write_bytes(file.read_bytes()[:-100])
    with pytest.raises(FileError, match=file.name):
        Tables(copies).values((3, 3))


def test_a_missing_table_says_how_to_make_it(copies: Path) -> None:
    with pytest.raises(FileError, match=r"no 'morris_6v5.safetensors'.*understudy solve morris --stones 6v5 --tables"):
        Tables(copies).values((6, 5))
    with pytest.raises(FileError, match="there is no table"):
        make_atlas(Tables(copies / "elsewhere"))


@pytest.mark.parametrize(
    ("facts", "reason"), [({"version": 9}, "version 9, not 1"), ({"stones": "4v3"}, "of 4v3, not of 3v3")]
)
def test_a_table_of_another_kind_is_refused(copies: Path, facts: dict[str, Any], reason: str) -> None:
    file = table_file(copies, (3, 3))
    arrays, old = load_arrays(file)
    save_arrays(file, arrays, old | facts)
    with pytest.raises(FileError, match=reason):
        Tables(copies).values((3, 3))


# Making them: what needs what, going on, any number of workers.


def test_fewer_stones_come_first() -> None:
    assert find_pairs((5, 5)) == [(3, 3), (4, 3), (4, 4), (5, 3), (5, 4), (5, 5)]
    assert find_pairs((3, 6)) == [(3, 3), (4, 3), (5, 3), (6, 3)]


def test_any_number_of_workers_makes_the_same_bytes(folder: Path, tmp_path: Path, monkeypatch: Any) -> None:
    monkeypatch.setattr(making, "PART", 100_003)
    monkeypatch.setattr(making, "BATCH", 1_000)
    make_tables(tmp_path, (4, 3), backend=Local(1))
    for file in sorted(folder.iterdir()):
        assert (tmp_path / file.name).read_bytes() == file.read_bytes()


class Stop(Exception):
    """What ends a solver in the middle."""


def test_a_stopped_solver_goes_on_from_what_was_kept(folder: Path, tmp_path: Path, monkeypatch: Any) -> None:
    monkeypatch.setattr(making, "KEEP_SECONDS", 0.0)
    monkeypatch.setattr(making, "PART", 50_000)
    hears, calls = making.hear, [0]

    def hear(*arguments: Any) -> int:
        calls[0] += 1
        if calls[0] == 20:
            raise Stop
        return hears(*arguments)

    monkeypatch.setattr(making, "hear", hear)
    with pytest.raises(Stop):
        make_tables(tmp_path, (3, 3), backend=Local(1))
    assert (tmp_path / "morris_3v3.part.safetensors").exists() and not table_file(tmp_path, (3, 3)).exists()
    begun = list[str]()
    monkeypatch.setattr(making, "begin_part", lambda task: begun.append("again"))
    make_tables(tmp_path, (3, 3), backend=Local(1))
    assert begun == [] and not (tmp_path / "morris_3v3.part.safetensors").exists()
    assert table_file(tmp_path, (3, 3)).read_bytes() == table_file(folder, (3, 3)).read_bytes()


def test_a_part_of_another_endgame_is_refused(tmp_path: Path) -> None:
    facts = {"version": 1, "begun": {"3v3": 0}, "level": 1, "highest": 0}
    few = np.zeros(3, np.uint16)
    save_arrays(tmp_path / "morris_3v3.part.safetensors", {"3v3_plies": few, "3v3_left": few}, facts)
    with pytest.raises(FileError, match="another endgame"):
        make_tables(tmp_path, (3, 3), backend=Local(1))
    save_arrays(tmp_path / "morris_3v3.part.safetensors", {}, {"version": 1})
    with pytest.raises(FileError, match=r"part\.safetensors"):
        make_tables(tmp_path, (3, 3), backend=Local(1))


# Searches that ask tables at their leaves.


def test_all_tables_as_one_say_the_same(tables: Tables) -> None:
    atlas = make_atlas(tables)
    for stones in tables.every():
        numbers = np.random.default_rng(1).integers(count_places(stones), size=50)
        for number, held in zip(numbers.tolist(), unstacked(positions_at(stones, numbers)), strict=True):
            assert look_up_plies(atlas, held) == tables.plies(stones)[number]
    assert look_up_plies(atlas, MORRIS.start()) == -1
    assert look_up_plies(atlas, unstacked(positions_at((5, 3), np.array([0])))[0]) == -1


@pytest.mark.parametrize("method", ["negascout", "minimax"])
def test_a_search_with_tables_wins_as_soon_and_loses_as_late_as_can_be(
    folder: Path, tables: Tables, method: str
) -> None:
    player = make_player(f"searcher:depth=2,tables={folder},method={method}", MORRIS)
    plies = tables.plies((3, 3))
    decided = np.random.default_rng(3).choice(np.flatnonzero(plies > 1), 200 if method == "negascout" else 20)
    positions = unstacked(positions_at((3, 3), decided))
    told = tables.weigh(stacked(positions))
    for row, choice in enumerate(player.choose(positions)):
        part = slice(told.first[row], told.first[row + 1])
        led = dict(zip(told.moves[part].tolist(), told.plies[part].tolist(), strict=True))
        assert led[choice.move] == plies[decided[row]] - 1


def test_a_search_with_tables_says_how_far_the_end_is(folder: Path, tables: Tables) -> None:
    player: Any = make_player(f"searcher:depth=3,tables={folder}", MORRIS)
    number = int(np.flatnonzero(tables.plies((3, 3)) == 26)[0])
    thought = player.think(unstacked(positions_at((3, 3), np.array([number])))[0])
    assert thought.plies == 25 and thought.value == 1.0


def test_games_without_tables_refuse_them(tmp_path: Path) -> None:
    with pytest.raises(BadOption, match="konane has no tables of solved positions"):
        make_player(f"searcher:tables={tmp_path}", find_game("konane"))
    with pytest.raises(FileError, match="there is no table"):
        make_player(f"searcher:tables={tmp_path}", MORRIS)


# The command.


def test_the_command_tells_what_is_in_a_table(folder: Path) -> None:
    told = CliRunner().invoke(commands, ["solve", "morris", "--stones", "3v4", "--tables", str(folder), "--json"])
    answer = json.loads(told.stdout)
    wanted = dict(zip(("classes", "win", "draw", "loss"), TRUTHS["3v4"], strict=True))
    assert answer.items() >= {"stones": "3v4", "longest": 33, **wanted}.items() and answer["seconds"] >= 0
    printed = CliRunner().invoke(
        commands, ["solve", "morris", "--stones", "4v3", "--tables", str(folder), "--verify", "500"]
    )
    assert "760 398" in printed.stdout and "3 095" in printed.stdout
    assert "4v3: 500 random positions are worth what their moves lead to" in printed.stderr


@pytest.mark.parametrize("text", ["4x3", "2v3", "3v10", "33", "v", "", "4v3v3", "٣v٣"])
def test_what_is_no_endgame_is_refused(text: str) -> None:
    with pytest.raises(BadOption, match="is no endgame of morris"):
        read_stones(text)


def test_two_processes_do_not_make_tables_in_one_folder(tmp_path: Path) -> None:
    from understudy.locks import locked

    with locked(tmp_path), pytest.raises(FileError, match="another process"):
        make_tables(tmp_path, (3, 3), backend=Local(1))
