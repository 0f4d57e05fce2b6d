"""What comes of matches, tournaments, runs and judges, as a person holds it: each shows itself as text and as HTML."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING, Any

from understudy.errors import BadOption, FileError
from understudy.faces import Game, Move, Player, Position
from understudy.sums import read_sound

if TYPE_CHECKING:
    import pandas
    import polars
    import pyarrow

    from understudy.judges.measures import Verdict
    from understudy.judges.tournament import Meeting, Standings
    from understudy.match import Played
    from understudy.records.store import Records as Rows


@dataclass(frozen=True, repr=False)
class Film:
    """A game as a small film of boards, in one piece of HTML that needs no other file."""

    html: str

    def save(self, path: str | Path) -> Path:
        """Write it as a page of its own."""
        from understudy.files import save_text

        page = f'<!doctype html><meta charset="utf-8"><meta name="viewport" content="width=device-width">{self.html}'
        save_text(Path(path), page)
        return Path(path)

    def __repr__(self) -> str:
        return "a film of a game; it shows itself in a notebook, and `save` writes it as a page"

    def _repr_html_(self) -> str:
        return self.html


@dataclass(frozen=True)
class PlayedGame:
    """One finished game."""

    game: Game
    players: tuple[str, str]
    """Who had the first colour, and who the second."""
    played: Played

    @property
    def result(self) -> str:
        """Who won, in words."""
        side = {1: 0, -1: 1}.get(self.played.result)
        return "draw" if side is None else f"{self.game.colours[side]} wins"

    @property
    def reason(self) -> str:
        """Why it ended."""
        return self.played.reason

    @cached_property
    def positions(self) -> list[Position]:
        """All positions from the first to the last."""
        start = self.game.start() if self.played.start is None else Position(self.game, self.played.start)
        positions = [start]
        for code in self.played.moves:
            positions.append(positions[-1].play(Move(positions[-1], code)))
        return positions

    @property
    def moves(self) -> list[Move]:
        """All moves."""
        return [position.last for position in self.positions if position.last is not None]

    def show(self) -> Film:
        """Return the game as a small film of boards."""
        from understudy.pictures import picture_game

        return Film(picture_game(self.game.compiled, self.played, title=" - ".join(self.players)))

    def __len__(self) -> int:
        return len(self.played.moves)

    def __repr__(self) -> str:
        moves = " ".join(map(str, self.moves))
        return f"{' - '.join(self.players)}: {self.result} after {len(self)} plies ({self.reason})\n{moves}"

    def _repr_html_(self) -> str:
        return self.show().html


class Match(Sequence[PlayedGame]):
    """The games of two players, told from the first one's side."""

    def __init__(self, game: Game, meeting: Meeting) -> None:
        self.game, self.meeting = game, meeting

    @property
    def players(self) -> tuple[str, str]:
        """Who met."""
        return self.meeting.players

    @property
    def score(self) -> tuple[int, int, int]:
        """Wins, draws and losses of the first player."""
        return self.meeting.score()

    @property
    def points(self) -> float:
        """What the first player scored; a draw is half a point."""
        wins, draws, _ = self.score
        return wins + draws / 2

    def to_json(self) -> dict[str, Any]:
        """Return all of it for programs."""
        from understudy.judges.tables import meeting_json

        return meeting_json(self.game.compiled, self.meeting)

    def __len__(self) -> int:
        return len(self.meeting.games)

    def __getitem__(self, place: Any) -> Any:
        if isinstance(place, slice):
            return [self[at] for at in range(*place.indices(len(self)))]
        played, at = self.meeting.games[place], range(len(self))[place]
        first, second = self.players if at % 2 == 0 else self.players[::-1]
        return PlayedGame(self.game, (first, second), played)

    def __repr__(self) -> str:
        from understudy.judges.tables import meeting_text

        return meeting_text(self.meeting)

    def _repr_html_(self) -> str:
        from understudy.pictures import picture_table

        rows: list[list[str | int]] = [[at + 1, *played.players, played.result, played.reason, len(played)]
                for at, played in enumerate(self)]  # fmt: skip
        first, second = self.game.colours
        table = picture_table(["game", first, second, "result", "reason", "plies"], rows)
        return f"<p>{'<br>'.join(escape(line) for line in repr(self).splitlines())}</p>{table}"


