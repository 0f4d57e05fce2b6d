"""Offline learning: a tiny run end to end, going on after a kill, splits, errors by hand, and what is refused."""

from __future__ import annotations

import json
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from click.testing import CliRunner

from tests.conftest import random_line
from tests.tiny import OFFLINE, OPPONENT
from tests.tiny import tiny as tiny_of
from understudy import lab
from understudy.backends import Local
from understudy.cli import commands
from understudy.config import write_toml
from understudy.errors import BadOption, FileError, UnderstudyError
from understudy.games import find_game
from understudy.games.batches import size
from understudy.games.lines_of_action import inputs as lines_of_action
from understudy.judges.duels import read_score
from understudy.lab.experiments import load_experiment, shipped
from understudy.lab.kinds import offline
from understudy.lab.run import Run, rename_at_rest, rename_players
from understudy.locks import locked
from understudy.networks.files import save_layers
from understudy.networks.students import ValueNetwork, ValueOptions
from understudy.players import make_player
from understudy.records.examples import orbit_names
from understudy.records.tables import load_table
from understudy.tensors import load_arrays, save_arrays
from understudy.trainers.objectives import Valued
from understudy.trainers.offline import Fit, Sight, error, load_fit, show_all, split, valued
from understudy.trainers.sampling import Sampler, SamplingOptions

FIVE = find_game("lines_of_action", (5, 5))
BOARD = Sight(lines_of_action, "board", (5, 5))

tiny = partial(tiny_of, "offline")


def silent(news: Any) -> None:
    pass


def test_a_tiny_experiment(tmp_path: Path) -> None:
    experiment = tiny()
    page = lab.run(experiment, tmp_path, show=silent, backend=Local(1))
    entries = json.loads((tmp_path / "errors.json").read_text())["student"]
    assert [entry["games"] for entry in entries] == [60, 120]
    last = entries[-1]
    assert last["held_out"]["value"] < 0.7 * last["mean_alone"] and len(last["held_out_curve"]) == 12
    assert last["held_out_curve"][-1] == pytest.approx(last["held_out"]["value"], rel=1e-5)
    assert last["held_out"]["low"] < last["held_out"]["value"] < last["held_out"]["high"]
    assert sum(map(sum, last["results"])) == 120
    text = page.read_text(encoding="utf-8")
    assert "Mean alone" in text and "<svg" in text and "source" in text
    assert "Errors" in (tmp_path / "report.md").read_text(encoding="utf-8")
    samples = json.loads((tmp_path / "samples.json").read_text())["students"]["student"]
    assert {sample["kind"] for sample in samples} <= {"agrees", "differs"} and samples
    assert all(0 <= float(sample["ours"]) <= 1 and "who has just moved" in sample["theirs"] for sample in samples)
    assert "the games sampled" in text and text.count("us-board") >= len(samples)
    told = lab.summary(experiment, tmp_path)
    assert told[0].startswith("student: error 0.") and told[1].startswith("student, largest sample: ")
    games = json.loads((tmp_path / "games.json").read_text())
    assert read_score(games["student"]["largest sample"]["random"]).games == 20
    assert read_score(games["student"]["games to choose by"]["random"]).games == 5
    assert make_player(f"student:{tmp_path}", FIVE).choose([FIVE.start()])[0].move in FIVE.moves(FIVE.start())
    with pytest.raises(BadOption, match="was trained with other settings"):
        lab.train(tiny(network__hidden=[3]), tmp_path, show=silent)


def test_who_scores_most_is_the_student_of_a_run(tmp_path: Path) -> None:
    experiment = tiny(variations__a={}, variations__b={"student": {"finished_by_rules": False}}, training__cycles=1)
    lab.run(experiment, tmp_path, show=silent)
    drawn, won = [[0, 5, 0], [0, 5, 0]], [[0, 0, 5], [4, 0, 1]]
    games = {name: {"largest sample": {"random": drawn}, "games to choose by": {"random": counts}}
             for name, counts in (("a", drawn), ("b", won))}  # fmt: skip
    (tmp_path / "games.json").write_text(json.dumps(games))
    lab.judge(experiment, tmp_path, show=silent)
    assert (tmp_path / "student.onnx").read_bytes() == (tmp_path / "student_b.onnx").read_bytes()


