"""Options as frozen dataclasses, from text or TOML: unknown keys are errors, a default is written once."""

from __future__ import annotations

import dataclasses
import json
import math
import os
import re
import tomllib
import types
from collections.abc import Mapping, Sequence
from copy import deepcopy
from pathlib import Path
from typing import Any, TypeVar, get_args, get_origin, get_type_hints

from understudy.errors import BadOption, FileError, UnknownName

T = TypeVar("T")

WANTED = {int: "a whole number", float: "a number", bool: "true or false", str: "text", tuple: "a list"}

LARGEST = 1 << 63
"""Whole numbers of arrays and files are smaller."""
MOST_THREADS = 1024
"""No machine of today has more cores, and each thread takes memory."""
LONGEST = 100
"""Characters of a value in a message."""


def build(kind: type[T], options: Mapping[str, Any], *, place: str) -> T:
    """Return a dataclass of type *kind* from text or TOML values; *place* names where the options stand, for errors."""
    fields = [field.name for field in dataclasses.fields(kind)]  # type: ignore[arg-type]
    for name in options:
        if name not in fields:
            raise UnknownName(f"option of {place}", name, fields) if fields else BadOption(f"{place} takes no options")
    hints = get_type_hints(kind)
    return kind(**{name: _typed(hints[name], value, f"{place}: {name}") for name, value in options.items()})


def _typed(hint: Any, value: Any, place: str) -> Any:
    kinds = get_args(hint) if isinstance(hint, types.UnionType) else (hint,)
    kind = next(kind for kind in kinds if kind is not types.NoneType)
    if get_origin(kind) is tuple:
        return _listed(get_args(kind)[0], value, place)
    if isinstance(value, str) and kind is not str:
        value = _read(kind, value, place)
    check_plain(value, place)
    if kind is float and type(value) is int:
        return float(value)
    if type(value) is not kind:
        raise BadOption(f"{place} must be {WANTED[kind]}, not {shown(value)}")
    return value


def _read(kind: Any, text: str, place: str) -> Any:
    """Return a number or a truth written as text."""
    try:
        return {"true": True, "false": False}[text] if kind is bool else kind(text)
    except (KeyError, ValueError):
        raise BadOption(f"{place} must be {WANTED[kind]}, not {shown(text)}") from None


def _listed(kind: Any, value: Any, place: str) -> Any:
    if not isinstance(value, list | tuple):
        raise BadOption(f"{place} must be a list, not {shown(value)}")
    return tuple(_typed(kind, item, place) for item in value)


def check_range(place: str, value: float | None, low: float, high: float) -> None:
    """Raise unless *value* is None or a number from *low* to *high*."""
    if value is not None and not low <= value <= high:
        raise BadOption(f"{place} must be from {low:g} to {high:g}, not {shown(value)}")


def check_plain(value: Any, place: str) -> None:
    """Raise unless *value* is made of texts, truths, numbers that a machine can count with, lists and tables.

    TOML knows dates, infinity and whole numbers without end, too; no setting is one, and other files cannot hold them.
    """
    if isinstance(value, Mapping):
        for key, item in value.items():
            check_plain(item, f"{place}.{key}" if place else str(key))
    elif isinstance(value, list | tuple):
        for item in value:
            check_plain(item, place)
    elif isinstance(value, float) and not math.isfinite(value):
        raise BadOption(f"{place} must be a finite number, not {value}")
    elif isinstance(value, int) and abs(value) >= LARGEST:
        raise BadOption(f"{place} must be a number below 2^63, not {shown(value)}")
    elif not isinstance(value, str | int | float | None):
        raise BadOption(f"{place} = {value} is a {type(value).__name__}, and no setting is one; write it as text")


def shown(value: Any) -> str:
    """Return a value as a message tells it: not too long, whatever it is."""
    try:
        text = repr(value)
    except ValueError:  # Python writes no number of more than some thousand digits
        return "a number of thousands of digits"
    except RecursionError:
        return "lists within lists"
    return text if len(text) <= LONGEST else f"{text[: LONGEST - 3]}..."


