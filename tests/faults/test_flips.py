"""A bit that a disk has turned is noticed in every file that something is resumed from, wherever it is."""

from __future__ import annotations

import json
import random
import struct
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest
from safetensors.numpy import save_file as save_tensors

from tests.faults.effort import times
from tests.faults.kept import KEPT, Kept, fitted, learning, network, numbers, pupil, refusal, write_endgames
from tests.faults.tally import tally
from tests.tiny import TINY, tiny
from understudy import lab
from understudy.config import write_toml
from understudy.errors import FileError
from understudy.files import load_json, save_json
from understudy.games.morris.solving.tables import Tables
from understudy.lab import tuning
from understudy.lab.glimpses import read_rows
from understudy.lab.kinds.schooling import _load_round
from understudy.lab.run import append_line, drop_lines, keep_quiet
from understudy.networks.files import save_layers
from understudy.records.files import save_parquet
from understudy.report.sources import load_run
from understudy.sums import NEAR, check_sum
from understudy.tensors import load_arrays, load_facts, save_arrays
from understudy.trainers.checkpoints import resume
from understudy.trainers.offline import load_fit, save_fit

FLIPS = times(24, 240)
SMALL = 20
ANSWERS = ("is damaged", "is not JSON", "is not a Parquet file", "cannot read", "cannot be read")
"""What a reader may say; a flip in what makes a file JSON or Parquet is found before anything is added up."""


