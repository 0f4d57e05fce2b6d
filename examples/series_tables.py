"""What results.md shows of a series, from the results of its run: one picture and few tables.

Of methods by games Elo points; of what is learned by watching how legal choices grow, and which mistakes stay; of
students compared with the truth what they keep of it.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from figures import DOCS

from understudy.report.blocks import worded
from understudy.report.plots import Curve, draw_growth, stand_alone
from understudy.report.series.growth import ACROSS, name_design
from understudy.report.series.robin import ANCHOR, CHECKED, STRICT, draw_game
from understudy.report.series.truth import KEPT, LOST, name_spaces

NOTE = (
    "Elo points within each game from `{zero}`, with 95 % intervals; L: legal first choices in positions of games that "
    "nobody watched (all others choose among legal moves only); V: choices that keep the value of the position, where "
    "the truth is known; minutes of one core that watching and learning took."
)
FORMS = {STRICT: "", CHECKED: ", checked", "": ""}


GROWN = (
    "Legal first choices in games of the teacher that nobody watched, by the number of games watched, in per cent; "
    "mean, and in brackets least to most over seeds where there are several. Nobody tells the rules unless a row says "
    "so. In italics those who learned nothing; whoever chooses legal moves by chance has 100."
)
COMPARED = (
    "Per cent of choices in {positions} endgames in which it matters what is chosen, with 95 % intervals; nobody had "
    "learned from any of them. What was lost: of positions in which that can happen; illegal: of all. By endgame, the "
    "side to move first: values kept."
)
STAYED = "What was wrong with first choices after the most games watched, of all choices: "
FLOOR = 0.0001
"""The least share that the picture of growth tells from none: one choice of an exam's ten thousand."""


def write_series(result: dict[str, Any]) -> list[str]:
    """Return what a grader found as paragraphs; nothing of a run without one."""
    graded = result.get("graded", {})
    if "games" in graded:
        return [f"![Elo points by game]({picture_of(result)})", *_write_robin(graded)]
    if "boards" in graded:
        return [f"![Illegal first choices by games watched]({picture_of(result)})", *_write_growth(graded)]
    if "players" in graded:
        return _write_truth(graded)
    return []


def picture_of(result: dict[str, Any]) -> str:
    """Return where the picture of a series lies, from the docs."""
    return f"pictures/{result['experiment']}.svg"


def draw_series(result: dict[str, Any]) -> None:
    """Write the picture of a series, if it has one."""
    graded = result.get("graded", {})
    panels = {name: draw_game(game) for name, game in graded.get("games", {}).items()}
    boards = graded.get("boards", [])
    colours = list(dict.fromkeys(_name(line, _find_base(board)) for board in boards for line in board["curves"]))
    panels |= {f"{board['board']}: illegal first choices": draw_board(board, colours) for board in boards}
    if panels:
        (DOCS / picture_of(result)).write_text(stand_alone(panels), encoding="utf-8")


def draw_board(board: dict[str, Any], colours: list[str]) -> str:
    """Draw how illegal choices become rare, by teacher and by design; a name has its colour on every board."""
    base = _find_base(board)
    curves = []
    for line in board["curves"]:
        name = _name(line, base)
        means, least, most = (
            [1 - share for share in line[f"legality.whole.{how}"]] for how in ("mean", "least", "most")
        )
        curves.append(Curve(name, line["games"], means, most, least, colours.index(name)))
    return draw_growth(curves, across=ACROSS, floor=FLOOR)


def _find_base(board: dict[str, Any]) -> dict[str, Any]:
    """Return the curve of most points among those whose students were not told the rules."""
    lines: list[dict[str, Any]] = [line for line in board["curves"] if not line["told"]] or board["curves"]
    return max(lines, key=lambda line: len(line["games"]))


def _name(line: dict[str, Any], base: dict[str, Any]) -> str:
    """Return what a curve is called: by its teacher, and by its design where that is another than usual."""
    design, usual = name_design(line, base), name_design(base, base)
    return line["teacher"] if design == usual else f"{line['teacher']}, {design.removeprefix(usual + ', ')}"


def _write_growth(graded: dict[str, Any]) -> list[str]:
    """Return legal choices by games watched, a row for each curve, and the mistakes that stay."""
    steps = sorted({games for board in graded["boards"] for line in board["curves"] for games in line["games"]})
    heads = [f"{games:,}".replace(",", " ") for games in steps]
    rows = [f"| who watches whom | {' | '.join(heads)} |", f"|---|{'---|' * len(steps)}"]
    for board in graded["boards"]:
        rows += [f"| {board['board']}: {name} | {' | '.join(shares)} |" for name, shares in _write_shares(board, steps)]
    return ["\n".join(rows), GROWN, STAYED + "; ".join(map(_write_mistakes, graded["boards"])) + "."]


