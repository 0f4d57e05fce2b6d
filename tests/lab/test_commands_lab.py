"""Every command of the lab on every kind of experiment: it works, or it refuses in one sentence; never a traceback."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from tests.tiny import IMITATIONS, STANDINGS, TINY, changed, save_material_table, tiny
from understudy import lab
from understudy.cli import main
from understudy.config import write_toml
from understudy.errors import FileError
from understudy.lab.experiments import KINDS
from understudy.locks import locked

COMMANDS = ("watch", "train", "run", "report", "tune")

SMALLER: dict[str, dict[str, Any]] = {
    "imitation": {
        "watch__regular": 6, "watch__ply_limit": 20, "training__epochs": 1, "judging__states_count": 40,
        "judging__games": 2, "variations": {"FTR": {}},
    },
    "evaluators": {
        "evaluators__names": "q", "evaluators__robin": "qr", "evaluators__games": 4, "evaluators__robin_games": 4,
        "evaluators__depths": [1],
    },
    "online": {"training__games": 200, "training__repeats": 1, "judging__games": 4, "judging__snapshot_games": 4},
    "values": {"training__epochs": 1, "judging__games": 4, "judging__value_kept": 50},
    "evolution": {
        "trainer__generations": 1, "judging__baselines": [], "judging__matches": 2,
        "variations": {"strategy": {"trainer": {"kind": "strategy"}}},
    },
    "offline": {"sampling__games": 60, "training__cycles": 1, "judging__games": 4},
    "labels": {"training__epochs": 1, "variations": {"standings": STANDINGS}},
    "series": {},
}  # fmt: skip
"""What makes the tiny experiments tinier still: nothing need be learned here."""

OTHERS = ("konane", "lines_of_action", "chess")
"""Games besides the first whose moves are imitated."""
for game in OTHERS:
    SMALLER[f"imitation of {game}"] = {
        "watch__regular": 6, "watch__ply_limit": 20, "judging__states_count": 20,
        "variations": {"one": next(iter(IMITATIONS[game]["variations"].values()))},
    }  # fmt: skip

OTHERWISE = {
    "imitation": ("training.epochs=2", "watch.seed=5"),
    "imitation of konane": ("training.epochs=2", "experiment.size=4x4"),
    "imitation of lines_of_action": ("student.order=TF", "experiment.size=6x6"),
    "imitation of chess": ("training.epochs=2", "watch.seed=5"),
    "evaluators": ("evaluators.seed=4", "experiment.size=6x6"),
    "online": ("training.rate=0.2", "experiment.size=6x6"),
    "values": ("network.hidden=[16]", "experiment.size=6x6"),
    "evolution": ("trainer.seed=5", "experiment.size=5x5"),
    "offline": ("network.hidden=[3]", "experiment.size=6x6"),
    "labels": ("training.batch=32", "positions.most=200"),
    "series": ("cells.watched.training.epochs=2", "cells.met.evaluators.seed=4"),
}
"""Settings that do not go with what a folder holds: of learning or playing, and of what all of a run is about."""


def refusal(command: str, kind: str) -> str | None:
    """Return what a command says to a kind of experiment that it is not for; None if it is."""
    if kind.startswith("imitation"):
        return None
    if command == "watch":
        return f"experiment 'tiny' has no teacher to watch: one of the kind '{kind}' keeps no records"
    if command == "tune":
        return "experiment 'tiny' cannot be tuned: only those of the kind 'imitation' can"
    if command == "train" and kind in ("evaluators", "series"):
        return "nobody learns in experiment 'tiny': `understudy run` does all of it"
    return None


class Bench(NamedTuple):
    """An experiment file, its run folder, and the command line."""

    folder: Path
    monkeypatch: pytest.MonkeyPatch
    capsys: pytest.CaptureFixture[str]

    @property
    def run(self) -> Path:
        return self.folder / "run"

    def call(self, command: str, *changes: str) -> str | None:
        """Do a command; return its one sentence if it refuses, None if it works."""
        arguments = [str(self.run)] if command == "report" else [str(self.folder / "tiny.toml"), "--run", str(self.run)]
        arguments += ["--trials", "1"] if command == "tune" else []
        arguments += [word for change in changes for word in ("--set", change)]
        self.monkeypatch.setattr(sys, "argv", ["understudy", command, *arguments])
        try:
            main()
        except SystemExit as end:
            told = [line for line in self.capsys.readouterr().err.splitlines() if line.strip()]
            assert end.code == 2 and told[-1].startswith("understudy: ")
            assert not any("Traceback" in line for line in told)
            return told[-1].removeprefix("understudy: ")
        self.capsys.readouterr()
        return None

    def held(self) -> dict[str, bytes | None]:
        """Return every byte of the run folder; of a folder in it there is only that it is there."""
        found = sorted(self.run.rglob("*"))
        return {str(path.relative_to(self.run)): path.read_bytes() if path.is_file() else None for path in found}

    def trained(self) -> dict[str, bytes | None]:
        """Return every byte that was learned."""
        return {name: held for name, held in self.held().items() if name.endswith((".onnx", ".safetensors"))}


def make_bench(kind: str, folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Bench:
    changes, game = dict(SMALLER[kind]), kind.removeprefix("imitation of ")
    variations = changes.pop("variations", None)
    settings = changed(IMITATIONS[game] if game in OTHERS else TINY[kind], **changes)
    if variations:
        settings["variations"] = variations
    (folder / "tiny.toml").write_text(write_toml(settings))
    if kind == "labels":
        save_material_table(folder / "table.parquet")
    return Bench(folder, monkeypatch, capsys)


@pytest.mark.parametrize("kind", [*KINDS, *(f"imitation of {game}" for game in OTHERS)])
def test_every_command_on_every_kind(
    kind: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    bench = make_bench(kind, tmp_path, monkeypatch, capsys)
    assert "is not a run folder" in (bench.call("report") or "")
    for command in COMMANDS:
        before = bench.held()
        assert bench.call(command) == refusal(command, kind), command
        assert refusal(command, kind) is None or bench.held() == before, command
    assert (bench.run / "report.html").exists()
    assert len({path.stat().st_mode for path in bench.run.rglob("*") if path.is_file()}) == 1, "all may be read alike"
    learned = bench.trained()
    for command in COMMANDS:
        assert bench.call(command) == refusal(command, kind), f"{command} once more"
    assert bench.trained() == learned, "what was done is not done again"
    before = bench.held()
    for change in OTHERWISE[kind]:
        for command in ("watch", "train", "run", "tune"):
            assert bench.call(command, change) is not None, f"{command} with {change}"
            assert bench.held() == before, f"{command} with {change} is refused and changes nothing"


def test_a_second_process_is_told_that_a_run_folder_is_taken(tmp_path: Path) -> None:
    experiment = tiny("evaluators")
    code = "import sys, time; from pathlib import Path; from understudy.locks import locked\n"
    code += "with locked(Path(sys.argv[1])):\n    print('locked', flush=True); sys.stdin.read()"
    folder = tmp_path / "run"
    folder.mkdir()
    with subprocess.Popen(
        [sys.executable, "-c", code, str(folder)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as other:
        assert other.stdout is not None and other.stdout.readline() == "locked\n"
        with pytest.raises(FileError, match=rf"another process \({other.pid}\) is at work on '{folder}'"):
            lab.run(experiment, folder)
        assert [path.name for path in folder.iterdir()] == ["lock"]
        other.kill()
    with pytest.raises(BlockingIOError, match="not about the lock"), locked(folder):
        raise BlockingIOError("not about the lock")
    assert lab.run(experiment, folder).exists()
