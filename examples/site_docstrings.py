"""Examples of docstrings on the documentation site: an extension of griffe, which mkdocstrings reads them with."""

from __future__ import annotations

import re
from typing import Any

import griffe

EXAMPLE = re.compile(r"(?ms)^>>> .*?(?=\n\n|\Z)")


class FencedExamples(griffe.Extension):
    """Fence examples: in Markdown a line that begins with `>>>` is a quotation in a quotation in a quotation."""

    def on_object(self, *, obj: griffe.Object, **_: Any) -> None:
        """Change the docstring of *obj*."""
        if obj.docstring is not None:
            obj.docstring.value = EXAMPLE.sub(lambda match: f"```pycon\n{match[0]}\n```", obj.docstring.value)
