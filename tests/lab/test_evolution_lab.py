"""The evolution lab: tiny experiments end to end, the same with any workers, going on after a kill; what it refuses."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.tiny import EVOLUTION, changed
from tests.tiny import EVOLVERS as KINDS
from understudy import lab
from understudy.backends import Local
from understudy.backends.shared import Shared
from understudy.cli import main
from understudy.errors import BackendError, BadOption, FileError, UnderstudyError, UnknownName
from understudy.judges.duels import read_score
from understudy.lab import find_lab
from understudy.lab.experiments import load_experiment, make_experiment, shipped
from understudy.lab.kinds import champions, evolution
from understudy.lab.run import Progress
from understudy.players import make_player
from understudy.players.evolved import load_evolved
from understudy.tensors import load_arrays, save_arrays

ROOT = Path(__file__).parents[2]


def tiny(*kinds: str, **changes: Any) -> Any:
    variations = {kind: EVOLUTION["variations"][kind] for kind in kinds or KINDS}
    return make_experiment("tiny", changed(EVOLUTION | {"variations": variations}, **changes), folder=Path())


def quiet(news: Progress) -> None:
    pass


def trained(folder: Path, experiment: Any, workers: int = 1, show: Callable[[Progress], None] = quiet) -> Path:
    lab.train(experiment, folder, show=show, backend=Local(workers))
    return folder


def judged(folder: Path, experiment: Any, workers: int = 1) -> Path:
    """Do all of an experiment but its report."""
    trained(folder, experiment, workers)
    lab.judge(experiment, folder, show=quiet, backend=Local(workers))
    return folder


def notes(folder: Path) -> list[dict[str, Any]]:
    """Return what is noted of generations, without what the clock says."""
    lines = [json.loads(line) for line in (folder / "generations.jsonl").read_text().splitlines()]
    return [{key: value for key, value in line.items() if key not in ("seconds", "busy")} for line in lines]


CLOCKED = ("report.json", "cost.json")
"""Files that a clock is part of."""


def kept(folder: Path) -> dict[str, Any]:
    """Return everything that a run keeps and that no clock is part of."""
    files = sorted([*folder.glob("evolvers/*"), *folder.glob("epochs/*"), *folder.glob("student*")])
    arrays = {
        f"{path.relative_to(folder)} {name}": (array.shape, array.tobytes())
        for path in files
        for name, array in load_arrays(path)[0].items()
    }
    tables = {path.name: json.loads(path.read_text()) for path in folder.glob("*.json") if path.name not in CLOCKED}
    noted = sorted(notes(folder), key=lambda note: (note["student"], note["generation"]))
    return {**arrays, **tables, "generations": noted}


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run that nothing happened to."""
    folder = tmp_path_factory.mktemp("evolution") / "whole"
    lab.run(tiny(), folder, show=quiet, backend=Local(1))
    return folder


def test_a_tiny_experiment(whole: Path) -> None:
    experiment = tiny()
    assert "Tiny" in (whole / "report.html").read_text(encoding="utf-8")
    assert [(note["student"], note["generation"]) for note in notes(whole)] == [
        (kind, generation) for kind in KINDS for generation in (1, 2, 3, 4)
    ]
    assert [note["games"] for note in notes(whole)][:4] == [24, 48, 72, 96], "2 (p - s) games of the thesis"
    monitor = json.loads((whole / "monitor.json").read_text())
    for kind in KINDS:
        measured = {opponent: sorted(rows) for opponent, rows in monitor[kind].items()}
        assert measured == {"searcher:depth=1,evaluator=aloa": ["0", "2", "4"], "stochastic:depth=1": list("0124")}
        assert all(len(rows) == 3 and len(rows[0]) == 6 for met in monitor[kind].values() for rows in met.values())
        epochs = sorted(path.name for path in (whole / "epochs").glob(f"{kind}_*"))
        assert epochs == [f"{kind}_{generation:05}.safetensors" for generation in (0, 1, 2, 4)]
        alive = load_arrays(whole / "epochs" / epochs[-1])[0]["weights"]
        assert alive.shape == (4 + (kind != "thesis"), (32 + 1 + 2) * 3 + 1)
    assert len(json.loads((whole / "baselines.json").read_text())["random_network v random"]) == 4
    games = json.loads((whole / "games.json").read_text())
    assert set(games) == set(KINDS) and set(games["steady"]["champion"]) == {"random", "thesis", "strategy"}
    scores = [read_score(score) for one in games.values() for score in one["champion"].values()]
    assert all(score.games == 8 and score.different is not None for score in scores)
    assert len(lab.summary(experiment, whole)) >= 3
    samples = json.loads((whole / "samples.json").read_text())["students"]
    assert set(samples) == set(KINDS)
    for sample in (sample for drawn in samples.values() for sample in drawn):
        assert sample["judge"] == "searcher:depth=1,evaluator=aloa"
        assert (sample["kind"] == "alike") == (sample["choice"] == sample["theirs"])


