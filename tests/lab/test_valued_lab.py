"""Values by watching, in every game: tiny runs end to end, going on after a kill, and what they refuse."""

from __future__ import annotations

import json
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.tiny import VALUED, changed
from understudy import lab
from understudy.errors import BadOption, FileError, UnknownName
from understudy.games.batches import unstacked
from understudy.lab.experiments import make_experiment
from understudy.networks.evaluators import EvaluatorNetwork, show
from understudy.players import make_player
from understudy.players.evolved import evaluator_of, load_evolved
from understudy.records.store import UNKNOWN, Records, load, save
from understudy.search.evaluators import value
from understudy.search.evaluators.chromosome import make_plan
from understudy.tensors import load_facts

GAMES = ("morris", "konane", "lines_of_action", "chess")
WAYS = {"search", "outcome", "td"}


def tiny(game: str, **changes: Any) -> Any:
    return make_experiment("tiny", changed(VALUED[game], **changes), folder=Path())


def quiet(news: Any) -> None:
    pass


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """Whole runs, one for each game, made when first asked for."""
    folders = {game: tmp_path_factory.mktemp(game) for game in GAMES}
    for game, folder in folders.items():
        lab.run(tiny(game), folder, show=quiet)
    return folders


@pytest.mark.parametrize("game", GAMES)
def test_a_tiny_run_of_every_game(game: str, runs: dict[str, Path]) -> None:
    folder, experiment = runs[game], tiny(game)
    board = experiment.game
    games = json.loads((folder / "games.json").read_text())
    assert set(games) == WAYS and set(games["td"]) == {"best epoch", "to choose by"}
    held_out = json.loads((folder / "held_out.json").read_text())
    assert set(held_out) == {"search", "outcome"} | ({"perfect"} if game == "konane" else set())
    players = held_out["outcome"]["players"]
    assert set(players) == WAYS | {"always the mean", f"evaluator {board.kind.usual_evaluator}"}
    assert players["always the mean"]["correlation"] is None
    page = (folder / "report.html").read_text(encoding="utf-8")
    assert "Values of games held out" in page and "how the game ended" in page
    assert any("mean error" in line for line in lab.summary(experiment, folder))
    start = board.start()
    for player in (f"student:{folder}", f"student:{folder},depth=2", f"student:{folder},order=td"):
        assert make_player(player, board).choose([start])[0].move in board.moves(start)
    assert load_evolved(folder / "student_td.safetensors").depth == 1
    with pytest.raises(BadOption, match="was trained with other settings"):
        lab.train(tiny(game, network__hidden=5), folder, show=quiet)
    with pytest.raises(BadOption, match="holds records of another experiment"):
        lab.train(tiny(game, watch__regular=30), folder, show=quiet)


@pytest.mark.parametrize("game", GAMES)
def test_a_student_thinks_inside_the_search_what_it_has_learned(game: str, runs: dict[str, Path]) -> None:
    board = tiny(game).game
    evolved = load_evolved(runs[game] / "student_search.safetensors")
    network = EvaluatorNetwork(make_plan(board, evolved.network), seed=1)
    network.read(evolved.alleles)
    assert np.array_equal(network.alleles().astype(np.float32), evolved.alleles.astype(np.float32))
    records = load(runs[game] / "records.parquet").taken(slice(0, 60))
    said = network.appraise(show(board, network.plan, records.positions))
    evaluator = evaluator_of(board, evolved, "student")
    for position, expected in zip(unstacked(records.positions), said.tolist(), strict=True):
        assert np.tanh(value(evaluator, position, True)) == pytest.approx(expected, abs=2e-4)


def test_a_killed_training_goes_on_with_the_same_weights(tmp_path: Path) -> None:
    experiment = tiny("konane", training__epochs=6)
    lab.train(experiment, tmp_path / "whole", show=quiet)

    def killer(news: Any) -> None:
        if news.task == "td learns" and "epoch 4" in news.note:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        lab.train(experiment, tmp_path / "again", show=killer)
    assert not (tmp_path / "again" / "student_td.safetensors").exists()
    lab.train(experiment, tmp_path / "again", show=quiet)
    for way in WAYS:
        one, other = (load_evolved(tmp_path / run / f"student_{way}.safetensors").alleles for run in ("whole", "again"))
        assert np.array_equal(one, other)


def test_minutes_end_a_training(tmp_path: Path) -> None:
    experiment = tiny("konane", training__epochs=10**6, training__patience=10**6, training__minutes=0.01)
    lab.train(experiment, tmp_path, show=quiet)
    assert (tmp_path / "student_td.safetensors").exists()


