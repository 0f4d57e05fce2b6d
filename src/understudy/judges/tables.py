"""Matches and tournaments as text, JSON and CSV."""

from __future__ import annotations

import csv
import io
from collections import Counter
from collections.abc import Iterable
from typing import Any

from understudy.games import CompiledGame
from understudy.judges.pairs import TRUSTED, Pairs, describe, measure_points, write_difference, write_sample
from understudy.judges.tournament import Meeting, Standings
from understudy.match import ILLEGAL, Played


def meeting_text(meeting: Meeting) -> str:
    """Return the result of a match for people, from the first player's side."""
    wins, draws, losses = meeting.score()
    return "\n".join(
        (
            f"{meeting.players[0]} - {meeting.players[1]}: {wins} wins, {draws} draws, {losses} losses",
            *sureness_lines(meeting.pairs(), wins + draws / 2),
            _reasons(played.reason for played in meeting.games),
        )
    )


def sureness_lines(pairs: Pairs, points: float) -> list[str]:
    """Return what the different pairs tell, how many they are, and what all games gave if that is another share."""
    measure = measure_points(pairs)
    share, every = measure.value or 0.0, points / max(pairs.games, 1)
    repeated = f"; with every repetition {every:.1%} of the points" if f"{every:.1%}" != f"{share:.1%}" else ""
    interval = f"95 % interval {measure.low:.1%} to {measure.high:.1%}"
    return [
        f"{share:.1%} of the points, {interval}, {write_difference(measure)}",
        f"{write_sample(pairs.games, pairs.different, pairs.number)}{repeated}",
    ]


def standings_text(game: CompiledGame, standings: Standings) -> str:
    """Return the cross table of a tournament for people, best first."""
    rows = table_rows(standings)
    sides = [f"as {colour}" for colour in game.colours]
    lines = [["", "player", *map(str, range(1, len(rows) + 1)), "points", "games", "different", *sides, "Elo"]]
    for place, row in enumerate(rows):
        against = [f"{row['against'][other['player']]:g}" if other is not row else "·" for other in rows]
        elo = f"{row['elo']:+.0f} ± {(row['elo_high'] - row['elo_low']) / 2:.0f}"
        records = [_record(row, "first"), _record(row, "second")]
        games = [str(row["games"]), str(row["different"])]
        lines.append([str(place + 1), row["player"], *against, f"{row['points']:g}", *games, *records, elo])
    return "\n".join(
        (
            f"{game.title}: points of each row's player against each column's\n",
            _aligned(lines),
            "\nby colour: wins-draws-losses; Elo: maximum likelihood around an average of 0, ± 95 % interval; "
            "repeated pairs of games count once",
            *_doubts(standings),
            _reasons(played.reason for meeting in standings.meetings for played in meeting.games),
        )
    )


def meeting_json(game: CompiledGame, meeting: Meeting) -> dict[str, Any]:
    """Return a match as plain data, from the first player's side."""
    wins, draws, losses = meeting.score()
    games = [
        {
            "first": meeting.players[place % 2],
            "moves": _texts(game, played),
            "opening": played.opening,
            "result": meeting.results[place],
            "reason": played.reason,
            **({} if played.start is None else {"start": game.write(played.start)}),
        }
        for place, played in enumerate(meeting.games)
    ]
    score = {"players": list(meeting.players), "wins": wins, "draws": draws, "losses": losses}
    illegal = [sum(game["reason"] == ILLEGAL and game["result"] == lost for game in games) for lost in (-1, 1)]
    return score | {"illegal": illegal} | describe(meeting.pairs()) | {"games": games}


def standings_json(game: CompiledGame, standings: Standings) -> dict[str, Any]:
    """Return a tournament as plain data: the table, best first, and every game."""
    return {
        "game": game.name,
        "table": table_rows(standings),
        "meetings": [meeting_json(game, meeting) for meeting in standings.meetings],
    }


def standings_csv(standings: Standings) -> str:
    """Return the table of a tournament as CSV."""
    rows = table_rows(standings)
    out = io.StringIO()
    writer = csv.DictWriter(out, rows[0], lineterminator="\n")
    writer.writeheader()
    writer.writerows({**row, "against": " ".join(f"{v:g}" for v in row["against"].values())} for row in rows)
    return out.getvalue()


def table_rows(standings: Standings) -> list[dict[str, Any]]:
    """Return a row for each player, best first: points, results by side, Elo with its interval, points against each."""
    points = standings.points()
    order = sorted(range(len(standings.players)), key=lambda i: -standings.ratings[i].elo)
    rows = []
    for i in order:
        record = standings.record(standings.players[i])
        rating = standings.ratings[i]
        row: dict[str, Any] = {"player": standings.players[i], "points": float(points[i].sum())}
        row |= {"games": sum(record["all"]), "different": standings.different(standings.players[i])}
        for side in ("all", "first", "second"):
            suffix = "" if side == "all" else f"_moving_{side}"
            row |= dict(zip((f"wins{suffix}", f"draws{suffix}", f"losses{suffix}"), record[side], strict=True))
        row |= {"elo": round(rating.elo, 1), "elo_low": round(rating.low, 1), "elo_high": round(rating.high, 1)}
        row["against"] = {standings.players[j]: float(points[i, j]) for j in order if j != i}
        rows.append(row)
    return rows


def _texts(game: CompiledGame, played: Played) -> list[str]:
    position, texts = game.start() if played.start is None else played.start, []
    for move in played.moves:
        texts.append(game.write_move(position, move))
        position = game.play(position, move)
    return texts


def _aligned(lines: list[list[str]]) -> str:
    """Return a table: the second column, names, to the left, all others to the right."""
    widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
    sides = ["<" if place == 1 else ">" for place in range(len(widths))]
    return "\n".join(
        "  ".join(f"{cell:{side}{width}}" for cell, side, width in zip(line, sides, widths, strict=True)).rstrip()
        for line in lines
    )


def _record(row: dict[str, Any], side: str) -> str:
    return "-".join(str(row[f"{kind}_moving_{side}"]) for kind in ("wins", "draws", "losses"))


def _doubts(standings: Standings) -> list[str]:
    """Return a warning where the players of a tournament met in too few different pairs."""
    fewest = min((int(meeting.pairs().size) for meeting in standings.meetings), default=0)
    return [f"fewest different pairs of two players: {fewest}, too few to trust"] if fewest < TRUSTED else []


def _reasons(reasons: Iterable[str]) -> str:
    return "ended by " + ", ".join(f"{reason} ({times})" for reason, times in Counter(reasons).most_common())
