"""Games kept for a day in one SQLite file: a reload, a dropped socket or a restarted server loses none."""

from __future__ import annotations

import sqlite3
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

import msgspec

from understudy.errors import FileError
from understudy.files import make_folder
from understudy.locks import locked
from understudy.sums import check_text, seal_text

DAY = 86_400.0
"""Seconds for which a game is kept after it was last touched."""
MOST = 20_000
"""Games in all; some ten kilobytes each. The oldest are forgotten first."""


CURE = "stop it, or give this server another file with --games FILE"
"""What to do where another server has the file."""


class Store:
    """A file of games by their names; used by one thread.

    One server at a time has it: games under way are held in memory, and the later of two writers would win silently.
    """

    def __init__(self, path: Path) -> None:
        make_folder(path.parent)
        self.path = path
        with ExitStack() as opening:
            opening.enter_context(locked(path, cure=CURE))
            # Opened in one thread and used in that of the event loop: in one at a time.
            with self._refusing("open"):
                self.file = sqlite3.connect(path, isolation_level=None, timeout=5.0, check_same_thread=False)
            opening.callback(self.file.close)
            self._prepare()
            self.opened = opening.pop_all()

    def _prepare(self) -> None:
        with self._refusing("keep games in"):
            self.file.execute("PRAGMA journal_mode = WAL")
            self.file.execute("PRAGMA synchronous = FULL")  # what is kept is on the disk, also if the power fails
            self.file.execute(
                "CREATE TABLE IF NOT EXISTS games (id TEXT PRIMARY KEY, touched REAL NOT NULL, game TEXT NOT NULL)"
            )
            self.forget()

    @contextmanager
    def _refusing(self, what: str) -> Iterator[None]:
        """Tell in one sentence what SQLite says, such as that a disk is full or may only be read."""
        try:
            yield
        except sqlite3.Error as error:
            raise FileError(f"cannot {what} {str(self.path)!r}: {error}") from None

    def save(self, name: str, game: dict[str, Any]) -> None:
        """Keep a game as it stands now, with its sum."""
        row = name, time.time(), seal_text(msgspec.json.encode(game).decode())
        with self._refusing("keep the game in"):
            self.file.execute("INSERT OR REPLACE INTO games VALUES (?, ?, ?)", row)

    def load(self, name: str) -> dict[str, Any] | None:
        """Return a game, or None if there is none of this name."""
        with self._refusing("read the game in"):
            found = self.file.execute("SELECT game FROM games WHERE id = ?", (name,)).fetchone()
        if found is None:
            return None
        check_text(found[0].encode(), self.path)
        try:
            return msgspec.json.decode(found[0], type=dict[str, Any])
        except msgspec.DecodeError as error:  # where the sum itself has gone
            raise FileError(f"the game {name!r} in {str(self.path)!r} is damaged: {error}") from None

    def forget(self) -> None:
        """Delete the games that nobody has touched for a day, and the oldest of too many."""
        self.file.execute("DELETE FROM games WHERE touched < ?", (time.time() - DAY,))
        self.file.execute(
            "DELETE FROM games WHERE id IN (SELECT id FROM games ORDER BY touched DESC LIMIT -1 OFFSET ?)", (MOST,)
        )

    def close(self) -> None:
        """Let go of the file."""
        self.opened.close()