def test_a_killed_run_goes_on(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(offline, "SAVING", 0.0)
    lab.train(tiny(), tmp_path / "whole", show=silent)

    def kill_when(told: str) -> Any:
        def killer(news: Any) -> None:
            if told in news.note:
                raise KeyboardInterrupt

        return killer

    for told in ("60 games", "120 games, cycle 7"):
        with pytest.raises(KeyboardInterrupt):
            lab.train(tiny(), tmp_path / "again", show=kill_when(told))
    lab.train(tiny(), tmp_path / "again", show=silent)
    one, other = (load_arrays(tmp_path / run / "fits" / "student_00120.safetensors")[0] for run in ("whole", "again"))
    assert all(np.array_equal(one[name], other[name]) for name in one) and len(one["cycles"]) == 12
    tables = [load_table(next((tmp_path / run).glob("tables/*/table_00120.parquet")))[0] for run in ("whole", "again")]
    assert np.array_equal(tables[0].values, tables[1].values) and tables[0].luck == tables[1].luck


def test_more_games_go_on_from_the_tables_that_are_there(tmp_path: Path) -> None:
    experiment = tiny()
    place = offline.sample_tables(Run(experiment, tmp_path), experiment.lessons[0])
    longer = tiny(sampling__games=180)
    before = (place / "table_00120.parquet").stat().st_mtime_ns
    assert offline.sample_tables(Run(longer, tmp_path), longer.lessons[0]) == place
    assert (place / "table_00120.parquet").stat().st_mtime_ns == before
    sampler = Sampler(FIVE, longer.lessons[0].sampling)
    sampler.play_until(180)
    assert np.array_equal(load_table(place / "table_00180.parquet")[0].values, sampler.table().values)


def test_images_are_on_one_side_and_stay_there() -> None:
    sampler = Sampler(FIVE, SamplingOptions(sampler="random", opponent="random"))
    sides = []
    for games in (100, 300):
        sampler.play_until(games)
        learned, held_out = split(sampler.table(), held_out=0.3, finished=True, visits=1, seed=4)
        names = [set(orbit_names(FIVE, side.turned[0]).tolist()) for side in (learned, held_out)]
        assert not names[0] & names[1]
        share = len(held_out.values) / (len(learned.values) + len(held_out.values))
        assert 0.25 < share < 0.35
        sides.append(names)
    assert sides[0][0] <= sides[1][0] and sides[0][1] <= sides[1][1]
    other = split(sampler.table(), held_out=0.3, finished=True, visits=1, seed=5)[1]
    assert set(orbit_names(FIVE, other.turned[0]).tolist()) != sides[1][1]


def test_what_is_left_out() -> None:
    sampler = Sampler(FIVE, SamplingOptions(sampler="random", opponent="random"))
    sampler.play_until(200)
    table = sampler.table()
    whole = split(table, held_out=0.2, finished=True, visits=1, seed=0)
    assert sum(len(side.values) for side in whole) == len(table.values)
    assert sum(int(side.finished.sum()) for side in whole) > 100
    some = split(table, held_out=0.2, finished=False, visits=3, seed=0)
    assert all(not side.finished.any() and side.visits.min() >= 3 for side in some)


def test_an_image_is_the_same_position_seen_otherwise() -> None:
    sampler = Sampler(FIVE, SamplingOptions(sampler="random", opponent="random"))
    sampler.play_until(30)
    learned = split(sampler.table(), held_out=0.2, finished=True, visits=1, seed=0)[0]
    plain, turned = valued(learned, BOARD), valued(learned, BOARD, images=[0, 3])
    assert torch.equal(plain.values, turned.values) and not torch.equal(plain.inputs, turned.inputs)
    assert torch.equal(plain.inputs.sort(dim=1).values, turned.inputs.sort(dim=1).values)
    assert size(learned.turned[0]) == len(plain.values) and len(learned.turned) == 8


def test_plain_backpropagation_is_that_of_the_textbook() -> None:
    """A pattern at a time, weights move by rate times error times derivatives."""
    network = ValueNetwork(3, ValueOptions(hidden=(2,), units="sigmoid"))
    inputs, values = np.array([[1.0, -1.0, 0.0], [0.0, 1.0, 1.0]], np.float32), np.array([0.9, 0.2], np.float32)
    (a, b), (c, d) = [(w.astype(float), v.astype(float)) for w, v in network.plain_layers()]
    for row in np.random.default_rng([7]).permutation(2):
        hidden = 1 / (1 + np.exp(-(inputs[row] @ a + b)))
        said = 1 / (1 + np.exp(-(hidden @ c + d)))
        out = (said - values[row]) * said * (1 - said)
        back = c[:, 0] * out * hidden * (1 - hidden)
        c, d = c - 0.2 * hidden[:, None] * out, d - 0.2 * out
        a, b = a - 0.2 * np.outer(inputs[row], back), b - 0.2 * back
    show_all(network, Valued(torch.from_numpy(inputs), torch.from_numpy(values)), 0.2, batch=1, seed=[7])
    for found, expected in zip(network.plain_layers(), [(a, b), (c, d)], strict=True):
        assert np.allclose(found[0], expected[0], atol=1e-6) and np.allclose(found[1], expected[1], atol=1e-6)
    assert error(network, Valued(torch.zeros(0, 3), torch.zeros(0))) != error(
        network, Valued(torch.zeros(1, 3), torch.zeros(1))
    )


@pytest.mark.parametrize("units", ["relu", "sigmoid", "tanh"])
def test_steps_follow_the_gradient_of_half_the_summed_squares(units: str) -> None:
    with torch.random.fork_rng():
        torch.manual_seed(3)
        network, inputs, values = (
            ValueNetwork(6, ValueOptions(hidden=(5, 4), units=units)),
            torch.randn(7, 6),
            torch.rand(7),
        )
    loss = (torch.sigmoid(network(inputs)) - values).square().sum() / 2
    slopes = torch.autograd.grad(loss, list(network.parameters()))
    expected = [weight.detach() - 0.3 * slope for weight, slope in zip(network.parameters(), slopes, strict=True)]
    show_all(network, Valued(inputs, values), 0.3, batch=7, seed=[0])
    for weight, wanted in zip(network.parameters(), expected, strict=True):
        assert torch.allclose(weight, wanted, atol=1e-6)


def test_a_student_takes_a_win_and_values_the_rest_by_its_network(tmp_path: Path) -> None:
    network = ValueNetwork(25, ValueOptions(hidden=(4,), units="tanh"))
    facts = {"game": "lines_of_action", "size": "5x5", "kind": "single", "representation": "board"}
    save_layers(tmp_path / "plain.onnx", network.plain_layers(), facts, units="Tanh")
    save_layers(tmp_path / "rules.onnx", network.plain_layers(), {**facts, "finished_by_rules": True}, units="Tanh")
    plain, rules = (make_player(f"student:{tmp_path / name}.onnx", FIVE) for name in ("plain", "rules"))
    ends = 0
    for seed in range(8):
        position = random_line(FIVE, 100, seed)[-1][0]
        both = [player.choose([position])[0].scores for player in (plain, rules)]
        assert both[0] is not None and both[1] is not None
        for move in FIVE.moves(position):
            outcome = FIVE.outcome(FIVE.play(position, move))
            ends += outcome is not None
            seen = np.zeros((1, 25), np.float32)
            lines_of_action.encode(0, FIVE.play(position, move), 1, np.zeros(1, np.int32), seen[0])
            said = float(torch.sigmoid(network(torch.from_numpy(seen))).detach()[0])
            assert both[0][move] == pytest.approx(said, abs=1e-5)
            assert both[1][move] == pytest.approx(said if outcome is None else (1 - outcome) / 2, abs=1e-5)
        if 1.0 in both[1].values():
            assert FIVE.outcome(FIVE.play(position, rules.choose([position])[0].move)) == -1
    assert ends >= 8
    for text, message in (
        (f"student:{tmp_path / 'rules.onnx'},depth=2,symmetries=true", "depth above 1 is for"),
        (f"student:{tmp_path / 'rules.onnx'},best=2", "depth, time, nodes and symmetries can be chosen, not best"),
    ):
        with pytest.raises(BadOption, match=message):
            make_player(text, FIVE)
    with pytest.raises(BadOption, match="has learned lines_of_action on 5x5, not on 8x8"):
        make_player(f"student:{tmp_path / 'rules.onnx'}", find_game("lines_of_action"))
    with pytest.raises(BadOption, match="has learned lines_of_action, not konane"):
        make_player(f"student:{tmp_path / 'rules.onnx'}", find_game("konane"))


def test_an_old_run_folder_says_how_its_sampler_was_met(tmp_path: Path) -> None:
    """Judges ask players, whose names meant what they mean; only the sampler met plain minimax under a short name."""
    judged = {"judging": {"opponents": ["searcher:depth=1,evaluator=aloa"]}}
    old = {"sampling": {"opponent": "searcher:evaluator=aloa"}, "experiment": OFFLINE["experiment"]} | judged
    varied = {"variations": {"two": {"sampling": {"opponent": "searcher:depth=2"}}}}
    (tmp_path / "experiment.toml").write_text(write_toml(old | varied))
    with locked(tmp_path):
        assert rename_at_rest(tmp_path) == "", "a process at work has the folder to itself"
    assert rename_at_rest(tmp_path) == "searchers now say method=minimax,ties=random"
    assert rename_players(tmp_path) == ""
    experiment = load_experiment(tmp_path / "experiment.toml")
    assert experiment.settings["sampling"]["opponent"] == OPPONENT
    assert experiment.lessons[0].sampling.opponent == "searcher:depth=2,method=minimax,ties=random"
    assert experiment.judging.opponents == ("searcher:depth=1,evaluator=aloa",)


@pytest.mark.parametrize("kind", ["evolution", "values", "imitation"])
def test_names_of_other_kinds_mean_what_they_meant(tmp_path: Path, kind: str) -> None:
    text = write_toml({"experiment": {"kind": kind}, "judging": {"opponents": ["searcher:depth=1"]}})
    (tmp_path / "experiment.toml").write_text(text)
    assert rename_players(tmp_path) == "" and (tmp_path / "experiment.toml").read_text() == text


def test_a_turned_position_is_worth_the_same_with_symmetries(tmp_path: Path) -> None:
    facts = {"game": "lines_of_action", "size": "5x5", "kind": "single", "representation": "nonads"}
    network = ValueNetwork(34, ValueOptions(hidden=(4,), units="sigmoid"))
    save_layers(tmp_path / "x.onnx", network.plain_layers(), {**facts, "finished_by_rules": True})
    player = make_player(f"student:{tmp_path / 'x.onnx'},symmetries=true", FIVE)
    position = random_line(FIVE, 12, 2)[-1][0]
    scores = player.choose([position])[0].scores
    assert scores is not None
    for move, score in scores.items():
        for turned, image in FIVE.symmetries(position, move):
            told = player.choose([turned])[0].scores
            assert told is not None and told[image] == pytest.approx(score, abs=1e-5)


def test_a_broken_fit_is_refused(tmp_path: Path) -> None:
    state = Fit(ValueNetwork(25, ValueOptions(hidden=(2,))))
    save_arrays(tmp_path / "x.safetensors", {"cycles": np.zeros((0, 4))}, {"fingerprint": "a"})
    with pytest.raises(FileError, match="does not hold a fitted network"):
        load_fit(tmp_path / "x.safetensors", state, "a")
    assert not load_fit(tmp_path / "x.safetensors", state, "b") and not load_fit(tmp_path / "y", state, "a")


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"experiment__game": "konane"}, "positions of konane cannot be sampled offline"),
        ({"student__representation": "E"}, "representation of lines_of_action 'E'"),
        ({"network__units": "step"}, "network.units 'step'"),
        ({"network__hidden": [0]}, "network.hidden must be from 1"),
        ({"training__rates": []}, "training.rates must hold at least one"),
        ({"training__rates": [-0.1]}, "training.rates must be from"),
        ({"training__cycles": 0}, "training.cycles must be from 1"),
        ({"training__epochs": 3}, "no option of .training. 'epochs'"),
        ({"examples__samples": [61]}, "there is no table after 61 games; tables are written every 60 games up to 120"),
        ({"examples__held_out": 1.0}, "examples.held_out must be from 0.01 to 0.9"),
        ({"examples__visits": 10_000}, "after 60 games there are 0 positions to learn from and 0 to examine, too few"),
        ({"judging__games": 0}, "judging.games must be from 2"),
    ],
)
def test_bad_experiments(changes: dict[str, Any], message: str, tmp_path: Path) -> None:
    with pytest.raises(UnderstudyError, match=message):
        lab.train(tiny(**changes), tmp_path, show=silent)


def test_the_command_runs_the_quick_form(tmp_path: Path) -> None:
    path = shipped()["lines_of_action_offline_5x5"]
    changes = ("sampling.games=120", "sampling.snapshot=60", "training.cycles=1", "judging.games=2", "variations={}")
    options = [word for change in changes for word in ("--set", change)]
    told = CliRunner().invoke(commands, ["run", str(path), "--quick", "--run", str(tmp_path), *options])
    assert told.exit_code == 0, told.output + repr(told.exception)
    assert "student: error 0." in told.output and "understudy play lines_of_action --size 5x5" in told.output
    assert (tmp_path / "report.html").exists()


def test_the_command_trains_and_judges_nobody(tmp_path: Path) -> None:
    (tmp_path / "tiny.toml").write_text(write_toml(OFFLINE | {"training": {"cycles": 1, "batch": 16}}))
    told = CliRunner().invoke(commands, ["train", str(tmp_path / "tiny.toml"), "--run", str(tmp_path / "run")])
    assert told.exit_code == 0, told.output + repr(told.exception)
    assert "trained student in " in told.output and (tmp_path / "run" / "student_student.onnx").exists()
    assert not (tmp_path / "run" / "games.json").exists()