def turned(content: bytes, bit: int) -> bytes:
    """Return content with one bit turned."""
    changed = bytearray(content)
    changed[bit // 8] ^= 1 << bit % 8
    return bytes(changed)


@pytest.mark.parametrize("kept", KEPT, ids=lambda kept: kept.name)
def test_a_turned_bit_is_noticed(kept: Kept, tmp_path: Path) -> None:
    path = tmp_path / kept.name
    kept.write(path, SMALL)
    kept.read(path)
    whole, rng = path.read_bytes(), random.Random(kept.name)
    with tally("flips") as flips:
        for bit in rng.sample(range(8 * len(whole)), FLIPS):
            flips.tried += 1
            path.write_bytes(turned(whole, bit))
            said = refusal(lambda: kept.read(path))
            assert any(answer in said for answer in ANSWERS), f"bit {bit}: {said}"
            assert path.name.partition(".")[0] in said or "part_" in said
            flips.held += 1
    path.write_bytes(whole)
    kept.read(path)


def test_every_single_bit_of_a_small_file_is_noticed(tmp_path: Path) -> None:
    arrays, table = tmp_path / "a.safetensors", tmp_path / "a.json"
    save_arrays(arrays, {"a": np.arange(3)}, {"b": 1})
    save_json(table, {"a": [1, 2, 3]}, sealed=True)
    for path, read in ((arrays, load_arrays), (table, load_json)):
        whole = path.read_bytes()
        for bit in range(8 * len(whole)):
            path.write_bytes(turned(whole, bit))
            assert refusal(lambda read=read, path=path: read(path)), f"{path.name}, bit {bit}"  # type: ignore[misc]


def test_files_of_before_are_read_as_ever(tmp_path: Path) -> None:
    facts = {"understudy": json.dumps({"fingerprint": "x", "epoch": 1})}
    save_tensors({"a": np.arange(3)}, tmp_path / "old.safetensors", metadata=facts)
    arrays, old = load_arrays(tmp_path / "old.safetensors")
    assert arrays["a"].tolist() == [0, 1, 2] and old == {"fingerprint": "x", "epoch": 1}
    for end in ("", "\n", "\n\n", "  \n"):
        (tmp_path / "old.json").write_text('{"a": 1}' + end)
        assert load_json(tmp_path / "old.json") == {"a": 1}
    save_tensors({"a": np.arange(3)}, tmp_path / "other.safetensors", metadata=facts)
    with pytest.raises(FileError, match=r"does not hold this training .*; delete it to train anew"):
        resume(tmp_path / "other.safetensors", learning(), "x")


def test_readers_never_see_the_sum(tmp_path: Path) -> None:
    save_arrays(tmp_path / "a.safetensors", {"a": np.arange(3)}, {"b": 1})
    assert load_facts(tmp_path / "a.safetensors") == {"b": 1}
    save_json(tmp_path / "a.json", {"b": 1}, sealed=True)
    assert json.loads((tmp_path / "a.json").read_text()) == {"b": 1}, "any other program reads it, too"


def test_long_remarks_leave_room_for_the_sum(tmp_path: Path) -> None:
    long, path = "x" * (4 * NEAR), tmp_path / "a.parquet"
    save_arrays(tmp_path / "a.safetensors", {"a": np.arange(NEAR)}, {"b": long})
    save_layers(tmp_path / "a.onnx", network(NEAR).plain_layers(), {"b": long})
    save_parquet(path, pa.table({"a": numbers(NEAR)}).replace_schema_metadata({"b": long}))
    for name in ("a.safetensors", "a.onnx", "a.parquet"):
        path = tmp_path / name
        check_sum(path)
        path.write_bytes(turned(path.read_bytes(), 4 * path.stat().st_size))
        assert "is damaged" in refusal(lambda path=path: check_sum(path))  # type: ignore[misc]


def test_a_run_says_what_is_damaged_and_goes_on_without_it(tmp_path: Path) -> None:
    experiment, folder = tiny("evaluators", evaluators__depths=[1]), tmp_path / "run"
    lab.run(experiment, folder)
    before = load_json(folder / "cells.json")
    for name in ("cells.json", "marks.safetensors"):
        path = folder / name
        path.write_bytes(turned(path.read_bytes(), 8 * 60 + 1))
        said = refusal(lambda: lab.run(experiment, folder))
        assert name in said and ("is damaged" in said and "delete it to do that part again" in said), said
        path.unlink()
    lab.run(experiment, folder)
    assert load_json(folder / "cells.json") == before


def test_a_search_goes_on_only_from_the_trials_that_it_made(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Some bits of a SQLite file mean nothing: a turned one is noticed, or every trial is what it was."""
    experiment, path = tiny("imitation"), tmp_path / "tune.sqlite"
    monkeypatch.setattr(tuning, "watch", lambda *_, **__: None)
    monkeypatch.setattr(tuning, "_worth", lambda *words: 1 / (3 + words[3].number))
    tuning.tune(experiment, tmp_path, trials=3, show=keep_quiet)
    whole, notes, rng = path.read_bytes(), (tmp_path / "tune.json").read_bytes(), random.Random(0)
    values = [whole.index(struct.pack(">d", 1 / (3 + number))) for number in range(3)]
    for bit in (*(8 * place + 9 for place in values), *rng.sample(range(8 * len(whole)), times(20, 400))):
        path.write_bytes(turned(whole, bit))
        said = refusal(lambda: tuning.tune(experiment, tmp_path, trials=3, show=keep_quiet))
        assert str(path) in said if said else bit // 8 - 1 not in values, f"bit {bit}: {said}"
        assert (tmp_path / "tune.json").read_bytes() == notes
    path.write_bytes(whole)
    (tmp_path / "tune.json").write_bytes(turned(notes, 99))
    assert "is damaged" in refusal(lambda: tuning.tune(experiment, tmp_path, trials=3, show=keep_quiet))


def test_a_game_of_the_page_whose_row_was_changed_is_named(tmp_path: Path) -> None:
    pytest.importorskip("msgspec")
    from understudy.serve.store import Store

    store = Store(tmp_path / "games.sqlite")
    store.save("a", {"moves": ["b6-b4", "d4"]})
    text = store.file.execute("SELECT game FROM games").fetchone()[0]
    for place in range(len(text)):
        changed = f"{text[:place]}{chr(ord(text[place]) ^ 1)}{text[place + 1 :]}"
        store.file.execute("UPDATE games SET game = ?", (changed,))
        assert "games.sqlite' is damaged" in refusal(lambda: store.load("a")), place
    store.close()


def test_who_only_looks_on_passes_over_lines_that_were_changed(tmp_path: Path) -> None:
    pytest.importorskip("msgspec")
    from understudy.serve.curves import read_lines

    for name in ("progress.jsonl", "glimpses.jsonl"):
        for at in range(3):
            append_line(tmp_path / name, {"student": "a", "network": "b", "epoch": at, "at": at, "loss": 0.5})
        whole = (tmp_path / name).read_bytes()
        digit = whole.index(b"0.5") + 2
        (tmp_path / name).write_bytes(turned(whole, 8 * digit))  # 0.4 is as good a number
    run = load_run(tmp_path, {})
    assert ([row["epoch"] for row in run.progress], run.broken) == ([1, 2], 1)
    assert [row["at"] for row in read_rows(tmp_path)] == [1, 2]
    assert [row["epoch"] for row in read_lines(tmp_path / "progress.jsonl")] == [1, 2]
    (tmp_path / "progress.jsonl").write_text('{"epoch": 0}\n{"epoch": 1}')  # of before, and of other programs
    assert [row["epoch"] for row in load_run(tmp_path, {}).progress] == [0, 1]


def test_a_run_is_not_gone_on_with_by_a_damaged_note(tmp_path: Path) -> None:
    pytest.importorskip("msgspec")
    from understudy.serve.labs import Labs
    from understudy.serve.runs import PAGE, STARTED

    path = tmp_path / "a" / PAGE / STARTED
    path.parent.mkdir(parents=True)
    (tmp_path / "a" / "experiment.toml").write_text(write_toml(TINY["evaluators"]))
    save_json(path, {"experiment": "konane_4x4", "quick": True, "changes": ["judging.games=2"]}, sealed=True)
    sealed = path.read_bytes()
    for content in (turned(sealed, 8 * sealed.index(b"=2") + 8), b'{"experiment": "a"}', b"[]", b'{"changes": 3}'):
        path.write_bytes(content)
        labs = Labs(tmp_path)
        labs.go("a")
        error = labs.jobs()["a"].error
        assert error.startswith("it could not be started: the file") and STARTED in error and "\n" not in error
        labs.close()


def test_a_fitted_network_of_another_shape(tmp_path: Path) -> None:
    path, other = tmp_path / "fit.safetensors", fitted(3)
    save_fit(path, other, "x")
    assert "does not hold a fitted network of this shape" in refusal(lambda: load_fit(path, fitted(4), "x"))
    arrays, facts = load_arrays(path)
    for cycles in (np.zeros(4), np.zeros((1, 3)), np.full((1, 4), np.nan), np.zeros((0, 4, 1))):
        save_arrays(path, {**arrays, "cycles": cycles}, facts)
        assert "does not hold a fitted network" in refusal(lambda: load_fit(path, fitted(3), "x"))


def test_tables_of_other_endgames_are_not_looked_into(tmp_path: Path) -> None:
    """Kernels look up places without asking whether a table has so many."""
    write_endgames(tmp_path / "any", 1)
    for name in ("morris_3v3.safetensors", "morris_3v3_plies.safetensors"):
        whole = (tmp_path / name).read_bytes()
        arrays, facts = load_arrays(tmp_path / name)
        for change in ({"classes": 5}, {"classes": 1 << 40}, {"classes": "5"}, {"classes": None}, {"stones": "4v3"}):
            save_arrays(tmp_path / name, arrays, facts | change)
            assert name in refusal(lambda: Tables(tmp_path).plies((3, 3))), change
        save_arrays(tmp_path / name, {key: array[: len(array) // 2] for key, array in arrays.items()}, facts)
        assert name in refusal(lambda: Tables(tmp_path).plies((3, 3)))
        (tmp_path / name).write_bytes(whole)
    assert len(Tables(tmp_path).plies((3, 3)))


def test_trainings_of_another_shape_are_not_gone_on_with(tmp_path: Path) -> None:
    path = tmp_path / "pupil.safetensors"
    pupil().save(path, "x")
    arrays, facts = load_arrays(path)
    for change in (
        {"weights": arrays["weights"][:-1]},
        {"luck": np.array(["a"]).view(np.uint8)},
        {"best": np.zeros(99)},
    ):
        save_arrays(path, arrays | change, facts)
        assert "does not hold this training" in refusal(lambda: pupil().resume(path, "x"))
    del arrays["marks"]
    save_arrays(path, arrays, facts)
    assert "does not hold this training" in refusal(lambda: pupil().resume(path, "x"))
    seen = {"mine": np.zeros(3, np.uint64), "theirs": np.zeros(3, np.uint64), "results": np.zeros(3, np.int8)}
    whole = seen | {"alleles": np.zeros(7)}
    for change in ({"alleles": np.zeros(6)}, {"results": np.zeros(2, np.int8)}, {"mine": np.zeros(3)}):
        save_arrays(path, whole | change, {"seconds": 1.0})
        assert "is no round of a school" in refusal(lambda: _load_round(path, 7))
    for seconds in ("a", None, 10**400):
        save_arrays(path, whole, {"seconds": seconds})
        assert "is no round of a school" in refusal(lambda: _load_round(path, 7))


def test_half_a_line_is_gone_before_the_next_one(tmp_path: Path) -> None:
    path = tmp_path / "progress.jsonl"
    for half in ('{"epoch": 0', '{"epoch": 0}    \t', "x" * 9000):
        path.write_text("")
        append_line(path, {"epoch": 0})
        with path.open("a") as file:
            file.write(half)
        append_line(path, {"epoch": 1})
        assert [json.loads(line)["epoch"] for line in path.read_text().splitlines()] == [0, 1]
    drop_lines(path, lambda line: line["epoch"] >= 1)
    assert [json.loads(line)["epoch"] for line in path.read_text().splitlines()] == [0]
