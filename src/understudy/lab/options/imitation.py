"""Experiments of the kind `imitation`: a teacher is watched, its records become examples, students imitate its moves.

`[network.to]`, `[training.remove]` and so on change a section for one part of the game's moves. All students of an
experiment share its records; `[variations.NAME]` changes keys such as `student.order = "FTR"` or
`examples.split = "expanded"`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from understudy.config import LARGEST, build, check_range, shown
from understudy.errors import BadOption, UnknownName
from understudy.fetch.sources import check_file, locate
from understudy.games import CompiledGame
from understudy.games.layout import Encoder, find_encoder
from understudy.games.parts import order_places
from understudy.lab.settings import ABOUT_SECTIONS, About, board_of, built, check_sections, fingerprint_of, variations
from understudy.networks import check_student, network_options
from understudy.networks.students import StudentOptions
from understudy.papers import check_test
from understudy.records.examples import FOLDED, SPLITS, Examples, Fold, check_split, split_examples
from understudy.records.files import check_on_error
from understudy.records.people import HoldOut, check_hold_out
from understudy.records.store import Records
from understudy.records.watch import Watch
from understudy.trainers.fitting import TrainingOptions, check_training, training_facts


@dataclass(frozen=True, kw_only=True)
class RecordsOptions:
    """The `[records]` section: files to learn from; without it the teacher of `[watch]` plays."""

    files: tuple[str, ...] = ()
    """Parquet, NNMM text of Morris or PGN of chess; relative to the experiment file."""
    on_error: str = "refuse"
    """What a malformed line does: `refuse` the file, or be skipped and counted (`skip`)."""
    limit: int | None = None
    """Keep only the first so many records."""
    held_out_players: float = 0.0
    """Of PGN: the share of all players of whom nothing is learned, drawn by their names; for the split `people`."""
    held_out_from: int | None = None
    """Of PGN: the year from which on nothing is learned."""
    held_out_seed: int = 0
    """Which players are drawn."""
    share: float = 1.0
    """Of PGN with players held out: the share of games that are looked at, drawn by their moves."""

    @property
    def hold_out(self) -> HoldOut | None:
        """What is held out by player and year; None where nothing is."""
        if not self.held_out_players or self.held_out_from is None:
            return None
        return HoldOut(
            players=self.held_out_players, year=self.held_out_from, seed=self.held_out_seed, share=self.share
        )


@dataclass(frozen=True, kw_only=True)
class ExamplesOptions:
    """The `[examples]` section."""

    split: str = "orbit"
    """`orbit`: whole classes of symmetric positions on one side; `orbit_once`: the same with one record of each;
    `expanded`: the papers' leaking split; `people`: games of PGN held out by player and year."""
    seed: int = 0
    folds: int | None = None
    """Into how many equal parts the classes of the split `orbit` are cut; without it a tenth of them is tested on."""
    fold: int | None = None
    """Which of them is tested on, from 0; variations over it test every record once."""

    @property
    def chosen_fold(self) -> Fold | None:
        """The fold that is tested on; None where classes are not folded."""
        return None if self.folds is None or self.fold is None else Fold(self.fold, self.folds)


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
    gaming_beside: tuple[str, ...] = ()
    """Players who meet the stable beside the student, as it does, and the student itself; its teacher for example."""
    exam_games: int = 0
    """Games of the teacher that nobody learns from, the same however much was watched; 0 for no such exam."""
    baselines: tuple[str, ...] = ()
    """Players who stand beside the students in the table of test rows; `commonest` takes the legal move that training
    rows have most often."""
    all_rows: bool = False
    """Whether students are also asked on all rows, expanded as a paper's authors did, training rows included; and what
    these rows, and the states, are made of stands beside what the paper says of them."""
    beside: tuple[str, ...] = ()
    """Networks that learned elsewhere and are asked what students are, as `NAME = PLAYER`; files of theirs may lie in
    the folder of data (`nnmm:data:nnmm/TFR`). Who has no files here is left out."""
    glimpses: bool = True
    """Whether it is written down after each epoch what the student chooses in six positions."""


