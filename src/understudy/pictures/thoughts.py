"""What a player thinks, as HTML: its choice in words, boards, moves on a fixed scale, lines of play, inputs."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

from understudy.games.drawing import Arrow, draw_svg
from understudy.games.parts import find_unfit
from understudy.pictures.forms import call_value, make_bar, make_card, make_table, make_tilt, write_seconds, write_share
from understudy.pictures.traces import draw_move
from understudy.protocols import Move
from understudy.thoughts import (
    NOTHING,
    NOTICED,
    SHOWN,
    Line,
    PartThought,
    Thought,
    Weighed,
    join_notes,
    write_end,
    write_value,
)

STRENGTHS = (1.0, 0.5, 0.15)
"""How strong the arrows of the best moves are, by rank: as many as a board bears."""
READABLE = 0.01
"""Shares below this are not written on a board, where they would be a crowd of zeros."""


def picture_thought(thought: Thought) -> str:
    """Return what a player thinks as a fragment of HTML."""
    boards, moves = f'<div class="us-boards">{"".join(_boards(thought))}</div>', _moves(thought)
    return make_card(
        "thought",
        _headline(thought),
        boards + moves if thought.parts else f'<div class="us-side">{boards}{moves}</div>',
        _illegal(thought),
        _lines(thought),
        _course(thought),
        _inputs(thought),
        f'<p class="us-note">{escape(thought.note)}</p>' if thought.note else "",
    )


def _headline(thought: Thought) -> str:
    mover = thought.game.colours[thought.position.ply % 2]
    chosen = escape(thought.write(thought.choice.move))
    warning = "" if thought.legal else ' <span class="us-warning">the rules forbid it</span>'
    facts = "".join(f"<li>{escape(fact)}</li>" for fact in _facts(thought))
    return (
        f'<p class="us-who"><b>{escape(thought.player)}</b> {escape(thought.game.name.replace("_", " "))}, '
        f"{escape(mover)} to move</p>\n"
        f'<p class="us-choice"><span>chooses</span> {chosen}{warning}</p>\n'
        f'<p class="us-says">{escape(" ".join(_sentences(thought, mover)))}</p>\n'
        f'<ul class="us-facts">{facts}</ul>'
    )


def _sentences(thought: Thought, mover: str) -> list[str]:
    sentences = []
    if thought.value is not None:
        scale = "on the scale from -1 (lost) to +1 (won)"
        sentences.append(f"It expects {write_value(thought.value)} for {mover} {scale}: {call_value(thought.value)}.")
    if thought.plies is not None:
        sentences.append(f"It sees the end: {mover} {write_end(thought.plies)}.")
    if thought.illegal is not None and (thought.parts or thought.illegal >= NOTICED):
        sentences.append(f"{write_share(thought.illegal)} of its mind is on moves that the rules forbid.")
    return sentences


def _facts(thought: Thought) -> list[str]:
    facts = [] if thought.depth is None else [f"{thought.depth} {'ply' if thought.depth == 1 else 'plies'} deep"]
    facts += [] if thought.nodes is None else [f"{thought.nodes:,} nodes".replace(",", "\u202f")]
    return facts + ([] if thought.seconds is None else [write_seconds(thought.seconds)])


def _boards(thought: Thought) -> list[str]:
    parts = [_part_board(thought, place) for place in range(len(thought.parts))]
    return parts if thought.parts and thought.kind == "probability" else [_move_board(thought), *parts]


def _figure(svg: str, caption: str, below: str = "") -> str:
    return f'<figure class="us-figure"><figcaption>{caption}</figcaption>\n{svg}{below}</figure>\n'


def _part_board(thought: Thought, place: int) -> str:
    """Return the board of one part: how likely each cell is, those that no legal move has hatched."""
    part, board = thought.parts[place], thought.game.board
    heat = {cell: part.cells.get(name, 0.0) for cell, name in enumerate(board.cells)}
    svg = draw_svg(
        board, thought.game.stones(thought.position), title=f"{part.part}: {part.choice}",
        description=f"{write_share(part.illegal)} on hatched cells, which no legal move has here",
        heat=heat, forbidden=find_forbidden(thought, place),
        labels={cell: f"{100 * share:.0f}" for cell, share in heat.items() if share >= READABLE},
    )  # fmt: skip
    caption = f"{place + 1}. {escape(part.part)}: <b>{escape(part.choice)}</b>"
    return _figure(svg, caption, _part_shares(thought, part))


def _part_shares(thought: Thought, part: PartThought) -> str:
    """Return, below a board, the shares of what is no cell, and of all that is illegal."""
    others = [(name, share) for name, share in part.cells.items() if name not in thought.game.board.cells]
    shares = sorted((other for other in others if other[1] >= NOTICED or other[0] == NOTHING), key=lambda one: -one[1])
    rows = [_row(escape(name), make_bar(0.0, share), write_share(share)) for name, share in shares]
    rows.append(_row("forbidden", make_bar(0.0, part.illegal, kind="forbidden"), write_share(part.illegal)))
    return f'<ul class="us-rows">{"".join(rows)}</ul>'


def find_forbidden(thought: Thought, place: int) -> list[int]:
    """Return the cells that no legal move has as this part, the parts before it being as chosen."""
    game = thought.game
    numbers = [game.part_names.index(part.part) for part in thought.parts[: place + 1]]
    chosen = game.parts(thought.choice.move)
    return find_unfit(game, thought.position, numbers[place], {one: chosen[one] for one in numbers[:place]})


def _move_board(thought: Thought) -> str:
    """Return the board with arrows for the best moves."""
    game, best = thought.game, find_best(thought)
    arrows: list[Arrow] = []
    for rank, move in enumerate(best):
        arrows += draw_move(game, thought.position, move, STRENGTHS[rank], str(rank + 1) if len(best) > 1 else "")
    texts = ", ".join(thought.write(move) for move in best)
    title = f"{game.name}: {game.write(thought.position)}"
    svg = draw_svg(game.board, game.stones(thought.position), title=title, description=texts, arrows=arrows)
    return _figure(svg, "its best moves" if len(best) > 1 else "its move")


def find_best(thought: Thought) -> list[Move]:
    """Return the best legal moves: those of its lines, else those of its numbers, else its choice."""
    lines = [line.moves[0] for line in thought.lines if line.moves]
    ranked = [weighed.move for weighed in thought.moves if weighed.legal and weighed.number is not None]
    chosen = [thought.choice.move] if thought.legal else []
    several = lines if len(lines) > 1 else ranked
    # Where all numbers are equal their order says nothing, and only the choice is worth an arrow.
    equal = len({weighed.number for weighed in thought.moves if weighed.legal}) == 1
    return list(dict.fromkeys(chosen + ([] if equal else several)))[: len(STRENGTHS)]


def _moves(thought: Thought) -> str:
    legal = [weighed for weighed in thought.moves if weighed.legal and weighed.number is not None]
    if not legal:
        return ""
    ends = {"value": ("loses", "even", "wins"), "probability": ("never", "", "always"), "order": ("", "", "")}
    scale = _row("", f'<span class="us-ends">{"".join(f"<i>{end}</i>" for end in ends[thought.kind])}</span>', "")
    chosen = [weighed for weighed in legal[SHOWN:] if weighed.move == thought.choice.move]
    rows = "".join(_move_row(thought, weighed) for weighed in legal[:SHOWN] + chosen)
    rest = len(legal) - SHOWN - len(chosen)
    more = f'<p class="us-note">and {rest} more</p>' if rest > 0 else ""
    return _section("Moves", f'<ul class="us-rows">{scale if thought.kind != "order" else ""}{rows}</ul>{more}',
                    meaning=thought.meaning)  # fmt: skip


def _illegal(thought: Thought) -> str:
    likely = [weighed for weighed in thought.moves if not weighed.legal and (weighed.number or 0.0) >= NOTICED]
    rows = "".join(_move_row(thought, weighed) for weighed in likely[:SHOWN])
    return _section("Moves that the rules forbid", f'<ul class="us-rows">{rows}</ul>') if likely else ""


def _move_row(thought: Thought, weighed: Weighed) -> str:
    number, chosen = weighed.number or 0.0, weighed.move == thought.choice.move
    kind = "more" if weighed.legal else "forbidden"
    bars = {"probability": make_bar(0.0, number, kind=kind), "value": make_tilt(number), "order": ""}
    text = write_share(number) if thought.kind == "probability" else f"{number:+.3f}"
    note = "" if weighed.legal else "forbidden"
    note = join_notes(weighed.note or note, thought.truths.get(weighed.move, ""))
    return _row(escape(thought.write(weighed.move)), bars[thought.kind], text, note, chosen=chosen)


def _row(name: str, bar: str, number: str, note: str = "", *, chosen: bool = False) -> str:
    kind = ' class="us-chosen"' if chosen else ""
    aside = f'<span class="us-aside">{escape(note)}</span>' if note else ""
    return f'<li{kind}><span class="us-move">{name}</span>{bar}<span class="us-count">{number}</span>{aside}</li>\n'


def _section(title: str, body: str, *, meaning: str = "") -> str:
    words = f'<p class="us-note">{escape(meaning)}</p>' if meaning else ""
    return f'<div class="us-section"><p class="us-heading">{escape(title)}</p>{words}{body}</div>'


def _lines(thought: Thought) -> str:
    rows: Sequence[str] = [_line(thought, rank, line) for rank, line in enumerate(thought.lines, 1)]
    return _section("Lines that it expects", f'<ul class="us-lines">{"".join(rows)}</ul>') if rows else ""


def _line(thought: Thought, rank: int, line: Line) -> str:
    end = f", {write_end(line.plies)}" if line.plies is not None else ""
    moves = escape(" ".join(thought.write_line(line)))
    return (
        f'<li><span class="us-rank">{rank}</span><b>{write_value(line.value)}</b> '
        f'<span class="us-aside">{line.depth} deep{end}</span> {moves}</li>\n'
    )


def _course(thought: Thought) -> str:
    if not thought.course:
        return ""
    rows = [(line.depth, *_course_row(thought, line)) for line in thought.course]
    table = make_table(["depth", "expects", "move"], rows)
    return f'<details class="us-section"><summary>What it held best at each depth</summary>{table}</details>'


def _course_row(thought: Thought, line: Line) -> tuple[str, str]:
    return write_value(line.value), " ".join(thought.write_line(line)[:1])


def _inputs(thought: Thought) -> str:
    if not thought.inputs:
        return ""
    resting = sorted(thought.inputs.items(), key=lambda named: -abs(named[1]))
    most = max(abs(number) for _, number in resting) or 1.0
    rows = "".join(_row(escape(name), make_tilt(number / most), f"{number:+.2f}") for name, number in resting)
    meaning = "how much the expected result rests on what the network sees, for (right) and against (left)"
    return _section("Inputs", f'<ul class="us-rows us-wordy">{rows}</ul>', meaning=meaning)
