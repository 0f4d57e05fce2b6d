"""Experiment files: every one that ships can be read; every wrong key is one clear sentence."""

from __future__ import annotations

import json
import re
import tomllib
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from tests.tiny import IMITATIONS, changed, tiny
from understudy import lab
from understudy.cli import commands
from understudy.config import overridden, write_toml
from understudy.errors import BadOption, FileError, UnderstudyError, UnknownName
from understudy.games import find_game
from understudy.lab.experiments import find_experiment, list_experiments, load_experiment, make_experiment, shipped
from understudy.lab.options.imitation import data_file
from understudy.networks import build_units
from understudy.networks.students import StudentOptions

FILES = list(shipped().values())
LEAST: dict[str, Any] = {"watch": {"regular": 10}}


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_every_experiment_that_ships_can_be_read_and_written(path: Path) -> None:
    experiment = load_experiment(path)
    assert experiment.name == path.stem and experiment.about.title
    assert experiment.about.kind == "evaluators" or getattr(experiment, "cells", None) or experiment.lessons
    assert tomllib.loads(write_toml(experiment.settings)) == experiment.settings


def test_parts_and_variations_change_what_they_name() -> None:
    settings = LEAST | {
        "network": {"blocks": 3, "remove": {"blocks": 30}},
        "training": {"epochs": 5},
        "variations": {"a": {"student": {"order": "FTR"}}, "b": {"training": {"to": {"epochs": 7}}}},
    }
    first, second = make_experiment("x", settings, folder=Path()).lessons
    assert (first.name, first.student.order, second.student.order) == ("a", "FTR", "TFR")
    assert first.networks["remove"]["blocks"] == 30 and first.networks["to"]["blocks"] == 3
    assert (first.training["to"].epochs, second.training["to"].epochs, second.training["from"].epochs) == (5, 7, 5)
    assert first.fingerprint("to") != second.fingerprint("to")


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({}, "needs either .watch. or .records. files"),
        (LEAST | {"records": {"files": ["x"]}}, "one of them"),
        (LEAST | {"trainin": {}}, "did you mean 'training'"),
        (LEAST | {"training": 3}, "must be a section"),
        (LEAST | {"training": {"epocs": 3}}, "did you mean 'epochs'"),
        (LEAST | {"training": {"epochs": "many"}}, "training.: epochs must be a whole number, not 'many'"),
        (LEAST | {"training": {"epochs": 1.5}}, "epochs must be a whole number, not 1.5"),
        (LEAST | {"training": {"cheese": {"epochs": 1}}}, "no part in .training. 'cheese'"),
        (LEAST | {"network": {"symmetric": 1}}, "symmetric must be true or false, not 1"),
        (LEAST | {"network": {"kind": "residual", "growth": 1}}, "no option of .network. 'growth'"),
        (LEAST | {"examples": {"split": "orbits"}}, "did you mean 'orbit'"),
        (LEAST | {"examples": {"folds": 5}}, "examples.folds = 5 needs examples.fold too"),
        (LEAST | {"examples": {"fold": 0}}, "examples.fold = 0 needs examples.folds too"),
        (LEAST | {"examples": {"folds": 5, "fold": 5}}, "examples.fold must be from 0 to 4"),
        (LEAST | {"examples": {"folds": 1, "fold": 0}}, "examples.folds must be from 2 to 1"),
        (
            LEAST | {"examples": {"folds": 5, "fold": 0, "split": "expanded"}},
            "examples.folds goes with the splits 'orbit' and 'orbit_once', not 'expanded'",
        ),
        (LEAST | {"student": {"order": "TXR"}}, "'TXR' is not an order"),
        (LEAST | {"judging": {"opponents": "random"}}, "opponents must be a list, not 'random'"),
        (LEAST | {"variations": {"a b": {}}}, "letters, digits and _"),
        (LEAST | {"variations": {"a": 3}}, r"variations.a = 3 must be a section: .variations.a. with keys below it"),
        (LEAST | {"variations": {"a": {"training": 3}}}, "training = 3 must be a section"),
        (LEAST | {"variations": {"a": {"trainin": {}}}}, "no section of .variations.a. 'trainin'; did you mean"),
        (LEAST | {"variations": {"a": {"judging": {"games": 3}}}}, "no section of .variations.a. 'judging'"),
        (LEAST | {"variations": {"a": {"watch": {"regular": 3}}}}, "no section of .variations.a. 'watch'"),
        (LEAST | {"watch": {"regulr": 1}}, "did you mean 'regular'"),
    ],
)
def test_wrong_settings_are_told(settings: dict[str, Any], message: str) -> None:
    with pytest.raises(UnderstudyError, match=message):
        make_experiment("x", settings, folder=Path())


