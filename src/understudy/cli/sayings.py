"""What a person may say in the terminal game instead of a move."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from understudy.cli.wording import word_hint
from understudy.errors import UnderstudyError
from understudy.players import make_player, prepare

if TYPE_CHECKING:
    from understudy.cli.sitting import Sitting

ADVISER = "searcher:time=1"
"""Who gives hints: any game has it, and a second is not long to wait."""
OVER = "The game is over."


class Saying(NamedTuple):
    """Something that a person may say."""

    act: Callable[[Sitting, str], None]
    """Does it; the text is what was said after the word."""
    takes: str
    help: str


def list_sayings(sitting: Sitting, rest: str) -> None:
    """Tell what can be said."""
    lines = [] if sitting.over else [f"  {_example(sitting):<18}a move is written like this"]
    lines += [f"  {f'{word} {saying.takes}':<18}{saying.help}" for word, saying in SAYINGS.items()]
    sitting.terminal.say("\n".join([*lines, "Brackets are around the cells that the last move changed."]))


def _example(sitting: Sitting) -> str:
    position = sitting.course.position
    return sitting.game.write_move(position, sitting.game.moves(position)[0])


def list_moves(sitting: Sitting, rest: str) -> None:
    """List the legal moves."""
    position = sitting.course.position
    texts = [sitting.game.write_move(position, move) for move in sitting.game.moves(position)]
    sitting.terminal.tell(" ".join(texts) if texts and not sitting.over else f"{OVER} There are no moves.")


def undo(sitting: Sitting, rest: str) -> None:
    """Take back the person's last move, and what was answered."""
    if not sitting.go_back():
        sitting.terminal.say("There is nothing to take back.")


def hint(sitting: Sitting, rest: str) -> None:
    """Tell what a good search would play here."""
    if sitting.over:
        sitting.terminal.say(OVER)
        return
    adviser = make_player(ADVISER, sitting.game)
    sitting.terminal.attend(lambda: prepare(adviser), lambda: f"{ADVISER} gets ready")
    thought = sitting.think_of(adviser)
    sitting.terminal.tell(word_hint(thought))
    sitting.explain(thought.value)


def tell_thoughts(sitting: Sitting, rest: str) -> None:
    """Tell what the opponent thinks here, or begin or end to tell it with each of its moves."""
    if sitting.opponent is None:
        sitting.terminal.say("Both sides are people's, and nobody can tell what a person thinks.")
    elif rest in ("on", "off"):
        sitting.thinks_aloud = rest == "on"
        sitting.terminal.say(f"{sitting.opponent.name} {SWITCHED[rest]}.")
    elif rest:
        sitting.terminal.say(f"'thoughts {rest}' is not 'thoughts', 'thoughts on' or 'thoughts off'.")
    elif sitting.over:
        sitting.terminal.say(OVER)
    else:
        _tell_thought(sitting)


SWITCHED = {"on": "will tell its thoughts with each of its moves", "off": "will keep its thoughts to itself"}


def _tell_thought(sitting: Sitting) -> None:
    assert sitting.opponent is not None
    try:
        sitting.terminal.say(str(sitting.think_of(sitting.opponent)))
    except UnderstudyError as error:
        sitting.terminal.tell(str(error))


def show_board(sitting: Sitting, rest: str) -> None:
    """Draw the board again."""
    sitting.show()


def write_position(sitting: Sitting, rest: str) -> None:
    """Write the position as text."""
    sitting.terminal.say(sitting.game.write(sitting.course.position))


def save(sitting: Sitting, rest: str) -> None:
    """Save the game, where it was saved before if no file is named."""
    file = Path(rest).expanduser() if rest else sitting.file
    if file is None:
        sitting.terminal.say("Say where: 'save FILE'.")
    else:
        sitting.save(file)


def resign(sitting: Sitting, rest: str) -> None:
    """Give the game up, if that is meant."""
    if sitting.over:
        sitting.terminal.say(OVER)
    elif sitting.terminal.confirm("Resign?"):
        sitting.give_up()


def quit_game(sitting: Sitting, rest: str) -> None:
    """Leave; what was not saved may be saved first."""
    if sitting.unsaved:
        answer = sitting.terminal.ask("Save the game first? (a file's name, or Enter for no)")
        if answer and not sitting.save(Path(answer).expanduser()):
            return
    sitting.leave()


SAYINGS = {
    "moves": Saying(list_moves, "", "list the legal moves"),
    "undo": Saying(undo, "", "take your last move back, and the answer to it"),
    "hint": Saying(hint, "", f"what {ADVISER} would play here"),
    "thoughts": Saying(tell_thoughts, "[on|off]", "what the opponent thinks here; on: with each of its moves"),
    "board": Saying(show_board, "", "draw the board again"),
    "position": Saying(write_position, "", "write the position as text, for other commands"),
    "save": Saying(save, "FILE", "save the game; `understudy play --continue FILE` goes on with it"),
    "resign": Saying(resign, "", "give the game up"),
    "quit": Saying(quit_game, "", "leave the game as it stands"),
    "help": Saying(list_sayings, "", "this list"),
}
"""What a person may say, by the word it begins with."""
ALIASES = {"?": "help", "exit": "quit", "back": "undo"}
"""Words that people try first."""
