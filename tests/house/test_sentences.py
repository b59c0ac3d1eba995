"""Errors: each place that raises one names a code and its values, or says an English sentence."""

from __future__ import annotations

import ast
import copy
import functools
import json
import pickle
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from translated import templates

import kulami_solver
from kulami_solver.errors import KulamiError, catalogue
from kulami_solver.storage.container import NotInDatabaseError

PACKAGE = Path(kulami_solver.__file__).parent
EXT = PACKAGE.parent / "ext" / "kulami_solver"
LANGUAGES = ("de", "fr", "es", "nl")

ROOMS = sorted(
    path.name
    for path in PACKAGE.iterdir()
    if path.suffix == ".py" or (path.is_dir() and [*path.glob("*.py")])
)

HOLE = re.compile(r"\{(\w+)(?:!q[0-9]*)?(?::(?:,|word|and|or)|\|[^|{}]*\|[^|{}]*)?\}")


@functools.cache
def kinds_of_errors() -> set[str]:
    """The names of KulamiError and of all that are made from it, as the sources say."""
    names = {"KulamiError"}
    sources = [ast.parse(path.read_text(encoding="utf-8")) for path in PACKAGE.rglob("*.py")]
    classes = [one for source in sources for one in ast.walk(source) if type(one) is ast.ClassDef]
    while True:
        more = {one.name for one in classes if {ast.unparse(base) for base in one.bases} & names}
        if more <= names:
            return names
        names |= more


def called(call: ast.Call) -> str:
    """What is called, without what it belongs to."""
    return str(getattr(call.func, "attr", "") or getattr(call.func, "id", ""))


def says(call: ast.Call) -> bool:
    """Whether a call makes an error, a phrase, or a place of an error."""
    place = isinstance(call.func, ast.Attribute) and call.func.attr == "at" and call.args
    kinds = kinds_of_errors() | {"Phrase", "CommandError"}
    return bool(called(call) in kinds or (place and isinstance(call.args[0], ast.Constant)))


def codes_of(given: ast.expr) -> list[str] | None:
    """The codes that an argument can be; None for a sentence, or what is made elsewhere."""
    if isinstance(given, ast.Constant) and isinstance(given.value, str):
        return [given.value] if re.fullmatch(r"\w*", given.value) else None
    if isinstance(given, ast.IfExp):
        both = [codes_of(one) for one in (given.body, given.orelse)]
        return [code for codes in both if codes for code in codes]
    return None


def faults_of(call: ast.Call) -> Iterator[str]:
    """What is wrong with a call that makes an error."""
    given = call.args[1:] if called(call) == "Refused" else call.args  # the first is the status
    for code in codes_of(given[0]) or () if given else ("nothing is said",):
        if code not in catalogue():
            yield f"no code: {code}"
            continue
        holes = set(HOLE.findall(catalogue()[code]))
        names = {one.arg for one in call.keywords if one.arg}
        whole = all(one.arg for one in call.keywords) and not isinstance(given[0], ast.IfExp)
        if names - holes if not whole else names != holes:
            yield f"{code} has {sorted(names)}, its template {sorted(holes)}"


def calls_of(path: Path) -> Iterator[ast.Call]:
    """The calls in a source that make errors; of Cython those that are statements of their own."""
    text = path.read_text(encoding="utf-8")
    for source in [text] if path.suffix == ".py" else list(raised(text)):
        for node in ast.walk(ast.parse(source)):
            if isinstance(node, ast.Call) and says(node):
                yield node


def raised(text: str) -> Iterator[str]:
    """What is raised in a source of Cython, each as an expression."""
    for begin in re.finditer(r"\braise (?=\w+\()", text):
        depth, end = 0, begin.end()
        while True:
            depth += {"(": 1, ")": -1}.get(text[end], 0)
            end += 1
            if not depth and text[end - 1] == ")":
                break
        yield text[begin.end() : end]


def sources_of(room: str) -> list[Path]:
    """The sources of a room, compiled ones too."""
    if room.endswith(".py"):
        return [PACKAGE / room]
    compiled = [path for path in (EXT / room).rglob("*") if path.suffix in (".pyx", ".pxd")]
    return sorted([*(PACKAGE / room).rglob("*.py"), *compiled])


@pytest.mark.parametrize("room", ROOMS)
def test_every_error_has_a_code_and_its_values(room: str) -> None:
    faults = [
        f"{path.name}:{call.lineno}: {fault}"
        for path in sources_of(room)
        for call in calls_of(path)
        for fault in faults_of(call)
    ]
    assert not faults, "\n".join(faults)


def test_every_sentence_is_said_where_the_page_may_hear_it_and_has_one_code() -> None:
    """What the terminal alone says stands in its code."""
    text = "".join(
        path.read_text(encoding="utf-8")
        for room in ROOMS
        if room not in ("cli", "cluster")
        for path in sources_of(room)
    )
    unused = {code for code in catalogue() if f'"{code}"' not in text}
    assert unused == {"list_and", "list_or"}  # their names are put together
    assert len(set(catalogue().values())) == len(catalogue())


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_translation_has_every_sentence_and_names_no_other_values(language: str) -> None:
    assert {*catalogue()} <= {*templates(language)}
    for code, template in templates(language).items():
        if code in catalogue():
            assert set(HOLE.findall(template)) <= set(HOLE.findall(catalogue()[code])), code


@pytest.mark.parametrize("language", ["en", *LANGUAGES])
def test_each_code_stands_once(language: str) -> None:
    text = (PACKAGE / "sentences" / f"{language}.json").read_text(encoding="utf-8")
    codes = [code for code, _ in json.loads(text, object_pairs_hook=list)]
    assert codes == sorted(set(codes))  # in order, so that two additions seldom meet in a merge
    assert all(re.fullmatch(r"[a-z][a-z0-9_]*", code) for code in codes)


def test_an_error_goes_into_another_process_and_back() -> None:
    error = NotInDatabaseError("taken", side="red", field=object()).at("move", number=3)
    back = pickle.loads(pickle.dumps(error))
    assert type(back) is NotInDatabaseError
    assert back.told() == error.told()
    assert str(back) == str(error)


class SilentError(KulamiError):
    """An error of somebody else, who calls no __init__ here and has a code of his own."""

    def __init__(self, left: int) -> None:
        self.left = left
        self.code = "E7"


class BareError(KulamiError):
    def __init__(self, *, left: int) -> None:
        self.left = left


def test_errors_that_others_derive_need_not_follow() -> None:
    silent = SilentError(3)
    for error in (silent, pickle.loads(pickle.dumps(silent)), copy.copy(silent)):
        assert (str(error), error.left, error.code, error.values) == ("3", 3, "E7", {})
        assert str(error.at("move", number=2)) == "move 2: 3"
    bare = pickle.loads(pickle.dumps(BareError(left=3)))
    assert (str(bare), bare.left, bare.code, bare.places) == ("", 3, None, ())
    assert str(KulamiError("more", 2)) == "('more', 2)"
