"""The examples in docs/adapters.md work as they stand there."""

from __future__ import annotations

import re

import pytest

from tests.conftest import ROOT

EXAMPLES = re.findall(r"```python\n(.*?)```", (ROOT / "docs/adapters.md").read_text(encoding="utf-8"), flags=re.DOTALL)


@pytest.mark.parametrize("place", range(len(EXAMPLES)))
def test_an_example_runs(place: int, capsys: pytest.CaptureFixture[str]) -> None:
    for package in ("pettingzoo", "pyspiel"):
        pytest.importorskip(package, reason=f"{package} is not installed: pip install 'understudy-games[dev]'")
    exec(compile(EXAMPLES[place], f"docs/adapters.md, example {place + 1}", "exec"), {})
    assert ("print(" in EXAMPLES[place]) == bool(capsys.readouterr().out)


def test_there_are_examples_of_both_worlds() -> None:
    text = "\n".join(EXAMPLES)
    assert "understudy.adapters.pettingzoo" in text and "understudy.adapters.openspiel" in text
