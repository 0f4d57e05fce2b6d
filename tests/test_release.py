"""What surrounds a release: how to cite, the changes by version, the image, and what runs when something is pushed."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path
from typing import Any

import pytest

from tests.conftest import ROOT
from understudy import __version__

yaml = pytest.importorskip("yaml")
WORKFLOWS = sorted((ROOT / ".github" / "workflows").glob("*.yml"))
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
CITATION = yaml.safe_load((ROOT / "CITATION.cff").read_text(encoding="utf-8"))

CITED = {
    "cff-version", "message", "type", "title", "abstract", "authors", "license", "keywords", "references",
}  # fmt: skip
OF_A_WORK = {
    "type", "title", "authors", "journal", "volume", "issue", "start", "end", "year", "doi", "institution",
    "thesis-type", "number", "url", "date-released",
}  # fmt: skip
"""Fields of the Citation File Format 1.2.0 that are used here; it knows no others of such names."""


def is_author(author: dict[str, str]) -> bool:
    """Tell whether an author is a person or an entity, as the format has them."""
    return set(author) == {"name"} or set(author) == {"family-names", "given-names"}


def test_the_citation_has_the_fields_of_its_format() -> None:
    assert set(CITATION) == CITED and CITATION["cff-version"] == "1.2.0" and CITATION["type"] == "software"
    assert CITATION["license"] == PROJECT["license"]
    assert [author["name"] for author in CITATION["authors"]] == [author["name"] for author in PROJECT["authors"]]
    assert len(set(CITATION["keywords"])) == len(CITATION["keywords"])
    for work in CITATION["references"]:
        assert {"type", "title", "authors", "year"} <= set(work) <= OF_A_WORK, work["title"]
        assert work["type"] in ("article", "thesis") and all(map(is_author, work["authors"]))
        assert isinstance(work["year"], int) and isinstance(work["title"], str)
        assert set(work.get("institution", {"name": ""})) == {"name"}
        assert re.fullmatch(r"10\.\d{4,9}/\S+", work.get("doi", "10.1109/x"))


def test_the_citation_names_every_study_of_others() -> None:
    from understudy.papers import STUDIES, find_paper

    works = [
        (author["family-names"], str(work["year"])) for work in CITATION["references"] for author in work["authors"]
    ]
    for study in STUDIES:
        for name, year in re.findall(r"(\w+)(?: et al\.)? (\d{4})", find_paper(study).name):
            assert (name, year) in works, (study, name, year)


def test_the_version_stands_in_one_place() -> None:
    assert PROJECT["dynamic"] == ["version"] and "version" not in PROJECT
    assert re.fullmatch(r"\d+\.\d+\.\d+((a|b|rc)\d+)?", __version__)
    for name in ("pyproject.toml", "CITATION.cff", "Dockerfile", "Makefile", "README.md", "constraints.txt"):
        text = (ROOT / name).read_text(encoding="utf-8")
        assert not re.search(rf"understudy\S*\s*[=@:v]+\s*{re.escape(__version__)}", text), name


def test_the_changes_are_ordered_by_release() -> None:
    headings = re.findall(r"^## (.+)$", (ROOT / "CHANGELOG.md").read_text(encoding="utf-8"), re.MULTILINE)
    releases = headings[1:] if headings[0] == "Unreleased" else headings
    assert releases and len(set(releases)) == len(releases)
    dated = [re.fullmatch(r"(\d+)\.(\d+)\.(\d+)((?:a|b|rc)\d+)?, (\d{4}-\d\d-\d\d)", heading) for heading in releases]
    assert all(dated), releases
    versions = [tuple(int(part) for part in found.groups()[:3]) for found in dated if found]
    days = [found[5] for found in dated if found]
    assert versions == sorted(versions, reverse=True) and days == sorted(days, reverse=True)
    assert __version__ in releases[0]


def steps() -> list[tuple[Path, dict[str, Any]]]:
    """Return every step of every workflow."""
    found = []
    for path in WORKFLOWS:
        for job in yaml.safe_load(path.read_text(encoding="utf-8"))["jobs"].values():
            found += [(path, step) for step in job["steps"]]
    return found


def test_workflows_call_goals_that_there_are() -> None:
    goals = set(re.findall(r"^(\w+):", (ROOT / "Makefile").read_text(encoding="utf-8"), re.MULTILINE))
    called = {goal for _, step in steps() for goal in re.findall(r"\bmake (\w+)", step.get("run", ""))}
    assert {"test", "dist"} <= called <= goals


def test_workflows_may_do_little_and_use_pinned_actions() -> None:
    assert len(WORKFLOWS) >= 2
    for path in WORKFLOWS:
        text = path.read_text(encoding="utf-8")
        workflow = yaml.safe_load(text)
        assert workflow["permissions"] == {"contents": "read"}, path.name
        assert all("timeout-minutes" in job for job in workflow["jobs"].values())
        assert "pull_request_target" not in text and "secrets." not in text
        for line in re.findall(r"uses: (.+)", text):
            assert re.fullmatch(r"actions/[\w-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+", line), line
    for _, step in steps():  # what others may have named is handed over as a variable, never put into a script
        assert "${{" not in step.get("run", "")


def test_every_python_that_is_promised_is_tried() -> None:
    workflow = yaml.safe_load((ROOT / ".github" / "workflows" / "test.yml").read_text(encoding="utf-8"))
    tried = workflow["jobs"]["test"]["strategy"]["matrix"]["python"]
    told = [word.split(" :: ")[-1] for word in PROJECT["classifiers"] if "Python :: 3." in word]
    assert tried == told and PROJECT["requires-python"] == f">={tried[0]}"


def test_the_image_holds_what_is_built_and_runs_without_rights() -> None:
    text = (ROOT / "Dockerfile").read_text(encoding="utf-8")
    asked = re.search(r"/source\[([\w,]+)\]", text)
    assert asked and set(asked[1].split(",")) <= set(PROJECT["optional-dependencies"])
    assert text.index("USER player") > text.index("useradd") and "USER root" not in text
    kept = [line[1:] for line in (ROOT / ".dockerignore").read_text().splitlines() if line.startswith("!")]
    assert all((ROOT / name).exists() for name in kept)
    assert {"src", "docs/results", "pyproject.toml", "README.md", "LICENSE", "constraints.txt"} == set(kept)