def test_the_champion_is_a_player(whole: Path) -> None:
    game = tiny().game
    facts = load_evolved(whole / "student_steady.safetensors").facts
    assert (facts["method"], facts["generations"], facts["depth"]) == ("steady", 4, 2)
    for path in (whole, whole / "student_thesis.safetensors"):
        player = make_player(f"student:{path}", game)
        assert player.choose([game.start()])[0].move in game.moves(game.start())


def test_the_champion_of_the_thesis_is_the_best_one_measured(whole: Path) -> None:
    met = json.loads((whole / "monitor.json").read_text())["thesis"].values()
    rows = [np.array(measured["4"]) for measured in met]
    won = sum(row[:, 0] + row[:, 2] + 1e-4 * (row[:, 1] + row[:, 3]) for row in rows)
    alive = load_arrays(whole / "epochs" / "thesis_00004.safetensors")[0]["weights"]
    alleles = load_evolved(whole / "student_thesis.safetensors").alleles
    assert np.array_equal(alleles, alive[int(np.argmax(won))])


def test_the_student_of_a_run_is_chosen_by_matches_that_grade_nobody(whole: Path) -> None:
    choosing, matches = (json.loads((whole / name).read_text()) for name in ("choosing.json", "matches.json"))
    won = {name: sum(row[0] + row[2] for row in met["random"]) for name, met in choosing.items()}
    kept_name = json.loads((whole / "picked.json").read_text())["kept"]
    assert set(won) == set(KINDS) and won[kept_name] == max(won.values())
    alleles = [
        load_evolved(whole / name).alleles for name in ("student.safetensors", f"student_{kept_name}.safetensors")
    ]
    assert np.array_equal(*alleles)
    for name in KINDS:
        assert len(choosing[name]["random"]) == 1 and len(matches[name]["random"]) == 4
        chosen, graded = (
            {row[place] for row in table[name]["random"] for place in (4, 5)} for table in (choosing, matches)
        )
        assert not chosen & graded


