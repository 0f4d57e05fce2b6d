"""A game of another package has a page, too: a board, moves to point at, thoughts, without a word changed here."""

from __future__ import annotations

from pathlib import Path

import pytest

pytest.importorskip("starlette")
pytest.importorskip("msgspec")
from tests.serve.test_api import begin, open_client, say, wait_for_turn
from understudy.games import CompiledGame
from understudy.pictures.traces import find_paths
from understudy.serve.views import list_games


@pytest.fixture
def _listed_anew() -> None:
    list_games.cache_clear()


@pytest.mark.usefixtures("outside", "_listed_anew")
def test_a_game_from_outside_is_played_on_the_page(tmp_path: Path) -> None:
    try:
        with open_client(tmp_path) as client:
            assert "hexapawn" in [game["name"] for game in client.get("/api/games").json()["games"]]
            board = client.get("/api/games/hexapawn").json()
            assert len(board["cells"]) == board["rows"] * board["columns"] and board["setup"] == []
            state = begin(client, game="hexapawn", players={board["colours"][1]: "random"})
            while not state["over"]:
                assert all(len(move["cells"]) == 2 for move in state["legal"])
                state = wait_for_turn(
                    client, say(client, state, "move", move=state["legal"][0]["move"], ply=state["ply"])
                )
            thought = client.post(
                "/api/think", json={"game": "hexapawn", "player": "searcher:depth=2", "pictures": True}
            )
            assert thought.status_code == 200 and "us-arrow" in thought.json()["pictures"]["moves"]
            assert (
                client.post("/api/setup", json={"game": "hexapawn", "turn": "white", "stones": {}}).status_code == 400
            )
    finally:
        list_games.cache_clear()


def test_what_a_person_points_at_tells_moves_apart(any_game: CompiledGame) -> None:
    """For twenty plies of every game, by what the game says and by what its moves change."""
    position = any_game.start()
    for ply in range(20):
        moves = any_game.moves(position)
        if not moves:
            break
        paths = find_paths(any_game, position)
        assert list(paths) == moves and len(set(paths.values())) == len(moves)
        position = any_game.play(position, moves[7 * ply % len(moves)])
