"""The gaming test: every meeting there, results seen from the right side, totals that add up."""

from __future__ import annotations

import json
from importlib.resources import files

import pytest

from understudy.backends import Local
from understudy.cli.playing import gaming as gaming_command
from understudy.errors import BadOption, UnknownName
from understudy.games import find_game
from understudy.judges.pairs import NO_PAIRS, Pairs, measure_points
from understudy.judges.tournament import play_match
from understudy.players import make_player
from understudy.studies.galassi.gaming import (
    Encounter,
    GamingGame,
    GamingTable,
    gaming,
    gaming_json,
    gaming_text,
)
from understudy.studies.galassi.paper import TABLE_6_11
from understudy.studies.galassi.stables import HELD_OUT_STABLE, ONCE, STABLE, STABLES, find_stable

MORRIS = find_game("morris")
SMALL = {"random moves": "random", "stones": "searcher:depth=1,evaluator=stones", "two": "searcher:depth=2"}
STRONG, WEAK = "searcher:depth=3", "stochastic:depth=1"


@pytest.fixture(scope="module")
def table() -> GamingTable:
    return gaming(MORRIS, [STRONG, WEAK], stable=SMALL, games=4, seed=3, backend=Local(2))


def test_the_stable_is_large_and_of_different_players() -> None:
    assert len(STABLE) >= 16
    assert len(set(STABLE.values())) == len(STABLE)
    for text in STABLE.values():
        assert make_player(text, MORRIS).name == text


def test_the_held_out_stable_is_of_strangers() -> None:
    assert len(HELD_OUT_STABLE) >= 14
    assert len({*STABLE.values(), *HELD_OUT_STABLE.values()}) == len(STABLE) + len(HELD_OUT_STABLE)
    assert not {*STABLE} & {*HELD_OUT_STABLE}
    shipped = "".join(path.read_text() for path in (files("understudy") / "studies/galassi/experiments").iterdir())
    for text in HELD_OUT_STABLE.values():
        assert make_player(text, MORRIS).name == text
        assert f'"{text}"' not in shipped


def test_what_is_used_once_is_said_to_be(table: GamingTable) -> None:
    held_out = GamingTable("morris", ("white", "black"), (), HELD_OUT_STABLE, 0, ())
    assert gaming_json(held_out)["stable_name"] == "held_out"
    assert gaming_json(held_out)["note"] == ONCE
    assert ONCE in gaming_text(held_out)
    every_day = gaming_json(held_out._replace(stable=STABLE))
    assert (every_day["stable_name"], "note" in every_day) == ("development", False)
    assert gaming_json(table)["stable_name"] == ""
    assert ONCE not in gaming_text(table)


def test_a_stable_that_is_not_there_is_named() -> None:
    assert find_stable("held_out") == HELD_OUT_STABLE
    with pytest.raises(UnknownName, match="no stable 'held'; did you mean 'held_out'"):
        find_stable("held")


def test_the_command_offers_the_stables() -> None:
    (option,) = (one for one in gaming_command.params if one.name == "stable")
    assert option.type.choices == tuple(STABLES)  # type: ignore[attr-defined]


def test_members_of_the_held_out_stable_play() -> None:
    some = {name: HELD_OUT_STABLE[name] for name in ("DeepMill's, tables", "blocker, 2 plies", "builder, 3 plies")}
    table = gaming(MORRIS, ["random"], stable=some, games=2, seed=0, backend=Local(1))
    assert sum(table.totals("random")["all"]) == 6
    assert not gaming_json(table)["illegal"]["random"]


def test_everybody_meets_everybody_with_both_colours(table: GamingTable) -> None:
    met = {(one.player, one.opponent): one for one in table.encounters}
    assert set(met) == {
        *((player, name) for player in (STRONG, WEAK) for name in SMALL),
        (STRONG, WEAK), (WEAK, STRONG), (STRONG, STRONG), (WEAK, WEAK),
    }  # fmt: skip
    for one in met.values():
        colours = sorted(game.colour for game in one.games)
        assert colours == (["white"] if one.kind == "itself" else ["black"] * 2 + ["white"] * 2)
    assert [one.kind for one in table.encounters if one.player == STRONG] == ["stable"] * 3 + ["itself", "player"]


def test_results_are_those_of_the_match(table: GamingTable) -> None:
    place = list(SMALL).index("two")
    meeting = play_match(
        MORRIS, (WEAK, "searcher:depth=2"), games=4, seed=3, backend=Local(1), opening_plies=2, pairing=3 + place
    )
    (one,) = (one for one in table.encounters if (one.player, one.opponent) == (WEAK, "two"))
    assert tuple(game.result for game in one.games) == meeting.results
    assert [game.reason for game in one.games] == [played.reason for played in meeting.games]
    assert [game.plies for game in one.games] == [len(played.moves) for played in meeting.games]


def test_two_players_see_their_meeting_from_both_sides(table: GamingTable) -> None:
    sides = [one.games for one in table.encounters if one.kind == "player"]
    for mine, theirs in zip(*sides, strict=True):
        assert (mine.result, mine.reason, mine.plies) == (-theirs.result, theirs.reason, theirs.plies)
        assert {mine.colour, theirs.colour} == {"white", "black"}