def test_tasks_that_choose_share_no_seed_and_no_opening_with_those_that_grade(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    tasks: dict[str, list[Any]] = {"choosing": [], "grading": []}
    plain = champions.play_tasks

    def playing(run: Any, every: Any) -> Any:
        for task in every:
            if task.choosing or isinstance(task.players[0], Shared):  # baselines grade nobody here
                tasks["choosing" if task.choosing else "grading"].append(task)
        return plain(run, every)

    for module in (champions, evolution):
        monkeypatch.setattr(module, "play_tasks", playing)
    judged(tmp_path, tiny())
    seeds, openings = ({part: {getattr(task, name) for task in every} for part, every in tasks.items()}
                       for name in ("seed", "opening_seed"))  # fmt: skip
    assert seeds["choosing"] and seeds["grading"] and not seeds["choosing"] & seeds["grading"]
    assert not openings["choosing"] & openings["grading"]
    assert all(task.opening_plies == 2 for every in tasks.values() for task in every)


def test_monitors_begin_at_the_plain_start_where_they_are_told_to(tmp_path: Path) -> None:
    monitor = "searcher:depth=1,evaluator=aloa"
    rows = {}
    for plies in (0, 2):
        folder = tmp_path / str(plies)
        trained(folder, tiny("steady", judging__monitor_opening_plies=plies, trainer__generations=2))
        rows[plies] = json.loads((folder / "monitor.json").read_text())["steady"][monitor]
    assert rows[0] != rows[2]
    with pytest.raises(BadOption, match=r"monitor.json' was measured with other settings than now"):
        trained(tmp_path / "0", tiny("steady", trainer__generations=2))
    (tmp_path / "0" / "measured.json").unlink()  # as of a run from before there was a choice
    trained(tmp_path / "0", tiny("steady", judging__monitor_opening_plies=0, trainer__generations=2))


def test_any_number_of_workers_evolves_the_same(whole: Path, tmp_path: Path) -> None:
    assert kept(judged(tmp_path, tiny(), 3)) == kept(whole)
    other = tiny(*KINDS, trainer__seed=1)
    assert kept(trained(tmp_path / "other", other))["generations"] != kept(whole)["generations"]


def test_a_run_that_is_whole_is_not_done_again(whole: Path) -> None:
    before = kept(whole)
    lines = (whole / "generations.jsonl").read_text()

    class Idle(Local):
        def crew(self, task: Any, *, check: Any = None) -> Any:
            raise AssertionError("there is nothing to play")

        map = crew

    lab.train(tiny(), whole, show=quiet, backend=Idle(1))
    lab.judge(tiny(), whole, show=quiet, backend=Idle(1))
    assert kept(whole) == before and (whole / "generations.jsonl").read_text() == lines


class Killed(Exception):
    pass


def killer(name: str, generation: int) -> Callable[[Progress], None]:
    def show(news: Progress) -> None:
        if news.task == f"{name} evolves" and news.note.startswith(f"generation {generation},"):
            raise Killed

    return show


@pytest.mark.parametrize(("generation", "workers"), [(1, 1), (2, 3), (3, 1)])
def test_a_killed_run_goes_on_as_if_it_had_not_been(whole: Path, tmp_path: Path, generation: int, workers: int) -> None:
    for kind in KINDS:
        with pytest.raises(Killed):
            trained(tmp_path, tiny(), workers, killer(kind, generation))
    with (tmp_path / "generations.jsonl").open("a") as file:
        file.write('{"student": "strategy", "generation": 99}\n{"stud')  # noted, but not kept; and half a line
    assert kept(judged(tmp_path, tiny(), workers)) == kept(whole)


SUICIDE = """
import os, signal, sys
from pathlib import Path
from tests.lab.test_evolution_lab import tiny, trained

def show(news):
    if news.task == "steady evolves" and news.note.startswith("generation 2,"):
        os.kill(os.getpid(), signal.SIGKILL)

trained(Path(sys.argv[1]), tiny(), 2, show)
"""


def test_a_process_killed_loses_no_finished_generation(whole: Path, tmp_path: Path) -> None:
    run = subprocess.run([sys.executable, "-c", SUICIDE, str(tmp_path)], cwd=ROOT, check=False, capture_output=True)
    assert run.returncode == -signal.SIGKILL, run.stderr
    assert [note["generation"] for note in notes(tmp_path)] == [1, 2, 3, 4, 1, 2]
    assert kept(judged(tmp_path, tiny())) == kept(whole)


def test_more_generations_go_on_from_the_last(whole: Path, tmp_path: Path) -> None:
    trained(tmp_path, tiny(trainer__generations=2))
    first = notes(tmp_path)
    trained(tmp_path, tiny())
    for kind in KINDS:
        name = f"evolvers/{kind}.safetensors"
        one, other = (load_arrays(folder / name)[0] for folder in (tmp_path, whole))
        assert all(np.array_equal(one[key], other[key]) for key in one)
    assert notes(tmp_path)[:6] == first and len(notes(tmp_path)) == 12
    monitor = json.loads((tmp_path / "monitor.json").read_text())
    assert monitor == json.loads((whole / "monitor.json").read_text())


def test_a_new_start_forgets_what_was_measured(tmp_path: Path) -> None:
    trained(tmp_path, tiny("thesis", "strategy"))
    before = json.loads((tmp_path / "monitor.json").read_text())
    (tmp_path / "evolvers" / "thesis.safetensors").unlink()
    trained(tmp_path, tiny("thesis", "strategy", trainer__generations=1))
    monitor = json.loads((tmp_path / "monitor.json").read_text())
    assert {generation for met in monitor["thesis"].values() for generation in met} == {"0", "1"}
    assert monitor["strategy"] == before["strategy"]
    assert [note["generation"] for note in notes(tmp_path) if note["student"] == "thesis"] == [1]


def test_matches_of_other_terms_are_played_again(tmp_path: Path) -> None:
    judged(tmp_path, tiny("strategy", trainer__generations=1))

    def champion() -> Any:
        return json.loads((tmp_path / "matches.json").read_text())["strategy"]["random"]

    first = champion()
    changes = {"trainer__generations": 1, "judging__baseline_matches": 2}
    judged(tmp_path, tiny("strategy", **changes, judging__matches=7))
    assert len(champion()) == 7 and champion()[:4] == first
    judged(tmp_path, tiny("strategy", **changes, student__depth=1))
    assert champion() != first
    assert len(json.loads((tmp_path / "baselines.json").read_text())["random_network v random"]) == 2


def test_a_long_baseline_is_kept_as_it_goes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A stopped one goes on after what was written down, a longer one adds to it, a shorter one cuts it off."""
    few = {"trainer__generations": 0, "judging__monitors": [], "judging__benchmarks": [], "judging__matches": 1}

    def baseline(folder: Path, matches: int) -> Any:
        judged(folder, tiny("thesis", **few, judging__baseline_matches=matches))
        return json.loads((folder / "baselines.json").read_text())["random_network v random"]

    whole = baseline(tmp_path / "whole", 45)
    assert len(whole) == 45 and len({tuple(row) for row in whole}) > 30
    monkeypatch.setattr(champions, "SAVED", 20)
    played, stopped = champions.play_matches, 0

    def stopping(*args: Any, done: int = 0, **more: Any) -> Any:
        nonlocal stopped
        stopped += 1
        if stopped == 3:
            raise KeyboardInterrupt
        return played(*args, done=done, **more)

    monkeypatch.setattr(champions, "play_matches", stopping)
    with pytest.raises(KeyboardInterrupt):
        baseline(tmp_path / "again", 45)
    kept = json.loads((tmp_path / "again" / "baselines.json").read_text())["random_network v random"]
    assert kept == whole[:40]
    assert baseline(tmp_path / "again", 45) == whole
    assert baseline(tmp_path / "again", 33) == whole[:30] + baseline(tmp_path / "short", 33)[30:]


def test_nobody_need_be_measured(tmp_path: Path) -> None:
    experiment = tiny(
        "thesis", trainer__generations=1, judging__measured=0, judging__opponents=[], judging__baselines=[]
    )
    lab.run(experiment, tmp_path, show=quiet)
    assert (tmp_path / "student.safetensors").exists() and (tmp_path / "report.html").exists()


def test_a_student_goes_to_school_first(tmp_path: Path) -> None:
    changes = {"school__rounds": 1, "school__games": 100, "school__depth": 1, "school__batch": 64,
               "school__teacher": "random", "trainer__generations": 1, "trainer__width": 0.01}  # fmt: skip
    trained(tmp_path / "a", tiny("strategy", **changes))
    learned = load_arrays(tmp_path / "a" / "school" / "strategy_000.safetensors")[0]["alleles"]
    first = load_arrays(tmp_path / "a" / "epochs" / "strategy_00000.safetensors")[0]["weights"]
    assert first[0] == pytest.approx(learned)
    one = kept(tmp_path / "a")
    assert kept(trained(tmp_path / "b", tiny("strategy", **changes), 3)) == one
    assert kept(trained(tmp_path / "a", tiny("strategy", **changes))) == one


def test_a_school_that_was_left_early_is_not_gone_on_with_otherwise(tmp_path: Path) -> None:
    changes = {"school__rounds": 2, "school__games": 100, "school__depth": 1, "school__teacher": "random"}

    def leave(news: Progress) -> None:
        if news.note == "round 2":
            raise Killed

    with pytest.raises(Killed):
        trained(tmp_path, tiny("strategy", **changes), show=leave)
    before = (tmp_path / "experiment.toml").read_bytes()
    with pytest.raises(BadOption, match=r"strategy_000.safetensors' was learned with other settings than now"):
        trained(tmp_path, tiny("strategy", **changes | {"school__seed": 1}))
    assert (tmp_path / "experiment.toml").read_bytes() == before, "nothing is written before it is refused"


# Workers that cannot be trusted.


def test_nonsense_is_played_again(whole: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    calls, sensible = [0], evolution.play_timed

    def babble(task: Any) -> Any:
        calls[0] += 1
        return "nonsense" if calls[0] % 5 == 0 else sensible(task)

    monkeypatch.setattr(evolution, "play_timed", babble)
    assert kept(judged(tmp_path, tiny())) == kept(whole)


@pytest.mark.parametrize("seconds", [-1e9, 1e300, float("inf"), float("-inf"), float("nan"), 0.0])
def test_a_clock_that_is_wrong_changes_nothing(
    whole: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, seconds: float
) -> None:
    """Workers say how long they played; only the share of time that they were busy is reckoned from it."""
    play = evolution.play_timed
    monkeypatch.setattr(evolution, "play_timed", lambda task: play(task)._replace(seconds=seconds))
    trained(tmp_path, tiny("thesis"))
    for path in ("evolvers/thesis.safetensors", "student_thesis.safetensors"):
        (mine, _), (theirs, _) = load_arrays(tmp_path / path), load_arrays(whole / path)
        assert mine.keys() == theirs.keys() and all(np.array_equal(mine[name], theirs[name]) for name in mine)
    for line in (tmp_path / "generations.jsonl").read_text().splitlines():
        assert 0.0 <= json.loads(line)["busy"] < 1e6


@pytest.mark.parametrize("kind", KINDS)
def test_nonsense_again_and_again_is_one_sentence(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, kind: str) -> None:
    trained(tmp_path, tiny(kind, trainer__generations=1))
    before = kept(tmp_path)
    monkeypatch.setattr(evolution, "play_timed", lambda task: None)
    with pytest.raises(BackendError, match=r"failed 3 times .* the last worker returned NoneType instead of a result"):
        trained(tmp_path, tiny(kind))
    assert kept(tmp_path) == before, "no finished generation is lost"


def test_how_networks_play_comes_from_the_file() -> None:
    experiment = tiny("thesis", trainer__ties="random", trainer__aware=False, trainer__depth=2)
    stage = experiment.lessons[0].stage(experiment.game)
    player = stage.looking(np.zeros(stage.plan().length))
    assert (player.depth, player.shuffled, player.unaware) == (2, 1, 1)
    usual = tiny("thesis").lessons[0].stage(experiment.game)
    assert (usual.shuffled, usual.aware) == (False, True)
    with pytest.raises(UnknownName, match=r"trainer.ties"):
        tiny("thesis", trainer__ties="last")


# Files and settings that do not fit.


@pytest.mark.parametrize(
    "changes",
    [{"trainer__seed": 5}, {"trainer__population": 5}, {"network__hidden": 4}, {"network__reading": "presumed"}],
)
def test_other_settings_are_refused(tmp_path: Path, changes: dict[str, Any]) -> None:
    trained(tmp_path, tiny("strategy", trainer__generations=1))
    before = (tmp_path / "experiment.toml").read_text()
    told = "evolved with other settings than now; name another --run, or delete it"
    for other, message in ((changes, told), ({"experiment__size": "5x5"}, "holds another experiment than 'tiny'")):
        with pytest.raises(BadOption, match=message):
            trained(tmp_path, tiny("strategy", trainer__generations=1, **other))
        assert (tmp_path / "experiment.toml").read_text() == before, "nothing is written before it is refused"


def damaged(name: str, arrays: dict[str, Any]) -> dict[str, Any]:
    """Return the arrays of an evolution with something wrong."""
    changes: dict[str, Any] = {
        "counts missing": {"counts": None},
        "counts empty": {"counts": np.zeros(0, np.int64)},
        "counts square": {"counts": np.zeros((2, 2))},
        "alleles too few": {key: array[:, 1:] for key, array in arrays.items() if key in ("population", "scores")},
        "members too few": {key: array[:, :0] for key, array in arrays.items() if key in ("population", "scores")},
        "one number": {key: np.array(1.0) for key in arrays if key in ("population", "scores")},
    }
    return {key: array for key, array in {**arrays, **changes[name]}.items() if array is not None}


@pytest.mark.parametrize("kind", KINDS)
def test_a_damaged_evolution_is_one_sentence(tmp_path: Path, kind: str) -> None:
    trained(tmp_path, tiny(kind, trainer__generations=1))
    path = tmp_path / "evolvers" / f"{kind}.safetensors"
    content, (arrays, facts) = path.read_bytes(), load_arrays(path)
    for name in ("counts missing", "counts empty", "counts square", "alleles too few", "members too few", "one number"):
        save_arrays(path, damaged(name, arrays), facts)
        with pytest.raises(FileError, match=r"does not hold this evolution: .*; delete the file") as caught:
            trained(tmp_path, tiny(kind))
        assert "\n" not in str(caught.value), name
    for garbage in (b"", b"nonsense", content[:-1], content[: len(content) // 2]):
        path.write_bytes(garbage)
        with pytest.raises(FileError, match=r"cannot read the evolution|the evolution .* is damaged") as caught:
            trained(tmp_path, tiny(kind))
        assert "\n" not in str(caught.value)
    path.write_bytes(content)
    trained(tmp_path, tiny(kind))


def said(arguments: list[str], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> str:
    """Return the one sentence of a command that fails."""
    monkeypatch.setattr(sys, "argv", ["understudy", *arguments])
    with pytest.raises(SystemExit) as caught:
        main()
    told = capsys.readouterr().err.strip().splitlines()
    assert caught.value.code == 2 and told[-1].startswith("understudy: ")
    assert not any("Traceback" in line for line in told)
    return told[-1]


def test_the_command_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    """The thesis's experiment, made tiny, as others script it; and what it says to bad input."""
    small = ["experiment.size=4x4", "network.hidden=3", "trainer.depth=1", "trainer.population=4", "judging.matches=2",
             "judging.baselines=[]", 'judging.monitors=["random"]', 'judging.opponents=["random"]',
             'judging.benchmarks=[]']  # fmt: skip
    command = ["run", str(shipped()["plogann"]), "--run", str(tmp_path / "run"), "--backend", "local"]
    for change in small:
        command += ["--set", change]
    monkeypatch.setattr(sys, "argv", ["understudy", *command, "--workers", "2", "--set", "trainer.generations=2"])
    main()
    told = capsys.readouterr().out
    assert "The report: " in told and "Play against the student: understudy play lines_of_action --size 4x4" in told
    two = ["--set", "trainer.generations=2"]
    assert "evolved with other settings" in said([*command, *two, "--set", "trainer.seed=2"], monkeypatch, capsys)
    assert "no option of [trainer]" in said([*command, "--set", "trainer.generation=2"], monkeypatch, capsys)
    assert "needs the backend 'ray'" in said([*command, "--address", "head:1"], monkeypatch, capsys)
    path = tmp_path / "run" / "evolvers" / "student.safetensors"
    arrays, facts = load_arrays(path)
    save_arrays(path, {**arrays, "population": arrays["population"][:, :7]}, facts)
    assert "its chromosomes are (4, 7), not (4, 67)" in said([*command, *two], monkeypatch, capsys)
    path.write_bytes(b"garbage")
    assert "cannot read the evolution" in said([*command, *two], monkeypatch, capsys)
    (tmp_path / "run" / "student.safetensors").write_bytes(b"garbage")
    match = ["match", "lines_of_action", f"student:{tmp_path / 'run'}", "random", "--size", "4"]
    assert "cannot read the student" in said(match, monkeypatch, capsys)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"experiment__size": "4x5"}, "lines_of_action has no board of size 4x5"),
        ({"network__inputs": ["sides", "magic"]}, "no input of lines_of_action 'magic'"),
        ({"trainer__crossover": "none"}, "no trainer.crossover 'none'"),
        ({"trainer__popluation": 3}, r"no option of [trainer] 'popluation'; did you mean 'population'"),
        ({"student__depth": 7}, "student.depth must be from 1 to 6"),
        ({"judging__matches": 0}, "judging.matches must be from 1"),
        ({"judging__opponents": ["human"]}, "player 'human' cannot play inside a kernel"),
        ({"judging__baselines": ["random"]}, "'random' does not name two players as 'A v B'"),
        ({"judging__baselines": ["random v nobody"]}, "no player 'nobody'; there are: random"),
        ({"judging__opening_plies": 21}, "judging.opening_plies must be from 0 to 20"),
        ({"judging__monitor_opening_plies": 21}, "judging.monitor_opening_plies must be from 0 to 20"),
        ({"school__rounds": 1, "school__teacher": "human"}, "player 'human' cannot play inside a kernel"),
        ({"watch__teacher": "random"}, "no section of an experiment 'watch'"),
    ],
)
def test_bad_experiments(changes: dict[str, Any], message: str) -> None:
    with pytest.raises(UnderstudyError) as caught:
        tiny("steady", **changes)
    assert message in str(caught.value)


