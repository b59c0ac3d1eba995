"""Notebooks as pages: every cell is run while the site is built, and what it shows is on the page.

A notebook is kept without answers, so that nothing in it can be out of date. Here it is made into
Markdown: its texts as they are, a block for each cell of code, and below that what a notebook would
show of its last line, HTML before SVG before text.
"""

from __future__ import annotations

import ast
import json
from typing import Any

from docutils import nodes
from myst_parser.parsers.sphinx_ import MystParser
from sphinx.application import Sphinx


class NotebookParser(MystParser):
    """Reads a notebook as the Markdown it is worth."""

    def parse(self, inputstring: str, document: nodes.document) -> None:
        """Run the notebook and parse the page that it makes."""
        super().parse(page(json.loads(inputstring)), document)


NotebookParser.supported = ("kulami-notebook",)


def page(notebook: dict[str, Any]) -> str:
    """Return a notebook as Markdown, with the answers of its cells."""
    names: dict[str, Any] = {}
    parts = []
    for cell in notebook["cells"]:
        source = "".join(cell["source"])
        if cell["cell_type"] == "markdown":
            parts.append(source)
        else:
            parts += [_fenced("python", source), _shown(_value(source, names))]
    return "\n\n".join(parts)


def _value(source: str, names: dict[str, Any]) -> Any:
    """Run a cell and return what its last line is worth."""
    tree = ast.parse(source)
    last = tree.body.pop() if isinstance(tree.body[-1], ast.Expr) else None
    exec(compile(tree, "<cell>", "exec"), names)
    if last is None:
        return None
    assert isinstance(last, ast.Expr)
    return eval(compile(ast.Expression(last.value), "<cell>", "eval"), names)


def _shown(value: Any) -> str:
    """Return as Markdown what a notebook shows of a value."""
    if value is None:
        return ""
    for name in ("_repr_html_", "_repr_svg_"):
        if hasattr(value, name):
            return _fenced("{raw} html", f'<div class="answer">{getattr(value, name)()}</div>')
    return _fenced("text", repr(value))


def _fenced(language: str, text: str) -> str:
    fence = "````" if "```" in text else "```"
    return f"{fence}{language}\n{text}\n{fence}"


def setup(app: Sphinx) -> dict[str, bool]:
    """Take notebooks for pages."""
    app.add_source_suffix(".ipynb", "kulami-notebook")
    app.add_source_parser(NotebookParser)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
