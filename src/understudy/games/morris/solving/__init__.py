"""Endgames of Morris solved: spaces numbered, looked at from their ends, kept as tables, made by many workers."""

from understudy.games.morris.solving.making import PER_SECOND, USUAL, count_missing, make_tables, summarise_all
from understudy.games.morris.solving.spaces import read_stones
from understudy.games.morris.solving.tables import Tables, look_up, open_tables, usual_folder
from understudy.games.morris.solving.verifying import verify

__all__ = [
    "PER_SECOND",
    "USUAL",
    "Tables",
    "count_missing",
    "look_up",
    "make_tables",
    "open_tables",
    "read_stones",
    "summarise_all",
    "usual_folder",
    "verify",
]
