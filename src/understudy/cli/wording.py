"""What the terminal game says: values, choices and ends in words."""

from __future__ import annotations

from typing import TYPE_CHECKING

from understudy.thoughts import Thought, write_end

if TYPE_CHECKING:
    from understudy.games import CompiledGame
    from understudy.match import Course
    from understudy.protocols import Choice

OPINIONS = (
    (0.99, "a won game"),
    (0.5, "a winning position"),
    (0.15, "a better position"),
    (-0.15, "an even game"),
    (-0.5, "a worse position"),
    (-0.99, "a losing position"),
    (-2.0, "a lost game"),
)
"""What a value above so much means, the highest first; the steps are chosen by ear."""
SCALE = "The number is the result that is expected: -1 lost, 0 even, +1 won."
OTHERS = 2
"""Moves besides its own that a player's mind is told by."""


def word_value(value: float, whom: str) -> str:
    """Return an expected result in words and as a number, and for *whom* it is."""
    words = next(words for least, words in OPINIONS if value > least)
    return f"{words} for {whom} ({value:+.2f})"


def word_choice(game: CompiledGame, position: object, choice: Choice, thought: Thought | None, *, name: str) -> str:
    """Return what a player plays, what it expects and how sure it is, as far as it knows."""
    text = f"{name} plays {game.write_move(position, choice.move)}."
    if thought is not None and thought.kind == "probability":
        text += _word_shares(thought)
    if choice.value is not None:
        end = thought.plies if thought is not None else None
        return f"{text} It sees {word_value(choice.value, 'itself')}{'' if end is None else f', and {write_end(end)}'}."
    return text


def _word_shares(thought: Thought) -> str:
    """Return how likely a player's move was, and which others came next; nothing if it has no favourite."""
    legal = [one for one in thought.moves if one.legal and one.number is not None]
    shares = {one.move: one.number or 0.0 for one in legal}
    if thought.choice.move not in shares or max(shares.values()) == min(shares.values()):
        return ""
    others = [one for one in legal if one.move != thought.choice.move][:OTHERS]
    rest = "".join(f", {thought.write(one.move)} {one.number:.0%}" for one in others)
    return f" It gave this move {shares[thought.choice.move]:.0%}{rest}."


def word_hint(thought: Thought) -> str:
    """Return an adviser's thought in two sentences: the move, what it is worth, and what is expected to follow."""
    line = thought.write_line(thought.lines[0])[1:] if thought.lines else []
    hopes = [] if thought.value is None else [f"sees {word_value(thought.value, 'you')}"]
    hopes += [f"expects {' '.join(line)} to follow"] * bool(line)
    text = f"{thought.player} would play {thought.write(thought.choice.move)}."
    return f"{text} It {' and '.join(hopes)}." if hopes else text


def word_loss(choice: Choice, *, name: str) -> str:
    """Return why a player has lost that chose nothing, or nothing that the rules allow."""
    if choice.fault is not None:
        return f"{name} could not move ({choice.fault}), and loses for it."
    checked = name.startswith("student") and "check=" not in name
    advice = f" (Students that learn the rules by watching keep to them with {name},check=legal.)" if checked else ""
    return f"{name} chose a move that the rules do not allow, and loses for it.{advice}"


def word_end(game: CompiledGame, course: Course, person: int | None) -> str:
    """Return how a game ended; *person* is the side of a person against a player, None if both sides are people's."""
    assert course.played is not None
    result, reason = course.played.result, course.played.reason
    if reason == "repetition":
        reason = f"repetition, because this position has occurred {game.conventions.repetition} times"
    if reason == "ply limit":
        reason = f"ply limit, because a game of {game.conventions.ply_limit} plies is called a draw"
    if meaning := game.explain(reason):
        reason = f"{reason} ({meaning})"
    if result == 0:
        return f"A draw: {reason}."
    winner = 0 if result > 0 else 1
    if person is None:
        return f"{game.colours[winner].title()} wins: {reason}."
    return f"{'You win' if winner == person else 'You lose'}: {reason}."


def word_conventions(game: CompiledGame) -> str:
    """Return what ends a game besides its rules; nothing where no position can come again."""
    from understudy.match import tell_more

    repetition, limit = game.conventions.repetition, game.conventions.ply_limit
    if not repetition:
        return ""
    often = "twice" if repetition == 2 else f"{repetition} times"
    told = f"As in a match, a position that occurs {often} is a draw, and so is a game of {limit} plies."
    return told + tell_more(game.conventions)


def word_colour(game: CompiledGame, side: int) -> str:
    """Return a side's colour, and how its stones look in text."""
    from understudy.games.drawing import MARKS

    pieces = any(stone not in MARKS for stone in game.stones(game.start()))  # a piece's letter shows whose it is
    looks = ("capital letters", "small letters")[side] if pieces else MARKS[game.colours[side]]
    return f"{game.colours[side]} ({looks})"
