"""Refusals with a code: each code is reached by what the package really says, in five languages."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from translated import sentence, templates
from web_server import Server

import kulami_solver as ks
from kulami_solver.errors import KulamiError

LANGUAGES = ("de", "fr", "es", "nl")

# What somebody may write into a field of the page, or a program into a request: a question a line,
# the status of its answer, and the codes in it, of what is refused or left out.
RECORD = Path(__file__).with_name("refused.jsonl")

# What is left of a template whose value is missing.
HOLE = re.compile(r"\{[a-z_]+[}!:|]")

# What stands in sentences of English, and of none of the others.
ENGLISH = re.compile(r"\b(the|with|has|have|cannot|give|write|which|from|should|none|must)\b")


def test_the_move_that_is_meant_is_counted() -> None:
    position = ks.Position(ks.Layout.rulebook())
    with pytest.raises(KulamiError) as refused:
        position.play_all("d6 d3 d6")
    assert refused.value.told()["move"] == 3
    with pytest.raises(KulamiError, match=r"^number 2 of the list: ") as refused:
        position.play_all("d6 zz")
    told = refused.value.told()
    assert (told["move"], told["sentence"].startswith("'zz' is not a field")) == (2, True)


def codes_in(said: Any) -> Iterator[str]:
    """The codes in an answer, and in its values."""
    if isinstance(said, dict):
        yield from [said["code"]] if "code" in said else []
        for value in said.values():
            yield from codes_in(value)
    elif isinstance(said, list):
        for value in said:
            yield from codes_in(value)


def test_what_is_refused_is_said_in_every_language(server: Server) -> None:
    reached = {"busy", "no_memory", "ended_early"}

    def ask(place: str, body: object) -> tuple[int, list[str]]:
        """The status and the codes of an answer, which can be said in each language."""
        status, answer = server.ask(f"/api/{place}", body, {"prefer": "codes"})
        said = json.loads(answer)
        assert (status == 400) == ("code" in said), (place, body, said)
        for language in LANGUAGES if status == 400 else ():
            assert set(codes_in(said)) <= set(templates(language)), said
            translated = sentence(said, language)
            assert not HOLE.search(translated), translated
            assert not ENGLISH.search(translated), (language, translated)
        return status, sorted(set(codes_in(said)))

    for line in RECORD.read_text(encoding="ascii").splitlines():
        place, status, codes, asked = json.loads(line).values()
        assert ask(place, asked) == (status, codes), line
        reached |= set(codes)
        for other in ("analyse", "move", "picture") if "position" in place else ():
            assert ask(place.replace("position", other), asked)[0] == 400, line
    for text in (b"", b"x", b"[]", b"7", b"\xff", b"[" * 5000):
        assert ask("position", text)[0] == 400, text
    assert len(reached) > 200
    for language in LANGUAGES:
        assert reached <= set(templates(language))
