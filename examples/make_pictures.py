"""Draw the pictures of the README: a student's thought, and how one learned. `python examples/make_pictures.py RUN`."""

from __future__ import annotations

import subprocess
import sys
import tempfile
from pathlib import Path

import matplotlib as mpl

import understudy as us
from understudy.lab.experiments import load_experiment
from understudy.results import Run

PICTURES = Path(__file__).parents[1] / "docs" / "pictures"
MOVES = "d2 f4 d6 b4 f6 b6 b2 f2 d5 d3 e4 c4".split()
"""Made up, so that the next move closes a mill and the student has a stone to take."""
QUIET = ("--headless", "--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-background-networking",
         "--disable-component-update", "--disable-sync", "--hide-scrollbars")  # fmt: skip
"""How a browser takes a picture without asking anybody anything."""


def main(folder: str) -> None:
    """Write both pictures; the curve is that of the run in *folder*."""
    draw_thought(PICTURES / "thought.png")
    draw_curve(folder, PICTURES / "learning.svg")


def draw_thought(path: Path) -> None:
    """Write what the student of Nine Men's Morris thinks as a picture, by way of Chromium."""
    morris = us.game("morris")
    thought = us.player("student:morris", morris).think(morris.start().play(*MOVES))
    with tempfile.TemporaryDirectory() as scratch:
        page = Path(scratch) / "page.html"
        page.write_text(f'<meta charset="utf-8"><body style="margin:8px">{thought._repr_html_()}', encoding="utf-8")
        size, shot = "--window-size=960,560", f"--screenshot={path}"
        folder = f"--user-data-dir={scratch}/profile"
        subprocess.run(["chromium", *QUIET, folder, size, shot, page.as_uri()], check=True, capture_output=True)


def draw_curve(folder: str, path: Path) -> None:
    """Write the curve of a run: the share of the teacher's moves that its student guesses."""
    mpl.use("Agg")
    import matplotlib.pyplot as plt

    rows = Run(load_experiment(Path(folder) / "experiment.toml"), Path(folder)).progress
    figure, axes = plt.subplots(figsize=(6, 3))
    for key, label in (("train_accuracy", "games it learns from"), ("validation_accuracy", "games it never saw")):
        axes.plot([row["epoch"] + 1 for row in rows], [100 * row[key] for row in rows], label=label)
    axes.set(xlabel="epoch", ylabel="moves as the teacher's, %")
    axes.grid(alpha=0.3)
    axes.legend(frameon=False)
    figure.savefig(path, bbox_inches="tight", metadata={"Date": None})


if __name__ == "__main__":
    main(*sys.argv[1:])
