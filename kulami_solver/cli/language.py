"""The language of messages to people, as the environment asks for it."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Final

from kulami_solver.errors import catalogue

_LANGUAGES: Final = ("en", "de", "fr", "es", "nl")
_PLAIN: Final = ("C", "POSIX")


def as_command(text: str, language: str) -> str:
    """Return the command that a typed word of a language stands for; any other text unchanged.

    Examples:
        >>> as_command("Hilfe", "de"), as_command("help", "de"), as_command("q", "en")
        ('help', 'help', 'quit')
    """
    pairs = " ".join(catalogue(name)["typed_words"] for name in ("en", language)).split()
    return dict(pair.split("=") for pair in pairs).get(text.strip().lower(), text)


def of_messages(json: bool) -> str:
    """Return the language of a command's messages to people: English with --json."""
    return "en" if json else spoken()


def spoken(environment: Mapping[str, str] = os.environ) -> str:
    """Return the language asked for, English if it is none of ours.

    LANGUAGE names several languages, of which the first known one counts. Next comes the first of
    LC_ALL, LC_MESSAGES and LANG that is set. If that is the locale C, as in scripts, the language
    is English.

    Examples:
        >>> spoken({"LANG": "de_AT.UTF-8"}), spoken({"LANGUAGE": "pt:fr_CA:de", "LANG": "es_ES"})
        ('de', 'fr')
        >>> spoken({"LC_ALL": "C", "LANGUAGE": "de"}), spoken({"LANG": "pt_BR"}), spoken({})
        ('en', 'en', 'en')
    """
    set_ones = (environment.get(name) for name in ("LC_ALL", "LC_MESSAGES", "LANG"))
    locale = next(filter(None, set_ones), "")
    if locale in _PLAIN:
        return "en"
    asked = (environment.get("LANGUAGE") or locale).split(":")
    names = (name.partition(".")[0].partition("_")[0].lower() for name in asked)
    return next((name for name in names if name in _LANGUAGES), "en")