class Tournament:
    """A finished round robin."""

    def __init__(self, game: Game, standings: Standings) -> None:
        self.game, self.standings = game, standings

    @property
    def table(self) -> list[dict[str, Any]]:
        """A row for each player, best first: points, results by side, Elo with its interval, points against each."""
        from understudy.judges.tables import table_rows

        return table_rows(self.standings)

    @property
    def matches(self) -> list[Match]:
        """Who met whom, game by game."""
        return [Match(self.game, meeting) for meeting in self.standings.meetings]

    def to_json(self) -> dict[str, Any]:
        """Return all of it for programs."""
        from understudy.judges.tables import standings_json

        return standings_json(self.game.compiled, self.standings)

    def __repr__(self) -> str:
        from understudy.judges.tables import standings_text

        return standings_text(self.game.compiled, self.standings)

    def _repr_html_(self) -> str:
        from understudy.pictures import picture_table

        rows = self.table
        lines = [[at + 1, row["player"], *(row["against"].get(other["player"], "·") for other in rows), row["points"],
                  row["games"], row["different"],
                  f"{row['elo']:+.0f} ({row['elo_low']:+.0f} to {row['elo_high']:+.0f})"]
                 for at, row in enumerate(rows)]  # fmt: skip
        headings = ["", "player", *map(str, range(1, len(rows) + 1)), "points", "games", "different",
                    "Elo, 95 % interval"]  # fmt: skip
        return picture_table(headings, lines, caption=f"{self.game.title}: points against each")


class Records(Sequence[tuple[Position, "Move | None"]]):
    """What was played: positions, with the move that was chosen in each."""

    def __init__(self, rows: Rows) -> None:
        self.rows, self.game = rows, Game(rows.game)

    def to_arrow(self) -> pyarrow.Table:
        """Return the columns position, move, value, result, game, ply and source as an Arrow table."""
        from understudy.records.store import make_table

        return make_table(self.rows, {})

    def to_pandas(self) -> pandas.DataFrame:
        """Return the same as a frame of pandas, which must be installed."""
        _need("pandas")
        return self.to_arrow().to_pandas()

    def to_polars(self) -> polars.DataFrame:
        """Return the same as a frame of Polars, which must be installed."""
        frame: polars.DataFrame = _need("polars").from_arrow(self.to_arrow())
        return frame

    def __len__(self) -> int:
        return len(self.rows)

    def __getitem__(self, place: Any) -> Any:
        from understudy.games.batches import NO_MOVE, unstacked

        rows = self.rows.taken(place if isinstance(place, slice) else [range(len(self))[place]])
        positions = [Position(self.game, raw) for raw in unstacked(rows.positions)]
        pairs = [(position, None if code == NO_MOVE else Move(position, code))
                 for position, code in zip(positions, rows.moves.tolist(), strict=True)]  # fmt: skip
        return pairs if isinstance(place, slice) else pairs[0]

    def __repr__(self) -> str:
        games = len(set(self.rows.games.tolist()))
        return f"{len(self)} records of {games} games of {self.game!r}"

    def _repr_html_(self) -> str:
        from understudy.pictures import picture_table

        rows = [[position.text, "" if move is None else move.text] for position, move in self[:5]]
        return picture_table(["position", "move"], rows, caption=f"{self!r}; the first five")


def _need(package: str) -> Any:
    from importlib import import_module

    try:
        return import_module(package)
    except ModuleNotFoundError:
        raise BadOption(f"this needs {package}, which is not installed: pip install {package}") from None


