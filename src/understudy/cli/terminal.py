"""The terminal of a person: what is said, asked and waited for; a pipe serves as well."""

from __future__ import annotations

import contextlib
import os
import shutil
import sys
import textwrap
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor, wait
from typing import TYPE_CHECKING, Any, TypeVar

import click

if TYPE_CHECKING:
    from understudy.games import CompiledGame
    from understudy.match import Course

T = TypeVar("T")

SOON = 0.3
"""Seconds after which a person wants to see that something is going on."""
GLANCE = 0.1
"""Seconds between two looks at what is going on: people read no faster."""
WIDEST = 100
"""Letters of a line; longer ones are hard to read."""


class Terminal:
    """Where a person reads and answers."""

    def __init__(self) -> None:
        self.colour = sys.stdout.isatty() and "NO_COLOR" not in os.environ and os.environ.get("TERM") != "dumb"
        # One thread does all the thinking: searches keep their tables by thread. This one stays free to hear Ctrl-C.
        self._thread = ThreadPoolExecutor(1)
        if sys.stdin.isatty():
            with contextlib.suppress(ImportError):  # Windows has no line editing of this kind, and needs none
                import readline  # noqa: F401

    def say(self, text: str = "") -> None:
        """Print text as it is."""
        click.echo(text)

    def tell(self, text: str) -> None:
        """Print prose, broken where the window ends."""
        width = min(shutil.get_terminal_size().columns, WIDEST)
        click.echo("\n".join(textwrap.fill(line, width, break_on_hyphens=False) for line in text.split("\n")))

    def ask(self, question: str) -> str:
        """Return the answer without blanks around it; EOFError where there is none to come."""
        answer = input(f"{question} ")
        if not sys.stdin.isatty():
            click.echo(answer)  # so that what comes out of a pipe reads like what stands on a screen
        return answer.strip()

    def confirm(self, question: str) -> bool:
        """Ask until the answer is yes or no; no answer is no."""
        while True:
            try:
                answer = self.ask(f"{question} (y/n)").lower()
            except EOFError:
                self.say()
                return False
            if answer in ("y", "yes", "n", "no"):
                return answer.startswith("y")

    def attend(self, work: Callable[[], T], note: Callable[[], str]) -> T:
        """Return what *work* returns; if it takes a while, a terminal shows the *note*, and Ctrl-C is heard."""
        task = self._thread.submit(work)
        wait([task], SOON)
        if not task.done():
            with _status(note()) as update:
                while not wait([task], GLANCE).done:
                    update(note())
        return task.result()


@contextlib.contextmanager
def _status(first: str) -> Any:
    """Show a line that changes, on a terminal alone."""
    from rich.console import Console

    console = Console(stderr=True)
    if not console.is_terminal:
        yield lambda note: None
        return
    with console.status(first) as status:
        yield status.update


def draw(game: CompiledGame, course: Course, *, colour: bool = False) -> str:
    """Return the board of a game, its last move marked, and below it what the board does not show."""
    from understudy.games.drawing import draw_text
    from understudy.pictures.traces import find_changes

    stones = game.stones(course.position)
    before = game.stones(course.history[-1]) if course.history else stones
    board = draw_text(game.board, stones, marked=find_changes(before, stones), colour=colour)
    status = game.status(course.position) if course.played is None else ""
    return f"{board}\n{status}" if status else board