@pytest.mark.parametrize(
    ("about", "message"),
    [
        ({"game": "moris"}, "no game 'moris'; did you mean 'morris'"),
        ({"size": "9x9"}, "morris has no board of size 9x9"),
        ({"size": "big"}, "experiment.size 'big' is not a board size"),
    ],
)
def test_boards_that_nobody_can_imitate_on(about: dict[str, str], message: str) -> None:
    with pytest.raises(UnderstudyError, match=message):
        make_experiment("x", LEAST | {"experiment": about}, folder=Path())
    assert make_experiment("x", LEAST | {"experiment": {"size": "7"}}, folder=Path()).about.game == "morris"


@pytest.mark.parametrize(
    ("game", "changes", "message"),
    [
        ("konane", {"student__order": "FTR"}, "student.order: 'FTR' is not an order of the letters F, T$"),
        ("chess", {"student__order": "FT"}, "student.order: 'FT' is not an order of the letters F, T, P$"),
        ("chess", {"network__symmetric": True}, "network.symmetric: chess has no symmetries that the weights"),
        ("chess", {"student__encoder": "rawest"}, "encoder for chess 'rawest'"),
        ("konane", {"examples__split": "expanded"}, "examples.split: 'expanded' is how the authors of a paper split"),
        ("konane", {"judging__gaming": 2}, "judging.gaming: the gaming test is of morris, not of konane$"),
        ("lines_of_action", {"network__remove": {"blocks": 2}}, "part in .network. 'remove'"),
    ],
)
def test_what_a_game_does_not_have_is_refused_before_anything_runs(
    game: str, changes: dict[str, Any], message: str
) -> None:
    settings = {key: value for key, value in IMITATIONS[game].items() if key != "variations"}
    with pytest.raises(UnderstudyError, match=message):
        make_experiment("test", changed(settings, **changes), folder=Path())


def test_what_is_not_said_is_the_games_own() -> None:
    for game, order, encoder in (("morris", "TFR", "rawest"), ("konane", "FT", "cells"), ("chess", "FTP", "bitmap")):
        watch = {"experiment": {"game": game}, "watch": {"regular": 2}}
        student = make_experiment("test", watch, folder=Path()).lessons[0].student
        assert (student.order, student.encoder) == (order, encoder)


MOVES_ALONE = {"l1": 0.0, "l2": 0.1, "penalise": "all", "images": "all", "label_smoothing": 0.1, "smooth_over": "all",
               "legality": 1.0}  # fmt: skip
UNREAD = [
    *(("labels", f"training__{key}", value) for key, value in MOVES_ALONE.items()),
    *(("values", f"training__{key}", value) for key, value in MOVES_ALONE.items()),
    ("values", "training__validation_rows", 20_000),
    ("offline", "network__dropout", 0.0),
]
"""Options of sections that kinds share, and a kind that never reads them; some at their default."""


@pytest.mark.parametrize(("kind", "name", "value"), UNREAD)
def test_an_option_that_a_kind_never_reads_is_refused(kind: str, name: str, value: Any) -> None:
    section, key = name.split("__")
    told = re.escape(f"{section}.{key} = {value!r}: experiments of the kind {kind!r} never read it")
    with pytest.raises(BadOption, match=f"^{told}$"):
        tiny(kind, **{name: value})
    varied = {"variations__one": {section: {key: value}}}
    with pytest.raises(BadOption, match=f"^{told}$"):
        tiny(kind, **varied)