def read_threads() -> int | None:
    """Return how many threads a network may use, as UNDERSTUDY_THREADS says; None if it says nothing."""
    text = os.environ.get("UNDERSTUDY_THREADS", "").strip()
    if not text:
        return None
    threads: int = _read(int, text, "UNDERSTUDY_THREADS")
    check_range("UNDERSTUDY_THREADS", threads, 1, MOST_THREADS)
    return threads


def load_toml(path: Path) -> dict[str, Any]:
    """Return what a TOML file says."""
    try:
        settings = read_toml(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise FileError(f"there is no experiment file {str(path)!r}") from None
    except (OSError, UnicodeDecodeError) as error:
        raise FileError(f"cannot read {str(path)!r}: {getattr(error, 'strerror', None) or 'it is not text'}") from None
    except BadOption as error:
        raise FileError(f"{str(path)!r}: {error}") from None
    except ValueError as error:  # what is no TOML, and a path with a NUL, which no file has
        raise FileError(f"{str(path)!r} is not TOML: {error}") from None
    return settings


def read_toml(text: str) -> dict[str, Any]:
    """Return what TOML says; text that is none is a ValueError, what no setting can be a BadOption."""
    try:
        settings = tomllib.loads(text)
        check_plain(settings, "")
    except RecursionError:
        raise ValueError("it is nested too deeply") from None
    return settings


def overridden(settings: Mapping[str, Any], changes: tuple[str, ...]) -> dict[str, Any]:
    """Return *settings* with each change of the form `section.key=value` made; a value is TOML, or else plain text.

    Without a value the key is unset; empty text is written `""`.
    """
    result = deepcopy(dict(settings))
    for change in changes:
        path, text = read_change(change)
        if text:
            put(result, path, _toml_value(text, ".".join(path)))
        else:
            unset(result, path)
    return result


def read_change(change: str) -> tuple[list[str], str]:
    """Return the path of the key that a change is about, and the value as it is written."""
    name, equals, text = change.partition("=")
    path = name.strip().split(".")
    if not equals or not all(path):
        raise BadOption(f"--set {change!r} is not of the form section.key=value")
    return path, text.strip()


def put(table: dict[str, Any], path: Sequence[str], value: Any) -> None:
    """Set a key of nested tables; those on the way to it are made."""
    *sections, key = path
    for section in sections:
        if not isinstance(table.get(section), dict):
            table[section] = {}
        table = table[section]
    table[key] = value


def unset(table: Mapping[str, Any], path: Sequence[str]) -> None:
    """Remove a key from nested tables, if it is there."""
    if (holder := holder_of(table, path)) is not None:
        del holder[path[-1]]


def holder_of(table: Any, path: Sequence[str]) -> dict[str, Any] | None:
    """Return the one of nested tables in which a key is set; None if it is not."""
    for section in path[:-1]:
        table = table.get(section) if isinstance(table, dict) else None
    return table if isinstance(table, dict) and path[-1] in table else None


def _toml_value(text: str, place: str) -> Any:
    """Return what *text* says of a setting; what is no TOML is text without quotation marks."""
    try:
        value = tomllib.loads(f"value = {text}")["value"]
        check_plain(value, place)
    except BadOption:
        raise
    except (ValueError, RecursionError):
        return text
    return value


def write_toml(settings: Mapping[str, Any]) -> str:
    """Return settings as TOML text: plain keys first, then a table for each section."""
    lines = _keys(settings) + _tables(settings, "")
    return "\n".join(lines).lstrip("\n") + "\n"


def _tables(settings: Mapping[str, Any], path: str) -> list[str]:
    lines: list[str] = []
    for name, table in settings.items():
        if isinstance(table, dict):
            lines += ["", f"[{path}{_key(name)}]", *_keys(table), *_tables(table, f"{path}{_key(name)}.")]
    return lines


def _keys(table: Mapping[str, Any]) -> list[str]:
    return [f"{_key(key)} = {_written(value)}" for key, value in table.items() if not isinstance(value, dict)]


def _key(name: str) -> str:
    return name if re.fullmatch(r"[A-Za-z0-9_-]+", name) else _written(name)


def _written(value: Any) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, list | tuple):
        return "[" + ", ".join(_written(item) for item in value) + "]"
    if isinstance(value, str):
        return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")  # JSON's escapes are TOML's too
    return repr(value)
