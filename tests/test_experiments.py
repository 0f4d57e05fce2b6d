"""Experiment files: every one that ships can be read; every wrong key is one clear sentence."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path
from typing import Any

import pytest

from tests.conftest import ROOT
from tests.tiny import tiny
from understudy.config import overridden, write_toml
from understudy.encoders import find_encoder
from understudy.errors import BadOption, FileError, UnderstudyError, UnknownName
from understudy.experiments import load_experiment, make_experiment
from understudy.experiments.imitation import data_file
from understudy.networks import build_units
from understudy.networks.students import StudentOptions

FILES = sorted((ROOT / "experiments").glob("*.toml"))
LEAST: dict[str, Any] = {"watch": {"regular": 10}}


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_every_experiment_that_ships_can_be_read_and_written(path: Path) -> None:
    experiment = load_experiment(path)
    assert experiment.name == path.stem and experiment.about.title
    assert experiment.about.kind == "evaluators" or experiment.lessons
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
        ({"game": "konane"}, "experiment.game: moves of morris alone can be imitated so far, not of 'konane'"),
        ({"game": "lines_of_action", "size": "5x5"}, "experiment.game: moves of morris alone .* not of 'lines_of_"),
        ({"game": "chess"}, "experiment.game: moves of morris alone can be imitated so far, not of 'chess'"),
        ({"game": "moris"}, "no game 'moris'; did you mean 'morris'"),
        ({"size": "9x9"}, "morris has no board of size 9x9"),
        ({"size": "big"}, "experiment.size 'big' is not a board size"),
    ],
)
def test_only_morris_can_be_imitated(about: dict[str, str], message: str) -> None:
    with pytest.raises(UnderstudyError, match=message):
        make_experiment("x", LEAST | {"experiment": about}, folder=Path())
    assert make_experiment("x", LEAST | {"experiment": {"size": "7"}}, folder=Path()).about.game == "morris"


MOVES_ALONE = {"l1": 0.0, "l2": 0.1, "penalise": "all", "images": "all", "label_smoothing": 0.1, "smooth_over": "all",
               "legality": 1.0}  # fmt: skip
UNREAD = [
    *(("labels", f"training__{key}", value) for key, value in MOVES_ALONE.items()),
    *(("values", f"training__{key}", value) for key, value in MOVES_ALONE.items()),
    ("values", "training__clip", 1.0),
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
        build_units(StudentOptions(design="cascad"), find_encoder("morris", "raw"), {})
