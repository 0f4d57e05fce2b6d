"""Draw the curve of the README, how a student learned: `python examples/make_pictures.py RUN`."""

from __future__ import annotations

import sys
from pathlib import Path

import matplotlib as mpl

from understudy.lab.experiments import load_experiment
from understudy.results import Run

PICTURES = Path(__file__).parents[1] / "docs" / "pictures"


def main(folder: str) -> None:
    """Write the curve of the run in *folder*."""
    draw_curve(folder, PICTURES / "learning.svg")


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
