"""Every reader of text from outside takes time that grows with the text, not with its square."""

from __future__ import annotations

import contextlib
import gc
import itertools
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from kulami_solver import Position
from kulami_solver.adapters.hagen import Messages
from kulami_solver.adapters.ugi import Server
from kulami_solver.bots.dialect import option_of
from kulami_solver.cli.kulami.positions import fields_as_typed, kfn_as_typed
from kulami_solver.cli.output import CommandError
from kulami_solver.cli.results import RECORD_LIMIT, text_lines
from kulami_solver.core.compressed import packed
from kulami_solver.core.notation import parse_fields
from kulami_solver.errors import KulamiError
from kulami_solver.game import load_game
from kulami_solver.kulami.game_record import GameRecord, check_record, records
from kulami_solver.kulami.position.layout_text import rows_of, texts_of
from kulami_solver.web.kulami.requests import Import, take_in

pytestmark = pytest.mark.landing  # some forty seconds

FEW, MANY = 10_000, 20_000  # times a piece is repeated

BLANKS = (" ", "\n", "\t", "\r", "\xa0", "\u200b")
SIGNS = (*'[](){};:,.-/@#*?!"\\\xbdx_7', "...")


def games(text: str) -> None:
    for number, game, record in records(text.split("\n")):
        if not isinstance(record, KulamiError):
            with contextlib.suppress(KulamiError):
                check_record(record, number, game)
            GameRecord.from_json(record, number, game).text()


def json_moves(text: str) -> None:
    check_record({"board": "AAB/AAC", "level": 0, "first": "red", "moves": text})


def ugi(text: str) -> None:
    """As an engine and as an arena reads it, by the line."""
    server = Server("greedy", lambda _line: None)
    for line in text.splitlines() or [text]:
        option_of(line)
        server.serve([line])


def gz(text: str) -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "games.jsonl.gz")
        path.write_bytes(packed(path, text.encode()))
        for _ in records(text_lines("GAME", str(path), RECORD_LIMIT)):
            pass


READERS: dict[str, tuple[Callable[[str], object], tuple[str, ...], tuple[str, ...]]] = {
    # The reader, what may stand before the pieces, and the pieces of its own grammar.
    "games": (
        games,
        (
            *("", "[Red", '[Red "a', "Red: a", "Layout ", "1"),
            *(f"Layout: square\n1. a1 {more}" for more in ("", "(b1 ", "{")),
        ),
        (
            *("a1 ", "1. ", "1... ", "(a4)", "(a4", "{c}", "{", "; c\n", "1-0\n", "!", "$1"),
            *('[Red "a"]\n', "[Red\n", "Red: a\n", "Layout: square\n1. a1 {\n", "word ", "word\n"),
            *("[Layout\n{\n", "- a1", "> ", "a1*,", "*,"),
        ),
    ),
    "games of BoardSpace": (
        games,
        ("(;", "(; SU[Kulami 2 1234 102]", "(; SU[Kulami 2 1234 102] P0", "(; C[", "(; P0[1 "),
        ("P0", "C[x]", "C[", "(;)\n", "(;", "P0[1 Dropb W A 1]", "P1[2 Pickb A 1]", "P0[2 Done]"),
    ),
    "lines of JSON": (games, ("{", '{"', '{"board": ['), ("{}\n", '{"a":', "[", "[],", '"a",')),
    "moves": (json_moves, ("", "a1 "), ("a1 ", "1.", "1. ")),
    "what is pasted": (
        lambda text: take_in(Import(text[:240_000])),
        ("", "AAB/AAC ", "[[", "b0"),
        ("1.\n", "1) ", "Layout", "AAB/AAC - r -\n", "[1],", "1 1\n", "b0", "(0,0)"),
    ),
    "layouts": (rows_of, ("", "[", "(0", "1x2@a1"), ("a1 ", "1x1@a1,", "(0,0) ", "[1],", "1 ")),
    "files of layouts": (
        lambda text: list(texts_of(text.split("\n"))),
        ("", "[[1", "{", '{"', ";"),
        ("AB/AB\n", "1 1\n", "=a1", "]", "] ", "; ", '{"layout": "AB"}\n', "[\n", "{\n"),
    ),
    "KFN": (
        lambda text: Position.from_kfn(kfn_as_typed(text)),
        ("", "AAB/AAC ", "AAB/AAC 1", "AAB/AAC - r ", "AAB/AAC - r a1"),
        ("1r", "0", "r/", ".", "1.", "a1,", ", "),
    ),
    "boards": (lambda text: Position.from_hagen(text, turn="red"), ("", "b0"), ("b0", "a0")),
    "fields": (lambda text: parse_fields(fields_as_typed(text)), ("", "A1"), ("A1 ", "a1,")),
    "Hagen": (
        lambda text: Messages().feed((text + "\n").encode()[: 1 << 16]),
        ("", "zug", "zug(", "zug(1)", "Spieler "),
        ("zug(1).\n", "spielt nicht mehr"),
    ),
    "UGI": (
        ugi,
        (
            "",
            "position fen ",
            "option name a",
            "option name a type spin",
            "setoption name a",
            "go ",
        ),
        ("ugi\n", "go 1 ", "moves ", "a1 ", "name ", "value ", "var ", "default 1 ", "min 1 "),
    ),
    "empty lines of .gz": (gz, ("", "{}\n"), ("\n", "#\n")),
    **{
        name: (load_game(name).read, ("", "3x3 ", "3x3 - "), ("b1", "b1/", "r1,", "1 "))
        for name in ("malawi", "just4fun")
    },
}


def seconds(read: Callable[[str], object], text: str) -> float:
    gc.disable()  # its own work grows a little faster
    began = time.process_time()
    with contextlib.suppress(KulamiError, CommandError):
        read(text)
    spent = time.process_time() - began
    gc.enable()
    return spent


@pytest.mark.parametrize("name", READERS)
def test_twice_the_text_takes_twice_the_time(name: str) -> None:
    read, starts, pieces = READERS[name]
    for start, piece in itertools.product(starts, (*BLANKS, *SIGNS, *pieces)):
        few, many = (f"{start}{piece * count}x\n1. a1" for count in (FEW, MANY))
        if seconds(read, few) > 0.01:  # by the square, the longest text would take seconds
            # One that is slow by the machine's other work is asked again.
            tried = (seconds(read, many) < 3 * seconds(read, few) for _ in range(6))
            assert any(tried), (start, piece)


@pytest.mark.parametrize("piece", ["*", "1. ", "1.\n", "(b1)", "a1 ", "{c}", "1-0\n", "{}\n", " "])
@pytest.mark.parametrize("start", ["", "Layout: square\n1. a1 ", "[Red", "(;", "[["])
def test_the_longest_text_of_the_page_is_read_or_refused_at_once(start: str, piece: str) -> None:
    text = (start + piece * 240_000)[: 240_000 - 2] + "1."
    assert min(seconds(lambda text: take_in(Import(text)), text) for _ in range(3)) < 1.5
