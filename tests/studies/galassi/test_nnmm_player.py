"""The published networks as players: the arithmetic against a plain one, the check, and damaged files."""

from __future__ import annotations

import io
from itertools import permutations
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from tests.conftest import random_line
from tests.players.test_valuing_imitators import make_student
from understudy.backends import Local
from understudy.errors import BadOption, FileError, UnderstudyError, UnknownName
from understudy.games import find_game
from understudy.games.batches import stacked, taken
from understudy.games.morris.batches import moves_of
from understudy.games.morris.legality import grade, whole
from understudy.match import Opening, play_games
from understudy.players import make_player
from understudy.players.checking import fall_back
from understudy.players.parts import checked_parts
from understudy.studies.galassi.gaming import count_corrections, gaming, gaming_json, gaming_text
from understudy.studies.galassi.nnmm_player import CLOSE, run_cascade

GAME = find_game("morris")
LETTERS = "TFR"
ORDERS = ["".join(letters) for letters in permutations(LETTERS)]


def layers(earlier: int, rng: np.random.Generator) -> list[NDArray[np.float64]]:
    shapes = [(90 + 25 * earlier, 200), (200,), (200, 300), (300,), (300, 200), (200,), (200, 25), (25,)]
    return [rng.normal(0, (2 / shape[0]) ** 0.5, shape) for shape in shapes]


def save_networks(folder: Path, order: str, seed: int = 0) -> str:
    """Save random networks of the published shapes; return how the player is named."""
    rng = np.random.default_rng(seed)
    for earlier, letter in enumerate(order):
        part = {"T": "TO", "F": "FROM", "R": "REMOVE"}[letter]
        np.savez(folder / f"{order}_{part}.npz", *layers(earlier, rng))
    return f"nnmm:{folder / order}"


