"""How a player is written: a name, then options, `searcher:depth=4,evaluator=q`."""

from __future__ import annotations

from understudy.errors import BadOption


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
