"""What the documentation site shows besides docs/, and where links lead there: a hook of MkDocs (`make docs`).

Cards of students, the changelog and their like stay where they are in the repository and are shown as pages; the pages
of the command line are made of its own help, those of the Python names of their docstrings. Nothing of it is written
into docs/.
"""

from __future__ import annotations

import os
import posixpath
import re
import sys
from collections.abc import Callable
from pathlib import Path

import click
from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files
from mkdocs.structure.pages import Page

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT / "src"))
os.environ["COLUMNS"] = "80"  # the help is as wide as a page, whatever the terminal

from understudy.cli import HEADINGS, commands  # noqa: E402

CARDS = "src/understudy/students"
SHOWN = {
    "CHANGELOG.md": "changelog.md",
    "CONTRIBUTING.md": "contributing.md",
    "SECURITY.md": "security.md",
    "README.md": "index.md",
    **{f"{CARDS}/{card.name}": f"cards/{card.name}" for card in sorted((ROOT / CARDS).glob("*.md"))},
}
"""Pages that are not in docs/: where they are in the repository, and on the site, where docs/index.md is the README."""
FOR_CARDS = "cards"
"""What stands in the navigation for a list of all cards."""

API = {
    "functions": ("Functions", {"door": "def"}),
    "faces": ("Games, positions, players", {"faces": "class"}),
    "results": ("Results", {"results": "class"}),
    "thoughts": ("Thoughts and errors", {"thoughts": "class", "errors": "class"}),
}
"""Pages of the Python names: title; modules, and whether their functions or their classes are for users."""

FENCED = re.compile(r"(?ms)(^```.*?^```[ ]*$)")
LINK = re.compile(r"(?<=\]\()(?P<target>[^)#:\s]+)(?P<anchor>#[^)\s]*)?(?=\))")


def on_config(config: MkDocsConfig) -> MkDocsConfig:
    """List all cards where the navigation says so."""
    cards = [{f"student:{Path(place).stem}": place} for place in SHOWN.values() if place.startswith("cards/")]
    config.nav = _fill(config.nav, cards)
    return config


def _fill(nav: object, cards: list[dict[str, str]]) -> object:
    if isinstance(nav, dict):
        return {title: cards if below == FOR_CARDS else _fill(below, cards) for title, below in nav.items()}
    return [_fill(one, cards) for one in nav] if isinstance(nav, list) else nav


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Add the pages that are not in docs/."""
    for source, place in SHOWN.items():
        if files.get_file_from_path(place) is None:
            files.append(File.generated(config, place, content=(ROOT / source).read_text(encoding="utf-8")))
    for place, text in {**_command_pages(), **_api_pages()}.items():
        files.append(File.generated(config, place, content=text))
    for linked in sorted(_linked_sources()):
        place = f"source/{linked.relative_to(ROOT)}"
        files.append(File.generated(config, place, abs_src_path=str(linked)))
    return files


def _linked_sources() -> set[Path]:
    """Return what pages link to and what is no page: a notebook, say."""
    pages = [*(ROOT / "docs").rglob("*.md"), *(ROOT / source for source in SHOWN)]
    texts = ((page, FENCED.sub("", page.read_text(encoding="utf-8"))) for page in pages)
    linked = {(page.parent / match["target"]).resolve() for page, text in texts for match in LINK.finditer(text)}
    return {one for one in linked if one.is_file() and one.suffix != ".md" and ROOT / "docs" not in one.parents}


def _command_pages() -> dict[str, str]:
    """Return a page for each heading of `understudy --help`, and one that lists them."""
    pages = {"commands/index.md": f"# The command line\n\n{_help((), commands)}"}
    for heading, listed in HEADINGS.items():
        told = [f"## {command.name}\n\n{_help((str(command.name),), command)}" for command in listed]
        pages[f"commands/{heading.lower()}.md"] = "\n".join([f"# Commands: {heading.lower()}\n", *told])
    return pages


def _help(names: tuple[str, ...], command: click.Command) -> str:
    context = click.Context(commands, info_name="understudy", **commands.context_settings)
    if names:
        context = click.Context(command, info_name=names[0], parent=context)
    return f"```text\n{command.get_help(context)}\n```\n"


def _api_pages() -> dict[str, str]:
    """Return pages of directives, which mkdocstrings fills from docstrings."""
    pages = {}
    for name, (title, modules) in API.items():
        shown = [_members(module, kind) for module, kind in modules.items()]
        pages[f"api/{name}.md"] = "\n".join([f"# {title}\n", *shown])
    return pages


def _members(module: str, kind: str) -> str:
    text = (ROOT / "src" / "understudy" / f"{module}.py").read_text(encoding="utf-8")
    names = ", ".join(re.findall(rf"(?m)^{kind} ([a-zA-Z]\w*)", text))
    return (
        f"::: understudy.{module}\n    options:\n      show_root_heading: false\n      show_root_toc_entry: false\n"
        f"      members: [{names}]\n"
    )


def on_page_markdown(markdown: str, page: Page, config: MkDocsConfig, files: Files) -> str:
    """Let links lead to where things are on the site, and write lists as this Markdown wants them."""
    inside = page.file.src_uri
    outside = {place: source for source, place in SHOWN.items() if source != "README.md"}
    source = outside.get(inside, f"docs/{inside}")
    return _outside_code(markdown, lambda text: _indent(_relink(text, source, inside)))


def _outside_code(markdown: str, change: Callable[[str], str]) -> str:
    return "".join(part if part.startswith("```") else change(part) for part in FENCED.split(markdown))


def _indent(text: str) -> str:
    """Indent what belongs to an item of a list by four: GitHub is content with two, this Markdown is not."""
    return re.sub(r"(?m)^ {2,3}(?=\S)", "    ", text)


def _relink(text: str, source: str, inside: str) -> str:
    """Turn links between files of the repository into links between pages of the site."""

    def turn(match: re.Match[str]) -> str:
        target = posixpath.normpath(posixpath.join(posixpath.dirname(source), match["target"]))
        in_docs = target.startswith("docs/")
        place = SHOWN.get(target) or (target.removeprefix("docs/") if in_docs else f"source/{target}")
        return posixpath.relpath(place, posixpath.dirname(inside) or ".") + (match["anchor"] or "")

    return LINK.sub(turn, text)
