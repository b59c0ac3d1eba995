"""Bots by name, as the command line gives them: one way for every game.

random  greedy  perfect ...   built in: each game has its own, in `bots/GAME`
perfect:FILE          likewise; it looks positions up in a solved database before it searches, or in
                      those of folders: perfect:FOLDER:FOLDER
FILE.py               the only bot in a Python file; FILE.py:name, if it has several
module:name           a class (made without arguments), an instance or a function in a module
exec ./bot --fast     a program that speaks UGI; `cmd=...` with more to say, see `description`
"""

from __future__ import annotations

import ast
import difflib
import importlib
import importlib.util
import os
import shlex
import sys
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from types import ModuleType
from typing import Final

from ..errors import KulamiError, quoted
from ..game import GAMES, descriptor, part
from ..registry import installed, module_of
from .builtin import BestMover, RandomMover, StatePlayer
from .description import BotDescription, described
from .protocol import BotError, Player, raised

Maker = Callable[[str, str, int], object]
"""Makes a built-in bot from its whole name, the part after the colon, and a seed."""

_LONGEST: Final = 9  # digits of a number in a name
_LONGEST_TITLE: Final = 40  # characters that a program may call itself in a table


@dataclass(frozen=True)
class BotNames:
    """The names of a game's bots.

    Attributes:
        game: the game's name, as in `kulami_solver.game`.
        called: the noun in the message about an unknown name: "bot", or "bot of Malawi".
        shown: the built-in bots as messages name them, weakest first.
        plain: makes the bots whose name is a single word.
        more: makes the bots whose name may have a colon and a value after the word.
    """

    game: str
    called: str
    shown: tuple[str, ...]
    plain: Mapping[str, Callable[[int], object]]
    more: Mapping[str, Maker] = field(default_factory=dict)

    def __contains__(self, name: object) -> bool:
        """Whether a name, up to its colon, is that of a built-in bot."""
        kind = str(name).partition(":")[0]
        return kind in self.plain or kind in self.more

    def make(self, name: str | BotDescription, seed: int = 0, isolated: bool = False) -> Player:
        """Return the bot of this name.

        Args:
            name: as above, or a description.
            seed: of the built-in bots that leave something to chance.
            isolated: run a Python bot as an engine, in a process of its own, so that it can neither
                hang nor end this one. Built-in bots are trusted, programs always have one. A bot
                of a game that only this process knows runs here.

        Raises:
            BotError: if there is no such bot, or it cannot be started.
        """
        bot = described(name)
        name = bot.name
        if bot.command:
            from .engine import Engine

            engine = Engine(bot, game=self.game)
            engine.start()
            return Player(engine, name)
        kind, colon, rest = name.partition(":")
        if not colon and kind in self.plain:
            made = self.plain[kind](seed)
            return made if isinstance(made, Player) else Player(made)
        if kind in self.more and (rest or kind not in self.plain):
            made = self.more[kind](name, rest, seed)
            # A bot whose own name is one word gets the full name, including its file.
            return Player(made, name if kind in self.plain else None)
        of_file = kind.endswith(".py")
        meant = _meant(name, (*self.plain, *self.more))
        no_module = not rest or " " in kind or (meant and not _is_module(kind))
        if name in self or (no_module and not of_file):
            shown = [*self.shown, *(["perfect:FILE"] if "perfect" in self.more else [])]
            raise BotError(
                "no_bot_of_name", name=name, kind=self.called, names=", ".join(shown), meant=meant
            )
        if isolated and (part(self.game, "bots") is not None or self.game in installed()):
            from .engine import PythonBot

            isolated_bot = PythonBot(name, self.game)
            isolated_bot.start()
            return Player(isolated_bot, name)
        return Player(imported_bot(kind, rest), name)


def _meant(name: str, names: Iterable[str] = ()) -> str:
    r"""The name that was probably meant, in words; an empty text if there is no guess.

    Args:
        name: as it was typed.
        names: of the built-in bots, up to their colons.

    >>> _meant("./cppbot"), _meant("Alphabet:3", ["alphabeta"]), _meant("alphabet")
    ("; did you mean 'exec ./cppbot'?", "; did you mean 'alphabeta:3'?", '')
    >>> _meant("./my bot")
    '; did you mean "exec \'./my bot\'"?'
    """
    meant = ""
    if os.path.isfile(name) or name.startswith(("./", "../", "/", "~/")):
        meant = f"exec {shlex.quote(name)}"
    else:
        kind, colon, rest = name.partition(":")
        for close in difflib.get_close_matches(kind.lower(), names, 1, 0.7):
            meant = f"{close}{colon}{rest}"
    mark = '"' if "'" in meant else "'"
    return meant and f"; did you mean {mark}{meant}{mark}?"


def _is_module(name: str) -> bool:
    find_in_working_folder()
    try:
        return importlib.util.find_spec(name) is not None
    except (ImportError, ValueError):
        return False


def bots_of(game: str) -> BotNames:
    """Return the names of a game's bots; a game without its own bots has those of `builtin`.

    Raises:
        KulamiError: if there is no such game.

    Examples:
        >>> bots_of("kulami").shown
        ('random', 'greedy', 'level:4', 'alphabeta:4', 'mcts', 'perfect', 'master')
    """
    own: BotNames | None = getattr(part(game, "bots"), "BOTS", None)
    if own is None:
        if module_of(game) is None:
            raise KulamiError(
                f"no bots of {quoted(game)} have names: those of {', '.join(sorted(GAMES))} do"
            )
        return BotNames(
            game=game,
            called=f"bot of {descriptor(game).title}",
            shown=("random", "perfect"),
            plain={
                "random": lambda seed: StatePlayer(RandomMover(seed)),
                "perfect": lambda seed: StatePlayer(BestMover(seed)),
            },
        )
    return own


