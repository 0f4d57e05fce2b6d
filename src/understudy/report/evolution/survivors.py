"""The sections on who survives: who persists from epoch to epoch, and what the champions reach in the end."""

from __future__ import annotations

import re
from collections.abc import Mapping
from itertools import pairwise
from pathlib import Path
from statistics import mean, median

from understudy.errors import FileError
from understudy.judges.duels import Score, read_score
from understudy.judges.measures import share
from understudy.judges.scores import VIEWS, Matches, Record, records, spreads
from understudy.judges.selection import Persistence, eliminations, persistence, prints, survival
from understudy.report.blocks import Block, Cell, Section, Table, Text, cells, measured, number, percent
from understudy.report.evolution.course import generations_of
from understudy.report.evolution.monitors import EPOCH
from understudy.report.evolution.published import STUDENT, PublishedEvolution, PublishedMatches, PublishedRobin
from understudy.report.evolution.tallies import averaged, record_text
from understudy.report.sources import Run
from understudy.tensors import load_arrays

NAME = re.compile(r"(?P<student>.+)_(?P<generation>[0-9]{5,})\.safetensors")


def epoch_files(folder: Path) -> dict[str, dict[int, Path]]:
    """Return the files of all individuals of epochs, by student and generation, ascending."""
    files: dict[str, dict[int, Path]] = {}
    for path in sorted(folder.glob("*.safetensors")) if folder.is_dir() else ():
        if match := NAME.fullmatch(path.name):
            files.setdefault(match["student"], {})[int(match["generation"])] = path
    return {student: dict(sorted(paths.items())) for student, paths in files.items()}


def load_prints(path: Path) -> tuple[bytes, ...]:
    """Return the fingerprints of all individuals in a file of an epoch."""
    arrays, _ = load_arrays(path, "individuals")
    if "weights" not in arrays or arrays["weights"].ndim != 2:
        raise FileError(f"file {str(path)!r} does not hold the weights of individuals, a row each")
    return prints(arrays["weights"])


def persisting(run: Run) -> dict[str, Persistence]:
    """Return who persists among each student's epochs, where there are two."""
    files = epoch_files(run.folder / "epochs")
    ordered = dict.fromkeys([*(student for student in generations_of(run) if student in files), *files])
    return {
        student: persistence(load_prints(path) for path in files[student].values())
        for student in ordered
        if len(files[student]) > 1
    }


def selection_section(run: Run, persists: Mapping[str, Persistence]) -> Section | None:
    """Tell who persists, and beside a paper what arithmetic says of its knock-outs."""
    if not persists:
        return None
    paper = run.beside(PublishedEvolution)
    reckoned = (_survival(paper), *_robin(paper.robin, paper.source)) if paper is not None else ()
    return Section("Selection", (_persistence(run, persists, paper), *reckoned))


def _persistence(run: Run, persists: Mapping[str, Persistence], paper: PublishedEvolution | None) -> Table:
    expected = _expected(run)
    rows = [_row(student, one, expected.get(student, "–")) for student, one in persists.items()]
    if paper is not None:
        there = paper.persistence
        twice = 2 * (Cell(str(there.again), percent(there.again / there.individuals)),)
        heads = cells(paper.source, str(there.epochs), number(there.individuals))
        rows.append((*heads, *twice, *cells(str(there.longest), "–")))
    columns = cells(
        "student", "epochs", "individuals", "in the next epoch", "in any later one", "longest stay", "expected"
    )
    caption = (
        "Individuals found again, weight for weight; those of the last epoch are not counted. Longest stay: in epochs. "
        "Expected in the next epoch: if all old ones were alike, from how many of the survivors are old."
    )
    return Table(columns, tuple(rows), caption, dense=True)


def _row(student: str, one: Persistence, expected: str) -> tuple[Cell, ...]:
    again = [Cell(number(count), _share(count, one.individuals)) for count in (one.following, one.later)]
    return *cells(student, number(one.epochs), number(one.individuals)), *again, *cells(number(one.longest), expected)


def _share(hits: int, sample: int) -> str:
    cell = measured(share(hits, sample)._asdict(), decimals=2)
    return f"{cell.text} {cell.aside}"


def _expected(run: Run) -> dict[str, str]:
    """Return the chance that an individual outlives an epoch, from how many of the survivors are old ones."""
    files = epoch_files(run.folder / "epochs")
    chances = {}
    for student, lines in generations_of(run).items():
        births = (line.get("births") for line in lines)
        old = [one["old"] for one in births if isinstance(one, Mapping) and isinstance(one.get("old"), int | float)]
        steps = [after - before for before, after in pairwise(files.get(student, ()))]
        if old and steps:
            chances[student] = _small(mean(old) ** median(steps))
    return chances


def _small(chance: float) -> str:
    return percent(chance, 2) if chance >= 0.0001 else f"{chance:.1e}"


def _survival(paper: PublishedEvolution) -> Table:
    rows = [
        cells(f"beats {percent(beaten, 0)} of the others", f"{matches} matches: {what}",
              _small(survival(beaten, matches)), printed)
        for beaten, matches, printed, what in (*paper.survival, (0.5, 20, "–", "an epoch of ten generations"))
    ]  # fmt: skip
    caption = "The chance to survive knock-outs, each of which takes two matches won."
    return Table(cells("individual", "must win", "chance", paper.source), tuple(rows), caption)