@pytest.mark.parametrize("kind", ["labels", "evolution"])
def test_published_numbers_that_no_report_shows_are_refused(kind: str) -> None:
    with pytest.raises(UnknownName, match="no section of an experiment 'paper'"):
        tiny(kind, paper__student={"random": 0.5})


@pytest.mark.parametrize("kind", ["online", "values", "offline"])
def test_published_numbers_are_shares_for_opponents(kind: str) -> None:
    for wrong in (3, {"random": "most"}):
        with pytest.raises(BadOption, match=r"^\[paper.student\] must hold a share of games won for each opponent$"):
            tiny(kind, paper__student=wrong)


def test_a_board_that_chess_does_not_have_is_refused() -> None:
    with pytest.raises(BadOption, match="chess has no board of size 6x6"):
        tiny("labels", experiment__size="6x6")


def test_changes_from_the_command_line() -> None:
    changed = overridden({"a": {"b": 1}}, ("a.b=2", "a.c=text", "d.e.f=[1, 2]", "a.g=true", 'a.h="x=y"'))
    assert changed == {"a": {"b": 2, "c": "text", "g": True, "h": "x=y"}, "d": {"e": {"f": [1, 2]}}}
    for change in ("a.b", "=3", "a..b=1"):
        with pytest.raises(BadOption, match=r"section\.key=value"):
            overridden({}, (change,))


def test_a_change_without_a_value_unsets_a_key() -> None:
    settings = {"a": {"b": 1, "c": 2, "d": {"e": 3}}, "f": {"g": 4}}
    assert overridden(settings, ("a.b=", "a.d.e= ", "f=")) == {"a": {"c": 2, "d": {}}}
    assert overridden(settings, ('a.b=""',))["a"]["b"] == "", "empty text is written with its quotes"
    assert settings == {"a": {"b": 1, "c": 2, "d": {"e": 3}}, "f": {"g": 4}}


FULL = """
[watch]
regular = 10
[network]
blocks = 3
remove = { blocks = 30 }
[training]
epochs = 5
from = { epochs = 6 }
[judging]
games = 7
[variations.plain]
[variations.own]
training.epochs = 8
training.to.epochs = 9
network.blocks = 4
[tune]
network.blocks = [1, 2]
training.epochs = [1, 2]
[quick]
training.epochs = 3
judging.games = 4
variations.own.training.epochs = 2
"""


def loaded(folder: Path, *changes: str, quick: bool = False) -> Any:
    (folder / "full.toml").write_text(FULL)
    return load_experiment(folder / "full.toml", changes, quick=quick)


def epochs_of(experiment: Any) -> list[int]:
    return [training.epochs for lesson in experiment.lessons for training in lesson.training.values()]


def test_the_command_line_wins_everywhere(tmp_path: Path) -> None:
    assert epochs_of(loaded(tmp_path)) == [5, 6, 5, 9, 6, 8]
    assert epochs_of(loaded(tmp_path, quick=True)) == [3, 6, 3, 9, 6, 2]
    for quick in (False, True):
        experiment = loaded(tmp_path, "training.epochs=1", "judging.games=2", quick=quick)
        assert epochs_of(experiment) == [1] * 6, "over variations, parts and the quick form"
        assert experiment.judging.games == 2
        assert set(experiment.tune) == {"network", "training"} and not experiment.tune["training"]
        assert experiment.lessons[1].networks["to"]["blocks"] == 4, "what was not said is as it was"
    both = ("training.from.epochs=2", "training.epochs=1")
    for changes in (both, both[::-1]):
        assert epochs_of(loaded(tmp_path, *changes)) == [1, 2, 1, 1, 2, 1], "the order does not matter"
    one = loaded(tmp_path, "variations.own.training.epochs=1", "training.epochs=4")
    assert epochs_of(one) == [4, 4, 4, 1, 1, 1]
    assert epochs_of(loaded(tmp_path, "quick.training.epochs=4", quick=True)) == [4, 6, 4, 9, 6, 2]