@dataclass(frozen=True, kw_only=True)
class Lesson:
    """How one student of an experiment learns: a variation, resolved."""

    name: str
    game: CompiledGame
    examples: ExamplesOptions
    student: StudentOptions
    networks: Mapping[str, Mapping[str, Any]]
    training: Mapping[str, TrainingOptions]
    settings: Mapping[str, Any]

    def fingerprint(self, unit: str = "") -> str:
        """Return what tells one training from another: all that changes what a unit, or the whole student, learns."""
        parts = (unit,) if unit in self.game.part_names else self.game.part_names
        chosen = [
            {name: self.settings.get(name, {}) for name in ("records", "watch", "examples", "student")}
            | sources_of(self.settings),
            {part: [self.networks[part], training_facts(self.training[part])] for part in parts},
        ]
        return fingerprint_of(chosen, unit)

    @property
    def order(self) -> tuple[int, ...]:
        """Which part each place of the student's order decides."""
        return order_places(self.game.part_names, self.student.order)

    @property
    def encoder(self) -> Encoder:
        """How the student sees positions."""
        return find_encoder(self.game, self.student.encoder)

    def split(self, records: Records) -> dict[str, Examples]:
        """Return the sides of records that this student learns from and is examined on."""
        chosen = self.examples
        return split_examples(records, split=chosen.split, seed=chosen.seed, fold=chosen.chosen_fold)

    def training_of(self, unit: str) -> TrainingOptions:
        """Return how a network learns: as its part says, one for whole moves as the first part does."""
        return self.training[unit if unit in self.training else self.game.part_names[0]]


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


MOST_FOLDS = 1000
"""More trainings of one experiment than anybody waits for."""
GENERATE = "generate"
"""The states that are made by random play."""
COMMONEST = "commonest"
"""The baseline that needs the training rows."""
LEARNING = ("examples", "student", "network", "training")
SECTIONS = (*ABOUT_SECTIONS, "records", "watch", *LEARNING, "judging", "paper", "tune")


def make_experiment(name: str, settings: Mapping[str, Any], *, folder: Path) -> Experiment:
    """Return the experiment that *settings* describe; every key is checked here, before anything runs."""
    check_sections(settings, SECTIONS)
    about = built(About, settings, "experiment")
    game = board_of(about)
    watch = build(Watch, settings["watch"], place="[watch]") if "watch" in settings else None
    records = built(RecordsOptions, settings, "records")
    if (watch is None) == (not records.files):
        raise BadOption(f"experiment {name!r} needs either [watch] or [records] files to learn from, one of them")
    check_on_error(records.on_error)
    check_range("records.limit", records.limit, 1, LARGEST - 1)
    _check_held_out(game, records)
    judging = built(JudgingOptions, settings, "judging")
    if judging.gaming:
        check_test("gaming", game.name, "judging.gaming")
    _check_judging(judging)
    _check_exam(judging, watch)
    lessons = tuple(make_lesson_plan(game, *varied) for varied in variations(settings, LEARNING))
    _check_splits(lessons, records)
    return Experiment(
        name=name,
        about=about,
        records=records,
        watch=watch,
        judging=judging,
        lessons=lessons,
        paper=settings.get("paper", {}),
        tune=settings.get("tune", {}),
        settings=settings,
        folder=folder,
    )


EXAM_SEED = 30_000_000
"""Of the games of an exam; whoever watches games of this seed would learn from the exam."""


def _check_judging(judging: JudgingOptions) -> None:
    """Raise unless every number about judging is one that it can be."""
    for name, low, high in (
        ("states_count", 0, 10**8), ("train_rows", 0, LARGEST - 1), ("games", 0, 10**7), ("gaming", 0, 10**7),
    ):  # fmt: skip
        check_range(f"judging.{name}", getattr(judging, name), low, high)
    if judging.states == GENERATE and not judging.states_count:
        raise BadOption("judging.states_count = 0: it says how many positions are to be generated")
    if judging.gaming % 2:
        raise BadOption(f"judging.gaming = {judging.gaming}: an even number of games is needed, half with each colour")
    if judging.gaming_beside and not judging.gaming:
        raise BadOption(f"judging.gaming_beside = {shown(list(judging.gaming_beside))} needs judging.gaming too")
    twice = [name for name in judging.gaming_beside if judging.gaming_beside.count(name) > 1]
    if twice:
        raise BadOption(f"judging.gaming_beside names {twice[0]!r} twice: once is enough")


def _check_exam(judging: JudgingOptions, watch: Watch | None) -> None:
    """Raise unless there can be an exam of fresh games, if one is wanted."""
    check_range("judging.exam_games", judging.exam_games, 0, 1_000_000)
    if judging.exam_games and watch is None:
        raise BadOption(
            f"judging.exam_games = {judging.exam_games}: the teacher of records in files cannot be asked for more games"
        )
    if judging.exam_games and watch is not None and watch.seed == EXAM_SEED:
        raise BadOption(f"watch.seed = {EXAM_SEED} is that of the exam's games: who watches them learns the answers")


