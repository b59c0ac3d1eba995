"""What docs/stability.md promises is kept: names, commands, answers, files and notations.

The record, tests/promises.json, is renewed by scripts/promises.py.
"""

from __future__ import annotations

import argparse
import copy
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import promised_answers
import promises
import pytest
from promises import MODULES, Promises, differences

import kulami_solver as ks
from kulami_solver import cli

pytestmark = pytest.mark.sources

REMEDY = "it is promised: keep it as it was, or deprecate it first as docs/stability.md says"
RECORD = "run  python scripts/promises.py --write"


@pytest.fixture(scope="module")
def found() -> Promises:
    return promises.promised()


def test_every_promise_is_kept_and_nothing_is_public_by_accident(found: Promises) -> None:
    told = [one.text for one in differences(promises.recorded(), found)]
    assert told == [], "\n".join(told)


def test_the_file_is_as_the_script_writes_it() -> None:
    assert promises.FILE.read_text(encoding="ascii") == promises.text(promises.recorded())


def test_the_modules_of_the_documents_are_promised(repository: Path) -> None:
    documents = [
        repository / "README.md",
        *(path for end in ("md", "rst") for path in (repository / "docs").rglob(f"*.{end}")),
    ]
    shown = {
        name
        for path in documents
        for name in re.findall(
            r"(?:from|automodule::) (kulami_solver[\w.]*)(?: import|$)",
            path.read_text(encoding="utf-8"),
            re.MULTILINE,
        )
    }
    assert len(shown) > 5
    assert shown <= {*MODULES}
    page = (repository / "docs" / "stability.md").read_text(encoding="utf-8")
    for module in MODULES:
        assert f"`{module}`" in page or f"`{module.split('.', 2)[2]}`" in page, module


def test_every_command_with_json_is_run(found: Promises) -> None:
    commands = {name[:-7] for name in found["commands"] if name.endswith(" --json")}
    assert commands == {*promised_answers.RUNS} | promised_answers.ASKED_OTHERWISE


# The record tells of what is taken away: each change below is one that breaks somebody's program.


def take(kind: str, name: str, said: str = "", instead: str = "") -> Callable[[Promises], None]:
    """A change: a name is gone, or one thing about it is, or another is there instead."""

    def change(changed: Promises) -> None:
        if not said:
            del changed[kind][name]
            return
        place = changed[kind][name].index(said)
        changed[kind][name][place : place + 1] = [instead] if instead else []

    return change


def add(kind: str, name: str, *said: str) -> Callable[[Promises], None]:
    """A change: a name is there, or something more about it."""

    def change(changed: Promises) -> None:
        changed[kind].setdefault(name, []).extend(said)

    return change


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        (take("names", "kulami_solver.solve"), "names: kulami_solver.solve is gone"),
        (take("names", "kulami_solver.Position.play"), "kulami_solver.Position.play is gone"),
        (
            take("names", "kulami_solver.solve", "keyword time = None"),
            "names: kulami_solver.solve no longer has 'keyword time = None'",
        ),
        (
            take("names", "kulami_solver.Position.play", "1. field", "1. move"),
            "kulami_solver.Position.play no longer has '1. field'",
        ),
        (
            add("names", "kulami_solver.solve", "keyword depth"),
            "kulami_solver.solve has 'keyword depth' now, which old calls do not give",
        ),
        (
            take("names", "kulami_solver.LayoutError", "is a KulamiError"),
            "kulami_solver.LayoutError no longer has 'is a KulamiError'",
        ),
        (take("commands", "kulami malawi turns"), "commands: kulami malawi turns is gone"),
        (take("commands", "kulami solve --all"), "commands: kulami solve --all is gone"),
        (
            take("commands", "kulami solve --goal", "choice outcome"),
            "kulami solve --goal no longer has 'choice outcome'",
        ),
        (
            take("commands", "kulami serve --port", "default 8765", "default 80"),
            "kulami serve --port no longer has 'default 8765'",
        ),
        (
            add("commands", "kulami solve --seed", "option", "must be given"),
            "commands: kulami solve --seed has to be given now",
        ),
        (
            take("answers", "kulami solve --json", "moves[].field: text"),
            "answers: kulami solve --json no longer has 'moves[].field: text'",
        ),
        (
            take("answers", "kulami moves --json", "kfn: text", "kfn: object"),
            "kulami moves --json no longer has 'kfn: text'",
        ),
        (
            take("page", "POST /api/analyse", "solution margin: number"),
            "page: POST /api/analyse no longer has 'solution margin: number'",
        ),
        (
            take("page", "POST /api/position", "asks kfn"),
            "page: POST /api/position no longer has 'asks kfn'",
        ),
        (
            take("files", "database of Kulami", "fields: list"),
            "files: database of Kulami no longer has 'fields: list'",
        ),
        (take("files", "record of a game"), "files: record of a game is gone"),
        (take("notations", "KBN"), "notations: KBN is gone"),
        (take("exit codes", "EXIT_FAILED", "1", "3"), "EXIT_FAILED no longer has '1'"),
        (take("environment", "NO_COLOR"), "environment: NO_COLOR is gone"),
        (take("former names", "kulami_solver.notation"), "kulami_solver.notation is gone"),
    ],
)
def test_a_broken_promise_is_told(
    found: Promises, change: Callable[[Promises], None], sentence: str
) -> None:
    changed = copy.deepcopy(found)
    change(changed)
    told, *_ = differences(found, changed)
    assert told.is_broken
    assert sentence in told.text
    assert REMEDY in told.text


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        (add("names", "kulami_solver.guess", "function"), "names: kulami_solver.guess is new"),
        (
            add("names", "kulami_solver.solve", "keyword depth = None"),
            "kulami_solver.solve has 'keyword depth = None', which is new",
        ),
        (add("commands", "kulami solve --seed", "option"), "kulami solve --seed is new"),
        (
            add("answers", "kulami solve --json", "depth: number"),
            "kulami solve --json has 'depth: number', which is new",
        ),
    ],
)
def test_what_is_new_has_to_be_recorded(
    found: Promises, change: Callable[[Promises], None], sentence: str
) -> None:
    changed = copy.deepcopy(found)
    change(changed)
    (told,) = differences(found, changed)
    assert not told.is_broken
    assert sentence in told.text
    assert RECORD in told.text


