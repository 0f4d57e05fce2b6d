"""Every error a user can cause: one base class, one line each.

Each class also inherits the builtin a Python programmer would catch. A message names the thing, the value and the
place; the command line prints it without a traceback and exits with code 2.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from difflib import get_close_matches


class UnderstudyError(Exception):
    """The base of all errors that bad input or a bad outside program can cause."""


class IllegalMove(UnderstudyError, ValueError):
    """A move that the rules do not allow in this position."""


class NotationError(UnderstudyError, ValueError):
    """Text that is not a position or a move of the game."""


class BadOption(UnderstudyError, ValueError):
    """An option that does not exist here, or has a value it cannot take."""


class EngineError(UnderstudyError, RuntimeError):
    """An outside engine that is missing, or does not answer as an engine should."""


class BackendError(UnderstudyError, RuntimeError):
    """Workers that are missing, cannot be reached, or failed the same task again and again."""


class FileError(UnderstudyError, OSError):
    """A file that cannot be read, written or understood."""


class MissingPackage(UnderstudyError, ImportError):
    """A package that only some need, and that is not installed."""

    def __init__(self, what: str, package: str, extra: str) -> None:
        super().__init__(f"{what} needs {package}, which comes with: pip install 'understudy-games[{extra}]'")


def first_line(error: BaseException) -> str:
    """Return what somebody else's error says, in one line."""
    return " ".join(str(error).split("\n")[0].split()) or type(error).__name__


@contextmanager
def understood(what: str) -> Iterator[None]:
    """Say that *what*, a file that somebody may have changed, is of another shape, whatever that makes of our code.

    For places where a file's content is taken apart: to ask of each of its values what it is would bury what is done.
    """
    try:
        yield
    except UnderstudyError:
        raise
    except (ArithmeticError, AttributeError, LookupError, RecursionError, TypeError, ValueError) as error:
        raise FileError(f"{what} is not of the shape it should have: {_told(error)}") from error


def _told(error: BaseException) -> str:
    return f"there is no {error}" if isinstance(error, KeyError) else first_line(error)


class UnknownName(UnderstudyError, KeyError):
    """A name that is in none of the tables."""

    def __init__(self, kind: str, name: str, known: Iterable[str]) -> None:
        self.kind, self.name, self.known = kind, name, tuple(known)
        super().__init__(kind, name, self.known)

    def __str__(self) -> str:
        near = get_close_matches(str(self.name).lower(), self.known, n=1)
        hint = f"did you mean {near[0]!r}?" if near else f"there are: {', '.join(self.known)}"
        return f"no {self.kind} {self.name!r}; {hint}"
