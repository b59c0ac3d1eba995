"""Bots by name, as the command line gives them.

random  greedy  alphabeta:4  mcts  mcts:5000  perfect      built in
perfect:FILE          likewise; it looks positions up in a solved database before it searches
module:name           a class (made without arguments) or an instance in a Python module
exec ./bot --fast     a program that speaks UGI
"""

from __future__ import annotations

import contextlib
import importlib
import io
import os
import re
import shlex
import sys

from ..errors import KulamiError, quoted
from ..kulami.position import Position
from ..kulami.scoring import Scoring
from .builtin import AlphaBeta, Greedy, MonteCarlo, Perfect, Random, Source
from .overheard import ImportedPlayer, OverheardEngine, log_exception
from .protocol import BotError, Player

__all__ = ["BUILT_IN", "imported_bot", "make_player", "program_words", "try_bot"]

BUILT_IN = ("random", "greedy", "alphabeta:4", "mcts", "perfect")
"""The built-in bots, weakest first."""

_NUMBER = re.compile(r"[0-9]{1,9}", re.ASCII)
_LARGEST = {"alphabeta": 64, "mcts": 100_000_000}


def make_player(name: str, seed: int = 0, isolated: bool = False) -> Player:
    """Return the bot of this name.

    Args:
        name: as above.
        seed: of the built-in bots that leave something to chance.
        isolated: run a Python bot in a process of its own, so that it can neither hang nor end
            this one. Built-in bots are trusted, programs always have one.

    Raises:
        BotError: if there is no such bot, or it cannot be started.

    Examples:
        >>> make_player("alphabeta:6").name
        'alphabeta:6'
        >>> make_player("alphabet")
        Traceback (most recent call last):
        ...
        kulami_solver.bots.protocol.BotError: 'alphabet' is no bot: use random, greedy, \
alphabeta:4, mcts, perfect, module:name or 'exec program'
    """
    name = name.strip()
    if name == "exec" or name.startswith("exec "):
        return _program(program_words(name), name)
    kind, _, rest = name.partition(":")
    whole = name == kind  # nothing, not even a colon, comes after it
    if kind == "random" and whole:
        return Player(Random(seed))
    if kind == "greedy" and whole:
        return Player(Greedy(seed))
    if kind == "alphabeta":
        return Player(AlphaBeta(_number(name, rest, 4)))
    if kind == "mcts":
        return Player(MonteCarlo(_number(name, rest, 0) or None, seed))
    if kind == "perfect" and whole:
        return Player(Perfect(seed=seed))
    if kind == "perfect" and rest:
        return Player(Perfect(sources=(_database(rest),), seed=seed), name)
    if not rest:
        raise BotError(
            f"{quoted(name)} is no bot: use {', '.join(BUILT_IN)}, module:name or 'exec program'"
        )
    if isolated:
        try_bot(kind, rest)  # what is wrong with it is said better here than from there
        command = [sys.executable, "-m", "kulami_solver", "engine", "--bot", name]
        return _program(command, name, aloud=True)
    return ImportedPlayer(imported_bot(kind, rest), name)


def try_bot(module_name: str, path: str) -> None:
    """See whether a module has a bot; what it prints meanwhile is printed where it runs.

    Raises:
        BotError: if it has none.
    """
    said = io.StringIO()
    try:
        with contextlib.redirect_stdout(said):
            Player(imported_bot(module_name, path))
    except BotError:
        if sys.stderr is not None:
            sys.stderr.write(said.getvalue())
        raise


def _program(command: list[str], name: str, aloud: bool = False) -> Player:
    engine = OverheardEngine(command, name, aloud)
    engine.start()
    return Player(engine, name)


def _database(path: str) -> Source:
    """The best field of every position that is in the database, at the scoring it counts by."""
    from ..kulami.probe import open_database

    try:
        database = open_database(path)
    except (KulamiError, OSError) as error:
        raise BotError(f"perfect:{path} is no bot: {error}") from None

    def best_field(position: Position, scoring: Scoring) -> str | None:
        if scoring is not database.scoring or position not in database:
            return None
        return database.probe(position).best

    return best_field


def _number(name: str, text: str, usual: int) -> int:
    if not text and ":" not in name:
        return usual
    kind = name.partition(":")[0]
    if not _NUMBER.fullmatch(text) or not 1 <= int(text) <= _LARGEST[kind]:
        raise BotError(
            f"{quoted(name)} is no bot: after {kind}: comes a whole number from 1 to "
            f"{_LARGEST[kind]}, like {kind}:{usual or 5000}"
        )
    return int(text)


def program_words(name: str) -> list[str]:
    """Return the program and its arguments in a name like `exec ./bot --fast`.

    Raises:
        BotError: if the words are not well quoted, or there is none.

    Examples:
        >>> program_words("exec ./bot 'a b'")
        ['./bot', 'a b']
    """
    try:
        words = shlex.split(name)[1:]
    except ValueError as error:
        raise BotError(f"{quoted(name)}: {error}; quote the words of the program") from None
    if not words:
        raise BotError("'exec' names no program: write 'exec ./my-bot'")
    return words


def imported_bot(module_name: str, path: str) -> object:
    """Return the bot a module has under a name; a class is instantiated.

    Raises:
        BotError: if it has none.
    """
    here = os.getcwd()
    if here not in sys.path and "" not in sys.path:
        # As `python -m` does: a bot in the working folder is found.
        sys.path.insert(0, here)
    try:
        found = importlib.import_module(module_name)
    except ModuleNotFoundError as error:
        if error.name != module_name.partition(".")[0] and error.name != module_name:
            raise BotError(f"{module_name} cannot be imported: {error}") from None
        raise BotError(
            f"there is no module {quoted(module_name)}: name one that Python finds from here"
        ) from None
    except Exception as error:
        log_exception(error)
        said = " ".join(str(error).split())[:200]
        raise BotError(
            f"{module_name} cannot be imported: it raises {type(error).__name__}: {said}"
        ) from error
    bot: object = found
    for part in path.split("."):
        if not hasattr(bot, part):
            raise BotError(f"module {module_name} has no {quoted(path)}: name a class or a bot")
        bot = getattr(bot, part)
    if isinstance(bot, type):
        try:
            return bot()
        except Exception as error:
            log_exception(error)
            said = " ".join(str(error).split())[:200]
            raise BotError(
                f"{module_name}:{path}() raises {type(error).__name__}: {said}; "
                "a bot's class is made without arguments"
            ) from error
    return bot
