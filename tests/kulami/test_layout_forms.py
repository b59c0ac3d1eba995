"""Layouts in the forms that people keep them in, from text, files and folders."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from command_line import kulami

from kulami_solver import Layout
from kulami_solver.errors import LayoutError
from kulami_solver.kulami.position.layout import published_layouts
from kulami_solver.kulami.position.layout_text import texts_of


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


COPYING = {
    "blanks of another width": lambda text: text.replace(" ", "\xa0"),
    "thin blanks": lambda text: text.replace(" ", "\u2009"),
    "several blanks": lambda text: text.replace(" ", "   "),
    "tabs": lambda text: text.replace(" ", "\t"),
    "blanks behind": lambda text: text.replace("\n", "  \n") + " \t",
    "a sign without width": lambda text: text + "\u200b",
    "a mark of the order of bytes": lambda text: "\ufeff" + text,
    "line ends of Windows": lambda text: text.replace("\n", "\r\n") + "\r\n",
    "line ends of old": lambda text: text.replace("\n", "\r"),
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
        found = Layout.parse(read[0], no_field)
        assert found.canonical() == layout.canonical(), form


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
    ragged = as_array(layout, 0, edges, ", ").replace(f", 1{end}", f"{end}", 1)
    for wrong in (ragged, f"x {as_array(layout, 0, edges, ', ')}", "[[1, 1], [2, 2]] 3"):
        if wrong != as_array(layout, 0, edges, ", "):
            with pytest.raises(LayoutError, match="of the array is"):
                Layout.parse(wrong)


def test_the_end_of_a_line_is_no_row() -> None:
    for text in ("AAB/CCB\n", "1 1 2/3 3 2\r\n", "2x1@a1,1x2@c1,2x1@a2\n"):
        assert Layout.parse(text) == Layout.parse("AAB/CCB")
    assert Layout.parse("a1\r\na1\r\n") == Layout.parse("a1/a1")
    assert list(texts_of(['{"layout": "AAB/CCB", "name": "#1"}'])) == [(1, "AAB/CCB")]


def test_the_number_of_no_field_is_for_what_has_numbers() -> None:
    assert Layout.parse("0112/0332", 0) == Layout.parse(".112/.332")
    for text in ("AAB/CCB", "2x1@a1,1x2@c1,2x1@a2", "zack-1"):
        assert Layout.parse(text, 0) == Layout.parse(text)


def test_published_layouts_are_of_the_box() -> None:
    unusual = {
        name: board
        for name, text in published_layouts().items()
        if (board := Layout.parse(name)).warnings or str(board) != text
    }
    assert set(unusual) <= {"chen-connor"}, unusual


def test_files_and_folders_of_layouts(tmp_path: Path) -> None:
    boards = tmp_path / "boards.txt"
    boards.write_text(
        '# three\nAAB/CCB  # letters\n1 1 2\n3 3 2\n\n{"layout": "AB/AB"}\nboardspace-7\n'
    )
    told = kulami("match", "random", "greedy", "--layout", str(boards), "--games", "8", "--json")
    assert json.loads(told.out)["games"] == 8
    refused = kulami("solve", "--layout", str(boards))
    assert refused.code == 2
    assert "has 4 layouts, and this command takes one" in refused.err
    one = tmp_path / "one"
    one.mkdir()
    (one / "a.board").write_text("0 1 1\r\n2 1 1\r\n", encoding="utf-16")
    shown = kulami("layout", str(one), "--no-field", "2", "--json")
    assert json.loads(shown.out)["layout"] == "ABB/.BB"
    (one / "b.board").write_text('{"layout": 7}')
    wrong = kulami("layout", str(one), "--no-field", "2")
    assert wrong.code == 2
    assert "b.board line 1: layout row 1 has '{" in wrong.err
    (one / "b.board").write_text("AAB/ABB")
    wrong = kulami("layout", str(one / "b.board"))
    assert wrong.code == 2
    assert "b.board line 1: panel A is not a rectangle" in wrong.err
    (one / "b.board").write_text("\n# nothing\n")
    assert "has no layout" in kulami("layout", str(one / "b.board")).err


def test_layouts_of_programs_in_files(tmp_path: Path) -> None:
    """One array over several lines, two on a line each, and the squares of panels by line."""
    boards = tmp_path / "boards.txt"
    several = "[\n  [1, 1, 2],\n  [3, 3, 2]\n]\n\n{\n{1,1,2},\n{3,3,2}\n};\n\n"
    lines = "[[1, 1, 2], [3, 3, 2]]\n[[1, 1, 2], [3, 3, 2]]\n{{1,1,2},{3,3,2}};\n"
    pairs = "2x1 (0,0)(0,1)  # rows and columns\n1x2 (0,2)(1,2)\n2x1 (1,0)(1,1)\n\n"
    ended = "a1 b1;\nc1 c2;\na2 b2;\n"  # each panel on a line
    written = several + lines + pairs + ended
    found = [text for _, text in texts_of(written.splitlines())]
    assert [str(Layout.parse(text)) for text in found] == ["AAB/CCB"] * 7
    boards.write_text(written)
    assert "has 7 layouts" in kulami("layout", str(boards)).err


@pytest.mark.parametrize(
    "words",
    [
        "check random --positions 2 --free 10-12",
        "check random --live --positions 2 --free 10-12",
        "match random greedy --games 2 --plies 2",
        "moves",
        "labels table.parquet --free 10-12 --count 9",
        "play --bot random",
        "hagen 127.0.0.1 1",
    ],
)
def test_the_number_of_no_field_is_told_wherever_a_layout_is(
    words: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    if words.startswith("labels"):
        pytest.importorskip("pyarrow")
    monkeypatch.chdir(tmp_path)
    Path("gaps").write_text("0 1 1 2 2\n3 1 1 2 2\n3 4 4 5 5\n0 4 4 5 5\n")
    command = [*words.split(), "--layout", "gaps"]
    refused = kulami(*command)
    assert refused.code == 2
    assert "--no-field 0" in refused.err
    said = kulami(*command, "--no-field", "0")
    if words.startswith("hagen"):
        assert "no-field" not in said.err  # and there is no server
    else:
        assert said.code == 0, said.err


@pytest.mark.parametrize(
    "words",
    [
        "check random",
        "match random greedy",
        "labels table.parquet",
        "puzzles file.jsonl",
        "solve --kfn AAB/CCB",
        "match random greedy --layout random",
    ],
)
def test_the_number_of_no_field_goes_with_a_layout(words: str) -> None:
    refused = kulami(*words.split(), "--no-field", "0")
    assert refused.code == 2
    assert "--no-field goes with --layout" in refused.err


SMALL = Layout.parse("AABB/AABB/CCDD/EEDD/EEFF")


@pytest.mark.parametrize(
    "text",
    [
        str(SMALL),
        as_numbers(SMALL, " ").replace("/", "\n"),
        as_array(SMALL, 0, "[]", ",\n "),
        as_rectangles(SMALL),
        as_fields(SMALL),
        as_pairs(SMALL, 0, "\n"),
    ],
)
def test_one_command_from_the_file_of_a_program_to_a_checked_bot(text: str, tmp_path: Path) -> None:
    board, answers = tmp_path / "board.ku", tmp_path / "answers.csv"
    board.write_text(text)
    words = ("check", "random", "--layout", str(board), "--positions", "2", "--workers", "1")
    assert kulami(*words, "--csv", str(answers)).code == 0
    rows = answers.read_text().splitlines()[1:]
    assert len(rows) == 2
    assert all(str(SMALL) in row for row in rows)


def test_layouts_are_given_one_by_one(tmp_path: Path) -> None:
    boards = ("--layout", "zack-1", "--layout", "1 1 2 2/1 1 2 2/3 3 3 3/4 4 4 4")
    games = tmp_path / "games.jsonl"
    words = ("match", "random", "greedy", "--games", "6", "--plies", "2", "--save", str(games))
    assert kulami(*words, *boards).code == 0
    played = map(json.loads, games.read_text().splitlines()[1:])
    rows = {"/".join(game["board"]) for game in played}
    assert rows == {str(Layout.parse("zack-1")), "AABB/AABB/CCCC/DDDD"}
    refused = kulami(*words, *boards, "--layout", "random")
    assert "random stands for no layout here" in refused.err


def test_a_file_needs_no_ending(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("boards").write_text("AAB/CCB\n")
    assert json.loads(kulami("layout", "boards", "--json").out)["layout"] == "AAB/CCB"


@pytest.mark.parametrize(
    ("words", "says"),
    [
        ("check random --layout square --suite x", "leave out --suite"),
        ("check random --layout AAB/CCB", "take a larger layout"),
    ],
)
def test_words_that_do_not_go_together(words: str, says: str) -> None:
    refused = kulami(*words.split())
    assert (refused.code, refused.out) == (2, "")
    assert says in refused.err


def test_openings_of_a_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("open").write_text("AAB/CCB - r -\n")
    Path("over").write_text("AAB/CCB - r -\nAAB/CCB rrb/bbr r c1,c2\n")
    match = ("match", "random", "greedy", "--games", "2", "--save", "games", "--openings")
    assert kulami(*match, "open", "--marbles", "1", "--short-end").code == 0
    games = map(json.loads, Path("games").read_text().splitlines()[1:])
    assert {len(game["moves"]) for game in games} == {1}
    assert "over line 2: the game is over" in kulami(*match, "over").err
    assert "leave out --layout" in kulami(*match, "open", "--layout", "square").err
    assert "leave out --plies" in kulami(*match, "open", "--plies", "0").err


def test_a_file_of_a_layouts_name_is_told_of(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "AAB").mkdir()
    for name in ("AAB/CCB", "square", "boards"):
        (tmp_path / name).write_text("ABC/ABC")
    for text, words in (
        ("AAB/CCB", "--layout AAB/CCB: the file of this name; other letters make it the layout"),
        ("square", "--layout square: the layout of this name; the file is ./square"),
        ("XXY/ZZY", ""),
        ("boards", ""),
        ("./square", ""),
        ("./AAB/CCB", ""),
    ):
        told = kulami("moves", "--layout", text)
        assert told.err == (f"kulami: warning: {words}\n" if words else "")


def test_layouts_are_listed_by_name() -> None:
    listed = json.loads(kulami("layout", "--list", "--json").out)["layouts"]
    assert len(listed) == 1020
    assert listed["square"] == str(Layout.square())
    *lines, numbered = kulami("layout", "--list").out.splitlines()
    assert len(lines) == 20
    assert numbered == "boardspace-N  board N of BoardSpace, 0 to 999"
    assert json.loads(kulami("layout", "zack-4", "--json").out)["layout"] == listed["zack-4"]


def test_a_bot_is_judged_on_its_own_board() -> None:
    told = kulami("check", "random", "--layout", "zack-1", "--positions", "3", "--json")
    assert json.loads(told.out)["positions"] == 3
    small = kulami("check", "random", "--layout", "AAB/CCB", "--positions", "3")
    assert small.code == 2
    assert "no position with 10 free fields" in small.err
