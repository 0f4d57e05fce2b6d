"""Names of players as short as tells them apart: tables of them must fit a page."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

SHORT = 24
"""Letters of a name that needs no shortening."""


def shorten(names: Iterable[str]) -> tuple[dict[str, str], str]:
    """Return what to call each of some players, and a sentence that tells what they share and was left out.

    Of players of one family (`searcher:...`) only those options are named in which they differ, of one alone the first;
    a short name stays.
    """
    every = list(dict.fromkeys(names))
    called, notes = {name: name for name in every}, []
    families: dict[str, dict[str, list[str]]] = {}
    for name in every:
        family, _, options = name.partition(":")
        if options and all("=" in option for option in options.split(",")):
            families.setdefault(family, {})[name] = options.split(",")
    for family, players in families.items():
        shared = _find_shared(players) if len(players) > 1 else next(iter(players.values()))[1:]
        if shared and max(map(len, players)) > SHORT:
            called |= {name: _write(family, options, shared) for name, options in players.items()}
            notes.append(f"Every {family} here has {', '.join(shared)}.")
    return called, " ".join(notes)


def _find_shared(players: Mapping[str, list[str]]) -> list[str]:
    """Return the options that all players have alike, in the order of the first."""
    first, *others = players.values()
    return [option for option in first if all(option in other for other in others)]


def _write(family: str, options: list[str], shared: list[str]) -> str:
    own = [option for option in options if option not in shared]
    return f"{family}:{','.join(own)}" if own else family
