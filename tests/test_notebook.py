"""Notebooks run from top to bottom in an empty folder, and their pages in the docs say the same."""

from __future__ import annotations

import importlib
import json
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.conftest import ROOT

EXAMPLES, DOCS = ROOT / "examples", ROOT / "docs"
SHORTER = {
    "first_hour": [(r"(watch\.\w+=)\d+", r"\g<1>20"), ("epochs=25", "epochs=2")],
    "inside_a_head": [("games = 10", "games = 2"), ("plies = 40", "plies = 6")],
    "one_table_each": [
        (r"(watch\.\w+=)\d+", r"\g<1>20"),
        ("epochs=12", "epochs=1"),
        ("judging.games=(20|1000)", "judging.games=4"),
        ("states_count=5000", "states_count=200"),
        ("training.games=5000", "training.games=100"),
        ("training.repeats=2", "training.repeats=1"),
        ("snapshot_games=50", "snapshot_games=4"),
        ('"trainer.generations=2", "judging.matches=10"',
         '"trainer.generations=1", "trainer.population=4", "trainer.epoch=1", "judging.matches=1"'),
    ],
}  # fmt: skip
"""What makes each notebook a small part of what it is: that it runs is what is tested here."""
NOTEBOOKS = sorted(SHORTER)


def cells(name: str) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = json.loads((EXAMPLES / f"{name}.ipynb").read_text(encoding="utf-8"))["cells"]
    return found


def sources(name: str, kind: str) -> list[str]:
    return ["".join(cell["source"]) for cell in cells(name) if cell["cell_type"] == kind]


@pytest.fixture
def load(monkeypatch: pytest.MonkeyPatch) -> Any:
    """Return how a script of the examples is imported."""
    monkeypatch.syspath_prepend(str(EXAMPLES))
    return importlib.import_module


def run(name: str, folder: Path) -> list[dict[str, Any]]:
    """Run a notebook made shorter; return what its cells show."""
    nbclient, nbformat = pytest.importorskip("nbclient"), pytest.importorskip("nbformat")
    pytest.importorskip("ipykernel")
    notebook = nbformat.read(EXAMPLES / f"{name}.ipynb", as_version=4)
    code = [cell for cell in notebook.cells if cell.cell_type == "code"]
    for long, short in SHORTER[name]:
        assert any(re.search(long, cell.source) for cell in code), long
        for cell in code:
            cell.source = re.sub(long, short, cell.source)
    nbclient.NotebookClient(notebook, timeout=None, resources={"metadata": {"path": str(folder)}}).execute()
    return [output.get("data", {}) for cell in code for output in cell.get("outputs", [])]


def test_every_notebook_is_tried() -> None:
    assert sorted(path.stem for path in EXAMPLES.glob("*.ipynb")) == NOTEBOOKS


@pytest.mark.parametrize("name", NOTEBOOKS)
def test_notebooks_are_kept_without_outputs(name: str) -> None:
    assert not any(cell.get("outputs") or cell.get("execution_count") for cell in cells(name))


@pytest.mark.parametrize("name", NOTEBOOKS)
def test_the_page_in_the_docs_says_what_the_notebook_says(name: str, load: Any) -> None:
    pytest.importorskip("nbclient")
    page = (DOCS / f"{name}.md").read_text(encoding="utf-8")
    assert re.findall(r"```python\n(.*?)\n```", page, re.DOTALL) == sources(name, "code")
    marker = load("make_page").TO_DOCS
    assert all(text.replace(marker, "](") in page for text in sources(name, "markdown"))
    links = [link for text in sources(name, "markdown") for link in re.findall(r"\]\(([^)#]+)\)", text)]
    assert all((EXAMPLES / link).exists() for link in links if not link.startswith("http"))


def test_the_first_hour_shows_boards_thoughts_and_verdicts(tmp_path: Path) -> None:
    shown = run("first_hour", tmp_path)
    pictures = [data for data in shown if "image/svg+xml" in data or "image/png" in data]
    pages = [data["text/html"] for data in shown if "text/html" in data]
    assert len(pictures) >= 2 and len(pages) >= 6
    assert any("of its mind is on moves that the rules forbid" in page for page in pages)
    assert any("legality.whole" in page for page in pages)


def test_a_table_of_each_paper_is_made_again(tmp_path: Path) -> None:
    shown = [data["text/plain"] for data in run("one_table_each", tmp_path) if "text/plain" in data]
    tables = "\n".join(shown)
    assert tables.count("printed") == 3  # the fourth shows moves
    for row in ("legality.authors.whole", "searcher:evaluator=q", "CCR01", "lost"):
        assert row in tables, row
    assert re.search(r"legality\.authors\.to +99\.9%", tables) and re.search(r"lost +9089", tables)


def test_a_head_is_looked_into(tmp_path: Path) -> None:
    shown = run("inside_a_head", tmp_path)
    assert sum("image/png" in data for data in shown) == 3 and sum("image/svg+xml" in data for data in shown) == 2
    texts = [data.get("text/plain", "") for data in shown]
    (tempted,) = [text for text in texts if text.startswith("student:chess_imitator")]
    assert tempted.count("illegal\n") >= 3  # moves that leave the king in check
    assert any("d6, White" in text for text in texts)


PAGE = """
```sh
export GREETING=hello; cd /
```

```python
import os
first = os.environ["GREETING"]
```

```python
first + " again"
```

```sh
read answer; test "$answer" = quit; echo "$GREETING"
```
"""


def test_a_newcomer_is_followed_block_by_block(tmp_path: Path, load: Any) -> None:
    newcomer = load("newcomer")
    place, shell = newcomer.begin(tmp_path, installed=True)
    steps = list(newcomer.follow(newcomer.read_page(PAGE), place, shell))
    assert [step.said for step in steps] == ["", "", "'hello again'", "hello\n"]
    assert all(step.seconds >= 0 for step in steps)
    for broken in ("```sh\nfalse\n```\n", "```python\nmissing\n```\n"):
        with pytest.raises(SystemExit, match=r"first_hour\.md fails"):
            list(newcomer.follow(newcomer.read_page(broken), place, shell))


def test_the_newcomer_reads_the_page_as_it_is(load: Any) -> None:
    newcomer = load("newcomer")
    blocks = newcomer.read_page(newcomer.PAGE.read_text(encoding="utf-8"))
    assert [block.code.rstrip("\n") for block in blocks if block.language == "python"] == sources("first_hour", "code")
    shell = [block.code for block in blocks if block.language == "sh"]
    assert "pip install" in shell[0] and "understudy play" in shell[-1] and blocks[0].language == "sh"


def test_the_newcomer_explains_itself() -> None:
    told = subprocess.run(
        [sys.executable, EXAMPLES / "newcomer.py", "--help"], capture_output=True, text=True, check=True
    )
    assert "--installed" in told.stdout
