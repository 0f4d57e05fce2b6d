"""What once was a traceback, or came to light after hours: each now gets one sentence, at once, and exit code 2."""

from __future__ import annotations

import dataclasses
import io
import json
import math
import os
import subprocess
import sys
import types
import zipfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, get_args, get_origin, get_type_hints

import numpy as np
import pytest

from tests.conftest import LONG
from tests.tiny import IMITATION, TINY, VALUED, changed, tiny
from understudy import config
from understudy.config import load_toml, write_toml
from understudy.errors import BadOption, FileError, UnderstudyError
from understudy.files import load_json, save_json
from understudy.games import find_game
from understudy.lab import check, report, run
from understudy.lab.experiments import load_experiment, make_experiment

BIG, HUGE = "9" * 400, "9" * 5000
DEEP = 5000
LONG_NAME = "n" * 300


def command(*arguments: str, cwd: Path | None = None, **environment: str | None) -> subprocess.CompletedProcess[str]:
    """Run the program; None takes a variable out of its environment."""
    chosen = {key: value for key, value in (os.environ | environment).items() if value is not None}
    return subprocess.run(
        [sys.executable, "-m", "understudy", *arguments],
        capture_output=True,
        text=True,
        check=False,
        env=chosen,
        cwd=cwd,
        timeout=LONG,
    )


def refuse(*arguments: str, cwd: Path | None = None, **environment: str | None) -> str:
    """Return the one sentence by which the program refuses something."""
    done = command(*arguments, cwd=cwd, **environment)
    assert done.returncode == 2, done
    assert done.stderr.startswith("understudy: ") and done.stderr.count("\n") == 1, done.stderr
    assert len(done.stderr) < 1100
    return done.stderr


# Settings.


@pytest.mark.parametrize(
    "value",
    [
        BIG,
        HUGE,
        "nan",
        "inf",
        "-inf",
        "true",
        "[1]",
        "[[1]]",
        "{a = 1}",
        "1979-05-27",
        "07:32:00",
        "1979-05-27T07:32:00Z",
        "[" * DEEP + "]" * DEEP,
        '"' + "x" * 300 + '"',
        "0x" + "f" * 500,
    ],
    ids=lambda value: value[:12],
)
@pytest.mark.parametrize("key", ["watch.regular", "training.learning_rate", "watch.opponents", "experiment.size"])
def test_settings_of_odd_types(tmp_path: Path, key: str, value: str) -> None:
    path = tmp_path / "a.toml"
    path.write_text(write_toml(IMITATION))
    with pytest.raises(UnderstudyError):
        load_experiment(path, (f"{key}={value}",))
    section, _, name = key.partition(".")
    table = {key: value for key, value in IMITATION[section].items() if key != name}
    path.write_text(
        write_toml({**IMITATION, section: table}).replace(f"[{section}]\n", f"[{section}]\n{name} = {value}\n")
    )
    with pytest.raises(UnderstudyError):
        load_experiment(path)


@pytest.mark.parametrize("section", ["paper", "tune"])
def test_dates_and_infinity_stand_nowhere(tmp_path: Path, section: str) -> None:
    """Such sections are free; what they hold is written as JSON later, which has neither."""
    path = tmp_path / "a.toml"
    for value in ("1979-05-27", "nan", HUGE):
        path.write_text(write_toml({**IMITATION, section: {}}) + f"[{section}.a]\nb = {value}\n")
        with pytest.raises(FileError):
            load_toml(path)


def test_a_part_that_is_no_table() -> None:
    with pytest.raises(BadOption, match=r"network\.to = 3 must be a section"):
        tiny("imitation", network__to=3)


def numeric_options() -> Iterator[tuple[str, str, str, bool, type]]:
    """Yield kind, section and name of each number that an experiment may say, whether in a list, and its type."""
    for kind, settings in (TINY | {"valued": VALUED["konane"]}).items():
        for section, options in sections_of(settings).items():
            hints = get_type_hints(options)
            for field in dataclasses.fields(options):
                hint = hints[field.name]
                of = next(
                    one
                    for one in (get_args(hint) if isinstance(hint, types.UnionType) else (hint,))
                    if one is not type(None)
                )
                listed = get_origin(of) is tuple
                if (number := get_args(of)[0] if listed else of) in (int, float):
                    yield kind, section, field.name, listed, number


