"""The verdicts of the judges of chess as tables for people; each takes what its judge says as plain data."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from understudy.judges.measures import rating_text
from understudy.judges.pairs import write_sample

Facts = Mapping[str, Any]
BASELINES = {"chance": "a random mover", "material": "most material in one ply"}
"""Who stands beside a player on a suite, in words; `baselines.py` tells what they do."""


def suite_text(facts: Facts) -> str:
    """Return the answers to a suite, and what they cost where an engine said so."""
    priced = facts["cost"] is not None
    head = ["", "id", "wanted", "played", *(["against", "delta", "after"] if priced else []), *_graded_head(facts)]
    lines = [[*_answer(row, priced), *_grade(row, facts)] for row in facts["positions"]]
    counts = [f"{facts['player']} on {facts['suite']}"]
    counts += [
        f"{name.replace('_', ' ')}: {_whole(measure)} of {measure['sample']} ({_interval(measure)})"
        f"; {_beside(facts, name)}"
        for name, measure in facts["measures"].items()
        if measure["sample"]
    ]
    if facts["points"] is not None:
        earned, most = facts["points"]["earned"], facts["points"]["most"]
        counts.append(f"points: {earned:g} of {most:g}; {_beside(facts, 'points')}")
    if facts["faults"]:
        counts.append(f"no answer: {facts['faults']}")
    if priced:
        counts += [f"judged by {facts['engine']}", *cost_lines(facts["cost"])]
    return "\n".join([aligned([head, *lines], left=(1, 2, 3, 4)), "", *counts])


def _beside(facts: Facts, name: str) -> str:
    """Return what those get of a suite on average who have learned nothing."""
    return "by comparison " + ", ".join(f"{BASELINES[who]} {got[name]:.1f}" for who, got in facts["baselines"].items())


def cost_lines(cost: Facts) -> list[str]:
    """Return what moves cost, in some lines."""
    if not cost["positions"]:
        return ["no move could be judged"]
    bands = [f"after the {who}: " + ", ".join(f"{name} {count}" for name, count in cost[key].items())
             for who, key in (("player's moves", "after_move"), ("test's moves", "after_test_move"))]  # fmt: skip
    own = cost["against_engine"]
    return [
        f"delta in pawns: mean {cost['mean_delta']:.2f}, mean without gains {cost['mean_loss']:.2f}, "
        f"median {cost['median_delta']:.2f}",
        f"expected points lost by a move: {cost['mean_expected_loss']:.3f}",
        f"losing moves {cost['losing_moves']}, wins thrown away {cost['wins_thrown_away']}",
        *bands,
        *([f"in {own} positions the suite names no best move, and delta is against the engine's own"] if own else []),
    ]


def thesis_text(facts: Facts) -> str:
    """Return Table 8.1 of the thesis with our column; moves that cannot be played are marked."""
    head = ["row", "id", "best", "MLP", "printed", "anew", "CNN", "printed", "anew", "ours", "delta"]
    lines = [
        [str(row["row"]), row["id"], "/".join(row["best"].split()), *_printed(row, "mlp"), *_printed(row, "cnn"),
         row["ours"], _delta(row["ours_cost"])]
        for row in facts["rows"]
    ]  # fmt: skip
    best, stated = facts["best_moves"], facts["stated_mean"]
    text = [
        "Table 8.1 of the thesis (delta in pawns; * cannot be played there)",
        aligned([head, *lines], left=(1, 2, 3, 6, 9)),
        f"best moves: MLP {best['mlp']}, CNN {best['cnn']}, ours {best['ours']} of {len(facts['rows'])}",
    ]
    for who in ("mlp", "cnn"):
        printed = facts["printed"][who]
        column = f"of the printed column {printed['mean_delta']:.2f}"
        anew = f"priced anew {_mean(facts, who)}, legal moves only"
        text.append(f"{who.upper()}: mean delta stated {stated[who]}, {column}, {anew}")
    return "\n".join([*text, f"ours: mean delta {_mean(facts, 'ours')} against the thesis's best moves"])


def ladder_text(facts: Facts) -> str:
    """Return the scores at the rungs and the rating."""
    head = ["Elo", "games", "wins", "draws", "losses", "points", "95 % interval", "who"]
    lines = [
        [str(rung["elo"]), *(str(rung[name]) for name in ("games", "wins", "draws", "losses")),
         f"{rung['share']:.1%}", f"{rung['low']:.1%} to {rung['high']:.1%}", rung["player"]]
        for rung in facts["rungs"] if rung["games"]
    ]  # fmt: skip
    stopped = " (stopped early)" if facts["stopped"] else ""
    limits = " ".join(f"{name} {value:g}" for name, value in facts["limits"].items())
    games = f"{facts['games']} games, {facts['different']} different"
    title = f"{facts['player']} against {facts['engine']} ({limits} a move), {games}{stopped}"
    return "\n".join([title, "", aligned([head, *lines], left=(7,)), "", rating_text(facts), *_hurried(facts)])


def _hurried(facts: Facts) -> list[str]:
    """Return a warning where the rungs think much less than when their ratings were found."""
    if facts["limits"].get("time", 0) >= 1:
        return []
    rated = "Stockfish found its ratings with 60 s a game and 0.6 s a move"
    return [f"{rated}: with less time the rungs are weaker than named, and this rating is too high"]


def book_text(facts: Facts) -> str:
    """Return the outcomes of a match from given openings, set by set."""
    head = ["openings", "games", "wins", "draws", "losses"]
    rows = [*((group["set"], group["shares"]) for group in facts["sets"]), ("all", facts["shares"])]
    lines = [
        [name, str(shares["wins"]["sample"]), *(f"{m['value']:.1%} ({_interval(m)})" for m in shares.values())]
        for name, shares in rows
    ]
    first, second = facts["players"]
    score = f"{facts['wins']} wins, {facts['draws']} draws, {facts['losses']} losses"
    low, high = facts["interval"]
    sure = f"{facts['share']:.1%} of the points, 95 % interval {low:.1%} to {high:.1%}"
    sample = write_sample(len(facts["games"]), facts["different"], facts["pairs"])
    return "\n".join([f"{first} - {second}: {score}", sure, sample, "", aligned([head, *lines], left=(0,))])


def quality_text(facts: Facts) -> str:
    """Return what the moves of each side of each game lost, and of each player in all."""
    head = ["game", "white", "black", "result", "plies", "loss W", "loss B", "missed W", "missed B"]
    lines = [
        [game["game"], game["white"], game["black"], game["result"], str(len(game["plies"])),
         *(_number(game[side]["average_centipawn_loss"]) for side in ("white_moves", "black_moves")),
         *(str(game[side]["missed_wins"]) for side in ("white_moves", "black_moves"))]
        for game in facts["games"]
    ]  # fmt: skip
    totals = [
        [player, str(side["moves"]), _number(side["average_centipawn_loss"]), str(side["missed_wins"])]
        for player, side in facts["players"].items()
    ]
    return "\n".join(
        [
            f"loss: centipawns a move, by {facts['engine']}; missed: won positions (over {facts['band']}) let go",
            "",
            aligned([head, *lines], left=(0, 1, 2)),
            "",
            aligned([["player", "moves", "loss", "missed"], *totals], left=(0,)),
        ]
    )


def endgames_text(facts: Facts) -> str:
    """Return how many won positions of each ending were won, how long it took, and how the others failed."""
    head = ["ending", "won", "of", "95 % interval", "moves", "plies to progress", "DTZ"]
    lines = [
        [row["ending"], str(_whole(row["converted"])), str(row["converted"]["sample"]), _interval(row["converted"]),
         *(_number(row[name]) for name in ("median_moves", "median_plies_to_progress", "median_dtz"))]
        for row in facts["endings"]
    ]  # fmt: skip
    failures = [_failure(one) for one in facts["failures"]]
    whole = facts["converted"]
    return "\n".join(
        [
            f"{facts['player']}: {_whole(whole)} of {whole['sample']} won positions won ({_interval(whole)}), "
            "against perfect defence",
            "",
            aligned([head, *lines], left=(0,)),
            "medians of the games won; progress: a capture, a pawn move or mate, which DTZ counts to",
            *(["", "not won:", *failures] if failures else []),
        ]
    )


def aligned(lines: Sequence[Sequence[str]], *, left: Sequence[int] = ()) -> str:
    """Return a table; the columns named in *left* begin at the left, the others end at the right."""
    widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
    sides = ["<" if place in left else ">" for place in range(len(widths))]
    return "\n".join(
        "  ".join(f"{cell:{side}{width}}" for cell, side, width in zip(line, sides, widths, strict=True)).rstrip()
        for line in lines
    )


def _answer(row: Facts, priced: bool) -> list[str]:
    wanted = [*row["best"], *(f"not {move}" for move in row["avoid"])]
    cells = ["+" if row["solved"] else "", row["id"], " ".join(wanted), row["move"] or f"({row['fault']})"]
    if not priced:
        return cells
    if "delta" not in row:
        return [*cells, "", "", ""]
    return [*cells, row["against"], f"{row['delta']:.2f}", f"{row['pawns']:.2f}"]


def _graded_head(facts: Facts) -> list[str]:
    return [] if facts["points"] is None else ["points"]


def _grade(row: Facts, facts: Facts) -> list[str]:
    return [] if facts["points"] is None else [_number(row["points"])]


def _printed(row: Facts, who: str) -> list[str]:
    mark = "" if row[f"{who}_legal"] else "*"
    return [row[who] + mark, f"{row[f'{who}_delta']:g}", _delta(row[f"{who}_cost"])]


def _delta(cost: Facts | None) -> str:
    return "-" if cost is None else f"{cost['delta']:.2f}"


def _mean(facts: Facts, who: str) -> str:
    costs = facts["recomputed"][who]
    return "-" if costs is None else f"{costs['mean_delta']:.2f} (without gains {costs['mean_loss']:.2f})"


def _failure(one: Facts) -> str:
    thrown = one["thrown"]
    how = "the position stayed won"
    if thrown is not None:
        how = f"given away by move {thrown['number']}, {thrown['move']} in {thrown['fen']}"
    return f"{one['ending']}  {one['fen']}: {one['reason']} after {one['moves']} moves; {how}"


def _number(value: float | None) -> str:
    return "-" if value is None else f"{value:.4g}"


def _whole(measure: Facts) -> int:
    wins: float = (measure["value"] or 0.0) * measure["sample"]
    return round(wins)


def _interval(measure: Facts) -> str:
    return f"{measure['low']:.0%} to {measure['high']:.0%}"