def test_totals_count_the_stable_alone(table: GamingTable) -> None:
    for player in table.players:
        totals = table.totals(player)
        assert sum(totals["all"]) == 12
        assert totals["all"] == tuple(w + b for w, b in zip(totals["white"], totals["black"], strict=True))
        assert [sum(kinds.values()) for kinds in table.reasons(player).values()] == list(totals["all"])
        measures = table.measures(player)
        share = (totals["all"][0] + totals["all"][1] / 2) / 12
        assert measures["gaming.points"] == measure_points(table.pairs(player))._asdict()
        assert measures["gaming.points"]["value"] == share
        assert measures["gaming.points"]["sample"] == 6
        assert measures["gaming.wins"]["value"] == totals["all"][0] / 12
        assert measures["gaming.points_black"]["sample"] == 6
    assert table.measures(STRONG)["gaming.points"]["value"] > table.measures(WEAK)["gaming.points"]["value"]


def test_the_same_for_any_number_of_workers(table: GamingTable) -> None:
    heard: list[int] = []
    again = gaming(MORRIS, [STRONG, WEAK], stable=SMALL, games=4, seed=3, backend=Local(1), progress=heard.append)
    assert again == table
    assert sum(heard) == 4 * 7 + 2


def test_the_table_of_single_games_tells_reasons() -> None:
    one = gaming(MORRIS, [STRONG], stable=SMALL, games=2, seed=0, backend=Local(1))
    rows = one.rows()
    assert [row[0] for row in rows] == [*SMALL, STRONG, "stable: W-D-L"]
    for row, met in zip(rows, one.encounters, strict=False):
        for cell, game in zip(row[1:], met.games, strict=False):
            assert cell == f"{'LDW'[game.result + 1]} {game.reason}"
    assert rows[-2][2] == ""  # against itself there is one game
    text = gaming_text(one)
    assert all(name in text for name in SMALL)
    assert "against the stable" in text


def test_reasons_of_every_kind_reach_the_table() -> None:
    reasons = ("removing", "suffocating", "time", "illegal move", "repetition", "ply limit")
    games = tuple(GamingGame("white", 0 if "i" in why and "m" not in why else 1, why, 20) for why in reasons)
    encounters = tuple(
        Encounter("me", f"opponent {n}", "stable", (game,), Pairs(NO_PAIRS, None, 1, 1)) for n, game in enumerate(games)
    )
    table = GamingTable(
        "morris", ("white", "black"), ("me",), {e.opponent: "random" for e in encounters}, 0, encounters
    )
    for row, why in zip(table.rows(), reasons, strict=False):
        assert row[1].endswith(why)
    assert all(why in gaming_text(table) for why in reasons)
    lost = Encounter(
        "me", "opponent 0", "stable", (GamingGame("white", -1, "illegal move", 9),) * 2, encounters[0].pairs
    )
    assert gaming_json(table)["illegal"] == {"me": 0}
    assert gaming_json(table._replace(encounters=(*encounters, lost)))["illegal"] == {"me": 2}


def test_json_is_plain_and_whole(table: GamingTable) -> None:
    data = json.loads(json.dumps(gaming_json(table)))
    assert data["players"] == [STRONG, WEAK]
    assert len(data["columns"]) == 5 == len(data["rows"][0])
    assert sum(len(met["games"]) for met in data["encounters"] if met["kind"] == "stable") == 24
    assert data["illegal"] == dict.fromkeys(table.players, 0)
    assert data["measures"][WEAK]["gaming.points"]["sample"] == 6
    assert data["measures"][WEAK]["gaming.wins"]["sample"] == 12


def test_a_member_of_the_stable_does_not_meet_itself_twice() -> None:
    table = gaming(MORRIS, ["random"], stable=SMALL, games=2, seed=0, backend=Local(1))
    assert [met.opponent for met in table.encounters] == ["stones", "two", "random"]


def test_a_player_that_is_not_there_loses_and_bad_settings_are_refused() -> None:
    table = gaming(MORRIS, ["socket:1"], stable=SMALL, games=2, seed=0, backend=Local(1))
    assert table.totals("socket:1")["all"] == (0, 0, 6)
    assert table.reasons("socket:1")["losses"] == {"engine failure": 6}
    for games in (0, 1, 3):
        with pytest.raises(BadOption, match=f"even number of games for each pair, not {games}"):
            gaming(MORRIS, [STRONG], stable=SMALL, games=games)
    for players in ([], [STRONG, STRONG], ["two"]):
        with pytest.raises(BadOption, match="names of their own"):
            gaming(MORRIS, players, stable=SMALL)
    with pytest.raises(UnknownName):
        gaming(MORRIS, ["nobody"], stable=SMALL)


def test_openings_may_all_be_the_plain_start() -> None:
    """Without chance two games are all there is then, however many are played."""
    stable = {"stones": "searcher:depth=1,evaluator=stones"}
    plain, varied = (
        gaming(MORRIS, ["searcher:depth=1"], stable=stable, games=6, seed=1, opening_plies=plies, backend=Local(1))
        for plies in (0, None)
    )
    assert plain.pairs("searcher:depth=1").different == 2
    assert varied.pairs("searcher:depth=1").different == 6


def test_the_games_that_the_thesis_printed_add_up() -> None:
    *rows, totals = TABLE_6_11.rows
    assert totals == ("W-D-L", "14-2-0", "16-0-0", "7-5-5", "11-2-4")  # 30 wins and 2 draws; 18, 7 and 9
    assert [row[0] for row in rows][-2:] == ["DeepMill", "NNMM"]
    assert rows[-2][1:] == ("D", "", "L removing", "L removing")