def sections_of(settings: dict[str, Any]) -> dict[str, Any]:
    """Return the options of each section that a file of this kind has read."""
    seen: dict[str, Any] = {}
    original = config.build

    def spy(kind: Any, options: Any, *, place: str) -> Any:
        if place.startswith("["):
            seen.setdefault(place.strip("[]"), kind)
        return original(kind, options, place=place)

    make_experiment("a", changed(settings), folder=Path())  # loads what it needs
    places = [
        module
        for name, module in list(sys.modules.items())
        if name.startswith("understudy") and getattr(module, "build", None) is original
    ]
    try:
        for module in places:
            module.build = spy  # type: ignore[attr-defined]
        make_experiment("a", changed(settings), folder=Path())
    finally:
        for module in places:
            module.build = original  # type: ignore[attr-defined]
    return seen


BELOW = {int: -1, float: -1.0}
SERIES_CELL = "cells are experiments of their own, which stand here, too"


def test_every_number_is_checked_before_anything_runs() -> None:
    """A number below its least, one without end and none at all: refused when the file is read."""
    accepted = []
    for kind, section, name, listed, number in numeric_options():
        settings = TINY[kind] if kind in TINY else VALUED["konane"]
        if kind == "series" and section not in ("series", "experiment"):
            continue  # cells are experiments of their own, and stand here, too
        for value in (BELOW[number], 10**400, math.nan, math.inf):
            made = changed(settings, **{f"{section}__{name}": [value] if listed else value})
            for varied in made.get("variations", {}).values():
                if name in varied.get(section, {}):
                    varied[section][name] = [value] if listed else value
            try:
                make_experiment("a", made, folder=Path())
            except UnderstudyError:
                continue
            accepted.append((kind, section, name, value))
    assert not accepted


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        ({"student__design": "cascad"}, "design"),
        ({"judging__gaming": 3}, r"judging\.gaming"),
        ({"judging__states": "nowhere.parquet"}, "nowhere"),
        ({"judging__baselines": ["nobody"]}, r"judging\.baselines"),
        ({"watch__teacher": "nobody"}, "nobody"),
        ({"records__on_error": "maybe"}, "on_error"),
        ({"student__start": "nowhere.onnx"}, "nowhere"),
        ({"network__kind": "feedforward", "network__layers": [0]}, "layers"),
    ],
)
def test_what_judging_and_learning_need_is_asked_for_first(
    tmp_path: Path, change: dict[str, Any], sentence: str
) -> None:
    """All of this was found missing after the teacher had been watched; now the folder is not even made."""
    with pytest.raises(UnderstudyError, match=sentence):
        run(tiny("imitation", **change), tmp_path / "run")
    assert not (tmp_path / "run").exists()


@pytest.mark.parametrize(
    "space",
    [
        {"network": {"blocks": [0, -1]}},
        {"network": {"blocks": {"low": 3, "high": 1}}},
        {"training": {"epochs": {"low": "a", "high": 2}}},
        {"training": {"learning_rate": {"low": 0.0, "high": 1.0, "log": True}}},
    ],
)
def test_a_space_that_cannot_be_searched_is_refused_before_watching(tmp_path: Path, space: dict[str, Any]) -> None:
    from understudy.lab.run import keep_quiet
    from understudy.lab.tuning import tune

    experiment = make_experiment("a", {**IMITATION, "tune": space}, folder=Path())
    with pytest.raises(BadOption, match=r"\[tune\]"):
        tune(experiment, tmp_path / "run", trials=1, show=keep_quiet)
    assert not (tmp_path / "run").exists()


# Numbers, names and nesting elsewhere.


