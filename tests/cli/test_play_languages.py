"""Games at the terminal in the languages of the page, each sentence whole."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from command_line import good, kulami
from transcripts import commands, recorded

import kulami_solver
from kulami_solver.bots import grade
from kulami_solver.cli.play import as_command
from kulami_solver.errors import Phrase, catalogue, speaking
from kulami_solver.kulami.estimate.chances import ValueEstimate
from kulami_solver.kulami.position.scoring import range_words

LANGUAGES = ("de", "fr", "es", "nl")

# In English sentences alone; "of" is Dutch, "error" Spanish, and "best" is typed.
ENGLISH = re.compile(
    r"\b(the|to|with|move|moves|red|black|wins|draw|legal|last|field|fields|solved|lost|right|"
    r"wrong|nothing|game|streak|puzzle|which|proved|note|chains|scoring|this|your)\b"
)

# What stands in a sentence in every language, and what can be typed.
NOTATION = re.compile(
    r"'[^']+'|--[a-z]+ \S+|\S*games.jsonl\d?|kulami: |kulami (malawi )?grade|  (moves|record)  "
)

# A position before which red has marbles enough for two more; a2 spoils it for black.
SMALL = ("--layout", "AAB/CCB", "--side", "both")
GAME = "help A1 values a9 zz a1 a2 c2 c2 score grade undo undo undo undo a1 a2 c2 b2 board"
LARGE = "d4 best values score grade undo quit"
TURNS = "help turns a3-a1 zz best best board grade undo turns quit"
CARDS = "help moves advice 3=1+2 zz discard best board undo board quit"
OPEN = ("--position", "3x3 - r2b2 r r1.4,b2.3 5.6 {7}", "--deals", "5", "--hand", "2")
SHORT = ("--position", "2x2 - r1b1 r r1,b2 - -", "--hand", "1", "--line", "2", "--deals", "1")
TO_AND_FRO = "a5-a4 a1-a2 a4-a5 a2-a1 " * 2


@pytest.fixture(autouse=True, scope="module")
def bounded() -> Iterator[None]:
    """Grading ends soon, and the language is that of LANGUAGE."""
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(grade, "NODES", 1000)
        for name in ("LC_ALL", "LC_MESSAGES", "LANG"):
            patched.delenv(name, raising=False)
        yield


@pytest.fixture(scope="module")
def english(tmp_path_factory: pytest.TempPathFactory) -> list[str]:
    """What the sessions say in English."""
    return spoken(tmp_path_factory.mktemp("english"))


def sessions(folder: Path) -> list[tuple[str, list[str]]]:
    """What is typed, one word a line, and the command that it is typed to."""
    saved = str(folder / "games.jsonl")
    return [
        (GAME, ["play", *SMALL, "--grade", "--save", saved]),
        (LARGE, ["play", "--time", "0.05", "--bot", "random", "--save", saved]),
        ("", ["grade", saved, "--estimate"]),
        ("", ["grade", str(folder)]),
        ("grade a1 d1", ["play", "--layout", "AABB/AABB/CCDD", "--side", "both"]),
        (TURNS, ["malawi", "play", "--board", "2x3", "--save", saved + "3"]),
        ("", ["malawi", "grade", saved + "3"]),
        ("best best best undo quit", ["malawi", "play", "--board", "2x3", "--grade"]),
        ("quit", ["malawi", "play", "--board", "2x5", "--beads", "1", "--turns", TO_AND_FRO]),
        (CARDS, ["just4fun", "play", "--deal", "7", "--deals", "2", "--save", saved + "4"]),
        (CARDS, ["just4fun", "play", *OPEN]),
        ("moves best moves", ["just4fun", "play", *SHORT]),
    ]


def spoken(folder: Path) -> list[str]:
    """All lines that these sessions say, in the language that is set, notations taken out."""
    lines = []
    for typed, command in sessions(folder):
        ran = kulami(*command, stdin=typed.replace(" ", "\n").encode())
        assert ran.code == 0
        for line in (ran.out + ran.err).splitlines():
            named = re.sub(NOTATION, " ", line)
            if not re.fullmatch(
                r"[^a-z]*([a-p](\s+[a-p])*)?|.*[│┌├└].*|(\d+\. \w+\s*)+|.* perfect .*", named
            ):
                lines.append(named)
    return lines


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_sentence_is_whole(
    language: str, english: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("LANGUAGE", language)
    translated = spoken(tmp_path)
    assert [line for line in translated if ENGLISH.search(line)] == []
    assert set(english) & set(translated) == set()
    # Nothing is left out; the lists of what can be typed have lines of their own.
    assert len(english) - len(translated) <= 6


@pytest.mark.parametrize(
    "command",
    [
        ["play", *SMALL],
        ["malawi", "play", "--board", "2x3"],
        ["just4fun", "play", *OPEN],
    ],
)
def test_json_is_never_translated(command: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    typed = b"help\nhint\nzz\na1\nscore\ngrade\nnext\nquit\n"
    ran = kulami(*command, "--json", stdin=typed)
    monkeypatch.setenv("LANGUAGE", "de")
    assert kulami(*command, "--json", stdin=typed) == ran


def test_json_of_grades_is_never_translated(monkeypatch: pytest.MonkeyPatch) -> None:
    command = ["grade", "--layout", "AAB/CCB", "--moves", "a1 c1", "--estimate", "--json"]
    ran = kulami(*command)
    monkeypatch.setenv("LANGUAGE", "fr")
    assert kulami(*command) == ran


@pytest.mark.parametrize("language", LANGUAGES)
def test_what_is_no_record_is_said(
    language: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "games.txt"
    said = {}
    for text in ('[Layout "AAB/CCB"]\n\n1. a1 {x\n', '{"board": "AAB/CCB"}\n'):
        path.write_text(text)
        ran = kulami("grade", str(path))
        monkeypatch.setenv("LANGUAGE", language)
        translated = kulami("grade", str(path))
        assert kulami("grade", str(path), "--json").err == ran.err
        monkeypatch.undo()
        assert (ran.code, translated.code) == (2, 2)
        said[ran.err] = translated.err
    for english, other in said.items():
        assert english.startswith(f"kulami: error: {path}: ")
        assert not ENGLISH.search(other.replace(str(path), ""))
        assert str(path) in other


@pytest.mark.parametrize("words", commands(recorded()["Refused in each language"]))
def test_what_is_wrong_is_said_in_each_language(
    words: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    english = kulami(*words.split())
    assert (english.code, english.out) == (2, "")
    for language in LANGUAGES:
        monkeypatch.setenv("LANGUAGE", language)
        said = kulami(*words.split())
        assert (said.code, said.out) == (2, "")
        assert said.err != english.err
        typed = r"'[^']*'|--\w+|\bred\b|\bchains\b"
        assert not ENGLISH.search(re.sub(typed, "", said.err)), said.err
        assert not words or kulami(*words.split(), "--json").err == english.err


def test_each_refusal_of_the_command_line_is_in_every_language() -> None:
    folder = Path(kulami_solver.__file__).parent / "cli"
    sources = "".join(path.read_text(encoding="utf-8") for path in folder.rglob("*.py"))
    codes = set(re.findall(r'CommandError\(\s*"(\w+)"', sources))
    assert len(codes) > 60
    for language in LANGUAGES:
        missing = codes - set(catalogue(language))
        assert {catalogue()[code] for code in missing} <= {"{file}: {why}"}


@pytest.mark.parametrize("language", LANGUAGES)
def test_bounds_in_words(language: str) -> None:
    bounds = [(2, 52), (-9, -3), (0, 7), (-4, 8), (1, 1), (0, 0)]
    said = [
        range_words(*pair, "red", by=by).said(language) for pair in bounds for by in (False, True)
    ]
    assert [one for one in said if ENGLISH.search(one)] == []
    both = catalogue(language)["red"], catalogue(language)["black"]
    assert all(any(side in one for side in both) for one in said[:10])


@pytest.mark.parametrize("language", LANGUAGES)
def test_lists_of_what_can_be_typed_have_the_same_words(language: str) -> None:
    words = re.compile(r"^  (\w+)|  +(\w+) {2,}", re.MULTILINE)
    english = kulami("play", stdin=b"help\n").out
    game = set(filter(None, sum(words.findall(catalogue(language)["typed_in_kulami"]), ())))
    assert {"values", "best", "board", "grade", "quit", "undo", "kfn", "score", "help"} == game
    assert all(word in english for word in game)


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_command_has_a_word_in_each_language(language: str) -> None:
    words = re.compile(r"^  (\w+)|  +(\w+) {2,}", re.MULTILINE)
    lists = [text for code, text in catalogue(language).items() if code.startswith("typed_")]
    commands = set(filter(None, sum(words.findall("\n".join(lists)), ())))
    pairs = dict(pair.split("=") for pair in catalogue(language)["typed_words"].split())
    with speaking(language):
        own = {as_command(word.upper()): word for word in pairs}
        assert as_command("a1") == "a1"
    notations, same = {"kfn", "mfn", "jfn"}, {"score"} if language == "fr" else set()
    assert commands - notations - same - {"turns"} <= set(own)
    assert not set(pairs) & set(pairs.values()) - {"tip"}


@pytest.mark.parametrize("words", ["play", "malawi play --board 2x3"])
def test_hilfe_and_ende_are_understood(words: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LANGUAGE", "de")
    ran = good(*words.split(), stdin=b"Hilfe\nBrett\nende\nzz\n")
    assert "diese Liste" in ran.out
    assert ran.err == ""
    monkeypatch.setenv("LANGUAGE", "en")
    assert "error: " in kulami(*words.split(), stdin=b"hilfe\n").err


@pytest.mark.parametrize(("language", "about"), [("en", "+1.8"), ("de", "+1,8"), ("fr", "+1,8")])
def test_numbers_have_the_marks_of_the_language(language: str, about: str) -> None:
    assert about in ValueEstimate(1.84, 0.6, 0.1, 0.3).words("red").said(language)
    thousands = {"en": "20,000,000", "de": "20.000.000", "fr": "20\u00a0000\u00a0000"}[language]
    assert thousands in Phrase("beyond_nodes", ply=3, nodes=20_000_000).said(language)
    said = Phrase("beyond_seconds", ply=3, seconds="0.5").said(language)
    assert about[-2] in said


@pytest.mark.parametrize("form", ["text", "json", "key"])
def test_players_are_named(form: str, monkeypatch: pytest.MonkeyPatch) -> None:
    start = '{"board": "AAB/CCB", "level": 0, "first": "red", "moves": ["a1", "a2", "c2"], '
    start += '"score": {"red": 4, "black": 2}, '
    text = {
        "text": '[Layout "AAB/CCB"]\n[Red "Anna"]\n1. a1 a2 2. c2 4-2',
        "json": start + '"headers": {"Red": "Anna"}}',
        "key": start + '"red": "Anna"}',
    }[form]
    monkeypatch.setenv("LANGUAGE", "de")
    out = good("grade", "-", stdin=text.encode()).out
    assert re.search(r"^  1  Anna +a1 ", out, re.MULTILINE)
    assert re.search(r"^  2  Schwarz +a2 ", out, re.MULTILINE)
    assert re.search(r"^Anna \(Rot\) +100 %", out, re.MULTILINE)


@pytest.mark.parametrize("game", ["malawi", "just4fun"])
@pytest.mark.parametrize("language", LANGUAGES)
def test_what_can_be_typed_in_other_games(game: str, language: str) -> None:
    words = re.compile(r"^  (\w+) {2}|  +(\w+) {2,}", re.MULTILINE)
    start = {"malawi": ("--board", "2x3"), "just4fun": ("--deal", "7")}[game]
    english = kulami(game, "play", *start, stdin=b"help\nquit\n").out
    lines = english[english.index("\n  ", english.index("one of")) :].partition("\n{")[0]
    typed = set(filter(None, sum(words.findall(catalogue(language)[f"typed_in_{game}"]), ())))
    assert {word for word in typed if word not in lines} == {"help"}
    assert set(filter(None, sum(words.findall(lines), ()))) == typed - {"help"}


@pytest.mark.parametrize("language", LANGUAGES)
def test_what_is_wrong_with_a_file_is_said(
    language: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    full = tmp_path / "full.kdb"
    proof, cut, flipped = tmp_path / "a.kpf", tmp_path / "cut.kdb", tmp_path / "flipped.kdb"
    board = ["--layout", "AAB/CCB"]
    kulami("build", str(full), *board)
    kulami("prove", str(proof), *board)
    whole = full.read_bytes()
    cut.write_bytes(whole[:-100])
    flipped.write_bytes(whole[:-5] + bytes([whole[-5] ^ 1]) + whole[-4:])
    wrong = (
        (["verify", str(cut)], 1),
        (["verify", str(flipped)], 1),
        (["info", str(flipped)], 2),
        (["probe", str(full), "--layout", "AAA/CCB"], 1),
        (["info", str(proof)], 2),
        (["build", str(tmp_path / "x.kdb"), "--layout", "square"], 2),
    )
    for words, code in wrong:
        ran = kulami(*words)
        monkeypatch.setenv("LANGUAGE", language)
        translated = kulami(*words)
        as_json = kulami(*words, "--json")
        monkeypatch.undo()
        assert (ran.code, translated.code) == (code, code), words
        reasons = [one.err.partition(": ")[2].split(":", 2)[-1] for one in (ran, translated)]
        assert reasons[0] != reasons[1], words
        assert as_json.err in ("", ran.err), words
