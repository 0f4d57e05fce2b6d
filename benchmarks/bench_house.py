"""The house in numbers: modules, functions, comments, and which generic modules name a game.

The same counts as in docs/architecture.md stand there beside other projects of the field; any folder of Python can be
counted: `python -m benchmarks.bench_house FOLDER`.
"""

from __future__ import annotations

import ast
import io
import re
import statistics
import sys
import tokenize
from collections.abc import Iterator
from pathlib import Path

PACKAGE = Path(__file__).parent.parent / "src" / "understudy"
NAMES = re.compile(r"morris|konane|lines_?of_?action|chess|nnmm|stockfish", re.IGNORECASE)
"""What a module that knows a game cannot do without: its name, or that of a program or paper of it."""

DIRECTIVE = re.compile(r"fmt:|type:|noqa")
"""Comments for tools, not for people."""

Function = ast.FunctionDef | ast.AsyncFunctionDef


def lines(folder: Path = PACKAGE) -> Iterator[str]:
    """Yield the counts of a folder, line by line."""
    sources = {path: path.read_text(encoding="utf-8") for path in sorted(folder.rglob("*.py"))}
    trees = {path: ast.parse(source) for path, source in sources.items()}
    total = sum(len(source.splitlines()) for source in sources.values())
    sizes = [len(source.splitlines()) for path, source in sources.items() if path.name != "__init__.py"]
    yield f"modules                              {len(sources)}"
    yield f"lines                                {total}"
    yield f"lines of a module, median            {statistics.median(sizes):.0f}"
    lengths = sorted(node.end_lineno - node.lineno + 1 for node in _functions(trees) if node.end_lineno)
    shape = f"median {statistics.median(lengths):.0f}, 90th {lengths[int(0.9 * len(lengths))]}, longest {lengths[-1]}"
    yield f"lines of a function                  {shape}"
    public = [node for node in _documented(trees) if not node.name.startswith("_")]
    share = sum(ast.get_docstring(node) is not None for node in public) / len(public)
    yield f"public names with a docstring        {share:.0%}"
    comments = sum(map(_comments, sources.values()))
    yield f"comments and notes on 100 lines      {100 * comments / total:.1f}"
    imports = sum(map(_import_lines, trees.values()))
    yield f"import lines, share                  {imports / total:.1%}"
    naming = [path.relative_to(folder).as_posix() for path in trees if _names_a_game(path, folder, trees[path])]
    yield f"generic modules that name a game     {len(naming)}: {', '.join(naming)}"


def _functions(trees: dict[Path, ast.Module]) -> Iterator[Function]:
    return (node for tree in trees.values() for node in ast.walk(tree) if isinstance(node, Function))


def _documented(trees: dict[Path, ast.Module]) -> Iterator[Function | ast.ClassDef]:
    nodes = (node for tree in trees.values() for node in tree.body)
    return (node for node in nodes if isinstance(node, (*Function.__args__, ast.ClassDef)))


def _comments(source: str) -> int:
    """Return how many lines say why: comments, and the texts that stand below constants and fields."""
    tokens = tokenize.generate_tokens(io.StringIO(source).readline)
    hashes = sum(token.type == tokenize.COMMENT and not DIRECTIVE.search(token.string) for token in tokens)
    return hashes + sum(_notes(node) for node in ast.walk(ast.parse(source)))


def _notes(node: ast.AST) -> int:
    body = node.body if isinstance(node, ast.Module | ast.ClassDef) else []
    texts = [one for one in body[1:] if isinstance(one, ast.Expr) and isinstance(one.value, ast.Constant)]
    return sum((one.end_lineno or one.lineno) - one.lineno + 1 for one in texts)


def _import_lines(tree: ast.Module) -> int:
    nodes = [node for node in ast.walk(tree) if isinstance(node, ast.Import | ast.ImportFrom)]
    return sum((node.end_lineno or node.lineno) - node.lineno + 1 for node in nodes)


def _names_a_game(path: Path, folder: Path, tree: ast.Module) -> bool:
    """Tell whether a module outside the games' folders and the studies names a game in its code, not in prose."""
    parts = path.relative_to(folder).parts
    if parts[0] == "studies" or (parts[0] == "games" and len(parts) > 2):
        return False
    prose = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
    words = [node.value for node in ast.walk(tree) if isinstance(node, ast.Constant) and id(node) not in prose]
    words += [node.id for node in ast.walk(tree) if isinstance(node, ast.Name)]
    words += [node.module or "" for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)]
    return any(isinstance(word, str) and NAMES.search(word) for word in words)


if __name__ == "__main__":
    for line in lines(Path(sys.argv[1]) if len(sys.argv) > 1 else PACKAGE):
        print(line)
