"""How a player is written: a name, then options, `searcher:depth=4,evaluator=q`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from understudy.errors import BadOption


class PlayerKind(NamedTuple):
    """What makes a player: its class, its options, and the option that may stand without a key."""

    player: Any
    options: type[Any]
    main: str | None = None


def split_options(text: str, main: str | None = None) -> tuple[str, dict[str, str]]:
    """Return a player's name and options; the first option may stand without its key where there is a *main* one."""
    name, _, rest = text.partition(":")
    options: dict[str, str] = {}
    for place, piece in enumerate(rest.split(",") if rest else []):
        key, equals, value = (part.strip() for part in piece.partition("="))
        if not equals and place == 0 and main is not None:
            key, value = main, key
        elif not equals:
            raise BadOption(f"player {text!r}: {piece!r} is not of the form option=value")
        if key in options:
            raise BadOption(f"player {text!r}: option {key!r} is given twice")
        options[key] = value
    return name, options


def check_obeyed(options: Any, obeyed: Sequence[str], *, name: str, does: str) -> None:
    """Raise if an option is chosen that a player does not obey; one at its default counts as not chosen.

    *does* tells in a few words how the player called *name* plays.
    """
    usual = type(options)()
    for key, value in vars(options).items():
        if key not in obeyed and value != getattr(usual, key):
            told = f"{_listed(obeyed)} can be chosen, not {key}" if obeyed else f"{key} cannot be chosen"
            raise BadOption(f"player {name!r} {does}; {told}")


def _listed(names: Sequence[str]) -> str:
    return " and ".join(filter(None, (", ".join(names[:-1]), names[-1])))


PLAIN = ",method=minimax,ties=random"
"""What the name of plain minimax inside a kernel ends with."""


def plain_name(text: str) -> str:
    """Return the name of the player that `searcher:evaluator=q` was in online and offline experiments for a time.

    There it was plain minimax, one ply deep unless told, that took one of equals by chance, whatever else was said.
    """
    name, options = split_options(text)
    told = {key: value for key, value in options.items() if key not in ("method", "ties")}
    told.setdefault("depth", "1")
    return f"{name}:" + ",".join(f"{key}={value}" for key, value in told.items()) + PLAIN


def former_name(text: str) -> str:
    """Return the name that plain minimax had at that time.

    Seeds of games and fingerprints of trainings are made of names, so that those of that time stay the same.
    """
    return text.removesuffix(PLAIN)
