"""What every run promises: opponents checked first, nothing stale left, one board however written, and its cost."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from tests.tiny import tiny
from understudy import lab
from understudy.errors import BadOption
from understudy.lab import Meter
from understudy.lab.run import Progress, Run, Step

SMALL: dict[str, dict[str, Any]] = {
    "imitation": {"watch__regular": 6, "training__epochs": 1, "judging__states_count": 40, "judging__games": 2},
    "online": {"training__games": 200, "training__repeats": 1, "judging__games": 4, "judging__snapshot_games": 4},
    "values": {"training__epochs": 1, "judging__games": 4, "judging__value_kept": 50},
    "offline": {"sampling__games": 60, "training__cycles": 1, "judging__games": 4},
}
"""What makes tiny experiments tinier: nothing need be learned here."""


def small(kind: str, **changes: Any) -> Any:
    return tiny(kind, **(SMALL[kind] | changes))


def held(folder: Path, name: str) -> Any:
    return json.loads((folder / name).read_text())


@pytest.mark.parametrize("kind", ["imitation", "values", "offline"])
@pytest.mark.parametrize(
    ("opponent", "reason"), [("sercher:depth=1", "did you mean 'searcher'"), ("searcher:evaluator=zz", "'zz'")]
)
def test_opponents_are_checked_before_anything_long_begins(
    kind: str, opponent: str, reason: str, tmp_path: Path
) -> None:
    with pytest.raises(BadOption, match=f"judging.opponents: '{opponent}': no .*{reason}"):
        lab.run(small(kind, judging__opponents=["random", opponent]), tmp_path / "run")
    assert not (tmp_path / "run").exists()


def test_yardsticks_are_checked_too(tmp_path: Path) -> None:
    with pytest.raises(BadOption, match="did you mean 'random'"):
        lab.train(small("values", judging__yardsticks=["chance = randon"]), tmp_path / "run")


def test_yardsticks_are_named_by_the_experiment(tmp_path: Path) -> None:
    lab.run(small("values", judging__yardsticks=["a guess = random"]), tmp_path)
    assert set(held(tmp_path, "verdicts.json")["value kept"]) == {"student", "a guess"}


def opponents_of(games: Mapping[str, Any]) -> set[frozenset[str]]:
    return {frozenset(counts) for sets in games.values() for counts in sets.values()}


@pytest.mark.parametrize("kind", ["online", "values", "offline"])
def test_other_opponents_are_played_anew(kind: str, tmp_path: Path) -> None:
    evaluator = "aloa" if kind == "offline" else "r"
    other = f"searcher:evaluator={evaluator},depth=1,method=minimax,ties=random"
    lab.run(small(kind, judging__opponents=["random"]), tmp_path)
    lab.run(small(kind, judging__opponents=["random", other]), tmp_path)
    assert opponents_of(held(tmp_path, "games.json")) == {frozenset({"random", other})}
    if kind == "online":
        tried = held(tmp_path, "snapshots.json")
        assert {frozenset(entry["won"]) for entries in tried.values() for entry in entries} == {
            frozenset({"random", other})
        }


def test_verdicts_on_games_against_former_opponents_are_dropped(tmp_path: Path) -> None:
    lab.run(small("imitation", judging__opponents=["random"]), tmp_path)
    before = held(tmp_path, "verdicts.json")
    lab.run(small("imitation", judging__opponents=["stochastic:depth=1"]), tmp_path)
    after = held(tmp_path, "verdicts.json")
    assert [section for section in after if section.startswith("games")] == ["games against stochastic:depth=1"]
    assert after["states"] == before["states"]


def test_an_offline_run_made_longer_is_judged_again(tmp_path: Path) -> None:
    lab.run(small("offline"), tmp_path)
    lost = {"random": [[2, 0, 0], [2, 0, 0]]}
    marked = {"student": {"largest sample": lost, "games to choose by": lost}}
    (tmp_path / "games.json").write_text(json.dumps(marked))
    lab.run(small("offline"), tmp_path)
    assert held(tmp_path, "games.json") == marked, "what is still true is not played again"
    lab.run(small("offline", sampling__games=120), tmp_path)
    assert held(tmp_path, "games.json") != marked


@pytest.mark.parametrize(("first", "later"), [("4x4", "4"), ("4", "4x4"), ("4", "4X4")])
def test_a_board_is_the_same_however_its_size_is_written(first: str, later: str, tmp_path: Path) -> None:
    lab.train(small("online", experiment__size=first), tmp_path)
    news: list[Progress] = []
    lab.train(small("online", experiment__size=later), tmp_path, show=news.append)
    assert not [one for one in news if one.task.endswith("learns")], "what was learned is gone on with"
    with pytest.raises(BadOption, match="holds another experiment"):
        lab.train(small("online", experiment__size="6x6"), tmp_path)


def test_a_run_writes_what_its_steps_cost(tmp_path: Path) -> None:
    lab.train(small("online"), tmp_path)
    first = held(tmp_path, "cost.json")
    assert set(first) == {"understudy", "commit", "cores", "steps"} and set(first["steps"]) == {"learn"}
    assert first["steps"]["learn"]["wall_seconds"] > 0 and first["steps"]["learn"]["cpu_seconds"] > 0
    lab.run(small("online"), tmp_path)
    later = held(tmp_path, "cost.json")
    assert set(later["steps"]) == {"learn", "judge", "report"}
    assert later["steps"]["learn"]["wall_seconds"] >= first["steps"]["learn"]["wall_seconds"]


def test_costs_add_up_over_stops_and_are_noted_while_a_step_lasts(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    clock = iter(range(0, 1000, 20))
    monkeypatch.setattr("understudy.lab.time.perf_counter", lambda: float(next(clock)))
    run = Run(tiny("online"), tmp_path)
    meter = Meter(run, "learn")
    meter.show(Progress("learning", 0.5))
    noted = held(tmp_path, "cost.json")["steps"]["learn"]["wall_seconds"]
    assert noted >= 20, "a kill after this loses nothing before it"
    Meter(run, "judge").note()
    again = Meter(run, "learn")
    again.note()
    steps = held(tmp_path, "cost.json")["steps"]
    assert steps["learn"]["wall_seconds"] == noted + 40 and set(steps) == {"learn", "judge"}


def test_a_step_that_fails_has_cost_something(tmp_path: Path) -> None:
    def fail(run: Run[Any]) -> None:
        raise ValueError("no")

    with pytest.raises(ValueError, match="no"):
        lab._do(Step("learn", fail), Run(tiny("online"), tmp_path))
    assert "learn" in held(tmp_path, "cost.json")["steps"]