def positions(count: int = 400) -> list[Any]:
    positions = [position for seed in range(count // 40) for position, _ in random_line(GAME, 90, seed)]
    return positions[:: max(len(positions) // count, 1)][:count]


def slow_scores(folder: Path, order: str, batch: Any, given: Any) -> tuple[NDArray[Any], NDArray[Any]]:
    """Return scores and choices by the papers' own picture: one-hots joined to the input, block and output apart."""
    letters = [GAME.write(GAME.read(GAME.write(p))) for p in batch]
    cells = np.array([[[c == kind for c in text[:24]] for kind in "MEO"] for text in letters], float).reshape(-1, 72)
    hands = np.array([[int(text[24 + side]) > i for side in (0, 1) for i in range(9)] for text in letters], float)
    seen, scores, chosen = np.concatenate([cells, hands], axis=1), [], []
    for place, letter in enumerate(order):
        with np.load(folder / f"{order}_{ {'T': 'TO', 'F': 'FROM', 'R': 'REMOVE'}[letter] }.npz") as file:
            w0, b0, w1, b1, w2, b2, w3, b3 = (file[f"arr_{i}"] for i in range(8))
        x = seen @ w0 + b0
        y = x + np.maximum(np.maximum(x, 0) @ w1 + b1, 0) @ w2 + b2
        odds = np.exp(y @ w3 + b3)
        scores.append(np.log(odds / odds.sum(axis=1, keepdims=True)))
        choice = scores[-1].argmax(axis=1)
        if given is not None and place < 2:
            choice = np.where(given[:, place] >= 0, given[:, place], choice)
        chosen.append(choice)
        seen = np.concatenate([seen, np.eye(25)[choice]], axis=1)
    parts = np.stack([chosen[order.index(letter)] for letter in LETTERS], axis=1)
    return np.stack(scores, axis=1), parts


@pytest.mark.parametrize("order", ORDERS)
def test_the_networks_compute_what_the_papers_say(order: str, tmp_path: Path) -> None:
    player: Any = make_player(save_networks(tmp_path, order), GAME)
    assert player.order == tuple(LETTERS.index(letter) for letter in order)
    boards = positions(200)
    batch = stacked(boards)
    rng = np.random.default_rng(1)
    for given in (None, np.where(rng.random((len(boards), 2)) < 0.5, rng.integers(0, 25, (len(boards), 2)), -1)):
        scores, parts = player.score_parts(batch, given)
        expected, expected_parts = slow_scores(tmp_path, order, boards, given)
        assert scores.dtype == np.float32
        assert np.abs(scores - expected).max() < 1e-3
        assert (parts == expected_parts).all()


def test_close_calls_are_decided_in_float64(tmp_path: Path) -> None:
    player: Any = make_player(save_networks(tmp_path, "TFR"), GAME)
    twin = player.exact[0].through[:, 3] * (1 + 1e-12)
    for network in (player.exact[0], player.quick[0]):
        network.through[:, 7], network.across[:, 7] = twin, network.across[:, 3]
        network.output_bias[[3, 7]] = 50
    batch = stacked(positions(400))
    exact, chosen = run_cascade(player.exact, player.show(batch), np.full((len(batch.mine), 2), -1))
    assert np.abs(exact[:, 0, 3] - exact[:, 0, 7]).max() < CLOSE
    assert set(chosen[:, 0]) == {3, 7}
    assert (player.score_parts(batch)[1] == chosen).all()


@pytest.mark.parametrize("order", ORDERS)
def test_the_check_makes_every_choice_legal(order: str, tmp_path: Path) -> None:
    text = save_networks(tmp_path, order, seed=5)
    boards = positions()
    free, checked = make_player(text, GAME), make_player(f"{text},check=legal", GAME)
    own = [choice.move for choice in free.choose(boards)]
    legal = [choice.move for choice in checked.choose(boards)]
    assert all(move in GAME.moves(board) for move, board in zip(legal, boards, strict=True))
    kept = [move in GAME.moves(board) for move, board in zip(own, boards, strict=True)]
    assert sum(kept) < len(boards) / 2
    assert [a for a, k in zip(own, kept, strict=True) if k] == [b for b, k in zip(legal, kept, strict=True) if k]
    parts, corrected = checked_parts(free, stacked(boards))  # type: ignore[arg-type]
    assert moves_of(parts).tolist() == legal
    assert corrected.any(axis=1).tolist() == [not k for k in kept]
    assert checked.corrections.tolist() == corrected.sum(axis=0).tolist()  # type: ignore[attr-defined]
    assert corrected.sum(axis=0)[0] > 0


def test_after_a_correction_later_networks_are_asked_again(tmp_path: Path) -> None:
    player: Any = make_player(save_networks(tmp_path, "TFR", seed=5), GAME)
    batch = stacked(positions())
    parts, corrected = checked_parts(player, batch)
    rows = corrected[:, 0] & ~corrected[:, 1] & ~corrected[:, 2]
    assert rows.any()
    given = np.stack([parts[rows, 0], np.full(rows.sum(), -1)], axis=1)
    assert (player.score_parts(taken(batch, rows), given)[1] == parts[rows]).all()


def test_where_no_move_is_legal_the_own_choice_stays(tmp_path: Path) -> None:
    player: Any = make_player(save_networks(tmp_path, "TFR"), GAME)
    stuck = stacked([GAME.read("MEOOOOOOOEOOOOOOOOOOOEOO" + "0013")])
    parts, corrected = checked_parts(player, stuck)
    assert (parts == player.score_parts(stuck)[1]).all()
    assert not corrected.any()


def test_an_unchecked_network_may_lose_by_an_illegal_move(tmp_path: Path) -> None:
    text = save_networks(tmp_path, "TFR", seed=2)
    random = make_player("random", GAME, seed=1)
    openings = [(Opening(), False), (Opening(), True)] * 5
    lost = play_games(GAME, (make_player(text, GAME), random), openings)
    assert {game.reason for game in lost} == {"illegal move"}
    checked = play_games(GAME, (make_player(f"{text},check=legal", GAME), random), openings)
    assert "illegal move" not in {game.reason for game in checked}


@pytest.mark.parametrize(
    ("text", "error", "message"),
    [
        ("nnmm", BadOption, "named by an order of T, F and R, such as folder/TFR, not ''"),
        ("nnmm:weights/TFF", BadOption, "not 'weights/TFF'"),
        ("nnmm:nowhere/TFR", FileError, "weights 'nowhere/TFR_TO.npz' cannot be read: No such file"),
        ("nnmm:nowhere/RFT", FileError, "weights 'nowhere/RFT_REMOVE.npz' cannot be read: No such file"),
        ("nnmm:nowhere/TFR,check=maybe", UnknownName, "there are: none, legal"),
    ],
)
def test_bad_names_are_refused_in_one_sentence(text: str, error: type[Exception], message: str) -> None:
    with pytest.raises(error) as caught:
        make_player(text, GAME)
    assert message in str(caught.value)
    with pytest.raises(BadOption, match="play morris, not konane"):
        make_player(text, find_game("konane"))


def damaged(kind: str, arrays: list[Any]) -> dict[str, Any]:
    named = {f"arr_{i}": array for i, array in enumerate(arrays)}
    if kind == "too few":
        del named["arr_7"]
    elif kind == "other names":
        named = {f"w{i}": array for i, array in enumerate(arrays)}
    elif kind == "wrong shape":
        named["arr_0"] = arrays[0][:89]
    elif kind == "text":
        named["arr_1"] = np.array(["a"] * 200)
    elif kind == "not finite":
        named["arr_2"] = np.where(np.arange(300) == 7, np.nan, arrays[2])
    elif kind == "huge":
        named["arr_2"] = arrays[2] * 1e300
    return named


@pytest.mark.parametrize(
    ("kind", "message"),
    [
        ("too few", "hold 'arr_0', 'arr_1', 'arr_2', 'arr_3', 'arr_4', 'arr_5', 'arr_6'; expected 'arr_0'"),
        ("other names", "hold 'w0', 'w1'"),
        ("wrong shape", "arr_0 is float64 of shape (89, 200); expected numbers of shape (90, 200)"),
        ("text", "arr_1 is <U1 of shape (200,); expected numbers of shape (200,)"),
        ("not finite", "arr_2 holds numbers that are not finite"),
        ("huge", "arr_2 holds numbers that are not finite or beyond 1e+06"),
    ],
)
def test_wrong_weights_are_refused_in_one_sentence(kind: str, message: str, tmp_path: Path) -> None:
    text = save_networks(tmp_path, "TFR")
    np.savez(tmp_path / "TFR_TO.npz", **damaged(kind, layers(0, np.random.default_rng(3))))
    with pytest.raises(FileError) as caught:
        make_player(text, GAME)
    assert message in str(caught.value)
    assert "TFR_TO.npz" in str(caught.value)
    assert "\n" not in str(caught.value)


def test_pickles_single_arrays_and_nonsense_are_refused(tmp_path: Path) -> None:
    text = save_networks(tmp_path, "TFR")
    path = tmp_path / "TFR_FROM.npz"
    np.savez(path, arr_0=np.array([{"code": 1}], object))
    with pytest.raises(FileError, match="cannot be read: Object arrays cannot be loaded"):
        make_player(text, GAME)
    with path.open("wb") as file:
        np.save(file, np.zeros(3))
    with pytest.raises(FileError, match="are a single array"):
        make_player(text, GAME)
    for content in (b"", b"nonsense", b"PK\x03\x04nonsense", b"\x93NUMPY"):
        path.write_bytes(content)
        with pytest.raises(FileError, match=r"TFR_FROM\.npz' cannot be read"):
            make_player(text, GAME)
    path.unlink()
    path.mkdir()
    with pytest.raises(FileError, match="Is a directory"):
        make_player(text, GAME)


def test_no_damage_ends_in_a_traceback(tmp_path: Path) -> None:
    text = save_networks(tmp_path, "TFR")
    small = io.BytesIO()
    np.savez_compressed(small, *(0 * array for array in layers(0, np.random.default_rng(9))))
    whole, rng = small.getvalue(), np.random.default_rng(9)
    for _ in range(300):
        content = bytearray(whole[: rng.integers(1, len(whole) + 1)] if rng.random() < 0.2 else whole)
        for place in rng.integers(0, len(content), 3):
            content[place] = rng.integers(256)
        (tmp_path / "TFR_TO.npz").write_bytes(content)
        try:
            make_player(text, GAME)
        except UnderstudyError as error:
            assert "TFR_TO.npz" in str(error)


def fallen_by_hand(player: Any, board: Any) -> list[int] | None:
    """Return what the authors' check takes, class by class; None in a dead end."""
    batch, chosen = stacked([board]), list[int]()
    for place in range(3):
        given = np.array([[*chosen, -1, -1][:2]])
        for choice in np.argsort(-player.score_parts(batch, given)[0][0, place], kind="stable").tolist():
            parts = np.zeros((1, 3), np.int64)
            parts[0, list(player.order[: place + 1])] = [*chosen, choice]
            flags = grade(batch.mine, batch.theirs, batch.hand, parts, legacy=True)
            together = place == 0 or 2 in player.order[:2] or flags[0, 3]
            if whole(flags)["whole"][0] if place == 2 else flags[0, list(player.order[: place + 1])].all() and together:
                chosen.append(choice)
                break
        else:
            return None
    return [chosen[player.order.index(part)] for part in range(3)]


@pytest.mark.parametrize("order", ["TFR", "FTR", "RFT"])
def test_the_original_check_is_that_of_the_authors(order: str, tmp_path: Path) -> None:
    player: Any = make_player(f"{save_networks(tmp_path, order)},check=original", GAME)
    boards = [board for board in positions(120) if GAME.outcome(board) is None]
    fallen, choices = fall_back(player, stacked(boards)), player.choose(boards)
    for row, board in enumerate(boards):
        expected = fallen_by_hand(player, board)
        assert fallen.stuck[row] == (expected is None)
        assert choices[row].fault == ("dead end" if expected is None else None)
        if expected is not None:
            assert fallen.parts[row].tolist() == expected
            assert choices[row].move in GAME.moves(board)
    assert player.corrections.tolist() == fallen.corrected.sum(axis=0).tolist()
    assert fallen.stuck.any() or order != "RFT"  # a removal without a mill leads nowhere


def test_students_fall_back_as_the_authors_did() -> None:
    player: Any = make_player("student:morris,check=original", GAME)
    boards = [board for board in positions(120) if GAME.outcome(board) is None]
    expected = [fallen_by_hand(player, board) for board in boards]
    choices = player.choose(boards)
    assert [choice.fault for choice in choices] == ["dead end" if parts is None else None for parts in expected]
    decided = [(choice, parts) for choice, parts in zip(choices, expected, strict=True) if parts is not None]
    assert moves_of(np.array([parts for _, parts in decided])).tolist() == [choice.move for choice, _ in decided]
    assert player.corrections.tolist() == fall_back(player, stacked(boards)).corrected.sum(axis=0).tolist()
    assert player.think(boards[0]).choice == choices[0]


@pytest.mark.parametrize(
    ("game", "text", "message"),
    [
        ("morris", "student:morris,check=maybe", "there are: none, legal, original"),
        ("morris", "student:morris,check=original,best=3", "check=original decides part by part"),
        (
            "chess",
            "student:chess_imitator,check=original",
            "chess has no check of a paper's authors: check=original",
        ),
    ],
)
def test_where_the_original_check_cannot_be_it_is_refused(game: str, text: str, message: str) -> None:
    with pytest.raises(UnderstudyError) as caught:
        make_player(text, find_game(game))
    assert message in str(caught.value)
    assert "\n" not in str(caught.value)


def test_the_gaming_test_counts_corrections(tmp_path: Path) -> None:
    name = save_networks(tmp_path, "TFR")
    players = [f"{name},check=legal", name]
    table = gaming(GAME, players, stable={"lots": "random"}, games=2, seed=0, backend=Local(1))
    corrected = table.corrections(players[0])
    assert corrected is not None
    assert list(corrected) == ["to", "from", "remove"]
    assert corrected["to"] > 5
    assert gaming_json(table)["corrections"] == {players[0]: corrected, name: None}
    assert f"first choices corrected: to {corrected['to']}, from" in gaming_text(table)


def test_no_corrections_are_told_of_who_looks_ahead(tmp_path: Path) -> None:
    """A student that weighs every legal move corrects none: no number is better than a nought that nobody counted."""
    name = f"{make_student(tmp_path, value=True)},check=legal"
    lots = make_player("random", GAME)
    games = play_games(GAME, (lots, lots), [(Opening(), False)])
    assert count_corrections(GAME, name, games) is not None
    assert count_corrections(GAME, f"{name},depth=1", games) is None
