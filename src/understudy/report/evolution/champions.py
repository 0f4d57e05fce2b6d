"""The section on champions: the last games and matches of the best individual of each student."""

from __future__ import annotations

from collections.abc import Mapping

from understudy.judges.duels import Score, read_score
from understudy.judges.scores import VIEWS, Matches, Record, records, spreads
from understudy.report.blocks import Block, Cell, Section, Table, cells, measured
from understudy.report.evolution.course import told_generations
from understudy.report.evolution.tallies import averaged, told
from understudy.report.sources import Run
from understudy.studies.miller import paper as thesis


def champions_section(run: Run) -> Section | None:
    """Tell whom the champions beat, opponent by opponent, in single games and in matches of two."""
    games, matches = _games_of(run), _matches_of(run)
    beside = run.beside(thesis.STUDY) and _reached(run)
    blocks: list[Block] = []
    for opponent in dict.fromkeys([*games, *matches]):
        source = thesis.printed(thesis.STUDENT, opponent) if beside else None
        if opponent in games:
            blocks.append(_game_table(opponent, games[opponent], source))
        if opponent in matches:
            blocks.append(_match_table(opponent, matches[opponent], source))
    return Section("Champions", tuple(blocks)) if blocks else None


def _reached(run: Run) -> bool:
    """Tell whether anybody evolved as far as the thesis's first epoch, from which on its numbers are."""
    return any(lines[-1]["generation"] >= thesis.EPOCH for lines in told_generations(run).values())


def _games_of(run: Run) -> dict[str, dict[str, Score]]:
    """Return the games by opponent and champion."""
    found: dict[str, dict[str, Score]] = {}
    for student, sets in run.games.items():
        for which, met in sets.items():
            for opponent, counts in met.items():
                name = student if len(sets) == 1 else f"{student}, {which}"
                found.setdefault(opponent, {})[name] = read_score(counts)
    return found


def _matches_of(run: Run) -> dict[str, dict[str, Matches]]:
    """Return the matches by opponent and champion."""
    found: dict[str, dict[str, Matches]] = {}
    for student, opponents in run.matches.items():
        for opponent, matches in opponents.items():
            if matches.played:
                found.setdefault(opponent, {})[student] = matches
    return found


def _game_table(opponent: str, games: Mapping[str, Score], source: thesis.Printed | None) -> Table:
    rows = [(Cell(name), *_game_cells(found)) for name, found in games.items()]
    if source is not None and source.records:
        whole, white, black, _ = (source.records[view] for view in VIEWS)
        rows.append((Cell(thesis.SOURCE), *_shares(whole, black, white)))
    caption = f"Games against {opponent}, won of all, with 95 % intervals; points count ties half.{_told(source)}"
    return Table(cells("champion", "won-lost-tied", "won", "as Black", "as White", "points"), tuple(rows), caption)


def _game_cells(found: Score) -> tuple[Cell, ...]:
    black, white = (Record(won, lost, tied) for lost, tied, won in found)
    return _shares(Record(*(one + other for one, other in zip(black, white, strict=True))), black, white)


def _shares(whole: Record, black: Record, white: Record) -> tuple[Cell, ...]:
    measures = (whole.victories(), black.victories(), white.victories(), whole.points())
    return Cell(told(whole)), *(measured(measure._asdict()) for measure in measures)


def _match_table(opponent: str, matches: Mapping[str, Matches], source: thesis.Printed | None) -> Table:
    rows = [(Cell(name), *_match_cells(records(one)["combined"]), averaged(spreads(one)["combined"]))
            for name, one in matches.items()]  # fmt: skip
    if source is not None:
        known = source.records.get("combined")
        cells_of = _match_cells(known) if known is not None else cells("–", "–", "–")
        rows.append((Cell(thesis.SOURCE), *cells_of, averaged(source.spreads["combined"])))
    caption = f"Matches of two games against {opponent}: more wins, else the quicker win, else a tie.{_told(source)}"
    return Table(cells("champion", "won-lost-tied", "won of decided", "won", "mean score"), tuple(rows), caption)


def _match_cells(found: Record) -> tuple[Cell, ...]:
    return Cell(told(found)), measured(found.winning()._asdict()), measured(found.victories()._asdict())


def _told(source: thesis.Printed | None) -> str:
    """Return what else a caption says: the thesis's numbers are not those of one champion."""
    if source is None:
        return ""
    return f" {thesis.SOURCE}: all individuals" + ("." if source.records else f", {'; '.join(source.notes)}.")