OUTCOMES = (
    "the winner of the knock-out wins all three",
    "it is first by the match between equals",
    "another is first by that match",
    "three beat each other in a circle",
)
"""What becomes of the winner of a knock-out if the four meet each other, in the order of `eliminations`."""


def _robin(printed: PublishedRobin, source: str) -> tuple[Text, Table]:
    """Count all 64 outcomes of four players."""
    counts = eliminations()
    rows = tuple(
        cells(what, number(count), percent(count / counts.outcomes), there)
        for what, count, there in zip(OUTCOMES, counts, printed.shares, strict=True)
    )
    text = (
        f"A round robin of four names another winner than the knock-out in {percent(float(counts.by_lot))} of outcomes "
        f"if circles are decided by lot, and only on tie-break; in {percent(counts.another / counts.outcomes)} to "
        f"{percent(float(counts.most))} as they are decided otherwise. {printed.note}"
    )
    columns = cells(f"round robin of four ({printed.place})", "outcomes", "share", source)
    return Text(text), Table(columns, rows, "All outcomes of six matches between four equal players.")


def champions_section(run: Run) -> Section | None:
    """Tell whom the champions beat, opponent by opponent, in single games and in matches of two."""
    games, matches = _games_of(run), _matches_of(run)
    paper = run.beside(PublishedEvolution) if _reached(run) else None
    blocks: list[Block] = []
    for opponent in dict.fromkeys([*games, *matches]):
        there = paper.between(STUDENT, opponent) if paper is not None else None
        printed = {paper.source: there} if paper is not None and there is not None else {}
        if opponent in games:
            blocks.append(_game_table(opponent, games[opponent], printed))
        if opponent in matches:
            blocks.append(_match_table(opponent, matches[opponent], printed))
    return Section("Champions", tuple(blocks)) if blocks else None


def _reached(run: Run) -> bool:
    """Tell whether anybody evolved as far as the first epoch, from which on published numbers are."""
    return any(lines[-1]["generation"] >= EPOCH for lines in generations_of(run).values())


def _games_of(run: Run) -> dict[str, dict[str, Score]]:
    """Return the games by opponent and champion."""
    games: dict[str, dict[str, Score]] = {}
    for student, sets in run.games.items():
        for which, met in sets.items():
            for opponent, counts in met.items():
                name = student if len(sets) == 1 else f"{student}, {which}"
                games.setdefault(opponent, {})[name] = read_score(counts)
    return games


def _matches_of(run: Run) -> dict[str, dict[str, Matches]]:
    """Return the matches by opponent and champion."""
    played: dict[str, dict[str, Matches]] = {}
    for student, opponents in run.matches.items():
        for opponent, matches in opponents.items():
            if matches.played:
                played.setdefault(opponent, {})[student] = matches
    return played


def _game_table(opponent: str, games: Mapping[str, Score], printed: Mapping[str, PublishedMatches]) -> Table:
    rows = [(Cell(name), *_game_cells(score)) for name, score in games.items()]
    for source, there in printed.items():
        if there.records:
            whole, white, black, _ = (there.records[view] for view in VIEWS)
            rows.append((Cell(source), *_shares(whole, black, white)))
    caption = f"Games against {opponent}, won of all, with 95 % intervals; points count ties half.{_whose(printed)}"
    return Table(cells("champion", "won-lost-tied", "won", "as Black", "as White", "points"), tuple(rows), caption)


def _game_cells(score: Score) -> tuple[Cell, ...]:
    black, white = (Record(won, lost, tied) for lost, tied, won in score)
    return _shares(Record(*(one + other for one, other in zip(black, white, strict=True))), black, white)


def _shares(whole: Record, black: Record, white: Record) -> tuple[Cell, ...]:
    measures = (whole.victories(), black.victories(), white.victories(), whole.points())
    return Cell(record_text(whole)), *(measured(measure._asdict()) for measure in measures)


def _match_table(opponent: str, matches: Mapping[str, Matches], printed: Mapping[str, PublishedMatches]) -> Table:
    rows = [(Cell(name), *_match_cells(records(one)["combined"]), averaged(spreads(one)["combined"]))
            for name, one in matches.items()]  # fmt: skip
    for source, there in printed.items():
        record = there.records.get("combined")
        counts = _match_cells(record) if record is not None else cells("–", "–", "–")
        rows.append((Cell(source), *counts, averaged(there.spreads["combined"])))
    caption = f"Matches of two games against {opponent}: more wins, else the quicker win, else a tie.{_whose(printed)}"
    return Table(cells("champion", "won-lost-tied", "won of decided", "won", "mean score"), tuple(rows), caption)


def _match_cells(record: Record) -> tuple[Cell, ...]:
    return Cell(record_text(record)), measured(record.winning()._asdict()), measured(record.victories()._asdict())


def _whose(printed: Mapping[str, PublishedMatches]) -> str:
    """Return what else a caption says: published numbers are not those of one champion."""
    return "".join(
        f" {source}: all individuals" + ("." if there.records else f", {'; '.join(there.notes)}.")
        for source, there in printed.items()
    )
