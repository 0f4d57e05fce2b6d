"""The table of what others publish, and where data lies that experiments name.

Every study says in `sources.toml` which files it uses: their names here, addresses, licences, sizes and SHA-256. A file
has one name; a group names one file or several, and a group of one file is another name of it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from difflib import get_close_matches
from functools import cache
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from understudy.config import load_toml
from understudy.errors import FileError, UnknownName
from understudy.files import DATA, data_folder, data_place

STUDIES = Path(__file__).parents[1] / "studies"
"""The folder of each study has a folder of experiments, and a table of sources if it uses what others publish."""

MONTH = "{month}"
MONTHS = r"(20\d\d-(?:0[1-9]|1[0-2]))"
"""How a month is written."""


@dataclass(frozen=True, kw_only=True)
class Source:
    """A file that somebody publishes."""

    name: str
    """Where it lies in the folder of data, such as nnmm/DATASET.complete.txt."""
    study: str
    about: str
    groups: tuple[str, ...]
    address: str
    licence: str
    size: int | None
    """In bytes; None if we have never seen it."""
    sha256: str
    """Empty if the publisher's list tells it."""
    sums: str = ""
    """The address of that list."""
    holds: str = ""
    """The file inside, by its name here, where the user has to unpack it."""

    @property
    def file(self) -> str:
        """Return what its publisher calls it."""
        return Path(urlsplit(self.address).path).name

    @property
    def asked(self) -> str:
        """Return what one asks `understudy fetch` for."""
        return self.groups[0]


@dataclass(frozen=True)
class Months:
    """Files of one kind, one for each month."""

    pattern: re.Pattern[str]
    """How any of them is named, by group or by file."""
    first: Source
    """The first of them."""
    month: str

    def find(self, name: str) -> Source | None:
        """Return the file of the month that *name* tells, if it is one of these."""
        match = self.pattern.fullmatch(name)
        month = "" if match is None else match[1] or match[2]
        if month < self.month:
            return None
        one = self.first
        return replace(
            one,
            name=one.name.replace(self.month, month),
            groups=tuple(group.replace(self.month, month) for group in one.groups),
            address=one.address.replace(self.month, month),
        )


def all_sources() -> list[Source]:
    """Return what the studies use, by study; of what comes each month only the first."""
    sets, months = _tables(STUDIES)
    return [*sets, *(one.first for one in months)]


def find_sources(names: Iterable[str]) -> list[Source]:
    """Return the files that names of files and groups tell, each once; an unknown name is an error with a guess."""
    sources = {source.name: source for name in names for source in _find(name.removeprefix(DATA), guess=True)}
    return list(sources.values())


def _find(name: str, *, guess: bool = False) -> list[Source]:
    sets, months = _tables(STUDIES)
    if several := [source for source in sets if name == source.name or name in source.groups]:
        return several
    if monthly := [source for one in months if (source := one.find(name)) is not None]:
        return monthly
    groups = list(dict.fromkeys(group for source in all_sources() for group in source.groups))
    if guess:
        # All names of files would be a page: they are told only where one of them is near.
        near = get_close_matches(name, [*groups, *(source.name for source in sets)], n=1)
        raise UnknownName("data", name, near or groups)
    return []


@cache
def _tables(folder: Path) -> tuple[list[Source], list[Months]]:
    sets: list[Source] = []
    months: list[Months] = []
    for path in sorted(folder.glob("*/sources.toml")):
        table = load_toml(path)
        sets.extend(source for one in table.get("sets", ()) for source in _read_set(one, path.parent.name))
        months.extend(_read_months(one, path.parent.name) for one in table.get("monthly", ()))
    return sets, months


def _read_set(table: Mapping[str, Any], study: str) -> Iterator[Source]:
    for file, size, sha256 in table["files"]:
        yield Source(
            name=f"{table['folder']}/{file}",
            study=study,
            about=table["about"],
            groups=tuple(table["groups"]),
            address=table["address"].format(file=file),
            licence=table["licence"],
            size=size or None,
            sha256=sha256,
            holds=f"{table['folder']}/{table['holds']}" if "holds" in table else "",
        )


def _read_months(table: Mapping[str, Any], study: str) -> Months:
    group, file = f"{table['folder']}/{table['name']}", f"{table['folder']}/{table['file']}"
    patterns = (re.escape(text).replace(re.escape(MONTH), MONTHS) for text in (group, file))
    month = table["first"]
    first = Source(
        name=file.replace(MONTH, month),
        study=study,
        about=table["about"],
        groups=(group.replace(MONTH, month),),
        address=table["address"].format(file=table["file"].replace(MONTH, month)),
        licence=table["licence"],
        size=None,
        sha256="",
        sums=table["sums"],
    )
    return Months(re.compile("|".join(patterns)), first, month)


def locate(name: str, folder: Path) -> Path:
    """Return where a file lies that an experiment names; *folder* is where relative names start."""
    if not name.startswith(DATA):
        return folder / name
    name = name.removeprefix(DATA)
    several = _find(name)
    return data_place() / (several[0].name if len(several) == 1 else name)


def check_file(name: str, folder: Path, *, needed_by: str) -> Path:
    """Return where a file lies, or raise: one sentence that says where it is looked for and how to get it."""
    path = locate(name, folder)
    if path.is_file():
        return path
    if not name.startswith(DATA):
        raise FileError(f"{needed_by} needs {str(path)!r}, and there is no such file")
    command = fetch_command([name])
    way = f"get it with `{command}`" if command else find_packed(name) or "nobody publishes it: put it there"
    raise FileError(
        f"{needed_by} needs the data {name.removeprefix(DATA)!r}, and it is not in {str(data_folder())!r}; {way}, "
        "or let the variable UNDERSTUDY_DATA name the folder that holds it"
    )


def find_packed(name: str) -> str:
    """Return how to get a file that is published inside another, which the user has to unpack; nothing if it is not."""
    holders = [source for source in all_sources() if source.holds == name.removeprefix(DATA)]
    return f"get {holders[0].file} with `understudy fetch {holders[0].asked}` and unpack it there" if holders else ""


def fetch_command(names: Iterable[str]) -> str:
    """Return the command that fetches data; nothing if one of the names is not to be had."""
    several = [_find(name.removeprefix(DATA)) for name in names]
    asked = dict.fromkeys(source.asked for sources in several for source in sources)
    return f"understudy fetch {' '.join(asked)}" if several and all(several) else ""