def test_there_is_a_school_for_one_game_alone() -> None:
    settings = {"experiment": {"kind": "evolution", "game": "konane", "size": "4x4"},
                "network": {"inputs": ["features"]}, "trainer": {"opponents": ["random"]},
                "school": {"rounds": 1, "teacher": "random"},
                "judging": {"monitors": [], "benchmarks": [], "opponents": []}}  # fmt: skip
    with pytest.raises(BadOption, match="and konane tells nothing of them; experiments of the kind 'values'"):
        make_experiment("konane", settings, folder=Path())


@pytest.mark.parametrize("name", ["plogann", "lines_of_action_quick", "lines_of_action_evolved"])
def test_the_experiments_of_this_kind(name: str) -> None:
    path = shipped()[name]
    whole, quick = load_experiment(path), load_experiment(path, quick=True)
    assert find_lab(whole.about.kind) is evolution.KIND and quick.name == f"{name}_quick"
    for one, short in zip(whole.lessons, quick.lessons, strict=True):
        assert short.trainer.generations < one.trainer.generations and short.network == one.network
    if name == "plogann":
        assert (whole.lessons[0].trainer.population, whole.lessons[0].stage(whole.game).plan().length) == (62, 2041)


@pytest.mark.parametrize("game", ["morris", "konane", "lines_of_action", "chess"])
def test_networks_of_every_game_evolve(game: str, tmp_path: Path) -> None:
    settings = {
        "experiment": {"kind": "evolution", "game": game},
        "network": {"inputs": ["features", "turn"], "hidden": 3, "both": True},
        "student": {"depth": 1},
        "trainer": {"kind": "steady", "generations": 1, "population": 4, "depth": 1, "limit": 20, "famous": 1,
                    "opponents": ["random"]},
        "judging": {"measured": 0, "monitors": [], "benchmarks": [], "opponents": ["random"], "matches": 2},
    }  # fmt: skip
    experiment = make_experiment("tiny", settings, folder=Path())
    lab.run(experiment, tmp_path, show=quiet, backend=Local(1))
    board = experiment.game
    for depth in (1, 2):
        choice = make_player(f"student:{tmp_path},depth={depth}", board).choose([board.start()])[0]
        assert choice.move in board.moves(board.start())


def test_other_games_are_measured_by_players_that_they_have() -> None:
    experiment = make_experiment("tiny", {"experiment": {"kind": "evolution", "game": "chess"}}, folder=Path())
    assert experiment.judging.monitors == ("searcher:depth=2",)  # type: ignore[attr-defined]
    assert experiment.lessons[0].network.inputs == ("features",)  # type: ignore[attr-defined]


def test_the_clock_may_end_an_evolution(tmp_path: Path) -> None:
    experiment = tiny("steady", trainer__generations=10**6, trainer__minutes=1e-9)
    trained(tmp_path, experiment)
    assert [note["generation"] for note in notes(tmp_path)] == [1]
    before = (tmp_path / "student_steady.safetensors").read_bytes()
    trained(tmp_path, experiment)  # nothing is left to do
    assert [note["generation"] for note in notes(tmp_path)] == [1]
    assert load_evolved(tmp_path / "student_steady.safetensors").facts["generations"] == 1 and before