@pytest.mark.parametrize(
    "name",
    [
        "searcher:depth=1e400",
        "searcher:time=nan",
        f"searcher:depth={HUGE}",
        "searcher:time=inf",
        f"searcher:nodes={BIG}",
        "(" * DEEP,
        LONG_NAME,
        "a\0b",
        f"student:{LONG_NAME}",
        "student:a\0b",
        "student:/",
        "hybrid:path=/,depth=2",
        "council:path=/",
        "council:path=/+/",
        f"council:{LONG_NAME}",
    ],
)
def test_names_of_players(name: str) -> None:
    from understudy.players import make_player

    with pytest.raises((UnderstudyError, OSError)):
        make_player(name, find_game("konane"))


def test_names_that_no_file_has(tmp_path: Path) -> None:
    for arguments in (
        ("report", LONG_NAME),
        ("run", LONG_NAME),
        ("suite", "random", LONG_NAME),
        ("export", LONG_NAME),
        ("show", "chess", "--svg", "--output", LONG_NAME),
        ("show", "chess", "--svg", "--output", "."),
        ("report", "--all", "--runs", LONG_NAME),
        ("fetch", "--list", "--to", LONG_NAME),
    ):
        refuse(*arguments, cwd=tmp_path)
    with pytest.raises(FileError, match="no file has such a name"):
        save_json(tmp_path / "a\0b", {})


def test_the_longest_name_a_file_may_have_can_be_written(tmp_path: Path) -> None:
    path = tmp_path / ("n" * 250 + ".json")
    save_json(path, {"a": 1})
    assert load_json(path) == {"a": 1} and len(list(tmp_path.iterdir())) == 1


@pytest.mark.parametrize("text", ["[" * 100_000, HUGE, '{"a": ' * DEEP, "\ud800".encode("utf-8", "surrogatepass")])
def test_json_of_any_sort(tmp_path: Path, text: str | bytes) -> None:
    path = tmp_path / "a.json"
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    with pytest.raises(FileError):
        load_json(path)


def test_long_input_is_not_repeated_at_length() -> None:
    refuse("show", "chess", "--position", "x" * 50_000)


# The machine.


def test_no_home(tmp_path: Path) -> None:
    bare = {"XDG_CACHE_HOME": None, "LOCALAPPDATA": None, "UNDERSTUDY_DATA": None}
    done = command("show", "konane", "--size", "4", **bare, HOME="/nowhere/at/all")
    assert done.returncode == 0, done.stderr
    assert command("fetch", "--list", **bare, HOME="/nowhere/at/all").returncode == 0


