"""The cells of a series: whole experiments written in one file, with what they share said once.

`[cells.NAME]` holds the sections of an experiment. `like` begins with the tables of other cells, or of `[shared.NAME]`,
which is no cell itself; `[cells.NAME.grid]` has a list of values for each of some keys, and makes a cell of every
combination, named by its values. A grid of `like` puts one of several tables over the cell: keys change together.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from copy import deepcopy
from itertools import product
from typing import Any

from understudy.config import put
from understudy.errors import BadOption, UnknownName

SERIES = "series"
"""The kind of experiments that are made of others."""
LIKE, GRID = "like", "grid"
"""Keys of a cell that say how it is made, and are no sections of an experiment."""


def expand_cells(settings: Mapping[str, Any]) -> dict[str, dict[str, Any]]:
    """Return the settings of every cell of a series by its name, in the order of the file."""
    tables = {name: _tables(settings, name) for name in ("shared", "cells")}
    both = tables["shared"] | tables["cells"]
    for name in tables["cells"]:
        if name in tables["shared"]:
            raise BadOption(f"[cells.{name}] and [shared.{name}] have one name; rename one of them")
    cells: dict[str, dict[str, Any]] = {}
    for name in tables["cells"]:
        for full, made in _spread(name, _resolve(name, both, ()), both):
            if full in cells:
                raise BadOption(f"two cells of the series are called {full!r}; rename one of them")
            cells[full] = made
    if not cells:
        raise BadOption("a series needs cells: [cells.NAME] with the sections of an experiment below it")
    return cells


def _tables(settings: Mapping[str, Any], section: str) -> dict[str, Any]:
    """Return the tables of a section by name."""
    tables = settings.get(section, {})
    for name, table in tables.items() if isinstance(tables, Mapping) else [("", None)]:
        if not isinstance(table, Mapping):
            raise BadOption(f"{section}.{name} = {table!r} must be a section: [{section}.{name}] with keys below it")
        if not re.fullmatch(r"\w+", name, re.ASCII):
            raise BadOption(f"[{section}.{name}]: a name of letters, digits and _ is needed, not {name!r}")
    return dict(tables)


def _resolve(name: str, tables: Mapping[str, Any], above: Sequence[str]) -> dict[str, Any]:
    """Return the table of a name, put over those that it is like."""
    if name in above:
        raise BadOption(f"[cells.{above[0]}]: like goes round in a circle: {' -> '.join((*above, name))}")
    table = deepcopy(dict(tables[name]))
    likes = table.pop(LIKE, [])
    return _merge(_resolve_likes(likes, tables, (*above, name)), table)


def _resolve_likes(likes: Any, tables: Mapping[str, Any], above: Sequence[str]) -> dict[str, Any]:
    """Return the tables that the last of those *above* is like, put one over another."""
    whole: dict[str, Any] = {}
    for other in [likes] if isinstance(likes, str) else likes:
        if other not in tables:
            raise UnknownName(f"like of cell {above[-1]!r}", str(other), tables)
        whole = _merge(whole, _resolve(other, tables, above))
    return whole


def _merge(below: Mapping[str, Any], above: Mapping[str, Any]) -> dict[str, Any]:
    """Return two tables as one; where both say something *above* counts, tables within them are put together."""
    merged = dict(below)
    for key, value in above.items():
        both = isinstance(value, Mapping) and isinstance(merged.get(key), Mapping)
        merged[key] = _merge(merged[key], value) if both else value
    return merged


def _spread(name: str, table: dict[str, Any], tables: Mapping[str, Any]) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield a cell for each combination of the values of its grid; without a grid the cell alone."""
    grid = dict(_flat(table.pop(GRID, {}), ""))
    for key, values in grid.items():
        if not isinstance(values, list) or not values:
            raise BadOption(f"cells.{name}.grid.{key} = {values!r} must be a list of values")
    for values in product(*grid.values()):
        made = deepcopy(table)
        for key, value in zip(grid, values, strict=True):
            if key == LIKE:
                made = _merge(made, _resolve_likes(value, tables, (name,)))
            else:
                put(made, key.split("."), value)
        yield "_".join([name, *map(_word, grid, values)]), made


def _flat(table: Any, path: str) -> Iterator[tuple[str, Any]]:
    """Yield the lists of a grid by their keys, whether these are written as tables or, in quotes, with points."""
    if isinstance(table, Mapping):
        for key, value in table.items():
            yield from _flat(value, f"{path}.{key}" if path else key)
    else:
        yield path, table


def _word(key: str, value: Any) -> str:
    """Return the value of a key as a part of a name; of several tables that it is like, the first."""
    shown = value[0] if key == LIKE and isinstance(value, list) and value else value
    return re.sub(r"[^A-Za-z0-9]+", "_", str(shown)).strip("_")


def games_of(settings: Mapping[str, Any]) -> str:
    """Return the game of an experiment; of a series the games of its cells, one after another."""
    about = settings.get("experiment", {})
    if about.get("kind") != SERIES:
        return str(about.get("game", "morris"))
    return ", ".join(dict.fromkeys(games_of(cell) for cell in expand_cells(settings).values()))