def make_player(
    name: str | BotDescription, seed: int = 0, isolated: bool = False, *, game: str = "kulami"
) -> Player:
    """Return the bot of this name.

    Args:
        name: as above, or a description.
        seed: of the built-in bots that leave something to chance.
        isolated: run a Python bot as an engine, in a process of its own; see `BotNames.make`.
        game: whose bots are meant.

    Raises:
        BotError: if there is no such bot, or it cannot be started.

    Examples:
        >>> make_player("alphabeta:6").name
        'alphabeta:6'
        >>> make_player("alphabet", game="malawi")
        Traceback (most recent call last):
        ...
        kulami_solver.bots.protocol.BotError: 'alphabet' is no bot of Malawi: use random, greedy, \
perfect, perfect:FILE, FILE.py, module:name or 'exec program'
    """
    return bots_of(game).make(name, seed, isolated)


def titles_of(players: Iterable[Player]) -> dict[str, str]:
    """Return what tables call the programs among bots: by UGI's `id name`, if that is clear."""
    titles = {}
    for player in players:
        own = getattr(player.bot, "title", "") if player.name.startswith("exec ") else ""
        shown = "".join(letter for letter in own if letter.isprintable())[:_LONGEST_TITLE]
        titles[player.name] = shown.strip() or player.name
    taken = Counter(titles.values())
    return {name: title for name, title in titles.items() if taken[title] == 1}


def number_after(name: str, text: str, usual: int, largest: int) -> int:
    """Return the whole number after the colon of a bot's name, `usual` if there is no colon.

    Raises:
        BotError: if it is no number from 1 to `largest`.

    Examples:
        >>> number_after("mcts:20", "20", 5000, 10**8)
        20
    """
    kind, colon, _ = name.partition(":")
    if not colon:
        return usual
    whole = text.isascii() and text.isdigit() and len(text) <= _LONGEST
    if not whole or not 1 <= int(text) <= largest:
        raise BotError(
            "bot_without_number", name=name, kind=kind, largest=largest, usual=usual or 5000
        )
    return int(text)


# Python bots


def find_in_working_folder() -> None:
    """Have Python find the modules of the working folder, as with `python -m`."""
    here = os.getcwd()
    if here not in sys.path and "" not in sys.path:
        sys.path.insert(0, here)


def _module_of_file(path: str) -> ModuleType:
    """Run a file as a module. Python finds what lies beside it, but nothing in place of its own."""
    folder, file = os.path.split(os.path.abspath(path))
    if folder not in sys.path:
        sys.path.append(folder)
    name = f"{file.removesuffix('.py')} of {folder}"  # no other module has this name
    spec = importlib.util.spec_from_file_location(name, path)
    assert spec is not None
    assert spec.loader is not None
    module = sys.modules[name] = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def _only_bot(path: str) -> str:
    """The name of the class with `choose`, or of the function `choose`, that a Python file has.

    Raises:
        BotError: if it has none, or several, or cannot be read.
    """
    try:
        body = ast.parse(Path(path).read_bytes()).body
    except OSError as error:
        raise BotError(f"{path}: {error.strerror}") from None
    except SyntaxError as error:
        raise BotError(f"{path} line {error.lineno}: {error.msg}") from None
    except (ValueError, RecursionError) as error:
        raise BotError(f"{path} is no Python file: {error}") from None
    classes = [node for node in body if isinstance(node, ast.ClassDef)]
    found = [node.name for node in classes if any(map(_is_choose, node.body))]
    if not found and any(map(_is_choose, body)):
        return "choose"
    if not found:
        raise BotError(
            f"{path} has neither choose(position) nor a class with it: say which bot it has, as "
            f"{path}:NAME, or 'exec python {path}' if it speaks UGI"
        )
    if len(found) > 1:
        raise BotError(f"{path} has the bots {', '.join(found)}: say which, as {path}:{found[0]}")
    return found[0]


def _is_choose(node: ast.stmt) -> bool:
    return getattr(node, "name", "") == "choose"


def imported_bot(module_name: str, path: str) -> object:
    """Return the bot a module has under a name; a class is instantiated.

    Args:
        module_name: of the module, or the path of its file, which ends in .py.
        path: the name, in a class perhaps; empty for the only bot of a file.

    Raises:
        BotError: if it has none.
    """
    find_in_working_folder()
    of_file = module_name.endswith(".py")
    if of_file and not os.path.isfile(module_name):
        raise BotError(f"{module_name}: No such file; name a Python file")
    path = path or _only_bot(module_name)
    try:
        found = (_module_of_file if of_file else importlib.import_module)(module_name)
    except ModuleNotFoundError as error:
        if of_file or (error.name != module_name.partition(".")[0] and error.name != module_name):
            raise BotError("module_not_imported", module=module_name, why=error) from None
        raise BotError(
            f"there is no module {quoted(module_name)}: name one that Python finds from here"
        ) from None
    except (Exception, SystemExit) as error:
        raise BotError(f"{module_name} cannot be imported: it {raised(error)}") from error
    bot: object = found
    for step in path.split("."):
        if not hasattr(bot, step):
            raise BotError("module_without", module=module_name, name=path)
        bot = getattr(bot, step)
    if isinstance(bot, type):
        try:
            return bot()
        except (Exception, SystemExit) as error:
            what = f"{module_name}:{path}() {raised(error)}"
            raise BotError(f"{what}; a bot's class is made without arguments") from error
    return bot