def test_no_home_at_all(monkeypatch: pytest.MonkeyPatch) -> None:
    from understudy.files import data_folder

    def fail(kind: object) -> Path:
        raise RuntimeError("Could not determine home directory.")

    for name in ("XDG_CACHE_HOME", "LOCALAPPDATA", "UNDERSTUDY_DATA"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr(Path, "home", classmethod(fail))
    with pytest.raises(FileError, match="home"):
        data_folder()


HOMELESS = """
import os, pwd, sys
for name in ("HOME", "XDG_CACHE_HOME", "LOCALAPPDATA", "UNDERSTUDY_DATA", "UNDERSTUDY_KERNELS"):
    os.environ.pop(name, None)
def find(number):
    raise KeyError(number)
pwd.getpwuid = find
from understudy.__main__ import main
main()
"""


@pytest.mark.skipif(os.name == "nt", reason="whoever uses Windows has a home")
@pytest.mark.parametrize(
    "words", ["moves konane --size 4", "think morris random", "think chess random", "experiments", "fetch --list"]
)
def test_what_needs_no_home_does_without(words: str) -> None:
    """A container may run programs as a user of whom the machine knows nothing but the number."""
    done = subprocess.run(
        [sys.executable, "-c", HOMELESS, *words.split()], capture_output=True, text=True, check=False, timeout=LONG
    )
    assert done.returncode == 0 and done.stdout, done.stderr


def test_a_homeless_user_is_told_where_files_may_go() -> None:
    for words in ("fetch nnmm", "serve --no-browser --port 0", "think morris searcher:depth=1,tables=usual"):
        done = subprocess.run(
            [sys.executable, "-c", HOMELESS, *words.split()], capture_output=True, text=True, check=False, timeout=LONG
        )
        assert done.returncode == 2 and "no home folder" in done.stderr.splitlines()[-1], done.stderr


@pytest.mark.parametrize("threads", ["abc", "0", "-1", "1000000", HUGE, "1.5"])
def test_threads_that_are_no_number(monkeypatch: pytest.MonkeyPatch, threads: str) -> None:
    from understudy.config import read_threads

    monkeypatch.setenv("UNDERSTUDY_THREADS", threads)
    with pytest.raises(BadOption, match="UNDERSTUDY_THREADS"):
        read_threads()
    monkeypatch.setenv("UNDERSTUDY_THREADS", "2")
    assert read_threads() == 2


def test_threads_are_read_before_anything_is_watched(tmp_path: Path) -> None:
    """This was refused when the networks began to learn, after hours of watching."""
    (tmp_path / "tiny.toml").write_text(write_toml({**IMITATION, "tune": {"network": {"blocks": [0, 1]}}}))
    for words in (
        ("run", "tiny.toml"), ("watch", "tiny.toml"), ("train", "tiny.toml"), ("tune", "tiny.toml"),
        ("watch", "konane", "--games", "2"), ("match", "konane", "student:konane_8", "random", "--games", "2"),
    ):  # fmt: skip
        run_of = () if words[0] == "match" else ("--run", "run")
        done = command(*words, *run_of, cwd=tmp_path, UNDERSTUDY_THREADS="abc")
        assert (done.returncode, done.stdout) == (2, "")
        assert done.stderr.splitlines()[-1] == "understudy: UNDERSTUDY_THREADS must be a whole number, not 'abc'"
        assert not (tmp_path / "run").exists(), "nothing was watched"


def test_a_damaged_cache_of_kernels_is_compiled_anew(tmp_path: Path) -> None:
    """Cut files of compiled code, as a power cut leaves them, cost time and nothing else."""
    home = {"XDG_CACHE_HOME": str(tmp_path)}
    first = command("moves", "konane", "--size", "4", "--json", **home)
    assert first.returncode == 0, first.stderr
    for index in (tmp_path / "understudy" / "kernels").rglob("*.nbi"):
        index.write_bytes(index.read_bytes()[:20])
    again = command("moves", "konane", "--size", "4", "--json", **home)
    assert (again.returncode, again.stdout) == (0, first.stdout), again.stderr


IMPORTING = """
import builtins, os, signal, sys
signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell has its background work ignore it
real, wanted = builtins.__import__, sys.argv[1]
def importing(name, *rest):
    if name == wanted:
        os.kill(os.getpid(), signal.SIGINT)
    return real(name, *rest)
builtins.__import__ = importing
sys.argv = ["understudy", "think", "konane", "random", "--size", "4"]
from understudy.__main__ import main
main()
"""


BETWEEN = """
import os, signal
from understudy.__main__ import main
os.kill(os.getpid(), signal.SIGINT)
"""


def test_a_stop_before_the_commands_are_loaded() -> None:
    """The script that an installer writes has lines of its own around ours."""
    done = subprocess.run([sys.executable, "-c", BETWEEN], capture_output=True, text=True, check=False, timeout=LONG)
    assert (done.returncode, done.stderr.strip()) == (130, "understudy: stopped"), done.stderr
    loading = "import sys; before = {*sys.modules}; import understudy.__main__; print(*{*sys.modules} - before)"
    done = subprocess.run([sys.executable, "-c", loading], capture_output=True, text=True, check=True)
    assert set(done.stdout.split()) == {"understudy", "understudy.__main__"}, "nothing else is loaded before"


@pytest.mark.parametrize("module", ["click", "understudy.cli.data", "numba", "numpy"])
def test_a_stop_while_modules_are_loaded(module: str) -> None:
    done = subprocess.run(
        [sys.executable, "-c", IMPORTING, module], capture_output=True, text=True, check=False, timeout=LONG
    )
    assert (done.returncode, done.stderr.strip()) == (130, "understudy: stopped"), done.stderr


# Files that others wrote.


def test_books_of_openings(tmp_path: Path) -> None:
    from understudy.games.chess.judges.openings import load_book

    whole = io.BytesIO()
    with zipfile.ZipFile(whole, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("a.pgn", '[Event "a"]\n\n1. e4 e5 *\n' * 50)
    path, data = tmp_path / "a.zip", whole.getvalue()
    for place in range(0, len(data), 7):
        path.write_bytes(data[:place] + b"\xff" + data[place + 1 :])
        try:
            load_book(str(path), most=2)
        except UnderstudyError:
            continue
    (tmp_path / "a.pgn").write_text("1. e4 e5 2. Nf3 *\n")
    assert len(load_book(str(tmp_path / "a.pgn"), most=2)) == 1
    (tmp_path / "b.pgn").write_text('[Event "a"]\n\n1. e4 ' + "(" * DEEP + " e5 *\n")
    with pytest.raises(FileError):
        load_book(str(tmp_path / "b.pgn"), most=2)
    (tmp_path / "c.pgn").write_text('[Event "a"]\n\n1. e4) 2... d6) *\n')
    assert len(load_book(str(tmp_path / "c.pgn"), most=2)) == 1


def test_a_column_twice(tmp_path: Path) -> None:
    import pyarrow as pa
    import pyarrow.parquet as pq

    from understudy.games.chess.records.positions import load_positions
    from understudy.records.store import load, lone_pairs, save

    game = find_game("konane", (4, 4))
    save(
        lone_pairs(
            game,
            type(game.start())(*(np.array([one]) for one in game.start())),
            np.array([game.moves(game.start())[0]]),
            source="a",
        ),
        tmp_path / "a.parquet",
    )
    rows = pq.read_table(tmp_path / "a.parquet")
    pq.write_table(
        pa.Table.from_arrays([*rows.columns, rows["move"]], [*rows.column_names, "move"]).replace_schema_metadata(
            rows.schema.metadata
        ),
        tmp_path / "b.parquet",
    )
    with pytest.raises(FileError, match="two columns 'move'"):
        load(tmp_path / "b.parquet")
    (tmp_path / "a.csv").write_text("fen,fen,evaluation\n" + "8/8/8/8/8/4k3/8/4K3 w - -," * 2 + "+1\n")
    with pytest.raises(FileError, match="two columns 'fen'"):
        load_positions(tmp_path / "a.csv")


@pytest.mark.parametrize(
    "told",
    [
        b"\xff\xfe",
        b"[1]",
        b"{}",
        b'{"format": 1, "game": 3, "size": [4], "switches": 5, "notes": []}',
        b'{"format": 1, "game": "konane", "size": 0, "switches": {}, "notes": {}}',
        b"[" * 100_000,
    ],
)
def test_metadata_of_records(tmp_path: Path, told: bytes) -> None:
    import pyarrow as pa
    import pyarrow.parquet as pq

    from understudy.records.store import load, load_notes

    pq.write_table(pa.table({"position": ["a"]}).replace_schema_metadata({b"understudy": told}), tmp_path / "a.parquet")
    with pytest.raises(FileError):
        load(tmp_path / "a.parquet")
    if b"konane" not in told:
        with pytest.raises(FileError):
            load_notes(tmp_path / "a.parquet")


def test_a_foreign_part_of_labels(tmp_path: Path) -> None:
    import pyarrow as pa
    import pyarrow.parquet as pq

    from understudy.games.chess.records.labelling import finished_parts

    pq.write_table(pa.table({"a": [1]}), tmp_path / "part_0000000000.parquet")
    with pytest.raises(FileError, match="part of these labels"):
        finished_parts(tmp_path)


# Run folders.


@pytest.fixture(scope="module")
def finished(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("runs") / "run"
    run(tiny("evaluators", experiment__title="A | title\n`code` <script>alert(1)</script> [x](javascript:1)"), folder)
    return folder


def odd_shapes(told: Any) -> Iterator[Any]:
    """Yield other things that a file might hold: no table, tables without a key, texts for numbers."""
    yield from ([], "text", 3, None, {})
    for key in told if isinstance(told, dict) else ():
        yield {name: value for name, value in told.items() if name != key}
        for odd in ([], "text", {"a": []}, None, -1, [["a"]]):
            yield told | {key: odd}


def test_files_of_a_run_folder_of_another_shape(finished: Path) -> None:
    """Each JSON file with each of its keys gone or of another type: a report, a list of runs, going on."""
    from understudy.serve.runs import describe_run, list_runs

    experiment = load_experiment(finished / "experiment.toml")
    for path in sorted(finished.glob("*.json")):
        kept = path.read_bytes()
        for odd in odd_shapes(json.loads(kept)):
            save_json(path, odd)
            list_runs(finished.parent)
            describe_run(finished.parent, finished.name)
            for ask in (report, check):
                answer(ask, experiment, finished)
        path.write_bytes(kept)


def answer(ask: Callable[..., object], *arguments: Any) -> None:
    """Ask; a sentence is an answer."""
    try:
        ask(*arguments)
    except UnderstudyError as error:
        assert "\n" not in str(error)


def test_a_run_goes_on_or_says_why_not(finished: Path) -> None:
    experiment = load_experiment(finished / "experiment.toml")
    for path in sorted(finished.glob("*.json")):
        kept = path.read_bytes()
        for odd in ([], "text", None, {"steps": []}, {"steps": {"play": {"cpu_seconds": "a"}}}):
            save_json(path, odd)
            answer(run, experiment, finished)
        path.write_bytes(kept)


def test_names_are_shown_as_they_are_in_reports(finished: Path) -> None:
    report(load_experiment(finished / "experiment.toml"), finished)
    text = (finished / "report.md").read_text()
    assert text.splitlines()[0] == r"# A | title \`code\` \<script>alert(1)\</script> [x]\(javascript:1)"
    assert "<script>" not in text.replace(r"\<script>", "")


def test_a_student_whose_file_says_something_else(tmp_path: Path) -> None:
    from safetensors.numpy import save_file

    from understudy.players import make_player

    right = {"kind": "single", "game": "konane", "size": "4x4", "sizes": [16, 2, 1], "representation": "B", "depth": 1}
    for key in right:
        for odd in (None, [], {}, "a", -1, 3.5, [{}], [-1, 2, 1]):
            weights = {"weights": np.zeros(16 * 2 + 2 + 2 + 1, np.float32)}
            save_file(weights, tmp_path / "a.safetensors", metadata={"understudy": json.dumps(right | {key: odd})})
            answer(make_player, f"student:{tmp_path / 'a.safetensors'}", find_game("konane", (4, 4)))


def test_a_checkpoint_of_another_shape(tmp_path: Path) -> None:
    import torch
    from safetensors.torch import save_file

    from understudy.trainers.checkpoints import resume, save_checkpoint
    from understudy.trainers.fitting import TrainingOptions, begin

    learning = begin(torch.nn.Linear(2, 1), TrainingOptions())
    save_checkpoint(tmp_path / "a.safetensors", learning, "f")
    assert resume(tmp_path / "a.safetensors", learning, "f")
    for facts in (
        {"fingerprint": "f"},
        {"fingerprint": "f", "epoch": [], "seconds": 0, "best_accuracy": 0, "best_epoch": 0},
    ):
        save_file(
            {"weights.weight": torch.zeros(1, 2), "weights.bias": torch.zeros(1)},
            tmp_path / "b.safetensors",
            metadata={"understudy": json.dumps(facts)},
        )
        with pytest.raises(FileError, match="checkpoint"):
            resume(tmp_path / "b.safetensors", learning, "f")
    whole = {"fingerprint": "f", "epoch": 0, "seconds": 0, "best_accuracy": 0, "best_epoch": 0}
    save_file({"weights.other": torch.zeros(1)}, tmp_path / "c.safetensors", metadata={"understudy": json.dumps(whole)})
    with pytest.raises(FileError, match="checkpoint"):
        resume(tmp_path / "c.safetensors", learning, "f")
