"""Bots by name, as the command line gives them: one way for every game.

random  greedy  perfect ...   built in: each game has its own, in `bots/GAME`
perfect:FILE          likewise; it looks positions up in a solved database before it searches
FILE.py               the only bot in a Python file; FILE.py:name, if it has several
module:name           a class (made without arguments), an instance or a function in a module
exec ./bot --fast     a program that speaks UGI
"""

from __future__ import annotations

import os
import shlex
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Final

from ..errors import KulamiError, quoted
from ..game import GAMES, descriptor, part
from ..registry import module_of
from .builtin import BestMover, RandomMover, StatePlayer
from .isolated import imported_bot
from .protocol import BotError, Player

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

    def make(self, name: str, seed: int = 0, isolated: bool = False) -> Player:
        """Return the bot of this name.

        Args:
            name: as above.
            seed: of the built-in bots that leave something to chance.
            isolated: make and run a Python bot in a process of its own, so that it can neither hang
                nor end this one. Built-in bots are trusted, programs always have one.

        Raises:
            BotError: if there is no such bot, or it cannot be started.
        """
        name = str(name).strip()
        if name == "exec" or name.startswith("exec "):
            from .engine import Engine

            engine = Engine(program_words(name), name, game=self.game)
            engine.start()
            return Player(engine, name)
        kind, colon, rest = name.partition(":")
        if not colon and kind in self.plain:
            bot = self.plain[kind](seed)
            return bot if isinstance(bot, Player) else Player(bot)
        if kind in self.more and (rest or kind not in self.plain):
            bot = self.more[kind](name, rest, seed)
            # A bot whose own name is one word gets the full name, including its file.
            return Player(bot, name if kind in self.plain else None)
        of_file = kind.endswith(".py")
        if not (rest or of_file) or name in self or (" " in kind and not of_file):
            shown = [*self.shown, *(["perfect:FILE"] if "perfect" in self.more else [])]
            raise BotError(
                "no_bot_of_name",
                name=name,
                kind=self.called,
                names=", ".join(shown),
                meant=_meant(name),
            )
        if isolated:
            from .isolated import IsolatedBot

            bot = IsolatedBot(name, str(module_of(self.game)))
            player = Player(bot, name)
            player.taken = bot.taken
            return player
        return Player(imported_bot(kind, rest), name)


def _meant(name: str) -> str:
    r"""The name that was probably meant, in words; an empty text if there is no guess.

    >>> _meant("./cppbot"), _meant("alphabet")
    ("; did you mean 'exec ./cppbot'?", '')
    >>> _meant("./my bot")
    '; did you mean "exec \'./my bot\'"?'
    """
    if os.path.isfile(name) or name.startswith(("./", "../", "/", "~/")):
        command = f"exec {shlex.quote(name)}"
        mark = '"' if "'" in command else "'"
        return f"; did you mean {mark}{command}{mark}?"
    return ""


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
    name: str, seed: int = 0, isolated: bool = False, *, game: str = "kulami"
) -> Player:
    """Return the bot of this name.

    Args:
        name: as above.
        seed: of the built-in bots that leave something to chance.
        isolated: make and run a Python bot in a process of its own, so that it can neither hang nor
            end this one. Built-in bots are trusted, programs always have one.
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
        raise BotError("exec_without_program")
    return words
