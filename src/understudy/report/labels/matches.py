"""The sections on two students' match, set by set and ply by ply, and on an ending of which all students were asked."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from understudy.report.blocks import Block, Cell, Plot, Plots, Section, Table, Text, cells, decimal, measured, number
from understudy.report.labels.nearness import PublishedLabels
from understudy.report.plots import Band, Line, draw_lines, draw_names

SHOWN = 6
"""Games in a picture: as many as the thesis draws of each kind."""
EDGE = 10.0
"""Pawns at which curves are cut: beyond, a game is decided, as in the pictures of the thesis."""
OUTCOMES = {"wins": "won", "draws": "drawn", "losses": "lost"}


def match_section(match: Mapping[str, Any], paper: PublishedLabels | None, band: float) -> Section | None:
    """Tell who won how often in each set of openings, how the games went, and what became of won endings."""
    if not match:
        return None
    first, second = match["players"]
    text = f"{first} against {second}, both colours of each opening ({match['book']}), one ply each."
    blocks: list[Block] = [Text(text), *([Text(paper.match_note)] if paper is not None and paper.match_note else [])]
    blocks += [_sets_table(match, first), _sets_picture(match, first), _quality_table(match["quality"])]
    blocks.append(_courses(match, band))
    return Section("Match", (*blocks, *_endings(match["won_endings"])))


def _sets_table(match: Mapping[str, Any], first: str) -> Table:
    rows = [(Cell(one["set"]), *_shares(one["shares"])) for one in match["sets"]]
    rows.append((Cell("all"), *_shares(match["shares"])))
    caption = (
        f"Games of {first}, set by set, with 95 % intervals; one that repeats an earlier one is not counted. Sets have "
        "few games: where intervals overlap, nobody can tell them apart."
    )
    return Table(cells("openings", "games", *OUTCOMES.values()), tuple(rows), caption)


def _shares(shares: Mapping[str, Any]) -> tuple[Cell, ...]:
    return Cell(number(shares["wins"]["sample"])), *(measured(shares[outcome]) for outcome in OUTCOMES)


def _sets_picture(match: Mapping[str, Any], first: str) -> Plots:
    sets = match["sets"]
    lines = [Line(list(range(len(sets))), [one["shares"][outcome]["value"] or 0.0 for one in sets], colour)
             for colour, outcome in enumerate(OUTCOMES)]  # fmt: skip
    drawing = draw_names([str(place) for place in range(1, len(sets) + 1)], lines)
    return Plots((Plot(drawing, f"{first}, by set of openings", tuple(OUTCOMES.values())),), "Shares of the games.")


def _quality_table(quality: Mapping[str, Any]) -> Table:
    rows = [
        cells(name, number(side["moves"]), decimal(side["average_centipawn_loss"], 0), number(side["missed_wins"]))
        for name, side in quality["players"].items()
    ]
    caption = f"How well they moved, by {quality['engine']}. Wins let go: moves out of a won position."
    return Table(cells("student", "moves", "centipawns lost a move", "wins let go"), tuple(rows), caption)


def _courses(match: Mapping[str, Any], band: float) -> Plots:
    """Return the courses of the first games that each student won, and of the first draws."""
    games = match["quality"]["games"]
    kinds = {f"won by {who}": [game for game in games if _winner(game) == who] for who in match["players"]}
    kinds["drawn"] = [game for game in games if _winner(game) == ""]
    plots = [Plot(_draw(chosen[:SHOWN], band), f"{kind}: the first {len(chosen[:SHOWN])} of {len(chosen)}")
             for kind, chosen in kinds.items() if chosen]  # fmt: skip
    note = (
        f"What the engine says after every ply, in pawns for White, cut at {EDGE:g}; in the band, within {band:g} "
        "pawns, positions count as draws."
    )
    return Plots(tuple(plots), note)


def _winner(game: Mapping[str, Any]) -> str | None:
    """Return who won a game, nothing of a draw, None of a game without a result."""
    return {"1-0": game["white"], "0-1": game["black"], "1/2-1/2": ""}.get(game["result"])


def _draw(games: Sequence[Mapping[str, Any]], band: float) -> str:
    lines = [
        Line([ply / 2 for ply in game["plies"]], [max(-EDGE, min(EDGE, pawns)) for pawns in game["pawns"]], colour)
        for colour, game in enumerate(games)
    ]
    last = max((line.xs[-1] for line in lines if line.xs), default=1.0)
    draws = Band([0.0, last], [-band] * 2, [band] * 2, len(lines))
    return draw_lines(lines, across="move", bands=(draws,), low=-1.05 * EDGE, high=1.05 * EDGE, shares=False)


def _endings(found: Mapping[str, Any]) -> list[Block]:
    rows = [
        (Cell(name), Cell(number(measure["sample"])), measured(measure, decimals=0))
        for name, measure in found["players"].items()
    ]
    caption = (
        "Won endings in the match: the first position of a game in which all pieces but the kings are worth 16 at most "
        "and the engine sees somebody more than 6 pawns ahead."
    )
    blocks: list[Block] = [Table(cells("student", "had", "won"), tuple(rows), caption)]
    if found["endings"]:
        each = [
            cells(one["game"], one["player"], one["fen"], decimal(one["pawns"], 1), "yes" if one["won"] else "no",
                  number(one["moves"]))
            for one in found["endings"]
        ]  # fmt: skip
        titles = cells("game", "student", "position", "pawns", "won", "moves to the end")
        blocks.append(Table(titles, tuple(each), "Each of them.", dense=True))
    return blocks


def ending_section(
    ending: Mapping[str, Any], labels: Mapping[str, Any], paper: PublishedLabels | None
) -> Section | None:
    """Tell what students say of positions of an ending that the engine calls won."""
    if not ending:
        return None
    rows = [
        (
            Cell(name),
            Cell(str(labels.get("students", {}).get(name, {}).get("inputs", ""))),
            *(Cell(number(count)) for count in reversed(told["said"])),
            measured(told["right"]),
        )
        for name, told in ending["students"].items()
    ]
    caption = (
        f"{number(ending['positions'])} positions of {ending['ending']} placed by chance, the first side to move; it "
        f"has won {number(ending['won'])} of them by the engine (more than 1.5 pawns). What students say of these, and "
        "how often they name the right one of the three classes of all positions."
    )
    table = Table(cells("student", "inputs", "winning", "draw", "losing", "right of all"), tuple(rows), caption)
    note = [Text(paper.ending_note)] if paper is not None and paper.ending_note else []
    return Section(f"An ending: {ending['ending']}", (*note, table))
