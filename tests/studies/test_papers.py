"""The table of studies: what each paper is of, and numbers in shapes that sections show."""

from __future__ import annotations

import subprocess
import sys

import pytest

from understudy.games import GAMES
from understudy.papers import STUDIES, find_paper, published_by
from understudy.report.contests import PublishedEvaluators
from understudy.report.evolution.published import PublishedEvolution
from understudy.report.labels.nearness import PublishedLabels
from understudy.report.pupils import PublishedErrors, PublishedPupils

SHAPES = {
    "galassi": [],
    "miller": [PublishedEvolution, PublishedErrors],
    "sabatelli": [PublishedLabels],
    "thompson": [PublishedEvaluators, PublishedPupils],
}


@pytest.mark.parametrize("study", STUDIES)
def test_every_study_says_what_it_is_of_and_fills_its_own_shapes_alone(study: str) -> None:
    paper = find_paper(study)
    assert paper.game in GAMES and all(paper.boards.values())
    for shape in {shape for shapes in SHAPES.values() for shape in shapes}:
        assert (published_by(study, shape) is not None) == (shape in SHAPES[study])


def test_naming_a_study_loads_none_and_asking_what_it_is_of_loads_no_numbers() -> None:
    code = """
import sys, understudy.report, understudy.papers as papers
print([name for name in sys.modules if name.startswith("understudy.studies.")])
papers.find_paper("miller")
print([name for name in sys.modules if name.startswith("understudy.studies.")])
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines() == ["[]", "['understudy.studies.miller']"]
