"""Run notebooks and write them down as docs/NAME.md: `python examples/make_page.py [NAME...]`, all unless told."""

from __future__ import annotations

import base64
import sys
import tempfile
from pathlib import Path
from typing import Any

import nbclient
import nbformat

HERE = Path(__file__).parent
DOCS = HERE.parent / "docs"
TO_DOCS = "](../docs/"
"""How a notebook links to a page, beside which its own page stands."""
MOST_LINES = 24
"""Lines of an output that a page shows."""


def main() -> None:
    """Write the pages of the notebooks that the command line names."""
    for name in sys.argv[1:] or sorted(path.stem for path in HERE.glob("*.ipynb")):
        make_page(name)


def make_page(name: str) -> None:
    """Execute all cells in an empty folder, then write the page and its pictures."""
    notebook = nbformat.read(HERE / f"{name}.ipynb", as_version=4)
    with tempfile.TemporaryDirectory() as folder:
        nbclient.NotebookClient(notebook, timeout=None, resources={"metadata": {"path": folder}}).execute()
    parts = [part for number, cell in enumerate(notebook.cells) for part in write_cell(cell, f"{name}_{number}")]
    made = f"run and written down by `python examples/make_page.py {name}`"
    note = f"_This page is [a notebook](../examples/{name}.ipynb), {made}._"
    (DOCS / f"{name}.md").write_text("\n\n".join([parts[0], note, *parts[1:]]) + "\n", encoding="utf-8")


def write_cell(cell: Any, picture: str) -> list[str]:
    """Return a cell as paragraphs of Markdown."""
    if cell.cell_type == "markdown":
        return [cell.source.replace(TO_DOCS, "](")]
    pictured = cell.metadata.get("picture", "what the cell shows")
    shown = [write_output(output.get("data", {}), picture, pictured) for output in cell.outputs]
    return [f"```python\n{cell.source}\n```", *(text for text in shown if text)]


def write_output(data: Any, picture: str, pictured: str) -> str:
    """Return what a cell gave: a picture, of which *pictured* tells, as a file beside the page; all else as text."""
    for kind, suffix in (("image/svg+xml", "svg"), ("image/png", "png")):
        if kind in data:
            path = DOCS / "pictures" / f"{picture}.{suffix}"
            path.parent.mkdir(exist_ok=True)
            content = data[kind] if suffix == "svg" else base64.b64decode(data[kind])
            path.write_bytes(content.encode() if isinstance(content, str) else content)
            return f"![{pictured}](pictures/{path.name})"
    lines = data.get("text/plain", "").splitlines()
    if not lines or lines[0].startswith(("<", "Film(")):
        return "_(shown in the notebook)_" if lines else ""
    more = [f"... and {len(lines) - MOST_LINES} lines more"] if len(lines) > MOST_LINES else []
    return "```\n" + "\n".join(lines[:MOST_LINES] + more) + "\n```"


if __name__ == "__main__":
    main()