@pytest.mark.parametrize(
    ("game", "changes", "message"),
    [
        ("morris", {"watch__teacher": "random"}, "watch.teacher: 'random' does not say what a position is worth"),
        ("konane", {"watch__teacher": "stochastic:depth=1"}, "does not say what a position is worth"),
        ("morris", {"watch__apprentice": "random"}, "watch.apprentice: 'random' plays in the teacher's place"),
        ("morris", {"watch__regular": 4}, "watch: 4 games are too few to learn values from; at least 10 are needed"),
        ("morris", {"watch__teacher": "nobody"}, "nobody"),
        ("morris", {"judging__opponents": ["nobody"]}, "judging.opponents: 'nobody'"),
    ],
)
def test_records_with_nothing_to_learn(game: str, changes: dict[str, Any], message: str, tmp_path: Path) -> None:
    with pytest.raises((BadOption, UnknownName), match=message):
        lab.train(tiny(game, **changes), tmp_path / "run", show=quiet)
    assert not list(tmp_path.rglob("student*"))


@pytest.mark.parametrize("game", ["morris", "konane"])
def test_all_weighed_moves_can_be_learned_from(game: str, tmp_path: Path) -> None:
    settings = one_student(VALUED[game], examples__learn="weighed", watch__weighed=40)
    lab.run(make_experiment("tiny", settings, folder=Path()), tmp_path, show=quiet)
    facts = load_facts(tmp_path / "student.safetensors", "student")
    assert facts["learned"] == "weighed" and facts["positions"] > 2 * len(load(tmp_path / "records.parquet"))
    page = (tmp_path / "report.html").read_text(encoding="utf-8")
    assert "Values of games held out" in page
    with pytest.raises(BadOption, match=r"the teacher is to weigh every move; say watch.weighed = 64"):
        lab.train(make_experiment("tiny", settings | {"watch": VALUED[game]["watch"]}, folder=Path()), tmp_path / "no",
                  show=quiet)  # fmt: skip


def test_a_teacher_without_values_teaches_outcomes(tmp_path: Path) -> None:
    settings = changed(VALUED["konane"], watch__teacher="random")
    settings["variations"] = {"outcome": {"examples": {"learn": "outcome"}}}
    lab.run(make_experiment("tiny", settings, folder=Path()), tmp_path, show=quiet)
    assert set(json.loads((tmp_path / "held_out.json").read_text())) == {"outcome", "perfect"}


@pytest.mark.parametrize(
    ("game", "changes", "message"),
    [
        ("morris", {"examples__learn": "wisdom"}, "examples.learn 'wisdom'"),
        ("morris", {"examples__learn": "perfect"}, "of morris the truth is known in endings alone"),
        ("konane", {"examples__learn": "perfect", "experiment__size": "8x8"}, "at most 36 cells, not on 8x8"),
        ("chess", {"examples__learn": "perfect"}, "of chess the truth is known in endings alone"),
        ("morris", {"network__inputs": ["nonads"]}, "input of morris 'nonads'"),
        ("lines_of_action", {"network__inputs": ["quads", "kings"]}, "input of lines_of_action 'kings'"),
        ("chess", {"network__symmetric": True}, "network.symmetric: chess does not tell"),
        ("morris", {"network__hidden": 0}, "network.hidden must be from 1"),
        ("morris", {"examples__trace": 1.5}, "examples.trace must be from 0 to 1"),
        ("morris", {"examples__boards": 500}, "option of .examples. 'boards'"),
        ("morris", {"training__legality": 1.0}, "training.legality = 1.0: experiments of the kind 'values' never"),
        ("morris", {"judging__value_kept": 10}, "only konane and lines_of_action can be solved"),
        ("morris", {"student__depth": 9}, "student.depth must be from 1 to 6"),
        ("morris", {"records__files": ["x.parquet"]}, "needs either .watch. or .records. files"),
    ],
)
def test_bad_experiments(game: str, changes: dict[str, Any], message: str) -> None:
    settings = changed(VALUED[game], **changes)
    settings.pop("variations")
    with pytest.raises((BadOption, UnknownName), match=message):
        make_experiment("tiny", settings, folder=Path())


def test_all_students_are_graded_by_the_same_games() -> None:
    settings = json.loads(json.dumps(VALUED["morris"]))
    settings["variations"]["td"]["examples"]["seed"] = 1
    with pytest.raises(BadOption, match=r"examples.seed: all students are graded by the same games held out"):
        make_experiment("tiny", settings, folder=Path())


@pytest.mark.parametrize("way", sorted(WAYS))
def test_all_but_the_truth_needs_records(way: str) -> None:
    settings = {"experiment": {"kind": "values", "game": "konane", "size": "4x4"}, "examples": {"learn": way}}
    with pytest.raises(BadOption, match=f"examples.learn: '{way}' needs records: add .watch., or .records. with files"):
        make_experiment("tiny", settings, folder=Path())