def test_old_calls_may_become_shorter(found: Promises) -> None:
    """A default for what had to be given, and an answer that is never null any more."""
    changed = copy.deepcopy(found)
    take("names", "kulami_solver.Position.play", "1. field", "1. field = 'a1'")(changed)
    take("answers", "kulami solve --json", "margin: null or number", "margin: number")(changed)
    assert differences(found, changed) == []


# The inventory sees what is in the package: here it is taken from the package itself.


def test_a_method_and_a_public_name_that_are_taken_away(monkeypatch: pytest.MonkeyPatch) -> None:
    before = {"names": promises.names()}
    monkeypatch.delattr(ks.Position, "perft")
    monkeypatch.setattr(ks, "__all__", [name for name in ks.__all__ if name != "analyse"])
    told = [one.text for one in differences(before, {"names": promises.names()})]
    assert [text.partition(": it is")[0] for text in told] == [
        "names: kulami_solver.Position.perft is gone",
        "names: kulami_solver.analyse is gone",
    ]


def test_an_option_that_is_taken_away(monkeypatch: pytest.MonkeyPatch) -> None:
    before = {"commands": promises.commands()}
    add_argument = argparse.ArgumentParser.add_argument

    def without_depth(parser: argparse.ArgumentParser, *names: str, **options: Any) -> Any:
        if parser.prog == "kulami perft" and names == ("--depth",):
            names = ("--plies",)
        return add_argument(parser, *names, **options)

    monkeypatch.setattr(argparse.ArgumentParser, "add_argument", without_depth)
    told = differences(before, {"commands": promises.commands()})
    assert [(one.is_broken, one.text.partition(":")[2].partition(":")[0]) for one in told] == [
        (True, " kulami perft --depth is gone"),
        (True, " kulami perft --plies has to be given now"),
    ]


def test_a_key_that_is_taken_away(found: Promises, monkeypatch: pytest.MonkeyPatch) -> None:
    line = cli.output.json_line

    def without_turn(answer: dict[str, object]) -> None:
        line({key: value for key, value in answer.items() if key != "turn"})

    monkeypatch.setattr(cli.output, "json_line", without_turn)
    runs = {"kulami moves": promised_answers.RUNS["kulami moves"]}
    monkeypatch.setattr(promised_answers, "RUNS", runs)
    name = "kulami moves --json"
    with promised_answers.working_in_a_folder():
        after = {"answers": {name: promised_answers.answers()[name]}}
    (told,) = differences({"answers": {name: found["answers"][name]}}, after)
    assert told.is_broken
    assert "kulami moves --json no longer has 'turn: text'" in told.text


def test_a_module_that_cannot_be_imported_here_is_left_alone(
    found: Promises, monkeypatch: pytest.MonkeyPatch
) -> None:
    is_here = promises.is_here
    monkeypatch.setattr(
        promises, "is_here", lambda module: module != "kulami_solver.cluster" and is_here(module)
    )
    less = {**found, "names": promises.names()}
    assert differences(found, less) == []
    assert promises.with_modules_not_here(found, less) == found


def test_the_script_writes_nothing_while_a_promise_is_broken(
    found: Promises,
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    kept = copy.deepcopy(found)
    add("names", "kulami_solver.gone", "function")(kept)
    file = tmp_path / "promises.json"
    file.write_text(promises.text(kept), encoding="ascii")
    monkeypatch.setattr(promises, "FILE", file)
    monkeypatch.setattr(promises, "promised", lambda: found)

    def code(*words: str) -> int:
        monkeypatch.setattr("sys.argv", ["promises.py", *words])
        return promises.main()

    assert (code(), code("--write")) == (1, 1)
    assert "nothing is written" in capsys.readouterr().err
    assert promises.recorded() == kept
    assert code("--break") == 0
    assert promises.recorded() == found
    assert code() == 0