class Verdicts(Mapping[str, "Verdict"]):
    """What judges say of players: measures with their 95 % intervals."""

    def __init__(self, verdicts: Mapping[str, Verdict]) -> None:
        self.verdicts = dict(verdicts)

    def to_json(self) -> dict[str, Any]:
        """Return all of it for programs."""
        from understudy.judges.measures import write_verdict

        return {name: write_verdict(verdict) for name, verdict in self.verdicts.items()}

    def __getitem__(self, player: str) -> Verdict:
        return self.verdicts[player]

    def __iter__(self) -> Iterator[str]:
        return iter(self.verdicts)

    def __len__(self) -> int:
        return len(self.verdicts)

    def _rows(self) -> list[list[str]]:
        names = list(dict.fromkeys(name for verdict in self.verdicts.values() for name in verdict))
        return [[name, *(_cell(verdict, name) for verdict in self.verdicts.values())] for name in names]

    def __repr__(self) -> str:
        lines = [["", *self.verdicts], *self._rows()]
        widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
        return "\n".join("  ".join(f"{cell:<{width}}" for cell, width in zip(line, widths, strict=True)).rstrip()
                         for line in lines)  # fmt: skip

    def _repr_html_(self) -> str:
        from understudy.pictures import picture_table

        return picture_table(["", *self.verdicts], self._rows(), caption="shares with their 95 % intervals")


def _cell(verdict: Verdict, name: str) -> str:
    measure = verdict.get(name)
    if measure is None or measure.value is None:
        return "-"
    return f"{measure.value:.2%} ({measure.low:.2%} to {measure.high:.2%})"


@dataclass(frozen=True)
class Run:
    """An experiment that was done: what its folder holds."""

    experiment: Any
    folder: Path

    @property
    def report(self) -> Report:
        """The report, which shows itself in a notebook."""
        path = self.folder / "report.html"
        if not path.exists():
            raise FileError(f"run folder {str(self.folder)!r} has no report yet")
        return Report(path)

    @property
    def summary(self) -> list[str]:
        """The few lines that a person looks for first."""
        from understudy import lab

        return lab.summary(self.experiment, self.folder)

    @property
    def verdicts(self) -> dict[str, Verdicts]:
        """What the judges said of each student, by what was judged; nothing where nobody judged positions."""
        from understudy.files import load_json
        from understudy.judges.measures import Measure

        path = self.folder / "verdicts.json"
        sections = load_json(path) if path.exists() else {}
        return {
            section: Verdicts({
                name: {measure: Measure(**data) for measure, data in verdict.items()}
                for name, verdict in verdicts.items()
            })
            for section, verdicts in sections.items()
        }  # fmt: skip

    @property
    def progress(self) -> list[dict[str, Any]]:
        """What was written down while it learned, a row for each epoch, generation or snapshot."""
        path = self.folder / "progress.jsonl"
        lines = path.read_bytes().splitlines() if path.exists() else []
        return [row for line in lines if isinstance(row := read_sound(line, path), dict)]  # a kill may leave half one

    @property
    def records(self) -> Records:
        """What the teacher played."""
        from understudy.records.store import load

        path = self.folder / "records.parquet"
        if not path.exists():
            raise FileError(f"run folder {str(self.folder)!r} has no records: its experiment watches nobody")
        return Records(load(path))

    @property
    def student(self) -> Player:
        """The student that the run is known for, ready to play."""
        return Player(f"student:{self.folder}", Game(self.experiment.game))

    def __repr__(self) -> str:
        return "\n".join([f"{self.experiment.name}, in {self.folder}", *self.summary])

    def _repr_html_(self) -> str:
        lines = "".join(f"<li>{escape(line)}</li>" for line in self.summary)
        return f"<p><b>{escape(self.experiment.name)}</b>, in {escape(str(self.folder))}</p><ul>{lines}</ul>"


@dataclass(frozen=True)
class Report:
    """A report as a page."""

    path: Path

    def __fspath__(self) -> str:
        return str(self.path)

    def __str__(self) -> str:
        return str(self.path)

    def _repr_html_(self) -> str:
        page = escape(self.path.read_text(encoding="utf-8"), quote=True)
        return (
            f'<iframe srcdoc="{page}" style="width:100%;height:36rem;border:1px solid #8884" title="report"></iframe>'
        )
