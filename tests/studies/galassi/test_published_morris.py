"""The authors' own networks on the authors' own rows: every digit they printed comes out again.

Known exceptions: the two lines "FROM phase 2 leg", which no definition of theirs gives. How figures are compared is
told in `benchmarks/bench_published.py`.
"""

from __future__ import annotations

import time
from pathlib import Path

import numpy as np
import pytest

from benchmarks.bench_published import compare_lines, compare_points, judge_matches, judge_states, load_rows
from understudy.games.batches import size
from understudy.games.morris.batches import parts_of
from understudy.games.morris.legality import grade, whole
from understudy.judges.measures import Verdict


def check(verdict: Verdict, folder: Path, section: int, name: str) -> None:
    lines, points = list(compare_lines(verdict, folder, section)), list(compare_points(verdict, folder, name))
    assert len(lines) == 19 and len(points) == 75
    assert [line.line for line in lines if not line.same] == ["FROM phase 2 leg"]
    assert all(point.same for point in points)


def percent(verdict: Verdict, *names: str) -> list[float]:
    return [100 * (verdict[name].value or 0) for name in names]


def test_published_figures_on_the_matches(shared: Path) -> None:
    folder = shared / "data/nnmm"
    batch, moves = load_rows(folder / "DATASET.complete.txt")
    began = time.perf_counter()
    verdict = judge_matches(folder, batch, moves)
    print(f"\nall judges on {size(batch):,} rows: {time.perf_counter() - began:.0f} s")
    check(verdict, folder, 0, "DATASET.complete.txt")
    assert percent(verdict, "legality.authors.whole_from_phase2") == [pytest.approx(99.8826, abs=5e-5)]
    plain = percent(verdict, "legality.whole", "legality.remove", "legality.whole_chosen_remove")
    assert plain == [
        pytest.approx(99.8924, abs=5e-5),
        pytest.approx(99.9780, abs=5e-5),
        pytest.approx(99.878, abs=5e-4),
    ]
    samples = [verdict[f"reliability.authors.{part}.1.00"].sample for part in ("to", "from", "remove")]
    assert samples == [1_628_673, 1_325_103, 559_067]
    named = [f"reliability.{part}.{recall}" for part in ("to", "from", "remove") for recall in ("0.04", "0.52", "1.00")]
    assert [round(x, 2) for x in percent(verdict, *named)] == [
        99.97,
        99.77,
        98.73,
        99.99,
        99.97,
        99.95,
        99.95,
        99.81,
        99.34,
    ]
    # What the networks reached in training, by the shares 85, 5 and 10 % of training, validation and test rows.
    given = percent(verdict, *(f"accuracy.given.{part}" for part in ("to", "from", "remove")))
    trained = np.array([[53.07, 51.77, 51.73], [90.07, 89.43, 88.97], [88.01, 86.54, 85.66]]) @ [0.85, 0.05, 0.10]
    assert given == pytest.approx(trained.tolist(), abs=0.01)
    fields, truth = (batch.mine, batch.theirs, batch.hand), parts_of(moves)
    assert (~whole(grade(*fields, truth, legacy=True))["whole"]).sum() == 3668


def test_published_figures_on_the_states(shared: Path) -> None:
    folder = shared / "data/nnmm"
    batch, moves = load_rows(folder / "STATES.complete.txt")
    assert size(batch) == 2_085_613
    verdict = judge_states(folder, batch, moves)
    check(verdict, folder, 1, "STATES.complete.txt")
    assert percent(verdict, "legality.authors.whole_from_phase2") == [pytest.approx(99.7570, abs=5e-5)]
    plain = percent(verdict, "legality.whole", "legality.whole_chosen_remove")
    assert plain == [pytest.approx(99.8015, abs=5e-5), pytest.approx(99.569, abs=5e-4)]
    samples = [verdict[f"reliability.authors.{part}.1.00"].sample for part in ("to", "from", "remove")]
    assert samples == [2_085_613, 1_996_487, 608_986]