def _check_held_out(game: CompiledGame, records: RecordsOptions) -> None:
    """Raise unless what is held out by player and year can be: both said, and files that tell who played and when."""
    options = ("held_out_players", "held_out_from", "held_out_seed", "share")
    chosen = [name for name in options if getattr(records, name) != getattr(RecordsOptions(), name)]
    if not chosen:
        return
    if records.hold_out is None:
        lacking = "held_out_from" if records.held_out_players else "held_out_players"
        raise BadOption(f"records.{chosen[0]} needs records.{lacking} too: games are held out by player and year")
    form = game.kind.load("text_files").FORMAT if game.kind.text_files else None
    if form is None or form.load_parted is None:
        raise BadOption(
            f"records.{chosen[0]}: players and years are held out of games in PGN, and {game.name} has none"
        )
    strange = [name for name in records.files if not form.fits(locate(name, Path()), b"")]
    if strange or not records.files:
        where = repr(strange[0]) if strange else "[watch]"
        raise BadOption(f"records.{chosen[0]}: players and years are held out of games in PGN, and {where} is not PGN")
    if records.limit is not None:
        raise BadOption("records.limit cuts a file off; with held-out players records.share draws from all games")
    check_hold_out(records.hold_out)


def _check_splits(lessons: Sequence[Lesson], records: RecordsOptions) -> None:
    """Raise unless games are held out where a student's split needs it, and used where they are."""
    for lesson in lessons:
        if (lesson.examples.split == "people") != (records.hold_out is not None):
            raise BadOption(
                "examples.split: 'people' goes with records.held_out_players and records.held_out_from, "
                f"and neither without the other, not {lesson.examples.split!r}"
            )


def make_lesson_plan(game: CompiledGame, name: str, settings: Mapping[str, Any]) -> Lesson:
    """Return one student's way to learn, checked."""
    examples = built(ExamplesOptions, settings, "examples")
    if examples.split not in SPLITS[1:]:
        raise UnknownName("examples.split", examples.split, SPLITS[1:])
    check_split(game, examples.split)
    check_range("examples.seed", examples.seed, 0, LARGEST - 1)
    _check_folds(examples)
    student = _settle(game, built(StudentOptions, settings, "student"))
    parts = game.part_names
    networks = {part: _for_part(settings.get("network", {}), part, parts, "network") for part in parts}
    check_student(game, student, [network_options(chosen) for chosen in networks.values()])
    trainings = {part: _for_part(settings.get("training", {}), part, parts, "training") for part in parts}
    training = {part: build(TrainingOptions, chosen, place="[training]") for part, chosen in trainings.items()}
    for options in training.values():
        check_training(options)
    return Lesson(
        name=name, game=game, examples=examples, student=student, networks=networks, training=training,
        settings=dict(settings),
    )  # fmt: skip


def _check_folds(examples: ExamplesOptions) -> None:
    """Raise unless there is neither fold nor folds, or both, of a split that can be folded."""
    if examples.folds is None and examples.fold is None:
        return
    if examples.folds is None or examples.fold is None:
        said, lacking = ("fold", "folds") if examples.folds is None else ("folds", "fold")
        raise BadOption(f"examples.{said} = {getattr(examples, said)} needs examples.{lacking} too")
    if examples.split not in FOLDED:
        fitting = " and ".join(map(repr, FOLDED))
        raise BadOption(f"examples.folds goes with the splits {fitting}, not {examples.split!r}")
    check_range("examples.folds", examples.folds, 2, MOST_FOLDS)
    check_range("examples.fold", examples.fold, 0, examples.folds - 1)


def _settle(game: CompiledGame, student: StudentOptions) -> StudentOptions:
    """Return the options of a student with what is not said put in: the game's own order and first encoder."""
    letters = "".join(part[0].upper() for part in game.part_names)
    encoder = find_encoder(game, student.encoder)
    return replace(student, order=student.order or letters, encoder=encoder.name)


def _for_part(section: Mapping[str, Any], part: str, parts: Sequence[str], place: str) -> dict[str, Any]:
    """Return a section with the changes for one part made."""
    shared = {key: value for key, value in section.items() if not isinstance(value, dict)}
    for key, value in section.items():
        if isinstance(value, dict) and key not in parts:
            raise UnknownName(f"part in [{place}]", key, parts)
    own = section.get(part, {})
    if not isinstance(own, dict):
        raise BadOption(f"{place}.{part} = {shown(own)} must be a section: [{place}.{part}] with keys below it")
    return {key: value for key, value in shared.items() if key != part} | own


def name_part_section(part: str, side: str) -> str:
    """Return the section of verdicts on one part alone."""
    return f"one part ({part}), {side} rows"


def data_file(experiment: Experiment, name: str) -> Path:
    """Return the path of a file that an experiment names."""
    return check_file(name, experiment.folder, needed_by=f"experiment {experiment.name!r}")


def sources_of(settings: Mapping[str, Any]) -> dict[str, Any]:
    """Return where records come from, which all students share; wherever files lie, their names are the same."""
    sources = {name: dict(table) for name, table in settings.items() if name in ("watch", "records")}
    if files := sources.get("records", {}).get("files"):
        sources["records"]["files"] = [locate(file, Path()).name for file in files]
    return sources
