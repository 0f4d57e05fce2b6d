"""A student as it is while it still learns, written so that it can be played: `python -m understudy.lab.exporting RUN`.

A program of its own, because whoever asks is a server that has no PyTorch loaded and other people to answer.
"""

from __future__ import annotations

import sys
from pathlib import Path

from understudy.errors import BadOption, UnderstudyError
from understudy.lab.experiments import load_experiment

UNFINISHED = "unfinished"
"""The name of such a student in its run folder."""


def export_unfinished(folder: Path) -> tuple[str, int]:
    """Write the student of an imitation that was trained last, as its checkpoints have it; return name and epoch."""
    from understudy.lab.kinds.imitation import load_unfinished
    from understudy.lab.options.imitation import Experiment
    from understudy.networks.files import save_playing

    experiment = load_experiment(folder / "experiment.toml")
    if not isinstance(experiment, Experiment):
        raise BadOption(f"run {folder.name!r} does not imitate anybody: its student is written when it has learned")
    name, epoch, units, facts = load_unfinished(experiment, folder)
    save_playing(folder / f"student_{UNFINISHED}.onnx", units, facts)
    return name, epoch


def main() -> None:
    """Export the student of the run folder that the command line names, and say of which epoch it is."""
    try:
        name, epoch = export_unfinished(Path(sys.argv[1]))
    except UnderstudyError as error:
        print(error, file=sys.stderr)
        sys.exit(2)
    print(f"{name} {epoch}")


if __name__ == "__main__":
    main()
