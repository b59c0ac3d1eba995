"""Names given on the command line that are not what they seem, and files that cannot be written."""

from __future__ import annotations

import os
import resource
import subprocess
import sys
from pathlib import Path

import pytest
from command_line import SMALL, good, kulami

import kulami_solver as ks
from kulami_solver.errors import LayoutError


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("sqare", "did you mean square?"),
        ("Square", "did you mean square?"),
        ("rule-book", "did you mean rulebook?"),
        ("rulebok", "did you mean rulebook?"),
        ("random", "kulami layout --random SEED"),
        ("randon", "did you mean random?"),
        ("./board.txt", "looks like the name of a file"),
        ("board.layout", "looks like the name of a file"),
        ("positions.kfn", "--input FILE"),
    ],
)
def test_a_name_that_is_meant_otherwise_is_no_board(text: str, said: str) -> None:
    for command in (["solve", "--layout", text], ["layout", text], ["moves", "--layout", text]):
        ran = kulami(*command)
        assert ran.code == 2
        assert ran.out == ""
        assert said in ran.err
        assert repr(text) in ran.err or text == "random"
        assert len(ran.err.splitlines()) == 1


def test_a_file_that_is_there_is_read(tmp_path: Path) -> None:
    file = tmp_path / "ab"
    file.write_text("AAB\nCCB\n")
    assert good("layout", str(file), "--json").answer["layout"] == "AAB/CCB"
    assert good("layout", file.read_text(), "--json").answer["layout"] == "AAB/CCB"


@pytest.mark.parametrize("text", ["AABBC", "squid", "quads", "ABCDEF", "sqare/", ".A", "./A"])
def test_a_row_of_letters_is_a_board(text: str) -> None:
    expected = ks.Layout.from_rows(text.split("/"))
    assert good("layout", text, "--json").answer["layout"] == str(expected)


def test_the_row_that_a_slash_adds_is_said_to_be_empty() -> None:
    """What the message advises is a board that is played as the row by itself would be."""
    said = kulami("layout", "sqare").err
    assert "put a / behind it: an empty row below it changes nothing" in said
    one = good("solve", "--kfn", "sqare - r -", "--all", "--json").answer
    two = good("solve", "--layout", "sqare/", "--all", "--json").answer
    assert (one["margin"], one["moves"]) == (two["margin"], two["moves"])


@pytest.mark.parametrize(("row", "name"), [("sqare", "square"), ("rulebok", "rulebook")])
def test_a_kfn_whose_layout_looks_like_a_name_is_read_with_a_hint(row: str, name: str) -> None:
    ran = good("moves", "--kfn", f"{row} - r -")
    assert f"the layout of this position is a single row, {row}; did you mean" in ran.err
    assert f"--layout {name}?" in ran.err
    assert "did you mean" not in good("moves", "--kfn", "ABBC - r -").err


def test_python_says_so_too() -> None:
    for text in ("square", "sqare", "rulebook", "RULEBOOK"):
        with pytest.raises(LayoutError, match="did you mean"):
            ks.Layout.parse(text)
    assert len(ks.Layout.from_rows(["sqare"])) == 5


@pytest.mark.parametrize(
    ("option", "name", "remedy"),
    [
        ("--svg", "b.png", "ends in .svg, or give --png"),
        ("--svg", "b.JPG", "ends in .svg"),
        ("--png", "b.svg", "ends in .png, or give --svg"),
        ("--png", "b.pdf", "ends in .png"),
    ],
)
def test_a_picture_is_what_its_name_says(
    option: str, name: str, remedy: str, tmp_path: Path
) -> None:
    file = tmp_path / name
    file.write_text("mine")
    ran = kulami("show", "--layout", SMALL, option, str(file))
    assert ran.code == 2
    assert f"{option}: {file} ends in " in ran.err
    assert remedy in ran.err
    assert file.read_text() == "mine"


@pytest.mark.parametrize(("name", "warned"), [("b.txt", 1), ("b.JSON", 1), ("b.v2", 0), ("b", 0)])
def test_what_does_not_sound_like_a_picture_is_written_with_a_warning(
    name: str, warned: int, tmp_path: Path
) -> None:
    said = good("show", "--layout", SMALL, "--svg", str(tmp_path / name)).err
    assert said.count(f"{name} ends in ") == said.count("but SVG is written into it") == warned
    assert (tmp_path / name).read_bytes().startswith(b"<svg")


def test_other_names_of_pictures_are_free(tmp_path: Path) -> None:
    for name in ("b.svg", "b.SVG", "b", "b.txt", "board.v2"):
        good("show", "--layout", SMALL, "--svg", str(tmp_path / name))
        assert (tmp_path / name).read_text().startswith("<svg")