def file_of(records: Records, folder: Path, settings: dict[str, Any], **changes: Any) -> Any:
    """Return a tiny experiment that learns from a file of records instead of watching."""
    folder.mkdir(parents=True, exist_ok=True)
    save(records, folder / "x.parquet")
    settings = changed(settings, records__files=["x.parquet"], **changes)
    settings.pop("watch")
    return make_experiment("tiny", settings, folder=folder)


def test_files_are_learned_from_unless_they_lack_what_is_learned(runs: dict[str, Path], tmp_path: Path) -> None:
    records, settings = load(runs["konane"] / "records.parquet"), VALUED["konane"]
    make = partial(file_of, settings=settings)
    lab.train(make(records, tmp_path / "whole"), tmp_path / "run", show=quiet)
    one, other = (
        load_evolved(folder / "student_td.safetensors").alleles for folder in (runs["konane"], tmp_path / "run")
    )
    assert np.array_equal(one, other)  # watched or read, records are the same
    valueless = replace(records, values=np.full(len(records), np.nan, np.float32))
    with pytest.raises(BadOption, match="records hold no values of the teacher"):
        lab.train(make(valueless, tmp_path / "one"), tmp_path / "no", show=quiet)
    endless = replace(records, results=np.full(len(records), UNKNOWN, np.int8))
    with pytest.raises(BadOption, match=r"examples.learn = 'outcome': the .* records hold no results of games"):
        lab.train(make(endless, tmp_path / "two"), tmp_path / "no", show=quiet)
    drawn = replace(records, results=np.zeros(len(records), np.int8))
    with pytest.raises(BadOption, match=r"all .* positions are worth 0, so there is nothing to learn"):
        lab.train(make(drawn, tmp_path / "three"), tmp_path / "no", show=quiet)
    with pytest.raises(FileError, match="holds records of konane 5x5, not of konane 6x6"):
        lab.train(make(records, tmp_path / "four", experiment__size="6x6"), tmp_path / "no6", show=quiet)
    with pytest.raises(FileError, match="holds records of konane 5x5, not of morris 7x7"):
        lab.train(file_of(records, tmp_path / "five", VALUED["morris"]), tmp_path / "nom", show=quiet)
    assert not list((tmp_path / "no").glob("*.parquet"))


def test_the_truth_of_watched_positions_can_be_learned(tmp_path: Path) -> None:
    settings = changed(VALUED["konane"], examples__learn="perfect", judging__value_kept=200)
    settings.pop("variations")
    experiment = make_experiment("tiny", settings, folder=Path())
    lab.run(experiment, tmp_path, show=quiet)
    verdicts = json.loads((tmp_path / "verdicts.json").read_text())["value kept"]
    assert set(verdicts) == {"student", "searcher:depth=1", "random"}
    assert any("keeps the value" in line for line in lab.summary(experiment, tmp_path))


def one_student(settings: dict[str, Any], **changes: Any) -> dict[str, Any]:
    settings = changed(settings, **changes)
    settings.pop("variations")
    return settings


def test_how_games_of_people_ended_can_be_learned(tmp_path: Path) -> None:
    game = '[White "A {n}"]\n[Result "{result}"]\n\n1. e4 e5 2. {knight} Nc6 3. Bb5 {last} {result}\n\n'
    results, knights, lasts = ("1-0", "0-1"), ("Nf3", "Nc3"), ("a6", "d6", "Nf6", "Bc5", "Be7", "f5")
    texts = [game.format(n=n, result=results[n % 2], knight=knights[n // 6], last=lasts[n % 6]) for n in range(12)]
    (tmp_path / "people.pgn").write_text("".join(texts), encoding="utf-8")
    settings = one_student(VALUED["chess"], examples__learn="outcome", records__files=["people.pgn"])
    settings.pop("watch")
    lab.train(make_experiment("tiny", settings, folder=tmp_path), tmp_path / "run", show=quiet)
    assert load_evolved(tmp_path / "run" / "student.safetensors").depth == 1


def test_an_engine_can_teach_what_positions_are_worth(stockfish: str, tmp_path: Path) -> None:
    teacher = f"engine:{stockfish},depth=1"
    settings = one_student(VALUED["chess"], examples__learn="search", watch__teacher=teacher, watch__opponents=["self"])
    lab.train(make_experiment("tiny", settings, folder=Path()), tmp_path, show=quiet)
    values = load(tmp_path / "records.parquet").values
    assert np.isfinite(values).all() and values.std() > 0
    assert load_evolved(tmp_path / "student.safetensors").depth == 1
