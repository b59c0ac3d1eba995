"""Bots of any game: they know only the state and its rules.

They serve games that have no bots of their own. The answer depends on the state, the clock and the
seed alone; only a limit in seconds lets chance in.
"""

from __future__ import annotations

import hashlib
import os
import random
from typing import Any, Final

from ..core.files import files_in
from ..errors import KulamiError, reason
from ..game import Budget, Question, Spare, State, ask
from ..storage.container import OtherGameError
from ..storage.database import open_source
from .overheard import show
from .protocol import BotError, Clock, Player

_USUAL: Final = 100_000  # positions a search looks at where the clock has no limit


def chance(*words: object) -> int:
    """Return 64 random bits determined by some words; the first word is a seed."""
    text = " ".join(map(str, words))
    return int.from_bytes(hashlib.sha256(text.encode()).digest()[:8], "big")


def draw(seed: int, notation: str) -> random.Random:
    """Return the random generator determined by a seed and a position."""
    return random.Random(chance(seed, notation))


class RandomMover:
    """Plays a random legal move; the seed and what the player sees of the state determine it.

    Examples:
        >>> from kulami_solver.game import load_game
        >>> start = load_game("malawi", board="2x3").start()
        >>> RandomMover(1).choose(start) == RandomMover(1).choose(start)
        True
    """

    name = "random"

    def __init__(self, seed: int = 0) -> None:
        self.seed = seed

    def choose(self, state: State, *, clock: Clock | None = None) -> str:
        """Return any legal move."""
        return draw(self.seed, state.known_to(state.to_move)).choice(state.moves)


class BestMover(RandomMover):
    """Plays the best move that `ask` finds in the clock's time, else any legal move.

    Examples:
        >>> from kulami_solver.game import load_game
        >>> BestMover().choose(load_game("kulami", layout="AAB/CCB").start().play("a1"))
        'c1'
    """

    name = "perfect"

    def choose(self, state: State, *, clock: Clock | None = None) -> str:
        """Return the best move found in the time.

        Raises:
            BotError: if players know less than the state says.
        """
        if state.game.has_hidden:
            raise BotError("perfect_sees_all")
        clock = clock or Clock()
        nodes = clock.nodes if clock.limited else _USUAL
        budget = Budget(seconds=clock.seconds, nodes=nodes, stop=clock.stop)
        best = ask(Question(state, budget=budget)).best
        return super().choose(state) if best is None else str(best)


class StatePlayer(Player):
    """A bot that is shown the state itself."""

    def choose(self, state: State, clock: Clock | None = None, **others: Any) -> str:
        return state.move_of(self.ask(state, {"clock": clock or Clock()}, **others))


def files_of_bot(places: str) -> list[str]:
    """Return the files that the bot `perfect:PLACES` asks.

    Args:
        places: files and folders, with the system's mark of paths between; ~ is the home folder.

    Raises:
        OSError: if a folder cannot be read.
    """
    named = [places] if os.path.exists(places) else places.split(os.pathsep)
    found = []
    for place in map(os.path.expanduser, named):
        found += files_in(place, (".kdb", ".kpf")) if os.path.isdir(place) else [place]
    return found


def sources_of_bot(name: str, places: str, game: str) -> list[Spare]:
    """Open the files behind the bot `perfect:PLACES` of any game: damage is reported once.

    Args:
        name: the bot's name.
        places: as for `files_of_bot`.
        game: whose positions they are asked about; several files may be of others.

    Raises:
        BotError: if one cannot be opened, or there is none of the game.
    """

    def tell(fault: Exception) -> None:
        show(f"{name}: {fault}; it searches instead")

    found = []
    missing: KulamiError = KulamiError("no file there ends in .kdb or .kpf")
    try:
        for path in files_of_bot(places):
            try:
                found.append(Spare(open_source(path, game), tell))
            except OtherGameError as other:
                missing = other
        if not found:
            raise missing
    except (KulamiError, OSError) as error:
        why = reason(error) if isinstance(error, OSError) else error
        raise BotError("no_bot", name=name, why=why) from None
    return found
