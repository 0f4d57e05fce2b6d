"""Experiments of the kind `imitation`: a teacher is watched, its records become examples, students imitate its moves.

`[network.to]`, `[training.remove]` and so on change a section for one part. All students of an experiment share its
records; `[variations.NAME]` changes keys such as `student.order = "FTR"` or `examples.split = "expanded"`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from understudy.config import build
from understudy.errors import BadOption, UnknownName
from understudy.fetch.sources import check_file, locate
from understudy.games import CompiledGame
from understudy.games.parts import order_places
from understudy.lab.settings import ABOUT_SECTIONS, About, board_of, built, check_sections, fingerprint_of, variations
from understudy.networks import network_options
from understudy.networks.students import StudentOptions
from understudy.records.examples import SPLITS
from understudy.records.watch import Watch
from understudy.trainers.fitting import TrainingOptions, check_training

IMITATED = "morris"
PARTS = ("to", "from", "remove")
"""What is decided in turn in a move of the one game whose moves are imitated."""


@dataclass(frozen=True, kw_only=True)
class RecordsOptions:
    """The `[records]` section: files to learn from; without it the teacher of `[watch]` plays."""

    files: tuple[str, ...] = ()
    """Parquet or NNMM text; relative to the experiment file."""
    on_error: str = "refuse"
    """What a malformed line does: `refuse` the file, or be skipped and counted (`skip`)."""
    limit: int | None = None
    """Keep only the first so many records."""


@dataclass(frozen=True, kw_only=True)
class ExamplesOptions:
    """The `[examples]` section."""

    split: str = "orbit"
    """`orbit`: whole classes of symmetric positions on one side; `expanded`: the papers' leaking split."""
    seed: int = 0


@dataclass(frozen=True, kw_only=True)
class JudgingOptions:
    """The `[judging]` section."""

    states: str = ""
    """Positions without moves, for legality and reliability; `generate` makes them by random play."""
    states_count: int = 20_000
    """How many positions to generate, or to take from the file; 0 for all."""
    train_rows: int = 20_000
    """Training rows that are examined too, so that the gap to the test rows shows."""
    opponents: tuple[str, ...] = ("random",)
    """Whom the students play for the strict measure."""
    games: int = 0
    """Games against each of them; 0 for none."""
    gaming: int = 0
    """Games against each player of the stable; 0 for none."""
    glimpses: bool = True
    """Whether it is written down after each epoch what the student chooses in six positions."""


@dataclass(frozen=True, kw_only=True)
class Lesson:
    """How one student of an experiment learns: a variation, resolved."""

    name: str
    examples: ExamplesOptions
    student: StudentOptions
    networks: Mapping[str, Mapping[str, Any]]
    training: Mapping[str, TrainingOptions]
    settings: Mapping[str, Any]

    def fingerprint(self, unit: str = "") -> str:
        """Return what tells one training from another: all that changes what a unit, or the whole student, learns."""
        parts = (unit,) if unit in PARTS else PARTS
        chosen = [
            {name: self.settings.get(name, {}) for name in ("records", "watch", "examples", "student")}
            | sources_of(self.settings),
            {part: [self.networks[part], asdict(self.training[part])] for part in parts},
        ]
        return fingerprint_of(chosen, unit)


@dataclass(frozen=True, kw_only=True)
class Experiment:
    """A whole experiment file."""

    name: str
    about: About
    records: RecordsOptions
    watch: Watch | None
    judging: JudgingOptions
    lessons: tuple[Lesson, ...]
    paper: Mapping[str, Any] = field(default_factory=dict)
    """Published numbers to stand beside ours: section, column, measure."""
    tune: Mapping[str, Any] = field(default_factory=dict)
    settings: Mapping[str, Any] = field(default_factory=dict)
    folder: Path = Path()
    """Where relative paths start."""

    @property
    def game(self) -> CompiledGame:
        """The game on the experiment's board."""
        return board_of(self.about)


LEARNING = ("examples", "student", "network", "training")
SECTIONS = (*ABOUT_SECTIONS, "records", "watch", *LEARNING, "judging", "paper", "tune")


def make_experiment(name: str, settings: Mapping[str, Any], *, folder: Path) -> Experiment:
    """Return the experiment that *settings* describe; every key is checked here, before anything runs."""
    check_sections(settings, SECTIONS)
    about = built(About, settings, "experiment")
    _check_game(about)
    watch = build(Watch, settings["watch"], place="[watch]") if "watch" in settings else None
    records = built(RecordsOptions, settings, "records")
    if (watch is None) == (not records.files):
        raise BadOption(f"experiment {name!r} needs either [watch] or [records] files to learn from, one of them")
    return Experiment(
        name=name,
        about=about,
        records=records,
        watch=watch,
        judging=built(JudgingOptions, settings, "judging"),
        lessons=tuple(make_lesson_plan(*varied) for varied in variations(settings, LEARNING)),
        paper=settings.get("paper", {}),
        tune=settings.get("tune", {}),
        settings=settings,
        folder=folder,
    )


def _check_game(about: About) -> None:
    """Raise unless there are examples and networks for the moves of a game; its board must be there, too."""
    if board_of(about).name != IMITATED:
        raise BadOption(f"experiment.game: moves of {IMITATED} alone can be imitated so far, not of {about.game!r}")


def make_lesson_plan(name: str, settings: Mapping[str, Any]) -> Lesson:
    """Return one student's way to learn, checked."""
    examples = built(ExamplesOptions, settings, "examples")
    if examples.split not in SPLITS[1:]:
        raise UnknownName("examples.split", examples.split, SPLITS[1:])
    student = built(StudentOptions, settings, "student")
    order_places(PARTS, student.order)
    networks = {part: _for_part(settings.get("network", {}), part, "network") for part in PARTS}
    for chosen in networks.values():
        network_options(chosen)
    trainings = {part: _for_part(settings.get("training", {}), part, "training") for part in PARTS}
    training = {part: build(TrainingOptions, chosen, place="[training]") for part, chosen in trainings.items()}
    for options in training.values():
        check_training(options)
    return Lesson(
        name=name, examples=examples, student=student, networks=networks, training=training, settings=dict(settings)
    )


def _for_part(section: Mapping[str, Any], part: str, place: str) -> dict[str, Any]:
    """Return a section with the changes for one part made."""
    shared = {key: value for key, value in section.items() if not isinstance(value, dict)}
    for key, value in section.items():
        if isinstance(value, dict) and key not in PARTS:
            raise UnknownName(f"part in [{place}]", key, PARTS)
    return shared | dict(section.get(part, {}))


def data_file(experiment: Experiment, name: str) -> Path:
    """Return the path of a file that an experiment names."""
    return check_file(name, experiment.folder, needed_by=f"experiment {experiment.name!r}")


def sources_of(settings: Mapping[str, Any]) -> dict[str, Any]:
    """Return where records come from, which all students share; wherever files lie, their names are the same."""
    sources = {name: dict(table) for name, table in settings.items() if name in ("watch", "records")}
    if files := sources.get("records", {}).get("files"):
        sources["records"]["files"] = [locate(file, Path()).name for file in files]
    return sources
