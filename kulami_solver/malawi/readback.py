"""Reading back: the check of a finished database before it appears under its name.

As in `kulami.database.readback`, the finished file is opened as users open it, and compared with
the packed table, which is still in memory.

    layers      all presence bits and all values, unpacked
    slots       some looked up one by one: reached ones, others, and those at the edges of blocks
    games       positions of random games: each has the value that follows from its best turn
"""

from __future__ import annotations

import concurrent.futures
import random
from typing import Final

import numpy as np

from ..core.dense import Reached
from ..storage.container import DatabaseError
from ..storage.dense import BLOCK
from .position import Position
from .probe import Database
from .values import value_in

# Slots that are looked up, besides the first and the last of some blocks.
_FEWEST_SLOTS: Final = 32
_MOST_SLOTS: Final = 500
_POSITIONS_A_SLOT: Final = 2_000
_EDGES: Final = 20
# Limits for random games, which need not end.
_MOST_PLIES: Final = 30
_POSITIONS_A_GAME: Final = 200_000
_MOST_GAMES: Final = 10


def check_layers(
    database: Database, reached: Reached, executor: concurrent.futures.Executor
) -> None:
    """Unpack a whole file and compare it with its table.

    Raises:
        DatabaseError: if they differ.
    """
    bitmap = np.zeros_like(reached.bitmap)
    bounds, directory = reached.game.bounds, reached.directory
    for layer, values in database.reader.layers(executor, bitmap):
        begin, end = (directory[bounds[i] // 512] for i in (layer, layer + 1))
        if not np.array_equal(values, reached.values[begin:end]):
            raise DatabaseError("layer_other_values", layer=layer)
    if not np.array_equal(bitmap, reached.bitmap):
        raise DatabaseError("other_slots")


def check_slots(database: Database, reached: Reached) -> None:
    """Look slots up one by one, in the file and in the table.

    Raises:
        DatabaseError: if a slot has another value, is missing, or is wrongly present.
    """
    slots = reached.game.slots
    draw = random.Random(slots)
    edges = range(0, slots, BLOCK)
    chosen = {0, slots - 1}
    for edge in draw.sample(edges, min(len(edges), _EDGES)):
        chosen |= {max(edge - 1, 0), edge}
    count = _FEWEST_SLOTS + min(_MOST_SLOTS, len(reached.values) // _POSITIONS_A_SLOT)
    chosen |= {draw.randrange(slots) for _ in range(count)}
    words = np.flatnonzero(reached.bitmap)
    for word in words[draw.choices(range(len(words)), k=count)].tolist():
        bits = int(reached.bitmap[word])
        chosen.add(64 * word + draw.choice([i for i in range(64) if bits >> i & 1]))
    for slot in sorted(chosen):
        if database.reader.value_at(slot) != reached.value_at(slot):
            raise DatabaseError("slot_not_found", slot=slot)


def check_games(database: Database) -> None:
    """Play random games, and compare each position's value with those its turns lead to.

    Raises:
        DatabaseError: if a position is missing, or its value does not follow from its best turn.
    """
    start = Position.start(database.board)
    if database.get(start) != database.value:
        raise DatabaseError("start_value")
    draw = random.Random(database.positions)
    for _ in range(1 + min(_MOST_GAMES, database.positions // _POSITIONS_A_GAME)):
        position = start
        for _ in range(_MOST_PLIES):
            if position.is_over:
                break
            if value_in(database.turn_values(position)[0]) != database.get(position):
                raise DatabaseError("best_turn_value", position=position.mfn())
            position = position.play(draw.choice(position.legal_turns))
