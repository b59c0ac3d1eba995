"""Layouts in the forms that people keep them in, from text, files and folders."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from command_line import kulami

from kulami_solver import Layout
from kulami_solver.errors import LayoutError
from kulami_solver.kulami.position.layout import published_layouts
from kulami_solver.kulami.position.layout_text import texts_of
from kulami_solver.web.kulami.requests import Import, take_in


def as_numbers(layout: Layout, between: str, none: int = 0) -> str:
    """A layout as a grid of numbers, one for each panel from 1 on."""
    number = {panel.name: which for which, panel in enumerate(layout.panels, none + 1)}
    return "/".join(
        between.join(str(number.get(name, none)) for name in row) for row in layout.rows
    )


def as_rectangles(layout: Layout) -> str:
    return ", ".join(
        f"{panel.width}x{panel.height}@{layout.fields[panel.fields[0]]}" for panel in layout.panels
    )


def as_fields(layout: Layout) -> str:
    return ";".join(
        " ".join(layout.names(1 << field)[0] for field in panel.fields) for panel in layout.panels
    )


def as_array(layout: Layout, none: int, edges: str, between: str, last: str = "") -> str:
    """A grid of numbers as the source of a program has it."""
    begin, end = edges[0], edges[1]
    rows = as_numbers(layout, ", ", none).split("/")
    return f"{begin}{between.join(begin + row + end for row in rows)}{end}{last}"


def as_pairs(layout: Layout, first: int, between: str) -> str:
    """Row and column of the fields of each panel, counted from `first`."""
    names = layout.fields
    return between.join(
        f"{panel.height}x{panel.width} "
        + "".join(
            f"({int(names[field][1:]) - 1 + first}, {ord(names[field][0]) - ord('a') + first})"
            for field in panel.fields
        )
        for panel in layout.panels
    )


@pytest.mark.parametrize("seed", range(40))
def test_every_form_of_a_layout_is_the_same_layout(seed: int) -> None:
    layout = Layout.random(seed, irregular=seed % 2 == 1)
    none = (0, -1, 99)[seed % 3]
    for between in (" ", ",", " , ", "\t"):
        assert Layout.parse(as_numbers(layout, between, none), none) == layout
        drawn = as_numbers(layout, between, none).replace("/", "\n")
        assert Layout.parse(f"{drawn}\r\n", none) == layout
    for edges, row_end, last in (("[]", ",\n ", ""), ("{}", ",", ";"), ("[]", "\n", "")):
        assert Layout.parse(as_array(layout, none, edges, row_end, last), none) == layout
    named = {panel.name: chr(ord("A") + which) for which, panel in enumerate(layout.panels)}
    letters = ["".join(named.get(name, ".") for name in row) for row in layout.rows]
    assert Layout.parse(as_rectangles(layout)) == Layout.from_rows(letters)
    assert Layout.parse(as_fields(layout)) == Layout.from_rows(letters)
    assert Layout.parse(as_pairs(layout, seed % 2, ";\n"[seed % 2])) == Layout.from_rows(letters)


COPYING: dict[str, Callable[[str], str]] = {
    "blanks of another width": lambda text: text.replace(" ", "\xa0"),
    "thin blanks": lambda text: text.replace(" ", "\u2009"),
    "several blanks": lambda text: text.replace(" ", "   "),
    "tabs": lambda text: text.replace(" ", "\t"),
    "blanks behind": lambda text: text.replace("\n", "  \n") + " \t",
    "a sign without width": lambda text: text + "\u200b",
    "a mark of the order of bytes": lambda text: "\ufeff" + text,
    "line ends of Windows": lambda text: text.replace("\n", "\r\n") + "\r\n",
    "line ends of old": lambda text: text.replace("\n", "\r"),
    "line ends of word processors": lambda text: text.replace("\n", "\v"),
    "a fence of Markdown": lambda text: f"```text\n{text}\n```\n",
    "a quoted mail": lambda text: "> " + text.replace("\n", "\n> "),
}


@pytest.mark.parametrize("copied", COPYING)
@pytest.mark.parametrize("seed", range(4))
def test_what_copying_does_to_a_layout_changes_nothing(seed: int, copied: str) -> None:
    layout = Layout.random(seed, irregular=seed % 2 == 1)
    forms = {
        **{as_numbers(layout, sign, 0).replace("/", "\n"): 0 for sign in (" ", ", ", ";", " ; ")},
        "sep=;\n" + as_numbers(layout, ";").replace("/", "\n"): 0,
        as_array(layout, 0, "[]", ",\n "): 0,
        f"array({as_array(layout, 0, '[]', ', ')}, dtype=int8)": 0,
        f"int8 board[2][3] = {as_array(layout, 0, '{}', ', ')};": 0,
        "\n".join(layout.rows): None,
        json.dumps(layout.rows, indent=1): None,
        json.dumps({"board": layout.rows}, indent=1): None,
        json.dumps({"layout": str(layout)}): None,
        as_rectangles(layout): None,
        as_fields(layout): None,
        as_pairs(layout, 1, "\n"): None,
    }
    for form, no_field in forms.items():
        read = [text for _, text in texts_of(COPYING[copied](form).split("\n"))]
        assert len(read) == 1, form
        found = [Layout.parse(read[0], no_field)]
        if no_field is None or "." not in str(layout):
            found.append(Layout.parse(take_in(Import(COPYING[copied](form)))["layout"]))
        assert {one.canonical() for one in found} == {layout.canonical()}, form


@pytest.mark.parametrize("edges", ["[]", "{}"])
@pytest.mark.parametrize("seed", range(4))
def test_an_array_is_never_read_as_anything_else(seed: int, edges: str) -> None:
    layout = Layout.random(seed)
    begin, end = edges[0], edges[1]
    for row in layout.rows:  # of one column, in which equal numbers stand together
        cells = "".join(sorted(row))
        numbers = [f"{begin}{10 + cells.index(cell)}{end}" for cell in cells]
        found = Layout.parse(f"{begin}{', '.join(numbers)}{end}")
        assert (found.width, found.height) == (1, len(cells))
        assert len(found.panels) == len(set(cells))
    for name in ("board", "layout"):  # as Python prints an object, which JSON does not know
        with pytest.raises(LayoutError, match="on square 1"):
            Layout.parse(f"{{'{name}': '{layout}'}}")
        assert Layout.parse(json.dumps({"seed": 7, name: layout.rows}, indent=1)) == layout
    assert Layout.parse(f"/{layout}/") == Layout.parse(f"{layout}\n\n") == layout
    ragged = as_array(layout, 0, edges, ", ").replace(f", 1{end}", f"{end}", 1)
    for wrong in (ragged, f"x {as_array(layout, 0, edges, ', ')}", "[[1, 1], [2, 2]] 3"):
        if wrong != as_array(layout, 0, edges, ", "):
            with pytest.raises(LayoutError, match="of the array is"):
                Layout.parse(wrong)


def test_published_layouts_are_of_the_box() -> None:
    unusual = {
        name: board
        for name, text in published_layouts().items()
        if (board := Layout.parse(name)).warnings or str(board) != text
    }
    assert set(unusual) <= {"chen-connor"}, unusual


def test_layouts_of_programs_in_files(tmp_path: Path) -> None:
    """One array over several lines, two on a line each, and the squares of panels by line."""
    boards = tmp_path / "boards.txt"
    boards.write_text("0 1 1\r\n2 1 1\r\n", encoding="utf-16")
    shown = kulami("layout", str(boards), "--no-field", "2", "--json")
    assert json.loads(shown.out)["layout"] == "ABB/.BB"
    listed = json.loads(kulami("layout", "--list", "--json").out)["layouts"]
    assert (len(listed), listed["square"]) == (1020, str(Layout.square()))
    several = "[\n  [1, 1, 2],\n  [3, 3, 2]\n]\n\n{\n{1,1,2},\n{3,3,2}\n};\n\n"
    lines = "[[1, 1, 2], [3, 3, 2]]\n[[1, 1, 2], [3, 3, 2]]\n{{1,1,2},{3,3,2}};\n"
    pairs = "2x1 (0,0)(0,1)  # rows and columns\n1x2 (0,2)(1,2)\n2x1 (1,0)(1,1)\n\n"
    ended = "a1 b1;\nc1 c2;\na2 b2;\n"  # each panel on a line
    written = several + lines + pairs + ended
    found = [text for _, text in texts_of(written.splitlines())]
    assert [str(Layout.parse(text)) for text in found] == ["AAB/CCB"] * 7
    boards.write_text(written)
    assert "has 7 layouts" in kulami("layout", str(boards)).err
