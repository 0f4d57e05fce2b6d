"""Pages: links and anchors lead somewhere, pictures have a text, all are on the site, and the site builds strictly."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections import Counter
from functools import cache
from importlib.util import find_spec
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
DOCS = ROOT / "docs"
PAGES = sorted([*ROOT.glob("*.md"), *DOCS.rglob("*.md"), *(ROOT / "src").rglob("*.md")])
FENCED = re.compile(r"(?ms)^ *```.*?^ *```[ ]*$")
LINK = re.compile(r"(?<!!)\[(?P<text>[^\]]*)\]\((?P<target>[^)#\s]*)(?:#(?P<anchor>[^)\s]*))?\)")
PICTURE = re.compile(r"!\[(?P<text>[^\]]*)\]\((?P<target>[^)\s]+)\)")
LOADED = r'(?:script|img|iframe|source|link rel="(?:stylesheet|icon|preconnect|preload)")'
FETCHED = re.compile(rf'<{LOADED}[^>]*(?:src|href)="?(?:https?:)?//')

MOST_WORDS = 1500
STUDIES = {"chess", "konane", "lines_of_action", "watching"}
STUDIES |= {f"reproduced/{study}" for study in ("galassi", "miller", "sabatelli", "thompson")}
LONG = set("architecture games/konane games/morris imitation judges measured results scale".split())
"""Pages of more words than a page should have: a list that only shrinks."""


def parametrize_pages(pages: list[Path]) -> pytest.MarkDecorator:
    return pytest.mark.parametrize("page", pages, ids=lambda page: str(page.relative_to(ROOT)))


@cache
def prose(page: Path) -> str:
    """Return a page without its blocks of code and without code in lines, whose brackets are no links."""
    return re.sub(r"`[^`\n]*`", lambda code: code[0].replace("[", "(").replace("]", ")"), fenceless(page))


@cache
def fenceless(page: Path) -> str:
    return FENCED.sub("", page.read_text(encoding="utf-8"))


@cache
def anchors(page: Path) -> frozenset[str]:
    """Return the anchors of a page's headings, as GitHub makes them."""
    seen: Counter[str] = Counter()
    made = set()
    for heading in re.findall(r"(?m)^#{1,6} +(.+?) *#*$", fenceless(page)):
        text = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading).lower()
        slug = re.sub(r"[^\w\- ]", "", text.strip()).replace(" ", "-")
        made.add(f"{slug}-{seen[slug]}" if seen[slug] else slug)
        seen[slug] += 1
    return frozenset(made)


@parametrize_pages(PAGES)
def test_links_lead_somewhere(page: Path) -> None:
    for link in LINK.finditer(prose(page)):
        target, anchor = link["target"], link["anchor"]
        if re.match(r"[a-z]+:", target):
            assert target.startswith("https://"), f"{link[0]} is no address that a page should have"
            continue
        linked = (page.parent / target).resolve() if target else page
        assert linked.is_relative_to(ROOT) and linked.exists(), f"{link[0]} leads nowhere"
        if anchor is not None:
            assert anchor in anchors(linked), f"{link[0]}: {linked.name} has no such heading"


@parametrize_pages([page for page in PAGES if PICTURE.search(fenceless(page))])
def test_pictures_are_there_and_have_a_text(page: Path) -> None:
    for picture in PICTURE.finditer(fenceless(page)):
        assert (page.parent / picture["target"]).is_file(), f"{picture[0]} is not there"
        assert len(picture["text"].split()) >= 2, f"{picture[0]} tells nothing to whoever cannot see it"
    assert "<img" not in fenceless(page)


def test_this_file_finds_what_is_wrong(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text("# A `code` & [b](c)\n## Twice\n## Twice\n```\n# no [link](here)\n```\n[x](#y) `[no](link)`\n")
    assert anchors(page) == {"a-code--b", "twice", "twice-1"}
    assert [link["anchor"] for link in LINK.finditer(prose(page))] == [None, "y"]
    assert FETCHED.search('<script async src="https://a.b/c.js">') and not FETCHED.search('<a href="https://a.b">')


def test_pages_are_read_in_one_go() -> None:
    """Whoever makes a page too long makes two of it; the list of those that are too long only shrinks."""
    texts = {page.relative_to(DOCS): page.read_text(encoding="utf-8") for page in DOCS.rglob("*.md")}
    words = {name.with_suffix(""): sum(any(map(str.isalnum, w)) for w in text.split()) for name, text in texts.items()}
    assert {str(name) for name, count in words.items() if count > MOST_WORDS} - STUDIES == LONG


def test_every_page_is_in_the_navigation() -> None:
    navigation = (ROOT / "mkdocs.yml").read_text(encoding="utf-8").partition("\nnav:\n")[2]
    listed = Counter(re.findall(r"(\S+\.md)\b", navigation))
    assert {str(page.relative_to(DOCS)) for page in DOCS.rglob("*.md")} <= set(listed)
    assert set(listed.values()) == {1}


@pytest.mark.skipif(find_spec("mkdocs") is None, reason="needs MkDocs: make docs")
def test_the_site_builds_strictly_and_fetches_nothing(tmp_path: Path) -> None:
    site = tmp_path / "site"
    build = subprocess.run(
        [sys.executable, "-m", "mkdocs", "build", "--strict", "--site-dir", str(site)],
        cwd=ROOT,
        env={**os.environ, "NO_MKDOCS_2_WARNING": "1"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert build.returncode == 0, build.stderr
    pages = {str(page.relative_to(site)): page.read_text(encoding="utf-8") for page in site.rglob("*.html")}
    assert {"index.html", "commands/play.html", "api/functions.html", "cards/morris.html"} <= set(pages)
    assert not {name for name, text in pages.items() if FETCHED.search(text)}
    assert "understudy think" in pages["commands/play.html"] and "searcher:depth=2" in pages["api/functions.html"]
    assert (site / "search/search_index.json").is_file()