def test_a_plot_is_a_png_or_svg(tmp_path: Path) -> None:
    database = str(tmp_path / "small.kdb")
    good("build", database, "--layout", "AAB/CCB")
    ran = kulami("info", database, "--plot", str(tmp_path / "p.pdf"))
    assert ran.code == 2
    assert "--plot" in ran.err
    assert "name a file that ends in .png" in ran.err
    assert not (tmp_path / "p.pdf").exists()
    pytest.importorskip("matplotlib")
    for name, begins in (("p.svg", b"<?xml"), ("p.png", b"\x89PNG")):
        good("info", database, "--plot", str(tmp_path / name))
        assert (tmp_path / name).read_bytes().startswith(begins)


def short_of_space() -> None:
    resource.setrlimit(resource.RLIMIT_FSIZE, (3000, 3000))


@pytest.mark.parametrize(
    ("words", "named"),
    [
        (["show", "--layout", "square", "--svg", "FILE.svg"], "FILE.svg"),
        (["build", "FILE.kdb", "--layout", SMALL], "FILE.kdb"),
        (["export", "small.kdb", "FILE.csv"], "FILE.csv"),
    ],
)
def test_a_full_disk_is_not_laid_to_standard_output(
    words: list[str], named: str, tmp_path: Path
) -> None:
    ks.build(tmp_path / "small.kdb", ks.Position(ks.Layout.parse("AAB/CDB/CEE")))
    ran = subprocess.run(
        [sys.executable, "-m", "kulami_solver", *words],
        cwd=tmp_path,
        env=os.environ | {"PYTHONDONTWRITEBYTECODE": "1"},  # which would be cut off, and stay
        preexec_fn=short_of_space,
        capture_output=True,
        text=True,
        check=False,
    )
    assert ran.returncode == 2
    assert named in ran.stderr
    assert "File too large" in ran.stderr
    assert "standard output" not in ran.stderr
    assert "Traceback" not in ran.stderr
    assert not (tmp_path / named).exists()


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ("grade games.jsonl --html games.jsonl", "--html: GAME names games.jsonl, too"),
        ("match random greedy --save new --html ./new", "--html: --save names ./new, too"),
        ("check random --csv one --html one", "--csv: --html names one, too"),
        ("solve --layout AAB/CCB --database a.kdb --svg a.kdb", "--svg: --database names a.kdb"),
        ("export a.kdb no/such", "table: cannot write no/such: No such file or directory"),
        ("check random --html no/such", "--html: cannot write no/such: No such file or directory"),
        ("match random greedy --html .", "--html: cannot write .: Is a directory"),
        ("prove games.jsonl --layout AAB/CCB", "games.jsonl: a file that is no proof is in the"),
        *(
            (f"{words} games.jsonl", f"games.jsonl: a file that is no {kind} is in the way; name")
            for words, kind in [
                ("show --layout AAB/CCB --svg", "SVG"),
                ("solve --layout AAB/CCB --png", "PNG"),
                ("just4fun show --deal 3 --svg", "SVG"),
                ("check random --csv", "CSV"),
                ("check random --html", "HTML"),
                ("match random greedy --html", "HTML"),
                ("grade --layout AAB/CCB --moves a1 --html", "HTML"),
                ("puzzles", "JSONL"),
            ]
        ),
        ("export a.kdb table.csv", "table.csv: a file that is no CSV is in the way; name another"),
        ("info a.kdb --plot plot.svg", "plot.svg: a file that is no SVG is in the way"),
    ],
)
def test_no_output_replaces_what_is_used_or_fails_late(
    words: str, said: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    held = ["a.kdb", "games.jsonl", "plot.svg", "table.csv"]
    for name in held:
        Path(name).write_text("kept", encoding="ascii")
    ran = kulami(*words.split())
    assert (ran.code, ran.out) == (2, "")
    assert said in ran.err
    assert sorted(path.name for path in tmp_path.iterdir()) == held
    assert all(path.read_text(encoding="ascii") == "kept" for path in tmp_path.iterdir())


def test_what_a_command_has_written_before_is_replaced(tmp_path: Path) -> None:
    """So is an empty file, and a file of the same kind by another program."""
    picture, table, page = (str(tmp_path / f"a.{kind}") for kind in ("svg", "csv", "html"))
    database, puzzles = str(tmp_path / "a.kdb"), str(tmp_path / "puzzles")
    (tmp_path / "a.svg").write_text('\ufeff<?xml version="1.0"?>\n<svg/>', "utf-8")
    (tmp_path / "a.html").touch()
    good("build", database, "--layout", "AAB/CCB")
    for _ in range(2):
        good("show", "--layout", SMALL, "--svg", picture)
        good("check", "random", "--positions", "3", "--csv", table, "--html", page)
        good("grade", "--layout", "AAB/CCB", "--moves", "a1 c1", "--html", page)
        good("export", database, table)
        good("puzzles", puzzles, "--count", "1")


def test_a_device_takes_what_several_options_write() -> None:
    good("check", "random", "--positions", "3", "--csv", os.devnull, "--html", os.devnull)
