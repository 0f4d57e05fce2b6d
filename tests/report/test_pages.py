"""Names in reports are shown as they are, whatever Markdown would make of them."""

from __future__ import annotations

import itertools
import random
from typing import Any

import pytest

from understudy.report.blocks import Cell, Folded, Section, Table, Text
from understudy.report.pages import write_html, write_markdown

markdown_it = pytest.importorskip("markdown_it")

NASTY = (
    "\\<script>alert(1)</script>",
    "<script>alert(1)</script>",
    "<!-- a",
    "a\\|b",
    "a|b",
    "a||b\\",
    "\\`code\\`",
    "`code`",
    "*a*",
    "**a**",
    "_a_",
    "__init__",
    "a_b_c",
    "konane_4x4",
    "a __b__ c",
    "2 * 3 * 4",
    "~~gone~~",
    "&lt;b&gt; &amp; &#60;",
    "[x](javascript:alert(1))",
    "[x\\](javascript:alert(1))",
    "![x](http://x/y.png)",
    "[x]: http://x",
    "[x][y]",
    "\\[x](y)",
    "# title",
    "> quoted",
    "- item",
    "+ item",
    "* item",
    "1. item",
    "1) item",
    "---",
    "***",
    "===",
    "~~~",
    "````",
    "    code",
    "a\n\n# b",
    "a\r\n\r\n<b>",
    "a  \nb",
    "<http://x>",
    "</details>",
    "\\",
    "]",
    "[",
    "](",
    "-0.5",
    "+3",
    "100 %",
)


def read(text: str) -> list[Any]:
    """Return the pieces of text, and what is no text, that somebody sees who reads Markdown as GitHub does."""
    reader = markdown_it.MarkdownIt("commonmark").enable("table").enable("strikethrough")
    return list(reader.parse(text))


def shown(tokens: list[Any]) -> list[str]:
    """Return what each piece of Markdown says; there must be nothing but text in it, and links that we have made."""
    told = []
    for token in tokens:
        assert token.type not in ("html_block", "fence", "code_block", "hr", "blockquote_open", "bullet_list_open"), (
            token
        )
        if token.type == "inline":
            kinds = {child.type for child in token.children}
            assert kinds <= {"text", "text_special", "link_open", "link_close", "strong_open", "strong_close"}, token
            told.append(flat("".join(child.content for child in token.children)))
    return told


def flat(text: str) -> str:
    """Return text as a page shows it, where white space is a space."""
    return " ".join(text.split())


@pytest.mark.parametrize("name", NASTY)
def test_names_are_shown_as_they_are(name: str) -> None:
    wanted = flat(name)
    assert shown(read(write_markdown("A", [Section("B", (Text(name),))])))[2:] == [wanted]
    assert shown(read(write_markdown("A", [Section(f"B {name} b", ())])))[1:] == [f"B {wanted} b"]
    linked = Cell(name, link=f"runs/{name}/report.html")
    table = Table((Cell("a"), Cell(name)), ((Cell(name), linked), (Cell(name),)))
    tokens = read(write_markdown("A", [Section("B", (table,))]))
    assert shown(tokens)[2:] == ["a", wanted, wanted, wanted, wanted, ""]
    children = [child for token in tokens if token.type == "inline" for child in token.children]
    assert sum(child.type == "link_open" for child in children) == 1
    assert all(child.attrs["href"].startswith("runs/") for child in children if child.type == "link_open")
    assert sum(child.type == "strong_open" for child in children) == 1


def test_any_marks_together_are_shown_as_they_are() -> None:
    chance, letters = random.Random(1), "\\`<>[]()!*_~|&#:;ab /-"
    for _ in range(3000):
        name = "a" + "".join(chance.choices(letters, k=12)) + "b"
        table = Table((Cell("a"), Cell("b")), ((Cell(name), Cell(name, link=name)),))
        told = shown(read(write_markdown("A", [Section("B", (Text(name), table))])))
        wanted = flat(name)
        assert told[2:] == [wanted, "a", "b", wanted, wanted], name


def test_a_link_leads_to_a_file_whatever_it_is_called() -> None:
    for name, folded in itertools.product(("javascript:alert(1)", 'a"b', "a b", "a%20b", "a)b"), (False, True)):
        table = Table((Cell("a"), Cell("b")), ((Cell("x"), Cell(name, link=f"{name}/report.html")),))
        page = write_html("A", [Section("B", (Folded(name, (table,)) if folded else table,))])
        address = page.split('<a href="')[2].split('"')[0]  # the first leads to the section
        assert address.endswith("/report.html") and not set(address) & set(':() "')
