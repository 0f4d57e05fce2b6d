"""The authors' own networks on the authors' own rows: every digit they printed comes out again.

Known exceptions: the two lines "FROM phase 2 leg", which no definition of theirs gives. Where they had no moves
(STATES) they took a7 for the teacher's; only so their accuracies there come out.
"""

from __future__ import annotations

import re
import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from understudy.games import find_game
from understudy.games.batches import size, stacked
from understudy.games.morris.batches import authors_images, moves_of, parts_of
from understudy.games.morris.legality import grade, whole
from understudy.games.morris.notation import read_move
from understudy.judges.measures import Verdict, measured
from understudy.judges.parts import RECALLS, accuracy, see
from understudy.judges.students import judge_parts
from understudy.players import make_player

GAME = find_game("morris")

LEGALITY = {
    "Only TO": "to",
    "Only FROM": "from",
    "Only REMOVE": "remove",
    "Only FROM-TO": "from_to",
    "Only REMOVE-FROM-TO": "remove_from_to",
    "Whole FROM": "whole_from",
    "Whole REMOVE": "whole_remove",
    "Whole MOVE": "whole",
    "REMOVE when chosen": "chosen_remove",
}
ACCURACY = {
    "TO accuracy": "to",
    "FROM accuracy": "from",
    "REMOVE accuracy": "remove",
    "Whole MOVE accuracy": "whole",
    "Whole MOVE accuracy in phase 1": "phase1",
    "Whole MOVE accuracy in phase 2": "phase2",
    "Whole MOVE accuracy in phase 3": "phase3",
    "FROM not 0 accuracy": "from_nonzero",
    "REMOVE not 0 accuracy": "remove_nonzero",
}


class Watched:
    """The published cascade, and all that it chose when it was left to itself."""

    def __init__(self, folder: Path) -> None:
        self.inner: Any = make_player(f"nnmm:{folder / 'TFR'}", GAME)
        self.name, self.order = self.inner.name, self.inner.order
        self.chosen: list[NDArray[np.int64]] = []

    def score_parts(self, batch: Any, given: NDArray[np.int64] | None = None) -> tuple[Any, Any]:
        scores, parts = self.inner.score_parts(batch, given)
        if given is None:
            self.chosen.append(parts)
        return scores, parts


def load_rows(path: Path) -> tuple[Any, NDArray[np.int32]]:
    """Return the authors' images of a file; where it has no moves all are a7."""
    lines = path.read_text().split()
    positions = [GAME.read(line[:28]) for line in lines]
    pairs = zip(positions, lines, strict=True)
    a7 = int(moves_of(np.array([[1, 0, 0]]))[0])
    moves = [read_move(at, line[29:]) if len(line) > 28 else a7 for at, line in pairs]
    batch, codes, _ = authors_images(stacked(positions), np.array(moves, np.int32))
    return batch, codes


def printed(folder: Path, section: int, kind: str) -> dict[str, str]:
    """Return the lines of a section of the published results."""
    text = (folder / "published_TFR_results.txt").read_text()
    return dict(re.findall(rf"\t([^\t\n]*{kind}[^\t\n]*):\t(\S+)", text.split("Legality response")[section + 1]))


def printed_curves(folder: Path, name: str) -> dict[str, list[float]]:
    text = (folder / "published_TFR_reliability.txt").read_text().split(f"Test on: {name}")[1].split("Test on")[0]
    return {part.lower(): list(map(float, row.split())) for part, row in re.findall(r"(\w+):\n([\d.\t]+)", text)}


def check_digits(measured: float | None, text: str, name: str) -> None:
    """Compare to the last digit that is printed."""
    if text == "-1":
        assert measured is None, name
        return
    assert measured is not None, name
    assert f"{100 * measured:.12g}" == f"{float(text):.12g}", name


def check(verdict: Verdict, folder: Path, section: int, name: str) -> None:
    lines = printed(folder, section, "leg")
    assert len(lines) == 10
    for line, measure in LEGALITY.items():
        check_digits(verdict[f"legality.authors.{measure}"].value, lines[f"{line} leg"], line)
    lines = printed(folder, section, "accuracy")
    assert set(lines) == set(ACCURACY)
    for line, measure in ACCURACY.items():
        check_digits(verdict[f"accuracy.{measure}"].value, lines[line], line)
    curves = printed_curves(folder, name)
    for part, curve in curves.items():
        precisions = [verdict[f"reliability.authors.{part}.{recall}"].value for recall in RECALLS]
        assert [round(100 * value, 2) for value in precisions if value is not None] == curve, part
    assert [len(curve) for curve in curves.values()] == [25, 25, 25]


def percent(verdict: Verdict, *names: str) -> list[float]:
    return [100 * (verdict[name].value or 0) for name in names]


def test_published_figures_on_the_matches(shared: Path) -> None:
    folder = shared / "data/nnmm"
    batch, moves = load_rows(folder / "DATASET.complete.txt")
    began = time.perf_counter()
    verdict = judge_parts(Watched(folder), batch, moves)
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
    scorer = Watched(folder)
    verdict = judge_parts(scorer, batch, judges=["legality", "reliability"])
    verdict |= measured(accuracy(see(batch, moves, np.concatenate(scorer.chosen), scorer.order)))
    check(verdict, folder, 1, "STATES.complete.txt")
    assert percent(verdict, "legality.authors.whole_from_phase2") == [pytest.approx(99.7570, abs=5e-5)]
    plain = percent(verdict, "legality.whole", "legality.whole_chosen_remove")
    assert plain == [pytest.approx(99.8015, abs=5e-5), pytest.approx(99.569, abs=5e-4)]
    samples = [verdict[f"reliability.authors.{part}.1.00"].sample for part in ("to", "from", "remove")]
    assert samples == [2_085_613, 1_996_487, 608_986]
