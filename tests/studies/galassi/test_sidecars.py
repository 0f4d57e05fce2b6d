"""The authors' texts beside their weights: what is read of them, what a player takes from them, damaged ones."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from tests.conftest import random_line
from understudy.errors import FileError, UnderstudyError
from understudy.games import find_game
from understudy.games.batches import stacked
from understudy.games.morris.inputs import ENCODERS
from understudy.players import make_player
from understudy.studies.galassi.sidecar import load_sidecar, tell_training

GAME = find_game("morris")
NAMES = {"T": "TO", "F": "FROM", "R": "REMOVE"}
WIDTHS = {"rawest": 90, "rawer": 96, "raw": 114}
EPOCHS = (
    "1\t2.768052\t2.355473\t30.27\t36.06\tBetter!\n"
    "2\t2.390841\t2.207442\t36.71\t37.29\tBetter!\n"
    "3\t2.289092\t2.207691\t37.40\t37.28\n"
)
END = (
    "TIME OCCURRED: 44807.4382849 seconds\nTest:\t 1.415076\t51.725027\n"
    "Validation:\t 1.429198\t51.771395\nTraining:\t 1.378107\t53.071140\n"
)


def header(order: str, letter: str, kind: str = "rawest", first: int = 200, hidden: int = 300) -> str:
    inputs = WIDTHS[kind] + 25 * order.index(letter)
    return (
        "trainset: 1384373\tbatch_size: 20000\tvalset: 81433\ttestset: 162867\n"
        f"resnet\t{first}, 10 x {hidden} (x2)\ninput\t{inputs}\tbinary {kind}\t{order}\noutput\t{NAMES[letter]}\t25\n"
        "dropout\t0.1\t0\nbatch normalization\tno\nregularization\tl1\t0.001\nLr\t0.002\tkappa\t0.01\n"
        "b1\t0.99\nb2\t0.999\nep:\t10000\tpat:\t50\n"
    )


def layers(inputs: int, first: int, hidden: int, rng: np.random.Generator) -> list[NDArray[np.float64]]:
    shapes = [(inputs, first), (first,), (first, hidden), (hidden,), (hidden, first), (first,), (first, 25), (25,)]
    return [rng.normal(0, (2 / shape[0]) ** 0.5, shape) for shape in shapes]


def save_cascade(stem: Path, order: str, kind: str = "rawest", first: int = 200, hidden: int = 300) -> str:
    """Save random networks with their texts; return how the player is named."""
    rng = np.random.default_rng(4)
    for earlier, letter in enumerate(order):
        np.savez(f"{stem}_{NAMES[letter]}.npz", *layers(WIDTHS[kind] + 25 * earlier, first, hidden, rng))
        Path(f"{stem}_{NAMES[letter]}.txt").write_text(header(order, letter, kind, first, hidden) + EPOCHS + END)
    return f"nnmm:{stem}"


def write(path: Path, text: str) -> Path:
    path.write_bytes(text.encode())
    return path


def test_a_training_is_told_as_it_went(tmp_path: Path) -> None:
    sidecar = load_sidecar(write(tmp_path / "a.txt", header("RFT", "F") + EPOCHS + END))
    assert (sidecar.kind, sidecar.layers, sidecar.blocks) == ("resnet", (200, 300), 10)
    assert (sidecar.inputs, sidecar.encoder, sidecar.order, sidecar.part) == (115, "rawest", "RFT", "from")
    told: dict[str, Any] = json.loads(json.dumps(tell_training(sidecar)))
    assert told["curve"]["number"] == [1, 2, 3]
    assert told["curve"]["validation_accuracy"] == pytest.approx([0.3606, 0.3729, 0.3728])
    assert told["curve"]["better"] == [True, True, False]
    assert told["final"]["test"] == {"loss": 1.415076, "accuracy": pytest.approx(0.51725027)}
    assert set(told["final"]) == {"test", "validation", "training"}
    assert told["seconds"] == pytest.approx(44807.4382849)
    assert told["settings"] == {
        "train_rows": 1384373, "validation_rows": 81433, "test_rows": 162867, "batch": 20000, "input_dropout": 0.1,
        "dropout": 0.0, "penalty": "l1", "penalty_weight": 0.001, "rate": 0.002, "decay": 0.01, "beta1": 0.99,
        "beta2": 0.999, "most_epochs": 10000, "patience": 50,
    }  # fmt: skip


def test_other_architectures_and_settings_are_read(tmp_path: Path) -> None:
    text = header("TFR", "T", "raw").replace("regularization\tl1\t0.001\n", "").replace("\tkappa\t0.01", "")
    plain = load_sidecar(write(tmp_path / "a.txt", text.replace("resnet\t200, 10 x 300 (x2)", "ffnet\t[200, 100, 50]")))
    assert (plain.kind, plain.layers, plain.blocks) == ("ffnet", (200, 100, 50), 3)
    assert (plain.settings["penalty"], plain.settings["decay"]) == ("none", None)
    dense = load_sidecar(
        write(tmp_path / "a.txt", text.replace("resnet\t200, 10 x 300 (x2)", "densenet\t200, 3 x 100"))
    )
    assert (dense.kind, dense.layers, dense.blocks) == ("densenet", (200, 100), 3)


def test_a_training_that_was_stopped_or_taken_up_is_no_fault(tmp_path: Path) -> None:
    stopped = load_sidecar(write(tmp_path / "a.txt", header("TFR", "T") + EPOCHS))
    assert (len(stopped.epochs), stopped.seconds, stopped.final) == (3, None, {})
    heading = "TRAINED ON: DATASET.txt\tVal: 5\tTest: 10\n"
    again = "Epoch\tTrain_e\tVal_e\tTrain_a\tVal_a\tBetter?\n3\t2.1\t2.2\t37.50\t37.60\tBetter!\n"
    text = heading + header("TFR", "T") + EPOCHS + heading + again + END
    resumed = load_sidecar(write(tmp_path / "a.txt", text.replace("\n", "\r\n")))
    assert [epoch.number for epoch in resumed.epochs] == [1, 2, 3]
    assert resumed.epochs[2].better


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("output\tTO\t25\n", "", "has no line 'output': it was cut off"),
        ("output\tTO\t25\n", "output\tTO\t24\n", "a part has 25 classes, not 24"),
        ("b1\t0.99\n", "b1\t0.99\nb1\t0.9\n", "line 10 says 'b1' for a second time"),
        ("input\t90", "input\t115", "format 'rawest', order TFR and part TO make 90 inputs, not 115"),
        ("rawest\tTFR", "rawest\tTTR", "'TTR' is no order of T, F and R"),
        ("binary rawest", "decimal", "line 3 is none that the authors' program writes: 'input"),
        ("10 x 300 (x2)", "ten x 300", "'200, ten x 300' is no resnet as the authors' program writes it"),
        ("2\t2.390841", "7\t2.390841", "epoch 7 comes after 1 epochs: lines are missing"),
        ("\t36.06\t", "\t136.06\t", "an accuracy of 136.06 % cannot be"),
        ("2.768052", "nan", "line 12 is none that the authors' program writes"),
        ("53.071140\n", "53.07", "ends within a line: it was cut off"),
    ],
)
def test_damaged_texts_are_refused_in_one_sentence(old: str, new: str, message: str, tmp_path: Path) -> None:
    whole = header("TFR", "T") + EPOCHS + END
    assert old in whole
    with pytest.raises(FileError) as caught:
        load_sidecar(write(tmp_path / "TFR_TO.txt", whole.replace(old, new)))
    assert message in str(caught.value)
    assert "TFR_TO.txt" in str(caught.value)
    assert "\n" not in str(caught.value)


def test_garbage_and_anything_cut_off_is_refused_or_a_stopped_training(tmp_path: Path) -> None:
    whole, path = (header("TFR", "T") + EPOCHS + END).encode(), tmp_path / "a.txt"
    for content in (b"", b"\n\n", b"\x00\xff\n", b"nonsense\n", b"9" * 5000 + b"\t1\n", b"\n" * ((1 << 22) + 1)):
        path.write_bytes(content)
        with pytest.raises(FileError, match=r"a\.txt"):
            load_sidecar(path)
    for length in range(len(whole)):
        path.write_bytes(whole[:length])
        if whole[:length].endswith(b"\n") and length >= len(header("TFR", "T")):
            assert len(load_sidecar(path).epochs) <= 3
        else:
            with pytest.raises(FileError, match=r"a\.txt"):
                load_sidecar(path)
    with pytest.raises(FileError, match="cannot be read: No such file"):
        load_sidecar(tmp_path / "nowhere.txt")
    with pytest.raises(FileError, match="cannot be read: Is a directory"):
        load_sidecar(tmp_path)


@pytest.mark.parametrize("kind", WIDTHS)
def test_a_player_takes_order_format_and_widths_from_the_texts(kind: str, tmp_path: Path) -> None:
    player: Any = make_player(save_cascade(tmp_path / "mine", "FRT", kind, first=30, hidden=40), GAME)
    assert player.order == (1, 2, 0)
    assert player.sidecars[0].part == "to"
    boards = [position for position, _ in random_line(GAME, 60, 3)]
    seen = ENCODERS[kind].encode(stacked(boards)).astype(float)
    scores, parts = player.score_parts(stacked(boards))
    for place, letter in enumerate("FRT"):
        with np.load(tmp_path / f"mine_{NAMES[letter]}.npz") as file:
            w0, b0, w1, b1, w2, b2, w3, b3 = (file[f"arr_{i}"] for i in range(8))
        x = seen @ w0 + b0
        logits = (x + np.maximum(np.maximum(x, 0) @ w1 + b1, 0) @ w2 + b2) @ w3 + b3
        assert (logits.argmax(axis=1) == parts[:, player.order[place]]).all()
        expected = logits - np.log(np.exp(logits).sum(axis=1, keepdims=True))
        assert np.abs(scores[:, place] - expected).max() < 1e-3
        seen = np.concatenate([seen, np.eye(25)[logits.argmax(axis=1)]], axis=1)


def test_texts_change_nothing_of_weights_as_published(tmp_path: Path) -> None:
    name = save_cascade(tmp_path / "TFR", "TFR")
    boards = [position for position, _ in random_line(GAME, 60, 5)]
    told = make_player(name, GAME).choose(boards)
    for text in tmp_path.glob("*.txt"):
        text.unlink()
        assert make_player(name, GAME).choose(boards) == told  # with two, with one, with none


def refusal(name: str) -> str:
    with pytest.raises(UnderstudyError) as caught:
        make_player(name, GAME)
    assert isinstance(caught.value, FileError)
    assert "\n" not in str(caught.value)
    return str(caught.value)


def test_weights_that_do_not_fit_their_texts_are_refused(tmp_path: Path) -> None:
    stem = tmp_path / "TFR"
    name = save_cascade(stem, "TFR")
    text = tmp_path / "TFR_TO.txt"
    write(text, header("TFR", "T", first=100))
    assert "expected numbers of shape (90, 100), as " in refusal(name)
    assert "TFR_TO.txt' says" in refusal(name)
    write(text, header("TFR", "F"))
    assert "is of a network that decides FROM, by what it says" in refusal(name)
    write(text, header("FTR", "T"))
    assert "do not belong together: their order is FTR and TFR" in refusal(name)
    write(text, header("TFR", "T", "raw"))
    assert "do not belong together: their encoder is raw and rawest" in refusal(name)
    write(text, header("TFR", "T").replace("normalization\tno", "normalization\tyes"))
    assert "describes a resnet with batch normalization; this player knows a resnet without" in refusal(name)
    write(text, header("TFR", "T").replace("resnet\t200, 10 x 300 (x2)", "densenet\t200, 3 x 100"))
    assert "describes a densenet" in refusal(name)
    for letter in "TFR":
        write(Path(f"{stem}_{NAMES[letter]}.txt"), header("RTF", letter))
    assert "are named by the order TFR, and their sidecars say RTF" in refusal(name)
    write(text, header("TFR", "T")[:-3])
    assert "ends within a line" in refusal(name)
