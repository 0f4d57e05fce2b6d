"""What goes out about experiments, runs and studies, as types; like `messages`, which has what all answers share."""

from __future__ import annotations

from understudy.serve.answers import Answer, Place


class Knob(Answer, kw_only=True):
    """A setting of an experiment that a page may change."""

    key: str
    about: str
    value: int | None
    """What it is in the short form if nobody changes it; None where the experiment does not say."""
    whole: int | None
    """And what it is in the whole experiment."""
    least: int
    most: int


class ExperimentRow(Answer, kw_only=True):
    """An experiment that ships."""

    name: str
    title: str
    study: str
    kind: str
    game: str
    size: str
    description: str
    quick: bool
    quick_minutes: float | None
    minutes: float | None
    data: list[str]
    ready: bool
    knobs: list[Knob]


class Experiments(Answer, kw_only=True):
    """All experiments that ship."""

    experiments: list[ExperimentRow]


class RunRow(Answer, kw_only=True):
    """A run folder in the list of runs."""

    name: str
    title: str
    kind: str
    game: str
    size: str
    state: str
    """running, waiting, paused, done or stopped."""
    done: float
    note: str
    """What it is doing, in a few words."""
    updated: str
    student: str | None
    report: bool
    error: str | None
    curve: list[list[float]]
    """Its first curve in few points, for a small picture."""


class Runs(Answer, kw_only=True):
    """All runs of a folder, the newest first."""

    runs: list[RunRow]


class Task(Answer, kw_only=True):
    """A part of a run, and how far it is, from 0 to 1."""

    task: str
    done: float
    note: str


class CurveLine(Answer, kw_only=True):
    """One line of a chart."""

    name: str
    points: list[list[float]]


class PaperLine(Answer, kw_only=True):
    """What a paper printed, as a level across a chart."""

    name: str
    value: float


class Curve(Answer, kw_only=True):
    """A chart."""

    name: str
    axis: str
    unit: str
    """`share` where numbers go from 0 to 1."""
    lines: list[CurveLine]
    paper: list[PaperLine]
    note: str


class Scene(Place, kw_only=True):
    """A position that a student is shown again and again, and what its teacher chose in it."""

    teacher: str | None


class SeenChoice(Answer, kw_only=True):
    """What a student chose in a scene at one moment."""

    move: str
    legal: bool
    right: bool | None
    """Whether the teacher chose the same; None where there is no teacher."""
    share: float | None
    """How likely the student thought it."""
    value: float | None
    """Or the result that it expects, from -1 to 1."""
    illegal: float | None
    """How much of its mind was on what the rules forbid, at the part where that was most."""
    cells: list[str]
    picture: str


class Frame(Answer, kw_only=True):
    """One moment of a student."""

    label: str
    student: str
    at: int
    legal: float | None
    right: float | None
    choices: list[SeenChoice]


class SeenStudent(Answer, kw_only=True):
    """All moments of one student, in its scenes."""

    student: str
    scenes: list[Scene]
    frames: list[Frame]


class RunPlayer(Answer, kw_only=True):
    """A student of a run that can be played, with the generations that were kept of it."""

    player: str
    title: str
    generations: list[int]


class RunView(RunRow, kw_only=True):
    """All of a run that a page shows."""

    tasks: list[Task]
    toml: str
    curves: list[Curve]
    glimpses: list[SeenStudent]
    players: list[RunPlayer]
    can: list[str]
    """What may be asked of it: pause, go, student."""
    command: str
    """The line that does the same in a terminal."""


class PlayNow(Answer, kw_only=True):
    """A student as it is at this moment."""

    player: str
    title: str


class Toml(Answer, kw_only=True):
    """An experiment as its file has it."""

    text: str


class StudyRow(Answer, kw_only=True):
    """A paper in the list of studies."""

    name: str
    title: str
    authors: str
    year: int
    question: str
    game: str


class Studies(Answer, kw_only=True):
    """All studies."""

    studies: list[StudyRow]


class FigurePosition(Answer, kw_only=True):
    """A position to begin with."""

    name: str
    position: str


class Figure(Answer, kw_only=True):
    """A figure that can be touched: a board, and who thinks aloud about what stands on it."""

    game: str
    size: str | None
    player: str
    rival: str | None
    about: str
    positions: list[FigurePosition]


class StudyLine(Answer, kw_only=True):
    """Ours beside theirs."""

    who: str
    measure: str
    ours: float | None
    low: float | None
    high: float | None
    sample: int | None
    paper: float | None
    verdict: str
    share: bool


class StudyTable(Answer, kw_only=True):
    """Results of one experiment."""

    title: str
    note: str
    command: str
    rows: list[StudyLine]


class StudyCommand(Answer, kw_only=True):
    """How to do it again, and what that costs."""

    command: str
    about: str
    cost: str


class Study(StudyRow, kw_only=True):
    """All that a page shows of a paper."""

    reference: str
    story: list[str]
    figure: Figure | None
    tables: list[StudyTable]
    differences: list[str]
    commands: list[StudyCommand]
