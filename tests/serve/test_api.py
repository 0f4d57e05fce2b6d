"""The API: games are opened, played, taken back, kept and gone on with; bad input is one sentence."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("starlette")
pytest.importorskip("msgspec")
from starlette.testclient import TestClient

from tests.conftest import LONG
from understudy.serve.app import make_app

HOST = "http://127.0.0.1"


def open_client(folder: Path, **options: Any) -> TestClient:
    app = make_app(runs=folder / "runs", games=folder / "games.sqlite", hosts=("127.0.0.1",), **options)
    return TestClient(app, base_url=HOST)


@pytest.fixture
def client(tmp_path: Path) -> Iterator[TestClient]:
    with open_client(tmp_path) as opened:
        yield opened


def begin(client: TestClient, **wanted: Any) -> dict[str, Any]:
    answer = client.post("/api/play", json=wanted)
    assert answer.status_code == 201, answer.text
    state: dict[str, Any] = answer.json()
    return state


def say(client: TestClient, state: dict[str, Any], verb: str, **body: Any) -> dict[str, Any]:
    answer = client.post(f"/api/play/{state['id']}/{verb}", json=body)
    assert answer.status_code in (200, 201), answer.text
    after: dict[str, Any] = answer.json()
    return after


def wait_for_turn(client: TestClient, state: dict[str, Any]) -> dict[str, Any]:
    """Return the state as soon as no machine is to move."""
    deadline = time.monotonic() + LONG
    while state["thinking"] is not None or (not state["over"] and state["players"][state["turn"]] != "human"):
        assert time.monotonic() < deadline, state
        state = client.get(f"/api/play/{state['id']}", params={"since": state["version"], "wait": 5}).json()
    return state


def refuse(client: TestClient, path: str, body: Any, status: int = 400) -> str:
    answer = client.post(path, json=body)
    assert answer.status_code == status, answer.text
    sentence: str = answer.json()["error"]
    assert "\n" not in sentence
    return sentence


@pytest.mark.parametrize("name", ["morris", "konane", "lines_of_action", "chess"])
def test_a_board_has_all_that_a_page_needs(client: TestClient, name: str) -> None:
    board = client.get(f"/api/games/{name}").json()
    place = client.get("/api/place", params={"game": name}).json()
    names = {cell["name"] for cell in board["cells"]}
    assert len(place["stones"]) == len(board["cells"])
    assert set(place["stones"]) - {""} <= set(board["stones"]) and set(board["spoken"]) >= set(place["stones"]) - {""}
    assert all(set(move["cells"]) <= names for move in place["legal"])
    assert "style=" not in json.dumps(board) and "<script" not in json.dumps(board)


def test_moves_point_at_different_cells(client: TestClient) -> None:
    promoting = "8/P6k/8/8/8/8/8/K7 w - - 0 1"
    place = client.get("/api/place", params={"game": "chess", "position": promoting}).json()
    shown = [(tuple(move["cells"]), move["option"]) for move in place["legal"]]
    assert len(set(shown)) == len(shown)
    assert {option for cells, option in shown if cells == ("a7", "a8")} == {"queen", "rook", "bishop", "knight"}
    taking = client.get("/api/place", params={"game": "morris", "position": "MMOEOOOOOOOOOOOOOOOOOOOO7721"}).json()
    assert ["g7", "b6"] in [move["cells"] for move in taking["legal"]]


def test_a_person_plays_against_a_machine(client: TestClient) -> None:
    state = begin(client, game="konane", size="4x4", players={"white": "random"})
    assert state["players"] == {"black": "human", "white": "random"}
    while not state["over"]:
        move = state["legal"][0]["move"]
        state = wait_for_turn(client, say(client, state, "move", move=move, ply=state["ply"]))
    assert state["ending"].startswith(("black wins", "white wins")) and state["result"] in (1, -1)
    assert len(state["moves"]) == state["ply"]


def test_the_usual_opponent_thinks_and_moves(client: TestClient) -> None:
    state = begin(client, game="morris")
    assert state["players"] == {"white": "human", "black": "student:morris,check=legal,best=3"}
    state = wait_for_turn(client, say(client, state, "move", move="d2", ply=0))
    assert state["moves"][0]["move"] == "d2" and state["ply"] == 2
    state = say(client, state, "undo")
    assert state["ply"] == 0 and state["turn"] == "white"


def test_two_tabs_on_one_game(client: TestClient) -> None:
    state = begin(client, game="chess", players={"white": "human", "black": "human"})
    say(client, state, "move", move="e4", ply=0)
    place = f"/api/play/{state['id']}/move"
    assert "plies are played by now" in refuse(client, place, {"move": "d4", "ply": 0}, 409)


def test_a_restarted_server_has_lost_nothing(tmp_path: Path) -> None:
    with open_client(tmp_path) as client:
        people = {"black": "human", "white": "human"}
        state = begin(client, game="konane", size="6x6", players=people, clock={"seconds": 60})
        for move in ("c3", "c4"):
            state = say(client, state, "move", move=move, ply=state["ply"])
        kept = client.get(f"/api/play/{state['id']}").json()
    with open_client(tmp_path) as client:
        again = client.get(f"/api/play/{state['id']}").json()
        assert {key: again[key] for key in ("moves", "position", "players", "legal")} == {
            key: kept[key] for key in ("moves", "position", "players", "legal")
        }
        assert again["clock"]["left"]["black"] <= 60
        move = again["legal"][0]["move"]
        assert say(client, again, "move", move=move, ply=2)["ply"] == 3


def test_the_side_to_move_is_kept_where_text_does_not_tell_it(tmp_path: Path) -> None:
    text = "MMMOOOOOOOOOOOOOOOOOOEEE0033"
    with open_client(tmp_path) as client:
        state = begin(client, game="morris", position=text, turn="black", players={"white": "human", "black": "human"})
        assert state["turn"] == "black"
        first = say(client, state, "move", move=state["legal"][0]["move"], ply=0)
    with open_client(tmp_path) as client:
        again = client.get(f"/api/play/{state['id']}").json()
        assert again["turn"] == first["turn"] == "white" and again["stones"] == first["stones"]


def test_machines_play_at_a_pace_pause_and_step(client: TestClient) -> None:
    state = begin(client, game="konane", size="4x4", players={"black": "random", "white": "random"}, pace=30)
    state = say(client, state, "pause")
    assert state["paused"] and state["ply"] == 0 and state["legal"] == []
    state = say(client, state, "step")
    deadline = time.monotonic() + LONG
    while state["ply"] < 1:
        assert time.monotonic() < deadline
        state = client.get(f"/api/play/{state['id']}", params={"since": state["version"], "wait": 5}).json()
    assert state["ply"] == 1 and state["paused"]
    state = say(client, state, "go", pace=0)
    while not state["over"]:
        assert time.monotonic() < deadline
        state = client.get(f"/api/play/{state['id']}", params={"since": state["version"], "wait": 5}).json()


def test_play_from_here(client: TestClient) -> None:
    state = begin(client, game="konane", size="4x4", players={"black": "random", "white": "random"})
    deadline = time.monotonic() + LONG
    while not state["over"]:
        assert time.monotonic() < deadline
        state = client.get(f"/api/play/{state['id']}", params={"since": state["version"], "wait": 5}).json()
    other = say(client, state, "fork", ply=2)
    assert other["id"] != state["id"] and other["ply"] == 2 and other["players"][other["turn"]] == "human"
    assert [move["move"] for move in other["moves"]] == [move["move"] for move in state["moves"]][:2]


def test_swapping_sides_lets_the_machine_move(client: TestClient) -> None:
    state = begin(client, game="konane", size="6x6", players={"white": "random"})
    state = wait_for_turn(client, say(client, state, "players", players={"black": "random", "white": "human"}))
    assert state["ply"] == 1 and state["turn"] == "white"


def test_a_clock_runs_from_the_first_move_on_and_ends_the_game(client: TestClient) -> None:
    people = {"white": "human", "black": "human"}
    state = begin(client, game="chess", players=people, clock={"seconds": 1, "increment": 0})
    assert state["clock"]["running"] is None
    state = say(client, state, "move", move="e4", ply=0)
    assert state["clock"]["running"] == "black" and state["clock"]["left"]["white"] == 1.0
    deadline = time.monotonic() + LONG
    while not state["over"]:
        assert time.monotonic() < deadline
        state = client.get(f"/api/play/{state['id']}", params={"since": state["version"], "wait": 5}).json()
    assert state["reason"] == "time" and state["result"] == 1


def test_records_go_out_and_come_in(client: TestClient) -> None:
    people = {"white": "human", "black": "human"}
    state = begin(client, game="chess", players=people)
    for move in ("f3", "e5", "g4", "Qh4"):
        state = say(client, state, "move", move=move, ply=state["ply"])
    assert state["ending"].startswith("black wins")
    for form in ("json", "moves", "pgn"):
        text = client.get(f"/api/play/{state['id']}/record", params={"form": form}).json()["text"]
        again = begin(client, game="chess", record=text, players=people)
        assert [move["move"] for move in again["moves"]] == [move["move"] for move in state["moves"]], form
        assert again["over"]


@pytest.mark.parametrize(
    ("record", "sentence"),
    [
        ("{", "is not JSON"),
        ("{}", "is not a saved game"),
        ("e4 e9", "move 2"),
        ('[Event "x"]\n[Variant "Atomic"]\n\n1. e4 *', "variant"),
        ('[Event "x"]\n\n1. e5 *', "PGN"),
        ("f3 e5 g4 Qh4 a3", "after the end"),
    ],
)
def test_a_bad_record_is_one_sentence(client: TestClient, record: str, sentence: str) -> None:
    assert sentence in refuse(client, "/api/play", {"game": "chess", "record": record})


def test_thoughts_have_the_form_of_the_command(client: TestClient) -> None:
    asked = {"game": "morris", "player": "student:morris"}
    thought = client.post("/api/think", json=asked).json()
    assert thought["kind"] == "probability" and [part["part"] for part in thought["parts"]] == ["from", "to", "remove"]
    assert "pictures" not in thought
    drawn = client.post("/api/think", json={**asked, "pictures": True}).json()["pictures"]
    assert len(drawn["parts"]) == 3 and "us-heat" in drawn["parts"][1] and "us-hatch" in drawn["parts"][0]


def test_another_cell_for_one_part_changes_the_later_parts(client: TestClient) -> None:
    played = ["d2", "f4", "d6", "b4", "f2", "b2", "f6", "b6a7"][:6]
    asked = {"game": "morris", "player": "student:morris", "moves": played}
    own = client.post("/api/think", json=asked).json()
    other = next(cell for cell in own["parts"][1]["cells"] if cell not in (own["parts"][1]["choice"], "none"))
    given = client.post("/api/think", json={**asked, "given": {"to": other}}).json()
    assert given["parts"][1]["choice"] == other and given["parts"][1]["cells"] == own["parts"][1]["cells"]
    assert given["parts"][2]["cells"] != own["parts"][2]["cells"]
    assert "no part can be given" in refuse(
        client, "/api/think", {"game": "morris", "player": "random", "given": {"to": "a1"}}
    )
    for part, cell in (("over", "a1"), ("to", "z9")):
        refuse(client, "/api/think", {"game": "morris", "player": "student:morris", "given": {part: cell}})


def test_values_lie_on_the_cells_where_moves_end(client: TestClient) -> None:
    thought = client.post("/api/think", json={"game": "chess", "player": "student:chess", "pictures": True}).json()
    values = thought["pictures"]["values"]
    assert set(values) == {"", *(f"{column}2" for column in "abcdefgh"), "b1", "g1"}
    assert values["b1"].count("us-number") == 2


def test_truth_where_it_is_known(client: TestClient) -> None:
    konane = client.post("/api/truth", json={"game": "konane", "size": "4x4"}).json()
    assert konane["known"] and {move["number"] for move in konane["moves"]} <= {1.0, -1.0}
    rook = client.post("/api/truth", json={"game": "chess", "position": "8/8/8/8/8/k7/8/K6R w - - 0 1"}).json()
    best = rook["moves"][0]
    assert rook["known"] and best["number"] == 1.0 and "wins in" in best["note"]
    lines = client.post("/api/truth", json={"game": "lines_of_action", "size": "4x4"}).json()
    assert lines["known"] and len(lines["moves"]) == 12
    assert lines["moves"][0]["number"] == 1.0 and lines["moves"][0]["note"] == "wins in 3 plies"
    assert lines["moves"][-1]["number"] == -1.0 and lines["moves"][-1]["note"] == "loses in 2 plies"
    for where in ({"game": "morris"}, {"game": "chess"}, {"game": "konane", "size": "8x8"}):
        answer = client.post("/api/truth", json=where).json()
        assert not answer["known"] and answer["note"]


def test_positions_are_set_up(client: TestClient) -> None:
    asked = {"game": "chess", "turn": "black", "stones": {"e1": "K", "e8": "k", "a1": "R"}}
    assert client.post("/api/setup", json=asked).json()["position"] == "4k3/8/8/8/8/8/8/R3K3 b - - 0 1"
    hands = {"white in hand": 2, "black in hand": 2}
    asked = {"game": "morris", "turn": "white", "stones": {"a7": "white", "d7": "black"}, "extras": hands}
    assert client.post("/api/setup", json=asked).json()["position"].endswith("2211")
    flown = {"game": "morris", "turn": "black", "stones": {"a7": "white", "d7": "black"}}
    assert client.post("/api/setup", json=flown).json()["turn"] == "black"
    for change in ({"turn": "red"}, {"stones": {"z9": "K"}}, {"stones": {"a1": "X"}}, {"extras": {"hats": 1}}):
        refuse(client, "/api/setup", {"game": "chess", "turn": "white", "stones": {}, **change})
    refuse(client, "/api/setup", {**asked, "turn": "black"})


def test_a_tournament_fills_its_table(client: TestClient) -> None:
    players = ["perfect", "random", "stochastic:depth=2"]
    contest = client.post("/api/tournaments", json={"game": "konane", "size": "4x4", "players": players}).json()
    deadline = time.monotonic() + LONG
    while not contest["over"]:
        assert time.monotonic() < deadline
        time.sleep(0.05)
        contest = client.get(f"/api/tournaments/{contest['id']}").json()
    assert contest["error"] is None and contest["played"] == contest["total"] == 12
    assert contest["table"][0]["player"] == "perfect"
    assert "different names" in refuse(client, "/api/tournaments", {"game": "konane", "players": ["random", "random"]})


def test_a_tournament_can_be_stopped(client: TestClient) -> None:
    players = ["searcher:time=0.3", "searcher:time=0.2"]
    contest = client.post("/api/tournaments", json={"game": "chess", "players": players, "games": 200}).json()
    assert client.delete(f"/api/tournaments/{contest['id']}").json()["over"]
    assert client.get("/api/tournaments/nothing").status_code == 404


@pytest.mark.parametrize(
    ("player", "sentence"),
    [
        ("engine:stockfish", "--trust"),
        ("socket:5802", "--trust"),
        ("nnmm:x", "--trust"),
        ("nobody", "no player"),
        ("searcher:weights=/etc/passwd,evaluator=perceptron", "--trust"),
        ("searcher:tables=/etc", "--trust"),
        ("perfect:tables=/etc", "--trust"),
        ("student:../secrets", "no student"),
        ("student:/etc/passwd", "no student"),
        ("student:runs/../x", "no run"),
        ("student:runs/..", "no run"),
        ("searcher:time=100000", "from a page"),
        ("stochastic:depth=30", "from a page"),
        ("searcher:method=minimax,depth=12", "from a page"),
        ("human", "person"),
    ],
)
def test_players_that_a_page_may_not_name(client: TestClient, player: str, sentence: str) -> None:
    assert sentence in refuse(client, "/api/think", {"game": "chess", "player": player})


def test_trust_lets_a_page_name_paths(tmp_path: Path) -> None:
    with open_client(tmp_path, trust=True) as client:
        assert "no student" in refuse(client, "/api/think", {"game": "chess", "player": "student:/nowhere/x"})
        assert client.post("/api/think", json={"game": "chess", "player": "stochastic:depth=6"}).status_code == 200


def test_without_pytorch_nothing_is_trained_and_a_sentence_says_why(
    client: TestClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    def load(*arguments: Any, **options: Any) -> None:
        raise ModuleNotFoundError("No module named 'torch'", name="torch")

    monkeypatch.setattr("understudy.serve.labs.load_experiment", load)
    sentence = refuse(client, "/api/runs", {"experiment": "morris_quick", "quick": False})
    assert sentence == "this needs torch, which comes with: pip install 'understudy-games[learn]'"


def test_links_do_not_lead_out_of_the_runs(tmp_path: Path) -> None:
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "runs").mkdir()
    (tmp_path / "runs" / "out").symlink_to(tmp_path / "elsewhere")
    with open_client(tmp_path) as client:
        assert "no run" in refuse(client, "/api/think", {"game": "chess", "player": "student:runs/out"})


@pytest.mark.parametrize(
    "body",
    [
        {},
        {"game": 5},
        {"game": "go"},
        {"game": "morris", "size": "9x9"},
        {"game": "konane", "size": "99x99"},
        {"game": "morris", "rules": {"gravity": "off"}},
        {"game": "morris", "position": "nonsense"},
        {"game": "morris", "players": {"red": "human"}},
        {"game": "morris", "players": {"white": "nobody"}},
        {"game": "morris", "clock": {"seconds": -1}},
        {"game": "morris", "pace": 1e9},
        {"game": "morris", "unknown": 1},
        {"game": "morris", "position": "x" * 3_000},
        {"game": "chess", "position": "8/8/8/8/8/8/8/8 w - - 0 1"},
        {"game": "chess", "turn": "black", "position": "4k3/8/8/8/8/8/8/R3K3 w - - 0 1"},
    ],
)
def test_bad_games_are_refused(client: TestClient, body: dict[str, Any]) -> None:
    refuse(client, "/api/play", body)


def test_unknown_games_of_this_server_are_absent(client: TestClient) -> None:
    for verb in ("move", "undo", "resign", "pause", "go", "step", "fork", "players"):
        bodies: dict[str, Any] = {"move": {"move": "a1", "ply": 0}, "fork": {"ply": 0}, "players": {"players": {}}}
        refuse(client, f"/api/play/nothing/{verb}", bodies.get(verb, {}), 404)
    assert client.get("/api/play/nothing").status_code == 404


def test_what_cannot_be_done_now_is_a_conflict(client: TestClient) -> None:
    state = begin(client, game="konane", size="4x4", players={"white": "random"})
    place = f"/api/play/{state['id']}"
    assert "take back" in refuse(client, f"{place}/undo", {}, 409)
    state = say(client, state, "resign")
    assert state["ending"] == "white wins: resignation"
    assert "over" in refuse(client, f"{place}/resign", {}, 409)
    assert "over" in refuse(client, f"{place}/move", {"move": "a1", "ply": 0}, 409)
    assert client.get(f"{place}/plies/7").status_code == 404


def test_a_student_of_a_run_is_listed_and_plays(tmp_path: Path) -> None:
    from understudy.players.student_files import SHIPPED

    run = tmp_path / "runs" / "mine"
    run.mkdir(parents=True)
    (run / "student.onnx").write_bytes((SHIPPED / "konane_4.onnx").read_bytes())
    (tmp_path / "runs" / "broken").mkdir()
    (tmp_path / "runs" / "broken" / "student.onnx").write_bytes(b"nonsense")
    with open_client(tmp_path) as client:
        players = client.get("/api/players", params={"game": "konane", "size": "4x4"}).json()
        assert [row["player"] for row in players["students"]] == ["student:konane_4", "student:runs/mine"]
        assert {form["name"] for form in players["players"]} == {"random", "stochastic", "searcher", "perfect"}
        thought = client.post("/api/think", json={"game": "konane", "size": "4x4", "player": "student:runs/mine"})
        assert thought.json()["player"] == "student:runs/mine"
