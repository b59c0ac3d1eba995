"""Positions to judge bots by, each with the exact value of every move: read from a file, or drawn.

A suite is a file of JSON lines, as `Case.line` writes them. Empty lines, and those that begin with
#, are passed over.
"""

from __future__ import annotations

import json
import random
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any, TypeVar

from ..core.budgets import number_or_none
from ..core.whole_numbers import seeded
from ..errors import KulamiError, NotationError, Phrase
from ..game import CHANCE, NOBODY, Budget, Game, Number, Question, Source, State, ask
from .case import case_of

C = TypeVar("C")

_LONGEST = 200  # moves of a random game
_NO_LIMIT = Budget()
_NODES = 10**5  # of a search for the values of a state: some tenths of a second
_TRIES = 1000  # games without a new position, after which there are taken to be no more


def read_cases(path: str | Path, parse: Callable[[str], C], count: int | None = None) -> list[C]:
    """Read a suite, or the first `count` cases of it.

    Args:
        path: the file.
        parse: reads a line.
        count: how many, at least 1; None for all.

    Raises:
        OSError: if the file cannot be read.
        KulamiError: if it is no suite, or has fewer cases; the message names the line.
    """
    count = number_or_none("count", count)
    cases: list[C] = []
    with open(path, "rb") as file:
        for number, raw in enumerate(file, 1):
            if count is not None and len(cases) == count:
                break
            try:
                line = raw.decode().strip()
                if line and not line.startswith("#"):
                    cases.append(parse(line))
            except UnicodeDecodeError:
                raise NotationError("suite_not_utf8", file=str(path), number=number) from None
            except KulamiError as error:
                raise error.at("file_line", file=str(path), number=number) from None
    if not cases:
        raise NotationError("suite_empty", file=str(path))
    if count is not None and len(cases) < count:
        raise NotationError("suite_short", file=str(path), found=len(cases), count=count)
    return cases


def suite_record(line: str, keys: tuple[str, ...]) -> dict[str, Any]:
    """Return the object in a line of a suite.

    Raises:
        NotationError: if it is not an object, or one of the keys is missing.
    """
    try:
        record: Any = json.loads(line)
    except (ValueError, RecursionError):
        raise NotationError("suite_not_json") from None
    if not isinstance(record, dict) or not record.keys() >= {*keys}:
        raise NotationError("suite_no_keys", keys=keys)
    return record


def move_values(
    state: State, budget: Budget = _NO_LIMIT, sources: Sequence[Source] = ()
) -> dict[str, Number] | None:
    """Return the exact value of every move, best first; None if `ask` does not find it."""
    return ask(Question(state, every_move=True, budget=budget), sources).exact_moves


def random_state(game: Game, draw: random.Random) -> State | None:
    """Return a state of a random game in which a player is to move; None if there was none."""
    from .arena import draw_chance  # it brings processes, which a browser does not have

    state = game.start()
    met: list[State] = []
    while state.to_move != NOBODY and len(met) < _LONGEST:
        if state.to_move == CHANCE:
            state = state.play(draw_chance(state, draw))
            continue
        met.append(state)
        state = state.play(draw.choice(state.moves))
    return draw.choice(met) if met else None


def draw_cases(
    game: Game,
    seed: int,
    count: int,
    sources: Sequence[Source] = (),
    pick: Callable[[random.Random], State | None] | None = None,
) -> Iterator[Any]:
    """Yield states of random games, each once, in which a move can spoil something.

    Args:
        game: the game.
        seed: 0 or more; the same states for a seed on every machine.
        count: how many.
        sources: asked for the values first; a state that then needs a search of more than 100,000
            nodes is left out.
        pick: draws a state, None if it finds none; by default a state of a random game.

    Raises:
        KulamiError: if there are fewer than `count`.

    Examples:
        >>> from kulami_solver.game import load_game
        >>> [case.best for case in draw_cases(load_game("kulami", layout="AABC/AABC"), 1, 3)]
        [0, 0, 0]
    """
    draw = seeded(seed)
    seen: set[str] = set()
    tries = 0
    while len(seen) < count:
        state = random_state(game, draw) if pick is None else pick(draw)
        if state is not None and state.notation() not in seen:
            found = move_values(state, Budget(nodes=_NODES), sources)
            if found is not None and len(set(found.values())) > 1:
                tries = 0
                seen.add(state.notation())
                yield case_of(state, {move: found[move] for move in state.moves}, "random")
                continue
        tries += 1
        if tries == _TRIES:
            board = getattr(game, "board", None)
            where = Phrase("on_a_board", board=str(board)) if board is not None else ""
            kind = type(case_of(game.start(), {}))
            raise KulamiError(
                "too_few_cases", where=where, found=len(seen), word=kind.move_word, count=count
            )
