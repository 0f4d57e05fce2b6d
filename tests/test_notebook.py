"""The notebook of the first hour runs from top to bottom in an empty folder, and its page in the docs is the same."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[1]
NOTEBOOK = ROOT / "examples" / "first_hour.ipynb"


def sources(kind: str) -> list[str]:
    cells = json.loads(NOTEBOOK.read_text(encoding="utf-8"))["cells"]
    return ["".join(cell["source"]) for cell in cells if cell["cell_type"] == kind]


def test_the_notebook_is_kept_without_outputs() -> None:
    cells = json.loads(NOTEBOOK.read_text(encoding="utf-8"))["cells"]
    assert not any(cell.get("outputs") or cell.get("execution_count") for cell in cells)


def test_the_page_in_the_docs_says_what_the_notebook_says() -> None:
    page = (ROOT / "docs" / "first_hour.md").read_text(encoding="utf-8")
    assert re.findall(r"```python\n(.*?)\n```", page, re.DOTALL) == sources("code")
    assert all(text in page for text in sources("markdown"))


def test_the_notebook_runs_and_shows_boards_thoughts_and_verdicts(tmp_path: Path) -> None:
    nbclient, nbformat = pytest.importorskip("nbclient"), pytest.importorskip("nbformat")
    pytest.importorskip("ipykernel")
    notebook = nbformat.read(NOTEBOOK, as_version=4)
    shorten(notebook)
    nbclient.NotebookClient(notebook, timeout=None, resources={"metadata": {"path": str(tmp_path)}}).execute()
    shown = [output.get("data", {}) for cell in notebook.cells for output in cell.get("outputs", [])]
    pictures = [data for data in shown if "image/svg+xml" in data or "image/png" in data]
    pages = [data["text/html"] for data in shown if "text/html" in data]
    assert len(pictures) >= 2 and len(pages) >= 6
    assert any("of its mind is on moves that the rules forbid" in page for page in pages)
    assert any("legality.whole" in page for page in pages)


def shorten(notebook: Any) -> None:
    """Make the training a small part of what it is: that it runs is what is tested here."""
    for cell in notebook.cells:
        cell.source = re.sub(r"(watch\.\w+=)\d+", r"\g<1>20", cell.source).replace("epochs=25", "epochs=2")