def _write_shares(board: dict[str, Any], steps: list[int]) -> Iterator[tuple[str, list[str]]]:
    """Yield each curve's name with its legal choices at each step, then those who learned nothing."""
    base = _find_base(board)
    for line in board["curves"]:
        triples = zip(*(line[f"legality.whole.{how}"] for how in ("mean", "least", "most")), strict=True)
        shares = dict(zip(line["games"], map(_write_triple, triples), strict=True))
        yield _name(line, base), [shares.get(games, "") for games in steps]
    for name, row in board["baselines"].get(base["teacher"], {}).items():
        if row["legality.whole"] < 1:
            yield f"*{name}*", [f"{100 * row['legality.whole']:.1f}", *[""] * (len(steps) - 1)]


def _write_triple(triple: tuple[float, float, float]) -> str:
    mean, least, most = (f"{100 * share:.2f}" for share in triple)
    return mean if least == most else f"{mean} ({least} to {most})"


def _write_mistakes(board: dict[str, Any]) -> str:
    """Return the kinds of mistakes that are left at the end of the longest curve, the commonest first."""
    base = _find_base(board)
    last = {worded(kind): shares[-1] for kind, shares in base["mistakes"].items() if shares[-1] > 0}
    kinds = [f"{kind} {100 * share:.2f} %" for kind, share in sorted(last.items(), key=lambda pair: -pair[1])]
    games = f"{base['games'][-1]:,}".replace(",", " ")
    return f"{board['board']} ({games} games) {', '.join(kinds) or 'nothing'}"


def _write_truth(graded: dict[str, Any]) -> list[str]:
    """Return values kept and lost: a row for everybody, those who did not learn below."""
    spaces = name_spaces(graded["players"])
    heads = ["who", "value kept", *LOST.values(), *spaces]
    rows = [f"| {' | '.join(heads)} |", f"|{'---|' * len(heads)}"]
    for row in graded["players"]:
        name = row["name"] if row["role"] == "student" else f"`{row['name']}`"
        kept = [_write_measure(row, measure, full=True) for measure in (KEPT, *LOST)]
        rows.append(f"| {' | '.join([name, *kept, *(_write_measure(row, f'value_kept.{one}') for one in spaces)])} |")
    return ["\n".join(rows), COMPARED.format(positions=graded["positions"])]


def _write_measure(row: dict[str, Any], name: str, *, full: bool = False) -> str:
    measure = row["measures"].get(name)
    if measure is None or measure["value"] is None:
        return "–"
    aside = f" ({100 * measure['low']:.1f} to {100 * measure['high']:.1f})" if full else ""
    return f"{100 * measure['value']:.1f}{aside}"


def _write_robin(graded: dict[str, Any]) -> list[str]:
    """Return methods by games: Elo points, legal first choices, value kept, and minutes of a core."""
    games = graded["games"]
    rows = [f"| method | {' | '.join(games)} |", f"|---|{'---|' * len(games)}"]
    for method, title in graded["methods"].items():
        for form, how in FORMS.items():
            players = [_find(game, method=method, form=form) for game in games.values()]
            if any(players):
                rows.append(f"| {title}{how} | {' | '.join(map(_write, players))} |")
    anchors = [row["name"] for row in next(iter(games.values()))["players"] if row["form"] == ANCHOR]
    for name in anchors:
        players = [_find(game, name=name) for game in games.values()]
        rows += [f"| `{name}` | {' | '.join(map(_write, players))} |"]
    lacking = [f"{name.replace('_', ' ')}: {reason}." for name, reason in graded["absent"].items()]
    unknown = [f"{name}: {game['unknown']}." for name, game in games.items() if game["unknown"]]
    return ["\n".join(rows), " ".join([NOTE.format(zero=graded["zero"]), *lacking, *unknown])]


def _find(game: dict[str, Any], **wanted: str) -> dict[str, Any] | None:
    rows = (row for row in game["players"] if all(row[key] == value for key, value in wanted.items()))
    return next(rows, None)


def _write(row: dict[str, Any] | None) -> str:
    if row is None:
        return "–"
    lines = [f"{row['elo']:.0f} ({row['low']:.0f} to {row['high']:.0f})"]
    for letter, measure in (("L", "legality.whole"), ("V", "value_kept")):
        value = row["measures"].get(measure, {}).get("value")
        lines += [] if value is None else [f"{letter} {100 * value:.1f} %"]
    lines += [f"{row['paid_seconds'] / 60:.1f} min"] if "paid_seconds" in row else []
    return "<br>".join(lines)