def test_unset_keys_have_their_defaults_in_variations_too(tmp_path: Path) -> None:
    experiment = loaded(tmp_path, "training.epochs=", "network.blocks=")
    assert epochs_of(experiment) == [10_000] * 6
    assert all("blocks" not in network for lesson in experiment.lessons for network in lesson.networks.values())
    assert [lesson.name for lesson in loaded(tmp_path, "variations.own=").lessons] == ["plain"]
    assert [lesson.name for lesson in loaded(tmp_path, "variations=").lessons] == ["student"]
    assert loaded(tmp_path, "judging.games=", quick=True).judging.games == 0


@pytest.mark.parametrize("name", ["network.hiden", "judging.opponents", "sections"])
def test_there_must_be_something_to_unset(tmp_path: Path, name: str) -> None:
    with pytest.raises(BadOption, match=f"^--set {name}=: there is nothing to unset, the experiment does not say it$"):
        loaded(tmp_path, f"{name}=")


def test_what_is_said_of_an_experiment_that_ships_counts_for_all_its_students() -> None:
    path = shipped()["morris_nnmm"]
    assert set(epochs_of(load_experiment(path, ("training.epochs=2",)))) == {2}
    evolved = load_experiment(shipped()["lines_of_action_evolved"], ("trainer.generations=1",))
    assert [lesson.trainer.generations for lesson in evolved.lessons] == [1, 1]


def test_broken_and_missing_files(tmp_path: Path) -> None:
    with pytest.raises(FileError, match="there is no experiment file"):
        load_experiment(tmp_path / "none.toml")
    (tmp_path / "bad.toml").write_text("[a\n")
    with pytest.raises(FileError, match="is not TOML"):
        load_experiment(tmp_path / "bad.toml")
    (tmp_path / "bytes.toml").write_bytes(b"\xff\xfe")
    with pytest.raises(FileError, match="it is not text"):
        load_experiment(tmp_path / "bytes.toml")
    (tmp_path / "x.toml").write_text('[records]\nfiles = ["nowhere.txt"]\n')
    experiment = load_experiment(tmp_path / "x.toml")
    with pytest.raises(FileError, match=r"needs .*nowhere.txt', and there is no such file"):
        data_file(experiment, experiment.records.files[0])


def test_unknown_names_guess() -> None:
    with pytest.raises(UnknownName, match="did you mean 'cascade'"):
        build_units(find_game("morris"), StudentOptions(design="cascad"), {})


def test_what_ships_is_listed_as_others_script_it() -> None:
    result = CliRunner().invoke(commands, ["experiments", "--json"])
    listed = json.loads(result.stdout)
    assert {entry["study"] for entry in listed} == {"galassi", "miller", "sabatelli", "thompson", "watching"}
    assert set(listed[0]) == {
        "name", "study", "game", "title", "minutes", "quick_minutes", "data", "ready", "quick"
    }  # fmt: skip
    assert [entry["name"] for entry in listed] == list(shipped())
    assert "konane_4x4 " in CliRunner().invoke(commands, ["experiments"]).stdout


def test_data_is_found_where_the_user_keeps_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("UNDERSTUDY_DATA", str(tmp_path))
    with pytest.raises(FileError, match="'morris_nnmm' needs the data 'nnmm/STATES"):
        lab.watch(load_experiment(shipped()["morris_nnmm"]), tmp_path / "run")
    assert not next(entry for entry in list_experiments() if entry.name == "morris_nnmm").ready
    (tmp_path / "nnmm").mkdir()
    for name in ("DATASET", "STATES"):
        (tmp_path / "nnmm" / f"{name}.complete.txt").touch()
    assert next(entry for entry in list_experiments() if entry.name == "morris_nnmm").ready


def test_a_file_comes_before_an_experiment_of_its_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("konane_4x4").write_text("[experiment]\nkind = 'nonsense'\n")
    assert find_experiment("konane_4x4") == Path("konane_4x4")
    result = CliRunner().invoke(commands, ["run", "konane_4x4"])
    assert "is taken for the file of that name here" in result.stderr
    assert find_experiment("konane_6x6") == shipped()["konane_6x6"]
    with pytest.raises(UnknownName, match="did you mean 'konane_8x8'"):
        find_experiment("konane_8x9")
