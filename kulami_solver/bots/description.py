"""A bot as an object, described as arenas describe an engine; and the texts and files that do so.

    greedy   FILE.py   module:name                       a bot of this package, or in Python
    exec ./bot --fast                                    a program that speaks UGI
    cmd='./bot --fast' dir=FOLDER name=Mine option.Hash=16 env.THREADS=1
                                                         the same, with more to say

A file has the same keys, as JSON or as TOML; a text in it is one of the above:

    ["greedy", {"cmd": "./bot --fast", "dir": "FOLDER", "option.Hash": 16}]

    [[engines]]
    cmd = "./bot --fast"
    option.Hash = 16
"""

from __future__ import annotations

import json
import os
import re
import shlex
import sys
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from ..errors import KulamiError, quoted
from .protocol import BotError

_KEYS: Final = "cmd, dir, name, option.X or env.X"
_WORDS: Final = re.compile(r"[A-Za-z]\w*(\.[^=]+)?=")
_FIELDS: Final = {"cmd": "command", "dir": "folder", "name": "name"}
_TABLES: Final = {"option": "options", "env": "environment"}


@dataclass(frozen=True)
class BotDescription:
    """A bot: its name, and how a program is started.

    Attributes:
        name: what reports call it; without a command, which bot it is, as `make_player` takes it.
        command: the program and its arguments; empty for a bot of this package or in Python.
        folder: where the program is started; empty for the working folder.
        options: what it is told by `setoption`, as far as it names such options and values.
        environment: its variables besides those of this process.

    Examples:
        >>> one = described("cmd='python3 bot.py' dir=mine name=Mine option.Hash=16")
        >>> one.name, one.command, one.folder, one.options
        ('Mine', ('python3', 'bot.py'), 'mine', {'Hash': '16'})
        >>> described("exec ./bot").command, described("greedy").command
        (('./bot',), ())
    """

    name: str
    command: tuple[str, ...] = ()
    folder: str = ""
    options: Mapping[str, str] = field(default_factory=dict)
    environment: Mapping[str, str] = field(default_factory=dict)


def described(bot: str | BotDescription) -> BotDescription:
    """Return what a text describes, or the description itself.

    Raises:
        BotError: if the words are not well quoted, name no program, or have a key that no bot has.
    """
    if isinstance(bot, BotDescription):
        return bot
    text = str(bot).strip()
    if text != "exec" and not text.startswith("exec ") and not _WORDS.match(text):
        return BotDescription(text)
    try:
        words = shlex.split(text)
    except ValueError as error:
        raise BotError(f"{quoted(text)}: {error}; quote the words of the program") from None
    if words[0] != "exec":
        if bare := next((word for word in words if "=" not in word), None):
            raise BotError(
                f"{quoted(bare)} is no KEY=VALUE: quote a value that has blanks, as in "
                "cmd='./bot --fast'"
            )
        return _of_keys(dict(word.partition("=")[::2] for word in words))
    if len(words) == 1:
        raise BotError("exec_without_program")
    return BotDescription(text, tuple(words[1:]))


def _of_keys(given: Mapping[str, object]) -> BotDescription:
    """Return the bot that some keys describe.

    Raises:
        BotError: if there is no such key or value, or no program.
    """
    found: dict[str, Any] = {"options": {}, "environment": {}}
    tables = {key: table for key, table in given.items() if isinstance(table, dict)}
    flat = {f"{key}.{name}": one for key, table in tables.items() for name, one in table.items()}
    for key, value in {**given, **flat}.items():
        if key in tables:
            continue
        kind, _, name = key.partition(".")
        said = str(value).lower() if isinstance(value, bool) else str(value)
        if kind not in (_TABLES if name else _FIELDS):
            raise BotError(f"{quoted(key)} is nothing that a bot has: give {_KEYS}")
        if not isinstance(value, (str, int, float)) or not said.isprintable():
            raise BotError(f"{quoted(key)} of a bot is {quoted(value)}: give one line of text")
        if name:
            found[_TABLES[kind]][name] = said
        else:
            found[_FIELDS[kind]] = said
    command = found.pop("command", "").strip()
    if not command:
        raise BotError("a bot has a program: give cmd='PROGRAM ARGUMENTS'")
    program = described(f"exec {command}")
    folder = os.path.expanduser(found.pop("folder", ""))
    name = found.pop("name", "").strip() or program.name
    return BotDescription(name, program.command, folder, **found)


def bots_in(text: str, toml: bool = False) -> list[BotDescription]:
    """Return the bots that a list describes, in JSON or TOML; or that `engines` in it does.

    Raises:
        KulamiError: if it describes no bots.

    Examples:
        >>> [bot.name for bot in bots_in('["greedy", {"cmd": "./bot", "name": "Mine"}]')]
        ['greedy', 'Mine']
    """
    try:
        found = _parsed_toml(text) if toml else json.loads(text)
    except (ValueError, RecursionError) as error:
        raise KulamiError(f"this is no list of bots: {error}") from None
    given = found.get("engines") if isinstance(found, dict) else found
    if not isinstance(given, list) or not all(isinstance(one, (str, dict)) for one in given):
        raise KulamiError('this is no list of bots: write [{"cmd": "./bot", "name": "Mine"}]')
    return [described(one) if isinstance(one, str) else _of_keys(one) for one in given]


def _parsed_toml(text: str) -> object:
    if sys.version_info >= (3, 11):
        import tomllib

        return tomllib.loads(text)
    raise ValueError("TOML needs Python 3.11; write JSON")
