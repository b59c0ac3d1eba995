"""Punctuation of all texts that people read, by the rules of each language."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

import kulami_solver

PACKAGE = Path(kulami_solver.__file__).parent
LANGUAGES = ("en", "de", "fr", "es", "nl")

# What nobody writes in any language.
ANYWHERE = r"(?<!:) $| ,|\( | \)(?! without|$)"
NOT_FRENCH = r"\s[:;!?]|\u00a0[:;!?]|« | »"
RULES = {
    "en": NOT_FRENCH,
    "de": rf'{NOT_FRENCH}|\w"\w|[a-zäöü]\'[a-zäöü]|[“”]\w|\w„|»|«',
    # A space before these that does not break a line, and one inside of guillemets.
    "fr": r"[^\u00a0\s][:;!?](?=\s|$)| [:;!?]|« | »|«[^\u00a0]|[^\u00a0]»|[a-zéèê]'[a-zéèê]",
    "es": NOT_FRENCH + r"|[a-záéíóú]'[a-z]|^[^¿]*\?$|^[^¡]*!$",
    "nl": NOT_FRENCH + r"|[a-z]'[a-z]",
}
# Values and notations, in which a sign is no punctuation of the sentence.
NOTATION = re.compile(r"\{word\}\?|\{[^{}]*\}|'[^' ]+'|\{\"red\".*\}")


def texts(language: str) -> Iterator[tuple[str, str]]:
    """Where a text stands, and the text."""
    for path in sorted(PACKAGE.rglob(f"{language}.json")):
        for name, text in json.loads(path.read_text(encoding="utf-8")).items():
            for part in text if isinstance(text, list) else [text]:
                yield f"{path.relative_to(PACKAGE)} {name}", part


def faults(language: str, text: str) -> list[str]:
    """What is wrong in a text, as it stands there."""
    plain = NOTATION.sub("0", text)
    rules = f"{ANYWHERE}|{RULES[language]}"
    return [found[0] for line in plain.splitlines() for found in re.finditer(rules, line)]


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_text_keeps_the_rules_of_its_language(language: str) -> None:
    assert [(place, text) for place, text in texts(language) if faults(language, text)] == []
    assert len(list(texts(language))) > 500


def test_no_script_of_the_page_writes_a_colon_of_its_own_between_texts() -> None:
    own = re.compile(r"\$\{t\([^`]*?\)\}: |\.join\(\": \"\)")
    scripts = [path.read_text(encoding="utf-8") for path in PACKAGE.rglob("static/**/*.js")]
    assert [script for script in scripts if own.search(script)] == []
    assert len(scripts) > 30
