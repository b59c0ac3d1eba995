"""What notebooks show: nouns with pictures and tables, and the example under docs/, run."""

from __future__ import annotations

import ast
import json
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

from kulami_solver import just4fun, malawi

NOTEBOOK = Path(__file__).resolve().parents[2] / "docs" / "notebook.ipynb"


def shown(value: Any) -> str:
    """What a notebook shows of a value: HTML before SVG before text."""
    for name in ("_repr_html_", "_repr_svg_"):
        if hasattr(value, name):
            text: str = getattr(value, name)()
            # Well-formed, so that no browser has to guess where something ends.
            ElementTree.fromstring(text)
            return text
    return repr(value)


def run(source: str, names: dict[str, Any]) -> Any:
    """Run a cell and return what its last line is worth."""
    tree = ast.parse(source)
    last = tree.body.pop() if isinstance(tree.body[-1], ast.Expr) else None
    exec(compile(tree, "<cell>", "exec"), names)
    if last is None:
        return None
    assert isinstance(last, ast.Expr)
    return eval(compile(ast.Expression(last.value), "<cell>", "eval"), names)


def test_the_example_runs() -> None:
    notebook = json.loads(NOTEBOOK.read_text(encoding="utf-8"))
    assert (notebook["nbformat"], notebook["nbformat_minor"]) == (4, 5)
    identities = [cell["id"] for cell in notebook["cells"]]
    assert len(set(identities)) == len(identities)
    names: dict[str, Any] = {}
    answers = []
    for cell in notebook["cells"]:
        if cell["cell_type"] == "code":
            assert (cell["outputs"], cell["execution_count"]) == ([], None)
            answers.append(shown(run("".join(cell["source"]), names)))
    pictures = [answer for answer in answers if "<svg" in answer]
    assert len(pictures) == 9
    assert sum("<table" in answer for answer in answers) == 5
    assert any("\u2265" in answer or "\u2264" in answer for answer in pictures)
    assert answers[-6] == "0"  # best play costs nothing


def test_malawi() -> None:
    start = malawi.Position.start(malawi.Board(2, 3))
    picture = start._repr_svg_()
    ElementTree.fromstring(picture)
    figures = [piece for piece in picture.split("<text")[1:] if 'fill="#fff6d6"' in piece]
    assert [piece.partition(">")[2][0] for piece in figures] == ["2"] * 4
    text = shown(malawi.search(start, every_move=True))
    assert "black wins in 4 plies" in text
    assert text.count("<tr>") == 3 + 1 + len(start.legal_turns)


def test_just4fun() -> None:
    in_order = just4fun.Position.from_jfn("3x3 5:b1 r2b1 r r1.2,b2.3 4.1 -", line=3, hand=2)
    shuffled = just4fun.Position.from_jfn("3x3 5:b1 r2b1 r r1.2,b2.3 {1.4} -", line=3, hand=2)
    ElementTree.fromstring(in_order._repr_svg_())
    moves = len(in_order.legal_moves)
    solved = shown(just4fun.solve(in_order, every_move=True))
    assert just4fun.solve(in_order).words() in solved
    assert solved.count("<tr>") == 3 + 1 + moves
    expected = just4fun.expect(shuffled, every_move=True)
    assert expected.words() in shown(expected)
    assert shown(expected).count("<tr>") == 2 + 1 + moves
    assert shown(just4fun.expect(shuffled)).count("<tr>") == 2
    advice = shown(just4fun.advise(just4fun.known_to(shuffled, "red"), deals=5))
    assert "an estimate from 5 deals" in advice
    assert ">?</text>" in advice
