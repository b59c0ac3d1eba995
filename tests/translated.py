"""Refusals in the languages of the page, as `web/static/texts.js` puts them together."""

from __future__ import annotations

import functools
import json
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import kulami_solver

PACKAGE = Path(kulami_solver.__file__).parent

_HOLE = re.compile(
    r"\{(?P<name>\w+)(?P<marks>!q\d*)?"
    r"(?::(?P<form>,|word|and|or)|\|(?P<one>[^|{}]*)\|(?P<several>[^|{}]*))?\}"
)


@functools.cache
def templates(language: str, folder: str = "sentences") -> Mapping[str, str]:
    """The templates of a language by their codes."""
    path = PACKAGE / folder / f"{language}.json"
    found: dict[str, str] = json.loads(path.read_text(encoding="utf-8"))
    return found


def sentence(told: Mapping[str, Any], language: str) -> str:
    """The sentence of a refusal, as `KulamiError.told` gives it, after its places."""
    places = [sentence(place, language) for place in told.get("places", ())]
    colon = templates(language, "web/static/texts")["colon"]
    return colon.join([*places, _filled(told["code"], told["values"], language)])


def _filled(code: str, values: Mapping[str, Any], language: str) -> str:
    """The template of a code, with its values."""

    def fill(hole: re.Match[str]) -> str:
        if hole["name"] not in values:
            return hole[0]
        value = values[hole["name"]]
        if hole["one"] is not None:
            return hole["one"] if value == 1 else hole["several"]
        return _written(value, hole["marks"], hole["form"], language)

    return _HOLE.sub(fill, templates(language)[code])


def _written(value: Any, marks: str | None, form: str | None, language: str) -> str:
    if isinstance(value, list):
        *before, last = (_written(one, marks, None, language) for one in value)
        if form not in ("and", "or") or not before:
            return ", ".join([*before, last])
        return _filled(f"list_{form}", {"before": ", ".join(before), "last": last}, language)
    if isinstance(value, dict):
        return _filled(value["code"], value["values"], language)
    if form == "word":
        return templates(language).get(value, value)
    return f"'{value}'" if marks and isinstance(value, str) else str(value)
