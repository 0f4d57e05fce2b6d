"""Options as frozen dataclasses: text becomes typed values, unknown keys are errors, a default is written once."""

from __future__ import annotations

import dataclasses
import types
from collections.abc import Mapping
from typing import Any, TypeVar, get_args, get_type_hints

from understudy.errors import BadOption, UnknownName

T = TypeVar("T")


def build(kind: type[T], options: Mapping[str, str], *, place: str) -> T:
    """Return a dataclass of type *kind* from text; *place* names where the options stand, for errors."""
    fields = [field.name for field in dataclasses.fields(kind)]  # type: ignore[arg-type]
    for name in options:
        if name not in fields:
            raise UnknownName(f"option of {place}", name, fields) if fields else BadOption(f"{place} takes no options")
    hints = get_type_hints(kind)
    return kind(**{name: _typed(hints[name], text, f"{place}: {name}") for name, text in options.items()})


def _typed(hint: Any, text: str, place: str) -> Any:
    kinds = get_args(hint) if isinstance(hint, types.UnionType) else (hint,)
    kind = next(kind for kind in kinds if kind is not types.NoneType)
    if kind is str:
        return text
    try:
        return kind(text)
    except ValueError:
        wanted = {int: "a whole number", float: "a number"}[kind]
        raise BadOption(f"{place} must be {wanted}, not {text!r}") from None


def check_range(place: str, value: float | None, low: float, high: float) -> None:
    """Raise unless *value* is None or a number from *low* to *high*."""
    if value is not None and not low <= value <= high:
        raise BadOption(f"{place} must be from {low:g} to {high:g}, not {value:g}")
